"""gw.toml, .gitignore and modules that lie among a stranger's files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import gw_core
from gw_core.config import Config
from gw_core.errors import ConfigError, NotFoundError
from gw_core.ignore import Rules

MARKER = "raise SystemExit('a stranger ran')\n"


@pytest.mark.parametrize("module", ["click", "json", "typing", "apsw", "tomllib", "dataclasses"])
def test_no_module_of_the_working_directory_is_run(folder: Path, gw: Callable[..., object], module: str) -> None:
    (folder / f"{module}.py").write_text(MARKER, encoding="utf-8")
    ran = gw("search", "harbour", "a.txt")
    assert (ran.returncode, "a stranger ran" in ran.stderr) == (0, False), ran.stderr  # type: ignore[attr-defined]


def test_no_plugin_of_the_working_directory_is_run(
    folder: Path, gw: Callable[..., object], environment: dict[str, str]
) -> None:
    info = folder / "evil-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[gw]\nevil = evil\n", encoding="utf-8")
    (folder / "evil.py").write_text(MARKER, encoding="utf-8")
    for path in ("", ":", "."):
        ran = gw("plugins", env={**environment, "PYTHONPATH": path})
        assert "evil" not in ran.stdout + ran.stderr, path  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "source",
    [
        "a" + ".a" * 40_000 + " = 1\n",
        "[a" + ".a" * 40_000 + "]\n",
        "[corpus]\nx = {a" + ".a" * 40_000 + " = 1}\n",
        "[retrieve]\nk = " + "9" * 40_000 + "\n",
        "[corpus]\nexcludes = " + "[" * 40_000 + "\n",
        "# " + "x" * 200_000,
        "[retrieve]\nk = nan\n",
        "[retrieve]\nk = 1e400\n",
    ],
)
def test_a_bomb_of_toml_is_an_error_at_once(tmp_path: Path, source: str) -> None:
    path = tmp_path / "gw.toml"
    path.write_text(source, encoding="utf-8")
    began = time.process_time()
    with pytest.raises(ConfigError, match=r"gw\.toml"):
        Config.load(tmp_path, env={"GW_CONFIG": ""})
    assert time.process_time() - began < 1


@pytest.mark.parametrize("line", [b"*a" * 100_000, b"?" * 100_000, b"[!a]" * 50_000, b"[[:alnum:]]" * 20_000])
def test_one_endless_pattern_costs_nothing(line: bytes) -> None:
    began = time.process_time()
    rules = Rules.from_bytes(line, b"/root", ".gitignore")
    assert rules.match(b"/root/" + b"a" * 250, b"a" * 250, False) is None
    assert time.process_time() - began < 1


@pytest.mark.parametrize("line", [b"[!%d]x?\n", b"*a%d*b*\n", b"?%d?\n"])
def test_thousands_of_patterns_are_compiled_in_seconds(line: bytes) -> None:
    began = time.process_time()
    rules = Rules.from_bytes(b"".join(line % number for number in range(5_000)), b"/root", ".gitignore")
    rules.match(b"/root/" + b"a" * 250, b"a" * 250, False)
    assert time.process_time() - began < 3


def test_folders_of_any_depth_repeated_are_one() -> None:
    rules = Rules.from_bytes(b"**/" * 1_000 + b"x*y*z*\n", b"/root", ".gitignore")
    began = time.process_time()
    path = b"/root/" + b"a/" * 1_900 + b"x-y-z"
    assert rules.match(path, b"x-y-z", False)
    assert time.process_time() - began < 1


def test_a_working_directory_that_was_deleted_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(NotFoundError, match="working directory"):
        gw_core.open(env={"GW_CONFIG": ""})


@pytest.mark.parametrize("value", ["inf", "nan", "-1", "1e300", "1e5"])
@pytest.mark.parametrize(
    ("section", "key"),
    [("loaders.html", "seconds"), ("loaders.pdf", "seconds"), ("loaders.docx", "seconds"),
     ("readers.regex", "pattern_seconds")],
)  # fmt: skip
def test_no_limit_on_time_can_be_lifted(folder: Path, section: str, key: str, value: str) -> None:
    (folder / "gw.toml").write_text(f"[{section}]\n{key} = {value}\n", encoding="utf-8")
    kind, name = section.split(".")
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws, pytest.raises(ConfigError, match=key):
        _ = ws.pipeline.reader(name) if kind == "readers" else ws.pipeline.loader(name)


@pytest.mark.parametrize("path", [".env", "sub/id_rsa", ".ssh/config", "link.txt", "folder/x"])
def test_a_citation_does_not_show_a_secret(folder: Path, path: str) -> None:
    for name in (".env", "sub/id_rsa", ".ssh/config", ".ssh/x"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("TOKEN=precious\n", encoding="utf-8")
    (folder / "link.txt").symlink_to(".env")
    (folder / "folder").symlink_to(".ssh")
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws:
        [one] = ws.verify([f"{path}#c0-5.{'0' * 24}"])
    assert (one.verdict.value, one.text) == ("unresolvable", None)
    assert "secret" in one.reason
