from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from gw_plugins.reducers.extremes import First, Last, Max, Min

MIXED = ["9", "10", Decimal(9), Decimal(10), date(2024, 5, 1), datetime(2024, 5, 1), "é"]  # noqa: DTZ001


def values(result):
    return [row["value"] for row in result["rows"]]


def test_the_whole_shape(reduce):
    assert reduce(Max("n"), n=[Decimal(9), None, Decimal("10.0")]) == {
        "rows": [{"value": Decimal("10.0"), "count": 2}],
        "total": 2,
        "missing": 1,
        "unusable": 0,
        "more": 0,
    }


def test_text_is_compared_as_text_and_numbers_by_size(reduce):
    assert values(reduce(Max("n"), n=["9", "10"])) == ["9"]
    assert values(reduce(Max("n"), n=[Decimal(9), Decimal(10)])) == [10]
    assert values(reduce(Min("n"), n=["é", "z", "Z"])) == ["Z"]


def test_days_and_times_are_text_in_the_result(reduce):
    assert values(reduce(Min("d"), d=[date(2024, 5, 2), date(2024, 5, 1)])) == ["2024-05-01"]


def test_values_of_several_kinds_have_an_order_too(reduce):
    for order in (MIXED, MIXED[::-1]):
        assert values(reduce(Min("n"), n=order)) == [9]
        assert values(reduce(Max("n"), n=order)) == ["é"]
        assert values(reduce(Max("n", by="g"), n=order, g=["x"] * 7)) == ["é"]


def test_the_first_and_the_last_are_those_that_have_a_value(reduce):
    times = [None, "12:30", "11:00", "13:00", None]
    assert values(reduce(First("t"), t=times)) == ["12:30"]
    assert values(reduce(Last("t"), t=times)) == ["13:00"]
    assert values(reduce(First("t"), t=[None, None])) == []


def test_groups_come_in_their_order(reduce):
    columns = {"t": ["5", "1", "3", "2"], "g": ["b", "a", "b", None]}
    first = reduce(First("t", by="g"), **columns)
    assert [tuple(row.values()) for row in first["rows"]] == [("a", "1", 1), ("b", "5", 2)]
    assert first["missing"] == 1
    assert values(reduce(Last("t", by="g"), **columns)) == ["1", "3"]
    assert reduce(Last("t", by="g", limit=1), **columns)["more"] == 1


def test_of_equal_values_the_first_one_is_shown(reduce):
    same = [Decimal("2.50"), Decimal("2.5")]
    assert [str(one) for one in values(reduce(Max("n"), n=same)) + values(reduce(Min("n"), n=same))] == ["2.50"] * 2
