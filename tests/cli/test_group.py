"""Finding commands, global options, and the one place where exceptions end."""

from __future__ import annotations

import importlib
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import pytest

from gw_core.cli import COMMANDS, cli, wants_json
from gw_core.cli.bench import BenchGroup
from gw_core.cli.failures import TerminatedError
from gw_core.cli.options import Command, Session, gw_command
from gw_core.errors import ConfigError
from gw_core.plugins import EntryPoint
from gw_core.version import __version__

HEAVY = ("rich", "numpy", "http", "urllib.request", "pluggy", "apsw", "yaml", "gw_plugins", "sqlite3", "gw_core.store")


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch) -> Any:
    """``fails(error)`` makes ``gw status`` raise it."""

    def install(error: BaseException) -> None:
        @gw_command("status", examples=())
        def command(session: Session) -> None:
            raise error

        monkeypatch.setattr("gw_core.cli.status.command", command)

    return install


def test_version_is_the_distributions(gw: Any) -> None:
    ran = gw("--version")
    assert (ran.code, ran.out) == (0, f"gw {__version__}\n")
    assert metadata.version("gw-toolkit") == __version__


def test_help_lists_every_command(gw: Any) -> None:
    ran = gw("--help")
    assert ran.code == 0
    for name in COMMANDS:
        assert f"  {name} " in ran.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_examples(gw: Any, name: str) -> None:
    ran = gw(name, "--help")
    assert ran.code == 0
    assert "Examples:" in ran.out
    assert "--root FOLDER" in ran.out
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, Command | BenchGroup)
    assert all(f"gw {name}" in example or f" {name} " in example for example in command.examples)


def _calls(example: str) -> list[list[str]]:
    """The calls of gw in a line of shell."""
    calls: list[list[str]] = [[]]
    for word in shlex.split(example, comments=True):
        if word in ("|", "<", ">", ">>"):
            calls.append([])
        else:
            calls[-1].append(word)
    return [call[1:] for call in calls if call[0] == "gw"]


def _examples() -> list[str]:
    """Those of all commands, and of the commands of gw bench."""
    context = click.Context(cli)
    found: list[str] = []
    for name in sorted(COMMANDS):
        command = cli.get_command(context, name)
        assert isinstance(command, Command | BenchGroup)
        found += command.examples
        if isinstance(command, BenchGroup):
            inner = click.Context(command, info_name=name, parent=context)
            for one in command.list_commands(inner):
                task = command.get_command(inner, one)
                assert isinstance(task, Command)
                assert task.examples, one
                found += task.examples
    return found


@pytest.mark.parametrize("example", _examples())
def test_every_example_is_a_call_that_parses(
    gw: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, example: str
) -> None:
    for name in ("docs", "logs", "data"):
        (tmp_path / name).mkdir()
    context = click.Context(cli)
    for one in COMMANDS:
        if one != "bench":
            monkeypatch.setattr(cli.get_command(context, one), "callback", lambda *_, **__: 0)
    for one in ("add", "compare", "run"):
        monkeypatch.setattr(importlib.import_module(f"gw_core.cli.bench.{one}").command, "callback", lambda *_, **__: 0)
    for one in ("run_specs", "run_check"):
        monkeypatch.setattr(f"gw_core.cli.bench.running.{one}", lambda *_: 0)
    calls = _calls(example)
    assert calls
    for arguments in calls:
        ran = gw(*arguments)
        assert ran.code == 0, (example, ran.err)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_first_words_of_help_are_those_of_the_list(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    first = COMMANDS[name].split()[0]
    assert command.help is not None
    assert command.help.split()[0] == first or name == "status"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["search", "--help"], ["ask", "--help"]])
def test_version_and_help_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from gw_core.cli import cli; code = cli.main(sys.argv[1:], standalone_mode=False);"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]; sys.exit(f'{{code}} {{heavy}}')"
    )
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert ran.stderr.strip() == "0 []"


def test_without_a_command_help_goes_to_stderr(gw: Any) -> None:
    ran = gw()
    assert (ran.code, ran.out) == (2, "")
    assert "Commands:" in ran.err


def test_an_unknown_command_names_the_nearest(gw: Any) -> None:
    ran = gw("serach", "x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("gw: error: unknown command 'serach' (did you mean 'search'? known: ask,")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["search", "x", "-k", "0"],
        ["search", "x", "-k", "-3"],
        ["search", "x", "-k", "many"],
        ["search", "x", "--nope"],
        ["search", "x", "--scope", " , "],
        ["search", "x", "--json", "--jsonl"],
        ["ingest", "--wait", "-1"],
        ["verify"],
        ["verify", "--all", "a#c0-1.0"],
        ["ask"],
        ["forget"],
        ["completion", "tcsh"],
        ["--config", "nowhere.toml", "config"],
        ["--nope"],
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(gw: Any, arguments: list[str]) -> None:
    ran = gw(*arguments)
    assert ran.code == 2
    assert ran.err.startswith("gw: error: ")
    assert ran.err.count("\n") == 1
    if "--json" not in arguments:
        assert ran.out == ""


def test_a_wrong_call_with_json_is_json_too(gw: Any) -> None:
    ran = gw("search", "--json", "x", "-k", "0")
    assert ran.code == 2
    assert ran.json["schema"] == "gw.error/1"
    assert ran.json["error"]["code"] == "usage"
    assert "-k" in ran.json["error"]["message"]
    assert ran.json["error"]["hint"] == "see gw search --help"


def test_a_question_that_looks_like_an_option_is_told_how(gw: Any) -> None:
    assert "goes after '--'" in gw("search", "-foo").err


def test_global_options_work_before_and_after_the_command(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    before = gw("--root", "other", "-o", "retrieve.k=3", "config", "--json").json
    after = gw("config", "--json", "--root", "other", "-o", "retrieve.k=3").json
    assert before["root"] == str(tmp_path / "other")
    assert before == after
    [value] = [one["value"] for one in before["values"] if one["key"] == "retrieve.k"]
    assert value == 3


def test_the_later_of_two_options_counts_and_every_override_does(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    ran = gw("--root", "one", "-o", "retrieve.k=3", "config", "--root", "two", "-o", "retrieve.pool=7", "--json").json
    assert ran["root"] == str(tmp_path / "two")
    values = {one["key"]: one["value"] for one in ran["values"]}
    assert (values["retrieve.k"], values["retrieve.pool"]) == (3, 7)


def test_an_error_of_gw_carries_its_exit_code_and_hint(gw: Any, fails: Any) -> None:
    fails(ConfigError("gw.toml:3: unknown key 'kk'", hint="did you mean 'k'?"))
    ran = gw("status", "--json")
    assert ran.code == 2
    assert ran.err == "gw: error: gw.toml:3: unknown key 'kk' (did you mean 'k'?)\n"
    expected = {"code": "config", "message": "gw.toml:3: unknown key 'kk'", "hint": "did you mean 'k'?"}
    assert ran.json["error"] == expected


def test_a_bug_is_one_line_and_a_traceback_only_on_demand(gw: Any, fails: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fails(RuntimeError("two\nlines"))
    ran = gw("status")
    assert ran.code == 1
    assert ran.err == "gw: error: internal error: RuntimeError: two lines (GW_DEBUG=1 shows the traceback)\n"
    monkeypatch.setenv("GW_DEBUG", "1")
    assert "Traceback (most recent call last)" in gw("status").err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "gw: interrupted\n"),
        (TerminatedError(), 143, "gw: terminated\n"),
        (MemoryError(), 1, "gw: error: not enough memory\n"),
        (OSError(28, "No space left on device"), 1, "gw: error: No space left on device\n"),
        (PermissionError(13, "Permission denied", "a\nb"), 1, "gw: error: Permission denied: 'a\\nb'\n"),
        (click.ClickException("odd"), 1, "gw: error: odd\n"),
    ],
)
def test_every_end_is_one_line(gw: Any, fails: Any, error: BaseException, code: int, line: str) -> None:
    fails(error)
    ran = gw("status")
    assert (ran.code, ran.err, ran.out) == (code, line, "")


def test_what_a_command_returns_is_the_exit_code(gw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for returned, code in ((None, 0), (3, 3), (True, 0)):

        @gw_command("status", examples=())
        def command(session: Session, returned: Any = returned) -> Any:
            return returned

        monkeypatch.setattr("gw_core.cli.status.command", command)
        assert gw("status").code == code


def test_json_is_recognised_without_parsing() -> None:
    assert wants_json(["search", "--json", "x"])
    assert wants_json(["ask", "--jsonl"])
    assert not wants_json(["search", "--", "--json"])


# -- commands of plugins ------------------------------------------------------------------------------------------

PLUGIN = """
import click
from gw_core.hookspecs import hookimpl

@hookimpl
def gw_register_commands(register):
    register("hello", "hello_command:hello", help="Greet somebody.")
    register("status", "hello_command:hello", help="Not to be had.")
    register("broken", "hello_command:nothing", help="Broken.")
    register("text", "hello_command:text", help="No command.")
"""
COMMAND = """
import click

@click.command()
@click.argument("name")
@click.pass_obj
def hello(session, name):
    '''Greet NAME.'''
    session.console.line(f"hello {name}")
    return 3 if name == "nobody" else 0

def text():
    return "text"
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution ``acme`` with commands, next to whatever is installed."""
    place = tmp_path / "site"
    info = place / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gw]\nhello = hello_plugin\nbad = no_such_module\n")
    (place / "hello_plugin.py").write_text(PLUGIN)
    (place / "hello_command.py").write_text(COMMAND)
    monkeypatch.syspath_prepend(str(place))
    for name in ("hello_plugin", "hello_command"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("plugin")
def test_a_plugins_command_runs_with_the_session(gw: Any) -> None:
    ran = gw("hello", "world")
    assert (ran.code, ran.out) == (0, "hello world\n")
    assert gw("hello", "nobody").code == 3
    assert "gw: warning: plugin 'bad' of acme 1.0 was skipped" in ran.err


@pytest.mark.usefixtures("plugin")
def test_a_plugins_command_is_in_the_help_and_not_imported_for_it(gw: Any) -> None:
    ran = gw("--help")
    assert "Commands of plugins:" in ran.out
    assert "Greet somebody." in ran.out
    assert "Not to be had." not in ran.out
    assert "hello_command" not in sys.modules


@pytest.mark.usefixtures("plugin")
def test_a_built_in_command_cannot_be_replaced(gw: Any) -> None:
    assert "hello" not in gw("status", "x").out


@pytest.mark.usefixtures("plugin")
def test_a_broken_command_of_a_plugin_is_one_line(gw: Any) -> None:
    ran = gw("broken")
    assert ran.code == 1
    assert "command 'broken' of acme 1.0 cannot be imported" in ran.err.splitlines()[-1]
    ran = gw("text")
    assert ran.code == 1
    assert "is not a click.Command" in ran.err.splitlines()[-1]


@pytest.mark.usefixtures("plugin")
def test_a_misspelt_command_of_a_plugin_is_suggested(gw: Any) -> None:
    assert "did you mean 'hello'?" in gw("helo").err


def test_built_in_plugins_are_not_loaded_for_help(gw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EntryPoint, "load", lambda self: pytest.fail(f"{self.value} was loaded"))
    assert gw("--help").code == 0


def test_completion_offers_commands_and_options(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for words, expected in (("gw se", "search"), ("gw search --sc", "--scope"), ("gw --ro", "--root")):
        monkeypatch.setenv("_GW_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        with pytest.raises(SystemExit):
            cli.main([])
        assert expected in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_variable(gw: Any, shell: str) -> None:
    ran = gw("completion", shell)
    assert ran.code == 0
    assert "_GW_COMPLETE" in ran.out
