"""``gw config``"""

from __future__ import annotations

from typing import Any

import click

from gw_core.cli.options import Session, gw_command
from gw_core.output import config_result
from gw_core.plain import dumps


@gw_command(
    "config",
    examples=(
        "gw config",
        "gw config retrieve",
        "gw config retrieve.k --json",
        "gw -o retrieve.k=20 config retrieve",
    ),
)
@click.argument("key", required=False)
def command(session: Session, key: str | None) -> None:
    """Show every setting and where it comes from: default, your own file, the project's gw.toml, the environment, or
    a flag.

    KEY picks one setting, such as retrieve.k, or one section.
    """
    with session.workspace() as workspace:
        result = config_result(workspace, key)
        if session.console.format == "json":
            session.console.item(result)
            return
        session.console.table(("setting", "value", "from"), [_row(one) for one in result["values"]])


def _row(one: dict[str, Any]) -> tuple[str, str, str]:
    origin = one["origin"]
    place = f"{origin['path']}:{origin['line']}" if origin["path"] is not None else origin["text"]
    return one["key"], dumps(one["value"]), place or origin["layer"]
