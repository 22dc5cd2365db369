"""The chunker for text, Markdown and, line by line, source code: blocks that belong together, packed to a size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gw_core.errors import ConfigError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import ChunkSpan, Document, Identity, Span
from gw_core.protocols import Chunker
from gw_plugins.chunkers.cutting import Blocks, Sizes, cut_code, cut_prose, skip_space
from gw_plugins.chunkers.outline import Outline, outline

VERSION = "1"
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?\d{1,3}[.)])[ \t]")
_DENSE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_DENSE_SHARE = 0.4  # one ideograph or syllable says as much as 2.5 letters
_SAMPLE = 1_000


class Text:
    """Chunks of about ``target`` characters that end where paragraphs, sentences or lines end.

    Headings begin a chunk and give it its label; a section that fits is one chunk, and tiny neighbouring sections share
    one. Paragraphs, lists, tables and fenced blocks are kept whole where they fit into ``limit``, which no chunk ever
    exceeds. Where a paragraph has to be cut, up to ``overlap`` characters of whole sentences are repeated.
    Source code is cut at blank lines, in whole lines, without overlap. All sizes are in code points, of alphabetic
    text; in Chinese, Japanese and Korean, which say more with each, all three count 0.4 times.
    """

    def __init__(self, target: int = 1200, limit: int = 3200, overlap: int = 200) -> None:
        if not (64 <= target <= limit and 0 <= overlap <= target // 2):
            raise ConfigError(
                f"chunker text: target={target}, limit={limit}, overlap={overlap} do not fit together",
                hint="64 <= target <= limit, 0 <= overlap <= target / 2",
            )
        self._sizes = Sizes(target, limit, overlap)
        self.identity = Identity("text", VERSION, {"target": target, "limit": limit, "overlap": overlap})

    def spans(self, document: Document) -> Iterator[ChunkSpan]:
        text = document.text
        if "\r" in text and "\n" not in text:
            text = text.replace("\r", "\n")  # the same offsets, and one kind of line end for all that follows
        sizes = self._scaled(text)
        if document.kind == "code":
            return _code(text, sizes)
        return _sections(text, document.kind, sizes)

    def _scaled(self, text: str) -> Sizes:
        """Smaller sizes for ideographic text, told from three samples so that it costs the same for any length."""
        if text.isascii():
            return self._sizes
        middle = len(text) // 2
        sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE] + text[-_SAMPLE:]
        if 3 * len(_DENSE.findall(sample)) < len(sample):
            return self._sizes
        target, limit, overlap = self._sizes.target, self._sizes.limit, self._sizes.overlap
        return Sizes(int(target * _DENSE_SHARE), int(limit * _DENSE_SHARE), int(overlap * _DENSE_SHARE))


def _code(text: str, sizes: Sizes) -> Iterator[ChunkSpan]:
    for start, end in cut_code(text, 0, len(text), sizes, Blocks(text)):
        yield ChunkSpan(start, _trimmed(text, start, end), "code")


def _sections(text: str, kind: str, sizes: Sizes) -> Iterator[ChunkSpan]:
    found = outline(text, kind)
    blocks = Blocks(text)
    for start, end, path in _grouped(found, len(text), sizes.target):
        label = " > ".join(path)
        header: Span | None = None  # of the table that goes on from the piece before
        for first, cut in cut_prose(text, start, end, sizes, blocks, fence_at=found.fence_at):
            last = _trimmed(text, first, cut)
            whole = label and first == skip_space(text, start, end) and not text[last:end].strip()
            piece = "section" if whole else _kind(text, first, last, found)
            if piece != "table":
                header = None
                yield ChunkSpan(first, last, piece, label)
            elif header and not text[header.end : first].startswith("\n\n"):
                yield ChunkSpan(first, last, piece, label, (header,))
            else:
                header = _header(text, first, last)
                yield ChunkSpan(first, last, piece, label)


def _grouped(found: Outline, length: int, target: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Sections as (start, end, heading path), tiny ones joined to what follows them in the same parent."""
    headings = found.headings
    start, path = 0, ()  # type: tuple[int, tuple[str, ...]]
    for index, heading in enumerate(headings):
        so_far = heading.start - start
        below = heading.path[: len(path)] == path
        beside = len(path) > 1 and len(heading.path) == len(path) and heading.path[:-1] == path[:-1]
        if so_far < target // 4 and below:
            end = headings[index + 1].start if index + 1 < len(headings) else length
            if not path or end - heading.start > 2 * so_far:
                path = heading.path  # most of the chunk is about this
        elif so_far < target // 8 and beside:
            path = path[:-1]
        else:
            if so_far:
                yield start, heading.start, path
            start, path = heading.start, heading.path
    if start < length:
        yield start, length, path


def _trimmed(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip()) if text[end - 1].isspace() else end


def _kind(text: str, start: int, end: int, found: Outline) -> str:
    """What a piece consists of, told from its first characters and, where these are telling, its lines."""
    fence = found.fence_at(start + 1)
    if fence and end <= fence[1]:
        return "code"
    if text[start] == "|" or text.startswith("+-", start):
        rows = text[start:end].splitlines()
        return "table" if all(row.lstrip()[:1] in ("|", "+") for row in rows) else "text"
    if _ITEM.match(text, start):
        lines = text[start:end].splitlines()
        return "list" if all(line[:1] in ("", " ", "\t") or _ITEM.match(line) for line in lines) else "text"
    return "text"


def _header(text: str, start: int, end: int) -> Span | None:
    """The head of a pipe table: its first row, if a row of dashes follows."""
    rows = text[start:end].splitlines(keepends=True)[:2]
    if len(rows) == 2 and "-" in rows[1] and not rows[1].strip(" \t\r\n|:-+="):
        return Span(start, start + len((rows[0] + rows[1]).rstrip()))
    return None


@hookimpl
def gw_register_chunkers(register: Register[Chunker]) -> None:
    register("text", "gw_plugins.chunkers.text:Text", help="paragraphs, sections, lists, tables and lines; the default")
