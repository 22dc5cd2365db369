"""``gw status``"""

from __future__ import annotations

import click

from gw_core.cli.console import size_text
from gw_core.cli.options import Session, gw_command
from gw_core.errors import IndexMissingError
from gw_core.output import status_result
from gw_core.plain import file_name


@gw_command(
    "status",
    examples=("gw status", "gw status --files | grep '^docs/'", "gw status --json | jq .documents"),
)
@click.option("--files", is_flag=True, help="List the files that are indexed instead, one a line.")
def command(session: Session, files: bool) -> None:
    """Say what is indexed, how large it is, and which backends are complete. Exit 2 if there is no index."""
    console = session.console
    with session.workspace() as workspace:
        status = workspace.status()
        if not status.exists:
            raise IndexMissingError(f"no index at {status.index}", hint="make one: gw ingest PATH")
        if console.format == "json":
            console.item(status_result(status, workspace.warnings, workspace.files() if files else None))
            return
        if files:
            for one in workspace.files():
                console.line(file_name(one.path))
            return
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(status.kinds.items()))
        backends = ", ".join(
            one.name if one.complete else f"{one.name} (not complete: run gw ingest)" for one in status.backends
        )
        rows = [
            ("root", str(status.root)),
            ("index", str(status.index)),
            ("ingested", ", ".join(map(file_name, status.sources)) or "nothing"),
            ("documents", f"{status.documents:,}" + (f" ({kinds})" if kinds else "")),
            ("chunks", f"{status.chunks:,}"),
            ("size of the sources", size_text(status.bytes)),
            ("size of the index", size_text(status.index_bytes)),
            ("could not be read", f"{status.skipped:,}"),
            ("backends", backends),
        ]
        console.table(("", ""), rows)
