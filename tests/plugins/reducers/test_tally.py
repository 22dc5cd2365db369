from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import ConfigError, PluginError, UsageError
from gw_core.plugins import Plugins, find_entry_points
from gw_core.records import Batch
from gw_core.schema import Setting, check_settings
from gw_plugins.reducers.tally import Least, Most, Tally, Top

STATUS = ["alpha", "beta", "alpha", None, "gamma", "beta", "alpha"]


def pairs(result):
    return [(row["value"], row["count"]) for row in result["rows"]]


def test_the_whole_shape(reduce):
    assert reduce(Tally("status"), status=STATUS) == {
        "rows": [
            {"value": "alpha", "count": 3},
            {"value": "beta", "count": 2},
            {"value": "gamma", "count": 1},
        ],
        "total": 6,
        "missing": 1,
        "unusable": 0,
        "more": 0,
    }


def test_equal_counts_come_in_the_order_of_values(reduce):
    assert pairs(reduce(Tally("s"), s=["b", "ä", "a", "B", "東"])) == [(one, 1) for one in "Babä東"]
    numbers = [Decimal(10), Decimal(9), Decimal("-1")]
    assert pairs(reduce(Tally("s"), s=numbers)) == [(one, 1) for one in sorted(numbers)]


def test_groups_come_in_their_order_and_without_what_is_missing(reduce):
    owner = ["y", "x", "y", "x", None, "x", "x"]
    result = reduce(Tally("status", by="owner"), status=STATUS, owner=owner)
    assert [tuple(row.values()) for row in result["rows"]] == [
        ("x", "beta", 2),
        ("x", "alpha", 1),
        ("y", "alpha", 2),
    ]
    assert (result["total"], result["missing"]) == (5, 2)


def test_what_is_allowed_and_does_not_occur_counts_nothing(reduce):
    assert pairs(reduce(Tally("s", of=("a", "c", "b")), s=["a", "z"])) == [("a", 1), ("z", 1), ("b", 0), ("c", 0)]
    assert pairs(reduce(Least("s", of=("a", "c", "b")), s=["a", "z"])) == [("b", 0), ("c", 0)]
    assert pairs(reduce(Least("s", of=("a", "z")), s=["a", "z", "z"])) == [("a", 1)]
    assert pairs(reduce(Least("s", of=("b", "a")), s=[])) == [("a", 0), ("b", 0)]


def test_the_rarest_and_the_most_frequent_share_their_place(reduce):
    least = reduce(Least("s"), s=list("aabbbcc"))
    assert (pairs(least), least["ties"]) == ([("a", 2), ("c", 2)], 2)
    most = reduce(Most("s"), s=list("aabbbcc"))
    assert (pairs(most), most["ties"]) == ([("b", 3)], 0)
    assert reduce(Most("s"), s=[None, None])["rows"] == []


def test_the_rarest_of_each_group(reduce):
    result = reduce(Least("s", by="g"), s=list("aabxxy"), g=list("111222"))
    assert [(row["by"], row["value"], row["count"]) for row in result["rows"]] == [("1", "b", 1), ("2", "y", 1)]
    assert result["ties"] == 0


def test_a_tie_at_the_edge_of_the_top_is_shown_whole(reduce):
    letters = list("aaabbccdde")
    assert pairs(reduce(Top("s", n=1), s=letters)) == [("a", 3)]
    result = reduce(Top("s", n=2), s=letters)
    assert (pairs(result), result["ties"]) == ([("a", 3), ("b", 2), ("c", 2), ("d", 2)], 3)
    result = reduce(Top("s", n=4), s=letters)
    assert (len(result["rows"]), result["ties"]) == (4, 0)
    assert len(reduce(Top("s", n=50), s=letters)["rows"]) == 5


def test_rows_beyond_the_limit_are_told_and_change_nothing(reduce):
    values = [f"{at:04}" for at in range(500)] * 2 + ["0007", "extra"]
    result = reduce(Tally("s", limit=2), s=values)
    assert (pairs(result), result["more"], result["total"]) == ([("0007", 3), ("0000", 2)], 499, 1002)
    assert pairs(reduce(Most("s", limit=1), s=values)) == [("0007", 3)]
    result = reduce(Least("s", limit=1), s=[*values, "other"])
    assert (pairs(result), result["more"], result["ties"]) == ([("extra", 1)], 1, 2)
    assert reduce(Tally("s", by="g", limit=3), s=list("abcd"), g=list("1122"))["more"] == 1


@pytest.mark.parametrize(
    ("where", "left"),
    [
        ("status=alpha", 3),
        (" status = alpha ", 3),
        ("status=Alpha", 0),
        ("hours=2", 2),
        ("hours=2.000", 2),
        ("hours=NaN", 0),
        ("day=2024-05-01", 1),
        ("day=2024-05-01T12:30", 1),
        ("day=2024-05-01T12:30:00Z", 1),
        ("text=a=b", 1),
        ("text=", 1),
    ],
)
def test_only_records_of_a_value_are_counted(reduce, where, left):
    columns = {
        "status": STATUS,
        "hours": [Decimal("2.0"), Decimal(2), Decimal(3), None, Decimal(4), Decimal(5), Decimal(6)],
        "day": [
            date(2024, 5, 1),
            datetime(2024, 5, 1, 12, 30),  # noqa: DTZ001
            datetime(2024, 5, 1, 12, 30, tzinfo=timezone.utc),
            *[None] * 4,
        ],
        "text": ["a=b", "", *[None] * 5],
        "one": ["x"] * 7,
    }
    result = reduce(Tally("one", where=where), **columns)
    assert (result["total"], result["missing"]) == (left, 0)


@pytest.mark.parametrize("where", ["", "status", "=alpha", "2"])
def test_a_condition_that_is_none_is_refused(where):
    with pytest.raises(ValueError, match="FIELD=VALUE"):
        Tally("status", where=where)


def test_a_field_that_no_record_has_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="did you mean 'status'"):
        Tally("statsu").add(Batch("a", [0], [1], {"status": ["x"]}))
    with pytest.raises(ValueError, match="empty"):
        Tally("")


def test_fields_are_named_once():
    assert tuple(Tally("s", by="g", where="s=x").fields) == ("g", "s")


def test_states_of_other_settings_are_not_taken_over():
    with pytest.raises(PluginError):
        Tally("s").merge(Tally("s", by="g"))
    with pytest.raises(PluginError):
        Tally("s").merge(Most("s"))
    with pytest.raises(PluginError):
        Top("s", n=2).merge(Top("s", n=3))


def test_every_reducer_can_be_made_from_settings():
    registry = Plugins([one for one in find_entry_points() if one.distribution == "gw-toolkit"]).registry("reducers")
    known = "count distinct first join last least list max mean median min most sum tally timeline top total"
    assert sorted(registry.names()) == known.split()
    for one in registry:
        settings = {"field": Setting("hours"), "limit": Setting(5)}
        settings |= {"other": Setting("owner")} if one.name == "join" else {"by": Setting("owner")}
        made = one.build(**check_settings(one.load(), settings, section=f"reducers.{one.name}"))
        assert (made.identity.name, set(made.fields)) == (one.name, {"hours", "owner"})
        with pytest.raises(ConfigError):
            check_settings(one.load(), {"field": Setting("a"), "limit": Setting(0)}, section="x")


@given(st.lists(st.sampled_from("abcde")), st.integers(1, 6))
def test_places_are_those_of_the_counts(values, n):
    reducers = [Top("s", n=n), Most("s"), Least("s")]
    for one in reducers:
        one.add(Batch("a", range(len(values)), range(len(values)), {"s": values}))
    top, most, least = (dict(pairs(one.result())) for one in reducers)
    counts = Counter(values)
    ranked = sorted(counts.values(), reverse=True)
    assert top == {key: count for key, count in counts.items() if count >= ranked[:n][-1]}
    assert most == {key: count for key, count in counts.items() if count == max(ranked)}
    assert least == {key: count for key, count in counts.items() if count == min(ranked)}
