"""The index: kept up to date, killed, shared, damaged, full, and mistaken for something else.

=====================================  ==================================================================
row                                    tests
=====================================  ==================================================================
ingest, edit, ingest                   test_an_edit_leaves_no_ghost, test_any_history_ends_in_the_same_index
delete, rename, empty                  test_what_is_gone_moved_or_emptied_is_seen_by_the_next_ingest
kill -9 while it ingests or forgets    test_a_kill_while_ingesting, test_a_kill_while_forgetting,
                                       test_an_interrupt_ends_in_one_line
several at once                        test_readers_never_wait_for_a_writer, test_a_writer_in_the_way_is_named; three
                                       ingests and four searches: tests/core/test_ingest.py
truncated, random bytes, foreign       test_a_damaged_index_is_one_line_and_never_deleted,
                                       test_a_truncated_index, test_a_foreign_file_is_refused_untouched,
                                       test_what_is_in_the_way_of_the_index
newer, other tokenizer                 test_an_index_of_another_gw_is_refused
disk full                              test_a_full_disk_leaves_the_index_as_it_was, test_a_size_limit_is_a_full_disk
folder with its own permissions        test_a_folder_keeps_its_permissions, test_an_index_that_cannot_be_written
mistyped path or name                  test_a_mistyped_place_or_name_makes_nothing
=====================================  ==================================================================
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gw_core
from gw_core.database import APPLICATION_ID

HARBOUR = "The harbour is closed in winter.\n"
COMMANDS = (
    ["status"],
    ["search", "harbour winter"],
    ["ask", "When is the harbour closed?"],
    ["verify", "--all"],
    ["ingest"],
    ["ingest", "docs"],
    ["forget", "docs/3.txt"],
    ["search", "harbour", "docs"],
)
"""Whatever opens the index, in an order in which each finds something to do."""


def fill(folder: Path, count: int = 30) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"{number}.txt").write_text(f"Ship number {number} left the harbour in winter.\n\n" * 9)


def content(folder: Path) -> dict[str, bytes]:
    """Everything below a folder but the lock, which says who writes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "writer.lock"
    }


# -- up to date -------------------------------------------------------------------------------------------------------


def test_an_edit_leaves_no_ghost(gw: Any, write: Any) -> None:
    for number in range(20):
        write(f"docs/{number}.txt", f"Ship number {number} left the harbour.\n")
    gw("ingest", "docs")
    write("docs/7.txt", "The lighthouse opens at nine.\n")
    ran = gw("ingest", "docs", "--json").json
    assert (ran["changed"], ran["unchanged"], ran["added"]) == (["docs/7.txt"], 19, [])
    assert "docs/7.txt" not in gw("search", "ship number 7 left harbour", "-k", "30", "--json").paths
    assert gw("search", "lighthouse", "--json").paths == ["docs/7.txt"]
    assert len(gw("search", "harbour", "-k", "50", "--json").paths) == 19


def test_what_is_gone_moved_or_emptied_is_seen_by_the_next_ingest(gw: Any, write: Any, tmp_path: Path) -> None:
    for name in ("gone", "moved", "emptied", "blanked", "folder", "kept"):
        write(f"docs/{name}.txt", f"The {name} lighthouse.\n")
    gw("ingest", "docs")
    (tmp_path / "docs/gone.txt").unlink()
    (tmp_path / "docs/moved.txt").rename(tmp_path / "docs/here.txt")
    write("docs/emptied.txt", "")
    write("docs/blanked.txt", " \n\n")
    (tmp_path / "docs/folder.txt").unlink()
    write("docs/folder.txt/inner.txt", "A harbour.\n")
    # Before the next ingest nothing of it is shown as verified.
    stale = {hit["path"]: hit["verdict"] for hit in gw("search", "lighthouse", "-k", "9", "--json").json["hits"]}
    assert {path for path, verdict in stale.items() if verdict == "verified"} == {"docs/kept.txt"}
    ran = gw("search", "lighthouse", "docs", "-k", "9", "--json")
    assert sorted(ran.paths) == ["docs/here.txt", "docs/kept.txt"]
    assert ran.json["ingest"]["renamed"] == [{"from": "docs/moved.txt", "to": "docs/here.txt"}]


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "rename", "ingest", "forget", "touch"]),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    max_size=12,
)


@settings(max_examples=15, deadline=None)
@given(_STEPS)
def test_any_history_ends_in_the_same_index(tmp_path_factory: pytest.TempPathFactory, steps: list[Any]) -> None:
    root = tmp_path_factory.mktemp("history")

    def place(number: int) -> Path:
        return root / "docs" / f"{number}.txt"

    place(0).parent.mkdir()
    place(9).write_text(HARBOUR)
    with gw_core.open(root, env={"GW_CONFIG": ""}) as ws:
        ws.ingest([root / "docs"])
        for what, one, other in steps:
            if what == "write":
                place(one).write_text(f"Ship number {other} left the harbour.\n" * (other + 1))
            elif what == "delete":
                place(one).unlink(missing_ok=True)
            elif what == "rename" and place(one).exists():
                place(one).rename(place(other))
            elif what == "touch" and place(one).exists():
                os.utime(place(one))
            elif what == "forget" and ws._is_indexed(f"docs/{one}.txt"):
                ws.forget([place(one)])
            elif what == "ingest":
                ws.ingest([root / "docs"])
        ws.ingest([root / "docs"])
        ours = _state(ws)
    with gw_core.open(root, index=root / "fresh", env={"GW_CONFIG": ""}) as ws:
        ws.ingest([root / "docs"])
        assert _state(ws) == ours


def _state(ws: gw_core.Workspace) -> Any:
    def hits(query: str) -> list[tuple[str, int, int, str]]:
        return [
            (one.passage.path, one.passage.start, one.passage.end, one.verification.verdict.value)
            for one in ws.search(query, k=50).evidence
        ]

    status = ws.status()
    return status.documents, status.chunks, status.chars, hits("harbour"), hits("ship number 3"), ws.verify_all().counts


# -- killed -----------------------------------------------------------------------------------------------------------


def _kill_after(running: subprocess.Popen[bytes], delay: float) -> bool:
    """Kill -9 once the process has used the CPU for so long; True if it had not ended by itself."""
    ticks = os.sysconf("SC_CLK_TCK")
    stat_file = Path(f"/proc/{running.pid}/stat")
    while running.poll() is None:
        fields = stat_file.read_text().rpartition(")")[2].split()
        if (int(fields[11]) + int(fields[12])) / ticks >= delay:
            break
        time.sleep(0.002)
    running.kill()
    running.communicate()
    return running.returncode == -signal.SIGKILL


def _delays(few: int, many: int) -> list[Any]:
    """CPU seconds after which to kill: a few in every run, more in a slow one."""
    step = 0.6 / many
    return [
        pytest.param(round(0.1 + number * step, 3), marks=() if number % (many // few) == 0 else pytest.mark.slow)
        for number in range(many)
    ]


@pytest.mark.parametrize("delay", _delays(4, 24))
def test_a_kill_while_ingesting(tmp_path: Path, gw: Any, process: Any, delay: float) -> None:
    fill(tmp_path / "docs", 600)
    _kill_after(process("ingest", "docs"), delay)
    for command in (["status"], ["search", "harbour"]):
        ran = gw(*command)
        assert ran.code in (0, 1, 2, 3)
        assert "internal" not in ran.err
        assert "damaged" not in ran.err
    _kill_after(process("ingest", "docs"), delay / 2)
    assert gw("ingest", "docs").code == 0
    assert gw("status", "--json").json["documents"] == 600
    assert gw("verify", "--all", "--json").json["counts"]["verified"] == 600
    assert gw("search", "ship number 577", "--json").paths[0] == "docs/577.txt"
    assert gw("ingest", "--json").json["unchanged"] == 600


@pytest.mark.parametrize("delay", _delays(3, 15))
def test_a_kill_while_forgetting(tmp_path: Path, gw: Any, process: Any, delay: float) -> None:
    fill(tmp_path / "docs", 300)
    fill(tmp_path / "kept", 5)
    gw("ingest", "docs", "kept")
    _kill_after(process("forget", "docs"), delay)
    left = gw("status", "--json").json["documents"]
    assert left in (5, 305)  # all of it or nothing
    assert gw("verify", "--all").code == 0
    if left == 305:
        assert gw("forget", "docs").code == 0
    assert {path.split("/")[0] for path in gw("search", "harbour", "-k", "20", "--json").paths} == {"kept"}
    assert gw("ingest", "--json").json["unchanged"] == 5
    assert gw("ingest", "docs").code == 0
    assert gw("status", "--json").json["documents"] == 305


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_in_one_line(tmp_path: Path, gw: Any, process: Any, number: int, code: int) -> None:
    fill(tmp_path / "docs", 3000)
    running = process("ingest", "docs")
    while not (tmp_path / ".gw/catalogue.db-wal").exists() and running.poll() is None:
        time.sleep(0.005)
    running.send_signal(number)
    _, err = running.communicate(timeout=30)
    assert running.returncode in (0, code)
    assert err.count(b"\n") <= 1
    assert b"Traceback" not in err
    assert gw("ingest", "docs").code == 0
    assert gw("status", "--json").json["documents"] == 3000


# -- shared -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def writer(tmp_path: Path, environment: dict[str, str]) -> Iterator[Callable[[], None]]:
    """A process that holds the writer's lock, with a transaction that is open."""
    hold = (
        "import sys; from pathlib import Path; from gw_core.store import Catalogue\n"
        "with Catalogue.open(Path(sys.argv[1]), write=True) as c, c.transaction():\n"
        "    c.set_meta('x', 'y'); print('ready', flush=True); sys.stdin.read()\n"
    )
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        running = subprocess.Popen([sys.executable, "-c", hold, str(tmp_path / ".gw")], env=environment, **pipes)  # type: ignore[call-overload]
        started.append(running)
        assert running.stdout.readline() == b"ready\n"

    yield start
    for running in started:
        running.communicate()


def test_readers_never_wait_for_a_writer(gw: Any, tmp_path: Path, writer: Any) -> None:
    fill(tmp_path / "docs")
    gw("ingest", "docs")
    writer()
    began = time.monotonic()
    for command in (["status"], ["search", "harbour"], ["ask", "When did ship number 3 leave?"], ["verify", "--all"]):
        assert gw(*command).code in (0, 3)
    assert time.monotonic() - began < 8  # a reader that waited would wait for ten seconds


def test_a_writer_in_the_way_is_named(gw: Any, tmp_path: Path, writer: Any) -> None:
    fill(tmp_path / "docs")
    gw("ingest", "docs")
    writer()
    for command in (
        ["ingest", "docs"],
        ["ingest"],
        ["ingest", "--rebuild", "docs"],
        ["forget", "docs"],
        ["search", "harbour", "docs"],
        ["ask", "When did ship number 3 leave?", "docs"],
    ):
        ran = gw(*command, "--wait", "0", "--json")
        assert ran.code == 1
        assert ran.json["error"]["code"] == "index-busy"
        assert "process" in ran.failure
        assert "--wait" in ran.failure
    for wait in ("-1", "nan", "soon"):
        assert gw("ingest", "docs", "--wait", wait).code in (1, 2)


# -- damaged ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with an index, one part of which is still in its write-ahead log."""
    root = tmp_path_factory.mktemp("pristine")
    fill(root / "docs")
    with gw_core.open(root, env={"GW_CONFIG": ""}) as ws:
        ws.ingest([root / "docs"])
    (root / "docs/new.txt").write_text("The lighthouse opens at nine.\n" * 50)
    copy = (
        "import sys, shutil, gw_core, gw_core.store as store\n"
        "root, close = sys.argv[1], store.Catalogue.close\n"
        "def kept(self):\n"
        "    shutil.copytree(root + '/.gw', root + '/kept', dirs_exist_ok=True)\n"
        "    close(self)\n"
        "store.Catalogue.close = kept\n"
        "gw_core.open(root, env={'GW_CONFIG': ''}).ingest([root + '/docs'])\n"
    )
    subprocess.run([sys.executable, "-c", copy, str(root)], check=True)
    shutil.rmtree(root / ".gw")
    (root / "kept").rename(root / ".gw")
    (root / ".gw/catalogue.db-shm").unlink(missing_ok=True)
    assert (root / ".gw/catalogue.db-wal").stat().st_size > 0
    return root


@pytest.fixture
def damaged(pristine: Path, tmp_path: Path) -> Path:
    shutil.copytree(pristine, tmp_path, dirs_exist_ok=True)
    return tmp_path / ".gw"


def survives(gw: Any, index: Path) -> None:
    """Every command works, or ends with one line; and what is there stays there."""
    names = {path.name for path in index.iterdir() if path.stat().st_size and path.suffix == ".db"}
    for command in COMMANDS:
        ran = gw(*command)
        assert ran.code in (0, 1, 2, 3), (command, ran)
        assert "Traceback" not in ran.err
        assert "internal error" not in ran.err, (command, ran.err)
        errors = [line for line in ran.err.splitlines() if line.startswith("gw: error")]
        assert len(errors) == (1 if ran.code in (1, 2) else 0), (command, ran)
        assert names <= {path.name for path in index.iterdir()}
    assert gw("ingest", "--rebuild", "docs").code == 0
    assert gw("verify", "--all").code == 0
    assert gw("search", "ship number 7", "--json").paths[0] == "docs/7.txt"


FILES = ["catalogue.db", "catalogue.db-wal"]


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 80))])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_index_is_one_line_and_never_deleted(gw: Any, damaged: Path, name: str, seed: int) -> None:
    chance = random.Random(f"{name}{seed}")
    place = damaged / name
    data = bytearray(place.read_bytes())
    kind = seed % 6
    if kind == 0:  # a few bits anywhere
        for _ in range(chance.choice([1, 5, 50])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == 1:  # a page of noise
        at = chance.randrange(len(data) // 4096) * 4096
        data[at : at + 4096] = chance.randbytes(4096)
    elif kind == 2:  # a page of nothing
        at = chance.randrange(len(data) // 4096) * 4096
        data[at : at + 4096] = bytes(4096)
    elif kind == 3:  # two pages changed places
        one, other = (chance.randrange(1, len(data) // 4096) * 4096 for _ in range(2))
        data[one : one + 4096], data[other : other + 4096] = data[other : other + 4096], data[one : one + 4096]
    elif kind == 4:  # bits of the header, or of what describes the tables
        for _ in range(3):
            data[chance.randrange(100)] ^= 1 << chance.randrange(8)
    else:  # all of it
        data = bytearray(chance.randbytes(len(data)))
    place.write_bytes(data)
    survives(gw, damaged)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("left", [0, 1, 15, 16, 99, 100, 512, 4095, 4096, 4097, 20_000, -1, -4096])
def test_a_truncated_index(gw: Any, damaged: Path, name: str, left: int) -> None:
    place = damaged / name
    place.write_bytes(place.read_bytes()[:left])
    survives(gw, damaged)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["documents", "chunks", "blocks", "meta", "skipped", "sources", "backends"]), st.data())
def test_rows_that_no_gw_wrote(gw: Any, pristine: Path, tmp_path: Path, table: str, data: st.DataObject) -> None:
    shutil.rmtree(tmp_path / ".gw", ignore_errors=True)
    shutil.copytree(pristine, tmp_path, dirs_exist_ok=True)
    with sqlite3.connect(tmp_path / ".gw/catalogue.db") as db:
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        column = data.draw(st.sampled_from(columns))
        value = data.draw(st.sampled_from([-1, 0, 2**62, 1.5, "", "x", "../../etc/passwd", b"", b"\xff", b"x" * 100]))
        with suppress(sqlite3.IntegrityError):  # not even SQLite would store that
            db.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
    db.close()
    survives(gw, tmp_path / ".gw")


def _other_database(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, path TEXT)")
        db.execute("INSERT INTO documents VALUES (1, 'precious')")
    db.close()


def _text(path: Path) -> None:
    path.write_text("A text that somebody wrote.\n" * 99)


def _picture(path: Path) -> None:
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)


def _half_ours(path: Path) -> None:
    _other_database(path)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.close()


@pytest.mark.parametrize("make", [_other_database, _text, _picture, _half_ours])
def test_a_foreign_file_is_refused_untouched(gw: Any, tmp_path: Path, make: Callable[[Path], None]) -> None:
    fill(tmp_path / "docs", 3)
    index = tmp_path / "theirs"
    index.mkdir()
    make(index / "catalogue.db")
    before = content(index)
    for command in COMMANDS:
        ran = gw(*command, "--index", "theirs")
        assert ran.code == 1, (command, ran)
        assert "--rebuild" in ran.failure or "--index" in ran.failure
        assert content(index) == before
    assert gw("ingest", "--rebuild", "docs", "--index", "theirs").code == 0
    (aside,) = index.glob("catalogue.db.old-*")
    assert aside.read_bytes() == before["catalogue.db"]


def test_what_is_in_the_way_of_the_index(gw: Any, tmp_path: Path) -> None:
    fill(tmp_path / "docs", 3)
    (tmp_path / "file").write_text("precious")
    (tmp_path / "place/catalogue.db/inner").mkdir(parents=True)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/catalogue.db").symlink_to("../file")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe/catalogue.db")
    for index in ("file", "place", "linked", "fifo", "pipe", "file/below", "/dev/null", "/proc/gw", "x" * 300):
        for command in COMMANDS:
            ran = gw(*command, "--index", index)
            assert ran.code in (1, 2), (index, command, ran)
            assert ran.failure
    assert (tmp_path / "file").read_text() == "precious"
    assert (tmp_path / "place/catalogue.db/inner").is_dir()


def test_an_index_of_another_gw_is_refused(gw: Any, damaged: Path) -> None:
    gw("status")
    with sqlite3.connect(damaged / "catalogue.db") as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    for other, said in ((version + 1, "newer"), (version + 999, "newer"), (2**31 - 1, "newer"), (-1, "older")):
        with sqlite3.connect(damaged / "catalogue.db") as db:
            db.execute(f"PRAGMA user_version = {other}")
        db.close()
        for command in COMMANDS:
            ran = gw(*command)
            assert ran.code == 1, (command, ran)
            assert said in ran.failure
            assert "--rebuild" in ran.failure
    with sqlite3.connect(damaged / "catalogue.db") as db:
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("UPDATE backends SET identity = 'fts5@0(fold=''0'')'")
    db.close()
    for command in (["search", "harbour"], ["ask", "harbour?"]):
        ran = gw(*command)
        assert ran.code == 1
        assert "gw ingest" in ran.failure
    assert gw("ingest").code == 0
    assert gw("search", "harbour").code == 0


# -- full -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "gw", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_an_index_on_a_read_only_medium_is_read(gw: Any, tmp_path: Path, small_disk: Path) -> None:
    fill(tmp_path / "docs", 3)
    assert gw("ingest", "docs", "--index", small_disk / "index").code == 0
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for arguments in (["search", "harbour"], ["status"], ["verify", "--all"]):
        assert gw(*arguments, "--index", small_disk / "index").code == 0
    ran = gw("ingest", "docs", "--index", small_disk / "index")
    assert ran.code == 1
    assert "read-only" in ran.failure.lower() or "readonly" in ran.failure.lower()


def _fill_disk_test(gw: Any, tmp_path: Path, index: Path, ingest: Callable[..., Any]) -> None:
    fill(tmp_path / "docs")
    assert gw("ingest", "docs", "--index", index).code == 0
    before = gw("search", "harbour", "--index", index, "--json").paths
    large = tmp_path / "large"
    large.mkdir()
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnop", k=8)) for _ in range(20_000)]
    for number in range(12):
        (large / f"{number}.txt").write_text(" ".join(chance.choices(words, k=20_000)))
    code, err = ingest("ingest", "large", "--index", str(index))
    assert code == 1, err
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("gw: error: ")
    assert gw("search", "harbour", "--index", index, "--json").paths == before
    assert gw("verify", "--all", "--index", index).code == 0
    shutil.rmtree(large)
    assert gw("ingest", "docs", "--index", index).code == 0


def test_a_full_disk_leaves_the_index_as_it_was(gw: Any, tmp_path: Path, small_disk: Path) -> None:
    def ingest(*arguments: str) -> tuple[int, str]:
        ran = gw(*arguments)
        return ran.code, ran.err

    _fill_disk_test(gw, tmp_path, small_disk / "index", ingest)


def test_a_size_limit_is_a_full_disk(gw: Any, tmp_path: Path, process: Any) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def ingest(*arguments: str) -> tuple[int, str]:
        running = process(*arguments, preexec_fn=limited)
        _, err = running.communicate(timeout=60)
        return running.returncode, err.decode()

    _fill_disk_test(gw, tmp_path, tmp_path / "index", ingest)


# -- permissions ------------------------------------------------------------------------------------------------------


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o700, 0o2775])
def test_a_folder_keeps_its_permissions(gw: Any, tmp_path: Path, mode: int) -> None:
    fill(tmp_path / "docs", 3)
    index = tmp_path / "shared"
    index.mkdir()
    index.chmod(mode)
    (index / "notes.txt").write_text("ours")
    (index / "notes.txt").chmod(0o644)
    old = os.umask(0)
    try:
        for command in COMMANDS:
            gw(*command, "--index", "shared")
    finally:
        os.umask(old)
    assert _mode(index) == mode
    assert _mode(index / "notes.txt") == 0o644
    made = [path for path in index.rglob("*") if path.is_file() and path.name != "notes.txt"]
    assert made
    assert {_mode(path) for path in made} == {0o600}
    assert not (index / ".gitignore").exists()
    gw("ingest", "docs")
    assert _mode(tmp_path / ".gw") == 0o700
    assert {_mode(path) for path in (tmp_path / ".gw").iterdir() if path.suffix == ".db"} == {0o600}


def test_an_index_that_cannot_be_written(gw: Any, tmp_path: Path, process: Any, environment: dict[str, str]) -> None:
    if os.getuid() != 0:
        pytest.skip("needs a user of its own")
    fill(tmp_path / "docs", 3)
    gw("ingest", "docs")

    def somebody() -> None:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    for place in (tmp_path, *list(tmp_path.parents)[:2]):
        place.chmod(0o755)
    for path in (tmp_path / ".gw", *(tmp_path / ".gw").iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    for arguments in (["search", "harbour"], ["status"], ["verify", "--all"], ["ingest", "docs"], ["forget", "docs"]):
        try:
            running = process(*arguments, preexec_fn=somebody)
        except PermissionError:
            pytest.skip("another user cannot run this Python")
        out, err = running.communicate(timeout=60)
        assert b"Traceback" not in err, err
        assert running.returncode == (1 if arguments[0] in ("ingest", "forget") else 0), (arguments, out, err)
    (tmp_path / ".gw").chmod(0o700)
    running = process("search", "harbour", preexec_fn=somebody)
    _, err = running.communicate(timeout=60)
    assert running.returncode in (1, 2)
    assert b"Traceback" not in err
    assert err.count(b"\n") == 1


# -- mistaken ---------------------------------------------------------------------------------------------------------


def test_a_mistyped_place_or_name_makes_nothing(gw: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "docs", 3)
    gw("ingest", "docs")
    for command in (["search", "harbour"], ["ask", "harbour?"], ["verify", "--all"], ["ingest"], ["forget", "docs"]):
        ran = gw(*command, "--index", "indx")
        assert ran.code == 2, (command, ran)
        assert "gw ingest PATH" in ran.failure
    assert gw("status", "--index", "indx").code == 2
    monkeypatch.setenv("GW_INDEX", str(tmp_path / "indx"))
    assert gw("search", "harbour").code == 2
    monkeypatch.delenv("GW_INDEX")
    assert gw("search", "harbour", "--root", "nowhere").code == 2
    assert not (tmp_path / "indx").exists()
    before = content(tmp_path / ".gw")
    for arguments, known in (
        (["search", "harbour", "--backend", "fts"], "fts5"),
        (["search", "harbour", "--backend", "dense"], "fts5"),
        (["search", "harbour", "--rerank", "nothing"], ""),
        (["ask", "harbour?", "--reader", "regexp"], "regex"),
        (["ingest", "docs", "-o", "ingest.backends=fts6"], "fts5"),
        (["ingest", "docs", "-o", "ingest.chunker=txt"], "text"),
        (["search", "harbour", "-o", "retrieve.bakend=fts5"], "backend"),
        (["serch", "harbour"], "search"),
    ):
        ran = gw(*arguments, "--json")
        assert ran.code == 2, (arguments, ran)
        assert known in ran.failure
        assert ran.json["error"]["message"]
        assert content(tmp_path / ".gw") == before, arguments


def test_every_failure_is_json_where_json_was_asked_for(gw: Any, damaged: Path) -> None:
    (damaged / "catalogue.db").write_text("no database")
    for command in COMMANDS:
        ran = gw(*command, "--json")
        assert ran.code == 1
        assert json.loads(ran.out)["error"]["code"]
