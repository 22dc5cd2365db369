"""The journal of sweeps: what is kept is found again, whatever happened to the process or the file meanwhile."""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from gw_core.database import APPLICATION_ID
from gw_core.errors import GwError, GwIndexError, IndexForeignError, IndexMissingError, IndexVersionError
from gw_core.sweep.journal import BATCH, CODE, KIND, Attempt, Entry, Journal, Key

MODEL = "model@1(seed=0)"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


RECIPE = sha("recipe")


def key(number: int, reader: str = CODE, recipe: str = RECIPE) -> Key:
    return Key(sha(str(number)), recipe, reader)


def entry(number: int, reader: str = CODE) -> Entry:
    return Entry(key(number, reader), records=number, spans=str(number).encode() * 9, fields=b"f\0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".gw"


@pytest.fixture
def journal(folder: Path) -> Iterator[Journal]:
    with Journal.open(folder) as opened:
        yield opened


def path_of(folder: Path) -> Path:
    return folder / "sweeps" / "journal.db"


# -- results ----------------------------------------------------------------------------------------------------


def test_what_is_put_is_found_by_content_recipe_and_reader(folder: Path) -> None:
    full = Entry(
        key(1, MODEL),
        "truncated",
        "cut: caf\u00e9",
        7,
        b"spans",
        b"fields",
        '[{"unit": 0}]',
        "raw \ud800 output" * 99,
        (sha("a"), sha("b")),
        100,
        None,
        0.25,
        3,
    )
    with Journal.open(folder) as journal:
        journal.put([full, entry(2)])
    with Journal.open(folder) as journal:
        found = journal.lookup([key(1, MODEL), key(2), key(3), key(1), key(2, recipe=sha("another"))])
        assert found == {full.key: full, key(2): entry(2)}
        assert journal.statuses([*found, key(3)]) == {full.key: "truncated", key(2): "ok"}


def test_a_whole_plan_is_looked_up_at_once(journal: Journal) -> None:
    entries = [entry(number) for number in range(2500)]
    with journal.batch() as batch:
        for one in entries:
            batch.add(one)
    assert journal.lookup([one.key for one in entries]) == {one.key: one for one in entries}
    assert journal.lookup([]) == {}


def test_what_failed_never_replaces_what_was_read(journal: Journal) -> None:
    failed = Entry(key(1, MODEL), "failed", "the server is gone")
    journal.put([failed])
    assert journal.lookup([failed.key]) == {failed.key: failed}
    journal.put([entry(1, MODEL)])
    journal.put([failed])
    assert journal.lookup([failed.key]) == {failed.key: entry(1, MODEL)}


def test_a_later_reading_replaces_an_earlier_one(journal: Journal) -> None:
    journal.put([entry(1)])
    later = entry(1)._replace(spans=b"other")
    journal.put([later])
    assert journal.lookup([key(1)]) == {key(1): later}


def test_a_batch_commits_so_many_at_once_and_the_rest_at_its_end(folder: Path, journal: Journal) -> None:
    keys = [key(number) for number in range(BATCH + 3)]

    def stopped_at_the_end(other: Journal) -> None:
        with journal.batch() as batch:
            for number in range(BATCH - 1):
                batch.add(entry(number))
            assert other.statuses(keys) == {}
            for number in range(BATCH - 1, BATCH + 3):
                batch.add(entry(number))
            assert len(other.statuses(keys)) == BATCH
            raise KeyboardInterrupt

    with Journal.open(folder, write=False) as other:
        with pytest.raises(KeyboardInterrupt):
            stopped_at_the_end(other)
        assert len(other.statuses(keys)) == BATCH + 3


def test_an_error_half_way_through_a_put_leaves_nothing_of_it(journal: Journal) -> None:
    with pytest.raises(ValueError, match="fromhex"):
        journal.put([entry(1, "new reader"), Entry(Key("no hash", RECIPE, "newer"))])
    assert journal.lookup([key(1, "new reader")]) == {}
    journal.put([entry(1, "new reader")])
    assert journal.lookup([key(1, "new reader")]) == {key(1, "new reader"): entry(1, "new reader")}


def test_fresh_finds_nothing_and_keeps_what_is_read_anew(folder: Path) -> None:
    with Journal.open(folder) as journal:
        journal.put([entry(1), entry(2)])
    later = entry(1)._replace(spans=b"anew")
    with Journal.open(folder, fresh=True) as journal:
        assert (journal.lookup([key(1)]), journal.statuses([key(1)])) == ({}, {})
        journal.put([later])
    with Journal.open(folder) as journal:
        assert journal.lookup([key(1), key(2)]) == {key(1): later, key(2): entry(2)}


# -- runs and attempts ------------------------------------------------------------------------------------------


def test_runs_and_attempts_stand_beside_the_results(journal: Journal) -> None:
    first = journal.begin(RECIPE, MODEL, "split: line\n", "plan hash")
    tries = [
        Attempt(key(1, MODEL), 1, "failed", "timed out", seconds=9.5, ended=1.0),
        Attempt(key(1, MODEL), 2, "ok", raw="{}", prompt_tokens=5, ended=2.0),
    ]
    journal.put([entry(1, MODEL)], tries, run=first)
    second = journal.begin(RECIPE, CODE, "split: line\n", "plan hash")
    journal.finish(second, {"records": 1})
    runs = journal.runs()
    assert [(one.number, one.reader, one.counts, one.ended is None) for one in runs] == [
        (first, MODEL, {}, True),
        (second, CODE, {"records": 1}, False),
    ]
    assert (journal.attempts(first), journal.attempts(second), journal.attempts()) == (tries, [], tries)


# -- several processes, and their end ---------------------------------------------------------------------------

CHILD = """
import os, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from test_journal import Journal, entry, MODEL, CODE
folder, reader, first, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with Journal.open(folder, wait=60) as journal, journal.batch(size=16 if reader == CODE else 1) as batch:
    for number in range(first, first + count):
        batch.add(entry(number, reader))
        os.write(1, b".")
"""


def child(folder: Path, reader: str, first: int, count: int) -> subprocess.Popen[bytes]:
    code = CHILD.format(tests=str(Path(__file__).parent))
    arguments = [str(folder), reader, str(first), str(count)]
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE)


def test_several_sweeps_write_at_once_from_the_very_first(folder: Path) -> None:
    children = [child(folder, CODE, 1000 * number, 300) for number in range(3)]
    for one in children:
        one.communicate()
    assert [one.returncode for one in children] == [0, 0, 0]
    expected = [entry(1000 * number + more) for number in range(3) for more in range(300)]
    with Journal.open(folder, write=False) as journal:
        assert journal.lookup([one.key for one in expected]) == {one.key: one for one in expected}


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system doesn't list its locks")
def test_a_second_opening_drops_no_lock_of_the_first(folder: Path, journal: Journal) -> None:
    def locks() -> int:
        inode = f":{path_of(folder).stat().st_ino}"
        held = (line.split() for line in Path("/proc/locks").read_text().splitlines())
        return sum(line[4] == str(os.getpid()) and line[5].endswith(inode) for line in held)

    journal.put([entry(1)])
    before = locks()
    Journal.open(folder).close()
    assert locks() == before > 0


@pytest.mark.parametrize(("reader", "lost"), [(CODE, BATCH), (MODEL, 1)])
def test_a_kill_loses_at_most_what_was_not_committed(folder: Path, reader: str, lost: int) -> None:
    chance = random.Random(5)
    done = 0
    for _ in range(4):
        running = child(folder, reader, done, 100_000)
        assert running.stdout is not None
        told = len(running.stdout.read(chance.randint(1, 700)))
        running.kill()
        told += len(running.communicate()[0])
        with Journal.open(folder) as journal:
            expected = {key(number, reader): entry(number, reader) for number in range(done + told + BATCH)}
            found = journal.lookup(expected)
            assert all(found[one] == expected[one] for one in found)
            assert len(found) > done + told - lost
            assert set(found) == set(list(expected)[: len(found)])
            done = len(found)


# -- files that are not as they should be -----------------------------------------------------------------------


def test_only_the_owner_may_look(folder: Path, journal: Journal) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE((folder / "sweeps").stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in (folder / "sweeps").iterdir()} == {0o600}


def test_there_is_none_to_read(folder: Path) -> None:
    with pytest.raises(IndexMissingError, match="no journal at"):
        Journal.open(folder, write=False)
    assert not folder.exists()


def test_a_reader_writes_nothing(folder: Path) -> None:
    with Journal.open(folder) as journal:
        journal.put([entry(1)])
    path_of(folder).chmod(0o400)
    (folder / "sweeps").chmod(0o500)
    try:
        before = path_of(folder).read_bytes(), sorted((folder / "sweeps").iterdir())
        with Journal.open(folder, write=False) as journal:
            assert journal.lookup([key(1)]) == {key(1): entry(1)}
            assert journal.runs() == []
        assert (path_of(folder).read_bytes(), sorted((folder / "sweeps").iterdir())) == before
    finally:
        (folder / "sweeps").chmod(0o700)


@pytest.mark.parametrize("content", [b"my notes", b"SQLite format 3\0" + bytes(200), b"\0" * 5000])
def test_what_is_not_gws_is_refused_and_left_alone(folder: Path, content: bytes) -> None:
    path_of(folder).parent.mkdir(parents=True)
    path_of(folder).write_bytes(content)
    for write in (True, False):
        with pytest.raises(IndexForeignError, match=r"not a journal of gw.*gw sweep --fresh"):
            Journal.open(folder, write=write)
    assert path_of(folder).read_bytes() == content
    with Journal.open(folder, fresh=True) as journal:
        journal.put([entry(1)])
    assert [one.read_bytes() for one in (folder / "sweeps").glob("journal.db.old-*")] == [content]


def test_an_index_is_no_journal(folder: Path) -> None:
    path_of(folder).parent.mkdir(parents=True)
    other = sqlite3.connect(path_of(folder))
    other.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(IndexForeignError, match="not a journal of gw"):
        Journal.open(folder)


def test_a_newer_version_is_refused(folder: Path) -> None:
    Journal.open(folder).close()
    other = sqlite3.connect(path_of(folder))
    other.execute(f"PRAGMA user_version = {KIND.version + 1}")
    other.close()
    with pytest.raises(IndexVersionError, match=r"a newer gw \(schema 2, not 1\) \(upgrade gw, or gw sweep --fresh\)"):
        Journal.open(folder)


def test_a_table_that_runs_something_is_refused(folder: Path) -> None:
    Journal.open(folder).close()
    other = sqlite3.connect(path_of(folder))
    other.execute("CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END")
    other.close()
    with pytest.raises(IndexForeignError, match="that gw did not make"):
        Journal.open(folder)


@pytest.mark.parametrize("place", ["", "sweeps", "sweeps/journal.db", "sweeps/journal.db-wal"])
def test_a_link_is_refused(folder: Path, tmp_path: Path, place: str) -> None:
    Journal.open(folder).close()
    link = folder / place
    if place.endswith("wal"):
        link.symlink_to(tmp_path / "elsewhere")
    else:
        link.rename(tmp_path / "elsewhere")
        link.symlink_to(tmp_path / "elsewhere")
    for write in (True, False):
        with pytest.raises(GwIndexError, match="is a link"):
            Journal.open(folder, write=write)


@pytest.mark.parametrize("place", ["", "sweeps"])
def test_a_file_in_place_of_a_folder_is_one_clear_error(folder: Path, place: str) -> None:
    (folder / place).parent.mkdir(exist_ok=True)
    (folder / place).write_text("x")
    with pytest.raises(GwError, match="--index"):
        Journal.open(folder)


def test_a_flipped_bit_is_noticed(folder: Path) -> None:
    with Journal.open(folder) as journal:
        journal.put([Entry(key(1), spans=b"a span like no other")])
    data = path_of(folder).read_bytes()
    path_of(folder).write_bytes(data.replace(b"like no other", b"like no othes"))
    with Journal.open(folder) as journal, pytest.raises(IndexForeignError, match="not as it was written"):
        journal.lookup([key(1)])


def test_random_damage_is_an_error_of_gw_or_harmless_and_fresh_is_the_way_out(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "0") as journal:
        journal.put([entry(number, MODEL) for number in range(200)])
        journal.finish(journal.begin(RECIPE, MODEL, "", ""), {})
    whole = path_of(tmp_path / "0").read_bytes()
    chance = random.Random(7)
    for number in range(1, 25):
        folder, data = tmp_path / str(number), bytearray(whole)
        path_of(folder).parent.mkdir(parents=True)
        at = chance.randrange(len(data))
        data[at : at + 400] = chance.randbytes(min(400, len(data) - at))
        path_of(folder).write_bytes(data if number % 3 else data[:at])
        expected = {key(one, MODEL): entry(one, MODEL) for one in range(200)}
        try:
            with Journal.open(folder) as journal:
                found = journal.lookup(expected)
                assert all(expected[one] == kept for one, kept in found.items())
                journal.runs()
        except GwIndexError:
            pass
        with Journal.open(folder, fresh=True) as journal:
            journal.put(list(expected.values()))
        with Journal.open(folder) as journal:
            assert journal.lookup(expected) == expected


def test_a_full_disk_is_one_clear_error_and_loses_nothing(folder: Path, journal: Journal) -> None:
    journal.put([entry(1)])
    journal._connection.pragma("max_page_count", 20)
    large = [Entry(key(number), spans=bytes(4000)) for number in range(10, 40)]
    with pytest.raises(GwIndexError, match=r"the disk is full; .*free some space"):
        journal.put(large)
    assert journal.lookup([key(1)]) == {key(1): entry(1)}


def test_another_writer_in_the_way_is_one_clear_error(folder: Path) -> None:
    with Journal.open(folder, wait=0) as journal:
        other = apsw.Connection(str(path_of(folder)))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GwIndexError, match="locked by another program"):
            journal.put([entry(1)])
        other.execute("ROLLBACK")
        other.close()
        journal.put([entry(1)])


# -- pruning ----------------------------------------------------------------------------------------------------


def test_what_was_not_used_for_long_is_forgotten(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    with Journal.open(folder) as journal:
        run = journal.begin(RECIPE, MODEL, "", "")
        journal.put(
            [entry(1, MODEL), entry(2, MODEL)], [Attempt(key(number, MODEL), 1, "ok") for number in (1, 2)], run=run
        )
        journal.finish(run, {})
    monkeypatch.setattr(time, "time", lambda: now + 40 * 86_400)
    with Journal.open(folder) as journal:
        assert journal.lookup([key(1, MODEL)])
    with Journal.open(folder) as journal:
        assert journal.prune(days=30) == 1
        assert journal.statuses([key(1, MODEL), key(2, MODEL)]) == {key(1, MODEL): "ok"}
        assert [one.key for one in journal.attempts()] == [key(1, MODEL)]
        assert len(journal.runs()) == 1
        monkeypatch.setattr(time, "time", lambda: now + 80 * 86_400)
        assert journal.prune(days=30) == 1
        assert (journal.attempts(), journal.runs()) == ([], [])


def test_the_file_shrinks_to_a_size_and_what_was_put_last_stays(folder: Path) -> None:
    with Journal.open(folder) as journal:
        journal.put([Entry(key(number), spans=os.urandom(3000)) for number in range(500)])
        assert journal.prune(size=1 << 30) == 0
        removed = journal.prune(size=400_000)
        assert 300 < removed < 500
        assert journal.size <= 400_000
        assert set(journal.statuses([key(number) for number in range(500)])) == {
            key(one) for one in range(removed, 500)
        }
    assert path_of(folder).stat().st_size <= 400_000
