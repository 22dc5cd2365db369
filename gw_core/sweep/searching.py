"""The first match of a pattern in each record of a segment: fast, and under a time limit.

``re`` never gives up by itself. Timer signals stop it, which only the main thread receives: on any other thread there
is no limit. A whole segment has one timer; if that expires, its records are tried one by one and those that take too
long are named.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import compress
from typing import Any

from gw_core.timed import ExpiredError, limited

try:
    from re import _parser as _sre  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_parse as _sre

SEGMENT_SECONDS = 1.0
RECORD_SECONDS = 0.05
IMPATIENT = 20
"""After so many records that took too long, each further one is given a fifth of the time."""
TOO_SLOW = "the pattern takes too long on it"

_RARE = 4  # a literal in less than a fourth of the records is worth looking for first

Match = re.Match[str] | None


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python about syntax that may change
        return re.compile(pattern)


class Searcher:
    """Searches for one sweep: it remembers how often a pattern took too long."""

    def __init__(self) -> None:
        self.expired = 0

    def search(self, pattern: re.Pattern[str], texts: Texts) -> tuple[list[Match], list[int]]:
        """The first match in each text, and the indexes of those on which it takes too long."""
        patience = 0.2 if self.expired >= IMPATIENT else 1.0
        try:
            return limited(lambda: _found(pattern, texts), SEGMENT_SECONDS * patience), []
        except ExpiredError:
            return self._one_by_one(pattern, texts.texts)

    def _one_by_one(self, pattern: re.Pattern[str], texts: Sequence[str]) -> tuple[list[Match], list[int]]:
        found: list[Match] = []
        slow: list[int] = []
        for index, text in enumerate(texts):
            patience = 0.2 if self.expired >= IMPATIENT else 1.0
            try:
                found.append(limited(lambda text=text: pattern.search(text), RECORD_SECONDS * patience))  # type: ignore[misc]
            except ExpiredError:
                found.append(None)
                slow.append(index)
                self.expired += 1
        return found, slow


class Texts:
    """The texts of some records of a segment, cut out when they are first asked for."""

    def __init__(self, whole: str, starts: Sequence[int], ends: Sequence[int]) -> None:
        self.whole = whole
        self.starts = starts
        self.ends = ends

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def texts(self) -> list[str]:
        return list(map(self.whole.__getitem__, map(slice, self.starts, self.ends)))

    def only(self, keep: Sequence[bool]) -> Texts:
        return Texts(self.whole, list(compress(self.starts, keep)), list(compress(self.ends, keep)))


def _found(pattern: re.Pattern[str], texts: Texts) -> list[Match]:
    literal = required(pattern.pattern, pattern.flags)
    if literal and texts.whole.count(literal) * _RARE < len(texts):
        return _rare(pattern, texts, literal)
    return list(map(pattern.search, texts.texts))


def _rare(pattern: re.Pattern[str], texts: Texts, literal: str) -> list[Match]:
    """Matches only where the literal stands, which is found at the speed of memory."""
    whole, starts, ends = texts.whole, texts.starts, texts.ends
    found: list[Match] = [None] * len(starts)
    at = whole.find(literal)
    while at >= 0:
        index = bisect_right(starts, at) - 1
        if index >= 0 and at + len(literal) <= ends[index]:
            found[index] = pattern.search(whole[starts[index] : ends[index]])
            at = whole.find(literal, ends[index])
        else:
            at = whole.find(literal, at + 1)
    return found


@lru_cache(maxsize=256)
def required(pattern: str, flags: int = 0) -> str:
    """The longest text that stands in whatever a pattern matches; empty where none is known.

    >>> required(r"status: (?P<status>\\w+)")
    'status: '
    """
    return max(_required(pattern, flags), key=len, default="")


def needs_line_end(pattern: str) -> bool:
    """Whether whatever a pattern matches holds a line end, so that it never matches in a line."""
    return any("\n" in one or "\r" in one for one in _required(pattern, 0))


def _required(pattern: str, flags: int) -> list[str]:
    if flags & re.IGNORECASE:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _literals(_sre.parse(pattern, flags & ~re.UNICODE))
    except (re.error, RecursionError, OverflowError):
        return []


def _literals(items: Iterable[tuple[Any, Any]]) -> list[str]:
    """Runs of characters that every match holds."""
    runs = [""]
    for op, arg in items:
        name = str(op)
        if name == "LITERAL":
            runs[-1] += chr(arg)
            continue
        if name == "SUBPATTERN":
            if not arg[1] & re.IGNORECASE:
                runs += _literals(arg[3])
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            if arg[0]:
                runs += _literals(arg[2])
        elif name == "ATOMIC_GROUP":
            runs += _literals(arg)
        elif name == "AT":
            continue  # takes no room
        runs.append("")
    return runs
