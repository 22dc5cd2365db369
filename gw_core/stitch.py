"""Hits to passages: neighbouring chunks of a document become one exact span, and no text is shown twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gw_core.model import Hit, Passage, Span

MAX_CHARS = 6_000
"""A passage of several chunks is no longer than this, in code points."""

_MAX_GAP = 1_000  # white space between chunks that still adjoin

TextOf = Callable[[str, int, int], str]
"""``text_of(path, start, end)``: the text of this span of this document."""


def stitch(hits: Sequence[Hit], text_of: TextOf, *, max_chars: int = MAX_CHARS) -> list[Passage]:
    """Passages that together hold the text of every hit exactly once, best first.

    Chunks of one document that overlap, or have only white space between them, share a passage as long as it stays
    within ``max_chars``; where it would not, the passage grows around its best hit and what is left stands in passages
    of its own. Score and label are those of a passage's best hit, kind is
    the one that all its chunks share, or ``text``; the order is that of the best hits' ranks, ties
    by path and start. ``context`` holds the texts of the chunks' context spans that are not in the passage itself.
    """
    by_path: dict[str, list[Hit]] = {}
    for hit in hits:
        by_path.setdefault(hit.chunk.path, []).append(hit)
    passages = [
        _passage(path, part, text_of)
        for path, found in by_path.items()
        for run in _runs(path, found, text_of)
        for part in _parts(run, max_chars)
    ]
    return sorted(passages, key=lambda each: (each.hits[0].rank, -each.score, each.path, each.start))


@dataclass(slots=True)
class _Piece:
    """What is to be shown of one or more hits, the best one first."""

    start: int
    end: int
    hits: list[Hit]

    def order(self) -> tuple[int, float, int, int]:
        return self.hits[0].rank, -self.hits[0].score, self.start, self.end

    def without(self, other: _Piece) -> Iterator[_Piece]:
        """What is left of it, blank ends trimmed, when ``other`` is shown: nothing, one piece or two."""
        if self.end <= other.start or other.end <= self.start:
            yield self
            return
        for start, end in ((self.start, min(self.end, other.start)), (max(self.start, other.end), self.end)):
            if start < end:
                chunk = self.hits[0].chunk
                text = chunk.text[start - chunk.start : end - chunk.start]
                if text.strip():
                    first = start + len(text) - len(text.lstrip())
                    yield _Piece(first, start + len(text.rstrip()), self.hits)


def _runs(path: str, hits: Iterable[Hit], text_of: TextOf) -> Iterator[list[_Piece]]:
    """Hits of one document in chains of which each touches the ones before it."""
    run: list[_Piece] = []
    end = 0
    for hit in sorted(hits, key=lambda each: (each.chunk.start, each.chunk.end, each.rank)):
        start = hit.chunk.start
        if run and start > end and (start - end > _MAX_GAP or text_of(path, end, start).strip()):
            yield run
            run, end = [], 0
        run.append(_Piece(start, hit.chunk.end, [hit]))
        end = max(end, hit.chunk.end)
    if run:
        yield run


def _parts(run: list[_Piece], max_chars: int) -> Iterator[_Piece]:
    """The run as one piece, or as several that do not overlap, each around the best hit that is in none yet."""
    runs = [run]
    while runs:
        run = runs.pop()
        first, last = _grown(run, max_chars)
        part = _union(run[first : last + 1])
        before: list[_Piece] = []
        after: list[_Piece] = []
        for piece in run[:first] + run[last + 1 :]:
            left = list(piece.without(part))
            if not left:
                part.hits += piece.hits
            for each in left:
                (before if each.end <= part.start else after).append(each)
        part.hits.sort(key=lambda hit: (hit.rank, -hit.score, hit.chunk.start, hit.chunk.end))
        yield part
        runs += [sorted(each, key=lambda piece: (piece.start, piece.end)) for each in (before, after) if each]


def _grown(run: list[_Piece], max_chars: int) -> tuple[int, int]:
    """First and last index of what fits into a passage around the run's best piece, the better neighbour first."""
    first = last = min(range(len(run)), key=lambda index: run[index].order())
    start, end = run[first].start, run[first].end
    while True:
        fitting = [
            index
            for index in (first - 1, last + 1)
            if 0 <= index < len(run) and max(end, run[index].end) - min(start, run[index].start) <= max_chars
        ]
        if not fitting:
            return first, last
        index = min(fitting, key=lambda index: run[index].order())
        first, last = min(first, index), max(last, index)
        start, end = min(start, run[index].start), max(end, run[index].end)


def _union(pieces: Sequence[_Piece]) -> _Piece:
    return _Piece(
        min(piece.start for piece in pieces),
        max(piece.end for piece in pieces),
        [hit for piece in pieces for hit in piece.hits],
    )


def _passage(path: str, part: _Piece, text_of: TextOf) -> Passage:
    best = part.hits[0]
    span = Span(part.start, part.end)
    text = best.chunk.text if span == best.chunk.span else text_of(path, span.start, span.end)
    context = sorted({each for hit in part.hits for each in hit.chunk.context if not span.contains(each)})
    return Passage(
        path=path,
        start=span.start,
        end=span.end,
        text=text,
        score=best.score,
        label=best.chunk.label,
        kind=_kind(part.hits),
        context=tuple(text_of(path, each.start, each.end) for each in context),
        hits=tuple(part.hits),
    )


def _kind(hits: Sequence[Hit]) -> str:
    """The kind that all chunks share; a passage of several kinds is read as text."""
    kinds = {hit.chunk.kind for hit in hits}
    return kinds.pop() if len(kinds) == 1 else "text"
