"""Running ``gw`` as a user does, in a folder of the test's own: in this process, or as a process that can be killed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gw_core.cli import cli


@dataclass(frozen=True)
class Ran:
    """How a command ended. ``failure`` is its one line on stderr; reading it checks that it is one."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.split("\n") if line]

    @property
    def failure(self) -> str:
        assert self.code in (1, 2, 3), (self.code, self.out, self.err)
        assert "Traceback" not in self.err
        assert "internal error" not in self.err, self.err
        errors = [line for line in self.err.splitlines() if line.startswith("gw: error: ")]
        assert len(errors) == 1, self.err
        assert self.err.splitlines()[-1] == errors[0]
        return errors[0]

    @property
    def paths(self) -> list[str]:
        """The paths of a search's hits, best first."""
        return [hit["path"] for hit in self.json["hits"]]


Gw = Callable[..., Ran]


@pytest.fixture
def gw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gw:
    """``gw(*arguments, stdin="...")`` in ``tmp_path``, untouched by the tester's environment."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("GW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GW_CONFIG", "")

    def run(*arguments: object, stdin: str = "") -> Ran:
        out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape"))))
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            code = cli.main([str(one) for one in arguments], standalone_mode=False)
        return Ran(code, *(_written(stream) for stream in (out, err)))

    return run


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@pytest.fixture
def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GW_")}
    return {**kept, "GW_CONFIG": ""}


@pytest.fixture
def process(tmp_path: Path, environment: dict[str, str]) -> Callable[..., subprocess.Popen[bytes]]:
    """``process(*arguments)`` starts ``gw`` as a process of its own in ``tmp_path``."""

    def start(*arguments: str | bytes, **options: Any) -> subprocess.Popen[bytes]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": tmp_path, "env": environment, **options}
        return subprocess.Popen([sys.executable, "-m", "gw_core", *arguments], **options)

    return start


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """``write(path, content)`` makes a file below ``tmp_path``; text is written as UTF-8, line ends as they are."""

    def make(path: str, content: str | bytes) -> Path:
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    return make
