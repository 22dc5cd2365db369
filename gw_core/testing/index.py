"""Storage for a component under test: a real SQLite file with the chunks in it, gone when the test is done."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

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

    def __init__(self, folder: Path, prefix: str = "testing_component", *, writable: bool = True) -> None:
        self.prefix = prefix
        self.writable = writable
        self._folder = folder
        self._open()

    def _open(self) -> None:
        self.connection = apsw.Connection(str(self._folder / "index.db"))
        self.connection.set_busy_timeout(5000)
        self.connection.execute("PRAGMA journal_mode = wal; PRAGMA synchronous = off")
        self.connection.execute(_SCHEMA)

    @property
    def folder(self) -> Path:
        folder = self._folder / self.prefix
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

    def reopen(self) -> TemporaryIndex:
        """Close the file and open it again, as the next process would. Returns itself."""
        self.connection.close()
        self._open()
        return self

    def close(self) -> None:
        self.connection.close()


@contextlib.contextmanager
def temporary_index(prefix: str = "testing_component", *, chunks: Iterable[Chunk] = ()) -> Iterator[TemporaryIndex]:
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


def _chunk(row: Sequence[object]) -> Chunk:
    number, path, start, end, text, kind, label, context = row
    spans = tuple(Span(*pair) for pair in json.loads(str(context)))
    return Chunk(int(str(number)), str(path), int(str(start)), int(str(end)), str(text), str(kind), str(label), spans)
