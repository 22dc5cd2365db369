"""The documents of a sweep, one after another in the order of their paths, each as text in pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, TypeVar, cast

from gw_core.corpus import Found, Skipped, walk
from gw_core.errors import NOT_TEXT, GwError, LoadError
from gw_core.files import open_regular, read_regular
from gw_core.ingest import load_document
from gw_core.pipeline import Pipeline
from gw_core.records import Recipe
from gw_core.sweep.cells import names_of
from gw_core.sweep.coverage import Coverage
from gw_core.sweep.plan import TARGET, Planned, plan
from gw_core.text.decode import blocks, decode, is_binary

PIECE = 1 << 16
"""Characters of a piece in which a text is handed to the plan."""
WHOLE = 4_000_000
"""Files of plain text up to this size, in bytes, are decoded as a whole, larger ones bit by bit."""
_HEAD = 1_000_000
_ANY = 1 << 62

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that is to be swept: ``pieces`` gives its text, in order, once.

    ``size`` is that of its file in bytes, ``decoder`` what a citation must name to be read again.
    """

    path: str
    size: int
    decoder: str
    pieces: Callable[[], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that is not swept: a reason of :data:`gw_core.corpus.REASONS`, what exactly, and its size in bytes."""

    path: str
    reason: str
    detail: str = ""
    size: int = 0


def documents(pipeline: Pipeline, below: Sequence[str]) -> Iterator[Opened | Unread]:
    """Every file at and below these relative paths, as text or with the reason why not.

    Plain text may be of any size: a large file is read bit by bit. What has to be extracted has a limit.
    """
    settings = replace(pipeline.corpus, max_bytes=_ANY)
    for one in walk(pipeline.root, below, settings):
        if isinstance(one, Skipped):
            yield Unread(one.path, one.reason, one.detail)
            continue
        try:
            yield _opened(pipeline, one)
        except LoadError as error:
            yield Unread(one.path, error.reason, error.message, one.size)
        except GwError as error:  # an extra that is missing, say
            yield Unread(one.path, "unreadable", error.message, one.size)


def _opened(pipeline: Pipeline, found: Found) -> Opened:
    loader, _ = pipeline.loader_for(found.path)
    if not loader.extracts and found.size > WHOLE:
        return _streamed(pipeline, found)
    unwanted = None if loader.extracts else is_binary
    data, _ = read_regular(pipeline.root, found.path, max(pipeline.corpus.max_bytes, WHOLE), unwanted)
    document = load_document(loader, data, "", found.path)
    text = document.text
    return Opened(
        found.path,
        len(data),
        document.decoder,
        lambda: (text[at : at + PIECE] for at in range(0, len(text), PIECE)),
    )


def _streamed(pipeline: Pipeline, found: Found) -> Opened:
    """A large file of plain text. Its beginning tells the encoding; a later byte that does not fit is an error."""
    with _stream(pipeline, found) as file:
        head = file.read(_HEAD)
    if is_binary(head):
        raise LoadError(NOT_TEXT, reason="binary")
    encoding = decode(head[: head.rfind(b"\n") + 1] or head).encoding

    def pieces() -> Iterator[str]:
        with _stream(pipeline, found) as file:
            yield from (text for _, text in blocks(cast("BinaryIO", _UpTo(file, found.size)), encoding, PIECE))

    return Opened(found.path, found.size, "" if encoding == "utf-8" else encoding, pieces)


class _UpTo:
    """A file as far as it went when it was found: one that grows as fast as it is read comes to an end, too."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int) -> bytes:
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data


def _stream(pipeline: Pipeline, found: Found) -> BinaryIO:
    return os.fdopen(open_regular(pipeline.root, found.path), "rb")


def segments(
    opened: Opened, recipe: Recipe, first: int, *, target: int = TARGET, overlap: int = 0
) -> Iterator[tuple[Planned, Sequence[str]]]:
    """The segments of a document, numbered from ``first``, each with the names of its CSV columns."""
    planned = plan(opened.path, opened.pieces(), recipe.split, target=target, overlap=overlap, first=first)
    header, names = "", list[str]()
    for one in planned:
        if one.header != header:
            header, names = one.header, names_of(one.header)
        yield one, names


def each_segment(
    pipeline: Pipeline,
    recipe: Recipe,
    below: Sequence[str],
    coverage: Coverage,
    read: Callable[[Planned, Sequence[str]], T],
    *,
    target: int = TARGET,
) -> Iterator[T]:
    """What ``read`` makes of each segment and the names of its CSV columns, in the order of the plan.

    Files that are read and those that are not are noted in ``coverage``; a LoadError of ``read`` ends its file.
    """
    number = 0
    for one in documents(pipeline, below):
        if not isinstance(one, Opened):
            coverage.add_skipped(one.path, one.reason, one.detail, one.size)
            continue
        coverage.files += 1
        try:
            for planned, names in segments(one, recipe, number, target=target):
                number += 1
                yield read(planned, names)
        except LoadError as error:  # a byte far into a large file that is none of its encoding
            coverage.add_skipped(one.path, error.reason, f"{error.message}; read up to there")
