"""Which lines of a text only say what the lines below them are about: headings, header rows, keys, definitions.

A title holds the words of a question and no answer to it. Such a unit is context for those that it stands above: a
heading for all up to the next one of its rank, a table's first row for the other rows, a line that ends in a colon, or
a section's name in brackets, for what is indented below it or follows at once, the line of a definition for its
comment, or for the first line below it. One with nothing below it is a unit like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from gw_core.text.sentences import LINE_KINDS

NEXT = 0.8
"""Worth of a term that stands just above: in the heading, the header row, the key, the defining line."""
DEFINED = 1.0
"""Worth of a term of a defining line in the first line of its comment: that is about nothing else."""
BELOW = 0.5
"""Worth of a term that stands further above."""

_LONGEST_TITLE = 80
_MOST_TITLES = 2
"""Lone lines in a row; more of them are a list."""
_SIGNATURE = 12
"""Lines after which the head of a definition is taken to have ended."""
_COMMENT = 8
_COLUMN_NAME_WORDS = 4

_MARKED = re.compile(r"(#{1,6}) +\S")
_UNDERLINE = re.compile(r"(=|-|~|\^|\*|\"|`|\+|#)\1{2,}")
_SENTENCE_END = frozenset(".!?:;,…。！？：；，、।۔؟")
_NO_TITLE = re.compile(r"[-*+•‣◦▪·] |\(?\d{1,3}[.)] |[|│┌├└>]|```|~~~|\.\. |:\w[^:\n]{0,40}:|.*(?: = |: |\t| \| )")
_SECTION = re.compile(r"\[{1,2}[^\[\]]+\]{1,2}")
_OPENING = re.compile(r"[-*] *[\w\"'. -]+:|[\w\"'.-]+(?: +[\w\"'.-]+)?\s*[:=]?\s*[{\[(]|[\w\"'. -]+: *[|>][+-]?")
_MODIFIERS = r"(?:(?:public|private|protected|static|final|abstract|async|export|default|pub|inline|const|unsafe) +)*"
DEFINITION = re.compile(
    rf"{_MODIFIERS}(?:class|def|fn|func|function|interface|struct|enum|trait|module|record|sub)\s+(?:\([^)]*\)\s*)?"
    r"(?P<name>[\w$]+)\s*(?:[(\[<:{]|\Z|(?:extends|implements|for)\b)"
)
"""A line that defines a function, a class or the like, in most languages."""
_NO_KEY = re.compile(rf"[)\]}}]|{DEFINITION.pattern}")
_REMARK = re.compile(r"[rbuRBU]?(?:\"\"\"|''')|[rbuRBU]?[\"']|#(?!!)|//|/\*|\*|--|;;|<!--")
_LONG_STRING = re.compile(r"[rbuRBU]?(\"\"\"|''')")
_RULE = re.compile(r"(?=[^-=─]*[-=─]{2})[|+:\-=─┼┤├ \t]+")
_SEPARATORS = ("|", "\t", ",", ";")
_FIELD = {",": re.compile(r'(?:"[^"]*"|[^,"])*'), ";": re.compile(r'(?:"[^"]*"|[^;"])*')}
_NAME_OF_COLUMN = re.compile(r"[\"'`*]*[^\W\d][\w .,;\-/%#&]*(?:\([^()]*\))?[\"'`*]*")


class Role(Enum):
    """What a unit is to those below it."""

    HEADING = "heading"
    HEADER = "header"
    KEY = "key"
    DEFINITION = "definition"


@dataclass(slots=True)
class Unit:
    """One unit of a text. ``above`` lists its context, as indices of units, and what a term there is worth."""

    role: Role | None = None
    above: dict[int, float] = field(default_factory=dict)
    header: str = ""
    """The header row of the table that it is a row of."""
    separator: str = ""
    """What parts the cells, if it is a row of a table with a header."""


def outline(text: str, kind: str, bounds: Sequence[tuple[int, int]], header: str = "") -> list[Unit]:
    """The units of ``text``, parallel to their ``bounds``; ``kind`` as for :func:`gw_core.text.sentences.bounds`.

    ``header`` is the header row of a table that the text is cut from and begins in the middle of.
    """
    return _Outline(text, kind, bounds, header).units


class _Outline:
    def __init__(self, text: str, kind: str, bounds: Sequence[tuple[int, int]], header: str) -> None:
        self._given = header
        self.units = [Unit() for _ in bounds]
        self._bounds = bounds
        self._lines = [text[start:end] for start, end in bounds]
        self._by_line = kind in LINE_KINDS
        ends = [0, *(end for _, end in bounds)]
        self._gaps = [_line_ends(text[end:start]) for end, (start, _) in zip(ends, bounds, strict=False)]
        """Line ends before each unit."""
        self._indents = [start - 1 - max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) for start, _ in bounds]
        self._rank: dict[int, int] = {}
        if len(bounds) > 1 or header:
            self._tables()
            self._headings()
            self._definitions()
            self._keys()

    def _link(self, above: int, below: int, worth: float) -> None:
        known = self.units[below].above
        known[above] = max(worth, known.get(above, 0.0))

    # -- tables -----------------------------------------------------------------------------------------------------

    def _tables(self) -> None:
        at = 0
        while at < len(self._lines):
            separator = self._separator(at)
            last = self._last_row(at, separator) if separator else at
            if separator:
                self._table(at, last, separator)
            at = last + 1

    def _separator(self, at: int) -> str:
        line = self._lines[at]
        if "\n" in line or "\r" in line:
            return ""
        several = _SEPARATORS if self._by_line else _SEPARATORS[:2]
        return next((each for each in several if each in line.strip("| ") or (each == "|" and line[0] == "|")), "")

    def _last_row(self, first: int, separator: str) -> int:
        """The last of the rows that follow each other line by line and have as many cells as the first."""
        size = len(cells(self._lines[first], separator))
        last = first
        while size > 1 and last + 1 < len(self._lines) and self._gaps[last + 1] == 1:
            line = self._lines[last + 1]
            if not _RULE.fullmatch(line) and len(cells(line, separator)) != size:
                break
            last += 1
        return last

    def _table(self, first: int, last: int, separator: str) -> None:
        rows = [at for at in range(first, last + 1) if not _RULE.fullmatch(self._lines[at])]
        header = self._given
        ruled = last > first and len(rows) and rows[0] == first and rows[1:2] != [first + 1]
        if len(rows) > 1 and (ruled or self._names_columns(first, rows[1:], separator)):
            header = self._lines[rows.pop(0)]
            self.units[first].role = Role.HEADER
        if header and len(cells(header, separator)) == len(cells(self._lines[first], separator)) > 1:
            for row in rows:
                self.units[row].header, self.units[row].separator = header, separator

    def _names_columns(self, first: int, rows: Sequence[int], separator: str) -> bool:
        """Whether the first row holds short names only, and either the others hold figures below one of them or there
        are enough rows and columns for a table."""
        names = [cell_text(self._lines[first], cell) for cell in cells(self._lines[first], separator)]
        if not all(_NAME_OF_COLUMN.fullmatch(name) and len(name.split()) <= _COLUMN_NAME_WORDS for name in names):
            return False
        if any(map(str.isdigit, self._lines[first])):
            return False
        bodies = [[cell_text(self._lines[at], cell) for cell in cells(self._lines[at], separator)] for at in rows]
        if any(all(any(map(str.isdigit, value)) for value in column) for column in zip(*bodies, strict=True)):
            return True
        return len(rows) > 1 and (separator in "|\t" or len(names) > 2)

    # -- headings ---------------------------------------------------------------------------------------------------

    def _headings(self) -> None:
        if not self._by_line:
            fenced = False
            for at, line in enumerate(self._lines):
                fenced ^= line.startswith(("```", "~~~"))
                rank = 0 if fenced else self._heading_rank(at)
                if rank:
                    self._rank[at] = rank
            self._drop_lists()
        opened: list[int] = []
        for at in range(len(self._lines)):
            if at in self._rank:
                opened = [each for each in opened if self._rank[each] < self._rank[at]]
                for each in opened:
                    self._link(each, at, BELOW)
                    self.units[each].role = Role.HEADING
                opened.append(at)
            elif opened and not _UNDERLINE.fullmatch(self._lines[at]):
                for each in opened:
                    near = each == opened[-1] and self.units[each].role is None
                    self._link(each, at, NEXT if near else BELOW)
                    self.units[each].role = Role.HEADING

    def _heading_rank(self, at: int) -> int:
        """How deep a heading is; 0 if it is none."""
        line = self._lines[at]
        marked = _MARKED.match(line)
        if marked:
            return 1 + len(marked[1])
        if len(line) > _LONGEST_TITLE or "\n" in line or not any(map(str.isalpha, line)):
            return 0
        follows = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        if self._gaps[at + 1 : at + 2] == [1] and _UNDERLINE.fullmatch(follows) and 2 * len(follows) >= len(line):
            return 2 if follows[0] == "=" else 3
        alone = (at == 0 or self._gaps[at] > 1) and at + 1 < len(self._lines) and self._gaps[at + 1] > 1
        if not alone or line[-1] in _SENTENCE_END or _NO_TITLE.match(line):
            return 0
        if at and self._lines[at - 1][-1] in "?？؟":
            return 0  # an answer in one line
        return 1 if at == 0 else 8

    def _drop_lists(self) -> None:
        """Lone lines, one after another, are items and not titles."""
        run: list[int] = []
        for at in range(len(self._lines) + 1):
            if self._rank.get(at) in (1, 8):
                run.append(at)
                continue
            if len(run) > _MOST_TITLES:
                for each in run:
                    del self._rank[each]
            run = []

    # -- definitions and keys ---------------------------------------------------------------------------------------

    def _definitions(self) -> None:
        for at, line in enumerate(self._lines):
            if not (self._by_line or line[-1] in ":{") or not DEFINITION.match(line):
                continue
            remarks = self._remarks_above(at) or self._remarks_below(at)
            for number, each in enumerate(remarks):
                self._link(at, each, DEFINED if number == 0 else BELOW)
                self.units[at].role = Role.DEFINITION

    def _remarks_above(self, at: int) -> list[int]:
        first = at
        while first and at - first < _COMMENT and self._gaps[first] == 1:
            line = self._lines[first - 1]
            if self._indents[first - 1] < self._indents[at] or not (_REMARK.match(line) or line.endswith("*/")):
                break
            first -= 1
        return [each for each in range(first, at) if any(map(str.isalpha, self._lines[each]))]

    def _remarks_below(self, at: int) -> list[int]:
        head = at
        while head - at < _SIGNATURE and head + 1 < len(self._lines) and self._lines[head][-1] not in ":{":
            head += 1
        first = head + 1
        if first >= len(self._lines) or self._indents[first] <= self._indents[at]:
            return []
        opening = _LONG_STRING.match(self._lines[first])
        if not opening:
            return [first]  # without a comment, what it does first
        last = first
        rest = self._lines[first][opening.end() :]
        while opening[1] not in rest and last - first < _COMMENT and last + 1 < len(self._lines):
            last += 1
            rest = self._lines[last]
        return [each for each in range(first, last + 1) if any(map(str.isalpha, self._lines[each]))]

    def _keys(self) -> None:
        for at, line in enumerate(self._lines[:-1]):
            if self.units[at].role is not None or self.units[at].header or _NO_KEY.match(line):
                continue
            if _SECTION.fullmatch(line) and self._gaps[at + 1] == 1:
                below = self._until(at, _SECTION)
            elif line[-1] in ":：" or (self._by_line and _OPENING.fullmatch(line)):
                below = self._indented(at) or self._block(at)
            else:
                continue
            children = min((self._indents[each] for each in below), default=0)
            for each in below:
                self._link(at, each, NEXT if self._indents[each] == children else BELOW)
                self.units[at].role = Role.KEY

    def _until(self, at: int, stop: re.Pattern[str]) -> list[int]:
        below = []
        for each in range(at + 1, len(self._lines)):
            if stop.fullmatch(self._lines[each]):
                break
            below.append(each)
        return below

    def _indented(self, at: int) -> list[int]:
        last = at
        while last + 1 < len(self._lines) and self._indents[last + 1] > self._indents[at]:
            last += 1
        return list(range(at + 1, last + 1))

    def _block(self, at: int) -> list[int]:
        """What follows a line that ends in a colon, up to the next blank line or key; in code only list items."""
        below: list[int] = []
        for each in range(at + 1, len(self._lines)):
            line = self._lines[each]
            if (below and self._gaps[each] > 1) or each in self._rank or line[-1] in ":：":
                break
            if self._by_line and not line.startswith("- "):
                break
            below.append(each)
        return below


def cells(line: str, separator: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand in it, white space and quotes around them left out. Outer bars bound no cell."""
    quoted = _FIELD.get(separator)
    found: list[tuple[int, int]] = []
    at = 0
    while at <= len(line):
        if quoted is None:
            end = line.find(separator, at)
            end = len(line) if end < 0 else end
        else:
            match = quoted.match(line, at)
            end = match.end() if match else at
            if end < len(line) and line[end] != separator:  # a quote that is never closed
                end = line.find(separator, end)
                end = len(line) if end < 0 else end
        found.append((at, end))
        at = end + 1
    if separator == "|":
        if len(found) > 1 and not line[slice(*found[0])].strip():
            del found[0]
        if len(found) > 1 and not line[slice(*found[-1])].strip():
            del found[-1]
    return [_trimmed(line, *cell) for cell in found]


def cell_text(line: str, cell: tuple[int, int]) -> str:
    return line[slice(*cell)]


def _trimmed(line: str, start: int, end: int) -> tuple[int, int]:
    while start < end and line[start].isspace():
        start += 1
    while start < end and line[end - 1].isspace():
        end -= 1
    while end - start > 1 and line[start] == line[end - 1] and line[start] in "\"'`*":
        start, end = start + 1, end - 1
    return start, end


def _line_ends(gap: str) -> int:
    return gap.count("\n") or gap.count("\r")
