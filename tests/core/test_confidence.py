from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.confidence import HEAVIEST, THRESHOLD, confidence
from gw_core.query import parse
from gw_core.rescore import K1, idf
from gw_core.settings import AskSettings

CHUNKS = 1000


def _score(text: str, df: dict[str, int], bm25: float, chunks: int = CHUNKS) -> float:
    query = parse(text)
    return confidence(query, {term: idf(chunks, df.get(term, 0)) for term in query.terms}, bm25, chunks).score


def test_a_question_of_which_no_word_is_known_is_refused_whatever_the_score() -> None:
    query = parse("quantum chromodynamics")
    found = confidence(query, {}, 50.0, CHUNKS)
    assert (found.enough, found.score) == (False, 0.0)
    assert found.unknown == ("quantum", "chromodynamics")
    assert found.reason


def test_function_words_are_neither_looked_at_nor_called_unknown() -> None:
    query = parse("what is the capital of France?")
    found = confidence(query, {term: idf(CHUNKS, 5 if term == "capital" else 0) for term in query.terms}, 4.0, CHUNKS)
    assert found.terms == ("capital", "france")
    assert found.unknown == ("france",)
    assert "'france'" in found.reason


def test_the_word_after_how_may_be_missing_but_counts_where_it_is_known() -> None:
    asked = _score("how long does a restore take", {"restore": 2, "take": 9}, 9.0)
    assert asked == _score("does a restore take", {"restore": 2, "take": 9}, 9.0)
    assert _score("how many servers are there", {"servers": 2}, 4.0) == _score("servers", {"servers": 2}, 4.0)
    assert _score("how long is the long restore", {"restore": 2, "long": 9}, 9.0) < _score(
        "restore", {"restore": 2}, 9.0
    )


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("how many zebras graze there?", "'zebras'"),
        ("wie viele Zebras und wann grasen sie?", "'zebras'"),
        ("预算是多少", None),
        ("多少斑马在预算里?", None),
    ],
)
def test_question_words_and_pieces_of_words_are_never_named_as_missing(text: str, unknown: str | None) -> None:
    query = parse(text)
    known = {term: idf(CHUNKS, 500) for term in query.terms if term in ("graze", "grasen", "预", "预算", "sie", "und")}
    found = confidence(query, known, 0.2, CHUNKS)
    assert not found.enough
    assert ("the index has no" in found.reason) == (unknown is not None)
    assert unknown is None or unknown in found.reason
    assert not any(each in found.reason for each in ("many", "wie", "viele", "wann", "多"))


def test_the_ngrams_of_a_question_word_may_be_missing() -> None:
    known = {"预算": 1, "预": 2, "算": 2}
    assert _score("预算是多少", known, 9.0) == _score("预算", known, 9.0)
    assert _score("预算是多少", {**known, "多": 9}, 9.0) < _score("预算", known, 9.0)


def test_a_word_the_index_has_never_seen_lowers_the_score() -> None:
    both = _score("retention period", {"retention": 3, "period": 3}, 10.0)
    one = _score("retention period", {"retention": 3}, 10.0)
    assert one < both


def test_a_rare_word_found_is_worth_more_than_a_common_one() -> None:
    rare = _score("retention", {"retention": 2}, 1.1 * idf(CHUNKS, 2))
    common = _score("retention", {"retention": 700}, 1.1 * idf(CHUNKS, 700))
    assert rare > THRESHOLD > common


@given(st.floats(0.01, 60), st.floats(0.01, 60), st.integers(1, 10**7))
def test_more_bm25_never_lowers_the_score(one: float, other: float, chunks: int) -> None:
    low, high = sorted((one, other))
    df = {"retention": 1, "period": 1}
    assert _score("retention period", df, low, chunks) <= _score("retention period", df, high, chunks)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_same_bm25_is_worth_less_in_a_larger_index(one: int, other: int) -> None:
    query = parse("retention period")
    weights = {"retention": 5.0, "period": 4.0}
    few, many = sorted((one + 1, other + 1))
    assert confidence(query, weights, 9.0, few).score >= confidence(query, weights, 9.0, many).score


def test_a_long_request_asks_for_its_heaviest_words_only() -> None:
    words = [f"{first}{second}zz" for first in "bdfgkl" for second in "aeiouy"]
    assert len(words) > 2 * HEAVIEST
    df = dict.fromkeys(words, 5)
    enough = (1 + K1) * HEAVIEST * idf(CHUNKS, 5)
    short = _score(" ".join(words[:HEAVIEST]), df, enough)
    assert _score(" ".join(words), df, enough) == pytest.approx(short)


def test_an_index_of_one_chunk_can_answer() -> None:
    query = parse("how long are logs kept?")
    weights = {term: idf(1, 1) for term in query.terms}
    assert confidence(query, weights, 2 * idf(1, 1), 1).enough


def test_the_threshold_of_the_configuration_is_the_measured_one() -> None:
    assert AskSettings().threshold == THRESHOLD
    assert confidence(parse("logs"), {"logs": 6.0}, 9.0, CHUNKS, threshold=99).threshold == 99


@pytest.mark.parametrize("text", ["", "?!", "the of"])
def test_nothing_to_look_for_is_refused(text: str) -> None:
    assert not confidence(parse(text), {}, 0.0, CHUNKS).enough
