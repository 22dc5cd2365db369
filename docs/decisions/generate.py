"""Writes docs/decisions/README.md: the list of all decisions, from their first lines. A test checks the same.

python docs/decisions/generate.py
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent

_HEAD = """\
# Decisions

Choices that are hard to undo: the context, what was chosen, what was rejected, and what was measured. This list is
written by `docs/decisions/generate.py`.

"""


def records() -> list[Path]:
    return sorted(HERE.glob("[0-9]*.md"))


def title(record: Path) -> str:
    """The title of a record without its number."""
    first = record.read_text("utf-8").partition("\n")[0]
    return re.sub(r"^# *(\d+[.:]? *)?", "", first)


def page() -> str:
    lines = [f"- [{int(one.name[:4])}]({one.name}): {title(one)}" for one in records()]
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "README.md").write_text(page(), encoding="utf-8")
