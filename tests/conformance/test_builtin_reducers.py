"""The conformance kit over the built-in reducers, with their settings."""

from __future__ import annotations

from decimal import Decimal

from gw_core.protocols import Reducer
from gw_core.testing import ReducerConformance
from gw_core.testing.reducers import NUMBERS, TEXTS, TIMES
from gw_plugins.reducers.count import Count
from gw_plugins.reducers.distinct import Distinct
from gw_plugins.reducers.extremes import First, Last, Max, Min
from gw_plugins.reducers.join import Join
from gw_plugins.reducers.listing import List
from gw_plugins.reducers.median import Median
from gw_plugins.reducers.tally import Least, Most, Tally, Top
from gw_plugins.reducers.timeline import Timeline
from gw_plugins.reducers.total import Mean, Sum, Total

STAMPS = (
    "2024-02-29",
    "2024-02-29T12:30:00Z",
    "2024-02-29 12:31",
    "2023-02-29T12:30",
    "2024-02-29T24:00:00",
    "2024",
    "20240229",
    "",
)


class TestTally(ReducerConformance):
    def make(self) -> Reducer:
        return Tally("status", of=("alpha", "delta"))


class TestTallyBy(ReducerConformance):
    values = (*TEXTS[:5], *NUMBERS[:4], *TIMES[:4])

    def make(self) -> Reducer:
        return Tally("status", by="owner", where="owner=1.0")


class TestTallyCutShort(ReducerConformance):
    def make(self) -> Reducer:
        return Tally("status", by="owner", limit=3)


class TestLeast(ReducerConformance):
    values = TEXTS

    def make(self) -> Reducer:
        return Least("status", of=("alpha", "beta"))


class TestLeastBy(ReducerConformance):
    values = TEXTS[:4]

    def make(self) -> Reducer:
        return Least("status", by="owner", of=("gamma", "beta"))


class TestMost(ReducerConformance):
    def make(self) -> Reducer:
        return Most("status", limit=2)


class TestTop(ReducerConformance):
    values = TEXTS

    def make(self) -> Reducer:
        return Top("status", n=3)


class TestTopBy(ReducerConformance):
    values = TEXTS[:4]

    def make(self) -> Reducer:
        return Top("status", n=2, by="owner")


class TestCount(ReducerConformance):
    def make(self) -> Reducer:
        return Count(where="status=alpha")


class TestCountBy(ReducerConformance):
    def make(self) -> Reducer:
        return Count("hours", by="status")


class TestSum(ReducerConformance):
    values = (*NUMBERS, "12", "-1.5e2", "abc", "1_000", "NaN", "١")

    def make(self) -> Reducer:
        return Sum("hours")


class TestSumOfAllSorts(ReducerConformance):
    values = (*TEXTS, *NUMBERS, *TIMES, Decimal("NaN"), Decimal("-Infinity"), Decimal("1E+999999"), "1e-999999")

    def make(self) -> Reducer:
        return Sum("hours", where="status=alpha")


class TestSumBy(ReducerConformance):
    def make(self) -> Reducer:
        return Total("hours", by="status", limit=5)


class TestMean(ReducerConformance):
    values = NUMBERS

    def make(self) -> Reducer:
        return Mean("hours")


class TestMeanBy(ReducerConformance):
    def make(self) -> Reducer:
        return Mean("hours", by="status", digits=3)


class TestMedian(ReducerConformance):
    values = (*NUMBERS, "7", "abc")

    def make(self) -> Reducer:
        return Median("hours")


class TestMedianBy(ReducerConformance):
    values = NUMBERS

    def make(self) -> Reducer:
        return Median("hours", by="status")


class TestMin(ReducerConformance):
    def make(self) -> Reducer:
        return Min("hours")


class TestMinBy(ReducerConformance):
    def make(self) -> Reducer:
        return Min("hours", by="status")


class TestMax(ReducerConformance):
    def make(self) -> Reducer:
        return Max("hours")


class TestMaxBy(ReducerConformance):
    def make(self) -> Reducer:
        return Max("hours", by="status")


class TestFirst(ReducerConformance):
    ordered = True

    def make(self) -> Reducer:
        return First("hours")


class TestFirstBy(ReducerConformance):
    ordered = True

    def make(self) -> Reducer:
        return First("hours", by="status")


class TestLast(ReducerConformance):
    ordered = True

    def make(self) -> Reducer:
        return Last("hours")


class TestLastBy(ReducerConformance):
    ordered = True

    def make(self) -> Reducer:
        return Last("hours", by="status")


class TestDistinct(ReducerConformance):
    def make(self) -> Reducer:
        return Distinct("status", limit=4)


class TestDistinctBy(ReducerConformance):
    def make(self) -> Reducer:
        return Distinct("status", by="owner")


class TestList(ReducerConformance):
    ordered = True

    def make(self) -> Reducer:
        return List("status", limit=7)


class TestListBy(ReducerConformance):
    ordered = True

    def make(self) -> Reducer:
        return List("status", by="owner", limit=7)


class TestTimeline(ReducerConformance):
    values = (*STAMPS, *TIMES)

    def make(self) -> Reducer:
        return Timeline("time", per="hour")


class TestTimelineBy(ReducerConformance):
    values = (*STAMPS, *TIMES, *NUMBERS)

    def make(self) -> Reducer:
        return Timeline("time", per="week", by="status")


class TestJoin(ReducerConformance):
    def make(self) -> Reducer:
        return Join("status", "owner")
