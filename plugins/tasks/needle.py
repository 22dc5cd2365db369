"""The bench task ``needle``: is one sentence found again that was hidden in a large text?

Made-up facts of many kinds stand at stated depths of natural text, each once, and each is asked for in an ordinary
question that shares its words. With distractors, every fact has neighbours that differ only in the end of the name
and in the answer. A needle is found where a retrieved passage contains the whole of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from gw_core.bench import metrics, planting, stats, tokens
from gw_core.errors import UsageError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Subject, Task
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Outcome, Place, SourceText
from gw_plugins.tasks.needle_wording import MOST, Fact, distractors, facts

VERSION = "1"
FEW = 100
"""Fewer needles than this are said to be few."""
SHOWN = 3
"""How many of the places that were found are kept for whoever looks into a question."""

_DEPTH = metrics.DEPTH
_NAME = re.compile("[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class _Needle:
    fact: Fact
    depth: float


@dataclass(frozen=True, slots=True)
class _Corpus:
    """A haystack with needles in it. ``tokens`` are those of the natural text, ``planted`` those of the needles."""

    folder: Path
    needles: tuple[_Needle, ...]
    places: tuple[Place, ...]
    tokens: int
    planted: int


class Needle:
    """Facts in natural text: one cell for each size of ``context``.

    The needles are at most 5 % of a haystack; where there are more, they are hidden in several haystacks of that size.
    ``distractors`` do not count for that.
    """

    examples = (
        "gw bench needle --context 64k,256k,1m,3m --needles 200",
        "gw bench needle --distractors 128 --haystack docs/",
        "gw bench needle --fail-under recall@5=.99 --report report.html",
    )

    def __init__(
        self,
        *,
        context: Annotated[tuple[str, ...], Help("sizes of a haystack in tokens, one cell each")] = (
            "64k",
            "256k",
            "1m",
        ),
        needles: Annotated[int | None, Range(1, MOST), Help("facts to hide and to ask for, in each cell")] = None,
        distractors: Annotated[int, Range(0, MOST), Help("sentences beside each needle that are nearly like it")] = 0,
        ask: Annotated[bool, Help("have the questions answered, too, and score the answers")] = False,
    ) -> None:
        if not context:
            raise ValueError("context needs a size, such as 64k")
        if needles is not None and not 1 <= needles <= MOST:
            raise ValueError(f"needles must be between 1 and {MOST}, not {needles}")
        if not 0 <= distractors <= MOST:
            raise ValueError(f"distractors must be between 0 and {MOST}, not {distractors}")
        self._sizes = tuple(dict.fromkeys(tokens.parse_tokens(one) for one in context))
        self._needles = needles
        self._distractors = distractors
        self._ask = ask
        settings = {
            "context": tuple(map(tokens.name_of, self._sizes)),
            "needles": needles,
            "distractors": distractors,
            "ask": ask,
        }
        self.identity = Identity("needle", VERSION, settings)

    def run(self, bench: Bench) -> Iterator[Cell]:
        number = bench.needles if self._needles is None else self._needles
        if not 1 <= number <= MOST:
            raise UsageError(f"needles must be between 1 and {MOST}, not {number}")
        made = facts(number, str(bench.seed))
        spread = planting.depths(number, planting.seeded(bench.seed, "depths"))
        needles = [_Needle(fact, depth) for fact, depth in zip(made, spread, strict=True)]
        shares = {size: planting.shares([fact.needle for fact in made], size) for size in self._sizes}
        # All corpora first, the largest ones before the others: where there is not text enough, nothing is measured.
        made_for = {
            size: [
                self._hidden(bench, size, number, [needles[at] for at in share], len(shares[size]))
                for number, share in enumerate(shares[size])
            ]
            for size in sorted(self._sizes, key=lambda size: -size * len(shares[size]))
        }
        for size in self._sizes:
            yield self._cell(bench, size, made_for[size])

    def _hidden(self, bench: Bench, size: int, number: int, needles: Sequence[_Needle], haystacks: int) -> _Corpus:
        """The ``number``-th of so many haystacks with its needles in it."""
        key = {
            "task": "needle",
            "version": VERSION,
            "tokens": size,
            "haystack": [number, haystacks],
            "needles": [needle.fact.id for needle in needles],
            "depths": [needle.depth for needle in needles],
            "distractors": self._distractors,
        }
        folder, truth = bench.corpus(key, lambda: self._build(bench, size, number, needles))
        places = tuple(Place(*place) for place in truth["places"])
        return _Corpus(folder, tuple(needles), places, truth["tokens"], truth["planted"])

    def _cell(self, bench: Bench, size: int, corpora: Sequence[_Corpus]) -> Cell:
        name = tokens.name_of(size)
        total = sum(len(one.needles) for one in corpora)
        outcomes: list[Outcome] = []
        passages: list[int] = []
        for corpus in corpora:
            with bench.open(corpus.folder) as subject:
                passages.append(subject.passages)
                for needle, place in zip(corpus.needles, corpus.places, strict=True):
                    bench.step(f"asking {name}", len(outcomes), total)
                    outcomes.append(self._outcome(bench, subject, needle, place))
        bench.step(f"asking {name}", total, total)
        natural = sum(one.tokens for one in corpora)
        return Cell(
            name,
            outcomes=tuple(outcomes),
            chance=_chance(bench.ks, [(count, len(one.needles)) for count, one in zip(passages, corpora, strict=True)]),
            size=size,
            facts={
                "tokens": natural,
                "haystacks": len(corpora),
                "passages": sum(passages),
                "needles": total,
                "needle_share": round(sum(one.planted for one in corpora) / natural, 4),
                "distractors": self._distractors * total,
            },
            notes=_notes(total, bench.ks, min(passages)),
        )

    def _build(
        self, bench: Bench, size: int, number: int, needles: Sequence[_Needle]
    ) -> tuple[list[SourceText], dict[str, Any]]:
        """A haystack with the needles and their distractors in it, and where the needles are."""
        texts = bench.texts(size, number)
        _check_names(texts, needles)
        hidden = [(needle.fact.needle, needle.depth) for needle in needles]
        for needle in needles:
            choose = planting.seeded(bench.seed, "depths of distractors", needle.fact.id)
            beside = distractors(needle.fact, self._distractors, str(bench.seed))
            hidden += [(sentence, choose.random()) for sentence in beside]
        planted, places = planting.plant(texts, hidden)
        return planted, {
            "tokens": sum(tokens.count(one.text) for one in texts),
            "planted": planting.size_of([needle.fact.needle for needle in needles]),
            "places": [[one.path, one.start, one.end] for one in places[: len(needles)]],
        }

    def _outcome(self, bench: Bench, subject: Subject, needle: _Needle, place: Place) -> Outcome:
        fact = needle.fact
        found = subject.search(fact.question, max(*bench.ks, _DEPTH))
        scores = metrics.place_values(found.places, [place], bench.ks, _DEPTH)
        wanted = [*(f"recall@{k}" for k in bench.ks), f"mrr@{_DEPTH}"]
        values = {name: scores[name] for name in wanted}
        detail: dict[str, Any] = {
            "kind": fact.kind,
            "expected": {**_plain(place), "text": fact.needle},
            "answer": fact.answer,
            "rank": metrics.first_ranks(found.places, [place])[0],
            "found": [_plain(one) for one in found.places[:SHOWN]],
        }
        if self._ask:
            answered, said = _asked(subject, fact)
            values.update(answered)
            detail["said"] = said
        return Outcome(fact.id, fact.question, values, found.seconds, {"depth": round(needle.depth, 4)}, detail)


def _asked(subject: Subject, fact: Fact) -> tuple[dict[str, float], dict[str, Any]]:
    """What an answer scores, and the answer itself. One that was refused is no answer."""
    answer = subject.ask(fact.question)
    short = "" if answer.abstained else answer.value or answer.text
    text = "" if answer.abstained else answer.text
    values = {
        "answered": float(not answer.abstained),
        "answer_contains": metrics.answer_contains(text, [fact.answer]),
        "answer_exact": metrics.answer_exact(short, [fact.answer]),
        "answer_f1": metrics.answer_f1(short, [fact.answer]),
    }
    rates = metrics.verdict_rates(answer.verdicts)
    if not answer.abstained and rates:
        values["citations_verified"] = rates["citations_verified"]
    return values, {"text": text, "value": answer.value, "abstained": answer.abstained, "grounding": answer.grounding}


def _check_names(texts: Sequence[SourceText], needles: Sequence[_Needle]) -> None:
    """The names are made up, but a haystack may be what another benchmark made."""
    names = {needle.fact.word for needle in needles}
    for one in texts:
        clash = names.intersection(_NAME.findall(one.text))
        if clash:
            raise UsageError(
                f"the haystack has a needle in it already: {min(clash)!r} stands in {one.path}",
                hint="another --seed gives other names",
            )


def _chance(ks: Sequence[int], haystacks: Sequence[tuple[int, int]]) -> dict[str, float]:
    """What drawing passages blindly reaches, over ``haystacks`` with so many passages and so many questions each."""
    candidates = [max(1, passages) for passages, asked in haystacks for _ in range(asked)]
    chance = {f"recall@{k}": fmean(stats.chance_of_hit(1, one, k) for one in candidates) for k in ks}
    ranks = [sum(1 / rank for rank in range(1, min(_DEPTH, one) + 1)) / one for one in candidates]
    return {**chance, f"mrr@{_DEPTH}": fmean(ranks)}


def _notes(asked: int, ks: Sequence[int], passages: int) -> tuple[str, ...]:
    notes = []
    if asked < FEW:
        notes.append(f"{asked} needles are few: mind the intervals")
    blind = [k for k in ks if k >= passages]
    if blind:
        shown = ", ".join(f"recall@{k}" for k in blind)
        notes.append(f"{shown}: k is as large as the corpus, which has {passages} passages, so that chance is 1")
    return tuple(notes)


def _plain(place: Place) -> Mapping[str, Any]:
    return {"path": place.path, "start": place.start, "end": place.end}


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "needle", "gw_plugins.tasks.needle:Needle", help="single facts hidden in natural text, asked for in their words"
    )
