"""The bench task ``golden``: questions with known answers over somebody's own corpus.

A golden set (:mod:`gw_core.bench.golden`) or a folder in BEIR's layout (:mod:`gw_core.bench.beir`). Where an entry
quotes, a passage is right that contains the whole of a quote; else the ranking is that of distinct documents, each at
the rank of its best passage, and what is right is the document.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Annotated, Any

from gw_core.bench import beir, golden, golden_check, metrics, stats
from gw_core.bench.golden_entry import Problem, short
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Subject, Task
from gw_core.query import parse
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Outcome, Place, Retrieved

VERSION = "1"
FEW = 100
"""Fewer questions than this are said to be few."""

_DEPTH = metrics.DEPTH
_A_DOCUMENT = 5  # passages that are asked for, to begin with, for each document that is wanted
_MOST = 1000  # passages that are asked for to see enough documents
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as it is scored: by ``places`` if there are any, else by ``grades`` of documents."""

    id: str
    text: str
    group: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    abstain: bool = False


@dataclass(frozen=True, slots=True)
class Set:
    """A set that is ready to be asked."""

    name: str
    folder: Path
    paths: tuple[Path, ...]
    questions: tuple[Asked, ...]
    facts: Mapping[str, Any]
    notes: tuple[str, ...] = ()


class Golden:
    """Questions of your own, over your own corpus: a golden set, or a folder in BEIR's layout.

    A golden set whose entries expect answers, or none, is answered too, unless ``ask`` says otherwise. ``limit`` takes
    some of the questions, drawn by the seed.
    """

    examples = (
        "gw bench golden my-questions.yaml",
        "gw bench golden my-questions.yaml --check",
        "gw bench golden datasets/scifact --split test",
    )

    def __init__(
        self,
        file: Annotated[Path, Help("a golden file, or a folder in BEIR's layout")],
        *,
        split: Annotated[str | None, Help("judgments of a BEIR folder; test, or the only ones, unless said")] = None,
        ask: Annotated[bool | None, Help("whether to have the questions answered; if answers are known")] = None,
        limit: Annotated[int | None, Range(1), Help("how many questions, drawn from all")] = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit must be 1 or more, not {limit}")
        self._file = Path(file)
        self._is_beir = os.path.isdir(self._file)  # noqa: PTH112 - a name may be too long to be one
        if self._is_beir and not beir.is_beir(self._file):
            raise ValueError(f"{str(file)!r} is a folder without corpus.jsonl: neither a golden file nor a collection")
        if split is not None and not self._is_beir:
            raise ValueError("split is for a folder in BEIR's layout")
        self._split = split
        self._ask = ask
        self._limit = limit
        settings = {"split": split, "ask": ask, "limit": limit}
        self.identity = Identity("golden", VERSION, settings)

    def check(self, bench: Bench) -> list[Problem]:
        """All broken judgments, as ``gw bench golden --check`` lists them."""
        if self._is_beir:
            notes = beir.load(self._file, self._split).notes
            return [Problem("", 0, note, level="warning", file=str(self._file)) for note in notes]
        found = golden.read(self._file)
        with bench.workspace(found.root) as workspace:
            return golden_check.check(found, workspace)

    def run(self, bench: Bench) -> Iterator[Cell]:
        chosen = self._collection(bench) if self._is_beir else self._golden(bench)
        questions = _sample(chosen.questions, self._limit, bench.seed)
        known = any(one.answers or one.abstain for one in questions)
        ask = known if self._ask is None else self._ask
        outcomes: list[Outcome] = []
        chances: list[Mapping[str, float]] = []
        with bench.open(chosen.folder, chosen.paths) as subject:
            documents = int(subject.facts.get("documents") or subject.passages)
            for question in questions:
                bench.step(f"asking {chosen.name}", len(outcomes), len(questions))
                outcomes.append(_outcome(bench, subject, question, ask))
                chances.append(_chance(question, subject.passages, documents, bench.ks))
            facts = {**subject.facts, **chosen.facts}
        bench.step(f"asking {chosen.name}", len(questions), len(questions))
        facts |= {"questions": len(questions), "unanswerable": sum(one.abstain for one in questions)}
        notes = [*chosen.notes]
        if len(questions) < FEW:
            notes.append(f"{len(questions)} questions are few: mind the intervals")
        yield Cell(chosen.name, tuple(outcomes), chance=_mean(chances), facts=facts, notes=tuple(notes))

    # -- what is asked ------------------------------------------------------------------------------------------

    def _golden(self, bench: Bench) -> Set:
        """Raises UsageError for the first broken judgment: figures over a broken set would mean nothing."""
        found = golden.load(self._file)
        with bench.workspace(found.root) as workspace:
            located = golden_check.locate(found, workspace)
            paths = golden_check.corpus_paths(found.path, found.root, found.paths, workspace.pipeline.corpus)
        golden.raise_first(found.path, located.problems)
        asked = tuple(
            Asked(
                one.id,
                one.text,
                _group(one.category, one.abstain),
                located.places[one.id],
                one.documents,
                one.answers,
                one.abstain,
            )
            for one in found.questions
        )
        warned = sum(one.level == "warning" for one in located.problems)
        notes = (f"{warned} judgments look wrong: gw bench golden {found.path.name} --check",) if warned else ()
        return Set(found.name, found.root, paths, asked, {"golden_sha256": found.sha256}, notes)

    def _collection(self, bench: Bench) -> Set:
        found = beir.load(self._file, self._split)
        key = {"task": "golden", "version": VERSION, "corpus": found.corpus_sha256}
        folder, _ = bench.corpus(key, lambda: (found.texts(), {}))
        asked = []
        for one in found.questions:
            grades = {found.documents[ident]: grade for ident, grade in one.grades.items()}
            asked.append(Asked(one.id, one.text, grades=grades))
        wordless = sum(not parse(one.text).terms for one in asked)
        notes = (*found.notes, f"{wordless} queries have no word to search for: missed") if wordless else found.notes
        return Set(found.name, folder, (), tuple(asked), {"golden_sha256": found.sha256, "split": found.split}, notes)


def _sample(questions: Sequence[Asked], limit: int | None, seed: int) -> Sequence[Asked]:
    """``limit`` of the questions, in their order: the same for the same seed, and a mix of all kinds."""
    if limit is None or limit >= len(questions):
        return questions
    chosen = Random(f"golden {seed}").sample(range(len(questions)), limit)  # noqa: S311 - repeatable, not secret
    return [questions[at] for at in sorted(chosen)]


def _group(category: str, abstain: bool) -> dict[str, Any]:
    category = category or ("unanswerable" if abstain else "")
    return {"category": category} if category else {}


# -- scoring --------------------------------------------------------------------------------------------------------


def _outcome(bench: Bench, subject: Subject, question: Asked, ask: bool) -> Outcome:
    values: dict[str, float] = {}
    detail: dict[str, Any] = {}
    seconds: float | None = None
    if question.places or any(grade > 0 for grade in question.grades.values()):
        found, values = _retrieval(bench.ks, subject, question)
        seconds = found.seconds
        detail["expected"] = [_shown(one) for one in question.places] or _relevant(question)
        detail["found"] = [_shown(one) for one in found.places[:_SHOWN]]
    if ask:
        answered, said = _answer(subject, question)
        values |= answered
        detail |= said
    return Outcome(question.id, question.text, values, seconds, question.group, detail)


def _retrieval(ks: Sequence[int], subject: Subject, question: Asked) -> tuple[Retrieved, dict[str, float]]:
    depth = max(*ks, _DEPTH)
    if not parse(question.text).terms:
        return Retrieved((), 0.0), metrics.ranking_values([], question.grades or {"": 1}, ks, _DEPTH)
    if question.places:
        found = subject.search(question.text, depth)
        return found, metrics.place_values(found.places, question.places, ks, _DEPTH)
    found = _documents(subject, question.text, depth)
    ranked = [one.path for one in found.places]
    return found, metrics.ranking_values(ranked, question.grades, ks, _DEPTH)


def _documents(subject: Subject, text: str, depth: int) -> Retrieved:
    """Passages enough to see ``depth`` distinct documents, where there are so many. The time is that of the first
    search."""
    k = depth * _A_DOCUMENT
    first = found = subject.search(text, k)
    while len({one.path for one in found.places}) < depth and k < min(_MOST, subject.passages):
        k *= 2
        more = subject.search(text, k)
        if more.places == found.places:  # fewer than k say nothing: neighbours are stitched together, copies folded
            break
        found = more
    return Retrieved(found.places, first.seconds)


def _answer(subject: Subject, question: Asked) -> tuple[dict[str, float], dict[str, Any]]:
    """What an answer scores, and what is shown of it. A refusal is no answer."""
    if not parse(question.text).terms:
        return {}, {}
    said = subject.ask(question.text)
    answerable = not question.abstain
    values = metrics.abstention_values(answerable, said.abstained)
    if question.answers:
        text = "" if said.abstained else said.text
        short_answer = "" if said.abstained else said.value or said.text
        values["answer_contains"] = metrics.answer_contains(text, question.answers)
        values["answer_exact"] = metrics.answer_exact(short_answer, question.answers)
        values["answer_f1"] = metrics.answer_f1(short_answer, question.answers)
    if said.verdicts:
        values["citations_verified"] = metrics.verdict_rates(said.verdicts)["citations_verified"]
    detail = {
        "answer": short(said.text, 300),
        "value": said.value,
        "abstained": said.abstained,
        "grounding": said.grounding,
        "cited": [_shown(one) for one in said.places],
        "answers": list(question.answers),
        "answerable": answerable,
    }
    return values, detail


def _shown(place: Place) -> str:
    return f"{place.path}:{place.start}-{place.end}"


def _relevant(question: Asked) -> list[str]:
    best = sorted(question.grades.items(), key=lambda pair: (-pair[1], pair[0]))
    return [path for path, grade in best if grade > 0][:_SHOWN]


# -- chance ---------------------------------------------------------------------------------------------------------


def _chance(question: Asked, passages: int, documents: int, ks: Sequence[int]) -> dict[str, float]:
    """What passages, or documents, that are drawn blindly reach for one question."""
    if question.places:
        # Each quote stands in one passage; where passages overlap, in two, and chance is a little higher.
        relevant, candidates = len(question.places), passages
    else:
        relevant, candidates = sum(grade > 0 for grade in question.grades.values()), documents
    if not relevant or not candidates:
        return {}
    relevant = min(relevant, candidates)
    chance = {f"recall@{k}": stats.chance_of_hit(relevant, candidates, k) for k in ks}
    return chance | {f"coverage@{k}": stats.chance_of_coverage(candidates, k) for k in ks}


def _mean(chances: Sequence[Mapping[str, float]]) -> dict[str, float]:
    told = [one for one in chances if one]
    return {metric: fmean(one[metric] for one in told) for metric in told[0]} if told else {}


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "golden",
        "gw_plugins.tasks.golden:Golden",
        help="your own questions over your own corpus, or a collection in BEIR's layout",
    )
