"""Cutting a stretch of text that is too long for one chunk, always at the best place within reach.

A place is the better the less it tears: a blank line (in code: one before a line that is not indented), the end of a
sentence, row or item, the end of a line, white space, and only in a text without any of these, a character. Every
decision looks at no more than one window of ``limit`` characters, so that the time is linear whatever the text holds.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from gw_core.text.sentences import bounds

_BLANK = re.compile(r"\n[ \t\r\x0b\x0c\n]*\n")
_LINE = re.compile(r"\n\s*")
_PARAGRAPH = 200  # characters; from this mean length on, a line is a paragraph
_SPACE = re.compile(r"\s*")
_CODE_BREAK = re.compile(r"[;,{}>]|\s")
_PROSE_BREAK = re.compile(r"[;:,、，；：—–]\s?|\s")
_NEAR = 40  # characters before the goal, where nearly always one of these stands
_JOINERS = "\u200d\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class Sizes:
    """All in code points. ``target``: what a chunk grows to; ``limit``: what none ever exceeds; ``overlap``: how much
    of whole sentences is repeated where a paragraph had to be cut."""

    target: int
    limit: int
    overlap: int


class Blocks:
    """Where each line begins that has a blank line before it; each line, if lines are as long as paragraphs are.

    Looked for when somebody first wants to cut: most texts are short enough to stay whole.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def starts(self) -> list[int]:
        text = self._text
        paragraphs = len(text) > _PARAGRAPH * (text.count("\n") + 1)
        return [gap.end() for gap in (_LINE if paragraphs else _BLANK).finditer(text)]

    @cached_property
    def tops(self) -> list[int]:
        """Those of code at whose place a definition may begin: nothing indented, no end of a block."""
        text = self._text
        return [each for each in self.starts if text[each : each + 1] not in " \t})]#"]


def skip_space(text: str, start: int, end: int) -> int:
    space = _SPACE.match(text, start, end)
    return space.end() if space else start


def cut_prose(
    text: str,
    start: int,
    end: int,
    sizes: Sizes,
    blocks: Blocks,
    *,
    fence_at: Callable[[int], tuple[int, int] | None],
) -> Iterator[tuple[int, int]]:
    """Pieces of ``text[start:end]``, at blank lines and ends of sentences."""
    at = skip_space(text, start, end)
    end = at + len(text[at:end].rstrip())
    done = at
    while end - at > sizes.limit:
        goal = _goal(end - at, sizes)
        last, cut = _cut(text, at, goal, sizes.limit, blocks, fence_at=fence_at)
        if cut <= done:  # all of it was repeated: go on without
            at = skip_space(text, done, end)
            continue
        yield at, cut
        done = cut
        repeat = last if at < last and cut - last <= sizes.overlap else cut
        at = skip_space(text, repeat, end)
    if at < end:
        yield at, end


def _cut(
    text: str,
    at: int,
    goal: int,
    limit: int,
    blocks: Blocks,
    *,
    fence_at: Callable[[int], tuple[int, int] | None],
) -> tuple[int, int]:
    """Where the piece from ``at`` on ends, as the second of two; the first is where the last sentence in it begins, if
    the piece ends inside of a paragraph, else the same."""
    cut = _at_block(at, goal, limit, blocks.starts, lambda offset: fence_at(offset) is None)
    fence = None if cut else fence_at(at + goal)
    if fence:
        before, after = fence
        cut = before if before - at > goal // 4 else after if after - at <= limit else 0
    if cut:
        return cut, cut
    last, cut = _at_unit(text, at, goal, limit, "code" if fence else "text")
    return (cut if fence or text[cut : cut + 1] in "\r\n" else last), cut


def cut_code(text: str, start: int, end: int, sizes: Sizes, blocks: Blocks) -> Iterator[tuple[int, int]]:
    """Pieces of ``text[start:end]`` of whole lines, at blank lines where it can be."""
    at, first = _line_start(text, start, end)
    while end - at > sizes.limit:
        goal = _goal(end - at, sizes)
        cut = (
            _last(blocks.tops, at + goal // 2, at + goal)
            or _at_block(at, goal, sizes.limit, blocks.starts)
            or _at_line(text, at, goal, sizes.limit)
            or _at_break(text, at, goal, _CODE_BREAK)
        )
        if cut <= first:  # only the indentation of a line that is too long
            at = first
            continue
        yield at, cut
        at, first = _line_start(text, cut, end)
    if at < end:
        yield at, end


def _goal(remaining: int, sizes: Sizes) -> int:
    """What the next piece should grow to: the last two share evenly what is left."""
    return sizes.target if remaining > 2 * sizes.target else (remaining + 1) // 2


def _line_start(text: str, start: int, end: int) -> tuple[int, int]:
    """The next line with something in it, and its first character that is no space; its indentation counts unless it
    is absurd."""
    if start < end and not text[start].isspace():
        return start, start
    first = skip_space(text, start, end)
    if first == end:
        return end, end
    line = max(text.rfind("\n", max(start, first - 80), first) + 1, start)
    return (line if first - line < 80 and not text[line:first].strip(" \t") else first), first


def _last(places: list[int], low: int, high: int) -> int:
    """The last of the ascending ``places`` above ``low`` and at most ``high``; 0 if there is none."""
    index = bisect_right(places, high) - 1
    return places[index] if index >= 0 and places[index] > low else 0


def _at_block(at: int, goal: int, limit: int, starts: list[int], allowed: Callable[[int], bool] | None = None) -> int:
    """The last block start up to the goal, else the first one up to the limit, else 0."""
    middle = bisect_right(starts, at + goal)
    for index in range(middle - 1, -1, -1):
        if starts[index] <= at + goal // 4:
            break
        if allowed is None or allowed(starts[index]):
            return starts[index]
    for index in range(middle, len(starts)):
        if starts[index] > at + limit:
            break
        if allowed is None or allowed(starts[index]):
            return starts[index]
    return 0


def _at_line(text: str, at: int, goal: int, limit: int) -> int:
    """The line start nearest below the goal, else the first one up to the limit, else 0."""
    cut = text.rfind("\n", at + goal // 4, at + goal) + 1
    return cut or text.find("\n", at + goal, at + limit) + 1


def _at_unit(text: str, at: int, goal: int, limit: int, kind: str) -> tuple[int, int]:
    """Start of the last sentence (row, item, line) of the piece from ``at`` on, and the end of the piece.

    Only the last part before the goal is read, from a line's or a word's start on. Where no sentence ends in it, all up
    to the limit is, and a sentence that is longer than what is left is torn.
    """
    middle = at + goal // 2
    low = max(text.rfind("\n", at, middle), text.rfind(" ", middle - 40, middle)) + 1 or middle
    window = text[low : at + goal]
    units = _whole_units(window, kind)[1:]  # the first one may have begun before the window
    if not units or low + units[-1][1] <= middle:
        low = at
        window = text[at : at + limit]
        units = _whole_units(window, kind)
        fitting = sum(last <= goal for _, last in units)
        if not fitting or units[fitting - 1][1] < goal // 4:
            fitting += 1  # the one that is too long for the goal is taken whole if it fits into the limit
        if fitting > len(units):
            cut = (kind == "code" and _at_line(text, at, goal, limit)) or _at_break(text, at, goal, _PROSE_BREAK)
            return cut, cut
        del units[fitting:]
    # The end of a line is the better end of a sentence, if it costs little.
    first, last = units[-1]
    for unit in reversed(units):
        if low + unit[1] < at + 0.7 * goal:
            break
        if window[unit[1] : unit[1] + 1] in "\r\n":
            first, last = unit
            break
    return low + first, low + last


def _whole_units(window: str, kind: str) -> list[tuple[int, int]]:
    """The sentences of ``window`` without the last one, which may go on behind it, unless a line ends with it."""
    units = bounds(window, kind)
    if units and "\n" not in window[units[-1][1] :]:
        units.pop()
    return units


def _at_break(text: str, at: int, goal: int, pattern: re.Pattern[str]) -> int:
    """The last place where ``pattern`` ends in the second half of the goal, else the goal; never inside a character
    that is written with several code points, where that can be helped."""
    for reach in (_NEAR, goal - goal // 2):
        breaks = [found.end() for found in pattern.finditer(text, max(at + goal // 2, at + goal - reach), at + goal)]
        if breaks:
            return breaks[-1]
    cut = at + goal
    for back in range(16):
        place = cut - back
        joined = text[place : place + 1]
        if not (joined in _JOINERS or text[place - 1] == "\u200d" or unicodedata.category(joined)[0] == "M"):
            return place
    return cut
