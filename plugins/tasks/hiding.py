"""What tasks have in common that hide sentences in natural text and ask for them.

A task says what is hidden, what is asked and what of it counts. Here is the rest: how needles are dealt out over
haystacks, how they get there and where they stand, how the questions are put, and what blind guessing reaches.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Generic, Protocol, TypeVar

from gw_core.bench import metrics, planting, stats, tokens
from gw_core.errors import UsageError
from gw_core.protocols import Bench, Subject
from gw_core.schema import Help
from gw_core.trial import Cell, Outcome, Place, SourceText

DEPTH = metrics.DEPTH
FEW = 100
"""Fewer questions than this are said to be few."""
SHOWN = 3
"""How many of the places that were found are kept for whoever looks into a question."""

Context = Annotated[tuple[str, ...], Help("sizes of a haystack in tokens, one cell each")]

_NAME = re.compile("[A-Z][a-z]+")


class Needle(Protocol):
    """A sentence to hide, and a question that it answers with words of its own."""

    @property
    def id(self) -> str: ...
    @property
    def needle(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def answer(self) -> str: ...


N = TypeVar("N", bound=Needle)
Q = TypeVar("Q")


@dataclass(frozen=True, slots=True)
class Portion(Generic[N]):
    """What goes into one haystack of ``size`` tokens: the ``number``-th of so many ``haystacks``."""

    size: int
    number: int
    haystacks: int
    needles: tuple[N, ...]
    depths: tuple[float, ...]

    def key(self, task: str, version: str) -> dict[str, Any]:
        """What a task's corpus depends on besides its needles, for :meth:`gw_core.protocols.Bench.corpus`."""
        return {
            "task": task,
            "version": version,
            "tokens": self.size,
            "haystack": [self.number, self.haystacks],
            "depths": list(self.depths),
        }


@dataclass(frozen=True, slots=True)
class Hidden(Generic[N]):
    """A needle where it stands."""

    needle: N
    depth: float
    place: Place


@dataclass(frozen=True, slots=True)
class Corpus(Generic[N]):
    """A haystack with needles in it. ``tokens`` are those of the natural text."""

    folder: Path
    hidden: tuple[Hidden[N], ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The outcomes, in the order of the questions, and how many passages each haystack has."""

    outcomes: tuple[Outcome, ...]
    passages: tuple[int, ...]
    candidates: tuple[int, ...]
    """For each question, the passages among which it was searched."""


def sizes_of(context: Sequence[str]) -> tuple[int, ...]:
    """The setting ``context`` as tokens, each size once. Raises ValueError for what is none."""
    if not context:
        raise ValueError("context needs a size, such as 256k")
    return tuple(dict.fromkeys(map(tokens.parse_tokens, context)))


# -- hiding -----------------------------------------------------------------------------------------------------------


def hide_all(
    sizes: Sequence[int], needles: Sequence[N], depths: Sequence[float], hide: Callable[[Portion[N]], Corpus[N]]
) -> dict[int, list[Corpus[N]]]:
    """All needles in text of each size, in as many haystacks of it as they need (:func:`planting.shares`).

    Every corpus is made before one is searched, the size that takes the most text first: where there is not text
    enough, nothing is measured. Raises UsageError then, and where a size is too small for a needle.
    """
    shares = {size: planting.shares([one.needle for one in needles], size) for size in sizes}
    made: dict[int, list[Corpus[N]]] = {}
    for size in sorted(sizes, key=lambda size: -size * len(shares[size])):
        made[size] = [
            hide(
                Portion(
                    size,
                    number,
                    len(shares[size]),
                    tuple(needles[share.start : share.stop]),
                    tuple(depths[share.start : share.stop]),
                )
            )
            for number, share in enumerate(shares[size])
        ]
    return made


def hide(
    bench: Bench,
    key: Mapping[str, Any],
    portion: Portion[N],
    *,
    check: Callable[[Sequence[SourceText]], None],
    beside: Callable[[], Iterable[tuple[str, float]]] = tuple,
) -> Corpus[N]:
    """A haystack with a portion in it, and with the sentences that are to stand ``beside`` it, each with its depth.

    ``key`` names all that it depends on. ``check`` refuses text that must not be searched.
    """

    def build() -> tuple[list[SourceText], dict[str, Any]]:
        texts = bench.texts(portion.size, portion.number)
        check(texts)
        stated = [(one.needle, depth) for one, depth in zip(portion.needles, portion.depths, strict=True)]
        planted, places = planting.plant(texts, [*stated, *beside()])
        return planted, {"tokens": tokens_in(texts), "places": as_rows(places[: len(stated)])}

    folder, truth = bench.corpus(key, build)
    placed = zip(portion.needles, portion.depths, from_rows(truth["places"]), strict=True)
    return Corpus(folder, tuple(starmap(Hidden, placed)), truth["tokens"])


def check_names(texts: Iterable[SourceText], names: Collection[str]) -> None:
    """Raises UsageError where a made-up name stands in a haystack, which may be what another benchmark made."""
    for one in texts:
        clash = set(names).intersection(_NAME.findall(one.text))
        if clash:
            raise _used(one.path, f"{min(clash)!r}", "another --seed gives other names")


def check_sentences(texts: Iterable[SourceText], sentences: Iterable[str]) -> None:
    """Raises UsageError where a sentence stands in a haystack, which may be what another benchmark made."""
    wanted = tuple(sentences)
    for one in texts:
        for sentence in wanted:
            if sentence in one.text:
                raise _used(one.path, f"{sentence[:40]!r}...", "--haystack names another folder")


def _used(path: str, what: str, hint: str) -> UsageError:
    return UsageError(f"the haystack has a needle in it already: {what} stands in {path}", hint=hint)


def tokens_in(texts: Iterable[SourceText]) -> int:
    return sum(tokens.count(one.text) for one in texts)


def as_rows(places: Iterable[Place]) -> list[list[Any]]:
    """Places as the truth about a corpus holds them."""
    return [[one.path, one.start, one.end] for one in places]


def from_rows(rows: Iterable[Sequence[Any]]) -> tuple[Place, ...]:
    return tuple(Place(*row) for row in rows)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# -- asking -----------------------------------------------------------------------------------------------------------


def ask_all(
    bench: Bench, name: str, corpora: Sequence[tuple[Path, Sequence[Q]]], ask: Callable[[Subject, Q], Outcome]
) -> Asked:
    """Puts to each corpus the questions that it is to be asked. ``name`` is that of the cell."""
    total = sum(len(questions) for _, questions in corpora)
    outcomes: list[Outcome] = []
    passages: list[int] = []
    candidates: list[int] = []
    for folder, questions in corpora:
        with bench.open(folder) as subject:
            passages.append(subject.passages)
            for question in questions:
                bench.step(f"asking {name}", len(outcomes), total)
                outcomes.append(ask(subject, question))
                candidates.append(subject.passages)
    bench.step(f"asking {name}", total, total)
    return Asked(tuple(outcomes), tuple(passages), tuple(candidates))


def search_for(
    subject: Subject, ks: Sequence[int], hidden: Hidden[N], group: Mapping[str, Any], detail: Mapping[str, Any]
) -> Outcome:
    """What a search for a needle by its question finds. ``group`` and ``detail`` are what a task adds."""
    one = hidden.needle
    found = subject.search(one.question, max(*ks, DEPTH))
    return Outcome(
        one.id,
        one.question,
        values_of(found.places, hidden.place, ks),
        found.seconds,
        {"depth": round(hidden.depth, 4), **group},
        {
            **detail,
            "expected": expected(hidden),
            "answer": one.answer,
            "rank": metrics.first_ranks(found.places, [hidden.place])[0],
            "found": [plain(place) for place in found.places[:SHOWN]],
        },
    )


def values_of(places: Sequence[Place], wanted: Place, ks: Sequence[int]) -> dict[str, float]:
    """``recall@k`` for each of ``ks`` and ``mrr@10``, where one place is wanted."""
    scores = metrics.place_values(places, [wanted], ks, DEPTH)
    return {name: scores[name] for name in (*(f"recall@{k}" for k in ks), f"mrr@{DEPTH}")}


def expected(hidden: Hidden[N]) -> dict[str, Any]:
    return {**plain(hidden.place), "text": hidden.needle.needle}


def plain(place: Place) -> dict[str, Any]:
    return {"path": place.path, "start": place.start, "end": place.end}


# -- a cell -----------------------------------------------------------------------------------------------------------


def cell(
    bench: Bench,
    size: int,
    corpora: Sequence[Corpus[N]],
    ask: Callable[[Subject, Hidden[N]], Outcome],
    *,
    facts: Mapping[str, Any],
    notes: Iterable[str],
) -> Cell:
    """The needles of all haystacks of a size, each asked for. A task's own ``facts`` come last, its ``notes`` first."""
    name = tokens.name_of(size)
    asked = ask_all(bench, name, [(one.folder, one.hidden) for one in corpora], ask)
    natural = sum(one.tokens for one in corpora)
    planted = planting.size_of([one.needle.needle for corpus in corpora for one in corpus.hidden])
    return Cell(
        name,
        outcomes=asked.outcomes,
        chance=mean_chance([chance_of_one(bench.ks, passages) for passages in asked.candidates]),
        size=size,
        facts={
            "tokens": natural,
            "haystacks": len(corpora),
            "passages": sum(asked.passages),
            "needles": len(asked.outcomes),
            "needle_share": round(planted / natural, 4),
            **facts,
        },
        notes=tuple(notes),
    )


def chance_of_one(ks: Sequence[int], passages: int) -> dict[str, float]:
    """What so many passages in an order by chance reach where one of them is right: ``recall@k`` and ``mrr@10``."""
    candidates = max(1, passages)
    chance = {f"recall@{k}": stats.chance_of_hit(1, candidates, k) for k in ks}
    chance[f"mrr@{DEPTH}"] = sum(1 / rank for rank in range(1, min(DEPTH, candidates) + 1)) / candidates
    return chance


def mean_chance(chances: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Over questions, of which there is one at least."""
    return {metric: fmean(one[metric] for one in chances) for metric in chances[0]}


def few_notes(number: int, what: str, few: int = FEW) -> Iterator[str]:
    if number < few:
        yield f"{number} {what} are few: mind the intervals"
