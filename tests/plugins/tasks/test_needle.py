"""The needle task: facts that have one answer, hidden once, and scored by whether they are found again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gw_core.bench.harness import Harness, Trial
from gw_core.bench.metrics import answer_contains
from gw_core.bench.stats import chance_of_hit
from gw_core.errors import UsageError
from gw_core.text.fold import fold
from gw_core.text.stem import stems
from gw_core.trial import Cell
from gw_plugins.tasks.needle import Needle
from gw_plugins.tasks.needle_wording import _FIRST, _LAST, _MIDDLE, MOST, TEMPLATES, distractors, facts

MakeHarness = Callable[..., Harness]


@pytest.fixture
def harness(harness: MakeHarness, tmp_path: Path) -> MakeHarness:
    """With a cache for each test, to see what it makes."""
    return partial(harness, cache=tmp_path / "cache")


def run(harness: Harness, **settings: Any) -> list[Cell]:
    return harness.run(Trial("needle", "needle", Needle(**settings)))


# --- the facts --------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.text(max_size=5), st.integers(1, 80))
def test_every_fact_has_one_answer_that_stands_in_it_once_and_a_name_of_its_own(seed: str, number: int) -> None:
    made = facts(number, seed)
    assert len({fact.id for fact in made}) == len({fact.word for fact in made}) == len(made) == number
    for fact in made:
        assert fact.needle.count(fact.answer) == fact.needle.count(fact.name) == fact.question.count(fact.name) == 1
        assert fact.answer not in fact.question
        assert not [other for other in made if other is not fact and fact.word in other.question]
        assert answer_contains(fact.needle, [fact.answer]) == 1
    assert facts(number // 2, seed) == made[: number // 2]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, len(TEMPLATES) - 1), st.integers(0, 300))
def test_distractors_share_topic_and_prefix_and_answer_something_else(seed: int, kind: int, number: int) -> None:
    fact = facts(len(TEMPLATES), str(seed))[kind]
    beside = distractors(fact, number, str(seed))
    assert len(set(beside)) == len(beside) == number
    for sentence in beside:
        assert fact.word in sentence
        assert f"{fact.name} " not in sentence
        assert fact.needle not in sentence
        assert fact.answer not in sentence
        assert fact.needle.split()[0] == sentence.split()[0]


def test_a_numbered_name_has_neighbours_that_begin_as_it_does() -> None:
    fact = next(fact for fact in facts(1, "7") if "-" in fact.name)
    word, number = fact.name.split("-")
    names = [sentence.split("station ")[1].split()[0] for sentence in distractors(fact, 40, "7")]
    for near in (number[:2], number + "0", str(int(number) + 1), str(int(number) - 1)):
        assert f"{word}-{near}" in names


def test_a_question_shares_words_with_its_needle_as_an_ordinary_question_does() -> None:
    made = facts(len(TEMPLATES), "7")
    assert len({fact.kind for fact in made}) == len(TEMPLATES) >= 12
    for fact in made:
        name = set(stems(fold(fact.name).split()))
        shared = set(stems(fold(fact.needle).split())) & set(stems(fold(fact.question).split()))
        content = {word for word in shared - name if len(word) > 3}
        assert name <= shared
        assert len(content) >= 2, fact.question


def test_no_two_made_up_words_are_one_to_the_index() -> None:
    words = [first + middle + last for first in _FIRST for middle in _MIDDLE for last in _LAST]
    folded = fold(" ".join(words)).split()
    assert len(set(stems(folded))) == len(folded) == len(words) == 2 * MOST


# --- the task ---------------------------------------------------------------------------------------------------------


def test_needles_are_found_again_and_said_where_they_stood(harness: MakeHarness) -> None:
    [small, large] = run(harness(), context=("8k", "32k"), needles=40)
    assert [(cell.name, cell.size) for cell in (small, large)] == [("8k", 8_000), ("32k", 32_000)]
    assert [small.facts["haystacks"], large.facts["haystacks"]] == [3, 1]
    for cell in (small, large):
        assert len(cell.outcomes) == cell.facts["needles"] == 40
        assert 0.9 * cell.size * cell.facts["haystacks"] < cell.facts["tokens"] <= cell.size * cell.facts["haystacks"]
        assert 0 < cell.facts["needle_share"] <= 0.05 * cell.size * cell.facts["haystacks"] / cell.facts["tokens"]
        assert {round(one.values["recall@10"]) for one in cell.outcomes} == {1}
        assert sorted(one.group["depth"] for one in cell.outcomes) == pytest.approx(
            [at / 39 for at in range(40)], abs=1e-4
        )
    assert [one.id for one in small.outcomes] == [one.id for one in large.outcomes]
    assert [one.question for one in small.outcomes] == [one.question for one in large.outcomes]


def test_what_is_expected_stands_once_in_the_files_that_were_searched(
    harness: MakeHarness, tmp_path: Path, texts_of: Callable[[Path], dict[str, str]]
) -> None:
    [cell] = run(harness(), context=("32k",), needles=12, distractors=9)
    [folder] = (tmp_path / "cache").glob("*/files")
    files = texts_of(folder)
    whole = "\0".join(files.values())
    for one in cell.outcomes:
        expected = one.detail["expected"]
        assert files[expected["path"]][expected["start"] : expected["end"]] == expected["text"]
        assert whole.count(expected["text"]) == 1
        assert expected["text"].count(one.detail["answer"]) == 1
    made = facts(12, "7")
    assert cell.facts["distractors"] == 12 * 9 == sum(whole.count(fact.word) for fact in made) - 12


def test_a_hit_is_a_passage_that_holds_the_whole_needle(harness: MakeHarness) -> None:
    [cell] = run(harness(ks=(1, 5)), context=("32k",), needles=20, distractors=30)
    for one in cell.outcomes:
        rank = one.detail["rank"]
        assert one.values["recall@5"] == float(rank is not None and rank <= 5)
        assert one.values["mrr@10"] == (1 / rank if rank else 0)
        assert len(one.detail["found"]) == 3
        if rank == 1:
            first, expected = one.detail["found"][0], one.detail["expected"]
            assert first["path"] == expected["path"]
            assert first["start"] <= expected["start"] < expected["end"] <= first["end"]


def test_chance_is_that_of_drawing_passages_blindly(harness: MakeHarness) -> None:
    [cell] = run(harness(ks=(1, 7)), context=("32k",), needles=20)
    assert cell.chance["recall@7"] == pytest.approx(chance_of_hit(1, cell.facts["passages"], 7))
    assert cell.chance["mrr@10"] == pytest.approx(sum(1 / rank for rank in range(1, 11)) / cell.facts["passages"])


def test_chance_is_1_for_a_k_as_large_as_the_corpus(harness: MakeHarness) -> None:
    [cell] = run(harness(ks=(1, 5_000)), context=("2k",), needles=2)
    assert cell.chance["recall@5000"] == 1
    assert "2 needles are few: mind the intervals" in cell.notes


def test_a_second_run_finds_its_corpora_made_and_says_the_same(
    harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(harness(), context=("8k",), needles=30)
    again = harness()
    monkeypatch.setattr(type(again), "texts", lambda *_: pytest.fail("the corpus is made already"))
    second = run(again, context=("8k",), needles=30)
    assert [(one.id, one.values, one.detail) for one in first[0].outcomes] == [
        (one.id, one.values, one.detail) for one in second[0].outcomes
    ]


def test_another_seed_hides_other_needles(harness: MakeHarness) -> None:
    questions = [
        {one.question for one in run(harness(seed=seed), context=("8k",), needles=9)[0].outcomes} for seed in (1, 2)
    ]
    assert not questions[0] & questions[1]


def test_asking_scores_the_answers(harness: MakeHarness) -> None:
    [cell] = run(harness(), context=("8k",), needles=16, ask=True)
    for one in cell.outcomes:
        said = one.detail["said"]
        assert one.values["answered"] == float(not said["abstained"])
        assert one.values["answer_contains"] >= one.values["answer_exact"]
        assert one.values["answer_contains"] <= one.values["answered"]
        assert ("citations_verified" in one.values) == (not said["abstained"])
        assert one.values.get("citations_verified", 1) == 1
    assert sum(one.values["answer_contains"] for one in cell.outcomes) >= 8


# --- what cannot be measured ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"needles": 0}, "needles must be between 1 and"),
        ({"needles": MOST + 1}, "needles must be between 1 and"),
        ({"distractors": -1}, "distractors must be between 0 and"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Needle(**settings)
    assert "\n" not in str(caught.value)


def test_no_needles_at_all_are_refused(harness: MakeHarness) -> None:
    with pytest.raises(UsageError, match="needles must be between 1 and"):
        run(harness(needles=0), context=("8k",))


def test_a_haystack_smaller_than_its_needles_is_refused_before_anything_is_made(
    harness: MakeHarness, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="a haystack of 100 tokens is too small for a needle") as caught:
        run(harness(), context=("8k", "100"), needles=10)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").glob("*/files"))


def test_a_haystack_with_too_little_text_is_refused_before_anything_is_asked(
    harness: MakeHarness, haystack: Callable[..., Path]
) -> None:
    bench = harness(haystack=haystack(2_000))
    with pytest.raises(UsageError, match=r"the haystack has .* tokens, not 1m"):
        run(bench, context=("8k", "1m"), needles=10)
    assert bench.spent.asking == 0
    assert len(run(bench, context=("8k",), needles=10)[0].outcomes) == 10


def test_a_haystack_that_another_benchmark_made_is_refused(harness: MakeHarness, haystack: Callable[..., Path]) -> None:
    used = haystack(2_000, [facts(3, "7")[2].needle])
    with pytest.raises(UsageError, match=r"the haystack has a needle in it already.*text\.txt"):
        run(harness(haystack=used), context=("8k",), needles=10)
