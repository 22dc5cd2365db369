import inspect
import os
import socket
import sys
from collections import Counter
from pathlib import Path

import pytest

from gw_core.corpus import REASONS, CorpusSettings, Found, Skipped, find_root, relative_path, walk
from gw_core.errors import NotFoundError, OutsideRootError

NOWHERE = {"HOME": "/nonexistent"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "root"
    root.mkdir()
    return root


def plant(root: Path, *paths: str) -> None:
    """Files that hold their own path; one that ends with a slash is a folder."""
    for path in paths:
        file = root / path
        if path.endswith("/"):
            file.mkdir(parents=True, exist_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(path)


def found(root: Path, *paths: str | Path, settings: CorpusSettings | None = None) -> list[str]:
    below = [root / path for path in paths]
    return [item.path for item in walk(root, below, settings, NOWHERE) if isinstance(item, Found)]


def skipped(root: Path, *paths: str | Path, settings: CorpusSettings | None = None) -> dict[str, str]:
    items = [item for item in walk(root, [root / p for p in paths], settings, NOWHERE) if isinstance(item, Skipped)]
    assert len({item.path for item in items}) == len(items)
    assert {item.reason for item in items} <= set(REASONS)
    return {item.path: item.reason for item in items}


def test_files_come_in_the_order_of_their_paths_bytes_with_their_status(root: Path) -> None:
    plant(root, "b", "a/x", "a.txt", "a-b/y", "é", "Z", ".hidden/.file", "a/b/c")
    paths = [".hidden/.file", "Z", "a-b/y", "a.txt", "a/b/c", "a/x", "b", "é"]
    assert found(root) == paths == sorted(paths, key=str.encode)
    items = {item.path: item for item in walk(root, environ=NOWHERE) if isinstance(item, Found)}
    status = (root / "a/b/c").stat()
    assert items["a/b/c"] == Found("a/b/c", 5, status.st_mtime_ns, status.st_ino, status.st_dev)


def test_any_name_that_the_file_system_has(root: Path) -> None:
    names = [
        "with space",
        "quo\"te's",
        "new\nline",
        "tab\t",
        "caf\udce9",
        "\N{GRINNING FACE}",
        "-rf",
        "*",
        "a\\b",
        "\u202e",
    ]
    for name in names:
        (root / name).touch()
    assert found(root) == sorted(names, key=os.fsencode)
    assert found(root, "caf\udce9") == ["caf\udce9"]


def test_what_is_left_out_by_default_is_counted_once_and_not_entered(root: Path) -> None:
    folders = [".git", ".gw", "node_modules", "__pycache__", ".venv", "venv", "target", "dist", "build", "vendor"]
    folders += [".mypy_cache", ".pytest_cache"]
    for folder in folders:
        plant(root, f"{folder}/x.txt", f"sub/{folder}/deep/x.txt")
    plant(root, "kept.txt", "sub/kept.txt", ".dotted/kept.txt", ".editorconfig", "src/building/kept.txt", "tools/build")
    assert found(root) == [
        ".dotted/kept.txt",
        ".editorconfig",
        "kept.txt",
        "src/building/kept.txt",
        "sub/kept.txt",
        "tools/build",
    ]
    assert skipped(root) == {f"{parent}{folder}/": "excluded" for folder in folders for parent in ("", "sub/")}


def test_node_modules_that_is_a_link_is_left_out_too(root: Path) -> None:
    plant(root, "store/x.js", "kept.js")
    (root / "app").mkdir()
    (root / "app/node_modules").symlink_to(root / "store")
    (root / "data").symlink_to("store")
    (root / ".gitignore").write_text("data/\nstore/\n")
    assert found(root) == [".gitignore", "kept.js"]
    assert skipped(root) == {"app/node_modules/": "excluded", "data/": "ignored", "store/": "ignored"}


def test_the_settings_leave_more_out_and_take_defaults_back(root: Path) -> None:
    plant(
        root,
        "drafts/a.md",
        "drafts/deep/b.md",
        "docs/drafts/c.md",
        "vendor/lib.c",
        "build/x",
        "notes.tmp",
        "a/notes.tmp",
    )
    settings = CorpusSettings(excludes=["drafts/**", "!vendor/", "/notes.tmp"])
    assert found(root, settings=settings) == ["a/notes.tmp", "docs/drafts/c.md", "vendor/lib.c"]
    assert skipped(root, settings=settings) == {
        "build/": "excluded",
        "drafts/a.md": "excluded",
        "drafts/deep/": "excluded",
        "notes.tmp": "excluded",
    }


def test_the_rule_that_decided_is_told(root: Path) -> None:
    plant(root, "sub/x.log", "y.bak", "build/")
    (root / "sub/.gitignore").write_text("# logs\n*.log\n")
    details = {
        item.path: item.detail
        for item in walk(root, (), CorpusSettings(["*.bak"]), NOWHERE)
        if isinstance(item, Skipped)
    }
    assert details == {
        "build/": "default:9: build/",
        "sub/x.log": "sub/.gitignore:2: *.log",
        "y.bak": "[corpus] excludes:1: *.bak",
    }


def test_gitignore_can_be_switched_off(root: Path) -> None:
    plant(root, "x.log", "build/x")
    (root / ".gitignore").write_text("*.log\n")
    assert found(root) == [".gitignore"]
    assert found(root, settings=CorpusSettings(gitignore=False)) == [".gitignore", "x.log"]


def test_a_repository_inside_another_has_rules_of_its_own(root: Path) -> None:
    plant(root, ".git/", "inner/.git/", "inner/x.log", "inner/x.tmp", "plain/x.log")
    (root / ".gitignore").write_text("*.log\n")
    (root / "inner/.gitignore").write_text("*.tmp\n")
    assert found(root) == [".gitignore", "inner/.gitignore", "inner/x.log"]


def test_a_gitignore_that_cannot_be_read_is_no_rule(root: Path) -> None:
    plant(root, "a/x.log", "b/x.log", "c/.gitignore/x.log", "rules")
    os.mkfifo(root / "a/.gitignore")
    (root / "rules").write_text("*.log")
    (root / "b/.gitignore").symlink_to("../rules")
    assert found(root) == ["a/x.log", "b/x.log", "c/.gitignore/x.log", "rules"]


def test_no_link_is_followed_out_of_the_root(root: Path) -> None:
    plant(root.parent, "outside/secret.txt")
    plant(root, "x.txt")
    (root / "file").symlink_to("../outside/secret.txt")
    (root / "folder").symlink_to(root.parent / "outside")
    (root / "zero.txt").symlink_to("/dev/zero")
    (root / "up").symlink_to("..")
    (root / "two").symlink_to("folder")
    assert found(root) == ["x.txt"]
    expected = dict.fromkeys(["file", "folder", "zero.txt", "two"], "link-outside") | {"up": "link-outside"}
    assert skipped(root) == expected


def test_loops_end(root: Path) -> None:
    plant(root, "a/b/x.txt")
    (root / "loop").symlink_to(".")
    (root / "a/b/up").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "gone").symlink_to("nothing")
    assert found(root) == ["a/b/x.txt"]
    assert skipped(root) == {
        "loop": "link-loop",
        "a/b/up": "link-loop",
        "self": "link-loop",
        "one": "link-loop",
        "two": "link-loop",
        "gone": "link-broken",
    }


def test_each_real_file_is_read_once_under_its_own_name(root: Path) -> None:
    plant(root, "a/x.txt", "a/sub/y.txt")
    (root / "0").symlink_to("a/x.txt")
    (root / "1").symlink_to("0")
    (root / "2").symlink_to("a/sub")
    assert found(root) == ["a/sub/y.txt", "a/x.txt"]
    assert skipped(root) == dict.fromkeys(["0", "1", "2"], "duplicate-link")


def test_what_only_links_lead_to_is_read_once_under_the_first_links_name(root: Path) -> None:
    plant(root, "common/deep/x.md", "common/y.md", "other/z.md", "docs/own.md")
    (root / "docs/lib").symlink_to("../common")
    (root / "docs/again").symlink_to("../common/deep")
    (root / "docs/z.md").symlink_to("../other/z.md")
    (root / "common/back").symlink_to("../docs")
    (root / "common/deep/more").symlink_to("../../other")
    assert found(root, "docs") == ["docs/own.md", "docs/again/x.md", "docs/lib/y.md", "docs/z.md"]
    assert skipped(root, "docs") == {
        "docs/lib/deep/": "duplicate-link",
        "docs/lib/back": "duplicate-link",
        "docs/again/more/z.md": "duplicate-link",
    }


def test_a_link_does_not_bring_in_what_is_left_out(root: Path) -> None:
    plant(root, ".env", "cache/x.txt", "build/y.txt", "id_rsa")
    (root / ".gitignore").write_text("cache/\n")
    (root / "notes.txt").symlink_to(".env")
    (root / "c").symlink_to("cache")
    (root / "cx.txt").symlink_to("cache/x.txt")
    (root / "b.txt").symlink_to("build/y.txt")
    assert found(root) == [".gitignore"]
    assert skipped(root) == {
        ".env": "secret",
        "id_rsa": "secret",
        "notes.txt": "secret",
        "cache/": "ignored",
        "c": "ignored",
        "cx.txt": "ignored",
        "build/": "excluded",
        "b.txt": "excluded",
    }


def test_a_farm_of_links_costs_one_look_each(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(root, "real/x.txt")
    for number in range(300):
        (root / f"l{number}").symlink_to("real" if number % 2 else "real/x.txt")
    scans = []
    true_scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: scans.append(path) or true_scandir(path))
    assert Counter(type(item).__name__ for item in walk(root, environ=NOWHERE)) == {"Found": 1, "Skipped": 300}
    assert len(scans) == 2


def test_what_is_no_file_is_never_opened(root: Path) -> None:
    os.mkfifo(root / "a.txt")
    (root / "b.txt").symlink_to("a.txt")
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(root)  # the path of a socket must be short
        try:
            server.bind("s")
        finally:
            os.chdir(here)
    details = {
        item.path: (item.reason, item.detail) for item in walk(root, environ=NOWHERE) if isinstance(item, Skipped)
    }
    assert details == {
        "a.txt": ("not-a-file", "a FIFO"),
        "s": ("not-a-file", "a socket"),
        "b.txt": ("duplicate-link", "to 'a.txt'"),
    }


def test_large_files_are_left_out(root: Path) -> None:
    plant(root, "small")
    with (root / "huge").open("wb") as file:
        file.truncate(3_000_000_000)
    assert found(root) == ["small"]
    assert skipped(root) == {"huge": "too-large"}
    assert skipped(root, settings=CorpusSettings(max_bytes=4)) == {"huge": "too-large", "small": "too-large"}
    assert found(root, settings=CorpusSettings(max_bytes=5)) == ["small"]


def test_a_folder_that_cannot_be_read_is_counted_and_the_rest_is_in(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(root, "closed/x", "open/y")
    true_scandir = os.scandir

    def scandir(path: bytes) -> object:
        if path.endswith(b"closed"):
            raise PermissionError(13, "Permission denied")
        return true_scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert found(root) == ["open/y"]
    assert skipped(root) == {"closed/": "unreadable"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_without_permission_is_counted(root: Path) -> None:
    plant(root, "closed/x", "open/y")
    (root / "closed").chmod(0)
    try:
        assert skipped(root) == {"closed/": "unreadable"}
    finally:
        (root / "closed").chmod(0o700)


def test_a_tree_deeper_than_pythons_stack(root: Path) -> None:
    levels = 200
    (root / ("d/" * levels)).mkdir(parents=True)
    (root / ("d/" * levels) / "x").touch()
    (root / "link").symlink_to(root / ("d/" * levels) / "x")
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + levels // 2)
    try:
        paths = [item.path for item in walk(root, environ=NOWHERE)]
    finally:
        sys.setrecursionlimit(usual)
    assert paths == ["d/" * levels + "x", "link"]


def test_a_named_path_is_taken_whatever_the_rules_say_but_a_secret(root: Path) -> None:
    plant(root, "build/docs/x.md", "build/docs/y.log", "z.log", ".env", "build/other", "kept")
    (root / ".gitignore").write_text("*.log\n")
    assert found(root, "build/docs") == ["build/docs/x.md"]
    assert found(root, "z.log", "build/docs/y.log") == ["build/docs/y.log", "z.log"]
    assert skipped(root, ".env") == {".env": "secret"}
    assert found(root, ".", "z.log", "build/docs") == [".gitignore", "kept", "build/docs/x.md", "z.log"]
    assert skipped(root, ".", "z.log") == {"build/": "excluded", ".env": "secret"}


def test_paths_that_overlap_are_read_once(root: Path) -> None:
    plant(root, "a/b/x", "a/y", "z")
    assert found(root, "a/b", "a", "a/b/x", ".", "a/../a/y") == ["a/b/x", "a/y", "z"]


def test_a_named_link_stands_for_what_it_leads_to(root: Path) -> None:
    plant(root, "real/x")
    (root / "docs").symlink_to("real")
    assert found(root, "docs") == ["real/x"]
    assert relative_path(root, root / "docs/x") == "real/x"


def test_a_path_outside_the_root_names_the_way_out(root: Path) -> None:
    plant(root.parent, "outside/x")
    (root / "link").symlink_to("../outside")
    for path in (root.parent, root.parent / "outside", root / "link", root / "link/x", root / "..", Path("/")):
        with pytest.raises(OutsideRootError, match="--root"):
            walk(root, [path])


def test_a_path_that_does_not_exist_is_not_found(root: Path) -> None:
    plant(root, "x")
    (root / "self").symlink_to("self")
    for path in ("none", "x/y", "self", "a\0b", "n" * 300):
        with pytest.raises(NotFoundError):
            relative_path(root, root / path)
    with pytest.raises(NotFoundError, match="not a folder"):
        relative_path(root, f"{root}/x/")
    assert relative_path(root, root / "none/x", must_exist=False) == "none/x"


@pytest.mark.parametrize("must_exist", [True, False])
def test_the_empty_path_is_not_the_root(root: Path, monkeypatch: pytest.MonkeyPatch, must_exist: bool) -> None:
    """A variable that was never set must not mean everything: not to an ingest, and least of all to forget."""
    monkeypatch.chdir(root)
    with pytest.raises(NotFoundError):
        relative_path(root, "", must_exist=must_exist)
    assert relative_path(root, ".", must_exist=must_exist) == ""


def test_a_path_that_is_gone_has_no_files(root: Path) -> None:
    plant(root, "a", "b/c")
    assert found(root, "gone", "a", "b/gone", "a/gone") == ["a"]
    assert skipped(root, "gone") == {}


def test_paths_of_a_walk_count_from_the_root_wherever_one_stands(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(root, "a/x", "b")
    monkeypatch.chdir("/")
    assert [item.path for item in walk(root, ["a", "b", ""], environ=NOWHERE)] == ["a/x", "b"]
    assert [item.path for item in walk(root, ["a"], environ=NOWHERE)] == ["a/x"]


def test_a_relative_path_counts_from_the_working_directory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(root, "a/x")
    monkeypatch.chdir(root / "a")
    assert relative_path(root, "x") == "a/x"
    assert relative_path(root, "..") == ""


def test_the_root_may_be_reached_by_a_link(root: Path) -> None:
    plant(root, "a/x")
    (root / "l").symlink_to("a")
    alias = root.parent / "alias"
    alias.symlink_to(root)
    assert [item.path for item in walk(alias, [alias / "a", root / "a/x"], environ=NOWHERE)] == ["a/x"]
    assert skipped(alias) == {"l": "duplicate-link"}


def test_an_empty_root_is_an_empty_walk(root: Path) -> None:
    assert list(walk(root, environ=NOWHERE)) == []


@pytest.mark.parametrize("mark", ["gw.toml", ".gw/"])
def test_the_root_is_the_nearest_folder_with_a_mark(root: Path, mark: str) -> None:
    plant(root, "a/b/", mark, "a/gw.toml/")
    assert find_root(root / "a/b") == root
    plant(root, "a/.gw/")
    assert find_root(root / "a/b") == root / "a"


def test_the_root_that_is_asked_for_wins(root: Path) -> None:
    plant(root, "gw.toml", "a/", "b/", "file")
    assert find_root(root, Path("a"), {"GW_ROOT": str(root / "b")}) == root / "a"
    assert find_root(root, None, {"GW_ROOT": str(root / "b")}) == root / "b"
    assert find_root(root, None, {"GW_ROOT": ""}) == root
    with pytest.raises(NotFoundError, match="--root"):
        find_root(root, Path("none"))
    with pytest.raises(NotFoundError, match="GW_ROOT"):
        find_root(root, None, {"GW_ROOT": str(root / "file")})


def test_without_any_mark_the_root_is_where_one_stands(root: Path) -> None:
    plant(root, "a/")
    (root.parent / "alias").symlink_to(root)
    assert find_root(root.parent / "alias" / "a") == root / "a"
