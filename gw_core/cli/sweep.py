"""``gw sweep``"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gw_core.cli.console import one_line
from gw_core.cli.options import Session, gw_command
from gw_core.errors import UsageError
from gw_core.output import sweep_result

if TYPE_CHECKING:
    from gw_core.cli.console import Console
    from gw_core.records import Recipe
    from gw_core.sweep.run import SweepResult
    from gw_core.workspace import Workspace

NOT_TRUSTED = 3


@gw_command(
    "sweep",
    examples=(
        "gw sweep logs/ --match 'status: (?P<status>\\w+)' --reduce 'least status'",
        "gw sweep --recipe tickets.yaml data/",
        "gw sweep data/ --split csv --field 'hours: {column: hours, number: true}' --reduce 'sum hours'",
        "gw sweep logs/ --when ERROR --reduce count --json | jq .result.results.count.total",
        "gw sweep logs/ --match 'user=(?P<user>\\w+)' --reduce 'top 5 user' --records records.jsonl",
    ),
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True), metavar="[PATH]...")
@click.option("--recipe", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="What to do, as YAML.")
@click.option("--split", metavar="KIND", help="What a record is: line (the default), paragraph, csv, jsonl, ...")
@click.option("--match", metavar="REGEX", help="Its named groups are fields of each record.")
@click.option("--when", metavar="REGEX", help="Only records that it matches.")
@click.option(
    "--field", "fields", multiple=True, metavar="NAME: {...}", help="A field, as in a recipe; may be repeated."
)
@click.option("--key", metavar="FIELD", help="What tells records apart: of several with one key the last counts.")
@click.option("--reduce", multiple=True, metavar="TEXT", help="'least status', 'sum hours by owner'; may be repeated.")
@click.option("--reader", metavar="NAME", help="What fills fields that no pattern does; else [ask] reader.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Segments read at once; else [sweep].")
@click.option("--fresh", is_flag=True, help="Read everything anew, whatever the journal knows.")
@click.option("--resume", is_flag=True, help="What every sweep does: go on where the last one was broken off.")
@click.option("--records", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write all records.")
@click.option("--force", is_flag=True, help="Overwrite the file of --records.")
@click.option("--allow-partial", is_flag=True, help="Exit 0 although not all could be read.")
@click.option("--allow-unsupported", is_flag=True, help="Count records whose values are not supported, too.")
def command(session: Session, paths: tuple[str, ...], **options: Any) -> int:
    """Read everything at and below each PATH (else the root), take records out of it, and let code count and add up.

    Every record belongs to one segment, every file that is not read is named, and the answer says so.

    Exit 3 if something that was chosen could not be read, or a record's values are not supported.
    """
    with session.workspace() as workspace:
        recipe = _recipe(workspace, options)
        result = _swept(session, workspace, recipe, paths, options)
    _write(session.console, result, workspace.warnings)
    return _exit_code(result, options)


def _recipe(workspace: Workspace, options: dict[str, Any]) -> Recipe:
    from gw_core.sweep.recipe import recipe_from_options  # noqa: PLC0415

    named = ("split", "match", "when", "fields", "key", "reduce")
    if options["recipe"] is None and not any(options[one] for one in named):
        raise UsageError("nothing is said of what to look for", hint="--recipe FILE, or --match REGEX --reduce TEXT")
    return recipe_from_options(
        workspace.plugins.registry("reducers").resolve,
        path=options["recipe"],
        **{one: options[one] for one in named},
    )


def _swept(
    session: Session, workspace: Workspace, recipe: Recipe, paths: Sequence[str], options: dict[str, Any]
) -> SweepResult:
    from gw_core.sweep.records_file import RecordsFile  # noqa: PLC0415
    from gw_core.sweep.run import SweepOptions  # noqa: PLC0415

    chosen = SweepOptions(
        concurrency=options["concurrency"] or workspace.config.sweep.concurrency,
        fresh=options["fresh"],
        allow_unsupported=options["allow_unsupported"],
    )
    with (
        RecordsFile.open(options["records"], force=options["force"]) as records,
        session.console.progress() as on_progress,
    ):
        return workspace.sweep(
            recipe,
            paths,
            reader=options["reader"],
            options=chosen,
            on_progress=on_progress,
            on_batch=records.write if records else None,
        )


def _write(console: Console, result: SweepResult, warnings: Sequence[str]) -> None:
    if console.format == "json":
        console.item(sweep_result(result, warnings))
        return
    for line in result.answer.splitlines():
        console.line(one_line(line))
    for line in result.coverage.lines(run=console.verbose):
        console.say(f"gw: {line}")


def _exit_code(result: SweepResult, options: dict[str, Any]) -> int:
    coverage = result.coverage
    partial = not coverage.complete and not options["allow_partial"]
    unsupported = coverage.found > coverage.supported and not options["allow_unsupported"]
    return NOT_TRUSTED if partial or unsupported else 0
