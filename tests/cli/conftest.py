"""Running ``gw`` in this process, in a folder of the test's own."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gw_core.cli import cli


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


Gw = Callable[..., Ran]


@pytest.fixture
def gw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gw:
    """``gw(*arguments, stdin="...", terminal=False)`` in ``tmp_path``, untouched by the tester's environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("GW_ROOT", "GW_INDEX", "GW_OPTIONS", "GW_ALLOW_HOSTS", "GW_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GW_CONFIG", "")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str, stdin: str | bytes = "", terminal: bool = False) -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        kind = Terminal if terminal else io.TextIOWrapper
        out, err = kind(io.BytesIO()), kind(io.BytesIO())
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            code = cli.main(list(arguments), standalone_mode=False)
        return Ran(code, *(_written(stream) for stream in (out, err)))

    return run


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


MANUAL = """\
# Operations manual

## Logs

The gateway writes one log file a day. Access logs are kept for 90 days on the archive volume, and are then deleted.
Nobody can shorten that period.

## Ports

The admin console listens on port 8443. The metrics exporter listens on port 9187.

## People

Marie Curie designed the backup schedule in 1911.
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """``docs`` with a manual and notes, and a file that is no text."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "manual.md").write_text(MANUAL, encoding="utf-8")
    (docs / "notes.txt").write_text(
        "Penguins huddle together in winter.\n\nThe ferry leaves at noon from the northern pier.\n", encoding="utf-8"
    )
    (docs / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    return docs


@pytest.fixture(scope="session")
def checked(validator: Callable[[str], jsonschema.Draft202012Validator]) -> Callable[[Any], Any]:
    """``checked(value)`` returns the object if it is all that its schema says, and nothing that it doesn't."""

    def check(value: Any) -> Any:
        validator(value["schema"].replace("/", "-") + ".json").validate(value)
        return value

    return check
