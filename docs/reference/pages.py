"""What the scripts beside this one share: heads of pages, cells of tables, and writing or checking the pages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).parent


def head(name: str) -> str:
    """How a page begins."""
    return (HERE / "parts" / name).read_text("utf-8")


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(script: str, pages: Mapping[str, Callable[[], str]]) -> int:
    """Writes what is out of date; with ``--check`` says what is, and how to write it. Returns the exit status."""
    stale = {name: text for name, page in pages.items() if _read(HERE / name) != (text := page())}
    if "--check" in sys.argv[1:]:
        for name in stale:
            sys.stderr.write(f"{HERE / name} is out of date: python docs/reference/{Path(script).name}\n")
        return 1 if stale else 0
    for name, text in stale.items():
        (HERE / name).write_text(text, encoding="utf-8")
    return 0


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None
