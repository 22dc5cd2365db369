"""``gw verify``"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from gw_core.cli.options import Session, from_stdin, gw_command
from gw_core.cli.render import write_verification
from gw_core.errors import CitationError, UsageError
from gw_core.output import verification_result, verified_index_result, verify_result

if TYPE_CHECKING:
    from gw_core.citation import Citation
    from gw_core.cli.console import Console
    from gw_core.verify import Verification
    from gw_core.workspace import Workspace

NOT_VERIFIED = 3


@gw_command(
    "verify",
    formats=("json", "jsonl"),
    examples=(
        "gw verify 'docs/plugins.md#c120-480.9f86d081884c7d65a1b2c3d4'",
        "gw search x --jsonl | jq -r .citation | gw verify -",
        "gw verify --accept-moved - < citations.txt",
        "gw verify --all                 # every chunk of the index against its source",
    ),
)
@click.argument("citations", nargs=-1, metavar="[CITATION]...")
@click.option("--all", "everything", is_flag=True, help="Check every chunk of the index; what is verified is counted.")
@click.option("--accept-moved", is_flag=True, help="Text that stands elsewhere in its file now is good enough.")
def command(session: Session, citations: tuple[str, ...], everything: bool, accept_moved: bool) -> int:
    """Check each CITATION against the file it cites; '-' reads them from standard input, one a line. Needs no index.

    verified: the same text at the same place. moved: the same text elsewhere in the file. drifted: something else
    stands there. missing: no such file. unresolvable: the file cannot be read, or is outside the root.

    Exit 3 if any is anything but verified.
    """
    if everything == bool(citations):
        raise UsageError(
            "name citations or --all" + (", not both" if everything else ""), hint="gw verify CITATION... | - | --all"
        )
    with session.workspace() as workspace:
        if everything:
            counts = _verify_index(session.console, workspace)
        else:
            counts = _verify(session.console, workspace, _parsed(citations))
    accepted = counts.get("verified", 0) + (counts.get("moved", 0) if accept_moved else 0)
    return 0 if accepted == sum(counts.values()) else NOT_VERIFIED


def _parsed(arguments: Sequence[str]) -> list[Citation]:
    """All of them, before any is checked, so that a malformed one is not found half-way."""
    from gw_core.citation import Citation  # noqa: PLC0415

    found = []
    for argument in arguments:
        if argument != "-":
            found.append(Citation.parse(argument))
            continue
        for number, line in enumerate(from_stdin("citations").splitlines(), 1):
            if not line.strip():
                continue
            try:
                found.append(Citation.parse(line))
            except CitationError as error:
                raise CitationError(f"line {number}: {error.message}", hint=error.hint) from error
    if not found:
        raise UsageError("there is no citation on standard input")
    return found


def _verify(console: Console, workspace: Workspace, citations: Sequence[Citation]) -> dict[str, int]:
    results: list[Verification] = []
    for citation in citations:
        [one] = workspace.verify([citation])
        if console.format == "jsonl":
            console.item({"schema": "gw.verification/1", **verification_result(one)})
        elif console.format == "text":
            write_verification(console, one)
        results.append(one)
    result = verify_result(results, workspace.warnings)
    if console.format == "json":
        console.item(result)
    counts: dict[str, int] = result["counts"]
    return counts


def _verify_index(console: Console, workspace: Workspace) -> dict[str, int]:
    with console.progress() as on_progress:
        checked = workspace.verify_all(lambda done, total: on_progress(_Documents(done, total)))
    if console.format == "json":
        console.item(verified_index_result(checked.counts, checked.failures, workspace.warnings))
    elif console.format == "jsonl":
        for one in checked.failures:
            console.item({"schema": "gw.verification/1", **verification_result(one)})
    else:
        for one in checked.failures:
            write_verification(console, one)
        counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(checked.counts.items()))
        console.line(f"{checked.total:,} chunks checked: {counts or 'there are none'}")
    return dict(checked.counts)


class _Documents:
    """A step of the work, as the console shows it."""

    stage = "verifying documents"
    bytes_done = 0
    bytes_total = 0

    def __init__(self, done: int, total: int) -> None:
        self.done = done
        self.total = total
