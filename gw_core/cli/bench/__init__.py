"""``gw bench``: one command for each task, by its name; ``run`` for several; ``compare`` and ``add``.

The options of a task's command are the keyword arguments of its factory, so that a plugin's task has them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gw_core.cli.options import GLOBAL_OPTIONS, Command, GlobalOption, global_options

if TYPE_CHECKING:
    from gw_core.registry import Registry

OWN = {
    "add": "Add a question and a chosen hit to a golden file.",
    "compare": "Compare two reports, question by question.",
    "run": "Run the tasks of a bench.yaml, or the default ones.",
}
"""The commands that are no tasks. Each is ``command`` in the module of its name."""


class BenchGroup(click.Group):
    """``gw bench``"""

    examples: tuple[str, ...] = (
        "gw bench needle --context 64k,256k --needles 200",
        "gw bench golden my-questions.yaml            # your own corpus and questions, or a folder in BEIR layout",
        "gw bench run bench.yaml --baseline main.json --fail-on-regression --report report.html",
        "gw bench speed --tokens 1m --json | jq '.tasks[].cells[].figures'",
    )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*OWN, *_tasks(ctx).names()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in OWN:
            from importlib import import_module  # noqa: PLC0415

            found: click.Command = import_module(f"gw_core.cli.bench.{cmd_name}").command
            return found
        registry = _tasks(ctx)
        configured = _configured(ctx)
        if cmd_name not in registry.names() and ":" not in cmd_name and cmd_name not in configured:
            return None
        from gw_core.cli.bench.task import task_command  # noqa: PLC0415

        return task_command(registry.get(configured.get(cmd_name, cmd_name)), cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        found = self.get_command(ctx, args[0])
        if found is None and not ctx.resilient_parsing:
            from gw_core.errors import UnknownNameError  # noqa: PLC0415
            from gw_core.registry import suggestion  # noqa: PLC0415

            known = [*self.list_commands(ctx), *_configured(ctx)]
            raise UnknownNameError(f"unknown task {args[0]!r}", hint=suggestion(args[0], known))
        return args[0], found, args[1:]

    def own_options(self) -> list[click.Parameter]:
        return []

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            row
            for one in self.get_params(ctx)
            if isinstance(one, GlobalOption) and (row := one.get_help_record(ctx)) is not None
        ]
        with formatter.section(GLOBAL_OPTIONS):
            formatter.write_dl(rows)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Tasks"):
            formatter.write_dl([(one.name, _sentence(one.help)) for one in _tasks(ctx)])
        with formatter.section("Commands"):
            formatter.write_dl(list(OWN.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
        super().format_epilog(ctx, formatter)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "?", "!")) else ".")


def _tasks(ctx: click.Context) -> Registry[Any]:
    """The tasks of all plugins; what is wrong with one is told on stderr."""
    from gw_core.cli.options import Session  # noqa: PLC0415
    from gw_core.plugins import Plugins  # noqa: PLC0415

    meta = ctx.find_root().meta
    if "gw.tasks" not in meta:
        plugins = Plugins()
        meta["gw.tasks"] = plugins.registry("tasks")
        session = ctx.find_object(Session)
        if session is not None:
            session.warn([str(problem) for problem in plugins.problems])
    found: Registry[Any] = meta["gw.tasks"]
    return found


def _configured(ctx: click.Context) -> dict[str, str]:
    """The names of ``[tasks.NAME]`` with the tasks that they use."""
    from gw_core.cli.options import Session  # noqa: PLC0415
    from gw_core.errors import GwError  # noqa: PLC0415

    session = ctx.find_object(Session)
    if session is None:
        return {}
    try:
        with session.workspace() as workspace:
            components = workspace.config.components
    except GwError:  # said when the command runs
        return {}
    return {name: one.use for (kind, name), one in components.items() if kind == "tasks" and name != one.use}


@click.group(
    "bench",
    cls=BenchGroup,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Measure retrieval, answers and speed: with facts hidden in a corpus, or with your own questions.

    Every figure comes with its number of questions, an interval and the level of chance.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
    return None


command.params += global_options()

__all__: Sequence[str] = ["BenchGroup", "Command", "command"]
