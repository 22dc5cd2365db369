"""SQL over the records of a sweep: one SELECT from a table ``records`` that lies in a temporary file.

Its columns are ``path``, ``start`` and ``end`` (a field of such a name takes its place) and the fields. Text is TEXT,
dates are TEXT as in ISO 8601. A number is an INTEGER, or a REAL that gives back all of its digits; one of more digits
stays TEXT, and is counted. ``sum``, ``total`` and ``avg`` reckon in decimals, so that 0.1 and 0.2 add up to 0.3; other
arithmetic is SQLite's own.
"""

from __future__ import annotations

import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Context, Decimal, InvalidOperation
from itertools import islice, repeat
from pathlib import Path
from typing import Any, TypeVar

import apsw
import apsw.ext

from gw_core.errors import GwError, UsageError
from gw_core.records import Batch, Field, Recipe, Value
from gw_core.sweep.entries import clean

TABLE = "records"
SECONDS = 60.0
"""CPU time that a query may take."""
_PLACE = (("path", "TEXT"), ("start", "INTEGER"), ("end", "INTEGER"))
_STEPS = 100_000
"""Instructions of SQLite's machine between two looks at the clock."""
_MOST_BYTES = 100_000_000
"""What one value in a query may come to."""
_DENIED = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})
_EXACT = Context(prec=1_000)
"""Adds up any two doubles without rounding."""

_AT_ONCE = 500
"""Rows that are fetched at once."""

T = TypeVar("T")
Cell = str | int | float | bytes | None


class RecordsTable:
    """Made by :meth:`open`. ``columns`` are the names in the result; ``as_text`` counts numbers that stay text."""

    def __init__(self, folder: Path, recipe: Recipe, query: str, seconds: float) -> None:
        self.as_text = 0
        self._query = query
        self._seconds = seconds
        self._fields = recipe.fields
        self._began = self._took = 0.0
        self._numbers: dict[Decimal, Cell] = {}
        names = [one.name for one in recipe.fields]
        self._place = [(name, kind) for name, kind in _PLACE if name not in {one.lower() for one in names}]
        self._hint = f"one SELECT from {TABLE}({', '.join([*(name for name, _ in self._place), *names])})"
        self._path = folder / "records.db"
        self._db = apsw.Connection(str(self._path))
        try:
            self._lay()
            self.columns = self._checked()
        except apsw.Error as error:  # more columns than SQLite takes, say
            self._db.close()
            raise UsageError(f"--sql: no table of these fields: {error}", hint="leave some out") from error
        except BaseException:
            self._db.close()
            raise

    @classmethod
    @contextmanager
    def open(cls, recipe: Recipe, query: str, *, seconds: float = SECONDS) -> Iterator[RecordsTable]:
        """An empty table for the records of a recipe, gone at the end. Raises UsageError for a query that is no single
        SELECT from it, before anything is read."""
        folder = Path(tempfile.mkdtemp(prefix="gw-sweep-"))
        try:
            table = cls(folder, recipe, query, seconds)
            try:
                yield table
            finally:
                table._db.close()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def add(self, batch: Batch) -> None:
        """Take all records of a batch."""
        places: dict[str, Any] = {"path": repeat(clean(batch.path)), "start": batch.starts, "end": batch.ends}
        columns = [places[name] for name, _ in self._place]
        columns += [self._cells(one, batch.columns[one.name]) for one in self._fields]
        try:
            self._db.executemany(self._put, zip(*columns, strict=False))
        except apsw.Error as error:
            raise GwError(
                f"the records cannot be kept for --sql: {error}", hint=f"free some space at {self._path}"
            ) from error

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """The result, row by row; nothing can be added any more. Raises UsageError where the query fails or takes too
        long."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")
        with self._guarded():
            cursor = self._timed(lambda: self._db.execute(self._query))
            while some := self._timed(lambda: list(islice(cursor, _AT_ONCE))):
                yield from some

    # -- the table ----------------------------------------------------------------------------------------------

    def _lay(self) -> None:
        self._db.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
        columns = [*self._place, *((one.name, _affinity(one)) for one in self._fields)]
        quoted = [(name.replace('"', '""'), kind) for name, kind in columns]
        listed = ", ".join(f'"{name}" {kind}' for name, kind in quoted)
        self._db.execute(f"CREATE TABLE {TABLE} ({listed})")
        self._put = f"INSERT INTO {TABLE} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - a name of ours
        for name, of in (("sum", _Sum), ("total", _Total), ("avg", _Average)):
            self._db.create_window_function(name, of, 1)
        self._db.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        self._db.execute("BEGIN")

    def _cells(self, field: Field, column: Sequence[Value]) -> Sequence[Cell]:
        if _is_number(field):
            return list(map(self._number, column))
        if _is_date(field):
            return [one.isoformat() if isinstance(one, date) else None for one in column]
        texts = [None if one is None else str(one) for one in column]
        try:
            "".join(filter(None, texts)).encode()
        except UnicodeEncodeError:
            return [None if one is None else clean(one) for one in texts]
        return texts

    def _number(self, value: Value) -> Cell:
        if not isinstance(value, Decimal):
            return None
        known = self._numbers.get(value)
        if known is None:
            known = _stored(value)
            if len(self._numbers) < 10_000:
                self._numbers[value] = known
        self.as_text += type(known) is str
        return known

    # -- the query ----------------------------------------------------------------------------------------------

    def _checked(self) -> tuple[str, ...]:
        """The names of the columns of the result. Raises UsageError for anything but one SELECT."""
        with self._guarded():
            found = apsw.ext.query_info(self._db, self._query)
            rest = found.query_remaining
            several = rest is not None and apsw.ext.query_info(self._db, rest).has_vdbe
        if several or found.is_explain or not found.description:
            raise UsageError("--sql: it is not one SELECT", hint=self._hint)
        if found.bindings_count:
            raise UsageError("--sql: it has parameters, and nothing to fill them with", hint="write the values into it")
        return tuple(name for name, _ in found.description)

    def _is_late(self) -> bool:
        return self._took + time.process_time() - self._began > self._seconds

    def _timed(self, work: Callable[[], T]) -> T:
        """The time that the reader of the rows takes is none of the query's."""
        self._began = time.process_time()
        done = work()
        self._took += time.process_time() - self._began
        return done

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """What is run may read the table and nothing else, for a while."""
        self._began = time.process_time()
        self._db.set_progress_handler(self._is_late, _STEPS)
        self._db.set_authorizer(_allow)
        most = self._db.limit(apsw.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
        try:
            yield
        except apsw.InterruptError:
            raise UsageError(f"--sql: it takes longer than {self._seconds:g} s of processor time") from None
        except (apsw.Error, UnicodeError, ValueError) as error:
            raise UsageError(f"--sql: {' '.join(str(error).split())}", hint=self._hint) from None
        finally:
            self._db.limit(apsw.SQLITE_LIMIT_LENGTH, most)
            self._db.set_authorizer(None)
            self._db.set_progress_handler(None)


def _allow(code: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
    fine = (
        code in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE)
        or (code == apsw.SQLITE_READ and _may_read(str(first), second))
        or (code == apsw.SQLITE_FUNCTION and str(second).lower() not in _DENIED)
    )
    return apsw.SQLITE_OK if fine else apsw.SQLITE_DENY


def _may_read(table: str, column: str | None) -> bool:
    """The records; and that there are rows, without any column of theirs, which is how a recursive part is counted."""
    return table == TABLE or (not column and not table.startswith(("sqlite_", "pragma_")))


def _is_number(field: Field) -> bool:
    return field.kind == "number" or field.number


def _is_date(field: Field) -> bool:
    return field.kind == "date" or bool(field.format)


def _affinity(field: Field) -> str:
    """None for numbers, so that they stay what they are."""
    return "" if _is_number(field) else "TEXT"


# -- numbers ----------------------------------------------------------------------------------------------------


def _stored(value: Decimal) -> str | int | float:
    """A number as SQLite has it, without the loss of a digit; else as text."""
    if -(2**63) <= value < 2**63 and value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if math.isfinite(number) and Decimal(repr(number)) == value else str(value)


def _shown(value: Decimal) -> int | float:
    """The nearest number that SQLite has."""
    found = _stored(value)
    return float(found) if isinstance(found, str) else found


def _decimal(value: Any) -> Decimal:
    """What a value is in a sum: text that is no number is 0, as in SQLite."""
    try:
        found = Decimal(repr(value) if isinstance(value, float) else value)
    except (InvalidOperation, TypeError, ValueError):
        return Decimal(0)
    return found if found.is_finite() else Decimal(0)


class _Sum:
    """An aggregate and window function over decimals, as apsw wants it. Of nothing it is NULL."""

    def __init__(self) -> None:
        self.count = 0
        self.whole = 0
        self.rest = Decimal(0)

    def step(self, value: Any) -> None:
        self._add(value, 1)

    def inverse(self, value: Any) -> None:
        self._add(value, -1)

    def _add(self, value: Any, sign: int) -> None:
        if value is None:
            return
        self.count += sign
        if type(value) is int:
            self.whole += sign * value
        else:
            number = _decimal(value)
            self.rest = _EXACT.add(self.rest, number if sign > 0 else number.copy_negate())

    @property
    def amount(self) -> Decimal:
        return _EXACT.add(Decimal(self.whole), self.rest)

    def value(self) -> int | float | None:
        return _shown(self.amount) if self.count else None

    def final(self) -> int | float | None:
        return self.value()


class _Total(_Sum):
    """The same, 0 of nothing."""

    def value(self) -> int | float | None:
        return _shown(self.amount)


class _Average(_Sum):
    def value(self) -> int | float | None:
        return _shown(self.amount / self.count) if self.count else None
