"""A query: the user's own words, and the folded terms that the index knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """``text`` as typed; ``terms`` folded, in order, repeated words kept."""

    text: str
    terms: tuple[str, ...]
