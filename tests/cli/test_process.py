"""``gw`` as a process of its own: locales, pipes, signals, terminals and closed streams."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PLUGIN = """
from gw_core.hookspecs import hookimpl

@hookimpl
def gw_register_commands(register):
    register("block", "blocking:block", help="Say so and wait.")
    register("many", "blocking:many", help="Print many items.")
"""
COMMANDS = """
import click

@click.command()
@click.pass_obj
def block(session):
    session.console.line("ready")
    session.console.flush()
    click.get_text_stream("stdin").read()

@click.command()
@click.option("--json", "as_json", is_flag=True)
@click.pass_obj
def many(session, as_json):
    for number in range(100_000):
        session.console.line(f"item {number}")
        if session.console.closed:
            return 3
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A plain environment with a plugin whose commands wait, or print without end."""
    place = tmp_path / "site"
    info = place / "blocking-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: blocking\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gw]\nblocking = blocking_plugin\n")
    (place / "blocking_plugin.py").write_text(PLUGIN)
    (place / "blocking.py").write_text(COMMANDS)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GW_", "LC_", "LANG", "PYTHON"))}
    return {**kept, "PYTHONPATH": str(place), "GW_CONFIG": "", "LC_ALL": "C", "TERM": "xterm"}


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str]) -> Any:
    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        options = {"capture_output": True, "cwd": tmp_path, "env": environment, **options}
        return subprocess.run([sys.executable, "-m", "gw_core", *arguments], check=False, **options)

    return run


@pytest.mark.parametrize("locale", [{"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}])
def test_output_is_utf_8_whatever_the_locale(
    run: Any, environment: dict[str, str], corpus: Path, locale: dict[str, str]
) -> None:
    (corpus / "города.txt").write_text("Столица Франции: Париж. Crème brûlée 東京.\n", encoding="utf-8")
    environment.update(locale)
    ran = run("search", "Париж", "docs")
    assert ran.returncode == 0
    shown = ran.stdout.decode("utf-8")
    assert shown.startswith("1. docs/города.txt:1 ")
    assert "Crème brûlée 東京" in shown


def test_a_one_shot_search_imports_nothing_heavy(run: Any, environment: dict[str, str], corpus: Path) -> None:
    run("ingest", "docs")
    code = (
        "import sys; from gw_core.cli import cli; cli.main(sys.argv[1:], standalone_mode=False);"
        "sys.exit(str([name for name in ('rich', 'numpy', 'http', 'urllib.request', 'asyncio', 'yaml', 'email')"
        " if name in sys.modules]))"
    )
    arguments = [sys.executable, "-c", code, "search", "access logs"]
    ran = subprocess.run(arguments, capture_output=True, cwd=corpus.parent, env=environment, check=False)
    assert ran.stderr.decode().splitlines()[-1] == "[]"


def test_a_reader_that_has_seen_enough_ends_it_quietly(run: Any, environment: dict[str, str], tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "gw_core", "many"]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"item 0\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 3


def test_help_into_a_closed_pipe_is_quiet(environment: dict[str, str], tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    arguments = [sys.executable, "-m", "gw_core", "--help"]
    ran = subprocess.run(arguments, stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, env=environment, check=False)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("number", "code", "line"),
    [(signal.SIGINT, 130, b"gw: interrupted\n"), (signal.SIGTERM, 143, b"gw: terminated\n")],
)
@pytest.mark.usefixtures("heeded")
def test_a_signal_ends_it_with_one_line(
    environment: dict[str, str], tmp_path: Path, number: int, code: int, line: bytes
) -> None:
    arguments = [sys.executable, "-m", "gw_core", "block"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(arguments, cwd=tmp_path, env=environment, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        try:
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert (err, process.returncode) == (line, code)


@pytest.fixture
def heeded() -> Iterator[None]:
    """SIGINT reaches what is started: a shell that runs the tests with & has it ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["config"], ["config", "--json"], ["--version"], ["many"]])
def test_a_full_disk_is_one_line_and_exit_1(run: Any, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = run(*arguments, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 1
    assert ran.stderr == b"gw: error: No space left on device\n"


def test_closed_streams_do_no_harm(environment: dict[str, str], tmp_path: Path) -> None:
    for closed, expected in (("<&-", 2), ("<&- >&- 2>&-", 2)):
        command = f'exec "{sys.executable}" -m gw_core search - {closed}'
        ran = subprocess.run(
            ["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, cwd=tmp_path, env=environment,
            check=False,
        )  # fmt: skip
        assert ran.returncode == expected
        assert b"Traceback" not in ran.stderr


def test_on_a_terminal_there_are_colours_and_columns(environment: dict[str, str], corpus: Path) -> None:
    main, side = pty.openpty()
    arguments = [sys.executable, "-m", "gw_core", "search", "access logs", "docs"]
    ran = subprocess.run(arguments, stdout=side, stderr=side, cwd=corpus.parent, env=environment, check=False)
    os.close(side)
    shown = b""
    while True:
        try:
            part = os.read(main, 65_536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(main)
    assert ran.returncode == 0
    assert b"\x1b[1;33mlogs\x1b[0m" in shown


def test_json_is_never_coloured_or_wrapped_on_a_terminal(environment: dict[str, str], corpus: Path) -> None:
    main, side = pty.openpty()
    arguments = [sys.executable, "-m", "gw_core", "search", "access logs", "docs", "--json", "-q"]
    with subprocess.Popen(arguments, stdout=side, stderr=side, cwd=corpus.parent, env=environment) as process:
        os.close(side)
        shown = b""
        while not shown.endswith(b"\n"):
            shown += os.read(main, 65_536)
        process.wait()
    os.close(main)
    assert b"\x1b" not in shown
    assert json.loads(shown)["schema"] == "gw.search/1"
