"""Which part of a document belongs to which segment: planned in code, the same every time, without any reader.

A segment begins where a record begins and ends where a later one does, so that every record is owned by the segment in
which it starts. Where exactly follows the content: of the records about one target length on, the one whose hash is
least begins the next segment. A line that is put in somewhere moves the boundaries near it and no others.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from gw_core.records import Segment, Split
from gw_core.sweep.split import records

TARGET = 60_000
"""Characters of a segment, about. Blocks of this size are the fastest for patterns."""
SLACK = 0.5
"""A boundary lies within so much of the target around it. A wide choice finds the old boundaries again soon."""
MOST_CHARS = 64_000_000
"""A record of more characters is an error of whoever said how to split: it would be read as one piece."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A segment with its own text, and its records as offsets in that text. ``context`` is what a reader is shown
    before and after it."""

    segment: Segment
    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    context: tuple[str, str] = ("", "")


def plan(
    path: str, blocks: Iterable[str], split: Split, *, target: int = TARGET, overlap: int = 0, first: int = 0
) -> Iterator[Planned]:
    """The segments of one document, numbered from ``first``; ``blocks`` are its text, in pieces of any size.

    No more than a few targets of text are held at a time. ``overlap`` characters around a segment are its context.
    """
    buffer, offset, before = "", 0, ""
    number = first
    source = iter(blocks)
    ended = False
    least = wanted = int(target * (1 + SLACK)) + overlap
    while True:
        while not ended and len(buffer) <= wanted:
            piece = next(source, None)
            ended = piece is None
            buffer += piece or ""
        if not buffer:
            return
        starts, ends = records(buffer, split)
        cut = _boundary(buffer, starts, ends, target, ended)
        if cut is None:
            if len(buffer) <= MOST_CHARS:
                wanted = 2 * len(buffer)
                continue
            cut = len(buffer)
        wanted = least
        text, buffer = buffer[:cut], buffer[cut:]
        kept = bisect_left(starts, cut)
        yield _planned(number, path, offset, text, (starts[:kept], ends[:kept]), (before, buffer[:overlap]))
        number += 1
        offset += len(text)
        before = (before + text)[-overlap:] if overlap else ""


def _planned(
    number: int, path: str, offset: int, text: str, spans: tuple[list[int], list[int]], context: tuple[str, str]
) -> Planned:
    starts, ends = spans
    before, after = context
    digest = hashlib.sha256("".join((before, "\0", text, "\0", after)).encode("utf-8", "surrogatepass")).hexdigest()
    end = offset + len(text)
    segment = Segment(number, path, offset, end, offset - len(before), end + len(after), digest, len(starts))
    return Planned(segment, text, starts, ends, context)


def _boundary(text: str, starts: Sequence[int], ends: Sequence[int], target: int, ended: bool) -> int | None:
    """Where the next segment begins: at the record with the least hash among those in reach, or else at the first one
    beyond. None where more of the text is needed to tell: every record in reach must be there as a whole."""
    least, most = int(target * (1 - SLACK)), int(target * (1 + SLACK))
    if ended and len(text) <= most:
        return len(text)
    if not ended and (not starts or starts[-1] <= most):
        return None
    first, beyond = bisect_left(starts, max(least, 1)), bisect_right(starts, most)
    if first < beyond:
        hashes = [crc32(text[starts[at] : ends[at]].encode("utf-8", "surrogatepass")) for at in range(first, beyond)]
        return starts[first + hashes.index(min(hashes))]
    return starts[beyond] if beyond < len(starts) else len(text)


def plan_hash(segments: Iterable[Segment]) -> str:
    """One hash over all segments of a plan, in their order."""
    found = hashlib.sha256()
    for one in segments:
        found.update(f"{one.path}\0{one.start}\0{one.end}\0{one.sha256}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()
