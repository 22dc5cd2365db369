"""Find a cited text again, of which only hashes are known.

No rolling hash helps against SHA-256, so the search goes by the sides: the hashes of the 32 code points before and
after every place are computed once per text, and only where one of them fits is the text itself hashed.
"""

from __future__ import annotations

import hashlib
import re
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property

from gw_core.citation import SIDE_LENGTH, Citation, side_after, side_before, side_hash, text_hash, without_line_ends
from gw_core.model import Span

MAX_HASHED = 400_000_000
"""Bytes that one search may hash: half a second to two. What lies further from the cited place is not looked at."""
_WINDOW_COST = 400  # bytes that could be hashed in the time that a hash takes to be set up
_LISTED = 100
_BLOCK = 1 << 20  # code points; about a second to hash
_BLOCKS_SEARCHED = 8
_LINE_END = re.compile(r"[\r\n]")


class Occurrences:
    """The places of one text at which a citation's text may stand now."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._hashed: dict[int, str] = {}

    def with_sides(self, citation: Citation) -> tuple[list[tuple[int, Span]], bool]:
        """``(sides, span)`` for every place that holds the cited text and at least one of its sides, in order, and
        whether all of the text was searched. ``sides`` is 1 or 2."""
        length = citation.end - citation.start
        if length > len(self.text):
            return [], True
        blocks, complete = self._blocks_around(citation.start)
        places = set(self._before(citation.before, blocks))
        places.update(end - length for end in self._after(citation.after, blocks))
        found, budget = [], MAX_HASHED
        for start in sorted(places, key=lambda place: abs(place - citation.start)):
            if not 0 <= start <= len(self.text) - length or self._splits(start) or self._splits(start + length):
                continue
            budget -= length + _WINDOW_COST
            if budget < 0:
                complete = False
                break
            if citation.fits(text_hash(self.text[start : start + length])):
                found.append((self.sides(citation, start), Span(start, start + length)))
        return sorted(found, key=lambda item: item[1]), complete

    def bare(self, citation: Citation, known: str | None = None) -> tuple[list[Span], bool]:
        """Every place that holds the cited text, whatever stands beside it, and whether all of the text was searched.

        ``known`` is the cited text, where the caller has it; then the search is a plain one.
        """
        length = citation.end - citation.start
        starts = self._find(known) if known is not None else self._scan(citation)
        found: list[Span] = []
        for start in starts:
            if start < 0 or len(found) == _LISTED:
                return sorted(found), False
            found.append(Span(start, start + length))
        return sorted(found), True

    def sides(self, citation: Citation, start: int) -> int:
        """How many sides of the cited text stand around a text of its length at ``start``."""
        end = start + citation.end - citation.start
        before = side_hash(side_before(self.text, start)) == citation.before
        return before + (side_hash(side_after(self.text, end)) == citation.after)

    def _splits(self, place: int) -> bool:
        """Whether the place is inside a CRLF. A line feed that has since become one is not the cited text any more."""
        return self.text[place - 1 : place + 1] == "\r\n" if place else False

    def _find(self, known: str) -> Iterator[int]:
        start = self.text.find(known)
        while start >= 0:
            yield start
            start = self.text.find(known, start + 1)

    def _scan(self, citation: Citation) -> Iterator[int]:
        """Hash window after window around the cited place; -1 where the budget is spent before the end."""
        length = citation.end - citation.start
        last = len(self.text) - length
        if last < 0:
            return
        # The windows are cut from one encoded copy; ``at`` maps code points to its bytes.
        low, high, whole = self._within_budget(citation.start, length, last)
        raw = self.text[low : high + length].encode("utf-8", "surrogatepass")
        at: Iterable[int] = range(len(raw) + 1)
        if len(raw) != high + length - low:
            at = [place for place, byte in enumerate(raw) if byte & 0xC0 != 0x80] + [len(raw)]
        view, ats, sha256, wanted = memoryview(raw), list(at), hashlib.sha256, bytes.fromhex(citation.digest)
        for window in range(high - low + 1):
            found = sha256(view[ats[window] : ats[window + length]])
            if found.digest()[:8] == wanted and citation.fits(found.hexdigest()):
                yield low + window
        if not whole:
            yield -1

    @staticmethod
    def _within_budget(start: int, length: int, last: int) -> tuple[int, int, bool]:
        """The first and last window to be hashed, and whether those are all."""
        windows = max(1, MAX_HASHED // (length + _WINDOW_COST))
        if windows > last:
            return 0, last, True
        low = min(max(0, start - windows // 2), last - windows)
        return low, low + windows, False

    # -- places by the hash of a side -------------------------------------------------------------------------------

    @cached_property
    def _solid(self) -> str:
        """The text without its line ends: sides are made of it."""
        return without_line_ends(self.text)

    @cached_property
    def _line_ends(self) -> list[int]:
        """For each line end, how much of the solid text stands before it."""
        if len(self._solid) == len(self.text):
            return []
        return [found.start() - index for index, found in enumerate(_LINE_END.finditer(self.text))]

    def _blocks_around(self, place: int) -> tuple[list[int], bool]:
        """The numbers of the blocks of the solid text to be searched, and whether those are all of them."""
        count = len(self._solid) // _BLOCK + 1
        nearest = sorted(range(count), key=lambda block: abs(block * _BLOCK + _BLOCK // 2 - place))
        return sorted(nearest[:_BLOCKS_SEARCHED]), count <= _BLOCKS_SEARCHED

    def _hashes(self, block: int) -> str:
        """The hash of the code points from each place of a block of the solid text on, itself as one code point.

        That is 16 bits, and no other container can be searched for them as fast as a string can.
        """
        if block not in self._hashed:
            solid, sha256 = self._solid, hashlib.sha256
            found = b"".join(
                sha256(solid[place : place + SIDE_LENGTH].encode("utf-8", "surrogatepass")).digest()[:2]
                for place in range(block * _BLOCK, min((block + 1) * _BLOCK, len(solid) + 1))
            )
            self._hashed[block] = "".join(map(chr, array("H", found)))
        return self._hashed[block]

    def _before(self, side: str, blocks: list[int]) -> Iterator[int]:
        """Places in the text before which this side stands."""
        for place in range(min(SIDE_LENGTH, len(self._solid) + 1)):
            if side_hash(self._solid[:place]) == side:
                yield from self._outer(place)
        for place in self._inner(side, blocks):
            if place + SIDE_LENGTH <= len(self._solid):
                yield from self._outer(place + SIDE_LENGTH)

    def _after(self, side: str, blocks: list[int]) -> Iterator[int]:
        """Places in the text after which this side stands."""
        for place in self._inner(side, blocks):
            yield from self._outer(place)

    def _inner(self, side: str, blocks: list[int]) -> Iterator[int]:
        wanted = chr(int.from_bytes(bytes.fromhex(side), sys.byteorder))
        for block in blocks:
            hashes = self._hashes(block)
            place = hashes.find(wanted)
            while place >= 0:
                yield block * _BLOCK + place
                place = hashes.find(wanted, place + 1)

    def _outer(self, place: int) -> range:
        """The places of the text that one of the solid text can be: before, between and after the line ends there."""
        ends = self._line_ends
        return range(place + bisect_left(ends, place), place + bisect_right(ends, place) + 1)
