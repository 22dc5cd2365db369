"""Offsets to lines and columns, as editors count: from 1; ``\\n``, ``\\r\\n`` and a lone ``\\r`` each end a line.

Form feeds, U+2028 and the other separators that :meth:`str.splitlines` knows don't.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

_END = re.compile(r"\r\n?|\n")


class Lines:
    """The lines of one text; the table is built when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line starts, ascending; the first is 0. A final line end starts an empty line."""
        if "\r" in self.text:
            return [0, *(found.end() for found in _END.finditer(self.text))]
        starts, find, position = [0], self.text.find, 0
        while position := find("\n", position) + 1:
            starts.append(position)
        return starts

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, offset: int) -> int:
        """The line that the character at ``offset`` stands in; a line end belongs to the line that it ends."""
        return bisect_right(self.starts, offset)

    def position(self, offset: int) -> tuple[int, int]:
        """``(line, column)``, both from 1; columns count code points."""
        line = self.line(offset)
        return line, offset - self.starts[line - 1] + 1

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The first and last line that the half-open span touches; for an empty one, where it stands."""
        return self.line(start), self.line(max(start, end - 1))

    def offset(self, line: int, column: int = 1) -> int:
        """The offset of a place; past the last line it is the end of the text, and columns stay within their line."""
        if line > len(self.starts):
            return len(self.text)
        start = self.starts[max(line, 1) - 1]
        stop = self.starts[line] if 0 < line < len(self.starts) else len(self.text)
        return min(start + max(column, 1) - 1, stop)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """``(start, end)`` of whole lines, line ends included."""
        return self.offset(first), self.offset(last + 1)
