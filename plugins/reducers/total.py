"""Sums and means of numbers, exact."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path
from typing import Annotated, Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Reducer
from gw_core.records import Batch, Value
from gw_core.schema import Help, Range
from gw_core.spill import Folds
from gw_plugins.reducers.base import ROWS, VERSION, By, Limit, Number, Reducing, Where, row
from gw_plugins.reducers.numbers import EXACT, ZERO, added, numbers, shown


class _Summing(Reducing):
    """Numbers added up, of all records or of each group."""

    def __init__(self, field: str, by: str | None, where: str | None, limit: int) -> None:
        super().__init__((field, by), where, limit, field=field, by=by)
        self._by = by is not None
        self._sum, self._total, self._missing, self._unusable = ZERO, 0, 0, 0
        self._groups = Folds(EXACT.add)

    def use(self, folder: Path) -> None:
        self._groups.folder = folder

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        if self._by:
            pairs = [pair for pair in zip(*columns, strict=True) if pair[0] is not None and pair[1] is not None]
            groups: list[Value] = [group for _, group in pairs]
            values = numbers([value for value, _ in pairs])
        else:
            groups = []
            values = numbers([value for value in columns[0] if value is not None])
        usable = [value for value in values if value is not None]
        self._missing += records - len(values)
        self._unusable += len(values) - len(usable)
        self._total += len(usable)
        if not self._by:
            self._sum = EXACT.add(self._sum, added(usable))
        elif len(usable) == len(values):
            self._groups.update(zip(groups, usable, strict=True))
        else:
            self._groups.update((one, value) for one, value in zip(groups, values, strict=True) if value is not None)

    def _take(self, other: _Summing) -> None:
        self._sum = EXACT.add(self._sum, other._sum)
        self._total += other._total
        self._missing += other._missing
        self._unusable += other._unusable
        self._groups.merge(other._groups)

    def result(self) -> dict[str, Any]:
        sums: Iterator[tuple[Value, Decimal, int]]
        sums = self._groups.walk() if self._by else iter([(None, self._sum, self._total)])
        rows = (one for by, value, count in sums if (one := self._row(by, shown(value), count)))
        first, more = self.cut(rows, lambda one: one["value"])
        return self.shaped(
            first, total=self._total, missing=self._missing, unusable=self._unusable, more=more, **self._said()
        )

    def _row(self, by: Value, value: Decimal, count: int) -> dict[str, Any] | None:
        return row(by, value=value, count=count)

    def _said(self) -> dict[str, Any]:
        return {}


class Sum(_Summing):
    """The sum of a field's numbers, exact to the last digit that was written.

    Rows: one ``{"value", "count"}``, 0 of no records; with ``by`` ``{"by", "value", "count"}``, the largest sum first,
    equal ones in the order of groups. Text counts as a number if it is a plain one; what is no number is ``unusable``.
    """

    name = "sum"

    def __init__(self, field: Number, by: By = None, where: Where = None, limit: Limit = ROWS) -> None:
        super().__init__(field, by, where, limit)


class Total(Sum):
    """The same as ``sum``."""

    name = "total"


class Mean(_Summing):
    """The arithmetic mean of a field's numbers.

    Rows: one ``{"value", "sum", "count"}``, none of no records; with ``by`` also ``"by"``, the largest mean first,
    equal ones in the order of groups. The mean is exactly ``sum / count``; ``value`` is that, rounded half to even to
    ``digits`` significant digits where it has more.
    """

    name = "mean"

    def __init__(
        self,
        field: Number,
        by: By = None,
        where: Where = None,
        digits: Annotated[int, Help("significant digits of a mean that has more"), Range(1, 1_000)] = 15,
        limit: Limit = ROWS,
    ) -> None:
        super().__init__(field, by, where, limit)
        self._digits = digits
        self._context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
        self.identity = Identity(self.name, VERSION, {**self.identity.settings, "digits": digits})

    def _row(self, by: Value, value: Decimal, count: int) -> dict[str, Any] | None:
        if not count:
            return None
        return row(by, value=self._context.divide(value, Decimal(count)), sum=value, count=count)

    def _said(self) -> dict[str, Any]:
        return {"digits": self._digits}


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    here = "gw_plugins.reducers.total"
    register("sum", f"{here}:Sum", help="the exact sum of a field's numbers")
    register("total", f"{here}:Total", help="the same as sum")
    register("mean", f"{here}:Mean", help="the mean of a field's numbers, with the exact fraction")
