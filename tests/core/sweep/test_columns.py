"""Fields that need no reader: exact values, exact spans, and no pattern that hangs."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.records import Batch, Field, Recipe, Split
from gw_core.sweep.columns import TOO_SLOW, Columns, within
from gw_core.sweep.plan import plan

LOG = "ticket 7 status: beta 1,250.50 h 3.4.2024\n\nnote\nticket 8 status: alpha 2 h\nticket 9 x\n"


def read(text: str, recipe: Recipe, *, target: int = 60_000, **options: Any) -> list[Batch]:
    columns = Columns(recipe)
    return [columns.read(one, **options) for one in plan("a.log", [text], recipe.split, target=target)]


def pattern(name: str, text: str, **rest: Any) -> Field:
    return Field(name, "pattern", pattern=text, **rest)


RECIPE = Recipe(
    fields=(
        pattern("id", r"ticket (\d+)", number=True),
        pattern("status", r"status: (?P<status>\w+)"),
        pattern("hours", r"(?P<value>[\d.,]+) h", number=True, unit="h"),
        pattern("day", r"\d+\.\d+\.\d{4}", format="%d.%m.%Y"),
    ),
    when="ticket",
)


def test_the_fields_of_the_records_that_when_keeps() -> None:
    [batch] = read(LOG, RECIPE, spans=True)
    assert [LOG[start:end] for start, end in zip(batch.starts, batch.ends, strict=True)] == [
        "ticket 7 status: beta 1,250.50 h 3.4.2024",
        "ticket 8 status: alpha 2 h",
        "ticket 9 x",
    ]
    assert batch.columns == {
        "id": [Decimal(7), Decimal(8), Decimal(9)],
        "status": ["beta", "alpha", None],
        "hours": [Decimal("1250.50"), Decimal(2), None],
        "day": [date(2024, 4, 3), None, None],
    }
    assert str(batch.columns["hours"][0]) == "1250.50"
    said = [[None if span is None else LOG[slice(*span)] for span in batch.spans[name] or ()] for name in batch.spans]
    assert said == [["7", "8", "9"], ["beta", "alpha", None], ["1,250.50", "2", None], ["3.4.2024", None, None]]


@given(st.integers(5, 200))
def test_how_a_document_is_cut_makes_no_difference(target: int) -> None:
    whole = read(LOG * 5, RECIPE, spans=True)[0]
    parts = read(LOG * 5, RECIPE, target=target, spans=True)
    assert [one for part in parts for one in part.starts] == list(whole.starts)
    for name, column in whole.columns.items():
        assert [one for part in parts for one in part.columns[name]] == list(column)
        assert [one for part in parts for one in part.spans[name] or ()] == list(whole.spans[name] or ())


def test_a_text_that_is_no_number_or_day_makes_its_record_one_that_does_not_count() -> None:
    recipe = Recipe(fields=(pattern("n", r"n=(\S+)", number=True), pattern("d", r"d=(\S+)", format="%Y")))
    [batch] = read("n=1 d=2024\nn=1,5 d=2024\nn=2 d=20xx\nn= d=\n", recipe)
    assert batch.columns["n"] == [Decimal(1), None, Decimal(2), None]
    assert batch.unsupported == {1: "'1,5' is no number for n", 2: "'20xx' is no date %Y for d"}


def test_csv_columns_and_json_paths() -> None:
    text = 'who,what,n\r\na,"say ""hi""\nthere",3\r\nb,,\r\n'
    recipe = Recipe(Split("csv"), (Field("name", "column", column="who"), Field("said", "column", column="what")))
    [batch] = read(text, recipe, header=("who", "what", "n"))
    assert batch.columns == {"name": ["a", "b"], "said": ['say "hi"\nthere', ""]}
    assert read(text, recipe, header=("x",))[0].columns["name"] == [None, None]
    lines = '{"user": {"name": "ann", "ids": [1, 2.50]}, "ok": true}\nnot json\n{"user": [], "ok": {"a": 1}}\n'
    recipe = Recipe(
        Split("jsonl"),
        (
            Field("name", "path", path="user.name"),
            Field("id", "path", path="user.ids[1]", number=True),
            Field("ok", "path", path="ok"),
        ),
    )
    [batch] = read(lines, recipe)
    assert batch.columns == {
        "name": ["ann", None, None],
        "id": [Decimal("2.50"), None, None],
        "ok": ["true", None, '{"a": "1"}'],
    }


def test_a_pattern_that_backtracks_for_ever_names_the_record_it_expired_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gw_core.sweep.columns.SEGMENT_SECONDS", 0.1)
    recipe = Recipe(fields=(pattern("x", r"^(a+)+$"),))
    [batch] = read("aaa\n" + "a" * 60 + "!\nb\naa\n", recipe)
    assert batch.unsupported == {1: TOO_SLOW}
    assert batch.columns["x"] == ["aaa", None, None, "aa"]


def test_a_limit_lets_go_of_the_clock() -> None:
    assert within(5, lambda: 7) == (True, 7)
    with pytest.raises(KeyError):
        within(5, lambda: {}["x"])
