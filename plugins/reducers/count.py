"""How many records there are, or how many have a value in a field."""

from __future__ import annotations

from itertools import compress
from pathlib import Path
from typing import Annotated, Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.protocols import Reducer
from gw_core.records import Batch
from gw_core.schema import Help
from gw_core.spill import Counts
from gw_plugins.reducers.base import ROWS, By, Limit, Reducing, Where, row


class Count(Reducing):
    """The number of records, or with ``field`` of those that have a value there.

    Rows: one ``{"count"}``; with ``by`` ``{"by", "count"}``, by falling count, equal ones in the order of groups.
    """

    name = "count"

    def __init__(
        self,
        field: Annotated[str | None, Help("count only records with a value in this field")] = None,
        by: By = None,
        where: Where = None,
        limit: Limit = ROWS,
    ) -> None:
        super().__init__((by, field), where, limit, field=field, by=by)
        self._by = by is not None
        self._total = self._missing = 0
        self._groups = Counts()

    def use(self, folder: Path) -> None:
        self._groups.folder = folder

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        whole = records
        for column in columns[1:] if self._by else columns:
            present = [value is not None for value in column]
            records = sum(present)
            columns[0] = list(compress(columns[0], present))
        self._total += records
        self._missing += whole - records
        if self._by:
            self._groups.update(columns[0])

    def _take(self, other: Count) -> None:
        self._total += other._total
        self._missing += other._missing
        self._groups.merge(other._groups)

    def result(self) -> dict[str, Any]:
        lost = self._groups.missing  # without a group
        total, missing = self._total - lost, self._missing + lost
        if not self._by:
            return self.shaped([{"count": total}], total=total, missing=missing)
        rows = (row(by, count=count) for _, by, count in self._groups.walk())
        first, more = self.cut(rows, lambda one: one["count"])
        return self.shaped(first, total=total, missing=missing, more=more)


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    register("count", "gw_plugins.reducers.count:Count", help="how many records, or how many with a value in a field")
