"""Where the records of a text begin and end, by each way to split that a recipe knows.

``records`` looks at a text that begins where a record may begin: at the start of a document, or where an earlier call
found one. So a document can be cut piece by piece, and every piece finds the records that the whole would have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate

from gw_core.records import Split, SplitKind

Spans = tuple[list[int], list[int]]
"""Starts and ends of records, as offsets in the text. They come in order; between them lies what is no record."""

_LINE = re.compile(r"[^\r\n]+")
_BLANK_LINES = re.compile(r"(?:\r\n|\r|\n)(?:[ \t]*(?:\r\n|\r|\n))+")
_HEADING = re.compile(r"^(?:(?P<fence>[ ]{0,3}(?:```+|~~~+))|(?P<heading>[ ]{0,3}#{1,6}(?:[ \t]|$)))", re.MULTILINE)
_SPACE = re.compile(r"\s")
_NO_SPACE = re.compile(r"\S")


def records(text: str, split: Split) -> Spans:
    """The records of ``text``. The last one may go on where the text is cut off."""
    return _SPLITTERS[split.kind](text, split)


def _lines(text: str, _split: Split) -> Spans:
    """Lines that are not blank, without their ends (``\\n``, ``\\r\\n``, ``\\r``)."""
    if "\r" in text:
        found = [match.span() for match in _LINE.finditer(text) if not match[0].isspace()]
        return [start for start, _ in found], [end for _, end in found]
    lines = text.split("\n")
    lengths = list(map(len, lines))
    starts = list(accumulate((length + 1 for length in lengths[:-1]), initial=0))
    kept = [index for index, line in enumerate(lines) if line and not line.isspace()]
    if len(kept) == len(lines):
        return starts, [start + length for start, length in zip(starts, lengths, strict=True)]
    return [starts[index] for index in kept], [starts[index] + lengths[index] for index in kept]


def _paragraphs(text: str, _split: Split) -> Spans:
    """What stands between blank lines."""
    bounds = [0, *(at for match in _BLANK_LINES.finditer(text) for at in match.span()), len(text)]
    return _trimmed(text, zip(bounds[::2], bounds[1::2], strict=True))


def _sections(text: str, _split: Split) -> Spans:
    """From one Markdown heading to the next; what stands before the first is one, too. No heading stands in a fence."""
    starts, fence = [0], ""
    for match in _HEADING.finditer(text):
        mark = (match["fence"] or "").strip()
        if mark:
            if not fence:
                fence = mark
            elif mark.startswith(fence):
                fence = ""
        elif not fence and match.start():
            starts.append(match.start())
    return _trimmed(text, zip(starts, [*starts[1:], len(text)], strict=True))


def _rows(text: str, _split: Split) -> Spans:
    """Rows of CSV: a line that leaves a quotation mark open goes on in the next one."""
    starts, ends = [], []
    begun = -1
    for match in _LINE.finditer(text):
        odd = match[0].count('"') % 2
        if begun < 0:
            if odd:
                begun = match.start()
            elif not match[0].isspace():
                starts.append(match.start())
                ends.append(match.end())
        elif odd:
            starts.append(begun)
            ends.append(match.end())
            begun = -1
    if begun >= 0:
        starts.append(begun)
        ends.append(len(text.rstrip("\r\n")))
    return starts, ends


def _matched(text: str, split: Split) -> Spans:
    """From where the pattern matches to where it matches next; what stands before the first match is no record."""
    starts = sorted({match.start() for match in _compiled(split.pattern).finditer(text)})
    return _trimmed(text, zip(starts, [*starts[1:], len(text)][: len(starts)], strict=True))


def _windows(text: str, split: Split) -> Spans:
    """Pieces of about ``size`` characters that begin with a word, cut at white space where some is near."""
    starts, ends, at = [], [], 0
    while at < len(text):
        at = _skipped(text, at)
        if at == len(text):
            break
        starts.append(at)
        at = _cut(text, at, split.size)
        ends.append(len(text[starts[-1] : at].rstrip()) + starts[-1])
    return starts, ends


def _skipped(text: str, at: int) -> int:
    found = _NO_SPACE.search(text, at)
    return found.start() if found else len(text)


def _cut(text: str, start: int, size: int) -> int:
    if len(text) - start <= size:
        return len(text)
    near = max(start + 1, start + size - size // 5)
    spaces = [match.end() for match in _SPACE.finditer(text, near, start + size)]
    return spaces[-1] if spaces else start + size


def _trimmed(text: str, spans: Iterator[tuple[int, int]]) -> Spans:
    """The spans without white space at their ends, and without those that are nothing else."""
    starts, ends = [], []
    for start, end in spans:
        piece = text[start:end]
        inner = piece.strip()
        if inner:
            first = start + len(piece) - len(piece.lstrip())
            starts.append(first)
            ends.append(first + len(inner))
    return starts, ends


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_SPLITTERS: Mapping[SplitKind, Callable[[str, Split], Spans]] = {
    "line": _lines,
    "jsonl": _lines,
    "paragraph": _paragraphs,
    "blank-line": _paragraphs,
    "heading": _sections,
    "csv": _rows,
    "regex": _matched,
    "window": _windows,
}
