"""The bench task ``unanswerable``: does gw refuse what its corpus cannot answer, and only that?

Ordinary questions whose every content word occurs in a haystack while none of their answers does, mixed with as many
that a sentence hidden in it answers. Refusing is right on the former and wrong on the latter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

from gw_core.bench import metrics, planting, tokens
from gw_core.errors import UsageError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Subject, Task
from gw_core.schema import Help, Range
from gw_core.trial import Answered, Cell, Outcome, SourceText
from gw_plugins.tasks import hiding
from gw_plugins.tasks.everyday import Question, questions, read_data, sort
from gw_plugins.tasks.hiding import Hidden
from gw_plugins.tasks.needle_wording import Fact, facts

VERSION = "1"
FEW = 30
"""Fewer questions of a kind than this are said to be few."""
WHAT = (
    "every content word of an unanswerable question occurs in the haystack and none of its answers does; as many "
    "questions are answered by sentences hidden there"
)

ANSWERABLE, UNANSWERABLE = "answerable", "unanswerable"


@dataclass(frozen=True, slots=True)
class _Corpus:
    """A haystack with facts in it, the questions it cannot answer, and why it is asked no more of these."""

    folder: Path
    facts: tuple[Hidden[Fact], ...]
    questions: tuple[Question, ...]
    counts: Mapping[str, int]


class Unanswerable:
    """Questions that a haystack cannot answer, and as many that it can: one cell for each size of ``context``.

    ``needles`` is the number of each kind. There are fewer where fewer of the packaged questions suit the haystack, or
    where the facts would be more than 5 % of it.
    """

    examples = (
        "gw bench unanswerable --context 256k",
        "gw bench unanswerable -o ask.threshold=0.5",
    )

    def __init__(
        self,
        *,
        context: hiding.Context = ("256k", "1m"),
        needles: Annotated[int | None, Range(1), Help("questions of each kind, in each cell")] = None,
    ) -> None:
        most = len(questions())
        if needles is not None and not 1 <= needles <= most:
            raise ValueError(f"needles must be between 1 and {most}, which are all questions there are, not {needles}")
        self._sizes = hiding.sizes_of(context)
        self._needles = needles
        settings = {"context": tuple(map(tokens.name_of, self._sizes)), "needles": needles}
        self.identity = Identity("unanswerable", VERSION, settings)

    def run(self, bench: Bench) -> Iterator[Cell]:
        wanted = bench.needles if self._needles is None else self._needles
        if wanted < 1:
            raise UsageError(f"needles must be 1 or more, not {wanted}")
        wanted = min(wanted, len(questions()))
        # All corpora first, the largest ones before the others: where there is not text enough, nothing is measured.
        hidden = {size: self._hidden(bench, size, wanted) for size in sorted(self._sizes, reverse=True)}
        for size in self._sizes:
            yield self._cell(bench, size, wanted, hidden[size])

    def _hidden(self, bench: Bench, size: int, wanted: int) -> _Corpus:
        made = facts(_most(size, facts(wanted, str(bench.seed))), str(bench.seed))
        drawn = list(questions())
        planting.seeded(bench.seed, "unanswerable").shuffle(drawn)
        key = {
            "task": "unanswerable",
            "version": VERSION,
            "tokens": size,
            "facts": hiding.digest("\n".join(fact.needle for fact in made)),
            "questions": hiding.digest(read_data()),
        }
        folder, truth = bench.corpus(key, lambda: _build(bench, size, made, drawn))
        by_id = {one.id: one for one in drawn}
        places = hiding.from_rows(truth["places"])
        return _Corpus(
            folder,
            tuple(map(Hidden, made, _depths(bench, len(places)), places)),
            tuple(by_id[one] for one in truth["questions"]),
            truth["counts"],
        )

    def _cell(self, bench: Bench, size: int, wanted: int, corpus: _Corpus) -> Cell:
        name = tokens.name_of(size)
        number = len(corpus.questions)
        # In turn, as somebody would meet them.
        mixed = [one for pair in zip(corpus.facts, corpus.questions, strict=True) for one in pair]
        asked = hiding.ask_all(bench, name, [(corpus.folder, mixed)], _outcome)
        return Cell(
            name,
            outcomes=asked.outcomes,
            chance={"abstention_precision": 0.5},
            size=size,
            facts={**corpus.counts, "passages": sum(asked.passages), ANSWERABLE: number, UNANSWERABLE: number},
            notes=_notes(number, wanted, corpus.counts["suitable"]),
        )


def _most(size: int, made: Sequence[Fact]) -> int:
    """How many of the facts, from the first on, are no more than the needles' share of a haystack.

    Raises UsageError where not one is.
    """
    planting.shares([made[0].needle], size)
    costs = accumulate(planting.size_of([fact.needle]) for fact in made)
    return sum(cost <= int(size * planting.MOST) for cost in costs)


def _build(
    bench: Bench, size: int, made: Sequence[Fact], drawn: Sequence[Question]
) -> tuple[list[SourceText], dict[str, Any]]:
    """A haystack with as many facts in it as questions are found that it can't answer, and what is asked of it."""
    texts = bench.texts(size)
    hiding.check_names(texts, {fact.word for fact in made})
    found = sort(drawn, [one.text for one in texts], [fact.needle for fact in made])
    if not found.unanswerable:
        raise UsageError(
            f"none of {len(drawn)} questions suits this haystack of {tokens.name_of(size)} tokens: "
            f"{len(found.unknown)} have a word that does not occur in it, {len(found.answered)} an answer that does",
            hint="ask for more text, such as --context 1m, or for other text with --haystack FOLDER",
        )
    asked = found.unanswerable[: len(made)]
    hidden = made[: len(asked)]
    depths = _depths(bench, len(hidden))
    planted, places = planting.plant(texts, [(fact.needle, at) for fact, at in zip(hidden, depths, strict=True)])
    return planted, {
        "questions": [one.id for one in asked],
        "places": hiding.as_rows(places),
        "counts": {
            "tokens": hiding.tokens_in(texts),
            "questions": len(drawn),
            "suitable": len(found.unanswerable),
            "left_out_unknown_word": len(found.unknown),
            "left_out_answer_there": len(found.answered),
        },
    }


def _depths(bench: Bench, number: int) -> list[float]:
    return planting.depths(number, planting.seeded(bench.seed, "unanswerable", "depths"))


def _outcome(subject: Subject, asked: Hidden[Fact] | Question) -> Outcome:
    return _unanswerable(subject, asked) if isinstance(asked, Question) else _answerable(subject, asked)


def _answerable(subject: Subject, hidden: Hidden[Fact]) -> Outcome:
    fact = hidden.needle
    said = subject.ask(fact.question)
    values = metrics.abstention_values(answerable=True, refused=said.abstained)
    values["answer_contains"] = 0.0 if said.abstained else metrics.answer_contains(said.text, [fact.answer])
    detail = {"expected": hiding.expected(hidden), "answer": fact.answer, **_said(said)}
    return Outcome(fact.id, fact.question, values, said.seconds, {"category": ANSWERABLE}, detail)


def _unanswerable(subject: Subject, question: Question) -> Outcome:
    said = subject.ask(question.text)
    values = metrics.abstention_values(answerable=False, refused=said.abstained)
    detail = {"subject": question.subject, "true_answers": list(question.answers), **_said(said)}
    return Outcome(question.id, question.text, values, said.seconds, {"category": UNANSWERABLE}, detail)


def _said(answer: Answered) -> dict[str, Any]:
    """What was answered, and where that stands: nothing of it where the question was refused."""
    if answer.abstained:
        return {"abstained": True}
    return {
        "abstained": False,
        "said": answer.text,
        "value": answer.value,
        "grounding": answer.grounding,
        "cited": [hiding.plain(one) for one in answer.places],
    }


def _notes(number: int, wanted: int, suitable: int) -> tuple[str, ...]:
    notes = [WHAT]
    if number < wanted:
        share = f"the sentences that answer the others may be {planting.MOST:.0%} of a haystack at most"
        why = share if number < suitable else "no more suit this haystack"
        notes.append(f"{number} questions of each kind instead of {wanted}: {why}")
    return (*notes, *hiding.few_notes(number, "questions of each kind", FEW))


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "unanswerable",
        "gw_plugins.tasks.unanswerable:Unanswerable",
        help="ordinary questions that a text cannot answer, among those that it can: are the right ones refused?",
    )
