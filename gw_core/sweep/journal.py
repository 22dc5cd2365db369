"""The journal of sweeps: what a reader said of a segment, kept so that nothing is asked twice.

One SQLite file, ``sweeps/journal.db`` in the folder of the index. A result is found by the segment's content, the
recipe and the reader, wherever the segment stands: what it holds of places counts from the segment's start. Several
sweeps may write at once. A crash at any moment leaves what was committed. Runs and attempts, with their times, stand
beside the results and never in them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import Any

import apsw

from gw_core.database import FileKind, connect, damaged, make_folder, set_aside, sqlite_errors
from gw_core.errors import GwIndexError, IndexForeignError, IndexMissingError, IndexVersionError
from gw_core.lock import WriterLock
from gw_core.plain import dumps
from gw_core.sweep.entries import (
    CODE,
    GET,
    PUT,
    SCHEMA,
    STATUSES,
    Attempt,
    Entry,
    Key,
    Run,
    Status,
    clean,
    entry_of,
    packed,
    result_row,
    unpacked,
)

__all__ = ["BATCH", "CODE", "Attempt", "Batched", "Entry", "Journal", "Key", "Run", "Status"]

FOLDER = "sweeps"
FILE_NAME = "journal.db"
BATCH = 16
"""How many results of patterns are committed at once: the most that a kill loses of them."""

KIND = FileKind(
    0x67772D6A,  # "gw-j"
    1,
    name="journal",
    renew="gw sweep --fresh",
    remedy="gw sweep --fresh sets it aside and begins a new one",
    elsewhere="move it away",
    full="what was read before stands in the journal",
    fill="gw sweep",
    before="PRAGMA auto_vacuum = INCREMENTAL",
)

_AT_ONCE = 400
"""How many segments are looked up with one statement."""
_DAY = 86_400.0
_LARGEST = 1 << 30


class Journal:
    """Open with :meth:`open`; use as a context manager or call :meth:`close`. One thread at a time."""

    def __init__(self, path: Path, connection: apsw.Connection, *, writable: bool, fresh: bool) -> None:
        self.path = path
        self.writable = writable
        self._fresh = fresh
        self._connection = connection
        self._sources: dict[tuple[str, str], int] = {}
        self._used: list[int] = []  # rows whose last use is to be noted
        self._durable = False

    # -- opening and closing ------------------------------------------------------------------------------------

    @classmethod
    def open(cls, folder: Path, *, write: bool = True, fresh: bool = False, wait: float = 60.0) -> Journal:
        """Open the journal of the index in ``folder``; with ``write``, make it where there is none.

        ``fresh`` finds nothing of what was kept, and keeps what is read anew; a file that is damaged, another
        program's or another version's is set aside, never deleted. Writing waits up to ``wait`` seconds for another
        sweep's commit. Raises GwIndexError: IndexMissingError, IndexForeignError, IndexVersionError, IndexBusyError.
        """
        path = folder / FOLDER / FILE_NAME
        for place in (folder, path.parent):  # they may have come with a stranger's files, and lead elsewhere
            if place.is_symlink():
                raise GwIndexError(f"{place} is a link", hint="remove it, or name another place with --index")
        if not write:
            if not path.exists():
                raise IndexMissingError(f"no journal at {path}", hint="a sweep makes one")
            with _errors(path):
                connection = connect(path, SCHEMA, create=False, kind=KIND)
            return cls(path, connection, writable=False, fresh=False)
        with _errors(path):
            make_folder(folder)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            lock = WriterLock(path.with_name("open.lock"))
            lock.acquire(wait)
            try:
                connection = _opened(path, fresh=fresh)
            finally:
                lock.release()
            connection.set_busy_timeout(int(1000 * max(0.0, min(wait, 1e6))))
        return cls(path, connection, writable=True, fresh=fresh)

    def close(self) -> None:
        try:
            if self._used and self.writable:
                with suppress(GwIndexError), self._transaction():  # worth nothing but an earlier pruning
                    pass
        finally:
            self._connection.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- results ------------------------------------------------------------------------------------------------

    def lookup(self, keys: Iterable[Key]) -> dict[Key, Entry]:
        """What is kept of these segments; what is not known is left out."""
        found: dict[Key, Entry] = {}
        now = time.time()
        for source, recipe, reader, segments in self._by_source(keys):
            for row in self._rows(GET, source, segments):
                with self._damage():
                    entry = entry_of(row[2:], recipe, reader)
                    if now - row[1] > _DAY:
                        self._used.append(row[0])
                found[entry.key] = entry
        return found

    def statuses(self, keys: Iterable[Key]) -> dict[Key, Status]:
        """How the segments that are known ended, without what was read in them."""
        sql = "SELECT segment, status FROM results WHERE source = ? AND segment IN "
        found: dict[Key, Status] = {}
        for source, recipe, reader, segments in self._by_source(keys):
            for segment, status in self._rows(sql, source, segments):
                if type(segment) is not bytes or status not in STATUSES:
                    raise damaged(self.path, "a result has an impossible state", KIND)
                found[Key(segment.hex(), recipe, reader)] = status
        return found

    def put(self, entries: Sequence[Entry], attempts: Sequence[Attempt] = (), *, run: int = 0) -> None:
        """Keep these results, committed when it returns, safe from a power cut too unless all are by code.

        What failed never takes the place of what was read.
        """
        now = time.time()
        durable = any(
            reader != CODE for reader in {one.key.reader for one in entries} | {one.key.reader for one in attempts}
        )
        with self._transaction(durable=durable):
            if entries:
                self._connection.executemany(PUT, [(self._made(one.key), now, *result_row(one)) for one in entries])
            if attempts:
                self._connection.executemany(
                    "INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [(run, self._made(one.key), *_attempt_row(one, now)) for one in attempts],
                )

    def batch(self, *, run: int = 0, size: int = BATCH) -> Batched:
        """Collects results and commits ``size`` at once, and the rest at the end."""
        return Batched(self, run, size)

    # -- runs ---------------------------------------------------------------------------------------------------

    def begin(self, recipe: str, reader: str, recipe_text: str, plan: str) -> int:
        """Note that a sweep begins: the recipe's SHA-256 and text, who reads, the plan's hash. Its number."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO runs (source, recipe_text, plan, started, counts) VALUES (?, ?, ?, ?, '{}')",
                (self._made(Key("", recipe, reader)), clean(recipe_text), plan, time.time()),
            )
            return self._connection.last_insert_rowid()

    def finish(self, run: int, counts: Mapping[str, Any]) -> None:
        """Note that a sweep is over, with what it counted (plain data)."""
        with self._transaction():
            self._connection.execute(
                "UPDATE runs SET ended = ?, counts = ? WHERE id = ?", (time.time(), dumps(counts), run)
            )

    def runs(self) -> list[Run]:
        """The sweeps that are remembered, in their order."""
        with _errors(self.path):
            rows: list[tuple[Any, ...]] = self._connection.execute(
                "SELECT runs.id, recipe, reader, recipe_text, plan, started, ended, counts FROM runs"
                " JOIN sources ON sources.id = source ORDER BY runs.id"
            ).fetchall()
            with self._damage():
                return [Run._make((*row[:7], json.loads(row[7]))) for row in rows]

    def attempts(self, run: int | None = None) -> list[Attempt]:
        """The calls of readers that are remembered, in their order: of one run, or of all."""
        sql = (
            "SELECT segment, recipe, reader, number, status, reason, raw, prompt_tokens, completion_tokens, seconds,"
            " ended FROM attempts JOIN sources ON sources.id = source WHERE ?1 IS NULL OR run = ?1 ORDER BY attempts.id"
        )
        with _errors(self.path):
            rows: list[tuple[Any, ...]] = self._connection.execute(sql, (run,)).fetchall()
            with self._damage():
                return [_attempt(row) for row in rows]

    # -- pruning ------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Bytes that the file takes."""
        with _errors(self.path):
            return int(self._connection.pragma("page_count")) * int(self._connection.pragma("page_size"))

    def prune(self, days: float | None = None, size: int | None = _LARGEST) -> int:
        """Forget what was not used for ``days``, and then what was used longest ago until the file is of ``size`` bytes
        at most. How many results are forgotten; the space goes back to the system."""
        removed = 0
        with self._transaction():
            if days is not None:
                self._connection.execute("DELETE FROM results WHERE used < ?", (time.time() - days * _DAY,))
                removed += self._connection.changes()
            if size is not None:
                removed += self._forget_oldest(size)
            if removed:
                self._connection.execute(
                    "DELETE FROM attempts WHERE NOT EXISTS (SELECT 1 FROM results WHERE results.source ="
                    " attempts.source AND results.segment = attempts.segment)"
                )
                self._connection.execute(
                    "DELETE FROM runs WHERE ended IS NOT NULL AND source NOT IN (SELECT source FROM results)"
                )
        if removed:
            with _errors(self.path), suppress(apsw.BusyError, apsw.LockedError):
                self._connection.execute("PRAGMA incremental_vacuum").fetchall()
        return removed

    def _forget_oldest(self, size: int) -> int:
        """Delete what was used longest ago until all else takes ``size`` bytes at most."""
        removed = 0
        while (excess := self._taken() - size) > 0:
            rows: list[tuple[int, int]] = self._connection.execute(
                "SELECT id, 100 + length(spans) + length(fields) + length(said) + length(raw) FROM results"
                " ORDER BY used, id"
            ).fetchall()  # type: ignore[assignment]
            if not rows:
                break
            # Rows take more in pages than their bytes are: as much more as all of them do.
            ahead = accumulate((length for _, length in rows), initial=0)
            share = sum(length for _, length in rows) * excess / self._taken()
            gone = [(number,) for (number, _), before in zip(rows, ahead, strict=False) if before < share]
            self._connection.executemany("DELETE FROM results WHERE id = ?", gone)
            removed += len(gone)
        return removed

    def _taken(self) -> int:
        free = int(self._connection.pragma("freelist_count")) * int(self._connection.pragma("page_size"))
        return self.size - free

    # -- rows ---------------------------------------------------------------------------------------------------

    def _by_source(self, keys: Iterable[Key]) -> Iterator[tuple[int, str, str, list[bytes]]]:
        """The segments that are asked for, by recipe and reader; none where those are not known, or all is fresh."""
        if self._fresh:
            return
        wanted: dict[tuple[str, str], list[bytes]] = {}
        for segment, recipe, reader in keys:
            wanted.setdefault((recipe, reader), []).append(bytes.fromhex(segment))
        for (recipe, reader), segments in wanted.items():
            source = self._source(recipe, reader)
            if source is not None:
                yield source, recipe, reader, segments

    def _rows(self, sql: str, source: int, segments: list[bytes]) -> Iterator[tuple[Any, ...]]:
        with _errors(self.path):
            for first in range(0, len(segments), _AT_ONCE):
                some = segments[first : first + _AT_ONCE]
                marks = ",".join("?" * len(some))
                yield from self._connection.execute(f"{sql}({marks})", (source, *some)).fetchall()

    def _source(self, recipe: str, reader: str) -> int | None:
        """The number of a recipe read by a reader, if there is one."""
        known = self._sources.get((recipe, reader))
        if known is None:
            with _errors(self.path):
                row = self._connection.execute(
                    "SELECT id FROM sources WHERE recipe = ? AND reader = ?", (recipe, clean(reader))
                ).fetchone()
            if row is not None:
                known = self._sources[recipe, reader] = int(row[0])
        return known

    def _made(self, key: Key) -> int:
        """The same within a transaction that writes, made where there is none."""
        known = self._source(key.recipe, key.reader)
        if known is None:
            self._connection.execute("INSERT INTO sources VALUES (NULL, ?, ?)", (key.recipe, clean(key.reader)))
            known = self._sources[key.recipe, key.reader] = self._connection.last_insert_rowid()
        return known

    @contextmanager
    def _damage(self) -> Iterator[None]:
        """Turns what a row that cannot be is noticed by into one error."""
        try:
            yield
        except (TypeError, ValueError, AttributeError) as error:
            raise damaged(self.path, error, KIND) from error

    @contextmanager
    def _transaction(self, *, durable: bool = False) -> Iterator[None]:
        """All or nothing, whatever interrupts it."""
        with _errors(self.path):
            if durable != self._durable:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                if self._used:
                    now = time.time()
                    self._connection.executemany(
                        "UPDATE results SET used = ? WHERE id = ?", [(now, number) for number in self._used]
                    )
                yield
                self._connection.execute("COMMIT")
                self._used.clear()
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                self._sources.clear()
                raise


class Batched:
    """Results on their way into the journal, a few at a time; a context manager that commits the rest at its end,
    however it ends."""

    def __init__(self, journal: Journal, run: int, size: int) -> None:
        self._journal = journal
        self._run = run
        self._size = size
        self._waiting: list[Entry] = []

    def add(self, entry: Entry) -> None:
        self._waiting.append(entry)
        if len(self._waiting) >= self._size:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            self._journal.put(self._waiting, run=self._run)
            self._waiting.clear()

    def __enter__(self) -> Batched:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not isinstance(error, GwIndexError):  # the journal itself may have failed: its error is the one to see
            self.flush()


# -- helpers ----------------------------------------------------------------------------------------------------


def _opened(path: Path, *, fresh: bool) -> apsw.Connection:
    try:
        with _errors(path):
            connection = connect(path, SCHEMA, create=True, kind=KIND)
            if not fresh:
                return connection
            try:
                sound = connection.execute("PRAGMA quick_check(1)").get == "ok"
            except BaseException:
                connection.close()
                raise
            if sound:
                return connection
            connection.close()
    except (IndexForeignError, IndexVersionError):
        if not fresh:
            raise
    set_aside(path)
    with _errors(path):
        return connect(path, SCHEMA, create=True, kind=KIND)


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors and the system's into gw's."""
    try:
        with sqlite_errors(path, KIND):
            yield
    except OSError as error:
        raise GwIndexError(f"cannot use {path}: {error.strerror}", hint="name another place with --index") from error


def _attempt_row(one: Attempt, now: float) -> tuple[Any, ...]:
    tokens = (one.prompt_tokens, one.completion_tokens)
    segment = bytes.fromhex(one.key.segment)
    return (segment, one.number, one.status, clean(one.reason), packed(one.raw), *tokens, one.seconds, one.ended or now)


def _attempt(row: tuple[Any, ...]) -> Attempt:
    segment, recipe, reader, number, status, reason, raw, *rest = row
    return Attempt(Key(segment.hex(), recipe, reader), number, status, reason, unpacked(raw), *rest)
