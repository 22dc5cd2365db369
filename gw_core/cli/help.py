"""``gw help``"""

from __future__ import annotations

import click

from gw_core.cli.options import Session, gw_command
from gw_core.errors import UsageError


@gw_command("help", formats=(), examples=("gw help", "gw help search", "gw help bench needle"))
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(context: click.Context, session: Session, names: tuple[str, ...]) -> None:
    """Show the help of gw, or of COMMAND: the same as gw --help and gw COMMAND --help."""
    shown = context.find_root()
    for name in names:
        if not isinstance(shown.command, click.Group):
            raise UsageError(f"{shown.command_path!r} has no commands of its own", hint=f"gw help {shown.info_name}")
        _, found, _ = shown.command.resolve_command(shown, [name])
        if found is not None:
            shown = click.Context(found, info_name=name, parent=shown)
    session.console.line(shown.get_help())
