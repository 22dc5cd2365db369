"""Count, distinct, list and join: each a few lines over what the others rest on."""

from __future__ import annotations

from datetime import date

from gw_plugins.reducers.count import Count
from gw_plugins.reducers.distinct import Distinct
from gw_plugins.reducers.join import Join
from gw_plugins.reducers.listing import List

STATUS = ["a", "b", None, "a", "c", "a"]
OWNER = ["x", "x", "x", None, "y", "y"]


def rows(result):
    return [tuple(row.values()) for row in result["rows"]]


def test_records_are_counted(reduce):
    result = reduce(Count(), s=STATUS)
    assert result == {"rows": [{"count": 6}], "total": 6, "missing": 0, "unusable": 0, "more": 0}
    assert reduce(Count(), s=[])["rows"] == [{"count": 0}]
    assert rows(reduce(Count(where="s=a"), s=STATUS)) == [(3,)]


def test_records_with_a_value_are_counted(reduce):
    result = reduce(Count("s"), s=STATUS)
    assert (rows(result), result["missing"]) == ([(5,)], 1)


def test_records_are_counted_by_group(reduce):
    result = reduce(Count(by="o"), o=OWNER)
    assert (rows(result), result["total"], result["missing"]) == ([("x", 3), ("y", 2)], 5, 1)
    result = reduce(Count("s", by="o", limit=1), s=STATUS, o=OWNER)
    assert (rows(result), result["total"], result["missing"], result["more"]) == ([("x", 2)], 4, 2, 1)


def test_different_values_are_listed_and_their_number_told(reduce):
    result = reduce(Distinct("s", limit=2), s=STATUS)
    assert (rows(result), result["distinct"], result["more"], result["total"]) == ([("a", 3), ("b", 1)], 3, 1, 5)


def test_the_group_with_the_most_different_values_comes_first(reduce):
    result = reduce(Distinct("s", by="o"), s=["a", "a", "b", "c", None], o=["x", "x", "y", "y", "y"])
    assert (rows(result), result["distinct"], result["missing"]) == ([("y", 2, 2), ("x", 1, 2)], 3, 1)


def test_a_list_keeps_order_and_repetitions(reduce):
    result = reduce(List("s"), s=STATUS)
    assert ([row["value"] for row in result["rows"]], result["missing"]) == (["a", "b", "a", "c", "a"], 1)
    result = reduce(List("s", by="o"), s=STATUS, o=OWNER)
    assert (rows(result), result["missing"]) == ([("x", "a"), ("x", "b"), ("y", "c"), ("y", "a")], 2)
    assert rows(reduce(List("d"), d=[date(2024, 5, 1)])) == [("2024-05-01",)]


def test_a_list_says_how_many_it_left_out(reduce):
    for reducer, more, missing in ((List("s", limit=2), 3, 1), (List("s", by="o", limit=2), 2, 2)):
        result = reduce(reducer, s=STATUS, o=OWNER)
        assert (len(result["rows"]), result["more"], result["missing"]) == (2, more, missing)


def test_pairs_are_ranked_by_their_count(reduce):
    result = reduce(Join("s", "o"), s=["b", "a", "b", "a", None], o=["x", "y", "x", "x", "x"])
    assert result == {
        "rows": [
            {"value": "b", "other": "x", "count": 2},
            {"value": "a", "other": "x", "count": 1},
            {"value": "a", "other": "y", "count": 1},
        ],
        "total": 4,
        "missing": 1,
        "unusable": 0,
        "more": 0,
        "distinct": 3,
    }
