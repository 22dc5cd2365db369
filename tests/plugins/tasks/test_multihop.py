"""The task multihop over real corpora: what is planted, what is measured, and what cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench import planting, tokens
from gw_core.bench.harness import Harness
from gw_core.errors import UsageError
from gw_core.plugins import EntryPoint, Plugins
from gw_core.protocols import Bench, Subject
from gw_core.schema import Origin, Setting, check_settings
from gw_core.tomlsource import parse_value
from gw_core.trial import Answered, Cell, Place, Retrieved
from gw_plugins.tasks.multihop import Multihop, cutoffs, deal
from gw_plugins.tasks.multihop_wording import FINAL, NOUNS, PHRASINGS, PLACES, QUESTIONS, SUFFIXES

SMALL = 2_800
"""Paragraphs of a haystack of about 40,000 tokens: two of 16,000, and not three."""


class Scripted:
    """Says for every question what it was told to say."""

    facts: Mapping[str, Any] = {}

    def __init__(self, passages: int, say: Callable[[str], Sequence[Place]]) -> None:
        self.passages = passages
        self._say = say

    def search(self, question: str, k: int) -> Retrieved:
        return Retrieved(tuple(self._say(question)[:k]), 0.001)

    def ask(self, question: str) -> Answered:
        raise NotImplementedError


def cells(bench: Any, **settings: Any) -> list[Cell]:
    checked: Bench = bench
    return list(Multihop(**settings).run(checked))


def mean(cell: Cell, metric: str) -> float:
    return sum(one.values[metric] for one in cell.outcomes) / len(cell.outcomes)


def test_one_search_finds_the_beginning_of_a_chain_and_not_its_end(harness: Callable[..., Harness]) -> None:
    one, three = cells(harness(needles=30), hops=(1, 3), context=("64k",))
    assert (one.name, one.size, three.name) == ("1@64k", 64_000, "3@64k")
    assert mean(one, "recall@5") == 1
    assert mean(three, "recall@5") <= 0.1
    assert all(cell.group == {"hops": 3} for cell in three.outcomes)
    assert all(outcome.detail["ranks"][0] in (1, 2, 3, 4, 5) for outcome in three.outcomes)
    assert 1 / 3 <= mean(three, "coverage@5") <= 0.45
    assert "30 questions are few" in "".join(one.notes)


def test_the_links_stand_where_the_truth_says_and_take_no_more_than_their_share(
    harness: Callable[..., Harness], wrapped: Callable[..., Any], texts_of: Callable[[Path], dict[str, str]]
) -> None:
    bench = wrapped(harness(needles=40), lambda subject, _: subject)
    (cell,) = cells(bench, hops=(4,), context=("16k",), branches=1)
    assert len(bench.truths) == cell.facts["haystacks"] > 1
    found = 0
    for corpus, truth in zip(bench.opened, bench.truths, strict=True):
        texts = texts_of(corpus)
        whole = "\n".join(texts.values())
        assert sum(map(tokens.count, texts.values())) == truth["tokens"]
        assert truth["planted"] <= planting.MOST * 16_000
        for chain in truth["chains"]:
            assert whole.count(chain["value"]) == 1
            found += len(chain["links"])
            for link in chain["links"]:
                assert texts[link["path"]][link["start"] : link["end"]] == link["text"]
                assert whole.count(link["text"]) == 1
            assert chain["value"] in chain["links"][-1]["text"]
    assert found == cell.facts["links"] == 160
    assert cell.facts["planted_tokens"] == sum(one["planted"] for one in bench.truths)


def test_a_subject_that_finds_everything_has_full_marks_and_one_that_finds_nothing_none(
    harness: Callable[..., Harness], wrapped: Callable[..., Any]
) -> None:
    def all_links(question: str) -> list[Place]:
        (chain,) = [one for truth in bench.truths for one in truth["chains"] if one["question"] == question]
        links = chain["links"][-1:] + chain["links"][:-1]
        return [Place(one["path"], max(0, one["start"] - 20), one["end"] + 20) for one in links]

    bench = wrapped(harness(needles=5), lambda subject, _: Scripted(subject.passages, all_links))
    (cell,) = cells(bench, hops=(12,), context=("16k",))
    assert mean(cell, "recall@1") == mean(cell, "mrr@10") == mean(cell, "coverage@24") == 1
    assert mean(cell, "coverage@10") == pytest.approx(10 / 12)
    assert all(outcome.detail["ranks"] == [*range(2, 13), 1] for outcome in cell.outcomes)

    bench = wrapped(harness(needles=5), lambda subject, _: Scripted(subject.passages, lambda _: []))
    (cell,) = cells(bench, hops=(12,), context=("16k",))
    assert {value for outcome in cell.outcomes for value in outcome.values.values()} == {0.0}
    assert all(outcome.detail["ranks"] == [None] * 12 for outcome in cell.outcomes)


def test_a_passage_that_cuts_a_link_has_not_found_it(
    harness: Callable[..., Harness], wrapped: Callable[..., Any]
) -> None:
    def cut(question: str) -> list[Place]:
        (chain,) = [one for truth in bench.truths for one in truth["chains"] if one["question"] == question]
        return [Place(one["path"], one["start"], one["end"] - 1) for one in chain["links"]]

    bench = wrapped(harness(needles=5), lambda subject, _: Scripted(subject.passages, cut))
    (cell,) = cells(bench, hops=(3,), context=("16k",))
    assert mean(cell, "coverage@10") == mean(cell, "recall@10") == 0


class Following:
    """Searches again and again: for the name that the last line found holds beside the one that was searched for."""

    facts: Mapping[str, Any] = {}

    def __init__(self, subject: Subject, texts: Mapping[str, str], ordinary: set[str]) -> None:
        self.passages = subject.passages
        self._subject = subject
        self._texts = texts
        self._ordinary = ordinary

    def search(self, question: str, k: int) -> Retrieved:
        places: list[Place] = []
        seen = {question}
        line = question
        for _ in range(k):
            step = next(self._steps(line, seen), None)
            if step is None:
                break
            place, line = step
            places.append(place)
            seen.add(line)
        return Retrieved(tuple(places), 0.0)

    def ask(self, question: str) -> Answered:
        raise NotImplementedError

    def _steps(self, line: str, seen: set[str]) -> Iterator[tuple[Place, str]]:
        """Lines not yet seen that hold an unusual word of ``line``."""
        for word in _UNUSUAL.findall(line):
            if word.lower() not in self._ordinary:
                for place in self._subject.search(word, 5).places:
                    found = self._texts[place.path][place.start : place.end].splitlines()
                    yield from ((place, one) for one in found if word.lower() in one.lower() and one not in seen)


_UNUSUAL = re.compile(r"[A-Za-z]+|\d{3}\.\d\d")


def test_a_search_that_goes_on_from_what_it_found_comes_to_the_end(
    harness: Callable[..., Harness], wrapped: Callable[..., Any], texts_of: Callable[[Path], dict[str, str]]
) -> None:
    plain = harness(needles=12)
    wordings = [
        "Section",
        *QUESTIONS,
        *NOUNS,
        *PLACES,
        *SUFFIXES,
        *(one for phrasing in PHRASINGS for one in phrasing.wordings),
    ]
    texts = [*(one.text for one in plain.texts(64_000)), *wordings, *(one for some in FINAL.values() for one in some)]
    ordinary = {word.lower() for text in texts for word in _UNUSUAL.findall(text)}
    bench = wrapped(plain, lambda subject, corpus: Following(subject, texts_of(corpus), ordinary))
    (cell,) = cells(bench, hops=(8,), context=("64k",))
    assert mean(cell, "recall@10") == 1
    assert mean(cell, "coverage@16") == 1


def test_coverage_has_a_cut_off_that_could_hold_the_chain() -> None:
    assert cutoffs([1, 5, 10], 3) == [1, 5, 10]
    assert cutoffs([1, 5, 10], 30) == [1, 5, 10, 60]
    assert cutoffs([1], 1) == [1, 2]


def test_chance_is_stated_for_every_metric(harness: Callable[..., Harness]) -> None:
    (cell,) = cells(harness(needles=3), hops=(9,), context=("16k",))
    passages = cell.facts["passages"]
    assert set(cell.chance) == set(cell.outcomes[0].values)
    assert cell.chance["recall@5"] == cell.chance["coverage@5"] == pytest.approx(5 / passages)
    assert cell.chance["coverage@18"] == pytest.approx(18 / passages)
    assert cell.chance["mrr@10"] == pytest.approx(sum(1 / rank for rank in range(1, 11)) / passages)


def test_chance_is_1_for_a_k_as_large_as_the_corpus(harness: Callable[..., Harness]) -> None:
    (cell,) = cells(harness(needles=2, ks=(1, 5000)), hops=(2,), context=("8k",))
    assert cell.chance["recall@5000"] == 1


def test_the_same_seed_asks_the_same_and_another_one_does_not(harness: Callable[..., Harness], tmp_path: Path) -> None:
    def asked(**options: Any) -> list[tuple[str, str, Any]]:
        (cell,) = cells(harness(needles=6, **options), hops=(3,), context=("16k",))
        return [(one.id, one.question, one.detail) for one in cell.outcomes]

    assert asked() == asked()
    assert asked(seed=7) == asked()
    assert {one[1] for one in asked(seed=8)} != {one[1] for one in asked()}
    assert len({one[0] for one in asked()}) == 6


def test_chains_are_dealt_out_evenly_over_as_few_haystacks_as_hold_them() -> None:
    assert deal([100] * 4, 3, 8_000) == [range(4)]
    assert [len(one) for one in deal([100] * 5, 3, 8_000)] == [3, 2]
    uneven = deal([300, 10, 300, 10], 3, 8_000)
    assert sorted(at for share in uneven for at in share) == [0, 1, 2, 3]
    assert all(sum([300, 10, 300, 10][at] for at in share) <= 400 for share in uneven)


def test_chains_that_nothing_was_said_of_are_as_many_as_there_is_text_for(
    harness: Callable[..., Harness], haystack: Callable[..., Path]
) -> None:
    (cell,) = cells(harness(haystack=haystack(SMALL)), hops=(8,), context=("16k",))
    assert 0 < len(cell.outcomes) < 200
    assert cell.facts["haystacks"] == 2
    assert any("instead of 200" in note for note in cell.notes)


def test_asking_for_far_more_questions_than_there_is_text_for_asks_what_there_is(
    harness: Callable[..., Harness], wrapped: Callable[..., Any], haystack: Callable[..., Path]
) -> None:
    bench = harness(haystack=haystack(SMALL), needles=10**9)
    (cell,) = cells(
        wrapped(bench, lambda subject, _: Scripted(subject.passages, lambda _: [])), context=("16k",), hops=(8,)
    )
    assert 5 < len(cell.outcomes) < 50


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hops": (0,)}, "hops must be 1 or more, not 0"),
        ({"hops": ()}, "none at all"),
        ({"chains": 0}, "chains must be 1 or more"),
        ({"branches": -1}, "branches must be 0 or more"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Multihop(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hops": (3, 60)}, "a chain of 60 hops takes .* more than 5% of a haystack of 16k"),
        ({"hops": (10**12,)}, "a chain of 1000000000000 hops takes .* more than 5% of a haystack of 16k"),
        ({"branches": 10**12}, "a chain of 3 hops takes .* more than 5%"),
        ({"chains": 50}, "50 chains of 3 hops need 4 haystacks: the haystack has"),
        ({"chains": 10**12}, "1000000000000 chains of 3 hops need .* haystacks: the haystack has"),
        ({"context": ("16k", "9m")}, "the haystack has"),
    ],
)
def test_more_than_fits_is_refused_before_anything_is_measured(
    harness: Callable[..., Harness],
    wrapped: Callable[..., Any],
    haystack: Callable[..., Path],
    settings: dict[str, Any],
    message: str,
) -> None:
    def never(subject: Subject, corpus: Path) -> Subject:
        raise AssertionError("something was measured")

    bench = wrapped(harness(haystack=haystack(SMALL)), never)
    with pytest.raises(UsageError, match=message) as raised:
        cells(bench, **{"hops": (3,), "context": ("16k",), **settings})
    assert raised.value.hint


def test_twice_the_same_size_or_length_is_one_cell(harness: Callable[..., Harness]) -> None:
    found = cells(harness(needles=2), hops=(2, 2), context=("16k", "16000"))
    assert [cell.name for cell in found] == ["2@16k"]


def test_it_is_registered_and_takes_its_settings_as_they_are_typed() -> None:
    plugins = Plugins([EntryPoint("tasks.multihop", "gw_plugins.tasks.multihop", "gw-toolkit")])
    factory = plugins.registry("tasks").get("multihop").load()
    typed = {"hops": "3,8", "context": "64k,1m", "chains": "100", "branches": "2"}
    settings = {
        name: Setting(parse_value(text), Origin("flag", text=f"--{name} {text}"), text) for name, text in typed.items()
    }
    task = factory(**check_settings(factory, settings, section="tasks.multihop"))
    assert str(task.identity) == "multihop@1(branches=2,chains=100,context=('64k', '1m'),hops=(3, 8))"
    with pytest.raises(UsageError, match="chains must be 1 or more"):
        check_settings(factory, {"chains": Setting(0)}, section="tasks.multihop")
