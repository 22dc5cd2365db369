from __future__ import annotations

import statistics
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core import spill
from gw_core.records import Batch
from gw_plugins.reducers.median import Median

decimals = st.decimals(-100, 100, places=2)


def test_the_whole_shape(reduce):
    assert reduce(Median("n"), n=[Decimal(3), Decimal("1.5"), None, "x", Decimal(2), Decimal(10)]) == {
        "rows": [{"value": Decimal("2.5"), "lower": Decimal(2), "upper": Decimal(3), "count": 4}],
        "total": 4,
        "missing": 1,
        "unusable": 1,
        "more": 0,
    }


def test_no_numbers_have_no_median(reduce):
    assert reduce(Median("n"), n=[None, "x"])["rows"] == []


def test_the_mean_of_both_in_the_middle_is_exact(reduce):
    numbers = [Decimal("1" * 40), Decimal("1" * 39 + "2")]
    assert str(reduce(Median("n"), n=numbers)["rows"][0]["value"]) == "1" * 40 + ".5"


@given(st.lists(st.tuples(st.sampled_from("ab"), decimals), min_size=1), st.integers(0, 3))
def test_medians_are_those_of_the_standard_library(records, keys):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "KEYS", keys)
        groups, numbers = zip(*records, strict=True)
        for by in (None, "g"):
            reducer = Median("n", by=by)
            reducer.add(Batch("a", range(len(groups)), range(len(groups)), {"g": groups, "n": numbers}))
            for row in reducer.result()["rows"]:
                mine = sorted(n for g, n in records if row.get("by", g) == g)
                assert row["count"] == len(mine)
                assert (row["lower"], row["upper"]) == (statistics.median_low(mine), statistics.median_high(mine))
                assert Fraction(row["value"]) == (Fraction(row["lower"]) + Fraction(row["upper"])) / 2
