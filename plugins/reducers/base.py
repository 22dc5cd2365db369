"""What all built-in reducers share: the columns they read, the records that ``where`` keeps, the shape of a result.

A result is a mapping with always the same five entries, and more where a reducer says so:

``rows``
    a list of mappings, in a total order that the reducer states. A ``by`` in a row is the group, ``value`` a value or
    the figure, ``count`` the records behind it. Numbers are :class:`decimal.Decimal`, exact; dates and times are text
    in ISO form.
``total``
    how many records were aggregated.
``missing``
    how many records lack a value in a field that is read; they are in no row.
``unusable``
    how many records have a value that is not of the kind that is reduced, such as a number; they are in no row either.
``more``
    how many rows were left out because they are beyond ``limit``.

Records that ``where`` does not keep are counted nowhere.
"""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import compress, islice
from pathlib import Path
from typing import Annotated, Any

from gw_core.errors import PluginError, UsageError
from gw_core.model import Identity
from gw_core.records import Batch, Value
from gw_core.registry import suggestion
from gw_core.schema import FieldOf, Help, Range

VERSION = "1"

Name = Annotated[str, Help("the field whose values are reduced")]
Number = Annotated[str, Help("the field whose numbers are reduced"), FieldOf(("number",))]
Time = Annotated[str, Help("the field whose days or times are reduced"), FieldOf(("date", "text"))]
By = Annotated[str | None, Help("a field: one figure for each of its values")]
Where = Annotated[str | None, Help("FIELD=VALUE: only records whose field has this value")]
Limit = Annotated[int, Help("the most rows of a result"), Range(1)]
ROWS = 1_000
"""The default of ``limit``."""


class Reducing:
    """Base of the reducers here. ``read`` are the fields that it aggregates; a field of ``where`` is read besides."""

    name = ""

    def __init__(self, read: Sequence[str | None], where: str | None, limit: int = ROWS, **settings: Any) -> None:
        if "" in read:
            raise ValueError("the name of a field is empty")
        self._read = tuple(field for field in read if field is not None)
        self._where: str | None = None
        self._wanted = frozenset[Value]()
        if where is not None:
            self._where, self._wanted = _condition(where)
        self._limit = limit
        self.fields = tuple(dict.fromkeys([*self._read, *([self._where] if self._where is not None else [])]))
        settings |= {"where": where, "limit": limit if limit != ROWS else None}
        self.identity = Identity(
            self.name, VERSION, {key: one for key, one in settings.items() if one not in (None, ())}
        )

    def use(self, folder: Path) -> None:
        """Keep what is too large for memory in this folder."""

    def add(self, batch: Batch) -> None:
        raise NotImplementedError

    def merge(self, other: Any) -> None:
        if type(other) is not type(self) or other.identity != self.identity:
            raise PluginError(f"{self.identity} cannot take over the state of {getattr(other, 'identity', other)}")
        self._take(other)

    def _take(self, other: Any) -> None:
        raise NotImplementedError

    def kept(self, batch: Batch) -> tuple[int, list[Sequence[Value]]]:
        """How many records ``where`` keeps, and of these the columns of the fields that are aggregated."""
        columns = [self._column(batch, field) for field in self._read]
        if self._where is None:
            return len(batch), columns
        keep = list(map(self._wanted.__contains__, self._column(batch, self._where)))
        return sum(keep), [list(compress(column, keep)) for column in columns]

    def _column(self, batch: Batch, field: str) -> Sequence[Value]:
        try:
            return batch.columns[field]
        except KeyError:
            raise UsageError(
                f"{self.name}: the records have no field {field!r}", hint=suggestion(field, batch.columns)
            ) from None

    def shaped(
        self, rows: list[dict[str, Any]], *, total: int, missing: int = 0, unusable: int = 0, more: int = 0, **rest: Any
    ) -> dict[str, Any]:
        return {"rows": rows, "total": total, "missing": missing, "unusable": unusable, "more": more, **rest}

    def cut(
        self, rows: Iterable[dict[str, Any]], figure: Callable[[dict[str, Any]], Any] | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """The first ``limit`` rows, or those of the largest figures, and how many more there are."""
        counted = Counted(rows)
        if figure is None:
            first = list(islice(counted, self._limit))
            for _ in counted:
                pass
        else:
            first = heapq.nlargest(self._limit, counted, key=figure)
        return first, counted.seen - len(first)


class Counted:
    """An iterable that knows how much of it was taken."""

    def __init__(self, of: Iterable[Any]) -> None:
        self._of = iter(of)
        self.seen = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        one = next(self._of)
        self.seen += 1
        return one


def plain(value: Value) -> Any:
    """A value as a result shows it: text, a decimal, or a date or time as text in ISO form."""
    return value.isoformat() if isinstance(value, date) else value


def row(by: Value, **rest: Any) -> dict[str, Any]:
    """A row of a result; without ``by`` there is no group."""
    return rest if by is None else {"by": plain(by), **rest}


def _condition(where: str) -> tuple[str, frozenset[Value]]:
    """A field, and what its value may be: the text as it stands, or the number, day or time that it says."""
    field, equals, text = where.partition("=")
    field, text = field.strip(), text.strip()
    if not equals or not field:
        raise ValueError(f"where={where!r} is not FIELD=VALUE")
    wanted: set[Value] = {text}
    with contextlib.suppress(ArithmeticError):
        number = Decimal(text)
        wanted |= {number} if number.is_finite() else set()
    with contextlib.suppress(ValueError):
        wanted.add(date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text.replace("Z", "+00:00")))
    return field, frozenset(wanted)
