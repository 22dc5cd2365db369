"""``gw show``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gw_core.cli.options import Session, gw_command
from gw_core.cli.render import write_verification
from gw_core.output import verification_result
from gw_core.plain import printable

if TYPE_CHECKING:
    from gw_core.cli.console import Console
    from gw_core.verify import Verification
    from gw_core.workspace import Workspace

NOT_VERIFIED = 3
_READABLE = ("verified", "moved", "drifted")


@gw_command(
    "show",
    examples=(
        "gw show 'docs/plugins.md#c120-480.9f86d081884c7d65a1b2c3d4'",
        "gw show -C 3 'docs/plugins.md#c120-480.9f86d081884c7d65a1b2c3d4'",
        "gw search x -k 1 --jsonl | jq -r .citation | xargs gw show --json",
    ),
)
@click.argument("citation")
@click.option(
    "-C", "--context", type=click.IntRange(min=0), default=0, metavar="N", help="So many lines before and after, too."
)
@click.option("--accept-moved", is_flag=True, help="Text that stands elsewhere in its file now is good enough.")
def command(session: Session, citation: str, context: int, accept_moved: bool) -> int:
    """Show the lines that CITATION cites, with their numbers, checked first. Needs no index.

    Text that moved is shown where it stands now; where something else stands at the cited place, that is shown and
    said. Exit 3 if the citation is anything but verified.
    """
    console = session.console
    with session.workspace() as workspace:
        [one] = workspace.verify([citation])
        lines = _lines(workspace, one, context)
        if console.format == "json":
            shown = {"shown": lines, "warnings": list(workspace.warnings)}
            console.item({"schema": "gw.show/1", **verification_result(one), **shown})
        else:
            write_verification(console, one)
            _write(console, lines)
    accepted = one.verdict.value == "verified" or (accept_moved and one.verdict.value == "moved")
    return 0 if accepted else NOT_VERIFIED


def _lines(workspace: Workspace, one: Verification, context: int) -> list[dict[str, Any]]:
    """The lines to show as they stand in the file now, without their ends; ``cited`` tells those of the span."""
    if one.lines is None or one.verdict.value not in _READABLE:
        return []
    lines = workspace.pipeline.sources.read(one.citation.path, one.citation.decoder).lines
    first, last = one.lines
    found = []
    for number in range(max(1, first - context), min(len(lines), last + context) + 1):
        start, end = lines.span(number, number)
        text = lines.text[start:end].rstrip("\r\n")
        if text or start < end or first <= number <= last:
            found.append({"line": number, "cited": first <= number <= last, "text": text})
    return found


def _write(console: Console, lines: list[dict[str, Any]]) -> None:
    width = len(str(lines[-1]["line"])) if lines else 0
    for one in lines:
        number = f"{one['line']:>{width}}"
        mark = ">" if one["cited"] else " "
        console.line(f"{mark} {console.styled(number, 'dim')}  {printable(one['text'])}")
