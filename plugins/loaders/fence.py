"""Fences around preformatted text."""

from __future__ import annotations

import re

_RUN = re.compile("`{3,}")


def fence_for(text: str) -> str:
    """Backticks, three at least, and more than stand in one row in ``text``.

    >>> fence_for("a ``` b")
    '````'
    """
    return "`" * max(3, 1 + max(map(len, _RUN.findall(text)), default=0))
