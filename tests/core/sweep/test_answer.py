"""Figures as sentences: ties are ties, numbers are exact, and what was not read makes every count a lower bound."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gw_core.records import Field, Recipe, Reduction
from gw_core.sweep.answer import answer, sentence

RECIPE = Recipe(fields=(Field("hours", "number", unit="h"), Field("status", "choice")))


def result(*rows: dict[str, Any], total: int = 120, **rest: Any) -> dict[str, Any]:
    return {"rows": list(rows), "total": total, "missing": 0, "unusable": 0, "more": 0, **rest}


def says(reducer: str, found: dict[str, Any], complete: bool = True, **settings: Any) -> str:
    return sentence(
        Reduction(reducer, settings, f"{reducer} {' '.join(map(str, settings.values()))}"), found, RECIPE, complete
    )


def row(value: Any, count: int, **rest: Any) -> dict[str, Any]:
    return {"value": value, "count": count, **rest}


BY_OWNER = (row(Decimal("5"), 2, by="ann"), row(Decimal("7.5"), 1, by="bob"))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            says("least", result(row("beta", 3)), field="status"),
            "The least common status is beta: 3 of 120 records.",
        ),
        (
            says("most", result(row("a", 9), row("b", 9)), field="status"),
            "The most common values of status are a, b, which tie: 9 of 120 records each.",
        ),
        (says("count", result({"count": 1200}, total=1200)), "There are 1,200 records."),
        (says("count", result({"count": 3}, total=3), where="status=beta"), "There are 3 records with status=beta."),
        (
            says("sum", result(row(Decimal("12.50"), 7), total=7), field="hours"),
            "The sum of hours is 12.50 h, of 7 records.",
        ),
        (
            says("sum", result(*BY_OWNER, total=3), field="hours", by="owner"),
            "sum hours owner: ann: 5 h, bob: 7.5 h, of 3 records.",
        ),
        (
            says("tally", result(*(row(one, 1) for one in "abcdefg"), more=2), field="status"),
            "tally status: a 1, b 1, c 1, d 1, e 1 and 4 more, of 120 records.",
        ),
        (says("least", result(total=0), field="status"), "least status: there is no record to go by."),
        (
            says("max", result(row(Decimal("1E+3"), 1), total=4, missing=2, unusable=1), field="hours"),
            "The greatest hours is 1000 h, of 4 records."
            " 2 of the records have no hours. 1 have one that cannot be used.",
        ),
        (
            says("strange", result({"by": "x", "distinct": 4, "count": 9}), field="status"),
            "strange status: x: 4, of 120 records.",
        ),
    ],
)
def test_what_a_figure_says(said: str, expected: str) -> None:
    assert said == expected


def test_where_not_all_was_read_counts_are_lower_bounds() -> None:
    found = result(row("beta", 3))
    assert says("least", found, complete=False, field="status") == (
        "The least common status is beta: at least 3 of at least 120 records."
    )
    assert says("count", result({"count": 4}, total=4), complete=False) == "There are at least 4 records."


def test_an_answer_has_a_line_for_each_reduction_in_the_recipes_order() -> None:
    reduce = (Reduction("count", {}, "count"), Reduction("least", {"field": "status"}, "least status"))
    recipe = Recipe(reduce=reduce)
    results = {"least status": result(row("b", 1), total=2), "count": result({"count": 2}, total=2)}
    assert answer(recipe, results, True).splitlines() == [
        "There are 2 records.",
        "The least common status is b: 1 of 2 records.",
    ]
