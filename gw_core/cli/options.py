"""What all commands share: the session that the global options fill, the command class, and types of options.

The global options (``--root``, ``--index``, ``--config``, ``-o``, ``-q``, ``-v``) work before and after the command's
name; where an option is given on both sides, the later one counts, and every ``-o`` counts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from gw_core.cli.console import Console, Step
from gw_core.errors import UsageError

if TYPE_CHECKING:
    from gw_core.ingest import IngestReport
    from gw_core.workspace import Workspace

GLOBAL_OPTIONS = "Global options"


class Session:
    """One run of ``gw``. A command is handed it first; ``click.get_current_context().obj`` is the same object."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console()
        self.root: str | None = None
        self.index: str | None = None
        self.config: str | None = None
        self.overrides: list[str] = []
        self._warned: set[str] = set()

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """The library, opened as the global options say. Its warnings go to stderr, each once."""
        import gw_core  # noqa: PLC0415

        env = dict(os.environ)
        if self.config is not None:
            env["GW_CONFIG"] = self.config
        with gw_core.open(self.root, index=self.index, overrides=tuple(self.overrides), env=env) as workspace:
            try:
                yield workspace
            finally:
                self.warn(workspace.warnings)

    @contextmanager
    def ingesting(self, paths: Sequence[str], wait: float) -> Iterator[Ingesting]:
        """What to hand to the library for an ingest on the way: progress and remarks on stderr, its report kept."""
        with self.console.progress() as on_progress:
            yield Ingesting(self.console, paths, on_progress, wait)

    def warn(self, warnings: Sequence[str]) -> None:
        """Show the warnings that were not shown before."""
        for warning in map(str, warnings):
            if warning not in self._warned:
                self._warned.add(warning)
                self.console.warn(warning)


class Ingesting:
    """An ingest that a search or an answer begins with; ``options`` are its keyword arguments."""

    def __init__(
        self, console: Console, paths: Sequence[str], on_progress: Callable[[Step], None], wait: float
    ) -> None:
        self._console = console
        self._paths = paths
        self.report: IngestReport | None = None
        self.options: dict[str, Any] = {
            "wait": wait,
            "on_progress": on_progress,
            "on_wait": lambda text: console.say(f"gw: {text}"),
            "on_report": self._take,
        }

    def _take(self, report: IngestReport) -> None:
        from gw_core.cli.render import did_something, ingest_lines, nothing_readable, tell_skipped, unusually_skipped  # noqa: PLC0415

        self.report = report
        failure = nothing_readable(report, self._paths)
        tell_skipped(self._console, report)
        if failure is not None:
            raise failure
        if did_something(report) or unusually_skipped(report) or self._console.verbose:
            for line in ingest_lines(report):
                self._console.say(f"gw: {line}")


class Command(click.Command):
    """A command with examples, and with the global options listed apart from its own."""

    examples: tuple[str, ...] = ()

    def own_options(self) -> list[click.Parameter]:
        return [one for one in self.params if isinstance(one, click.Option) and not isinstance(one, GlobalOption)]

    def global_options(self) -> list[click.Parameter]:
        return [one for one in self.params if isinstance(one, GlobalOption)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        help_option = self.get_help_option(ctx)
        own = [*self.own_options(), *([help_option] if help_option else [])]
        for heading, options in (("Options", own), (GLOBAL_OPTIONS, self.global_options())):
            rows = [row for one in options if (row := one.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


class GlobalOption(click.Option):
    """An option that means the same before and after the command's name; it fills the session."""


def _into_session(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    session = ctx.find_object(Session)
    if session is None or value is None or value == () or value is False:
        return
    if param.name == "overrides":
        session.overrides += value
    elif param.name in ("quiet", "verbose"):
        setattr(session.console, param.name, True)
    else:
        setattr(session, str(param.name), value)


def global_options() -> list[click.Parameter]:
    """Fresh copies of the global options, for one command."""
    shared: dict[str, Any] = {"expose_value": False, "callback": _into_session}
    return [
        GlobalOption(
            ["--root"],
            metavar="FOLDER",
            help="The folder of the files: none outside is read, and citations are relative to it; else GW_ROOT, the "
            "nearest folder above with gw.toml or .gw, or this one.",
            **shared,
        ),
        GlobalOption(["--index"], metavar="FOLDER", help="Where the index is; else GW_INDEX, or ROOT/.gw.", **shared),
        GlobalOption(
            ["--config"],
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False, readable=True),
            help="Your own settings, in place of the file in your config folder.",
            **shared,
        ),
        GlobalOption(
            ["-o", "overrides"],
            metavar="KEY=VALUE",
            multiple=True,
            help="One setting, such as retrieve.k=20; may be repeated.",
            **shared,
        ),
        GlobalOption(
            ["-q", "--quiet"], is_flag=True, help="Only the result and errors: no remarks, no progress.", **shared
        ),
        GlobalOption(["-v", "--verbose"], is_flag=True, help="More remarks, such as every skipped file.", **shared),
    ]


def _into_format(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    session = ctx.find_object(Session)
    if not value or session is None:
        return
    if session.console.format not in ("text", param.name):
        raise click.UsageError("--json and --jsonl exclude each other", ctx)
    session.console.format = str(param.name)


def _format_options(formats: Sequence[str]) -> list[click.Parameter]:
    helps = {"json": "One JSON object on stdout.", "jsonl": "One JSON object a line, one line an item."}
    return [
        click.Option([f"--{name}"], is_flag=True, expose_value=False, callback=_into_format, help=helps[name])
        for name in formats
    ]


def gw_command(
    name: str, *, examples: Sequence[str], formats: Sequence[str] = ("json",)
) -> Callable[[Callable[..., int | None]], Command]:
    """Decorates a function that is handed the session and returns the exit code (None: 0)."""

    def decorate(function: Callable[..., int | None]) -> Command:
        made = click.command(name, cls=Command)(click.pass_obj(function))
        made.params += _format_options(formats)
        made.params += global_options()
        made.examples = tuple(examples)
        return made

    return decorate


# -- types and decorators of options that several commands have ---------------------------------------------------


def comma_list(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """A callback for options: ``a,b,c`` to a tuple; blanks around the parts and empty parts are dropped."""
    if value is None:
        return None
    parts = tuple(part.strip() for part in value.split(",") if part.strip())
    if not parts:
        raise click.BadParameter("an empty list", ctx, param)
    return parts


def from_stdin(what: str) -> str:
    """All of standard input as text: UTF-8, a BOM dropped, other bytes kept as surrogate escapes."""
    stream = sys.stdin
    if stream is None:
        raise UsageError(f"standard input is closed; {what} was to come from it")
    data = stream.buffer.read() if hasattr(stream, "buffer") else stream.read().encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def typed_text(argument: str) -> str:
    """An argument as the text that was typed: UTF-8, also where the locale says otherwise."""
    if sys.getfilesystemencoding().lower() in ("utf-8", "utf8"):
        return argument
    try:
        return os.fsencode(argument).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return argument


def question_text(argument: str) -> str:
    """A question as typed, or from standard input for ``-``."""
    return from_stdin("the question").strip() if argument == "-" else typed_text(argument)


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def retrieval_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that search and ask share; handed over as ``k``, ``scope``, ``backend`` and ``rerank``."""
    options: list[Decorator] = [
        click.option("-k", type=click.IntRange(min=1), metavar="N", help="How many hits at most; else [retrieve] k."),
        click.option(
            "--scope",
            callback=comma_list,
            metavar="GLOB,...",
            help="Only files that match, as in .gitignore: 'src/**'.",
        ),
        click.option("--backend", metavar="NAME", help="The index to ask; else [retrieve] backend."),
        click.option(
            "--rerank",
            callback=comma_list,
            metavar="NAME,...",
            help="Rerankers, in this order; else [retrieve] rerank.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def wait_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--wait",
        type=click.FloatRange(min=0),
        default=60.0,
        metavar="SECONDS",
        help="How long to wait while another process writes the index; 60 unless said.",
    )(function)
