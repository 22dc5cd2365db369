"""How many records there are in each day, hour, month..."""

from __future__ import annotations

import re
from datetime import date
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Reducer
from gw_core.records import Batch, Value
from gw_core.schema import Help
from gw_core.spill import Counts
from gw_plugins.reducers.base import ROWS, VERSION, By, Limit, Reducing, Time, Where, row

Unit = Literal["year", "month", "week", "day", "hour", "minute", "second"]
_LENGTHS: dict[str, int] = {"year": 4, "month": 7, "week": 10, "day": 10, "hour": 13, "minute": 16, "second": 19}
"""How many characters of a time in ISO form say in which unit it lies."""

_FORM = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d))?)?)?)?)?(?P<next>\D?)", re.ASCII | re.DOTALL
)
_CACHED = 10_000


class _Units(dict[str, str | None]):
    """From the beginning of a time to its unit, None for what is no time. Remembers what it was asked."""

    def __init__(self, per: Unit) -> None:
        super().__init__()
        self._per = per
        self._length = _LENGTHS[per]

    def __missing__(self, head: str) -> str | None:
        unit = self[head] = self._unit(head)
        return unit

    def _unit(self, head: str) -> str | None:
        form = _FORM.fullmatch(head)
        if form is None or len(head) - len(form["next"]) != self._length:
            return None
        if self._length < 10 and form["next"] not in ("", "-"):
            return None  # a text that begins with four digits
        try:
            day = date(int(form[1]), int(form[2] or 1), int(form[3] or 1))
        except ValueError:
            return None
        if self._per == "week":
            return "{:04}-W{:02}".format(*day.isocalendar()[:2])
        hour, minute, second = (int(part or 0) for part in form.group(4, 5, 6))
        right = hour < 24 and minute < 60 and second <= 60  # 60: a leap second
        return head[: self._length].replace(" ", "T") if right else None


class Timeline(Reducing):
    """How many records lie in each unit of time of a field, as it is written: zones are neither read nor converted.

    Rows: ``{"value", "count"}`` in the order of time; units without a record are left out; with ``by``
    ``{"by", "value", "count"}``, groups in the order of their values. ``value`` is ``2024``, ``2024-05``, ``2024-W18``
    (ISO 8601), ``2024-05-01``, ``2024-05-01T13``, ``2024-05-01T13:07`` or ``2024-05-01T13:07:59``; ``per`` repeats the
    unit. The field holds days or times, or text that begins with one in ISO form; what does not say the unit is
    ``unusable``.
    """

    name = "timeline"

    def __init__(
        self,
        field: Time,
        per: Annotated[Unit, Help("the unit of time")] = "day",
        by: By = None,
        where: Where = None,
        limit: Limit = ROWS,
    ) -> None:
        super().__init__((by, field), where, limit, field=field, by=by)
        if per not in _LENGTHS:
            raise ValueError(f"per={per!r} is not one of {', '.join(_LENGTHS)}")
        self.identity = Identity(self.name, VERSION, {**self.identity.settings, "per": per})
        self._by = by is not None
        self._per = per
        self._units = _Units(per)
        self._total = self._missing = self._unusable = 0
        self._counts = Counts(pairs=self._by)

    def use(self, folder: Path) -> None:
        self._counts.folder = folder

    def add(self, batch: Batch) -> None:
        records, columns = self.kept(batch)
        if self._by:
            pairs = [pair for pair in zip(*columns, strict=True) if pair[0] is not None and pair[1] is not None]
            units = self._of([value for _, value in pairs])
            self._counts.update(zip(map(itemgetter(0), pairs), units, strict=True))
        else:
            units = self._of([value for value in columns[0] if value is not None])
            self._counts.update(units)
        self._missing += records - len(units)
        unusable = units.count(None)
        self._unusable += unusable
        self._total += len(units) - unusable

    def _of(self, values: list[Value]) -> list[str | None]:
        """The unit of each value, None for one that has none."""
        if len(self._units) > _CACHED:
            self._units.clear()
        head = slice(_LENGTHS[self._per] + 1)
        if set(map(type, values)) == {str}:
            texts: list[Any] = values
        else:
            texts = [value.isoformat() if isinstance(value, date) else str(value) for value in values]
        return list(map(self._units.__getitem__, map(itemgetter(head), texts)))

    def _take(self, other: Timeline) -> None:
        self._total += other._total
        self._missing += other._missing
        self._unusable += other._unusable
        self._counts.merge(other._counts)

    def result(self) -> dict[str, Any]:
        _ = self._counts.missing  # those of no unit, which are counted already
        first, more = self.cut(row(by, value=unit, count=count) for by, unit, count in self._counts.walk())
        return self.shaped(
            first, total=self._total, missing=self._missing, unusable=self._unusable, more=more, per=self._per
        )


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    register("timeline", "gw_plugins.reducers.timeline:Timeline", help="records per day, hour, month...")
