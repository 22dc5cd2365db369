"""``gw ingest``"""

from __future__ import annotations

import click

from gw_core.cli.options import Session, gw_command, wait_option
from gw_core.cli.render import ingest_lines, nothing_readable, tell_skipped
from gw_core.output import ingest_result


@gw_command(
    "ingest",
    examples=(
        "gw ingest docs src",
        "gw ingest                       # everything that was ever ingested",
        "gw ingest docs --json | jq '.skipped[]'",
        "gw ingest --rebuild docs        # a new index; the old one is set aside",
    ),
)
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="[PATH]...")
@click.option("--rebuild", is_flag=True, help="Set the index aside and make a new one.")
@wait_option
def command(session: Session, paths: tuple[str, ...], rebuild: bool, wait: float) -> int:
    """Bring the index up to date with the files at and below each PATH: what is new or changed is read, what is gone
    is removed, what is unchanged costs nothing. Without a PATH, everything that was ever ingested.

    What cannot be read is skipped, and named with the reason. Exit 1 if nothing at all could be read.
    """
    console = session.console
    with session.workspace() as workspace:
        with console.progress() as on_progress:
            report = workspace.ingest(
                paths,
                rebuild=rebuild,
                wait=wait,
                on_progress=on_progress,
                on_wait=lambda text: console.say(f"gw: {text}"),
            )
        failure = nothing_readable(report, paths)
        tell_skipped(console, report)
        if console.format == "json":
            result = ingest_result(report, workspace)
            if failure is not None:
                result["error"] = {"code": failure.code, "message": failure.message, "hint": failure.hint}
            console.item(result)
        else:
            for line in ingest_lines(report):
                console.line(line)
    if failure is not None:
        console.error(str(failure))
        return failure.exit_code
    return 0
