"""The median of numbers, exact, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.protocols import Reducer
from gw_core.records import Batch, Value
from gw_core.spill import Counts
from gw_plugins.reducers.base import ROWS, By, Limit, Number, Reducing, Where, row
from gw_plugins.reducers.numbers import EXACT, numbers

_HALF = Decimal("0.5")


class Median(Reducing):
    """The number in the middle; of an even count the mean of both that are there, exact.

    Rows: one ``{"value", "lower", "upper", "count"}``, none of no records; with ``by`` also ``"by"``, the largest
    median first, equal ones in the order of groups. ``lower`` and ``upper`` are the numbers in the middle, as they were
    written; the same one of an odd count. Text counts as a number if it is a plain one; what is no number is
    ``unusable``.
    """

    name = "median"

    def __init__(self, field: Number, by: By = None, where: Where = None, limit: Limit = ROWS) -> None:
        super().__init__((by, field), where, limit, field=field, by=by)
        self._by = by is not None
        self._total = self._missing = self._unusable = 0
        self._counts = Counts(pairs=self._by)

    def use(self, folder: Path) -> None:
        self._counts.folder = folder

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        if self._by:
            pairs = [pair for pair in zip(*columns, strict=True) if pair[0] is not None and pair[1] is not None]
            values = numbers([value for _, value in pairs])
            self._counts.update((by, value) for (by, _), value in zip(pairs, values, strict=True) if value is not None)
        else:
            values = numbers([value for value in columns[0] if value is not None])
            self._counts.update(value for value in values if value is not None)
        unusable = values.count(None)
        self._missing += records - len(values)
        self._unusable += unusable
        self._total += len(values) - unusable

    def _take(self, other: Median) -> None:
        self._total += other._total
        self._missing += other._missing
        self._unusable += other._unusable
        self._counts.merge(other._counts)

    def result(self) -> dict[str, Any]:
        first, more = self.cut(self._rows(), itemgetter("value"))
        return self.shaped(first, total=self._total, missing=self._missing, unusable=self._unusable, more=more)

    def _rows(self) -> Iterator[dict[str, Any]]:
        """One walk ahead tells how many numbers a group has, a second one finds its middle: neither keeps them."""
        behind = iter(self._counts.walk())
        for by, group in groupby(self._counts.walk(), key=itemgetter(0)):
            keys = count = 0
            for _, _, often in group:
                keys += 1
                count += often
            lower, upper = _middle(behind, keys, count)
            middle = EXACT.multiply(EXACT.add(lower, upper), _HALF) if lower != upper else lower
            yield row(by, value=middle, lower=lower, upper=upper, count=count)


def _middle(walk: Iterator[tuple[Value, Any, int]], keys: int, count: int) -> tuple[Decimal, Decimal]:
    """The lower and the upper median of the next ``keys`` numbers, which occur ``count`` times together."""
    at, lower, upper = 0, None, None
    for _ in range(keys):
        _, value, often = next(walk)
        at += often
        if lower is None and 2 * at >= count:
            lower = value
        if upper is None and 2 * at > count:
            upper = value
    return lower, upper  # type: ignore[return-value]  # a group has at least one number


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    register("median", "gw_plugins.reducers.median:Median", help="the exact median of a field's numbers")
