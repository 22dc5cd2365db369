"""Which values of two fields occur together."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.protocols import Reducer
from gw_core.records import Batch
from gw_core.schema import Help
from gw_core.spill import Counts
from gw_plugins.reducers.base import ROWS, Limit, Name, Reducing, Where, plain


class Join(Reducing):
    """The pairs of values that two fields have in the same record.

    Rows: ``{"value", "other", "count"}``, the most frequent first, equal ones in the order of ``value``, then
    ``other``. ``distinct`` is the number of different pairs.
    """

    name = "join"

    def __init__(
        self,
        field: Name,
        other: Annotated[str, Help("the field that it is joined with")],
        where: Where = None,
        limit: Limit = ROWS,
    ) -> None:
        super().__init__((field, other), where, limit, field=field, other=other)
        self._total = 0
        self._counts = Counts(pairs=True)

    def use(self, folder: Path) -> None:
        self._counts.folder = folder

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        self._total += records
        self._counts.update(zip(*columns, strict=True))

    def _take(self, other: Join) -> None:
        self._total += other._total
        self._counts.merge(other._counts)

    def result(self) -> dict[str, Any]:
        missing = self._counts.missing
        pairs = (
            {"value": plain(value), "other": plain(other), "count": count}
            for value, other, count in self._counts.walk()
        )
        first, more = self.cut(pairs, itemgetter("count"))
        return self.shaped(first, total=self._total - missing, missing=missing, more=more, distinct=len(first) + more)


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    register("join", "gw_plugins.reducers.join:Join", help="which values of two fields occur together, and how often")
