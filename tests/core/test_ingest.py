from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import gw_core
from gw_core.errors import IndexForeignError, IndexVersionError, NotFoundError, OutsideRootError, UsageError
from gw_core.store import FILE_NAME


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def ws(root: Path) -> Iterator[gw_core.Workspace]:
    with gw_core.open(root) as opened:
        yield opened


def write(path: Path, text: str, *, old: bool = True) -> Path:
    """A file that was not written a moment ago, so that its stamp can be trusted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    if old:
        age(path, 60)
    return path


def age(path: Path, seconds: int) -> None:
    then = time.time_ns() - seconds * 10**9
    os.utime(path, ns=(then, then))


def found(ws: gw_core.Workspace, query: str) -> list[str]:
    return [one.passage.path for one in ws.search(query).evidence]


def test_a_second_ingest_reads_nothing(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.md", "# Alpha\n\nThe harbour is closed in winter.\n")
    write(root / "sub" / "b.txt", "Logs are kept for ninety days.\n")
    first = ws.ingest([root])
    assert (first.added, first.unchanged) == (["a.md", "sub/b.txt"], 0)
    second = ws.ingest()
    assert (second.added, second.changed, second.unchanged, second.bytes_read) == ([], [], 2, 0)


def test_only_what_changed_is_read_again_and_the_old_text_is_never_found(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "The harbour is closed in winter.\n")
    write(root / "b.txt", "Logs are kept for ninety days.\n")
    ws.ingest([root])
    write(root / "a.txt", "The airport is closed in winter, and in spring too.\n")
    report = ws.ingest()
    assert (report.changed, report.added, report.unchanged) == (["a.txt"], [], 1)
    assert found(ws, "harbour") == []
    assert found(ws, "airport") == ["a.txt"]


def test_a_change_that_keeps_size_and_date_within_the_clocks_tick_is_seen(ws: gw_core.Workspace, root: Path) -> None:
    path = write(root / "a.txt", "harbour\n", old=False)
    status = path.stat()
    ws.ingest([root])
    path.write_text("airport\n")
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))
    assert ws.ingest().changed == ["a.txt"]
    assert found(ws, "airport") == ["a.txt"]


def test_the_same_bytes_under_a_new_date_are_not_chunked_again(ws: gw_core.Workspace, root: Path) -> None:
    path = write(root / "a.txt", "harbour\n")
    ws.ingest([root])
    age(path, 3600)
    report = ws.ingest()
    assert (report.changed, report.unchanged, report.chunks_added) == ([], 1, 0)
    assert ws.ingest().bytes_read == 0


def test_what_is_deleted_is_gone_from_the_next_search_on(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    write(root / "b.txt", "airport\n")
    ws.ingest([root])
    (root / "a.txt").unlink()
    assert ws.ingest().removed == ["a.txt"]
    assert found(ws, "harbour") == []
    assert ws.status().documents == 1


def test_an_emptied_file_is_no_longer_answered_from(ws: gw_core.Workspace, root: Path) -> None:
    path = write(root / "a.txt", "harbour\n")
    write(root / "b.txt", "airport\n")
    ws.ingest([root])
    write(path, "")
    assert ws.ingest().changed == ["a.txt"]
    assert found(ws, "harbour") == []


def test_a_rename_moves_the_document_without_chunking_it_again(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    ws.ingest([root])
    (root / "a.txt").rename(root / "z.txt")
    report = ws.ingest()
    assert (report.renamed, report.added, report.removed, report.chunks_added) == ([("a.txt", "z.txt")], [], [], 0)
    assert found(ws, "harbour") == ["z.txt"]


def test_only_what_lies_below_the_named_paths_is_reconciled(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "one" / "a.txt", "harbour\n")
    write(root / "two" / "b.txt", "airport\n")
    ws.ingest([root / "one", root / "two"])
    (root / "one" / "a.txt").unlink()
    (root / "two" / "b.txt").unlink()
    assert ws.ingest([root / "two"]).removed == ["two/b.txt"]
    assert found(ws, "harbour") == ["one/a.txt"]
    assert ws.ingest().removed == ["one/a.txt"]


def test_a_named_path_that_is_gone_is_removed_and_one_that_never_was_is_an_error(
    ws: gw_core.Workspace, root: Path
) -> None:
    write(root / "a.txt", "harbour\n")
    write(root / "b.txt", "airport\n")
    ws.ingest([root / "a.txt", root / "b.txt"])
    (root / "a.txt").unlink()
    assert ws.ingest([root / "a.txt"]).removed == ["a.txt"]
    with pytest.raises(NotFoundError):
        ws.ingest([root / "never.txt"])


def test_outside_the_root_is_refused_with_the_way_out(ws: gw_core.Workspace, root: Path) -> None:
    write(root.parent / "outside.txt", "secret harbour\n")
    with pytest.raises(OutsideRootError, match="--root"):
        ws.ingest([root.parent / "outside.txt"])


def test_no_index_and_no_path_is_a_usage_error_with_the_way_out(ws: gw_core.Workspace, root: Path) -> None:
    with pytest.raises(UsageError, match="gw ingest PATH"):
        ws.ingest()
    assert not (root / ".gw").exists()


def test_one_file_that_cannot_be_read_does_not_stop_the_others(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    (root / "b.bin").write_bytes(bytes(range(256)) * 10)
    age(root / "b.bin", 60)
    report = ws.ingest([root])
    assert report.added == ["a.txt"]
    assert ("b.bin", "binary") in [(one.path, one.reason) for one in report.skipped]
    again = ws.ingest()
    assert ("b.bin", "binary") in [(one.path, one.reason) for one in again.skipped]
    assert again.bytes_read == 0


def test_a_file_that_turns_binary_is_no_longer_answered_from(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    ws.ingest([root])
    (root / "a.txt").write_bytes(b"harbour" + bytes(range(256)) * 10)
    report = ws.ingest()
    assert report.removed == ["a.txt"]
    assert report.skipped_by_reason()["binary"] == 1
    assert ws.status().documents == 0


def test_other_chunker_settings_chunk_again_and_say_so(root: Path) -> None:
    write(root / "a.txt", "The harbour is closed in winter.\n\n" * 60)
    with gw_core.open(root) as ws:
        before = ws.ingest([root]).chunks_added
    with gw_core.open(
        root, overrides=["chunkers.text.target=300", "chunkers.text.limit=500", "chunkers.text.overlap=50"]
    ) as ws:
        report = ws.ingest()
        assert (report.rechunked, report.bytes_read) == (["a.txt"], 0)
        assert any("chunked again" in note for note in report.notes)
        assert ws.status().chunks > before
        assert set(ws.verify_all().counts) == {"verified"}


def test_a_backend_of_other_settings_is_built_again_from_the_catalogue(root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    with gw_core.open(root, overrides=["ingest.backends=[]"]) as ws:
        ws.ingest([root])
    with gw_core.open(root) as ws:
        with pytest.raises((UsageError, IndexVersionError), match="gw ingest"):
            ws.search("harbour")
        assert ws.ingest().bytes_read == 0
        assert found(ws, "harbour") == ["a.txt"]


def test_a_backend_that_an_ingest_left_out_refuses_until_it_is_up_to_date(root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    with gw_core.open(root) as ws:
        ws.ingest([root])
    write(root / "b.txt", "airport\n")
    with gw_core.open(root, overrides=["ingest.backends=[]"]) as ws:
        ws.ingest()
    with gw_core.open(root) as ws:
        with pytest.raises(IndexVersionError, match="gw ingest"):
            ws.search("airport")
        ws.ingest()
        assert found(ws, "airport") == ["b.txt"]


def test_an_interrupted_ingest_is_completed_by_one_without_paths(ws: gw_core.Workspace, root: Path) -> None:
    for number in range(3):
        write(root / f"{number}.txt", "harbour\n")

    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ws.ingest([root], on_progress=interrupt)
    assert any("has not come to its end" in note for note in ws.search("harbour").notes)
    assert ws.ingest().readable == 3
    assert ws.search("harbour").notes == ()
    assert ws.ingest().bytes_read == 0


def test_forgetting_leaves_no_trace_in_the_files(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "keep.txt", "airport\n" * 50)
    write(root / "drop" / "a.txt", "zyzzyvarium harbour\n" * 50)
    ws.ingest([root])
    assert ws.forget([root / "drop"]) == ["drop/a.txt"]
    assert found(ws, "zyzzyvarium") == []
    assert found(ws, "airport") == ["keep.txt"]
    ws.close()
    for file in (root / ".gw").rglob("*"):
        if file.is_file():
            assert b"zyzzyvarium" not in file.read_bytes()
            assert b"drop/a.txt" not in file.read_bytes()


def test_forgetting_leaves_no_trace_in_a_backend_that_is_no_longer_configured(root: Path) -> None:
    write(root / "keep.txt", "airport\n" * 50)
    write(root / "drop" / "a.txt", "zyzzyvarium harbour\n" * 50)
    with gw_core.open(root, overrides=["backends.old.use=fts5", "ingest.backends=old,fts5"]) as ws:
        ws.ingest([root])
    with gw_core.open(root) as ws:
        assert ws.forget([root / "drop"]) == ["drop/a.txt"]
        assert found(ws, "airport") == ["keep.txt"]
        assert [one.name for one in ws.status().backends] == ["fts5"]
    for file in (root / ".gw").rglob("*"):
        assert not file.is_file() or b"zyzzyvarium" not in file.read_bytes()


def test_forgetting_what_is_not_there_is_an_error(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    ws.ingest([root])
    with pytest.raises(NotFoundError):
        ws.forget([root / "b.txt"])


def test_rebuilding_sets_a_damaged_index_aside(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    ws.ingest([root])
    ws.close()
    path = root / ".gw" / FILE_NAME
    path.write_bytes(b"not a database at all")
    with pytest.raises(IndexForeignError, match="--rebuild"):
        ws.ingest([root])
    with pytest.raises(UsageError, match="--rebuild PATH"):
        ws.ingest(rebuild=True)
    assert ws.ingest([root], rebuild=True).added == ["a.txt"]
    assert found(ws, "harbour") == ["a.txt"]
    assert [one for one in path.parent.iterdir() if one.read_bytes() == b"not a database at all"]


def test_the_index_is_never_indexed(ws: gw_core.Workspace, root: Path) -> None:
    write(root / "a.txt", "harbour\n")
    ws.ingest([root])
    assert ws.ingest().added == []
    assert ws.status().documents == 1


def test_copies_have_one_hit_that_lists_them(ws: gw_core.Workspace, root: Path) -> None:
    for number in range(8):
        write(root / f"copy{number}.txt", "The harbour is closed in winter.\n")
    ws.ingest([root])
    (one,) = ws.search("harbour in winter").evidence
    assert one.passage.path == "copy0.txt"
    assert len(one.passage.hits[0].why["copies"]) == 7


_INGEST = "import gw_core, sys; gw_core.open(sys.argv[1]).ingest([sys.argv[1]])"


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_an_index_that_the_next_ingest_completes(root: Path) -> None:
    for number in range(400):
        write(root / f"{number:03}.txt", f"The harbour number {number} is closed in winter.\n\n" * 40)
    for delay in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
        with subprocess.Popen([sys.executable, "-c", _INGEST, str(root)]) as process:
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        with gw_core.open(root) as ws:
            if ws.status().exists and ws.status().backends:
                assert set(ws.verify_all().counts) <= {"verified"}
    with gw_core.open(root) as ws:
        ws.ingest([root])
        assert ws.status().documents == 400
        assert found(ws, "harbour number 377")[0] == "377.txt"
        assert ws.ingest().bytes_read == 0


@pytest.mark.slow
def test_three_ingests_and_four_searches_at_once(root: Path) -> None:
    for number in range(150):
        write(root / f"{number:03}.txt", f"The harbour number {number} is closed in winter.\n\n" * 20)
    with gw_core.open(root) as ws:
        ws.ingest([root])
    search = (
        "import gw_core, sys\n"
        "with gw_core.open(sys.argv[1]) as ws:\n"
        "    for _ in range(20):\n"
        "        assert ws.search('harbour number 77').evidence\n"
    )
    touch = (
        "import gw_core, sys, pathlib\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "for turn in range(3):\n"
        "    for path in sorted(root.glob('*.txt'))[int(sys.argv[2])::3]:\n"
        "        path.write_text(path.read_text() + f'turn {turn}\\n')\n"
        "    gw_core.open(root).ingest([root])\n"
    )
    commands = [[sys.executable, "-c", touch, str(root), str(n)] for n in range(3)]
    commands += [[sys.executable, "-c", search, str(root)] for _ in range(4)]
    processes = [subprocess.Popen(one, stderr=subprocess.PIPE) for one in commands]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 7, errors
    with gw_core.open(root) as ws:
        ws.ingest([root])
        assert ws.status().documents == 150
        assert set(ws.verify_all().counts) == {"verified"}
