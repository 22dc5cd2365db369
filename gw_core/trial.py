"""What a benchmark deals in: texts and the places in them, what a system under test returned, and scores.

Everything is plain data, so that a task (which makes a corpus and asks), a subject (which is asked) and a report (which
does the statistics) need not know each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Better = Literal["higher", "lower", "neither"]
"""Which way a figure improves."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file of a corpus that is made: its relative path and its whole text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A span of code points, ``end`` exclusive, of one document of a corpus."""

    path: str
    start: int
    end: int

    def contains(self, other: Place) -> bool:
        return self.path == other.path and self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Place) -> bool:
        return self.path == other.path and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a subject found for a question, best first. ``seconds`` is the wall time that the call took."""

    places: tuple[Place, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Answered:
    """What a subject answered.

    ``value`` is the short span in ``text`` that answers, if it named one. ``verdicts`` are those of the citations, by
    re-reading the source (:class:`gw_core.model.Verdict`); ``places`` the spans that were cited.
    """

    text: str
    value: str | None
    abstained: bool
    grounding: str
    verdicts: tuple[str, ...]
    places: tuple[Place, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a fresh ingest took, in a process of its own: seconds of CPU and wall, and the process's ``peak_memory`` in
    bytes. ``bytes`` are those of the sources, ``index_bytes`` those of the index on disk."""

    cpu: float
    wall: float
    bytes: int
    documents: int
    passages: int
    index_bytes: int
    peak_memory: int


@dataclass(frozen=True, slots=True)
class Searched:
    """What questions took, one after another in a process of their own: for each its seconds of CPU and wall and how
    many hits it had; and the process's ``peak_memory`` in bytes."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]
    hits: tuple[int, ...]
    peak_memory: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, scored.

    ``id`` is the same in every run of a task with the same settings and seed: comparisons pair by it. ``values`` holds
    a number for each metric that this question says something about, by the metric's name (``recall@5``); a metric of
    a cell is the mean over the questions that have it. ``group`` says where in a table the question belongs
    (``{"depth": 0.35}``, ``{"category": "plain"}``); ``detail`` is plain data for somebody who looks into it.
    """

    id: str
    question: str
    values: Mapping[str, float]
    seconds: float | None = None
    group: Mapping[str, Any] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figure:
    """A quantity that is measured once, not per question: throughput, memory, disk.

    ``unit`` is what it is counted in (``MB/s``, ``ms``, ``MB``); ``machine``: it depends on the machine, so that it
    never passes or fails anything.
    """

    value: float
    unit: str = ""
    better: Better = "neither"
    machine: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting of a task, measured: a corpus size, a chain length, a whole golden set.

    ``name`` is short and unique in its task (``256k``); ``size`` is the corpus in tokens where it makes sense to draw
    figures against it. ``chance`` is, by metric, what blind guessing reaches. ``facts`` is plain data about the corpus
    (tokens, passages, needles, haystacks); ``notes`` are sentences that whoever reads the figures must know.
    """

    name: str
    outcomes: tuple[Outcome, ...] = ()
    figures: Mapping[str, Figure] = field(default_factory=dict)
    chance: Mapping[str, float] = field(default_factory=dict)
    size: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
