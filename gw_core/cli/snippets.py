"""Which lines of a passage to show, and how to fit them to a terminal's width."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from gw_core.plain import printable

Place = tuple[int, int]
Piece = tuple[str, bool]
"""Text, and whether it is a matched word."""

# A line of a passage may be a whole document without a line end; so many characters on either side of a match do.
_LINE_SHARE = 240


def matched_places(text: str, terms: Sequence[str]) -> list[Place]:
    """Where words of ``text`` have the same stem as one of the folded ``terms``; ascending, disjoint."""
    from gw_core.text.fold import tokens  # noqa: PLC0415
    from gw_core.text.stem import stems  # noqa: PLC0415

    wanted = {*terms, *stems(terms)}
    found = tokens(text)
    places: list[Place] = []
    for token, stem in zip(found, stems([one.text for one in found]), strict=True):
        if token.text not in wanted and stem not in wanted:
            continue
        if places and token.start <= places[-1][1]:
            places[-1] = (places[-1][0], max(places[-1][1], token.end))
        else:
            places.append((token.start, token.end))
    return places


def snippet(text: str, places: Sequence[Place], most_lines: int) -> Place:
    """The part of ``text`` to show: at most so many whole lines, those with the most matches; long lines are cut."""
    starts = [0]
    while (at := text.find("\n", starts[-1]) + 1) > 0:
        starts.append(at)
    ends = [*(one - 1 for one in starts[1:]), len(text)]
    counts = [0] * len(starts)
    for start, _ in places:
        counts[_line_of(starts, start)] += 1
    first = _best_window(counts, most_lines)
    last = min(first + most_lines, len(starts)) - 1
    start, end = starts[first], ends[last]
    most = most_lines * _LINE_SHARE
    if end - start > most:
        middle = next((a for a, b in places if a >= start and b <= end), start)
        start = max(start, middle - most // 2)
        end = min(end, start + most)
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start] in "\r\n":
        start += 1
    return start, end


def _line_of(starts: Sequence[int], offset: int) -> int:
    return bisect_left(starts, offset + 1) - 1


def _best_window(counts: Sequence[int], size: int) -> int:
    """The first line of the window with the most matches; of equals, the earliest."""
    current = best = sum(counts[:size])
    at = 0
    for first in range(1, max(1, len(counts) - size + 1)):
        current += counts[first + size - 1] - counts[first - 1]
        if current > best:
            best, at = current, first
    return at


def wrapped(text: str, marks: Sequence[Place], width: int, most_lines: int | None) -> Iterator[list[Piece]]:
    """``text`` in lines of at most ``width`` columns, broken at blanks where there are any; past ``most_lines`` an
    ellipsis stands for the rest."""
    count = 0
    at = 0
    for raw in text.split("\n"):
        line = raw.rstrip("\r")
        for start, end in _broken(line, width):
            if most_lines is not None and count == most_lines:
                yield [("…", False)]
                return
            count += 1
            yield list(_pieces(text, at + start, at + end, marks))
        at += len(raw) + 1


def _broken(line: str, width: int) -> Iterator[Place]:
    start = 0
    while True:
        end, columns, blank = start, 0, 0
        while end < len(line):
            columns += cells(line[end])
            if columns > width:
                break
            if line[end].isspace():
                blank = end
            end += 1
        if end == len(line):
            yield start, end
            return
        stop = blank if blank > start else max(end, start + 1)
        yield start, stop
        start = stop
        while start < len(line) and line[start].isspace():
            start += 1
        if start == len(line):
            return


def _pieces(text: str, start: int, end: int, marks: Sequence[Place]) -> Iterator[Piece]:
    at = start
    for first, last in marks:
        a, b = max(first, start), min(last, end)
        if a >= b:
            continue
        if a > at:
            yield _shown(text[at:a]), False
        yield _shown(text[a:b]), True
        at = b
    if at < end:
        yield _shown(text[at:end]), False


def _shown(text: str) -> str:
    return printable(text).replace("\t", "    ")


def cells(char: str) -> int:
    """How many columns a terminal gives to what is shown for a character."""
    if " " <= char < "\x7f":
        return 1
    shown = _shown(char)
    if shown != char:
        return len(shown)
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
