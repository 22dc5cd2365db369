"""The outline of a document: its headings with their paths, and its fenced blocks, found by one scan of the text."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

MAX_TITLE = 120
_UNDERLINES = r"=\-~^\"'`#*+.:_"
# Each starts with one literal, so that the engine leaps from line end to line end.
_LANDMARK = re.compile(
    rf"\n(?=[ \t]*[#`~]|([{_UNDERLINES}])\1\1)"  # most lines are none
    r"(?: {0,3}(?P<hashes>#{1,6})[ \t]+(?P<title>[^\n]*)"
    r"|[ \t]*(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)(?=\n|\Z)"
    rf"|(?P<mark>[{_UNDERLINES}])(?P=mark){{2,}}[ \t\r]*(?=\n|\Z))"
)
_NUMBERED = re.compile(
    r"\n[ \t\r]*\n(?P<number>\d{1,3}(?:\.\d{1,3})*)(?:\.?[ \t]{2,}|[ \t])"
    r"(?P<title>[^\W\d_][^\n]{1,80}[^\s.,;:!?])(?=[ \t\r]*\n[ \t\r]*(?:\n|\Z))"
)
_MARKUP = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])|\{#[^}\n]*\}|[`*]+|[ \t]#+[ \t]*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """``start`` is where its line, or its overline, begins; ``path`` the titles from the top, its own last."""

    start: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    headings: list[Heading] = field(default_factory=list)
    fence_starts: list[int] = field(default_factory=list)
    fence_ends: list[int] = field(default_factory=list)

    def fence_at(self, offset: int) -> tuple[int, int] | None:
        """The fenced block that a cut at ``offset`` would tear: ``offset`` lies behind its start and before its end."""
        index = bisect_left(self.fence_starts, offset) - 1
        if index >= 0 and offset < self.fence_ends[index]:
            return self.fence_starts[index], self.fence_ends[index]
        return None


def outline(text: str, kind: str) -> Outline:
    """Headings (``# ATX``, underlined, numbered) and fences of ``text``, whose lines end with ``\\n`` or ``\\r\\n``.

    In ``markdown`` a hash is a heading wherever a line begins with it; in other kinds, where it may be a comment, only
    between blank lines. Underlines other than ``===`` and ``---``, overlines and numbered headings ("2.1 Method") count
    only outside ``markdown``; there the level of a style is the order of its first appearance, as in reStructuredText.
    A fence that is never closed is an ordinary line.
    """
    markdown = kind == "markdown"
    # With a line end in front, the offset of a line's end in ``padded`` is that of the next line's start in ``text``.
    padded = "\n" + text
    landmarks = list(_LANDMARK.finditer(padded))
    numbered = [] if markdown else list(_NUMBERED.finditer("\n" + padded))
    if not landmarks and not numbered:
        return Outline()
    starts, ends = _fences(landmarks)
    found = Outline([], starts, ends)
    marks = []  # start, level, title
    styles: dict[tuple[str, bool], int] = {}
    for mark in landmarks:
        start, end = mark.start(), mark.end() - 1
        if mark["fence"] or found.fence_at(start):
            continue
        if mark["hashes"]:
            if markdown or _stands_alone(text, start, end):
                marks.append((start, len(mark["hashes"]), mark["title"]))
        else:
            heading = _underlined(text, start, end, mark=mark["mark"], styles=styles, markdown=markdown)
            if heading:
                marks.append(heading)
    for mark in numbered:
        start = mark.start("number") - 2
        if not found.fence_at(start):
            marks.append((start, mark["number"].count(".") + 1, f"{mark['number']} {mark['title']}"))
    if numbered:
        marks.sort()
    return Outline(_paths(marks), starts, ends)


def _fences(landmarks: list[re.Match[str]]) -> tuple[list[int], list[int]]:
    starts, ends = [], []
    opened: re.Match[str] | None = None
    for mark in landmarks:
        if not mark["fence"]:
            continue
        if opened is None:
            opened = mark
        elif mark["fence"].startswith(opened["fence"]) and not mark["info"].strip():
            starts.append(opened.start())
            ends.append(mark.end() - 1)
            opened = None
    return starts, ends


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the line from ``start`` to ``end`` has a blank line, or nothing, before and after it."""
    above = text.rfind("\n", 0, max(0, start - 1)) + 1
    below = text.find("\n", end + 1)
    return not text[above:start].strip() and not text[end : below if below >= 0 else len(text)].strip()


def _underlined(
    text: str, start: int, end: int, *, mark: str, styles: dict[tuple[str, bool], int], markdown: bool
) -> tuple[int, int, str] | None:
    """The heading above the row of ``mark`` from ``start`` to ``end``, if there is one: its start, level and title."""
    if start < 2 or (markdown and mark not in "=-"):
        return None
    title_start = text.rfind("\n", 0, start - 1) + 1
    title = text[title_start : start - 1].strip()
    if not 0 < len(title) <= MAX_TITLE or title[0] in "|+" or len(set(title)) < 2:
        return None
    row = end - start
    if not markdown and row < 0.6 * len(title):
        return None
    above_start = text.rfind("\n", 0, max(0, title_start - 1)) + 1
    above = text[above_start:title_start].strip()
    over = not markdown and len(above) > 2 and above == mark * len(above)
    if above and not over:
        return None
    if markdown:
        return title_start, 1 if mark == "=" else 2, title
    return above_start if over else title_start, styles.setdefault((mark, over), len(styles) + 1), title


def _paths(marks: list[tuple[int, int, str]]) -> list[Heading]:
    headings = []
    stack: list[tuple[int, str]] = []
    for start, level, title in marks:
        while stack and stack[-1][0] >= level:
            stack.pop()
        stack.append((level, _plain(title)))
        headings.append(Heading(start, tuple(each for _, each in stack)))
    return headings


def _plain(title: str) -> str:
    """A title without its markup, on one line, not too long."""
    return " ".join(_MARKUP.sub(r"\1", title).split())[:MAX_TITLE]
