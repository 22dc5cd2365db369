"""Hiding sentences in a haystack: each a paragraph of its own, at a stated depth, its exact place known."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from gw_core.bench.tokens import count, name_of, utf8_size
from gw_core.errors import UsageError
from gw_core.trial import Place, SourceText

MOST = 0.05
"""What share of a haystack's tokens its needles may be, the signs around them included: more of them, and they would
be found among themselves rather than in the text."""

_BLANK = re.compile(r"\n(?:[ \t\f\v]*\n)+")
_INDENT = re.compile(r"[ \t]*")
# A sentence in a program stands in a comment.
_COMMENTS = {
    **dict.fromkeys(("py", "pyi", "sh", "bash", "rb", "pl", "r", "jl", "toml", "yaml", "yml", "tcl"), "# "),
    **dict.fromkeys(
        ("c", "h", "cc", "cpp", "hpp", "cs", "go", "java", "js", "kt", "rs", "swift", "ts", "scala"), "// "
    ),
    **dict.fromkeys(("sql", "lua", "hs"), "-- "),
}
_SIGNS = 12
"""About what stands around a needle in a file, in bytes: the blank line and, in code, indentation and comment sign."""


class _Boundary(NamedTuple):
    """A place between two paragraphs: in which file, at which of its characters, and whether text follows there."""

    file: int
    at: int
    follows: bool


def plant(texts: Sequence[SourceText], needles: Sequence[tuple[str, float]]) -> tuple[list[SourceText], list[Place]]:
    """The texts with each needle, a sentence and its depth, as a paragraph at the boundary of paragraphs that is
    nearest to the depth; and the place of each needle, such that its text is the needle.

    Depth 0 is before all text and 1 after all of it, measured in bytes of UTF-8 over all texts in their order. Needles
    at one boundary stand in the order of their depths. Raises ValueError for a needle that is no line of text, for a
    depth outside of 0 to 1, and if there is nothing to hide in.
    """
    boundaries, offsets = _boundaries(texts)
    if needles and not boundaries:
        raise ValueError("there is no text to hide a needle in")
    by_file: dict[int, list[tuple[int, float, int]]] = {}
    for index, (needle, depth) in enumerate(needles):
        if not needle.strip() or needle != " ".join(needle.split()):
            raise ValueError(f"not one line of text: {needle!r}")
        if not 0 <= depth <= 1:
            raise ValueError(f"a depth is between 0 and 1, not {depth}")
        chosen = _nearest(offsets, depth * offsets[-1])
        by_file.setdefault(boundaries[chosen].file, []).append((chosen, depth, index))
    places: list[Place | None] = [None] * len(needles)
    planted = list(texts)
    for file, chosen_here in by_file.items():
        hidden = [(boundaries[chosen], needles[index][0], index) for chosen, _, index in sorted(chosen_here)]
        planted[file], found = _in_file(texts[file], hidden)
        for index, place in found:
            places[index] = place
    return planted, [place for place in places if place is not None]


def _boundaries(texts: Sequence[SourceText]) -> tuple[list[_Boundary], list[int]]:
    """Every boundary of paragraphs, and how many bytes of text lie before each."""
    boundaries: list[_Boundary] = []
    sizes: list[int] = []
    for file, one in enumerate(texts):
        end = len(one.text.rstrip())
        starts = [0, *(match.end() for match in _BLANK.finditer(one.text, 0, end) if match.end() < end)]
        boundaries += (_Boundary(file, at, True) for at in starts if end)
        if end:
            boundaries.append(_Boundary(file, end, False))
            sizes += (utf8_size(one.text[at:to]) for at, to in zip(starts, [*starts[1:], end], strict=True))
            sizes.append(len(one.text) - end)
    # What follows the last boundary of all is only white space.
    return boundaries, [0, *accumulate(sizes)][: len(boundaries)]


def _nearest(offsets: Sequence[int], wanted: float) -> int:
    after = bisect_right(offsets, wanted)
    if after == len(offsets):
        return after - 1
    return after if not after or offsets[after] - wanted < wanted - offsets[after - 1] else after - 1


def _in_file(
    one: SourceText, hidden: Sequence[tuple[_Boundary, str, int]]
) -> tuple[SourceText, list[tuple[int, Place]]]:
    """``one`` with needles at boundaries of it, which ascend, and the place of each, with its index."""
    comment = _COMMENTS.get(one.path.rpartition(".")[2].lower(), "")
    parts: list[str] = []
    places: list[tuple[int, Place]] = []
    done = length = 0
    for boundary, needle, index in hidden:
        indent = _INDENT.match(one.text, boundary.at) if boundary.follows and comment else None
        before = (indent[0] if indent else "") + comment
        before = one.text[done : boundary.at] + ("" if boundary.follows else "\n\n") + before
        after = "\n\n" if boundary.follows else ""
        parts += before, needle, after
        start = length + len(before)
        places.append((index, Place(one.path, start, start + len(needle))))
        length = start + len(needle) + len(after)
        done = boundary.at
    parts.append(one.text[done:])
    return SourceText(one.path, "".join(parts)), places


def seeded(*parts: object) -> random.Random:
    """Chance that is the same for the same parts, in every process and every version of Python."""
    return random.Random("/".join(map(str, parts)))  # noqa: S311 (nothing secret)


def depths(count: int, choose: random.Random) -> list[float]:
    """So many depths, evenly spread from 0 to 1, in an order by chance."""
    spread = [at / (count - 1) if count > 1 else 0.5 for at in range(count)]
    choose.shuffle(spread)
    return spread


def size_of(needles: Sequence[str]) -> int:
    """The tokens that needles take in a haystack."""
    return sum(count(needle + " " * _SIGNS) for needle in needles)


def shares(needles: Sequence[str], tokens: int) -> list[range]:
    """In how many haystacks of ``tokens`` tokens the needles must be hidden to be at most :data:`MOST` of each: for
    each haystack, which of them. As many in one as in another, give or take one.

    Raises :class:`UsageError` where not even one needle may be hidden in such a haystack.
    """
    most = int(tokens * MOST)
    largest = max(map(size_of, ([one] for one in needles)), default=0)
    if largest > most:
        raise UsageError(
            f"a haystack of {name_of(tokens)} tokens is too small for a needle of {largest}: it would be more than "
            f"{MOST:.0%} of it",
            hint=f"ask for {name_of(-(-largest * 100 // int(100 * MOST)))} tokens or more",
        )
    number = max(1, -(-size_of(needles) // most)) if needles else 0
    while True:
        dealt = [range(len(needles) * at // number, len(needles) * (at + 1) // number) for at in range(number)]
        if all(size_of([needles[at] for at in share]) <= most for share in dealt):
            return dealt
        number += 1
