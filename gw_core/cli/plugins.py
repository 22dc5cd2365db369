"""``gw plugins``"""

from __future__ import annotations

import click

from gw_core.cli.options import Session, gw_command
from gw_core.errors import UnknownNameError
from gw_core.output import plugins_result


@gw_command(
    "plugins", examples=("gw plugins", "gw plugins backends", "gw plugins --json | jq -r '.problems[].message'")
)
@click.argument("kind", required=False)
def command(session: Session, kind: str | None) -> None:
    """List what is installed: loaders, chunkers, backends, readers, and so on, with the distribution each comes from.

    KIND shows one kind only. A plugin that is broken is listed with what is wrong; the others work without it.
    """
    from gw_core.plugins import Plugins  # noqa: PLC0415
    from gw_core.registry import KINDS, suggestion  # noqa: PLC0415

    if kind is not None and kind not in KINDS:
        raise UnknownNameError(f"unknown kind of plugin {kind!r}", hint=suggestion(kind, KINDS))
    result = plugins_result(Plugins(), kind)
    console = session.console
    if console.format == "json":
        console.item(result)
        return
    rows = [
        (one["kind"], one["name"], f"{one['distribution']} {one['version']}".rstrip(), one["help"])
        for one in result["components"]
    ]
    console.table(("kind", "name", "from", "what it is"), rows)
    for conflict in result["conflicts"]:
        console.warn(
            f"more than one distribution offers the name {conflict['name']!r} of {conflict['kind']}: "
            f"{', '.join(conflict['qualified'])}; name one of these"
        )
    session.warn([one["message"] for one in result["problems"]])
