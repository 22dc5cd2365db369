"""The bench task ``paraphrase``: is a sentence found that answers a question without sharing a word with it?

Pairs written by hand, over many subjects: a needle that states a fact, and a question that it answers. After folding
and stemming they have no word in common, function words included, nor a word that begins like one of the other's.
Whoever knows English sees that the one answers the other; what matches words finds the needle by chance only.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
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

VERSION = "1"
FEW = 100
"""Fewer questions than this are said to be few."""
WHAT = (
    "no word of a question, function words included, stands in its needle in any form: a search that matches words "
    "finds a needle here by chance only"
)

_DEPTH = metrics.DEPTH
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """``needle`` states a fact, ``question`` asks for it in other words, ``answer`` stands verbatim in the needle."""

    id: str
    subject: str
    needle: str
    question: str
    answer: str


@functools.cache
def pairs() -> tuple[Pair, ...]:
    """All pairs, in an order that doesn't change."""
    text = files("gw_plugins.tasks").joinpath("data/paraphrase.jsonl").read_text("utf-8")
    return tuple(Pair(**json.loads(line)) for line in text.splitlines())


@dataclass(frozen=True, slots=True)
class _Corpus:
    """A haystack with needles in it. ``tokens`` are those of the natural text, ``planted`` those of the needles."""

    folder: Path
    pairs: tuple[Pair, ...]
    depths: tuple[float, ...]
    places: tuple[Place, ...]
    tokens: int
    planted: int


class Paraphrase:
    """Needles in natural text whose questions share no word with them: one cell for each size of ``context``.

    The needles are at most 5 % of a haystack; where there are more, they are hidden in several haystacks of that size.
    """

    examples = (
        "gw bench paraphrase",
        "gw bench paraphrase --context 64k -k 10 --json > paraphrase.json",
    )

    def __init__(
        self,
        *,
        context: Annotated[tuple[str, ...], Help("sizes of a haystack in tokens, one cell each")] = (
            "64k",
            "256k",
            "1m",
        ),
        needles: Annotated[
            int | None, Range(1), Help("pairs to hide and to ask for, in each cell; all unless said")
        ] = None,
    ) -> None:
        if not context:
            raise ValueError("context needs a size, such as 64k")
        most = len(pairs())
        if needles is not None and not 1 <= needles <= most:
            raise ValueError(f"needles must be between 1 and {most}, which are all pairs that there are, not {needles}")
        self._sizes = tuple(dict.fromkeys(tokens.parse_tokens(one) for one in context))
        self._number = most if needles is None else needles
        settings = {"context": tuple(map(tokens.name_of, self._sizes)), "needles": needles}
        self.identity = Identity("paraphrase", VERSION, settings)

    def run(self, bench: Bench) -> Iterator[Cell]:
        drawn = list(pairs())
        planting.seeded(bench.seed, "paraphrase").shuffle(drawn)
        drawn = drawn[: self._number]
        depths = planting.depths(len(drawn), planting.seeded(bench.seed, "paraphrase", "depths"))
        shares = {size: planting.shares([pair.needle for pair in drawn], size) for size in self._sizes}
        # All corpora first, the largest ones before the others: where there is not text enough, nothing is measured.
        hidden: dict[int, list[_Corpus]] = {}
        for size in sorted(self._sizes, key=lambda size: -size * len(shares[size])):
            hidden[size] = [
                self._hidden(
                    bench,
                    size,
                    (number, len(shares[size])),
                    drawn[share.start : share.stop],
                    depths[share.start : share.stop],
                )
                for number, share in enumerate(shares[size])
            ]
        for size in self._sizes:
            yield self._cell(bench, size, hidden[size])

    def _hidden(
        self, bench: Bench, size: int, haystack: tuple[int, int], chosen: Sequence[Pair], depths: Sequence[float]
    ) -> _Corpus:
        """These pairs in one of the haystacks: its number, and how many there are."""
        stated = "\n".join(pair.needle for pair in chosen)
        key = {
            "task": "paraphrase",
            "version": VERSION,
            "tokens": size,
            "haystack": haystack,
            "needles": hashlib.sha256(stated.encode()).hexdigest(),
            "depths": depths,
        }

        def build() -> tuple[list[SourceText], dict[str, Any]]:
            texts = bench.texts(size, haystack[0])
            _check_new(texts, chosen)
            planted, places = planting.plant(texts, [(one.needle, at) for one, at in zip(chosen, depths, strict=True)])
            return planted, {
                "tokens": sum(tokens.count(one.text) for one in texts),
                "places": [[one.path, one.start, one.end] for one in places],
            }

        folder, truth = bench.corpus(key, build)
        return _Corpus(
            folder,
            tuple(chosen),
            tuple(depths),
            tuple(Place(*place) for place in truth["places"]),
            truth["tokens"],
            planting.size_of([pair.needle for pair in chosen]),
        )

    def _cell(self, bench: Bench, size: int, corpora: Sequence[_Corpus]) -> Cell:
        name = tokens.name_of(size)
        outcomes: list[Outcome] = []
        passages: list[int] = []
        for corpus in corpora:
            with bench.open(corpus.folder) as subject:
                passages.append(subject.passages)
                for pair, depth, place in zip(corpus.pairs, corpus.depths, corpus.places, strict=True):
                    bench.step(f"asking {name}", len(outcomes), self._number)
                    outcomes.append(_outcome(subject, bench.ks, pair, depth, place))
        bench.step(f"asking {name}", self._number, self._number)
        natural = sum(one.tokens for one in corpora)
        return Cell(
            name,
            outcomes=tuple(outcomes),
            chance=_chance(bench.ks, [(count, len(one.pairs)) for count, one in zip(passages, corpora, strict=True)]),
            size=size,
            facts={
                "tokens": natural,
                "haystacks": len(corpora),
                "passages": sum(passages),
                "needles": len(outcomes),
                "needle_share": round(sum(one.planted for one in corpora) / natural, 4),
                "subjects": len({pair.subject for one in corpora for pair in one.pairs}),
            },
            notes=_notes(len(outcomes), bench.ks, min(passages)),
        )


def _outcome(subject: Subject, ks: Sequence[int], pair: Pair, depth: float, place: Place) -> Outcome:
    found = subject.search(pair.question, max(*ks, _DEPTH))
    scores = metrics.place_values(found.places, [place], ks, _DEPTH)
    return Outcome(
        pair.id,
        pair.question,
        {name: scores[name] for name in (*(f"recall@{k}" for k in ks), f"mrr@{_DEPTH}")},
        found.seconds,
        {"depth": round(depth, 4), "subject": pair.subject},
        {
            "expected": {**_plain(place), "text": pair.needle},
            "answer": pair.answer,
            "rank": metrics.first_ranks(found.places, [place])[0],
            "found": [_plain(one) for one in found.places[:_SHOWN]],
        },
    )


def _check_new(texts: Sequence[SourceText], chosen: Sequence[Pair]) -> None:
    """A haystack of somebody's own may hold what another benchmark made."""
    for one in texts:
        for pair in chosen:
            if pair.needle in one.text:
                raise UsageError(
                    f"the haystack has a needle in it already: {pair.needle[:40]!r}... stands in {one.path}",
                    hint="--haystack names another folder",
                )


def _chance(ks: Sequence[int], haystacks: Sequence[tuple[int, int]]) -> dict[str, float]:
    """What drawing passages blindly reaches, over ``haystacks`` with so many passages and so many questions each."""
    candidates = [max(1, passages) for passages, asked in haystacks for _ in range(asked)]
    chance = {f"recall@{k}": fmean(stats.chance_of_hit(1, one, k) for one in candidates) for k in ks}
    ranks = [sum(1 / rank for rank in range(1, min(_DEPTH, one) + 1)) / one for one in candidates]
    return {**chance, f"mrr@{_DEPTH}": fmean(ranks)}


def _notes(asked: int, ks: Sequence[int], passages: int) -> tuple[str, ...]:
    notes = [WHAT]
    if asked < FEW:
        notes.append(f"{asked} questions are few: mind the intervals")
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
        "paraphrase",
        "gw_plugins.tasks.paraphrase:Paraphrase",
        help="single facts hidden in natural text, asked for without any of their words",
    )
