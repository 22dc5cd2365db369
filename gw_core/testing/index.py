"""Storage for a component under test: a real SQLite file with the chunks in it, gone when the test is done."""

from __future__ import annotations

import contextlib
import copy
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from gw_core.model import Chunk, Span

_SCHEMA = """
CREATE TABLE IF NOT EXISTS testing_chunks (
    id INTEGER PRIMARY KEY, path TEXT, start INTEGER, end INTEGER, text TEXT, kind TEXT, label TEXT, context TEXT
)
"""
_READ = "SELECT id, path, start, end, text, kind, label, context FROM testing_chunks WHERE id = ?"


class TemporaryIndex:
    """A :class:`gw_core.protocols.Index` of its own, without a catalogue.

    Chunks that a component is to find by id are put there with :meth:`put`. Nothing begins a transaction here; do
    ``with index.connection: backend.add(chunks)`` to write as the catalogue does, all or nothing.
    """

    def __init__(self, folder: Path, prefix: str = "testing_component_") -> None:
        self.prefix = prefix
        self.writable = True
        self._folder = folder
        self._open()

    def _open(self) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if self.writable else apsw.SQLITE_OPEN_READONLY
        self.connection = apsw.Connection(str(self._folder / "index.db"), flags=flags)
        self.connection.set_busy_timeout(5000)
        if self.writable:
            for pragma in ("journal_mode = wal", "synchronous = off", "secure_delete = on"):
                self.connection.execute(f"PRAGMA {pragma}")
            self.connection.execute(_SCHEMA)

    @property
    def folder(self) -> Path:
        folder = self._folder / self.prefix.rstrip("_")
        folder.mkdir(exist_ok=True)
        return folder

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        found = []
        for wanted in ids:
            for row in self.connection.execute(_READ, (wanted,)):
                found.append(_chunk(row))
        return found

    def put(self, chunks: Iterable[Chunk]) -> list[Chunk]:
        """Store chunks, replacing those of the same id; returns them as a list."""
        stored = list(chunks)
        with self.connection:
            self.connection.executemany(
                "INSERT OR REPLACE INTO testing_chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (_row(one) for one in stored)
            )
        return stored

    def drop(self, ids: Iterable[int]) -> None:
        """Forget chunks."""
        with self.connection:
            self.connection.executemany("DELETE FROM testing_chunks WHERE id = ?", ((one,) for one in ids))

    def reopen(self, *, writable: bool = True) -> TemporaryIndex:
        """Close the file and open it again, as the next process would. Returns itself."""
        self.connection.close()
        self.writable = writable
        self._open()
        return self

    def sibling(self, prefix: str) -> TemporaryIndex:
        """The handle of another component in the same file, on the same connection."""
        other = copy.copy(self)
        other.prefix = prefix
        return other

    def tables(self) -> set[str]:
        """The names of all tables in the file, the kit's own and SQLite's left out."""
        rows = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {str(name) for (name,) in rows if name != "testing_chunks" and not str(name).startswith("sqlite_")}

    def raw(self) -> bytes:
        """The bytes of all files of the index, everything written out."""
        if self.writable:
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        return b"".join(file.read_bytes() for file in sorted(self._folder.rglob("*")) if file.is_file())

    def close(self) -> None:
        self.connection.close()


@contextlib.contextmanager
def temporary_index(prefix: str = "testing_component_", *, chunks: Iterable[Chunk] = ()) -> Iterator[TemporaryIndex]:
    """An index in a temporary folder, for a test or a benchmark; ``chunks`` are put into it first."""
    with tempfile.TemporaryDirectory(prefix="gw-testing-") as folder:
        index = TemporaryIndex(Path(folder), prefix)
        try:
            index.put(chunks)
            yield index
        finally:
            index.close()


def make_chunks(texts: Iterable[str], *, path: str = "texts/{}.txt", first: int = 1) -> list[Chunk]:
    """One chunk for each text, with ids from ``first`` on, each standing for a whole file of its own."""
    return [
        Chunk(id=number, path=path.format(number), start=0, end=len(text), text=text)
        for number, text in enumerate(texts, first)
    ]


class Ranges:
    """A :class:`gw_core.protocols.Scope` made of ranges of chunk ids, both ends inclusive."""

    def __init__(self, *ranges: tuple[int, int]) -> None:
        self.ranges: Sequence[tuple[int, int]] = sorted(ranges)

    def __contains__(self, chunk_id: int) -> bool:
        return any(first <= chunk_id <= last for first, last in self.ranges)


def _row(chunk: Chunk) -> tuple[int, str, int, int, str, str, str, str]:
    context = json.dumps([[span.start, span.end] for span in chunk.context])
    return (chunk.id, chunk.path, chunk.start, chunk.end, chunk.text, chunk.kind, chunk.label, context)


def _chunk(row: tuple[Any, ...]) -> Chunk:
    context = tuple(Span(*pair) for pair in json.loads(row[-1]))
    number, path, start, end, text, kind, label, _ = row
    return Chunk(number, path, start, end, text, kind, label, context)
