"""Opening the catalogue's file: what is not gw's is refused and left alone, and SQLite's errors become gw's."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from gw_core.errors import GwIndexError, IndexForeignError, IndexMissingError, IndexVersionError, UsageError

APPLICATION_ID = 0x67772D63  # "gw-c"
SCHEMA_VERSION = 1


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into gw's, each with the way out."""
    try:
        yield
    except apsw.FullError as error:
        raise GwIndexError(
            "the disk is full; the index is as it was before", hint=f"free some space at {path}"
        ) from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError) as error:
        raise GwIndexError(f"cannot use {path}: {error}") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise GwIndexError(f"{path} is locked by another program", hint="try again when it has finished") from error
    except (apsw.ThreadingViolationError, apsw.ConnectionClosedError) as error:
        raise UsageError(
            "a workspace was used by two threads at once, or while another call had closed it",
            hint="open one in each thread; call nothing that writes from within a callback",
        ) from error
    except (
        apsw.Error,
        UnicodeDecodeError,
    ) as error:  # a flipped bit can look like anything: a missing column, no UTF-8
        raise damaged(path, error) from error


def damaged(path: Path, why: object) -> IndexForeignError:
    """The error for a file whose content cannot be what gw wrote."""
    return IndexForeignError(
        f"{path} is damaged or not an index of gw: {why}",
        hint="gw ingest --rebuild sets it aside and makes a new one",
    )


def connect(path: Path, schema: str, *, create: bool) -> apsw.Connection:
    """Open the file at ``path``; with ``create``, make it where there is none and lay ``schema`` where it is empty.

    The file may have come with a stranger's files. It runs nothing by itself: what SQLite could be made to run, such as
    triggers and views, is refused.
    """
    _refuse_links(path)
    if create and not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    elif not path.is_file():
        raise IndexForeignError(f"{path} is not a file")
    _refuse_foreign(path)
    connection = _open_connection(path, create)
    try:
        connection.set_busy_timeout(10_000)
        connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        if _is_laid(path, connection, schema, create):
            _refuse_changed_schema(path, connection, schema)
        connection.execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -16384")
        connection.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_connection(path: Path, create: bool) -> apsw.Connection:
    if create or _is_shared(path):
        return apsw.Connection(os.fspath(path), flags=apsw.SQLITE_OPEN_READWRITE)
    # Where this process cannot make the companions of a write-ahead log, it can read all the same, as long as nothing
    # stands in a log only: then nobody is writing.
    uri = path.absolute().as_uri() + "?immutable=1"
    return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _is_shared(path: Path) -> bool:
    """Whether others may write to the file while it is read, and this process can take part in that."""
    log = path.with_name(path.name + "-wal")
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return True
    return log.exists() and log.stat().st_size > 0


def _refuse_foreign(path: Path) -> None:
    """Look at the header before SQLite does: opening another program's file would already touch it."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        return
    ours = header.startswith(b"SQLite format 3\0") and int.from_bytes(header[68:72], "big") == APPLICATION_ID
    if not ours:
        raise IndexForeignError(
            f"{path} is damaged or not an index of gw",
            hint="gw ingest --rebuild sets it aside and makes a new one, or name another place with --index",
        )
    size = int.from_bytes(header[16:18], "big")
    size = 65536 if size == 1 else size
    pages = int.from_bytes(header[28:32], "big")
    if path.stat().st_size < size * pages and not path.with_name(path.name + "-wal").exists():
        raise IndexForeignError(f"{path} is truncated", hint="gw ingest --rebuild sets it aside and makes a new one")


def _refuse_links(path: Path) -> None:
    """A link would have SQLite write to a file elsewhere."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        place = path.with_name(path.name + suffix)
        if place.is_symlink():
            raise IndexForeignError(f"{place} is a link", hint="remove it; gw makes a file there")


def _refuse_changed_schema(path: Path, connection: apsw.Connection, schema: str) -> None:
    """The tables of ``schema`` are there as they were laid, with nothing hung on them; the others are backends'."""
    laid = {statement.strip() for statement in schema.split(";")}
    names = {statement.split(None, 3)[2] for statement in laid if statement}
    for kind, table, sql in connection.execute("SELECT type, tbl_name, sql FROM sqlite_schema"):
        if kind not in ("table", "index") or (table in names and sql is not None and sql not in laid):
            raise damaged(path, f"it holds a {kind} on {table!r} that gw did not make")


def _is_laid(path: Path, connection: apsw.Connection, schema: str, create: bool) -> bool:
    """Whether the file was laid before; with ``create``, an empty one is laid now. Refuses one of another version."""
    version = connection.execute("PRAGMA user_version").get
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        if not create:
            raise IndexMissingError(f"the index at {path} is empty", hint="fill it: gw ingest PATH")
        # In rollback mode, so that the file's own header says whose it is from the first commit on.
        with connection:
            connection.execute(schema)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("PRAGMA journal_mode = WAL")
        return False
    if connection.execute("PRAGMA application_id").get != APPLICATION_ID:
        raise IndexForeignError(f"{path} is not an index of gw", hint="name another place with --index")
    if version != SCHEMA_VERSION:
        newer = int(version) > SCHEMA_VERSION
        raise IndexVersionError(
            f"{path} was made by {'a newer' if newer else 'an older'} gw (schema {version}, not {SCHEMA_VERSION})",
            hint=("upgrade gw, or " if newer else "") + "gw ingest --rebuild",
        )
    return True


def refuse_file(folder: Path) -> None:
    """Raises UsageError where the place of an index is something else than a folder."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder, as an index is", hint="name another place with --index")


def make_folder(folder: Path) -> None:
    """Make the index's folder, for its owner only and out of git's sight; one that is there is left as it is."""
    if folder.exists():
        refuse_file(folder)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise GwIndexError(f"cannot make {folder}: {error.strerror}", hint="name another place with --index") from error
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def set_aside(path: Path) -> None:
    """Rename the file and its companions; nothing is deleted."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            new, number = path.with_name(f"{path.name}{suffix}.old-{stamp}"), 0
            while new.exists():
                number += 1
                new = path.with_name(f"{path.name}{suffix}.old-{stamp}-{number}")
            old.rename(new)
