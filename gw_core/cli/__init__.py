"""The command line: a group that imports a command when it runs, and the one place where exceptions end.

``gw --version`` and ``gw --help`` import nothing of the library beneath; plugins of other distributions are looked at
for ``gw --help`` and for a command that gw itself does not have.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gw_core.cli.console import Console
from gw_core.cli.failures import INTERRUPTED, TERMINATED, Failure, TerminatedError, describe
from gw_core.cli.options import GLOBAL_OPTIONS, GlobalOption, Session, global_options
from gw_core.version import __version__

if TYPE_CHECKING:
    from gw_core.registry import Registry

__all__ = ["Group", "cli", "main"]

DISTRIBUTION = "gw-toolkit"

COMMANDS = {
    "ask": "Answer a question, with citations that were checked.",
    "bench": "Measure recall, answers and speed, and compare with a baseline.",
    "completion": "Print a script that completes commands and options in your shell.",
    "config": "Show every setting and where it comes from.",
    "forget": "Remove files from the index, leaving nothing of them in it.",
    "help": "Show the help of gw or of one of its commands.",
    "ingest": "Bring the index up to date with your files.",
    "init": "Write a commented gw.toml.",
    "plugins": "List what is installed: loaders, chunkers, backends, readers, ...",
    "search": "Find passages, best first.",
    "show": "Show the text of a citation, checked, with the lines around it.",
    "status": "Say what is indexed.",
    "sweep": "Read everything, take records out of it, and count or add up.",
    "verify": "Check citations against the files they cite.",
}
"""The built-in commands with their first line of help. Each is ``command`` in the module of its name."""

ALIASES = {"stream-sweep": "sweep"}
"""Other names of built-in commands."""


class Group(click.Group):
    """``gw`` itself."""

    # -- finding commands ---------------------------------------------------------------------------------------

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name in COMMANDS:
            from importlib import import_module  # noqa: PLC0415

            found: click.Command = import_module(f"gw_core.cli.{cmd_name}").command
            return found
        registry = _registry(ctx)
        if cmd_name not in registry.names() and ":" not in cmd_name:
            return None
        return _plugin_command(registry, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        found = self.get_command(ctx, name)
        if found is None and not ctx.resilient_parsing:
            from gw_core.errors import UnknownNameError  # noqa: PLC0415
            from gw_core.registry import suggestion  # noqa: PLC0415

            raise UnknownNameError(
                f"unknown command {name!r}", hint=suggestion(name, [*COMMANDS, *_registry(ctx).names()])
            )
        return name, found, args[1:]

    # -- help and completion ------------------------------------------------------------------------------------

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, wanted in (("Options", False), (GLOBAL_OPTIONS, True)):
            options = [one for one in self.get_params(ctx) if isinstance(one, GlobalOption) is wanted]
            with formatter.section(heading):
                formatter.write_dl([row for one in options if (row := one.get_help_record(ctx)) is not None])
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        others = [(one.name, one.help) for one in _strangers() if one.name not in COMMANDS]
        if others:
            with formatter.section("Commands of plugins"):
                formatter.write_dl(others)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        names = {**{one.name: one.help for one in _strangers()}, **COMMANDS}
        found = [CompletionItem(name, help=text) for name, text in sorted(names.items()) if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    # -- running ------------------------------------------------------------------------------------------------

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> int:
        """Run and end with the exit code, or return it if not ``standalone_mode``. No exception comes out."""
        arguments = list(sys.argv[1:] if args is None else args)
        if instruction := os.environ.get(complete_var or "_GW_COMPLETE"):
            from click.shell_completion import shell_complete  # noqa: PLC0415

            sys.exit(shell_complete(self, extra, prog_name or "gw", complete_var or "_GW_COMPLETE", instruction))
        code = self.run(arguments, **extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def run(self, arguments: list[str], **extra: Any) -> int:
        """Run one command line; returns its exit code."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        console = Console()
        try:
            code = self._invoke(arguments, console, extra)
            console.flush()
        except SystemExit:  # a plugin's own
            raise
        except BrokenPipeError:
            code = 0
            console.hang_up()
        except BaseException as error:  # noqa: BLE001 - the one place where exceptions end
            code = _report(error, arguments, console)
        return code

    def _invoke(self, arguments: list[str], console: Console, extra: dict[str, Any]) -> int:
        try:
            with self.make_context("gw", list(arguments), **{"obj": Session(console), **extra}) as ctx:
                result = self.invoke(ctx)
        except click.exceptions.Exit as end:
            return end.exit_code
        return result if isinstance(result, int) and not isinstance(result, bool) else 0


def _registry(ctx: click.Context) -> Registry[Any]:
    """The commands of all plugins; what is wrong with one is told on stderr."""
    from gw_core.plugins import Plugins  # noqa: PLC0415

    root = ctx.find_root()
    if "gw.plugins" not in root.meta:
        root.meta["gw.plugins"] = plugins = Plugins()
        plugins.registry("commands")
        session = ctx.find_object(Session)
        if session is not None:
            session.warn([str(problem) for problem in plugins.problems])
    found: Registry[Any] = root.meta["gw.plugins"].registry("commands")
    return found


def _plugin_command(registry: Registry[Any], name: str) -> click.Command:
    from gw_core.errors import PluginError  # noqa: PLC0415

    registration = registry.get(name)
    found: Any = registration.load()
    if not isinstance(found, click.Command):
        raise PluginError(f"{registration}: {registration.target} is not a click.Command")
    return found


def _strangers() -> Registry[Any] | list[Any]:
    """The commands of other distributions. Costs a scan of folder names where no other distribution has plugins."""
    from gw_core.plugins import Plugins, find_entry_points  # noqa: PLC0415
    from gw_core.registry import normalised  # noqa: PLC0415

    points = [one for one in find_entry_points() if normalised(one.distribution) != DISTRIBUTION]
    return Plugins(points).registry("commands") if points else []


def _report(error: BaseException, arguments: Sequence[str], console: Console) -> int:
    """Tell of a failure in one line, and on stdout too where JSON was asked for."""
    failure = describe(error)
    with suppress(OSError):  # stdout may be what failed
        console.flush()
    if os.environ.get("GW_DEBUG"):
        import traceback  # noqa: PLC0415

        console.trace("".join(traceback.format_exception(error)))
    if failure.exit_code in (INTERRUPTED, TERMINATED):
        console.end_with(failure.message)
    else:
        console.error(str(failure))
    if wants_json(arguments):
        with suppress(OSError):
            console.item(failure_json(failure))
    return failure.exit_code


def failure_json(failure: Failure) -> dict[str, Any]:
    error = {"code": failure.code, "message": failure.message, "hint": failure.hint}
    return {"schema": "gw.error/1", "error": error}


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether JSON was asked for, told without parsing: what failed may be the parsing."""
    before = list(arguments)
    if "--" in before:
        before = before[: before.index("--")]
    return "--json" in before or "--jsonl" in before


@click.group(
    "gw",
    cls=Group,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Ground answers in your own files. 'gw COMMAND --help' has examples.",
)
@click.version_option(__version__, prog_name="gw", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Answer questions over your own files, with citations that are checked against them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


cli.params += global_options()


def main() -> NoReturn:
    """The command ``gw``."""
    import signal  # noqa: PLC0415

    def terminate(_signal: int, _frame: object) -> None:
        raise TerminatedError

    signal.signal(signal.SIGTERM, terminate)
    sys.exit(cli.main(standalone_mode=False))
