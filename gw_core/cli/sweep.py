"""``gw sweep``"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gw_core.cli.console import one_line, size_text
from gw_core.cli.options import Session, gw_command
from gw_core.errors import UsageError
from gw_core.output import sweep_plan_result, sweep_result

if TYPE_CHECKING:
    from gw_core.cli.console import Console
    from gw_core.records import Recipe
    from gw_core.sweep.estimate import Estimate
    from gw_core.sweep.run import SweepOptions, SweepResult
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
        "gw sweep --recipe tickets.yaml data/ --plan         # what it would take; nothing is asked of a reader",
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
@click.option("--plan", "plan_only", is_flag=True, help="Only say what it would take: nothing is asked of a reader.")
@click.option("--allow-partial", is_flag=True, help="Exit 0 although not all could be read.")
@click.option("--allow-unsupported", is_flag=True, help="Count records whose values are not supported, too.")
def command(session: Session, paths: tuple[str, ...], **options: Any) -> int:
    """Read everything at and below each PATH (else the root), take records out of it, and let code count and add up.

    Every record belongs to one segment, every file that is not read is named, and the answer says so.

    Exit 3 if something that was chosen could not be read, or a record's values are not supported.
    """
    with session.workspace() as workspace:
        recipe = _recipe(workspace, options)
        if options["plan_only"]:
            return _plan(session, workspace, recipe, paths, options)
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

    with (
        RecordsFile.open(options["records"], force=options["force"]) as records,
        session.console.progress() as on_progress,
    ):
        return workspace.sweep(
            recipe,
            paths,
            reader=options["reader"],
            options=_sweep_options(workspace, options),
            on_progress=on_progress,
            on_batch=records.write if records else None,
        )


def _sweep_options(workspace: Workspace, options: dict[str, Any]) -> SweepOptions:
    from gw_core.sweep.run import SweepOptions  # noqa: PLC0415

    return SweepOptions(
        concurrency=options["concurrency"] or workspace.config.sweep.concurrency,
        fresh=options["fresh"],
        allow_unsupported=options["allow_unsupported"],
    )


def _plan(session: Session, workspace: Workspace, recipe: Recipe, paths: Sequence[str], options: dict[str, Any]) -> int:
    console = session.console
    if options["records"] is not None:
        raise UsageError("--plan reads no records", hint="leave out --records, or --plan")
    chosen = _sweep_options(workspace, options)
    found = workspace.estimate_sweep(recipe, paths, reader=options["reader"], options=chosen)
    if console.format == "json":
        console.item(sweep_plan_result(found, workspace.warnings))
    else:
        for line in _plan_lines(found):
            console.line(one_line(line))
    return NOT_TRUSTED if found.coverage.failed and not options["allow_partial"] else 0


def _plan_lines(found: Estimate) -> list[str]:
    coverage = found.coverage
    sizes = f"{size_text(coverage.bytes_read)} in {_count(coverage.files, 'file')}"
    lines = [f"{_count(found.records, 'record')} in {_count(found.segments, 'segment')}: {sizes}"]
    lines += coverage.files_left_out()
    lines.append(f"in the journal: {found.known:,} of {_count(found.segments, 'segment')}")
    if not found.asks:
        lines.append("no reader is asked: code fills all fields")
    else:
        how = "counted by it" if found.tokens_counted else "reckoned as 4 bytes each"
        calls = f"{_count(found.calls, 'call')}, {_count(found.tokens, 'token')} of records ({how}; prompts aside)"
        lines.append(f"reader {found.reader}: {calls}")
    if not found.extracts:
        lines.append(f"reader {found.reader} cannot take part: it does not extract; name another with --reader")
    return [*lines, f"plan {found.plan_sha256}"]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


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
