"""``gw forget``"""

from __future__ import annotations

import click

from gw_core.cli.options import Session, gw_command, wait_option
from gw_core.plain import file_name


@gw_command("forget", examples=("gw forget drafts/", "gw forget notes/diary.md --json"))
@click.argument("paths", nargs=-1, required=True, type=click.Path(readable=False), metavar="PATH...")
@wait_option
def command(session: Session, paths: tuple[str, ...], wait: float) -> None:
    """Remove what is at and below each PATH from the index, so that nothing of its text is left in the index's files.
    The files themselves are not touched; ingesting them again brings them back.
    """
    with session.workspace() as workspace:
        forgotten = workspace.forget(paths, wait=wait)
        if session.console.format == "json":
            result = {"schema": "gw.forget/1", "forgotten": forgotten, "warnings": list(workspace.warnings)}
            session.console.item(result)
            return
        for path in forgotten:
            session.console.detail(f"gw: forgot {file_name(path)}")
        session.console.line(f"{len(forgotten):,} forgotten")
