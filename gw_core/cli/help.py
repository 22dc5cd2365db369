"""``gw help``"""

from __future__ import annotations

import click

from gw_core.cli.options import Session, gw_command


@gw_command("help", formats=(), examples=("gw help", "gw help search"))
@click.argument("name", required=False, metavar="[COMMAND]")
@click.pass_context
def command(context: click.Context, session: Session, name: str | None) -> None:
    """Show the help of gw, or of COMMAND: the same as gw --help and gw COMMAND --help."""
    top = context.find_root()
    group = top.command
    shown = top
    if name is not None and isinstance(group, click.Group):
        _, found, _ = group.resolve_command(top, [name])
        if found is not None:
            shown = click.Context(found, info_name=name, parent=top)
    session.console.line(shown.get_help())
