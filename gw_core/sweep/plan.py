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
from itertools import repeat
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
    before, offset, number = "", 0, first
    while document.decided(int(target * (1 + SLACK))):
        cut = document.boundary(target)
        if fits is not None:
            cut = _fitting(document, cut, target, before, overlap, fits)
        text, starts, ends, after = document.take(cut, overlap)
        header = document.scanner.header
        end = offset + len(text)
        digest = segment_hash(text, before, after, header)
        segment = Segment(number, path, offset, end, offset - len(before), end + len(after), digest, len(starts))
        yield Planned(segment, text, starts, ends, (before, after), header)
        number, offset = number + 1, end
        before = (before + text)[-overlap:] if overlap else ""


def segment_hash(text: str, before: str = "", after: str = "", header: str = "") -> str:
    """The SHA-256, in hex, of all that the records of a segment depend on."""
    parts = (header, "\1", before, "\0", text, "\0", after) if header else (before, "\0", text, "\0", after)
    return hashlib.sha256("".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def plan_line(segment: Segment) -> bytes:
    """What the hash of a plan is over, of each of its segments."""
    line = f"{segment.path}\0{segment.start}\0{segment.end}\0{segment.sha256}\n"
    return line.encode("utf-8", "surrogateescape")


class _Document:
    """The part of a document that is being planned: ``buffer`` begins where the next segment does."""

    def __init__(self, blocks: Iterable[str], scan: Scanner) -> None:
        self.buffer = ""
        self.scanner = scan
        self._source = iter(blocks)
        self._scanned = self._seen = 0
        self._ended = False

    def decided(self, most: int) -> bool:
        """Read until all records that begin in the first ``most`` characters are there as a whole. False at the end."""
        while not self._ended and self.scanner.reached() <= most:
            if len(self.buffer) > 2 * MOST_CHARS:
                raise _too_long()
            self._read()
        return bool(self.buffer)

    def boundary(self, target: int) -> int:
        """Where the next segment begins: at the record with the least hash among those in reach. Where none is, one is
        long: it begins the next segment, unless it begins this one."""
        least, most = max(1, int(target * (1 - SLACK))), int(target * (1 + SLACK))
        if self._ended and len(self.buffer) <= most:
            return len(self.buffer)
        starts = self.scanner.starts
        first, beyond = bisect_left(starts, least), bisect_right(starts, most)
        if first < beyond:
            hashes = self._hashes(first, beyond)
            return starts[first + hashes.index(min(hashes))]
        if first and starts[first - 1]:
            return starts[first - 1]
        if beyond < len(starts):
            return starts[beyond]
        return max(self.scanner.open, 0) or len(self.buffer)

    def _hashes(self, first: int, beyond: int) -> list[int]:
        """Those of some records."""
        places = map(slice, self.scanner.starts[first:beyond], self.scanner.ends[first:beyond])
        texts = map(self.buffer.__getitem__, places)
        return list(map(crc32, map(str.encode, texts, repeat("utf-8"), repeat("surrogatepass"))))

    def before(self, cut: int) -> int:
        """How many records begin before a place."""
        return bisect_left(self.scanner.starts, cut)

    def through(self, place: int) -> str:
        """The text up to a place, as far as there is so much of it."""
        while not self._ended and len(self.buffer) < place:
            self._read()
        return self.buffer[:place]

    def take(self, cut: int, overlap: int) -> tuple[str, list[int], list[int], str]:
        """Part with the text up to ``cut``: it, the records in it, and what follows it."""
        if cut > MOST_CHARS:
            raise _too_long()
        after = self.through(cut + overlap)[cut:]
        text, kept = self.buffer[:cut], self.before(cut)
        starts, ends = self.scanner.starts[:kept], self.scanner.ends[:kept]
        self.scanner.drop(kept, cut)
        self.buffer = self.buffer[cut:]
        self._scanned -= cut
        self._seen -= cut
        return text, starts, ends, after

    def _read(self) -> None:
        self._more()
        end = len(self.buffer)
        if self.scanner.by_lines and not self._ended:
            end = max(self._scanned, settled(self.buffer, max(0, self._seen - 1)))
            self._seen = len(self.buffer)
        if end > self._scanned or self._ended:
            self._scanned = self.scanner.scan(self.buffer, self._scanned, end, final=self._ended)

    def _more(self) -> None:
        """A piece more; several where a record is long, so that what is there is not copied for each of them."""
        pieces, size = [self.buffer], 0
        while not size or size < len(self.buffer) // 4:
            piece = next(self._source, None)
            if piece is None:
                self._ended = True
                break
            pieces.append(piece)
            size += len(piece)
        self.buffer = "".join(pieces)


def _fitting(document: _Document, cut: int, target: int, before: str, overlap: int, fits: Callable[[str], bool]) -> int:
    """A boundary before which a reader's window ends, or at least no more than one record does."""
    while document.before(cut) > 1 and not fits(before + document.through(cut + overlap)):
        target = max(1, min(target, cut) // 2)
        cut = document.boundary(target)
    return cut


def _too_long() -> LoadError:
    message = f"a record of more than {MOST_CHARS:,} characters"
    return LoadError(message, reason="too-large", hint="another split gives shorter ones")
