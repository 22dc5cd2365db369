from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from gw_plugins.reducers import timeline
from gw_plugins.reducers.timeline import Timeline

STAMP = "2024-05-01T13:07:59.250Z"


@pytest.mark.parametrize(
    ("per", "unit"),
    [
        ("year", "2024"),
        ("month", "2024-05"),
        ("week", "2024-W18"),
        ("day", "2024-05-01"),
        ("hour", "2024-05-01T13"),
        ("minute", "2024-05-01T13:07"),
        ("second", "2024-05-01T13:07:59"),
    ],
)
def test_units(reduce, per, unit):
    result = reduce(Timeline("t", per=per), t=[STAMP, None, STAMP.replace("T", " ")])
    assert result == {
        "rows": [{"value": unit, "count": 2}],
        "total": 2,
        "missing": 1,
        "unusable": 0,
        "more": 0,
        "per": per,
    }


def test_units_come_in_the_order_of_time_and_groups_in_theirs(reduce):
    days = ["2024-05-02", "2024-05-01", "2024-05-02"]
    assert [row["value"] for row in reduce(Timeline("t"), t=days)["rows"]] == ["2024-05-01", "2024-05-02"]
    result = reduce(Timeline("t", by="g"), t=[*days, "x"], g=["b", "b", "a", "a"])
    assert [(row["by"], row["value"]) for row in result["rows"]] == [
        ("a", "2024-05-02"),
        ("b", "2024-05-01"),
        ("b", "2024-05-02"),
    ]
    assert (result["total"], result["unusable"]) == (3, 1)


def test_a_time_counts_where_it_is_written_whatever_its_zone(reduce):
    late = datetime(2024, 5, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    result = reduce(Timeline("t", per="hour"), t=[late, "2024-05-01 23:59:00+09:00"])
    assert result["rows"] == [{"value": "2024-05-01T23", "count": 2}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "2024-13-01",
        "2024-02-30",
        "2024-00-01",
        "0000-01-01",
        "20240501",
        "2024-05-011",
        "12024-05-01",
        "2024-5-1",
    ],
)
def test_what_is_no_day_is_set_apart(reduce, text):
    assert reduce(Timeline("t"), t=[text])["unusable"] == 1


def test_what_does_not_say_the_unit_is_set_apart(reduce):
    result = reduce(Timeline("t", per="hour"), t=[date(2024, 5, 1), "2024-05-01", "2024-05-01T24:00", Decimal(2024)])
    assert (result["rows"], result["unusable"]) == ([], 4)
    result = reduce(Timeline("t", per="year"), t=["2024", "2024-05", "2024 bottles", "20245", Decimal("2024.5")])
    assert (result["rows"], result["unusable"]) == ([{"value": "2024", "count": 2}], 3)


def test_it_forgets_units_rather_than_grow(reduce, monkeypatch):
    monkeypatch.setattr(timeline, "_CACHED", 2)
    days = [f"2024-05-{day:02}" for day in range(1, 32)] * 2
    reducer = Timeline("t")
    for at in range(0, len(days), 4):
        reduce(reducer, t=days[at : at + 4])
    assert len(reducer._units) <= 6
    assert [row["count"] for row in reducer.result()["rows"]] == [2] * 31


def test_an_unknown_unit_is_refused():
    with pytest.raises(ValueError, match="year, month"):
        Timeline("t", per="fortnight")
