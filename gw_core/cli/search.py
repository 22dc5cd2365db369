"""``gw search``"""

from __future__ import annotations

from typing import Any

import click

from gw_core.cli.options import Session, gw_command, question_text, retrieval_options, wait_option
from gw_core.cli.render import changed_files, looked_at_text, write_hits
from gw_core.output import hit_result, search_result

NOTHING_TO_TRUST = 3


@gw_command(
    "search",
    formats=("json", "jsonl"),
    examples=(
        'gw search "error budget"',
        'gw search "error budget" docs/                 # ingest docs/ first, and search only there',
        "gw search IntegerField -k 5 --jsonl | jq -r .citation | gw verify -",
        "gw search getUserName --scope 'src/**,*.md' --explain",
        "gw search -- -Wall                              # what begins with '-' goes after '--'",
    ),
)
@click.argument("question")
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="[PATH]...")
@retrieval_options
@click.option("--explain", is_flag=True, help="Show how each hit scored, and why.")
@wait_option
def command(session: Session, question: str, paths: tuple[str, ...], explain: bool, wait: float, **options: Any) -> int:
    """Find the passages that fit QUESTION, best first; '-' reads it from standard input. Every passage is re-read from
    its file before it is shown.

    Each PATH is ingested first, and the search stays in them. Words are just words: nothing in QUESTION is an operator.
    Exit 3 if nothing is found, or if no hit is verified.
    """
    console = session.console
    with session.workspace() as workspace:
        with session.ingesting(paths, wait) as ingesting:
            given = {name: value for name, value in options.items() if value is not None}
            result = workspace.search(question_text(question), paths, **given, **ingesting.options)
        for note in result.notes:
            console.say(f"gw: {note}")
        if console.format == "json":
            console.item(search_result(result, ingesting.report, workspace.warnings))
        elif console.format == "jsonl":
            for rank, one in enumerate(result.evidence, 1):
                console.item({"schema": "gw.hit/1", **hit_result(one, rank)})
        else:
            write_hits(console, result, explain)
        if not result.evidence:
            console.say(f"gw: nothing found; looked at {looked_at_text(result.looked_at)}")
            return NOTHING_TO_TRUST
        if changed := changed_files(result.evidence):
            console.say(f"gw: changed since they were indexed (run gw ingest): {changed}")
        if not result.confidence.enough:
            console.say(f"gw: low confidence: {result.confidence.reason}")
        return 0 if any(one.verified for one in result.evidence) else NOTHING_TO_TRUST
