"""What FTS5 is asked for when a query says one word many times."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gw_core.query import parse
from gw_plugins.backends.fts5_expression import MOST_REPEATS, Planner


def known(stems: Iterable[str]) -> set[str]:
    return set(stems)


@pytest.mark.parametrize(("times", "weight"), [(1, 1), (2, 2), (MOST_REPEATS, MOST_REPEATS), (50_000, MOST_REPEATS)])
@pytest.mark.parametrize("word", ["harbour", "港", "ж"])
def test_a_repeated_word_counts_again_but_not_without_end(word: str, times: int, weight: int) -> None:
    planner = Planner(lambda _: 1, known)
    clauses = planner.clauses(parse(f"{word} " * times))
    assert max(clause.weight for clause in clauses) == weight
