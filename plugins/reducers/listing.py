"""The values of a field one after another."""

from __future__ import annotations

from typing import Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.protocols import Reducer
from gw_core.records import Batch, Value
from gw_plugins.reducers.base import ROWS, By, Limit, Name, Reducing, Where, plain, row


class List(Reducing):
    """The values of a field, in the order of the records, each as often as it occurs.

    Rows: ``{"value"}``; with ``by`` ``{"by", "value"}``, in the order of the records too. Only the first ``limit``
    are kept; ``total`` counts them all.
    """

    name = "list"

    def __init__(self, field: Name, by: By = None, where: Where = None, limit: Limit = ROWS) -> None:
        super().__init__((field, by), where, limit, field=field, by=by)
        self._by = by is not None
        self._held: list[tuple[Value, Value]] = []
        self._total = self._missing = 0

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        found = records - columns[0].count(None)
        room = self._limit - len(self._held)
        if self._by or room > 0:
            groups = columns[1] if self._by else [""] * records
            pairs = [
                pair for pair in zip(groups, columns[0], strict=True) if pair[0] is not None and pair[1] is not None
            ]
            self._held += pairs[:room]
            found = len(pairs)
        self._total += found
        self._missing += records - found

    def _take(self, other: List) -> None:
        self._held += other._held[: self._limit - len(self._held)]
        self._total += other._total
        self._missing += other._missing

    def result(self) -> dict[str, Any]:
        rows = [row(by if self._by else None, value=plain(value)) for by, value in self._held]
        return self.shaped(rows, total=self._total, missing=self._missing, more=self._total - len(rows))


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    register("list", "gw_plugins.reducers.listing:List", help="the values of a field in the order of the records")
