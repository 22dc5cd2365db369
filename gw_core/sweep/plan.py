"""Which part of a document belongs to which segment: planned in code, the same every time, without any reader.

A segment begins where a record begins and ends where a later one does, so that every record is owned by the segment in
which it starts. Where exactly follows the content: of the records about one target length on, the one whose hash is
least begins the next segment. A line that is put in somewhere moves the boundaries near it and no others.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from gw_core.errors import LoadError
from gw_core.records import Segment, Split
from gw_core.sweep.split import Scanner, scanner, settled

TARGET = 60_000
"""Characters of a segment, about. Blocks of this size are the fastest for patterns."""
SLACK = 0.25
"""A boundary lies within so much of the target around it. A wide choice finds the old boundaries again soon, but each
record in it is hashed."""
MOST_CHARS = 32_000_000
"""A segment of more characters is an error of whoever said how to split: it would have to be held in memory."""

_HASHED = 256  # characters of a record


@dataclass(frozen=True, slots=True)
class Planned:
    """A segment with its own text, and its records as offsets in that text. ``context`` is what a reader is shown
    before and after it; ``header`` is the first row of a CSV document, which names the columns."""

    segment: Segment
    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    context: tuple[str, str] = ("", "")
    header: str = ""


def plan(
    path: str,
    blocks: Iterable[str],
    split: Split,
    *,
    target: int = TARGET,
    overlap: int = 0,
    first: int = 0,
    fits: Callable[[str], bool] | None = None,
) -> Iterator[Planned]:
    """The segments of one document, numbered from ``first``; ``blocks`` are its text, in pieces of any size.

    Each is of about ``target`` characters, ``SLACK`` more at most, but for a record that is longer: that stands alone.
    ``overlap`` characters around a segment are its context. ``fits`` says whether a reader can take a text; a segment
    that does not fit is cut smaller, down to one record. No more than a few targets of text are held at a time.
    Raises LoadError for a segment that is too long to be held, and where the pattern of the split takes too long.
    """
    document = _Document(blocks, scanner(split))
    most = int(target * (1 + SLACK))
    before, offset, number = "", 0, first
    while document.known(most, overlap):
        while True:
            cut, room = document.boundary(target), target
            while fits is not None and room > 1 and not fits(before + document.buffer[: cut + overlap]):
                room = min(room, cut) // 2
                cut = document.boundary(room) if document.records_before(cut) > 1 else cut
                if document.records_before(cut) <= 1:
                    break
            break
        text, starts, ends, after = document.take(cut, overlap)
        header = document.scanner.header
        end = offset + len(text)
        digest = segment_hash(text, before, after, header)
        segment = Segment(number, path, offset, end, offset - len(before), end + len(after), digest, len(starts))
        yield Planned(segment, text, starts, ends, (before, after), header)
        number, offset = number + 1, end
        before = (before + text)[-overlap:] if overlap else ""


