"""The least and the greatest value of a field, and the first and the last one in the order of the records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.orderable import ordered
from gw_core.protocols import Reducer
from gw_core.records import Batch, Value
from gw_core.spill import Folds
from gw_plugins.reducers.base import ROWS, By, Limit, Name, Reducing, Where, plain, row


def lesser(earlier: Any, later: Any) -> Any:
    """The lesser of two values; the earlier of equal ones."""
    try:
        return later if later < earlier else earlier
    except (TypeError, ArithmeticError):
        return later if ordered(later) < ordered(earlier) else earlier


def greater(earlier: Any, later: Any) -> Any:
    """The greater of two values; the earlier of equal ones."""
    try:
        return later if later > earlier else earlier
    except (TypeError, ArithmeticError):
        return later if ordered(later) > ordered(earlier) else earlier


def earliest(earlier: Any, later: Any) -> Any:  # noqa: ARG001
    return earlier


def latest(earlier: Any, later: Any) -> Any:  # noqa: ARG001
    return later


class _Chosen(Reducing):
    """One value of all, or one of each group.

    Rows: one ``{"value", "count"}``, none of no records; with ``by`` ``{"by", "value", "count"}`` in the order of
    groups. ``count`` is the number of values that it was chosen from.
    """

    fold = staticmethod(earliest)

    def __init__(self, field: Name, by: By = None, where: Where = None, limit: Limit = ROWS) -> None:
        super().__init__((field, by), where, limit, field=field, by=by)
        self._by = by is not None
        self._value: Value = None
        self._total = self._missing = 0
        self._groups = Folds(self.fold)

    def use(self, folder: Path) -> None:
        self._groups.folder = folder

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        if self._by:
            pairs = [(by, value) for value, by in zip(*columns, strict=True) if value is not None and by is not None]
            self._groups.update(pairs)
            self._counted(len(pairs), records)
            return
        values = [value for value in columns[0] if value is not None]
        if values:
            self._fold_in(self._of(values))
        self._counted(len(values), records)

    def _of(self, values: Sequence[Any]) -> Value:
        """The value of one batch, which has at least one."""
        raise NotImplementedError

    def _fold_in(self, value: Value) -> None:
        self._value = value if self._value is None else self.fold(self._value, value)

    def _counted(self, found: int, records: int) -> None:
        self._total += found
        self._missing += records - found

    def _take(self, other: _Chosen) -> None:
        if other._value is not None:
            self._fold_in(other._value)
        self._counted(other._total, other._total + other._missing)
        self._groups.merge(other._groups)

    def result(self) -> dict[str, Any]:
        if self._by:
            first, more = self.cut(row(by, value=plain(one), count=count) for by, one, count in self._groups.walk())
            return self.shaped(first, total=self._total, missing=self._missing, more=more)
        rows = [] if self._value is None else [row(None, value=plain(self._value), count=self._total)]
        return self.shaped(rows, total=self._total, missing=self._missing)


class Min(_Chosen):
    """The least value of a field: numbers by size, days and times by time, text by code points."""

    name = "min"
    fold = staticmethod(lesser)

    def _of(self, values: Sequence[Any]) -> Value:
        try:
            least: Value = min(values)
        except (TypeError, ArithmeticError):  # values of different kinds
            least = min(values, key=ordered)
        return least


class Max(_Chosen):
    """The greatest value of a field: numbers by size, days and times by time, text by code points."""

    name = "max"
    fold = staticmethod(greater)

    def _of(self, values: Sequence[Any]) -> Value:
        try:
            greatest: Value = max(values)
        except (TypeError, ArithmeticError):
            greatest = max(values, key=ordered)
        return greatest


class First(_Chosen):
    """The value of the first record that has one, in the order of documents and places."""

    name = "first"

    def _of(self, values: Sequence[Any]) -> Value:
        value: Value = values[0]
        return value


class Last(_Chosen):
    """The value of the last record that has one, in the order of documents and places."""

    name = "last"
    fold = staticmethod(latest)

    def _of(self, values: Sequence[Any]) -> Value:
        value: Value = values[-1]
        return value


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    here = "gw_plugins.reducers.extremes"
    register("min", f"{here}:Min", help="the least value of a field")
    register("max", f"{here}:Max", help="the greatest value of a field")
    register("first", f"{here}:First", help="the value of the first record")
    register("last", f"{here}:Last", help="the value of the last record")
