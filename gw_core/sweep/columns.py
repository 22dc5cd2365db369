"""The fields of records that need no reader: patterns, CSV columns, JSON paths, one column of a segment at a time.

An empty value is none. A text that is no number or no date where one is asked for makes its record one that does not
count, and so does a pattern that takes too long on it (:mod:`gw_core.sweep.searching`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import compress
from typing import Any

from gw_core.records import Batch, Field, Recipe, Value
from gw_core.sweep.cells import (
    NoJsonError,
    Place,
    cell_place,
    column_index,
    json_at,
    json_place,
    json_text,
    json_value,
    moment,
    names_of,
    rows,
)
from gw_core.sweep.plan import Planned
from gw_core.sweep.searching import TOO_SLOW, Searcher, Texts, compiled
from gw_core.sweep.split import delimiter

NO_JSON = "it is no JSON"

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|[+-]?\.\d+", re.ASCII)

Raw = Sequence[Any]
Places = Sequence[Place | None]


class Columns:
    """Reads the records of segments as a recipe says. On the main thread, where patterns can be stopped."""

    def __init__(self, recipe: Recipe) -> None:
        self._when = compiled(recipe.when) if recipe.when else None
        self._fields = [one for one in recipe.fields if one.in_code]
        self._patterns: dict[str, list[Field]] = {}
        for one in self._fields:
            if one.kind == "pattern":
                self._patterns.setdefault(one.pattern, []).append(one)
        self._columns = [one for one in self._fields if one.kind == "column"]
        self._paths = [one for one in self._fields if one.kind == "path"]
        self._searcher = Searcher()

    def read(self, planned: Planned, *, header: Sequence[str] = (), spans: bool = False) -> Batch:
        """The records of a segment that ``when`` keeps. ``spans``: say where each value stands, too.

        ``header`` are the names of CSV columns, else those in the document's first row. Raises LoadError where a
        column is missing.
        """
        texts = Texts(planned.text, planned.starts, planned.ends)
        unsupported: dict[int, str] = {}
        if self._when is not None:
            texts, unsupported = self._kept(texts)
        reading = _Reading(texts, unsupported, spans)
        for pattern, fields in self._patterns.items():
            self._read_pattern(reading, pattern, fields)
        if self._columns:
            _read_columns(reading, self._columns, list(header), planned.header)
        if self._paths:
            _read_paths(reading, self._paths)
        offset = planned.segment.start
        return Batch(
            planned.segment.path,
            list(map(offset.__add__, texts.starts)),
            list(map(offset.__add__, texts.ends)),
            {one.name: reading.columns[one.name] for one in self._fields},
            {one.name: reading.moved(one.name, offset) for one in self._fields},
            unsupported,
        )

    def _kept(self, texts: Texts) -> tuple[Texts, dict[int, str]]:
        """The records that ``when`` matches, and those among them of which it could not be told in time."""
        if self._when is None:
            return texts, {}
        found, slow = self._searcher.search(self._when, texts)
        keep = [one is not None for one in found]
        for index in slow:
            keep[index] = True
        late = frozenset(slow)
        numbers = compress(range(len(keep)), keep)
        return texts.only(keep), {to: TOO_SLOW for to, index in enumerate(numbers) if index in late}

    def _read_pattern(self, reading: _Reading, text: str, fields: Sequence[Field]) -> None:
        pattern = compiled(text)
        groups = [_group(pattern, one.name) for one in fields]
        found, slow = self._searcher.search(pattern, reading.texts)
        reading.unsupported.update((index, TOO_SLOW) for index in slow)
        if len(fields) == 1:
            [group] = groups
            columns: Sequence[Raw] = ([one and (one[group] or None) for one in found],)
        else:
            none = (None,) * len(fields)
            values = [one.group(*groups) if one else none for one in found]
            columns = list(zip(*values, strict=True)) or [()] * len(fields)
        for field, group, column in zip(fields, groups, columns, strict=True):
            places: Places | None = None
            if reading.spans:
                places = [one.span(group) if one and one[group] else None for one in found]
            reading.add(field, column, places)


class _Reading:
    """The columns of one segment as they are filled. ``places`` count from the start of the record."""

    def __init__(self, texts: Texts, unsupported: dict[int, str], spans: bool) -> None:
        self.texts = texts
        self.unsupported = unsupported
        self.spans = spans
        self.columns: dict[str, Sequence[Value]] = {}
        self._places: dict[str, Places] = {}

    def add(self, field: Field, raw: Raw, places: Places | None) -> None:
        if field.number:
            self.columns[field.name] = self._converted(field, raw, _number_of(field.unit), "number")
        elif field.format:
            convert = partial(moment, form=field.format)
            self.columns[field.name] = self._converted(field, raw, convert, f"date {field.format}")
        elif "" in raw:
            self.columns[field.name] = [one or None for one in raw]
        else:
            self.columns[field.name] = raw
        if places is not None:
            self._places[field.name] = places

    def moved(self, name: str, offset: int) -> list[Place | None] | None:
        """The spans of a field's values in the document; None where they were not asked for."""
        places = self._places.get(name)
        if places is None:
            return None
        return [
            None if place is None or value is None else (offset + start + place[0], offset + start + place[1])
            for start, place, value in zip(self.texts.starts, places, self.columns[name], strict=True)
        ]

    def _converted(self, field: Field, raw: Raw, convert: Callable[[str], Value], what: str) -> list[Value]:
        known: dict[Any, Value] = {None: None, "": None}
        found: list[Value] = []
        for index, one in enumerate(raw):
            if one not in known:
                known[one] = convert(one.strip())
            value = known[one]
            if value is None and one:
                self.unsupported.setdefault(index, f"{one[:40]!r} is no {what} for {field.name}")
            found.append(value)
        return found


def _read_columns(reading: _Reading, fields: Sequence[Field], names: list[str], header: str) -> None:
    separator = delimiter(header)
    names = names or names_of(header)
    texts = reading.texts.texts
    cells = rows(texts, separator)
    for field in fields:
        at = column_index(names, field.column) if names else 0  # of an empty document there are no rows
        raw = [row[at] if at < len(row) else None for row in cells]
        places = [cell_place(text, separator, at) for text in texts] if reading.spans else None
        reading.add(field, raw, places)


def _read_paths(reading: _Reading, fields: Sequence[Field]) -> None:
    texts = reading.texts.texts
    objects: list[Any] = []
    for index, text in enumerate(texts):
        try:
            objects.append(json_value(text))
        except NoJsonError:
            objects.append(None)
            reading.unsupported.setdefault(index, NO_JSON)
    for field in fields:
        path = field.path
        raw = [json_text(json_at(one, path), text, path) for one, text in zip(objects, texts, strict=True)]
        places: Places | None = None
        if reading.spans:
            places = [None if one is None else json_place(text, path) for one, text in zip(raw, texts, strict=True)]
        reading.add(field, raw, places)


def _group(pattern: re.Pattern[str], name: str) -> int:
    """Which group holds a field's value: its own, ``value``, the first, or else the whole match."""
    for known in (name, "value"):
        if known in pattern.groupindex:
            return pattern.groupindex[known]
    return 1 if pattern.groups else 0


def _number_of(unit: str) -> Callable[[str], Value]:
    def number(text: str) -> Value:
        text = text.removesuffix(unit).rstrip() if unit else text
        try:
            return Decimal(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
        except InvalidOperation:
            return None

    return number
