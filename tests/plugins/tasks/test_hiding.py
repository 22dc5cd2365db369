"""What tasks that hide sentences have in common: sizes, the order of the work, chance, notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench import planting
from gw_core.bench.harness import Harness
from gw_core.errors import UsageError
from gw_core.trial import Outcome, Place, SourceText
from gw_plugins.tasks import hiding
from gw_plugins.tasks.hiding import Corpus, Hidden, Portion
from gw_plugins.tasks.multihop import Multihop
from gw_plugins.tasks.needle import Needle
from gw_plugins.tasks.paraphrase import Paraphrase
from gw_plugins.tasks.unanswerable import Unanswerable


@dataclass(frozen=True)
class Stated:
    id: str

    @property
    def needle(self) -> str:
        return f"The keeper of hall {self.id} is called {self.answer}."

    @property
    def question(self) -> str:
        return f"Who keeps hall {self.id}?"

    @property
    def answer(self) -> str:
        return f"Zumbaro{self.id}"


NEEDLES = [Stated(str(number)) for number in range(30)]
DEPTHS = [number / 29 for number in range(30)]


@pytest.mark.parametrize("task", [Multihop, Needle, Paraphrase, Unanswerable])
@pytest.mark.parametrize(
    ("context", "message"),
    [((), "context needs a size"), (("much",), "'much' is not a number of tokens"), (("0",), "no tokens at all")],
)
def test_contexts_that_are_none_are_refused(task: Callable[..., Any], context: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        task(context=context)


def test_a_size_that_comes_twice_is_one() -> None:
    assert hiding.sizes_of(("64k", "1m", "64000")) == (64_000, 1_000_000)


def test_the_size_that_takes_the_most_text_is_made_first_and_every_needle_goes_into_one_haystack_of_it() -> None:
    made: list[Portion[Stated]] = []

    def hide(portion: Portion[Stated]) -> Corpus[Stated]:
        made.append(portion)
        return Corpus(Path(str(len(made))), (), portion.size)

    corpora = hiding.hide_all((2_000, 64_000, 4_000), NEEDLES, DEPTHS, hide)
    takes = [one.size * one.haystacks for one in made]
    assert takes == sorted(takes, reverse=True)
    assert len(set(takes)) == 3
    for size, of_size in corpora.items():
        portions = [one for one in made if one.size == size]
        assert [one.number for one in portions] == list(range(len(of_size)))
        assert {one.haystacks for one in portions} == {len(of_size)}
        assert [needle for one in portions for needle in one.needles] == NEEDLES
        assert [depth for one in portions for depth in one.depths] == DEPTHS
        assert all(planting.size_of([one.needle for one in portion.needles]) <= size * 0.05 for portion in portions)
    assert len(corpora[2_000]) > len(corpora[4_000]) > len(corpora[64_000]) == 1


def test_a_needle_that_is_too_large_for_one_size_keeps_all_from_being_made() -> None:
    with pytest.raises(UsageError, match="too small for a needle"):
        hiding.hide_all((64_000, 100), NEEDLES, DEPTHS, lambda portion: pytest.fail(f"made {portion.size}"))


def test_a_needle_is_hidden_where_it_is_said_to_be_and_what_stands_beside_it_is_not_asked_for(
    harness: Callable[..., Harness], haystack: Callable[..., Path], texts_of: Callable[[Path], dict[str, str]]
) -> None:
    bench = harness(haystack=haystack(2_000))
    portion = Portion(16_000, 0, 1, tuple(NEEDLES[:5]), (0.0, 0.25, 0.5, 0.75, 1.0))
    seen: list[SourceText] = []
    corpus = hiding.hide(
        bench,
        portion.key("some", "1"),
        portion,
        check=seen.extend,
        beside=lambda: [("Nobody keeps the yard.", 0.3)],
    )
    texts = texts_of(corpus.folder)
    assert [texts[one.place.path][one.place.start : one.place.end] for one in corpus.hidden] == [
        one.needle for one in NEEDLES[:5]
    ]
    assert [(one.needle, one.depth) for one in corpus.hidden] == list(zip(portion.needles, portion.depths, strict=True))
    assert "Nobody keeps the yard." in "".join(texts.values())
    assert corpus.tokens == hiding.tokens_in(seen)

    cell = hiding.cell(
        bench,
        16_000,
        [corpus],
        lambda subject, hidden: hiding.search_for(subject, (1, 5), hidden, {"kind": "hall"}, {"why": "because"}),
        facts={"halls": 5},
        notes=["first"],
    )
    assert [one.values["recall@5"] for one in cell.outcomes] == [1.0] * 5
    assert [one.group for one in cell.outcomes] == [{"depth": depth, "kind": "hall"} for depth in portion.depths]
    for one, hidden in zip(cell.outcomes, corpus.hidden, strict=True):
        assert one.detail["expected"] == hiding.expected(hidden)
        assert one.detail["why"] == "because"
    assert (cell.name, cell.facts["halls"], cell.facts["needles"], cell.notes[0]) == ("16k", 5, 5, "first")


def test_names_and_sentences_that_stand_in_a_haystack_are_refused() -> None:
    texts = [SourceText("a.txt", "Nothing here."), SourceText("b.txt", "Here is Zumbaro-4, a name.")]
    hiding.check_names(texts, {"Zumbar", "Umbaro"})  # no word of it is one
    with pytest.raises(UsageError, match=r"'Zumbaro' stands in b\.txt") as names:
        hiding.check_names(texts, {"Zumbaro", "Kalimda"})
    hiding.check_sentences(texts, ["Here is Zumbaro-5"])
    with pytest.raises(UsageError, match=r"'Here is Zumbaro-4'\.\.\. stands in b\.txt") as sentences:
        hiding.check_sentences(texts, ["Here is Zumbaro-4"])
    assert "--seed" in names.value.hint
    assert "--haystack" in sentences.value.hint


def test_each_corpus_is_asked_its_questions_and_progress_counts_all_of_them(
    harness: Callable[..., Harness], wrapped: Callable[..., Any], haystack: Callable[..., Path]
) -> None:
    folder = haystack(100)
    steps: list[tuple[str, int, int]] = []
    bench = wrapped(harness(), lambda subject, _: subject)
    bench.step = lambda *step: steps.append(step)
    asked = hiding.ask_all(
        bench, "all", [(folder, ["a", "b"]), (folder, ["c"])], lambda _, question: Outcome(question, question, {})
    )
    assert [one.id for one in asked.outcomes] == ["a", "b", "c"]
    assert asked.candidates == (asked.passages[0], asked.passages[0], asked.passages[1])
    assert steps == [("asking all", done, 3) for done in range(4)]


def test_chance_is_the_mean_over_questions_each_among_the_passages_of_its_haystack() -> None:
    chance = hiding.mean_chance([hiding.chance_of_one((1, 4), passages) for passages in (4, 8, 8, 8)])
    assert chance["recall@1"] == pytest.approx((1 / 4 + 3 / 8) / 4)
    assert chance["recall@4"] == pytest.approx((1 + 3 / 2) / 4)
    ranks = [sum(1 / rank for rank in range(1, some + 1)) / some for some in (4, 8)]
    assert chance["mrr@10"] == pytest.approx((ranks[0] + 3 * ranks[1]) / 4)
    assert hiding.chance_of_one((1,), 20)["mrr@10"] == pytest.approx(sum(1 / rank for rank in range(1, 11)) / 20)


def test_a_place_is_scored_by_where_it_was_found() -> None:
    wanted = Place("a.txt", 10, 20)
    found = [Place("a.txt", 11, 30), Place("a.txt", 0, 20)]
    assert hiding.values_of(found, wanted, (1, 2)) == {"recall@1": 0.0, "recall@2": 1.0, "mrr@10": 0.5}
    assert hiding.expected(Hidden(NEEDLES[0], 0.5, wanted))["start"] == 10


def test_what_is_noted() -> None:
    assert list(hiding.few_notes(99, "needles")) == ["99 needles are few: mind the intervals"]
    assert not list(hiding.few_notes(100, "needles"))
    assert not list(hiding.few_notes(30, "questions of each kind", 30))
