"""The catalogue: one SQLite file that holds documents, their text and their chunks. Only this module knows its tables.

Every backend is an index that can be rebuilt from it. One process writes at a time (a lock file says who);
readers work on a snapshot and never wait. A crash at any moment leaves the last committed state.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from gw_core.compression import compress, decompress
from gw_core.database import connect, damaged, make_folder, set_aside, sqlite_errors
from gw_core.errors import GwIndexError, IndexMissingError
from gw_core.files import path_bytes, path_str
from gw_core.lock import WriterLock
from gw_core.model import Chunk, ChunkSpan, Document, Span
from gw_core.rows import BackendRow, ChunkRanges, DocumentRow, FileStamp, SkippedRow

FILE_NAME = "catalogue.db"

# Code points in one compressed block: small enough that one chunk of a large document is cheap to read, large enough
# that compression pays. A block's rowid is its document's id and its number, so that no further index is needed.
BLOCK = 32_768
_BLOCK_BITS = 24
_BLOCK_BYTES = 4 * BLOCK  # the most that a block unpacks to
_MOST_AT_ONCE = 1 << 28
"""Characters that are read at once at most. An index that came with a stranger's files may claim chunks without end."""
_MOST = 1 << 38
"""More documents, chunks or characters than an index can hold: a document's id with a block's number behind it must
stay a number of SQLite."""

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL UNIQUE,
    sha256 BLOB NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    read_ns INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    loader TEXT NOT NULL,
    loader_version TEXT NOT NULL,
    kind TEXT NOT NULL,
    extracted INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    chunker TEXT NOT NULL,
    first_chunk INTEGER NOT NULL,
    last_chunk INTEGER NOT NULL
);
CREATE TABLE blocks (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    kind TEXT,
    label TEXT,
    context TEXT
);
CREATE TABLE skipped (
    path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    read_ns INTEGER NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL, loader TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE sources (path BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE backends (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, built_to INTEGER NOT NULL
);
"""

_INSERT_CHUNK = "INSERT INTO chunks VALUES (?,?,?,?,?,?,?)"


class Storage:
    """The :class:`gw_core.protocols.Index` handle of one component."""

    def __init__(self, catalogue: Catalogue, prefix: str, folder: Path) -> None:
        self._catalogue = catalogue
        self._folder = folder
        self.prefix = prefix

    @property
    def connection(self) -> apsw.Connection:
        return self._catalogue.connection

    @property
    def folder(self) -> Path:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder

    @property
    def writable(self) -> bool:
        return self._catalogue.writable

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        return self._catalogue.chunks(ids)


class Catalogue:
    """Open with :meth:`open`; use as a context manager or call :meth:`close`. Not to be shared between threads."""

    def __init__(self, folder: Path, connection: apsw.Connection, lock: WriterLock | None) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self.connection = connection
        self._lock = lock
        self._documents: dict[int, DocumentRow] = {}
        self._next_chunk: int | None = None  # known within a transaction, and written at its end
        self._version = 0  # of the state that what is remembered here was read from
        self._counted: dict[str, int] | None = None

    # -- opening and closing ------------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        write: bool = False,
        rebuild: bool = False,
        wait: float = 60.0,
        on_wait: Callable[[str], None] | None = None,
    ) -> Catalogue:
        """Open the catalogue in ``folder``; with ``write``, make it where there is none and hold the writer's lock.

        ``rebuild`` sets what is there aside, under another name, and begins anew; nothing is ever deleted.
        Waits up to ``wait`` seconds for another writer, telling ``on_wait`` who it is. Raises IndexMissingError,
        IndexForeignError, IndexVersionError or IndexBusyError.
        """
        path = folder / FILE_NAME
        if folder.is_symlink():  # it may have come with a stranger's files, and lead to another index
            raise GwIndexError(f"{folder} is a link", hint="name the place that it leads to with --index")
        if not write:
            if not path.exists():
                raise IndexMissingError(f"no index at {folder}", hint="make one: gw ingest PATH")
            with sqlite_errors(path):
                return cls(folder, connect(path, _SCHEMA, create=False), None)
        make_folder(folder)
        lock = WriterLock(folder / "writer.lock")
        lock.acquire(wait, on_wait)
        try:
            if rebuild and path.exists():
                set_aside(path)
            with sqlite_errors(path):
                return cls(folder, connect(path, _SCHEMA, create=True), lock)
        except BaseException:
            lock.release()
            raise

    def close(self) -> None:
        try:
            if self._lock is not None:
                # An error on its way out may hold a statement that is half read, and with it the table. Nothing is
                # lost: whoever opens the index next finds the log.
                with sqlite_errors(self.path), suppress(apsw.LockedError):
                    self._empty_the_log()
        finally:
            self.connection.close()
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Catalogue:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def writable(self) -> bool:
        return self._lock is not None

    @property
    def version(self) -> int:
        """Changes whenever another connection has committed."""
        self._notice_other_writers()
        return self._version

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Whatever interrupts it, Ctrl-C included, leaves the catalogue as it was."""
        with sqlite_errors(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            self._counted = None
            try:
                yield
                if self._next_chunk is not None:
                    self.set_meta("next_chunk", str(self._next_chunk))
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                self._documents.clear()
                raise
            finally:
                self._next_chunk = None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads inside see one committed state, whatever is written meanwhile."""
        with sqlite_errors(self.path):
            if self.connection.in_transaction:
                yield
                return
            self.connection.execute("BEGIN")
            self._notice_other_writers()
            try:
                yield
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def purge(self) -> None:
        """Leave nothing of what was removed: not in the write-ahead log either."""
        with sqlite_errors(self.path):
            self._empty_the_log()

    def _empty_the_log(self) -> None:
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _notice_other_writers(self) -> None:
        """Forget what was remembered, if another connection has committed since."""
        version = self.connection.pragma("data_version")
        if version != self._version:
            self._documents.clear()
            self._counted = None
            self._version = version

    def errors(self) -> AbstractContextManager[None]:
        """Turns SQLite's errors into gw's."""
        return sqlite_errors(self.path)

    # -- documents ----------------------------------------------------------------------------------------------

    _COLUMNS = (
        "id, path, sha256, size, mtime_ns, inode, read_ns, encoding, loader, loader_version, kind, extracted, chars,"
        " chunker, first_chunk, last_chunk"
    )

    def documents(self, below: Sequence[str] | None = None) -> Iterator[DocumentRow]:
        """All documents in path order, or those at or below the given relative paths (``""`` or ``"."``: all)."""
        where, values = _below(below)
        for row in self.connection.execute(f"SELECT {self._COLUMNS} FROM documents{where} ORDER BY path", values):  # noqa: S608
            yield self._document_row(row)

    def document(self, path: str) -> DocumentRow | None:
        row = self.connection.execute(
            f"SELECT {self._COLUMNS} FROM documents WHERE path = ?",  # noqa: S608
            (path_bytes(path),),
        ).fetchone()
        return None if row is None else self._document_row(row)

    def _document_by_id(self, document_id: int) -> DocumentRow:
        if (known := self._documents.get(document_id)) is not None:
            return known
        row = self.connection.execute(
            f"SELECT {self._COLUMNS} FROM documents WHERE id = ?",  # noqa: S608
            (document_id,),
        ).fetchone()
        if row is None:
            raise damaged(self.path, f"no document {document_id}")
        if len(self._documents) > 4096:
            self._documents.clear()
        self._documents[document_id] = found = self._document_row(row)
        return found

    def _document_row(self, row: tuple[Any, ...]) -> DocumentRow:
        # SQLite keeps no check sums: a flipped bit is a number like others, until somebody counts with it.
        numbers, words = (row[0], *row[3:7], *row[11:13], *row[14:16]), (*row[7:11], row[13])
        sound = all(type(one) is int for one in numbers) and all(type(one) is str for one in words)
        if not (sound and 0 < row[0] < _MOST and 0 <= row[12] < _MOST and 0 <= row[14] <= row[15] + 1 < _MOST):
            raise damaged(self.path, f"document {row[0]} has impossible numbers")
        try:
            return DocumentRow(
                row[0],
                path_str(row[1]),
                row[2].hex(),
                FileStamp(row[3], row[4], row[5], row[6]),
                row[7],
                row[8],
                row[9],
                row[10],
                bool(row[11]),
                *row[12:16],
            )
        except (AttributeError, TypeError) as error:
            raise damaged(self.path, error) from error

    def text(self, document: DocumentRow, start: int = 0, end: int | None = None) -> str:
        """The text of one span of a document; reads only the blocks that hold it."""
        return self._text(document, start, document.chars if end is None else min(end, document.chars), {})

    def _text(self, document: DocumentRow, start: int, end: int, blocks: dict[int, str]) -> str:
        """As :meth:`text`. ``blocks`` are those of the last call; it holds those of this one afterwards."""
        if start >= end:
            return ""
        if end - start > _MOST_AT_ONCE:
            raise damaged(self.path, f"document {document.id} claims {end - start} characters in one piece")
        first, last = start // BLOCK, (end - 1) // BLOCK
        base = document.id << _BLOCK_BITS
        wanted = range(base + first, base + last + 1)
        known = {number: blocks[number] for number in wanted if number in blocks}
        if len(known) < len(wanted):
            rows = self.connection.execute(
                "SELECT id, data FROM blocks WHERE id BETWEEN ? AND ?", (wanted[0], wanted[-1])
            )
            try:
                known = {
                    number: known.get(number) or decompress(data, _BLOCK_BYTES).decode("utf-8", "surrogatepass")
                    for number, data in rows
                }
            except (TypeError, ValueError) as error:
                raise damaged(self.path, error) from error
        blocks.clear()
        blocks.update(known)
        text = known.get(wanted[0], "") if len(wanted) == 1 else "".join(known.values())
        piece = text[start - first * BLOCK : end - first * BLOCK]
        if len(piece) != end - start or (len(known) > 1 and len(known[wanted[0]]) != BLOCK):
            raise damaged(self.path, f"text of document {document.id} is missing")
        return piece

    def put(self, document: Document, spans: Sequence[ChunkSpan], chunker: str, stamp: FileStamp) -> list[Chunk]:
        """Store a document with its chunks, in place of one with the same path; returns the chunks with their ids.

        The caller has told the backends to remove what :meth:`remove` returned for the old one.
        """
        return self.put_all([(document, spans, chunker, stamp)])

    def put_all(self, found: Sequence[tuple[Document, Sequence[ChunkSpan], str, FileStamp]]) -> list[Chunk]:
        """:meth:`put` for each of many documents, in a few statements; returns the chunks of all."""
        chunks: list[Chunk] = []
        documents: list[tuple[Any, ...]] = []
        rows: list[tuple[Any, ...]] = []
        top = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").get
        if top is not None and (type(top) is not int or not 0 <= top < _MOST):
            raise damaged(self.path, f"documents are counted from {str(top)[:40]!r}")
        for number, (document, spans, chunker, stamp) in enumerate(found, (top or 0) + 1):
            own = self._chunks_from(document.path, document.text, spans)
            first = own[0].id if own else self._take_ids(0)
            chunks += own
            rows += _chunk_rows(number, own)
            documents.append(
                (
                    number,
                    path_bytes(document.path),
                    bytes.fromhex(document.sha256),
                    stamp.size,
                    stamp.mtime_ns,
                    stamp.inode,
                    stamp.read_ns,
                    document.encoding,
                    document.loader,
                    document.loader_version,
                    document.kind,
                    document.extracted,
                    len(document.text),
                    chunker,
                    first,
                    first + len(own) - 1,
                )
            )
        self.connection.executemany(
            f"INSERT INTO documents ({self._COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",  # noqa: S608
            documents,
        )
        self.connection.executemany(
            "INSERT INTO blocks VALUES (?, ?)",
            (
                ((row[0] << _BLOCK_BITS) + number, compress(text[at : at + BLOCK].encode("utf-8", "surrogatepass")))
                for row, text in zip(documents, (document.text for document, *_ in found), strict=True)
                for number, at in enumerate(range(0, len(text), BLOCK))
            ),
        )
        self.connection.executemany(_INSERT_CHUNK, rows)
        return chunks

    def rechunk(self, row: DocumentRow, spans: Iterable[ChunkSpan], text: str, chunker: str) -> list[Chunk]:
        """Replace the chunks of a stored document. The backends have been told to remove the old ones."""
        self.connection.execute("DELETE FROM chunks WHERE id BETWEEN ? AND ?", (row.first_chunk, row.last_chunk))
        chunks = self._chunks_from(row.path, text, spans)
        first = chunks[0].id if chunks else self._take_ids(0)
        self.connection.execute(
            "UPDATE documents SET chunker = ?, first_chunk = ?, last_chunk = ? WHERE id = ?",
            (chunker, first, first + len(chunks) - 1, row.id),
        )
        self.connection.executemany(_INSERT_CHUNK, _chunk_rows(row.id, chunks))
        self._documents.pop(row.id, None)
        return chunks

    def _chunks_from(self, path: str, text: str, spans: Iterable[ChunkSpan]) -> list[Chunk]:
        found = list(spans)
        first = self._take_ids(len(found))
        return [
            Chunk(number, path, s.start, s.end, text[s.start : s.end], s.kind, s.label, s.context)
            for number, s in enumerate(found, first)
        ]

    def _take_ids(self, count: int) -> int:
        """The first of ``count`` new chunk ids. They are never used again, so that a backend that missed a removal
        cannot show another chunk in its place."""
        if self._next_chunk is None:
            known = self.meta("next_chunk", "1")
            if not known.isdecimal() or int(known) >= _MOST:
                raise damaged(self.path, f"chunks are counted from {known[:40]!r}")
            self._next_chunk = int(known)
        first = self._next_chunk
        self._next_chunk += count
        return first

    def remove(self, document: DocumentRow) -> range:
        """Remove a document; returns the chunk ids that the backends must remove."""
        base = document.id << _BLOCK_BITS
        run = self.connection.execute
        run("DELETE FROM documents WHERE id = ?", (document.id,))
        run("DELETE FROM blocks WHERE id BETWEEN ? AND ?", (base, base + (1 << _BLOCK_BITS) - 1))
        run("DELETE FROM chunks WHERE id BETWEEN ? AND ?", (document.first_chunk, document.last_chunk))
        self._documents.pop(document.id, None)
        return document.chunk_ids

    def rename(self, document: DocumentRow, path: str, stamp: FileStamp) -> None:
        """The same bytes are found at another path: nothing else changes."""
        self.connection.execute("UPDATE documents SET path = ? WHERE id = ?", (path_bytes(path), document.id))
        self.touch(document, stamp)

    def touch(self, document: DocumentRow, stamp: FileStamp) -> None:
        """The same bytes under a new stamp."""
        self.connection.execute(
            "UPDATE documents SET size = ?, mtime_ns = ?, inode = ?, read_ns = ? WHERE id = ?",
            (stamp.size, stamp.mtime_ns, stamp.inode, stamp.read_ns, document.id),
        )
        self._documents.pop(document.id, None)

    # -- chunks -------------------------------------------------------------------------------------------------

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        """The chunks of these ids, in this order, with their text; unknown ids are left out."""
        rows: list[tuple[Any, ...]] = []
        for at in range(0, len(ids), 500):
            part = ids[at : at + 500]
            marks = ",".join("?" * len(part))
            rows += self.connection.execute(
                f"SELECT id, document, start, end, kind, label, context FROM chunks WHERE id IN ({marks})",  # noqa: S608
                tuple(part),
            )
        # By place, so that a block that several chunks lie in is unpacked once.
        found: dict[int, Chunk] = {}
        blocks: dict[int, str] = {}
        for row in rows:
            self._check_span(self._document_by_id(row[1]), row[2], row[3])
        if sum(row[3] - row[2] for row in rows) > _MOST_AT_ONCE:
            raise damaged(self.path, f"{len(rows)} chunks claim more than {_MOST_AT_ONCE} characters")
        for row in sorted(rows, key=lambda row: (row[1], row[2])):
            document = self._document_by_id(row[1])
            found[row[0]] = self._chunk(row, document.path, self._text(document, row[2], row[3], blocks))
        return [found[chunk_id] for chunk_id in ids if chunk_id in found]

    def all_chunks(self, after: int = 0) -> Iterator[Chunk]:
        """Every chunk with an id above ``after``, by ascending id, one document in memory at a time."""
        rows: list[tuple[Any, ...]] = self.connection.execute(
            "SELECT id FROM documents WHERE last_chunk > ? ORDER BY first_chunk", (after,)
        ).fetchall()
        for (document_id,) in rows:
            document = self._document_by_id(document_id)
            yield from (chunk for chunk in self.chunks_of(document) if chunk.id > after)

    def chunks_of(self, document: DocumentRow) -> list[Chunk]:
        """The chunks of one document, in order."""
        text = self.text(document)
        rows: list[tuple[Any, ...]] = self.connection.execute(
            "SELECT id, document, start, end, kind, label, context FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id",
            (document.first_chunk, document.last_chunk),
        ).fetchall()
        for row in rows:
            self._check_span(document, row[2], row[3])
        return [self._chunk(row, document.path, text[row[2] : row[3]]) for row in rows]

    def spans_of(self, document: DocumentRow) -> list[tuple[int, int]]:
        """Start and end of each chunk of one document, in order."""
        rows: list[tuple[int, int]] = self.connection.execute(
            "SELECT start, end FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id",
            (document.first_chunk, document.last_chunk),
        ).fetchall()  # type: ignore[assignment]
        for start, end in rows:
            self._check_span(document, start, end)
        return rows

    def _chunk(self, row: tuple[Any, ...], path: str, text: str) -> Chunk:
        if not all(isinstance(one, str | None) for one in row[4:7]):
            raise damaged(self.path, f"chunk {row[0]} has bytes or numbers where text should be")
        try:
            context = tuple(Span(start, end) for start, end in json.loads(row[6])) if row[6] else ()
        except (TypeError, ValueError) as error:
            raise damaged(self.path, error) from error
        return Chunk(row[0], path, row[2], row[3], text, row[4] or "text", row[5] or "", context)

    def _check_span(self, document: DocumentRow, start: Any, end: Any) -> None:
        if not (type(start) is type(end) is int and 0 <= start <= end <= document.chars):
            raise damaged(self.path, f"a chunk of document {document.id} has impossible numbers")

    def scope(self, accept: Callable[[str], bool]) -> ChunkRanges:
        """The chunks of all documents whose path is accepted."""
        rows: list[tuple[Any, ...]] = self.connection.execute(
            "SELECT path, first_chunk, last_chunk FROM documents"
        ).fetchall()
        if any(list(map(type, row)) != [bytes, int, int] for row in rows):
            raise damaged(self.path, "a document has impossible numbers")
        return ChunkRanges((first, last) for path, first, last in rows if accept(path_str(path)))

    # -- counts, settings, bookkeeping --------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """``documents``, ``chunks``, ``chars`` and ``bytes`` of the sources."""
        self._notice_other_writers()
        if self._counted is None:
            row = self.connection.execute(
                "SELECT count(*), coalesce(sum(last_chunk - first_chunk + 1), 0), coalesce(sum(chars), 0),"
                " coalesce(sum(size), 0) FROM documents"
            ).fetchone()
            counted = dict(zip(("documents", "chunks", "chars", "bytes"), row or (0, 0, 0, 0), strict=True))
            if any(type(one) is not int or one < 0 for one in counted.values()):
                raise damaged(self.path, "its documents have impossible numbers")
            if self.connection.in_transaction and self.writable:
                return counted  # of a state that is not yet the last word
            self._counted = counted
        return self._counted

    def kinds(self) -> dict[str, int]:
        """How many documents there are of each kind."""
        rows: list[tuple[str, int]] = self.connection.execute(
            "SELECT kind, count(*) FROM documents GROUP BY kind ORDER BY kind"
        ).fetchall()  # type: ignore[assignment]
        if any(type(kind) is not str for kind, _ in rows):
            raise damaged(self.path, "a document of no kind")
        return dict(rows)

    def meta(self, key: str, default: str = "") -> str:
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return default if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @property
    def unfinished(self) -> list[str]:
        """The sources whose last ingest has not come to its end."""
        try:
            paths = json.loads(self.meta("unfinished", "[]"))
        except ValueError as error:
            raise damaged(self.path, error) from error
        if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
            raise damaged(self.path, "what is unfinished is no list of paths")
        return paths

    @unfinished.setter
    def unfinished(self, paths: Sequence[str]) -> None:
        self.set_meta("unfinished", json.dumps(paths))

    def sources(self) -> list[str]:
        """Every path that was ever ingested by name."""
        return [self._path(path) for (path,) in self.connection.execute("SELECT path FROM sources ORDER BY path")]

    def add_source(self, path: str) -> None:
        self.connection.execute("INSERT OR IGNORE INTO sources VALUES (?)", (path_bytes(path),))

    def forget_source(self, path: str) -> None:
        where, values = _below([path])
        self.connection.execute(f"DELETE FROM sources{where}", values)  # noqa: S608

    def skipped(self, below: Sequence[str] | None = None) -> Iterator[SkippedRow]:
        """Files that were read once and could not be turned into text."""
        where, values = _below(below)
        for path, size, mtime_ns, inode, read_ns, reason, detail, loader in self.connection.execute(
            f"SELECT path, size, mtime_ns, inode, read_ns, reason, detail, loader FROM skipped{where} ORDER BY path",  # noqa: S608
            values,
        ):
            if {*map(type, (size, mtime_ns, inode, read_ns))} != {int}:
                raise damaged(self.path, "a skipped file has impossible numbers")
            yield SkippedRow(self._path(path), FileStamp(size, mtime_ns, inode, read_ns), reason, detail, loader)

    def _path(self, raw: Any) -> str:
        if type(raw) is not bytes:
            raise damaged(self.path, "a path that is none")
        return path_str(raw)

    def put_skipped(self, row: SkippedRow) -> None:
        stamp = row.stamp
        self.connection.execute(
            "INSERT OR REPLACE INTO skipped VALUES (?,?,?,?,?,?,?,?)",
            (
                path_bytes(row.path),
                stamp.size,
                stamp.mtime_ns,
                stamp.inode,
                stamp.read_ns,
                row.reason,
                row.detail.encode("utf-8", "backslashreplace").decode(),
                row.loader,
            ),
        )

    def remove_skipped(self, path: str) -> None:
        self.connection.execute("DELETE FROM skipped WHERE path = ?", (path_bytes(path),))

    # -- backends -----------------------------------------------------------------------------------------------

    def backends(self) -> list[BackendRow]:
        rows: list[tuple[Any, ...]] = self.connection.execute(
            "SELECT id, name, identity, built_to FROM backends ORDER BY id"
        ).fetchall()
        if any(list(map(type, row)) != [int, str, str, int] for row in rows):
            raise damaged(self.path, "a backend has impossible numbers")
        return [
            BackendRow(name, identity, f"b{number}_", None if built_to < 0 else built_to)
            for number, name, identity, built_to in rows
        ]

    def backend(self, name: str) -> BackendRow | None:
        return next((row for row in self.backends() if row.name == name), None)

    def set_backend(self, name: str, identity: str, built_to: int | None) -> BackendRow:
        """Note what a backend's index was built with and how far (``None``: complete)."""
        self.connection.execute(
            "INSERT INTO backends (name, identity, built_to) VALUES (?1, ?2, ?3)"
            " ON CONFLICT (name) DO UPDATE SET identity = ?2, built_to = ?3",
            (name, identity, -1 if built_to is None else built_to),
        )
        row = self.backend(name)
        if row is None:
            raise GwIndexError(f"backend {name} could not be noted")
        return row

    def drop_backend(self, row: BackendRow) -> None:
        """Remove a backend's tables and folder without asking it: its plugin may be gone."""
        tables: list[tuple[str, str]] = self.connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, ?) = ?",
            (len(row.prefix), row.prefix),
        ).fetchall()  # type: ignore[assignment]
        # A virtual table takes the tables that it is made of with it, which cannot be dropped before it.
        for name, _ in sorted(tables, key=lambda table: not table[1].upper().startswith("CREATE VIRTUAL")):
            quoted = name.replace('"', '""')
            self.connection.execute(f'DROP TABLE IF EXISTS "{quoted}"')
        self.connection.execute("DELETE FROM backends WHERE name = ?", (row.name,))
        shutil.rmtree(self._backend_folder(row), ignore_errors=True)

    def _backend_folder(self, row: BackendRow) -> Path:
        return self.folder / "backends" / row.prefix.rstrip("_")

    def storage(self, row: BackendRow) -> Storage:
        """The handle that the backend of this row is opened on."""
        return Storage(self, row.prefix, self._backend_folder(row))


# -- helpers ----------------------------------------------------------------------------------------------------


def _chunk_rows(document_id: int, chunks: Sequence[Chunk]) -> list[tuple[Any, ...]]:
    return [
        (
            c.id,
            document_id,
            c.start,
            c.end,
            None if c.kind == "text" else c.kind,
            c.label or None,
            json.dumps([(s.start, s.end) for s in c.context]) if c.context else None,
        )
        for c in chunks
    ]


def _below(paths: Sequence[str] | None) -> tuple[str, tuple[bytes, ...]]:
    """A WHERE clause for what is at or below any of the paths. ``0`` is the byte after ``/``."""
    if paths is None or any(path in ("", ".") for path in paths):
        return "", ()
    values: list[bytes] = []
    for path in paths:
        name = path_bytes(path)
        values += [name, name + b"/", name + b"0"]
    clause = " OR ".join(["path = ? OR (path >= ? AND path < ?)"] * len(paths))
    return f" WHERE ({clause or '0'})", tuple(values)
