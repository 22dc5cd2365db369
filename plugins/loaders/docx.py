"""Word documents (.docx): paragraphs, headings, lists, tables and notes, in the order of the text.

A document is a ZIP archive of XML files, and the standard library reads both; what it needs on top is a limit on how
much is unpacked, and to refuse document type definitions, through which entities could grow without end. It all
happens in a process of its own, as a hundred kilobytes of archive can become millions of elements.

Paragraphs are separated by a blank line, headings begin with as many ``#`` as their level, items of lists with ``- ``,
and the cells of a table's row are joined by `` | ``. Deleted text, headers, footers and comments are left out.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Annotated
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from gw_core.errors import LoadError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Loaded
from gw_core.protocols import Loader
from gw_plugins.loaders.isolated import LIMITS, Isolated

MAX_UNPACKED = 128 << 20
"""Bytes that one part of the archive may unpack to."""
SECONDS = 10.0  # the largest documents take two
_ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of encrypted documents, and of old .doc files
_HEADING = re.compile(r"heading ([1-9])")
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_SKIPPED = frozenset(("Fallback", "pPr", "rPr", "delText", "instrText", "del", "moveFrom"))
_MAX_DEPTH = 200


class Docx:
    """``seconds``: how long the extraction of one file may take."""

    name = "docx"
    version = "1"
    extracts = True
    suffixes: Sequence[str] = (".docx", ".docm", ".dotx")

    def __init__(self, seconds: Annotated[float, LIMITS] = SECONDS) -> None:
        self._extract = Isolated("gw_plugins.loaders.docx:extract", seconds)

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:  # noqa: ARG002
        text, found = self._extract(data)
        return Loaded(text, found, "docx")


def extract(data: bytes) -> tuple[str, str]:
    """The text of a document. Runs in a process of its own."""
    if data.startswith(_ENCRYPTED):
        raise LoadError("it is encrypted, or an old .doc file", reason="encrypted")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            text = "\n".join(_lines(archive))
    except LoadError:
        raise
    except RuntimeError as error:  # what zipfile raises for a password
        raise LoadError(f"it cannot be unpacked: {error}", reason="encrypted") from error
    except (
        zipfile.BadZipFile, zlib.error, expat.ExpatError, KeyError, EOFError, OSError, ValueError,
        NotImplementedError,
    ) as error:  # fmt: skip
        message = " ".join(str(error).split())[:200]
        raise LoadError(f"no Word document can be read: {message}", reason="damaged") from error
    text = text.strip("\n")
    return text + "\n" if text else "", "utf-8"


def _lines(archive: zipfile.ZipFile) -> Iterator[str]:
    names = set(archive.namelist())
    levels = _heading_levels(archive) if "word/styles.xml" in names else {}
    yield from _blocks(archive, "word/document.xml", levels)
    for part in ("word/footnotes.xml", "word/endnotes.xml"):
        if part in names:
            yield from _blocks(archive, part, levels)


def _heading_levels(archive: zipfile.ZipFile) -> dict[str, int]:
    """The styles that are headings; their ids are in the language of the program that wrote the file."""
    levels = {}
    style = ""
    for opens, element in _events(archive, "word/styles.xml"):
        if opens and element.tag == "style":
            style = element.get("styleId", "")
        elif opens and element.tag == "name" and style:
            name = element.get("val", "").lower()
            if found := _HEADING.fullmatch(name):
                levels[style] = min(int(found[1]), 6)
            elif name == "title":
                levels[style] = 1
    return levels


def _blocks(archive: zipfile.ZipFile, part: str, levels: dict[str, int]) -> Iterator[str]:
    """Lines of text, with empty ones between blocks."""
    skipped = tables = 0
    was_item = False
    for opens, element in _events(archive, part):
        if element.tag in _SKIPPED:
            skipped += 1 if opens else -1
        elif skipped:
            continue
        elif element.tag == "tbl":
            tables += 1 if opens else -1
            if not opens and not tables:
                yield from _rows(element)
                yield ""
                element.clear()
        elif element.tag == "p" and not opens and not tables:
            mark, is_item = _mark(element, levels)
            text = _run_text(element).strip()
            element.clear()
            if not text:
                continue
            if was_item and not is_item:
                yield ""
            yield mark + text
            if not is_item:
                yield ""
            was_item = is_item


def _mark(paragraph: Element, levels: dict[str, int]) -> tuple[str, bool]:
    """What the line of a paragraph begins with, and whether it is an item of a list."""
    properties = paragraph.find("pPr")
    if properties is None:
        return "", False
    style = properties.find("pStyle")
    level = levels.get(style.get("val", ""), 0) if style is not None else 0
    if level:
        return "#" * level + " ", False
    return ("- ", True) if properties.find("numPr") is not None else ("", False)


def _rows(table: Element) -> Iterator[str]:
    for row in _inside(table, "tr"):
        # A table in a cell is part of that cell's text.
        line = " | ".join(" ".join(_run_text(cell).split()) for cell in _inside(row, "tc"))
        if line.strip(" |"):
            yield line


def _inside(element: Element, wanted: str, depth: int = 0) -> Iterator[Element]:
    """The nearest elements below of this name, through whatever wraps them (content controls, insertions)."""
    _check_depth(depth)
    for child in element:
        if child.tag == wanted:
            yield child
        elif child.tag not in ("tr", "tc", *_SKIPPED):
            yield from _inside(child, wanted, depth + 1)


def _run_text(element: Element, depth: int = 0) -> str:
    """The text of an element in order; a paragraph inside (of a cell, or a text box) ends with a line end."""
    _check_depth(depth)
    parts = []
    for child in element:
        tag = child.tag
        if tag == "t":
            parts.append(child.text or "")
        elif tag in _BREAKS:
            parts.append(_BREAKS[tag])
        elif tag not in _SKIPPED:
            parts.append(_run_text(child, depth + 1) + ("\n" if tag == "p" else ""))
    return "".join(parts)


def _check_depth(depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise LoadError("its elements nest too deeply", reason="damaged")


# --- XML --------------------------------------------------------------------------------------------------------------


def _events(archive: zipfile.ZipFile, part: str) -> Iterator[tuple[bool, Element]]:
    """``(opens, element)`` as the part is unpacked and parsed, piece by piece; names are without their namespaces."""
    builder = TreeBuilder()
    events: list[tuple[bool, Element]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        events.append((True, builder.start(_local(name), {_local(key): value for key, value in attributes.items()})))

    def refuse(*_: object) -> None:
        raise LoadError("its XML has a document type definition", reason="damaged")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: events.append((False, builder.end(_local(name))))
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    unpacked = 0
    with archive.open(part) as stream:
        while piece := stream.read(1 << 16):
            unpacked += len(piece)
            if unpacked > MAX_UNPACKED:
                raise LoadError(f"it unpacks to more than {MAX_UNPACKED} bytes", reason="too-large")
            parser.Parse(piece, False)
            yield from events
            events.clear()
    parser.Parse(b"", True)
    yield from events


def _local(name: str) -> str:
    return name.rpartition(":")[2]


@hookimpl
def gw_register_loaders(register: Register[Loader]) -> None:
    register("docx", "gw_plugins.loaders.docx:Docx", help="the text of Word documents")
