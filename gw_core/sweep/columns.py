"""The fields of records that need no reader: patterns, CSV columns, JSON paths, one column of a segment at a time.

A pattern that backtracks for ever is stopped by a timer of the process's own CPU time, which signals on the main thread
only: elsewhere nothing stops it. What took too long is then read record by record, and the records that expire are
named.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, TypeVar

from gw_core.records import Batch, Field, Recipe, Value
from gw_core.sweep.plan import Planned
from gw_core.timed import ExpiredError, limited

SEGMENT_SECONDS, RECORD_SECONDS = 2.0, 0.05
TOO_SLOW = "the pattern takes too long on it"

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|[+-]?\.\d+", re.ASCII)
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d+)\]")
_TIME_OF_DAY = re.compile(r"%[HIMSpfcXTRrzZ]")

Match = re.Match[str] | None
T = TypeVar("T")


class Columns:
    """Reads the records of segments as a recipe says. ``header`` are the names of a CSV document's columns."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._when = _compiled(recipe.when) if recipe.when else None
        self._fields = [one for one in recipe.fields if one.in_code]

    def read(self, planned: Planned, *, header: Sequence[str] = (), spans: bool = False) -> Batch:
        """The records of a segment that ``when`` keeps. ``spans``: say where each value stands, too."""
        texts = [planned.text[start:end] for start, end in zip(planned.starts, planned.ends, strict=True)]
        reading = _Reading(texts)
        offset = planned.segment.start
        places: Sequence[int] = range(len(texts))
        if self._when is not None:
            found = reading.matched(self._when)
            places = [index for index, match in enumerate(found) if match is not None or index in reading.unsupported]
            reading = reading.only(places)
        columns, where = self._columns(reading, header)
        starts = [planned.starts[index] + offset for index in places]
        ends = [planned.ends[index] + offset for index in places]
        known: dict[str, Sequence[tuple[int, int] | None] | None] = {}
        if spans:
            for name, matches in where.items():
                known[name] = [
                    None if span is None else (start + span[0], start + span[1])
                    for start, span in zip(starts, matches, strict=True)
                ]
        return Batch(planned.segment.path, starts, ends, columns, known, reading.unsupported)

    def _columns(
        self, reading: _Reading, header: Sequence[str]
    ) -> tuple[dict[str, list[Value]], dict[str, list[tuple[int, int] | None]]]:
        columns: dict[str, list[Value]] = {}
        where: dict[str, list[tuple[int, int] | None]] = {}
        rows: list[list[str]] | None = None
        objects: list[Any] | None = None
        for field in self._fields:
            if field.kind == "pattern":
                pattern = _compiled(field.pattern)
                group = _group(pattern, field.name)
                matches = reading.matched(pattern)
                raw = [None if match is None else match[group] for match in matches]
                where[field.name] = [
                    None if match is None or match[group] is None else match.span(group) for match in matches
                ]
            elif field.kind == "column":
                rows = list(csv.reader(reading.texts)) if rows is None else rows
                raw = _column(rows, header, field.column)
            else:
                objects = [_object(text) for text in reading.texts] if objects is None else objects
                raw = [_at(one, field.path) for one in objects]
            columns[field.name] = _values(field, raw, reading.unsupported)
        return columns, where


class _Reading:
    """The texts of some records, the matches of each pattern in them, and why some do not count."""

    def __init__(self, texts: list[str], unsupported: Mapping[int, str] | None = None) -> None:
        self.texts = texts
        self.unsupported: dict[int, str] = dict(unsupported or {})
        self._matches: dict[re.Pattern[str], list[Match]] = {}

    def only(self, places: Sequence[int]) -> _Reading:
        of = {place: number for number, place in enumerate(places)}
        kept = {of[place]: reason for place, reason in self.unsupported.items() if place in of}
        return _Reading([self.texts[place] for place in places], kept)

    def matched(self, pattern: re.Pattern[str]) -> list[Match]:
        """The first match of the pattern in each text."""
        found = self._matches.get(pattern)
        if found is None:
            found = self._matches[pattern] = self._search(pattern)
        return found

    def _search(self, pattern: re.Pattern[str]) -> list[Match]:
        done, found = within(SEGMENT_SECONDS, lambda: list(map(pattern.search, self.texts)))
        if done and found is not None:
            return found
        slow: list[Match] = []
        for index, text in enumerate(self.texts):
            done, match = within(RECORD_SECONDS, lambda text=text: pattern.search(text))  # type: ignore[misc]
            slow.append(match if done else None)
            if not done:
                self.unsupported[index] = TOO_SLOW
        return slow


def within(seconds: float, work: Callable[[], T]) -> tuple[bool, T | None]:
    """Whether some work came to its end within so many seconds of CPU, and what it returned."""
    try:
        return True, limited(work, seconds)
    except ExpiredError:
        return False, None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _group(pattern: re.Pattern[str], name: str) -> int | str:
    """Which group holds a field's value: its own, ``value``, the first, or else the whole match."""
    for known in (name, "value"):
        if known in pattern.groupindex:
            return known
    return 1 if pattern.groups else 0


def _column(rows: Sequence[Sequence[str]], header: Sequence[str], name: str) -> list[str | None]:
    if name not in header:
        return [None] * len(rows)
    at = list(header).index(name)
    return [row[at] if at < len(row) else None for row in rows]


def _object(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError):
        return None


def _at(value: Any, path: str) -> Any:
    for step in _STEP.finditer(path):
        key, index = step.groups()
        try:
            value = value[key] if key is not None else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _values(field: Field, raw: Sequence[Any], unsupported: dict[int, str]) -> list[Value]:
    """The values of a field as its kind has them; a text that is none makes its record one that does not count."""
    if field.number:
        return _converted(field, raw, unsupported, _number, "number")
    if field.format:
        return _converted(field, raw, unsupported, lambda text: _moment(text, field.format), f"date {field.format}")
    if field.kind == "path":
        return [_text(one) for one in raw]
    return list(raw)


def _converted(
    field: Field, raw: Sequence[Any], unsupported: dict[int, str], convert: Callable[[str], Value], what: str
) -> list[Value]:
    known: dict[Any, Value] = {}
    found: list[Value] = []
    for index, one in enumerate(raw):
        if one is None or one == "":
            found.append(None)
            continue
        if isinstance(one, Decimal) and field.number:
            found.append(one)
            continue
        text = str(one)
        if text not in known:
            known[text] = convert(text.strip())
        if known[text] is None:
            unsupported.setdefault(index, f"{text[:40]!r} is no {what} for {field.name}")
        found.append(known[text])
    return found


def _number(text: str) -> Value:
    try:
        return Decimal(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:
        return None


def _moment(text: str, form: str) -> Value:
    try:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - as it is written
    except ValueError:
        return None
    return moment if _TIME_OF_DAY.search(form) else moment.date()


def _text(value: Any) -> Value:
    """What stands at a place in JSON as text: a number as it was written, true and false as JSON has them."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value}" if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=str)
