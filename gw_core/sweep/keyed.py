"""One record for each key: of several with the same key, the last in the order of the documents counts.

All records are put on disk by their keys and handed out again in the order of the plan, so that memory stays flat
however many keys there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import apsw

from gw_core.errors import GwError
from gw_core.records import Batch, Value

_BATCH = 1_000
_TABLE = "CREATE TABLE records (key TEXT PRIMARY KEY, number INTEGER, record TEXT NOT NULL)"
_PUT = "INSERT INTO records VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET number = ?2, record = ?3"


@contextmanager
def _on_disk() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        what = "the disk is full" if isinstance(error, apsw.FullError) else str(error)
        raise GwError(
            f"the records of the sweep cannot be kept in the folder for temporary files: {what}",
            hint="TMPDIR names another folder",
        ) from error


class Keyed:
    """The records of a sweep by the field ``key``. ``duplicates`` are those that were replaced by one that says the
    same, ``conflicts`` those that were replaced by one that says something else. A record without a key stays."""

    def __init__(self, key: str, folder: Path) -> None:
        self._key = key
        self._db = apsw.Connection(str(folder / "keyed.db"))
        self._db.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        self._db.execute(_TABLE)
        self._db.execute("BEGIN")
        self._number = 0
        self.duplicates = 0
        self.conflicts = 0

    def add(self, batch: Batch) -> None:
        """Raises GwError where they cannot be put on disk."""
        with _on_disk():
            self._add(batch)

    def _add(self, batch: Batch) -> None:
        names = list(batch.columns)
        for index, key in enumerate(batch.columns[self._key]):
            self._number += 1
            values = [_packed(batch.columns[name][index]) for name in names]
            name = f"\0{self._number}" if key is None else f" {_text(key)}"  # no key looks like that of none
            self._compare(name, values)
            spans = [(batch.spans.get(one) or [None] * len(batch))[index] for one in names]
            place = [batch.path, batch.starts[index], batch.ends[index], names, values, spans]
            self._db.execute(_PUT, (name, self._number, json.dumps(place)))

    def _compare(self, key: str, values: Sequence[Any]) -> None:
        known = self._db.execute("SELECT record FROM records WHERE key = ?", (key,)).fetchone()
        if known is None:
            return
        if json.loads(known[0])[4] == json.loads(json.dumps(values)):
            self.duplicates += 1
        else:
            self.conflicts += 1

    def batches(self) -> Iterator[Batch]:
        """The records that count, in the order in which they were added; a batch holds those of one document."""
        rows: list[list[Any]] = []
        for (record,) in self._db.execute("SELECT record FROM records ORDER BY number"):
            row = json.loads(record)
            if rows and (row[0] != rows[0][0] or len(rows) == _BATCH):
                yield _batch(rows)
                rows = []
            rows.append(row)
        if rows:
            yield _batch(rows)

    def close(self) -> None:
        self._db.close()


def _batch(rows: Sequence[Sequence[Any]]) -> Batch:
    names = rows[0][3]
    columns = {name: [_unpacked(row[4][at]) for row in rows] for at, name in enumerate(names)}
    spans = {name: [None if row[5][at] is None else tuple(row[5][at]) for row in rows] for at, name in enumerate(names)}
    return Batch(rows[0][0], [row[1] for row in rows], [row[2] for row in rows], columns, spans)


def _packed(value: Value) -> Any:
    if value is None or isinstance(value, str):
        return value
    kind = "number" if isinstance(value, Decimal) else "time" if isinstance(value, datetime) else "day"
    return [kind, _text(value)]


def _unpacked(value: Any) -> Value:
    if value is None or isinstance(value, str):
        return value
    kind, text = value
    if kind == "number":
        return Decimal(text)
    return datetime.fromisoformat(text) if kind == "time" else date.fromisoformat(text)


def _text(value: Value) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)
