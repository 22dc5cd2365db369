"""``gw sweep``"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gw_core.cli.console import one_line, size_text
from gw_core.cli.options import Session, gw_command
from gw_core.cli.render import place, verdict_text, write_excerpt
from gw_core.errors import UsageError
from gw_core.output import sweep_explain_result, sweep_plan_result, sweep_result, sweep_sql_result
from gw_core.plain import dumps, printable

if TYPE_CHECKING:
    from gw_core.cli.console import Console
    from gw_core.records import Batch, Recipe
    from gw_core.sweep.coverage import Coverage
    from gw_core.sweep.estimate import Estimate
    from gw_core.sweep.run import SweepOptions
    from gw_core.verify import Verification
    from gw_core.workspace import Workspace

    Row = Sequence[Any]

NOT_TRUSTED = 3
_TABLE_ROWS = 1_000
"""How many rows are a table on a terminal."""


@gw_command(
    "sweep",
    examples=(
        "gw sweep logs/ --match 'status: (?P<status>\\w+)' --reduce 'least status'",
        "gw sweep --recipe tickets.yaml data/",
        "gw sweep data/ --split csv --field 'hours: {column: hours, number: true}' --reduce 'sum hours'",
        "gw sweep logs/ --when ERROR --reduce count --json | jq .result.results.count.total",
        "gw sweep logs/ --match 'user=(?P<user>\\w+)' --reduce 'top 5 user' --records records.jsonl",
        "gw sweep --recipe tickets.yaml data/ --explain status=beta    # every record behind a figure, cited",
        "gw sweep --recipe tickets.yaml data/ --sql 'select owner, count(*) n from records group by owner'",
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
@click.option("--plan", is_flag=True, help="Only say what it would take: nothing is asked of a reader.")
@click.option("--explain", metavar="FIELD=VALUE", help="Show the records with that value instead, each cited.")
@click.option("-k", type=click.IntRange(min=1), metavar="N", help="How many records --explain shows; 20 unless said.")
@click.option(
    "--sql", metavar="SELECT", help="Instead of reducing: one SELECT from records(path, start, end, FIELD...)."
)
@click.option("--csv", "as_csv", is_flag=True, help="The rows of --sql as CSV, with a heading.")
@click.option("--allow-partial", is_flag=True, help="Exit 0 although not all could be read.")
@click.option("--allow-unsupported", is_flag=True, help="Count records whose values are not supported, too.")
def command(session: Session, paths: tuple[str, ...], **options: Any) -> int:
    """Read everything at and below each PATH (else the root), take records out of it, and let code count and add up.

    Every record belongs to one segment, every file that is not read is named, and the answer says so. --plan says
    beforehand what a sweep would take, --explain shows the records behind a figure, and --sql asks all records.

    Exit 3 if something that was chosen could not be read, a record's values are not supported, or --explain finds none.
    """
    way = _way(options)
    with session.workspace() as workspace:
        return way(_Call(session.console, workspace, _recipe(workspace, options), paths, options))


@dataclass(frozen=True, slots=True)
class _Call:
    """One run of the command."""

    console: Console
    workspace: Workspace
    recipe: Recipe
    paths: Sequence[str]
    options: dict[str, Any]

    @property
    def sweep_options(self) -> SweepOptions:
        from gw_core.sweep.run import SweepOptions  # noqa: PLC0415

        return SweepOptions(
            concurrency=self.options["concurrency"] or self.workspace.config.sweep.concurrency,
            fresh=self.options["fresh"],
            allow_unsupported=self.options["allow_unsupported"],
        )

    @contextmanager
    def reading(self) -> Iterator[dict[str, Any]]:
        """The arguments of a sweep; its progress is shown, and its records are written, as long as it lasts."""
        from gw_core.sweep.records_file import RecordsFile  # noqa: PLC0415

        with (
            RecordsFile.open(self.options["records"], force=self.options["force"]) as records,
            self.console.progress() as on_progress,
        ):
            yield {
                "paths": self.paths,
                "reader": self.options["reader"],
                "options": self.sweep_options,
                "on_progress": on_progress,
                "on_batch": records.write if records else None,
            }

    def end(self, coverage: Coverage) -> int:
        """Say what was read, and whether the result may be trusted."""
        if self.console.format != "json":
            for line in coverage.lines(run=self.console.verbose):
                self.console.say(f"gw: {line}")
        partial = not coverage.complete and not self.options["allow_partial"]
        unsupported = coverage.found > coverage.supported and not self.options["allow_unsupported"]
        return NOT_TRUSTED if partial or unsupported else 0


def _way(options: dict[str, Any]) -> Callable[[_Call], int]:
    """What is to be done. Raises UsageError for options that exclude each other."""
    ways = {"plan": _plan, "explain": _explain, "sql": _sql}
    chosen = [name for name in ways if options[name]]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} exclude each other", hint="one at a time")
    if options["plan"] and options["records"] is not None:
        raise UsageError("--plan reads no records", hint="leave out --records, or --plan")
    if options["k"] is not None and not options["explain"]:
        raise UsageError(
            "-k says how many records --explain shows", hint="--explain FIELD=VALUE, or --reduce 'top 5 FIELD'"
        )
    if options["as_csv"] and not options["sql"]:
        raise UsageError("--csv is for the rows of --sql", hint="--sql 'select * from records'")
    return ways[chosen[0]] if chosen else _reduce


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


def _reduce(call: _Call) -> int:
    console = call.console
    with call.reading() as arguments:
        result = call.workspace.sweep(call.recipe, **arguments)
    if console.format == "json":
        console.item(sweep_result(result, call.workspace.warnings))
    else:
        for line in result.answer.splitlines():
            console.line(one_line(line))
    return call.end(result.coverage)


# -- what it would take -------------------------------------------------------------------------------------------


def _plan(call: _Call) -> int:
    console, options = call.console, call.options
    found = call.workspace.estimate_sweep(call.recipe, call.paths, reader=options["reader"], options=call.sweep_options)
    if console.format == "json":
        console.item(sweep_plan_result(found, call.workspace.warnings))
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


# -- the records behind a figure ----------------------------------------------------------------------------------


def _explain(call: _Call) -> int:
    console, wanted = call.console, call.options["explain"]
    most = {} if call.options["k"] is None else {"most": call.options["k"]}
    with call.reading() as arguments:
        explained = call.workspace.explain_sweep(call.recipe, wanted, **arguments, **most)
    if console.format == "json":
        console.item(sweep_explain_result(explained, call.workspace.warnings))
    else:
        for number, (found, _) in enumerate(explained.evidence(), 1):
            if console.closed:
                break
            _write_record(console, number, found)
        if more := explained.total - len(explained.places):
            console.say(f"gw: and {more:,} more (-k N shows so many)")
        if not explained.total:
            console.say(f"gw: no record has {one_line(wanted)}")
    return call.end(explained.result.coverage) if explained.total else NOT_TRUSTED


def _write_record(console: Console, number: int, found: Verification) -> None:
    """As a hit of a search."""
    if number > 1:
        console.line()
    where = console.styled(place(found.path, found.lines), "bold")
    console.line(f"{number}. {where} {verdict_text(console, found.verdict)}")
    console.line("    " + console.styled(str(found.citation), "dim"))
    write_excerpt(console, found.text or "", ())


# -- SQL ----------------------------------------------------------------------------------------------------------


def _sql(call: _Call) -> int:
    from gw_core.sweep.sql import RecordsTable  # noqa: PLC0415

    console, query = call.console, call.options["sql"]
    if call.options["as_csv"] and console.format == "json":
        raise UsageError("--csv and --json exclude each other")
    with RecordsTable.open(call.recipe, query) as table:
        with call.reading() as arguments:
            write = arguments.pop("on_batch")

            def take(batch: Batch) -> None:
                table.add(batch)
                if write is not None:
                    write(batch)

            recipe = replace(call.recipe, reduce=())
            result = call.workspace.sweep(recipe, **arguments, on_batch=take, spans=write is not None)
        if table.as_text:
            console.say(f"gw: {_count(table.as_text, 'number')} of more digits than SQL has stayed text")
        if console.format == "json":
            head = sweep_sql_result(query, table.columns, table.as_text, result, call.workspace.warnings)
            _write_json(console, head, table.rows())
        elif call.options["as_csv"]:
            _write_csv(console, table.columns, table.rows())
        else:
            _write_table(console, table.columns, table.rows())
    return call.end(result.coverage)


def _write_json(console: Console, head: dict[str, Any], rows: Iterable[Row]) -> None:
    """One object, its rows as they come."""
    console.write(dumps(head)[:-1] + ', "rows": [')
    for number, row in enumerate(rows):
        if console.closed:
            return
        console.write((", " if number else "") + dumps([_plain(cell) for cell in row]))
    console.line("]}")


def _write_csv(console: Console, columns: Sequence[str], rows: Iterable[Row]) -> None:
    import csv  # noqa: PLC0415
    import io  # noqa: PLC0415

    for row in chain([columns], rows):
        if console.closed:
            return
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([_plain(cell) for cell in row])
        console.write(printable(line.getvalue()) if console.is_terminal else line.getvalue())


def _write_table(console: Console, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """On a terminal a table of what anybody would read there; elsewhere lines with tabs, as they come."""
    found = iter(rows)
    while some := list(islice(found, _TABLE_ROWS)):
        console.table(columns, [["" if cell is None else str(_plain(cell)) for cell in row] for row in some])
        if console.closed:
            return
        if console.is_terminal and next(found, None) is not None:
            console.say(f"gw: these are the first {_TABLE_ROWS:,} rows; write the others to a file")
            return


def _plain(cell: Any) -> Any:
    return cell.hex() if isinstance(cell, bytes) else cell
