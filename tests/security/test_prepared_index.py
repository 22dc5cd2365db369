"""An index that came with a stranger's files: it leads nowhere else, runs nothing, and fills no memory."""

from __future__ import annotations

import errno
import fcntl
import zlib
from pathlib import Path

import apsw
import pytest

import gw_core
from gw_core.errors import GwIndexError, IndexForeignError
from gw_core.lock import WriterLock
from gw_core.store import FILE_NAME, Catalogue


def ingested(folder: Path) -> Path:
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws:
        ws.ingest([folder])
    return folder / ".gw" / FILE_NAME


def tampered(folder: Path, statements: str) -> None:
    connection = apsw.Connection(str(ingested(folder)))
    connection.execute(statements)
    connection.close()


def search(folder: Path) -> list[str]:
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws:
        return [one.verification.verdict.value for one in ws.search("harbour").evidence]


@pytest.mark.parametrize("name", ["writer.lock", FILE_NAME, FILE_NAME + "-wal", FILE_NAME + "-shm"])
def test_a_file_of_the_index_that_is_a_link_is_not_followed(folder: Path, tmp_path: Path, name: str) -> None:
    ingested(folder)
    precious = tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    place = folder / ".gw" / name
    place.unlink(missing_ok=True)
    place.symlink_to(precious)
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws, pytest.raises(GwIndexError, match="is a link"):
        ws.ingest([folder])
    assert precious.read_text(encoding="utf-8") == "precious"


def test_a_lock_that_holds_something_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    (folder / ".gw").mkdir()
    (folder / ".gw" / "writer.lock").hardlink_to(precious)
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws, pytest.raises(GwIndexError, match="no lock of gw"):
        ws.ingest([folder])
    assert precious.read_text(encoding="utf-8") == "precious"


def test_an_index_folder_that_is_a_link_does_not_reach_another_index(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("Other notes.\n", encoding="utf-8")
    ingested(other)
    (folder / ".gw").symlink_to(other / ".gw")
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws, pytest.raises(GwIndexError, match="--index"):
        ws.ingest([folder])
    with gw_core.open(folder, index=folder / ".gw", env={"GW_CONFIG": ""}) as named:
        assert named.status().documents == 1


@pytest.mark.parametrize(
    "statements",
    [
        "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM chunks; END",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE b1_text; CREATE VIEW b1_text AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
        " SELECT i AS body FROM n",
        "ALTER TABLE documents RENAME TO old; CREATE VIEW documents AS SELECT * FROM old",
        "DROP TABLE sources; CREATE TABLE sources (path BLOB PRIMARY KEY, big AS (zeroblob(900000000)))",
        "CREATE INDEX i ON chunks (abs(start))",
    ],
)
def test_what_sqlite_could_be_made_to_run_is_refused(folder: Path, statements: str) -> None:
    tampered(folder, statements)
    with pytest.raises(IndexForeignError, match="damaged"):
        search(folder)


def test_a_block_unpacks_to_no_more_than_a_block(folder: Path) -> None:
    ingested(folder)
    bomb = zlib.compress(b" " * 50_000_000, 9)
    tampered(folder, f"UPDATE blocks SET data = x'{bomb.hex()}'")
    with pytest.raises(IndexForeignError, match="131072"):
        search(folder)


@pytest.mark.parametrize(
    "statements",
    [
        "UPDATE documents SET chars = 30000000000; UPDATE chunks SET end = 30000000000",
        "UPDATE documents SET chars = 9000; UPDATE chunks SET end = 8000",
        "DELETE FROM blocks",
    ],
)
def test_a_chunk_that_its_document_does_not_hold_is_damage(folder: Path, statements: str) -> None:
    tampered(folder, statements)
    with pytest.raises(IndexForeignError, match="damaged"):
        search(folder)


@pytest.mark.parametrize("path", ["../precious.txt", "/etc/hostname", "a/../../precious.txt"])
def test_a_path_that_leads_out_is_not_opened(folder: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "precious.txt").write_text("The harbour is closed in winter.\n", encoding="utf-8")
    tampered(folder, f"UPDATE documents SET path = x'{path.encode().hex()}'")
    assert search(folder) == ["unresolvable"]


def test_a_lock_that_the_file_system_refuses_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(GwIndexError, match="No locks available"):
        WriterLock(tmp_path / "writer.lock").acquire(0)
    with pytest.raises(GwIndexError, match="local disk"):
        Catalogue.open(tmp_path / "index", write=True)
