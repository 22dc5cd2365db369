import os
import socket
from pathlib import Path

import pytest

from gw_core.errors import LoadError
from gw_core.files import location, open_regular, path_bytes, path_str, read_regular


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "x.txt").write_bytes(b"inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.txt").write_bytes(b"outside")
    return root


def reason(root: Path, path: str, **limits: int) -> str:
    with pytest.raises(LoadError) as caught:
        read_regular(root, path, **limits)
    return caught.value.reason


def test_reads_a_file_and_its_status(root: Path) -> None:
    data, status = read_regular(root, "a/b/x.txt")
    assert data == b"inside"
    assert status.st_size == 6
    assert status.st_ino == (root / "a/b/x.txt").stat().st_ino


def test_reads_the_same_where_the_system_cannot_be_asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gw_core.files._PROC", False)
    (root / "l").symlink_to("a/b")
    assert read_regular(root, "a/b/x.txt")[0] == read_regular(root, "l/x.txt")[0] == b"inside"


def test_reads_an_empty_file(root: Path) -> None:
    (root / "empty").touch()
    assert read_regular(root, "empty")[0] == b""


@pytest.mark.parametrize("path", ["../outside/x.txt", "a/../../outside/x.txt", "/etc/hostname", "a/b/.."])
def test_nothing_above_the_root_is_opened(root: Path, path: str) -> None:
    assert reason(root, path) == "link-outside"


def test_links_are_followed_inside_the_root_and_never_out_of_it(root: Path) -> None:
    (root / "in.txt").symlink_to("a/b/x.txt")
    (root / "d").symlink_to("a")
    (root / "out.txt").symlink_to("../outside/x.txt")
    (root / "o").symlink_to(root.parent / "outside")
    assert read_regular(root, "in.txt")[0] == b"inside"
    assert read_regular(root, "d/b/x.txt")[0] == b"inside"
    assert reason(root, "out.txt") == "link-outside"
    assert reason(root, "o/x.txt") == "link-outside"


def test_the_root_may_be_a_link_itself(root: Path) -> None:
    (root.parent / "alias").symlink_to(root)
    (root / "in.txt").symlink_to("a/b/x.txt")
    assert read_regular(root.parent / "alias", "a/b/x.txt")[0] == b"inside"
    assert read_regular(root.parent / "alias", "in.txt")[0] == b"inside"


def test_a_folder_swapped_for_a_link_out_after_the_look_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """realpath has said "inside"; then the folder is swapped."""
    (root / "d").symlink_to("a")
    true_realpath = os.path.realpath

    def swapped(path: bytes, **keywords: bool) -> bytes:
        answer = true_realpath(path, **keywords)
        if answer.endswith(b"x.txt"):
            (root / "a" / "b" / "x.txt").unlink()
            (root / "a" / "b").rmdir()
            (root / "a" / "b").symlink_to(root.parent / "outside")
        return answer

    monkeypatch.setattr(os.path, "realpath", swapped)
    assert reason(root, "d/b/x.txt") in {"missing", "link-loop"}


def test_links_that_lead_to_themselves(root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    assert reason(root, "one") == "link-loop"


def test_only_regular_files_are_opened(root: Path) -> None:
    os.mkfifo(root / "fifo.txt")
    (root / "zero").symlink_to("/dev/zero")
    here = Path.cwd()
    server = socket.socket(socket.AF_UNIX)
    try:
        os.chdir(root)  # the path of a socket must be short
        server.bind("s")
    finally:
        os.chdir(here)
        server.close()
    assert reason(root, "fifo.txt") == "not-a-file"
    assert reason(root, "s") == "not-a-file"
    assert reason(root, "a") == "not-a-file"
    assert reason(root, "zero") == "link-outside"
    assert reason(Path("/dev"), "zero") == "not-a-file"


@pytest.mark.parametrize("path", ["", "none", "a/none/x", "a/b/x.txt/y", "a\0b", "\ud800"])
def test_what_is_not_there_is_missing(root: Path, path: str) -> None:
    assert reason(root, path) == "missing"


def test_a_file_above_the_limit_is_refused_not_cut(root: Path) -> None:
    assert read_regular(root, "a/b/x.txt", max_bytes=6)[0] == b"inside"
    assert reason(root, "a/b/x.txt", max_bytes=5) == "too-large"


def test_a_file_that_claims_to_be_empty_is_read_and_still_limited() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc here")
    data, status = read_regular(Path("/proc"), f"{os.getpid()}/status")
    assert status.st_size == 0
    assert data.startswith(b"Name:")
    assert reason(Path("/proc"), f"{os.getpid()}/status", max_bytes=10) == "too-large"


def test_any_name_that_the_file_system_has(root: Path) -> None:
    for name in (b"caf\xe9.txt", b"new\nline", b"quo\"te's ", b"\xf0\x9f\x98\x80"):
        path = path_str(name)
        assert path_bytes(path) == name
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_bytes(name)
        assert read_regular(root, path)[0] == name
        assert location(root, path) == os.fsencode(root) + b"/" + name


def test_no_descriptor_is_left_open(root: Path) -> None:
    (root / "out").symlink_to("..")
    before = len([*Path("/dev/fd").iterdir()])
    os.close(open_regular(root, "a/b/x.txt"))
    for path in ("a", "out/x", "none", "a/none"):
        reason(root, path)
    reason(root, "a/b/x.txt", max_bytes=1)
    assert len([*Path("/dev/fd").iterdir()]) == before


def test_only_the_head_of_a_large_file_that_is_unwanted_is_read(tmp_path: Path) -> None:
    (tmp_path / "film").write_bytes(b"\0" * 100_000)
    asked: list[int] = []

    def unwanted(head: bytes) -> bool:
        asked.append(len(head))
        return True

    with pytest.raises(LoadError) as raised:
        read_regular(tmp_path, "film", unwanted=unwanted)
    assert (raised.value.reason, asked) == ("binary", [8192])
