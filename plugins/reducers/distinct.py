"""Which values a field has, and how many different ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.protocols import Reducer
from gw_core.records import Batch
from gw_core.spill import Counts
from gw_plugins.reducers.base import ROWS, By, Counted, Limit, Name, Reducing, Where, plain, row


class Distinct(Reducing):
    """The different values of a field.

    Rows: ``{"value", "count"}`` for each, in the order of values; ``distinct`` says how many there are, however many
    rows are shown. With ``by``: ``{"by", "distinct", "count"}``, the group with the most different values first, equal
    ones in the order of groups; ``distinct`` of the result is then the number of different pairs.
    """

    name = "distinct"

    def __init__(self, field: Name, by: By = None, where: Where = None, limit: Limit = ROWS) -> None:
        super().__init__((by, field), where, limit, field=field, by=by)
        self._by = by is not None
        self._total = 0
        self._counts = Counts(pairs=self._by)

    def use(self, folder: Path) -> None:
        self._counts.folder = folder

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        self._total += records
        self._counts.update(zip(*columns, strict=True) if self._by else columns[0])

    def _take(self, other: Distinct) -> None:
        self._total += other._total
        self._counts.merge(other._counts)

    def result(self) -> dict[str, Any]:
        missing = self._counts.missing
        walk = Counted(self._counts.walk())
        if self._by:
            first, more = self.cut(self._groups(walk), itemgetter("distinct"))
        else:
            first, more = self.cut({"value": plain(value), "count": count} for _, value, count in walk)
        return self.shaped(first, total=self._total - missing, missing=missing, more=more, distinct=walk.seen)

    @staticmethod
    def _groups(walk: Counted) -> Iterator[dict[str, Any]]:
        for by, group in groupby(walk, key=itemgetter(0)):
            distinct = count = 0
            for _, _, often in group:
                distinct += 1
                count += often
            yield row(by, distinct=distinct, count=count)


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    register("distinct", "gw_plugins.reducers.distinct:Distinct", help="the different values of a field, and how many")
