"""The file of ``gw ask --questions``: one JSON object a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gw_core.cli.options import from_stdin
from gw_core.errors import NotFoundError, UsageError


@dataclass(frozen=True, slots=True)
class Question:
    """``id`` is whatever the file has, carried through to the answer; ``line`` is its line there, 0 if typed."""

    text: str
    id: Any = None
    line: int = 0

    @property
    def from_file(self) -> bool:
        return self.line > 0

    @property
    def name(self) -> str:
        return str(self.line) if self.id is None else str(self.id)


def read_questions(file: str) -> list[Question]:
    """All questions of a file (``-``: standard input), each line checked before any is asked.

    Blank lines are passed over. Raises UsageError naming file and line.
    """
    name = "standard input" if file == "-" else file
    text = from_stdin("the questions") if file == "-" else _read(file)
    found = [_question(line, number, name) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not found:
        raise UsageError(f"{name}: there is no question in it")
    return found


def _read(file: str) -> str:
    try:
        data = Path(file).read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{file!r} does not exist") from None
    except OSError as error:
        raise UsageError(f"{file!r} cannot be read: {error.strerror}") from error
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _question(line: str, number: int, name: str) -> Question:
    from gw_core.query import parse  # noqa: PLC0415

    where = f"{name}:{number}"
    example = 'a line is {"id": 1, "question": "how long are logs kept?"}'
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON: {error}", hint=example) from error
    if not isinstance(value, dict) or not isinstance(value.get("question"), str):
        raise UsageError(f"{where}: not an object with a text 'question'", hint=example)
    if not parse(value["question"]).terms:
        raise UsageError(f"{where}: there is no word in the question {value['question']!r}")
    return Question(value["question"], value.get("id"), number)
