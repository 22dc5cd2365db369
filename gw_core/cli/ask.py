"""``gw ask``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from gw_core.cli.console import one_line
from gw_core.cli.options import Session, gw_command, question_text, retrieval_options, wait_option
from gw_core.cli.questions import Question, read_questions
from gw_core.cli.render import write_answer
from gw_core.errors import UsageError
from gw_core.output import answer_result
from gw_core.plain import printable

if TYPE_CHECKING:
    from gw_core.ask import Answer
    from gw_core.cli.options import Ingesting
    from gw_core.workspace import Workspace

NOT_TRUSTED = 3


@gw_command(
    "ask",
    formats=("json", "jsonl"),
    examples=(
        'gw ask "how do I register a backend?" docs/    # ingest docs/ first, and answer from it',
        'gw ask "how long are logs kept?" --json | jq -r .answer.value',
        "gw ask \"which port?\" --pattern 'port (?P<value>[0-9]+)'",
        "gw ask --questions questions.jsonl --jsonl > answers.jsonl",
        'gw ask --print-prompt "how long are logs kept?" | llm',
    ),
)
@click.argument("words", nargs=-1, type=click.Path(readable=False), metavar="[QUESTION] [PATH]...")
@retrieval_options
@click.option("--reader", metavar="NAME", help="What finds the answer in the passages; else [ask] reader.")
@click.option("--pattern", metavar="REGEX", help="The answer is what this finds; its group 'value' is the value.")
@click.option("--no-abstain", is_flag=True, help="Answer also on weak evidence, marked as a guess.")
@click.option("--print-prompt", is_flag=True, help="Print the prompt for a model of your own, and ask nobody.")
@click.option(
    "--questions",
    metavar="FILE",
    help='Many questions: a JSON object a line, {"id": ..., "question": "..."}; - is stdin.',
)
@wait_option
def command(session: Session, words: tuple[str, ...], wait: float, **options: Any) -> int:
    """Answer QUESTION from the passages that fit it best; '-' reads it from standard input. Every citation is re-read
    from its file before it is shown.

    Each PATH is ingested first, and the answer comes from them. With --questions, all arguments are PATHs.

    Exit 3 without an answer that its citations fully support: gw abstained, or the answer is a guess, or something in
    it is not supported.
    """
    questions, paths = _asked(words, options.pop("questions"))
    call = _Call(paths, options.pop("print_prompt"), not options.pop("no_abstain"), options)
    with session.workspace() as workspace, session.ingesting(paths, wait) as ingesting:
        if call.print_prompt:
            return _print_prompts(session, workspace, questions, call, ingesting)
        answers = _answers(workspace, questions, call, ingesting)
        return _write(session, workspace, answers, ingesting, many=questions[0].from_file)


@dataclass(frozen=True, slots=True)
class _Call:
    """What all questions of one run share."""

    paths: tuple[str, ...]
    print_prompt: bool
    abstain: bool
    options: dict[str, Any]

    @property
    def retrieval(self) -> dict[str, Any]:
        picked = {name: self.options[name] for name in ("k", "scope", "backend", "rerank")}
        return {name: value for name, value in picked.items() if value is not None}


def _asked(words: Sequence[str], file: str | None) -> tuple[list[Question], tuple[str, ...]]:
    if file is not None:
        return read_questions(file), tuple(words)
    if not words:
        raise UsageError("there is no question", hint='gw ask "QUESTION" [PATH]... or gw ask --questions FILE')
    return [Question(question_text(words[0]))], tuple(words[1:])


def _answers(
    workspace: Workspace, questions: Sequence[Question], call: _Call, ingesting: Ingesting
) -> Iterator[tuple[Question, Answer]]:
    reader = {"reader": call.options["reader"], "pattern": call.options["pattern"], "abstain": call.abstain}
    for number, one in enumerate(questions):
        # The files are read once; for the other questions PATHs only say where to look.
        ingest = ingesting.options if number == 0 else {"ingest": False}
        yield one, workspace.ask(one.text, call.paths, **call.retrieval, **reader, **ingest)


def _write(
    session: Session,
    workspace: Workspace,
    answers: Iterator[tuple[Question, Answer]],
    ingesting: Ingesting,
    many: bool,
) -> int:
    console = session.console
    results = []
    code = 0
    for number, (question, answer) in enumerate(answers):
        if not answer.trusted:
            code = NOT_TRUSTED
        for note in answer.notes:
            console.say(f"gw: {note}")
        if console.format == "text":
            if many:
                console.line(("\n" if number else "") + one_line(f"{question.name}: {question.text}"))
            write_answer(console, answer)
        else:
            report = ingesting.report if number == 0 or not many else None
            result = answer_result(answer, report, workspace.warnings)
            if many:
                result["id"] = question.id
            if console.format == "jsonl" or not many:
                console.item(result)
            else:
                results.append(result)
        if console.closed:
            break
    if console.format == "json" and many:
        console.item({"schema": "gw.answers/1", "answers": results})
    return code


def _print_prompts(
    session: Session, workspace: Workspace, questions: Sequence[Question], call: _Call, ingesting: Ingesting
) -> int:
    console = session.console
    prompts = []
    for number, one in enumerate(questions):
        ingest = ingesting.options if number == 0 else {"ingest": False}
        text = workspace.prompt(one.text, call.paths, **call.retrieval, **ingest)
        result = {"schema": "gw.prompt/1", "question": one.text, "prompt": text}
        if one.from_file:
            result["id"] = one.id
        if console.format == "text":
            console.write(printable(text) if console.is_terminal else text)
        elif console.format == "jsonl" or not one.from_file:
            console.item(result)
        else:
            prompts.append(result)
    if prompts:
        console.item({"schema": "gw.prompts/1", "prompts": prompts})
    return 0
