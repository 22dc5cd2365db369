"""``gw bench add``"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gw_core.bench.adding import Adding, Chosen
from gw_core.bench.golden_add import NewEntry, add
from gw_core.cli.bench.options import Call, folder_of
from gw_core.cli.bench.running import make_harness
from gw_core.cli.options import Session, gw_command, question_text
from gw_core.cli.render import write_hits
from gw_core.errors import UsageError
from gw_core.plain import printable

if TYPE_CHECKING:
    from gw_core.bench.golden_entry import Question


@gw_command(
    "add",
    examples=(
        'gw bench add golden.yaml "how long are logs kept?"            # shows hits, and asks which is right',
        'gw bench add golden.yaml "how long are logs kept?" --hit 1 --quote "Logs are kept for 30 days."',
        'gw bench add golden.yaml "what does it cost?" --abstain --category unanswerable',
        'gw bench add new.yaml "which port?" --corpus docs/ --hit 2 --answer 8080',
    ),
)
@click.argument("golden", type=click.Path(dir_okay=False, path_type=Path), metavar="GOLDEN")
@click.argument("question", metavar="QUESTION")
@click.option("--hit", type=click.IntRange(min=1), metavar="N", help="The hit that answers, by its number.")
@click.option("--citation", metavar="CITATION", help="What answers, as gw search prints it, in place of --hit.")
@click.option("--quote", metavar="TEXT", help="The words in the hit that answer; else the sentence that fits best.")
@click.option("--abstain", is_flag=True, help="The corpus does not answer this question.")
@click.option("--answer", multiple=True, metavar="TEXT", help="The right answer; repeat it for others as right.")
@click.option("--category", default="", metavar="NAME", help="What kind of question it is.")
@click.option("--id", "name", default="", metavar="ID", help="Its id; else one made from the question.")
@click.option(
    "--corpus",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="The corpus of a GOLDEN that does not exist yet; else its folder.",
)
@click.option(
    "-k", "k", type=click.IntRange(min=1), default=8, metavar="N", help="How many hits to show; 8 unless said."
)
@click.option("--backend", metavar="NAME", help="The backend to search with; else [retrieve] backend.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER", help="As for the tasks.")
def command(session: Session, golden: Path, question: str, k: int, **options: Any) -> int:
    """Add QUESTION to GOLDEN (YAML or JSON Lines), judged by a hit: the quote is widened until it stands once in its
    document, and what is in the file already stays as it is, comments too.
    """
    question = question_text(question)
    if sum(bool(options[one]) for one in ("hit", "citation", "abstain")) > 1:
        raise UsageError("--hit, --citation and --abstain exclude each other")
    if options["quote"] and options["abstain"]:
        raise UsageError("a question that the corpus does not answer has no --quote")
    chosen: Sequence[Chosen] = ()
    if not options["abstain"]:
        chosen = [_chosen(session, golden, question, k, options)]
    entry = NewEntry(
        question=question,
        quotes=[(one.document, one.quote) for one in chosen],
        category=options["category"],
        answers=options["answer"],
        id=options["name"],
        abstain=options["abstain"],
    )
    _tell(session, golden, add(golden, entry, options["corpus"]), entry)
    return 0


def _chosen(session: Session, golden: Path, question: str, k: int, options: dict[str, Any]) -> Chosen:
    named = [path for path in (golden, options["corpus"]) if path is not None]
    call = replace(Call.searching(options["backend"], options["cache"]), named=tuple(map(folder_of, named)))
    with session.workspace() as workspace, session.console.progress() as on_progress:
        adding = Adding(make_harness(session, workspace, call, on_progress), golden, options["corpus"])
        if options["citation"]:
            return adding.cited(options["citation"], workspace.root, question, options["quote"])
        with adding.searched(question, max(k, options["hit"] or 0)) as found:
            number = options["hit"]
            if number is None:
                write_hits(session.console, found.result, explain=False)
                number = _ask(session, len(found.result.evidence))
            return found.take(number, options["quote"])


def _ask(session: Session, count: int) -> int:
    if not session.console.is_terminal or session.console.format != "text":
        raise UsageError("which hit answers?", hint="--hit N, --citation CITATION, or --abstain if none does")
    number: int = click.prompt("Which hit answers", type=click.IntRange(1, count), err=True)
    return number


def _tell(session: Session, golden: Path, made: Question, entry: NewEntry) -> None:
    console = session.console
    if console.format == "json":
        console.item({"schema": "gw.bench-add/1", "golden": str(golden), "id": made.id, "entry": entry.fields})
        return
    for document, quote in entry.quotes:
        console.line(printable(f"{document}: {quote}"))
    console.say(f"gw: added to {golden} as {made.label}")
