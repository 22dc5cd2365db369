"""Where the records of a text begin and end, by each way to split that a recipe knows.

A :class:`Scanner` sees a document once, piece by piece and whole lines at a time, so that a document may be larger than
memory. Offsets are code points of the text that is handed to it. A line feed, a carriage return or both together end a
line; a line of nothing but white space is blank, and no record. A record reaches from the start of its first line to
the end of its last, line end excluded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, compress
from operator import add
from zlib import crc32

from gw_core.errors import LoadError
from gw_core.records import Split
from gw_core.timed import ExpiredError, limited

Spans = tuple[list[int], list[int]]
"""Starts and ends of records, as offsets in the text. They come in order; between them lies what is no record."""

PATTERN_SECONDS = 5.0
"""CPU that the pattern of a split may take for one piece of a document."""
SEEN_AHEAD = 16
"""Characters behind a place that decide, by their hash, whether a window ends there."""

_LINE = re.compile(r"[^\r\n]+")
_LINE_START = re.compile(r"[\r\n]\s*(?=\S)")
_WORD_START = re.compile(r"\s+(?=\S)")
_NO_SPACE = re.compile(r"\S")


class Scanner:
    """What was found so far: ``starts`` and ``ends`` of records that are complete, and one that may go on.

    ``open`` is where that one begins, or -1; ``last`` is the end of its last line so far. ``by_lines``: it is handed
    whole lines only, but for the last one of a document. ``header`` is what stands above all records and gives them
    their meaning: the first row of CSV.
    """

    by_lines = True

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.open = self.last = -1
        self.header = ""

    def scan(self, text: str, at: int, end: int, *, final: bool = False) -> int:
        """Look at ``text[at:end]``; ``final``: nothing follows. Returns how far it has looked: the next ``at``.

        Raises LoadError where a pattern takes too long.
        """
        for start, stop in _solid_lines(text, at, end):
            self.line(text, start, stop)
        if final:
            self.close()
        return end

    def line(self, text: str, start: int, end: int) -> None:
        """A line that is not blank, without its end."""
        raise NotImplementedError

    def begin(self, start: int) -> None:
        self.close()
        self.open = start

    def close(self) -> None:
        if self.last > self.open >= 0:
            self.starts.append(self.open)
            self.ends.append(self.last)
        self.open = -1

    def reached(self) -> int:
        """The last place at which a record is known to begin; -1: there is none."""
        return self.open if self.open >= 0 else self.starts[-1] if self.starts else -1

    def drop(self, count: int, cut: int) -> None:
        """Forget the first ``count`` records and the first ``cut`` characters, from which offsets count no more."""
        self.starts = [start - cut for start in self.starts[count:]]
        self.ends = [end - cut for end in self.ends[count:]]
        if self.open >= 0:
            self.open -= cut
        self.last -= cut


class _Lines(Scanner):
    """Lines that are not blank."""

    def scan(self, text: str, at: int, end: int, *, final: bool = False) -> int:  # noqa: ARG002 - each is complete
        own = text[at:end]
        line_end = _only_line_end(own)
        if not line_end:
            for start, stop in _solid_lines(text, at, end):
                self.starts.append(start)
                self.ends.append(stop)
            return end
        lines = own.split(line_end)
        if not lines[-1]:
            lines.pop()
        lengths = list(map(len, lines))
        skipped = range(0, len(lines) * len(line_end), len(line_end))
        starts = list(map(add, accumulate(lengths, initial=at), skipped))
        ends = list(map(add, starts, lengths))
        if "" in lines or any(map(str.isspace, lines)):
            solid = [bool(line) and not line.isspace() for line in lines]
            starts, ends = list(compress(starts, solid)), list(compress(ends, solid))
        self.starts += starts
        self.ends += ends
        return end


class _Paragraphs(Scanner):
    """Lines with no blank line between them."""

    def line(self, text: str, start: int, end: int) -> None:
        if self.open < 0 or _line_ends(text, self.last, start) > 1:
            self.begin(start)
        self.last = end


class _Sections(Scanner):
    """From one Markdown heading to the next, of any level; what stands before the first is one, too.

    A heading is a line of one to six ``#``, or a paragraph of one line above ``===`` or ``---``. None stands in a
    fenced block.
    """

    _HASHES = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
    _UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*$")
    _FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)", re.DOTALL)

    def __init__(self) -> None:
        super().__init__()
        self._fence = ""
        self._title = -1  # where a paragraph of one line begins, if the line before was one
        self._above = -1  # the end of the line above that
        self._headed = False  # the line before was a heading

    def line(self, text: str, start: int, end: int) -> None:
        line = text[start:end]
        adjacent = self.open >= 0 and _line_ends(text, self.last, start) == 1
        title, self._title = self._title, -1
        headed, self._headed = self._headed, False
        if self._fence:
            closing = self._FENCE.match(line)
            if closing and closing[1].startswith(self._fence) and not closing[2].strip():
                self._fence = ""
        elif fence := self._FENCE.match(line):
            self._fence = fence[1]
        elif self._HASHES.match(line):
            self.begin(start)
            self._headed = True
        elif title >= 0 and adjacent and self._UNDERLINE.match(line):
            self._headed = True
            if title > self.open:
                self.last = self._above
                self.begin(title)
        elif headed or not adjacent:
            self._title, self._above = start, self.last
        if self.open < 0:
            self.open = start
        self.last = end

    def drop(self, count: int, cut: int) -> None:
        super().drop(count, cut)
        if self._title >= 0:
            self._title -= cut
            self._above -= cut


class _Rows(Scanner):
    """Rows of CSV, as Python's csv module tells them: a quoted field may hold line ends. The first row is the header,
    and no record; it decides on the separator."""

    _CLOSING = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')

    def __init__(self) -> None:
        super().__init__()
        self._opening = ""  # of a field that is quoted
        self._first = True
        self._inside = False

    def line(self, text: str, start: int, end: int) -> None:
        if not self._opening:
            self._opening = delimiter(text[start:end]) + '"'
        if not self._inside:
            self.begin(start)
        self._inside = self._stays_open(text, start, end)
        self.last = end
        if not self._inside:
            if self._first:
                self._first, self.header, self.open = False, text[self.open : end], -1
            self.close()

    def close(self) -> None:
        if self._first:  # a document that ends in its header
            self.open = -1
        super().close()

    def _stays_open(self, text: str, start: int, end: int) -> bool:
        """Whether a field is still quoted at the end of a line. Quotation marks within a field mean nothing."""
        if not self._inside:
            if text.find('"', start, end) < 0:
                return False
            at = start if text[start] == '"' else self._next_quoted(text, start, end)
            if at < 0:
                return False
            start = at + 1
        while closing := self._CLOSING.match(text, start, end):
            at = self._next_quoted(text, closing.end(), end)
            if at < 0:
                return False
            start = at + 1
        return True

    def _next_quoted(self, text: str, start: int, end: int) -> int:
        at = text.find(self._opening, start, end)
        return at if at < 0 else at + 1


class _Matches(Scanner):
    """From where the pattern matches to where it matches next; what stands before the first match is no record. The
    pattern sees one line at a time, without its end: ``^`` is the start of the line."""

    def __init__(self, pattern: str) -> None:
        super().__init__()
        self._pattern = re.compile(pattern)

    def scan(self, text: str, at: int, end: int, *, final: bool = False) -> int:
        try:
            return limited(partial(super().scan, text, at, end, final=final), PATTERN_SECONDS)
        except ExpiredError:
            message = f"the pattern of split takes too long: {self._pattern.pattern[:60]!r}"
            raise LoadError(message, reason="pattern", hint="one that repeats a repetition may never end") from None

    def line(self, text: str, start: int, end: int) -> None:
        line = text[start:end]
        for found in self._pattern.finditer(line):
            at = found.start()
            if at < len(line) and start + at != self.open:
                if before := line[:at].rstrip():
                    self.last = start + len(before)
                self.begin(start + at)
        if self.open >= 0:
            self.last = end


class _Windows(Scanner):
    """Pieces of at most ``size`` characters that begin with a word. A piece ends at a line end in its last quarter, or
    at white space there: at that one behind which the text has the least hash, so that places follow the content."""

    by_lines = False

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def scan(self, text: str, at: int, end: int, *, final: bool = False) -> int:
        while True:
            if self.open < 0:
                found = _NO_SPACE.search(text, at, end)
                if found is None:
                    return end
                self.open = found.start()
            start, most = self.open, self.open + self._size
            if most + SEEN_AHEAD > end and not final:
                return end
            at = end if most >= end else self._cut(text, start, most)
            self.last = start + len(text[start:at].rstrip())
            self.close()

    def _cut(self, text: str, start: int, most: int) -> int:
        first = max(start + 1, most - self._size // 4)
        for pattern in (_LINE_START, _WORD_START):
            places = [found.end() for found in pattern.finditer(text, first, most + 1)]
            if places:
                return min(places, key=lambda at: crc32(text[at : at + SEEN_AHEAD].encode("utf-8", "surrogatepass")))
        return most


def scanner(split: Split) -> Scanner:
    """A scanner for one document."""
    if split.kind == "regex":
        return _Matches(split.pattern)
    if split.kind == "window":
        return _Windows(split.size)
    return _SCANNERS[split.kind]()


_SCANNERS: dict[str, Callable[[], Scanner]] = {
    "line": _Lines,
    "jsonl": _Lines,
    "paragraph": _Paragraphs,
    "blank-line": _Paragraphs,
    "heading": _Sections,
    "csv": _Rows,
}


def records(text: str, split: Split) -> Spans:
    """The records of a whole document."""
    found = scanner(split)
    found.scan(text, 0, len(text), final=True)
    return found.starts, found.ends


def delimiter(line: str) -> str:
    """What separates the columns of CSV: the most frequent of four in the first line, quoted fields apart."""
    bare = re.sub(r'"[^"]*"?', "", line)
    return max(",;\t|", key=bare.count)


def settled(text: str, since: int) -> int:
    """Where the last whole line of a text that goes on ends, if it ends after ``since``; else 0.

    A carriage return at the end of the text may be half a line end.
    """
    end = len(text) - text.endswith("\r")
    return max(text.rfind("\n", since, end), text.rfind("\r", since, end)) + 1


def _solid_lines(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Lines that are not blank, without their ends."""
    for found in _LINE.finditer(text, at, end):
        if not found[0].isspace():
            yield found.span()


def _only_line_end(text: str) -> str:
    """The line end of all lines; empty where there are several kinds."""
    returns = text.count("\r")
    if not returns:
        return "\n"
    feeds = text.count("\n")
    if not feeds:
        return "\r"
    return "\r\n" if returns == feeds == text.count("\r\n") else ""


def _line_ends(text: str, start: int, end: int) -> int:
    gap = text[start:end]
    return gap.count("\n") + gap.count("\r") - gap.count("\r\n")
