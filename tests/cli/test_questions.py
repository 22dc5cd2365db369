"""The file of many questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from gw_core.cli.questions import Question, read_questions
from gw_core.errors import NotFoundError, UsageError


def write(folder: Path, text: str | bytes) -> str:
    path = folder / "q.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_ids_are_carried_whatever_they_are(tmp_path: Path) -> None:
    file = write(tmp_path, '\ufeff{"id": {"a": [1]}, "question": "one?"}\n\n{"question": "two?", "extra": 1}\r\n')
    assert read_questions(file) == [Question("one?", {"a": [1]}, 1), Question("two?", None, 3)]


def test_a_line_separator_inside_a_question_does_not_end_the_line(tmp_path: Path) -> None:
    [one] = read_questions(write(tmp_path, '{"question": "one\u2028two\x85three?"}'))
    assert one.text == "one\u2028two\x85three?"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('"what?"', "not an object with a text 'question'"),
        ('{"question": 1}', "not an object with a text 'question'"),
        ('{"id": 1}', "not an object with a text 'question'"),
        ('{"question": " ?! "}', "no word in the question"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    file = write(tmp_path, '{"question": "fine?"}\n' + line)
    with pytest.raises(UsageError, match=f"q.jsonl:2: .*{said}"):
        read_questions(file)


def test_no_file_and_no_question_are_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_questions(str(tmp_path / "none"))
    with pytest.raises(UsageError, match="cannot be read"):
        read_questions(str(tmp_path))
    with pytest.raises(UsageError, match="no question in it"):
        read_questions(write(tmp_path, "\n \n"))


def test_bytes_that_are_not_utf_8_do_no_harm(tmp_path: Path) -> None:
    [one] = read_questions(write(tmp_path, b'{"question": "caf\xe9 hours?"}'))
    assert one.text == "caf\udce9 hours?"
