"""The task paraphrase: what its pairs promise, what is hidden and found, and what it refuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench.harness import Harness
from gw_core.errors import UsageError
from gw_core.model import Chunk, Match
from gw_core.query import Query, has_prefix, parse, prefix_length
from gw_core.rescore import rescore
from gw_core.text.fold import fold
from gw_core.text.stem import stems
from gw_core.trial import Cell, Place, Retrieved
from gw_plugins.tasks.paraphrase import WHAT, Pair, Paraphrase, pairs

EACH = pytest.mark.parametrize("pair", pairs(), ids=lambda pair: pair.id)


def _stems(text: str) -> set[str]:
    return set(stems(fold(text).split()))


def test_there_are_enough_pairs_over_many_subjects() -> None:
    assert len(pairs()) >= 120
    counts = Counter(pair.subject for pair in pairs())
    assert len(counts) >= 25
    assert max(counts.values()) <= 6


def test_every_pair_is_its_own() -> None:
    for field in ("id", "needle", "question"):
        assert len({getattr(pair, field) for pair in pairs()}) == len(pairs()), field
    content = [frozenset(stems(parse(pair.question).content)) for pair in pairs()]
    needles = [_stems(pair.needle) for pair in pairs()]
    for at in range(len(pairs())):
        for other in range(at):
            assert len(content[at] & content[other]) <= len(content[at] | content[other]) / 2, pairs()[at].id
            assert len(needles[at] & needles[other]) <= len(needles[at] | needles[other]) / 2, pairs()[at].id


def test_questions_are_asked_in_many_ways() -> None:
    beginnings = Counter(" ".join(pair.question.split()[:2]) for pair in pairs())
    assert max(beginnings.values()) < 20


@EACH
def test_a_pair_is_a_stated_fact_and_a_question(pair: Pair) -> None:
    assert all((pair.id, pair.subject))
    assert 12 <= len(pair.needle.split()) <= 35
    assert 6 <= len(pair.question.split()) <= 16
    assert pair.needle == " ".join(pair.needle.split())
    assert pair.needle.endswith(".")
    assert pair.question.endswith("?")
    assert pair.needle.count(pair.answer) == 1


@EACH
def test_question_and_needle_share_no_word_in_any_form(pair: Pair) -> None:
    assert _stems(pair.question) & _stems(pair.needle) == set()
    asked, stated = fold(pair.question).split(), fold(pair.needle).split()
    stem_of = dict(zip((*asked, *stated), stems([*asked, *stated]), strict=True))
    for word in asked:
        for other in stated:
            for one, two in ((word, other), (other, word)):
                stem = stem_of[one]
                begins = has_prefix(one, stem) and stem_of[two].startswith(stem[: prefix_length(stem)])
                assert not begins, (word, other)


@EACH
def test_the_search_itself_sees_no_term_of_the_question_in_the_needle(pair: Pair) -> None:
    chunk = Chunk(1, "a.txt", 0, len(pair.needle), pair.needle)
    query = parse(pair.question)
    for one in (query, replace(query, english=not query.english)):
        assert isinstance(one, Query)
        found = rescore(one, [chunk], [Match(1, 1.0)], {}, 1000)
        assert found.ranked[0].why["terms"] == []
        assert found.ranked[0].score == 0


# -- the task ---------------------------------------------------------------------------------------------------------


def _cells(bench: Any, **settings: Any) -> list[Cell]:
    return list(Paraphrase(**settings).run(bench))


def test_words_alone_find_next_to_nothing(harness: Callable[..., Harness]) -> None:
    (cell,) = _cells(harness(), context=("64k",))
    assert (cell.name, cell.size, len(cell.outcomes)) == ("64k", 64_000, len(pairs()))
    assert cell.facts["haystacks"] == 2  # all of them are more than 5 % of one
    assert cell.facts["needle_share"] <= 0.05
    assert cell.notes == (WHAT,)
    assert cell.chance["recall@5"] == pytest.approx(5 / (cell.facts["passages"] / 2), rel=0.1)
    assert set(cell.outcomes[0].values) == {"recall@1", "recall@5", "recall@10", "mrr@10"}
    found = sum(outcome.values["recall@5"] for outcome in cell.outcomes)
    assert found / len(pairs()) <= 0.1


class Knowing:
    """Finds each needle: what a search by meaning would do at best."""

    facts: Mapping[str, Any] = {}
    passages = 500

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._needles = {pair.question: pair.needle for pair in pairs()}

    def search(self, question: str, k: int) -> Retrieved:
        needle = self._needles[question]
        places = [
            Place(path, text.index(needle), text.index(needle) + len(needle))
            for path, text in self._texts.items()
            if needle in text
        ]
        return Retrieved(tuple(places[:k]), 0.001)


@pytest.fixture
def knowing(
    harness: Callable[..., Harness], wrapped: Callable[..., Any], texts_of: Callable[[Path], dict[str, str]]
) -> Callable[..., Any]:
    """``knowing(seed=8)``: a bench that puts it to the test."""
    return lambda **options: wrapped(harness(**options), lambda _, corpus: Knowing(texts_of(corpus)))


def test_whoever_knows_finds_every_needle_where_the_truth_says(knowing: Callable[..., Any]) -> None:
    (cell,) = _cells(knowing(), context=("64k",))
    assert [outcome.values["recall@1"] for outcome in cell.outcomes] == [1.0] * len(pairs())
    assert all(outcome.detail["rank"] == 1 for outcome in cell.outcomes)
    by_id = {pair.id: pair for pair in pairs()}
    assert {outcome.group["subject"] for outcome in cell.outcomes} == {pair.subject for pair in pairs()}
    assert all(outcome.detail["answer"] == by_id[outcome.id].answer for outcome in cell.outcomes)
    depths = sorted(outcome.group["depth"] for outcome in cell.outcomes)
    assert (depths[0], depths[-1]) == (0, 1)


def test_fewer_pairs_are_the_same_for_the_same_seed(knowing: Callable[..., Any]) -> None:
    first, again, other = (_cells(knowing(seed=seed), context=("32k",), needles=20)[0] for seed in (7, 7, 8))
    assert first == again
    assert {one.id for one in first.outcomes} != {one.id for one in other.outcomes}
    assert "20 questions are few: mind the intervals" in first.notes


@pytest.mark.parametrize("needles", [0, -1, 1000])
def test_only_as_many_needles_as_there_are_pairs(needles: int) -> None:
    with pytest.raises(ValueError, match=f"between 1 and {len(pairs())}"):
        Paraphrase(needles=needles)


def test_a_haystack_too_small_for_one_needle_is_refused(harness: Callable[..., Harness]) -> None:
    with pytest.raises(UsageError, match="too small for a needle"):
        _cells(harness(), context=("500",))


def test_a_haystack_that_has_a_needle_already_is_refused(
    harness: Callable[..., Harness], haystack: Callable[..., Path]
) -> None:
    used = haystack(3000, [pair.needle for pair in pairs()])
    with pytest.raises(UsageError, match=r"has a needle in it already.*text\.txt"):
        _cells(harness(haystack=used), context=("20k",), needles=10)


def test_chance_is_1_for_a_k_as_large_as_the_corpus(
    harness: Callable[..., Harness], haystack: Callable[..., Path]
) -> None:
    (cell,) = _cells(harness(haystack=haystack(3000), ks=(1, 10_000)), context=("4k",), needles=5)
    assert cell.chance["recall@10000"] == 1
