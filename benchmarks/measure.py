"""Running a piece of work in a process of its own and reading what it cost."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Timer:
    """CPU seconds (user and system, all threads) and wall seconds between ``with`` and its end."""

    def __enter__(self) -> Timer:
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *exc: object) -> None:
        self.cpu, self.wall = time.process_time() - self._cpu, time.perf_counter() - self._wall


def peak_rss() -> float:
    """The most memory that this process had at any moment, in MB. Not ru_maxrss where it can be avoided: that one
    starts with what the parent had."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(next(line for line in status.read_text().splitlines() if line.startswith("VmHWM")).split()[1]) / 1000
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most / 1000


class ChildError(RuntimeError):
    """A piece of work failed in its process, or took too long; the text is what that process had to say."""


def call_child(
    script: str, piece: str, *args: object, within: float | None = None, **keywords: object
) -> dict[str, Any]:
    """Run ``script --piece NAME``: see :func:`run_piece`. Its result, with ``rss`` added, in MB.

    Raises ChildError, also after ``within`` seconds.
    """
    call = [sys.executable, script, "--piece", piece, json.dumps([list(args), keywords], default=str)]
    try:
        done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=within)
    except subprocess.TimeoutExpired:
        raise ChildError(f"{piece} took longer than {within:g} s") from None
    if done.returncode:
        raise ChildError(done.stderr.strip() or f"{piece} ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def in_child(script: str, piece: str, *args: object, **keywords: object) -> dict[str, Any]:
    """:func:`call_child`, where a failure ends the program."""
    try:
        return call_child(script, piece, *args, **keywords)
    except ChildError as error:
        sys.exit(f"{piece} failed:\n{error}")


def run_piece(pieces: dict[str, Callable[..., dict[str, Any]]]) -> None:
    """In a script's main part: if it was called by :func:`in_child`, do that piece and end."""
    if sys.argv[1:2] == ["--piece"]:
        args, keywords = json.loads(sys.argv[3])
        result = pieces[sys.argv[2]](*args, **keywords)
        print(json.dumps({**result, "rss": peak_rss()}))
        sys.exit(0)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least ``share`` of them don't exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


class Table:
    """Figures beside their references; the last column says whether each is reached."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str, str]] = []

    def add(self, what: str, figure: str, reference: str = "", reached: bool | None = None) -> None:
        self._rows.append((what, figure, reference, {True: "yes", False: "NO", None: ""}[reached]))

    def show(self) -> None:
        rows = [("what", "figure", "reference", "reached"), *self._rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for number, row in enumerate(rows):
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
            if not number:
                print("  ".join("-" * width for width in widths))

    @property
    def failed(self) -> bool:
        return any(row[3] == "NO" for row in self._rows)
