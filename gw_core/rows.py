"""What the catalogue's rows say, as values, and the ranges of chunk ids that a search is limited to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from gw_core.model import decoder_name


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What tells, without reading it, that a file has probably not changed since it was read at ``read_ns``."""

    size: int
    mtime_ns: int
    inode: int
    read_ns: int = 0

    # A file changed twice within one tick of the file system's clock shows no difference the second time.
    _TICK_NS = 2_000_000_000

    def same_as(self, seen: FileStamp) -> bool:
        """True when ``seen`` (just now, on disk) is surely what was read."""
        unchanged = (self.size, self.mtime_ns, self.inode) == (seen.size, seen.mtime_ns, seen.inode)
        return unchanged and self.mtime_ns + self._TICK_NS < self.read_ns


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as the catalogue holds it, without its text. ``chunker`` is the identity that cut it."""

    id: int
    path: str
    sha256: str
    stamp: FileStamp
    encoding: str
    loader: str
    loader_version: str
    kind: str
    extracted: bool
    chars: int
    chunker: str
    first_chunk: int
    last_chunk: int

    @property
    def chunk_ids(self) -> range:
        return range(self.first_chunk, self.last_chunk + 1)

    @property
    def decoder(self) -> str:
        """As :attr:`gw_core.model.Document.decoder`."""
        return decoder_name(self.encoding, self.loader, self.loader_version, self.extracted)


@dataclass(frozen=True, slots=True)
class SkippedRow:
    path: str
    stamp: FileStamp
    reason: str
    detail: str
    loader: str


@dataclass(frozen=True, slots=True)
class BackendRow:
    """How far a backend's index is: complete when ``built_to`` is None."""

    name: str
    identity: str
    prefix: str
    built_to: int | None


class ChunkRanges:
    """A scope: sorted, disjoint, inclusive ranges of chunk ids. It is made from one range a document; one without
    chunks ends before it starts."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        given = list(ranges)
        self.documents = len(given)
        merged: list[tuple[int, int]] = []
        for first, last in sorted(pair for pair in given if pair[0] <= pair[1]):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        self.ranges: tuple[tuple[int, int], ...] = tuple(merged)
        self._firsts = [first for first, _ in merged]

    def __contains__(self, chunk_id: int) -> bool:
        at = bisect_right(self._firsts, chunk_id) - 1
        return at >= 0 and chunk_id <= self.ranges[at][1]

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.ranges)
