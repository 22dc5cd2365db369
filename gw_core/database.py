"""Opening a file of SQLite that gw keeps: what is not gw's is refused and left alone, SQLite's errors become gw's."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from gw_core.errors import GwIndexError, IndexForeignError, IndexMissingError, IndexVersionError, UsageError

APPLICATION_ID = 0x67772D63  # "gw-c"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file of gw's is, by the numbers in its header, and how it is spoken of.

    ``remedy`` is the way out where it is damaged, ``renew`` the command that makes it anew, ``elsewhere`` how to keep
    clear of a file that is somebody else's, ``full`` what is left on a full disk, ``fill`` what makes the first one;
    ``before`` is run on an empty file, ahead of its schema.
    """

    application_id: int
    version: int
    name: str
    renew: str
    remedy: str
    elsewhere: str
    full: str
    fill: str
    before: str = ""


CATALOGUE = FileKind(
    APPLICATION_ID,
    SCHEMA_VERSION,
    name="index",
    renew="gw ingest --rebuild",
    remedy="gw ingest --rebuild sets it aside and makes a new one",
    elsewhere="name another place with --index",
    full="the index is as it was before",
    fill="gw ingest PATH",
)


@contextmanager
def sqlite_errors(path: Path, kind: FileKind = CATALOGUE) -> Iterator[None]:
    """Turns SQLite's errors into gw's, each with the way out."""
    try:
        yield
    except apsw.FullError as error:
        raise GwIndexError(f"the disk is full; {kind.full}", hint=f"free some space at {path}") from error
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
        raise damaged(path, error, kind) from error


def damaged(path: Path, why: object, kind: FileKind = CATALOGUE) -> IndexForeignError:
    """The error for a file whose content cannot be what gw wrote."""
    return IndexForeignError(f"{path} is damaged or not {_a(kind)} of gw: {why}", hint=kind.remedy)


def _a(kind: FileKind) -> str:
    return f"{'an' if kind.name[0] in 'aeiou' else 'a'} {kind.name}"


def connect(path: Path, schema: str, *, create: bool, kind: FileKind = CATALOGUE) -> apsw.Connection:
    """Open the file at ``path``; with ``create``, make it where there is none and lay ``schema`` where it is empty.

    The file may have come with a stranger's files. It runs nothing by itself: what SQLite could be made to run, such as
    triggers and views, is refused.
    """
    _refuse_links(path)
    if create and not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    elif not path.is_file():
        raise IndexForeignError(f"{path} is not a file")
    _refuse_foreign(path, kind)
    connection = _open_connection(path, create)
    try:
        connection.set_busy_timeout(10_000)
        connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        if _is_laid(path, connection, schema, create, kind):
            _refuse_changed_schema(path, connection, schema, kind)
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


def _refuse_foreign(path: Path, kind: FileKind) -> None:
    """Look at the header before SQLite does: opening another program's file would already touch it."""
    header = _header(path)
    if not header:
        return
    ours = header.startswith(b"SQLite format 3\0") and int.from_bytes(header[68:72], "big") == kind.application_id
    if not ours:
        raise IndexForeignError(
            f"{path} is damaged or not {_a(kind)} of gw", hint=f"{kind.remedy}, or {kind.elsewhere}"
        )
    # Twice: another process may have written its log into the file between a look at the one and at the other.
    if _is_truncated(path) and _is_truncated(path):
        raise IndexForeignError(f"{path} is truncated", hint=kind.remedy)


def _header(path: Path) -> bytes:
    # Through SQLite's own hands: closing a file drops every lock that this process holds on it, those of another
    # connection too, and older SQLites then let another program take the log away.
    file = apsw.VFSFile("", os.fspath(path), [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0])
    try:
        return file.xRead(100, 0)
    finally:
        file.xClose()


def _is_truncated(path: Path) -> bool:
    if path.with_name(path.name + "-wal").exists():  # the rest may stand there
        return False
    header = _header(path)
    size = int.from_bytes(header[16:18], "big")
    size = 65536 if size == 1 else size
    return path.stat().st_size < size * int.from_bytes(header[28:32], "big")


def _refuse_links(path: Path) -> None:
    """A link would have SQLite write to a file elsewhere."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        place = path.with_name(path.name + suffix)
        if place.is_symlink():
            raise IndexForeignError(f"{place} is a link", hint="remove it; gw makes a file there")


def _refuse_changed_schema(path: Path, connection: apsw.Connection, schema: str, file_kind: FileKind) -> None:
    """The tables of ``schema`` are there as they were laid, with nothing hung on them; the others are backends'."""
    laid = {statement.strip() for statement in schema.split(";")}
    names = {statement.split(None, 3)[2] for statement in laid if statement}
    for kind, table, sql in connection.execute("SELECT type, tbl_name, sql FROM sqlite_schema"):
        if kind not in ("table", "index") or (table in names and sql is not None and sql not in laid):
            raise damaged(path, f"it holds a {kind} on {table!r} that gw did not make", file_kind)


def _is_laid(path: Path, connection: apsw.Connection, schema: str, create: bool, kind: FileKind) -> bool:
    """Whether the file was laid before; with ``create``, an empty one is laid now. Refuses one of another version."""
    version = connection.execute("PRAGMA user_version").get
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        if not create:
            raise IndexMissingError(f"the {kind.name} at {path} is empty", hint=f"fill it: {kind.fill}")
        if kind.before:
            connection.execute(kind.before)
        # In rollback mode, so that the file's own header says whose it is from the first commit on.
        with connection:
            connection.execute(schema)
            connection.execute(f"PRAGMA application_id = {kind.application_id}; PRAGMA user_version = {kind.version}")
        connection.execute("PRAGMA journal_mode = WAL")
        return False
    if connection.execute("PRAGMA application_id").get != kind.application_id:
        raise IndexForeignError(f"{path} is not {_a(kind)} of gw", hint=kind.elsewhere)
    if version != kind.version:
        newer = int(version) > kind.version
        raise IndexVersionError(
            f"{path} was made by {'a newer' if newer else 'an older'} gw (schema {version}, not {kind.version})",
            hint=("upgrade gw, or " if newer else "") + kind.renew,
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
        folder.mkdir(mode=0o700, exist_ok=True)
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
