"""A folder that came from a stranger, and ``gw`` run in it as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "cloned"
    made.mkdir()
    (made / "a.txt").write_text("The harbour is closed in winter.\n", encoding="utf-8")
    return made


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GW_", "PYTHON"))}
    return {**kept, "GW_CONFIG": "", "HOME": str(tmp_path)}


@pytest.fixture
def gw(folder: Path, environment: dict[str, str]) -> Run:
    """``gw(*arguments)`` as a process of its own in ``folder``."""

    def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gw_core", *arguments]
        given = {"cwd": folder, "env": environment, "capture_output": True, "text": True, "timeout": 60, **options}
        return subprocess.run(command, check=False, **given)  # type: ignore[call-overload, no-any-return]

    return run
