"""The records behind a figure: those that have one value in a field, each cited and re-read from its file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from itertools import groupby
from pathlib import Path
from typing import Any

from gw_core.citation import SIDE_LENGTH, cite_text, without_line_ends
from gw_core.errors import UnknownNameError, UntrustedResultError, UsageError
from gw_core.files import location
from gw_core.ingest import Progress
from gw_core.model import Verdict
from gw_core.pipeline import Pipeline
from gw_core.plain import file_name
from gw_core.records import Batch, Field, Recipe, Value
from gw_core.registry import suggestion
from gw_core.sweep.documents import Opened, documents
from gw_core.sweep.run import OnBatch, SweepOptions, SweepResult, sweep
from gw_core.text.lines import Lines
from gw_core.verify import Verification

MOST = 20
"""How many records are shown unless more are asked for."""
_MARGINS = (1_024, 1_000_000)
"""Characters on either side of a record that are looked at for its citation; the more only where the fewer are nothing
but line ends."""

Test = Callable[[Sequence[Value]], Iterable[int]]
"""Which of the values of a column are meant, by their index."""


@dataclass(frozen=True, slots=True)
class Place:
    """One record: where it stands, and its values by field."""

    path: str
    start: int
    end: int
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Explained:
    """``total`` records have the ``value`` in the ``field``; ``places`` are the first of them. ``result`` is that of
    the sweep that found them, without reductions."""

    field: str
    value: str
    total: int
    places: Sequence[Place]
    result: SweepResult
    pipeline: Pipeline
    began_ns: int

    def evidence(self) -> Iterator[tuple[Verification, Place]]:
        """The records, each with what re-reading its file said, one file after another.

        Raises UntrustedResultError where a file was changed since the sweep began: what was counted may not be what
        stands there now.
        """
        for path, places in groupby(self.places, key=lambda place: place.path):
            yield from self._in_file(path, list(places))

    def _in_file(self, path: str, places: Sequence[Place]) -> Iterator[tuple[Verification, Place]]:
        opened = next(iter(documents(self.pipeline, [path])), None)
        if not isinstance(opened, Opened) or opened.path != path:
            raise _changed(path)
        sources = self.pipeline.sources
        whole = opened.size <= sources.max_bytes
        window = None if whole else _Window(opened.pieces())
        for place in places:
            if window is not None:
                found = window.read(opened, place)
            else:
                text = sources.read(path, opened.decoder).text
                if place.end > len(text):
                    raise _changed(path)
                found = sources.verify(cite_text(path, text, place.start, place.end, opened.decoder))
            self._refuse_changed(path)
            yield found, place

    def _refuse_changed(self, path: str) -> None:
        try:
            status = os.stat(location(self.pipeline.root, path))  # noqa: PTH116  the name is bytes
        except OSError:
            raise _changed(path) from None
        if status.st_ctime_ns > self.began_ns:
            raise _changed(path)


def explain(
    pipeline: Pipeline,
    recipe: Recipe,
    wanted: str,
    below: Sequence[str],
    index: Path,
    options: SweepOptions | None = None,
    *,
    most: int = MOST,
    reader: tuple[str, Any] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_batch: OnBatch | None = None,
) -> Explained:
    """Sweep the files at and below these relative paths for the records with ``wanted``, ``FIELD=VALUE``.

    Numbers and dates are compared as values: 1.5 is 1.50, and a day is all moments of it. ``FIELD=`` are the records
    without a value. All are counted, the first ``most`` are kept. Raises UsageError for a field that there is not, or a
    value that cannot be its.
    """
    name, equals, value = wanted.partition("=")
    if not equals:
        raise UsageError(f"{wanted!r} is no FIELD=VALUE", hint="for example status=open")
    field = next((one for one in recipe.fields if one.name == name.strip()), None)
    if field is None:
        known = [one.name for one in recipe.fields]
        raise UnknownNameError(f"the records have no field {name.strip()!r}", hint=suggestion(name.strip(), known))
    finder = _Finder(field.name, _test(field, value.strip()), most)
    began = time.time_ns()

    def take(batch: Batch) -> None:
        finder.add(batch)
        if on_batch is not None:
            on_batch(batch)

    result = sweep(
        pipeline,
        replace(recipe, reduce=()),
        below,
        index,
        options,
        reader=reader,
        on_progress=on_progress,
        on_batch=take,
        spans=on_batch is not None,
    )
    return Explained(field.name, value.strip(), finder.total, finder.places, result, pipeline, began)


class _Finder:
    def __init__(self, field: str, test: Test, most: int) -> None:
        self.total = 0
        self.places: list[Place] = []
        self._field = field
        self._test = test
        self._most = most

    def add(self, batch: Batch) -> None:
        for index in self._test(batch.columns[self._field]):
            self.total += 1
            if len(self.places) < self._most:
                values = {name: column[index] for name, column in batch.columns.items()}
                self.places.append(Place(batch.path, batch.starts[index], batch.ends[index], values))


# -- values -----------------------------------------------------------------------------------------------------


def _test(field: Field, text: str) -> Test:
    if not text:
        return _equal_to(None)
    if field.kind == "number" or field.number:
        return _equal_to(_number(field, text))
    if field.kind == "date" or field.format:
        return _moment(field, text)
    if field.kind == "choice":
        return _equal_to(next((one for one in field.choices if one.casefold() == text.casefold()), text))
    return _equal_to(text)


def _equal_to(value: Value) -> Test:
    def indexes(column: Sequence[Value]) -> Iterable[int]:
        if value not in column:
            return ()
        return (index for index, one in enumerate(column) if one == value)

    return indexes


def _within(day: date) -> Test:
    def indexes(column: Sequence[Value]) -> Iterable[int]:
        return (
            index
            for index, one in enumerate(column)
            if isinstance(one, date) and (one.date() if isinstance(one, datetime) else one) == day
        )

    return indexes


def _number(field: Field, text: str) -> Decimal:
    try:
        number = Decimal(text.removesuffix(field.unit).strip().replace(",", ""))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise UsageError(f"{text!r} is no number, as {field.name} is", hint=f"for example {field.name}=1.5")
    return number


def _moment(field: Field, text: str) -> Test:
    """A moment or a day as the field's format has it, else as in ISO 8601, where a day is all of its moments."""
    try:
        moment = datetime.strptime(text, field.format)  # noqa: DTZ007 - as it is written
    except ValueError:
        try:
            return _within(date.fromisoformat(text))
        except ValueError:
            moment = _iso(field, text)
    either = (moment, moment.date())  # a column holds days only, or moments only
    return lambda column: (index for index, one in enumerate(column) if one in either)


def _iso(field: Field, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        hint = f"as {field.format}, or as 2024-12-31"
        raise UsageError(f"{text!r} is no date, as {field.name} is", hint=hint) from None


# -- large files ------------------------------------------------------------------------------------------------


class _Window:
    """A text that is too large to be held, read once from its start to its end: the part around one record."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._text = ""
        self._low = 0
        self._lines = 0  # line ends before the window

    def read(self, opened: Opened, place: Place) -> Verification:
        """The citation of a record further on, made from what the file holds now."""
        self._drop(max(0, place.start - _MARGINS[-1]))
        for margin in _MARGINS:
            self._reach(place.end + margin)
            low = max(self._low, place.start - margin)
            around = self._text[low - self._low : place.end + margin - self._low]
            start, end = place.start - low, place.end - low
            if end > len(around):
                raise _changed(opened.path)
            sides = (around[:start], around[end:])
            if all(len(side) < margin or len(without_line_ends(side)) >= SIDE_LENGTH for side in sides):
                break
        cited = cite_text(opened.path, around, start, end, opened.decoder)
        first, last = Lines(self._text).lines(place.start - self._low, place.end - self._low)
        return Verification(
            Verdict.VERIFIED,
            replace(cited, start=place.start, end=place.end),
            place.start,
            place.end,
            lines=(self._lines + first, self._lines + last),
            text=around[start:end],
            sha256=cited.sha256,
            reason="the file is larger than those that gw verify reads",
        )

    def _drop(self, low: int) -> None:
        """Forget what stands before a place, but never one half of a line end."""
        while self._low < low:
            cut = min(low - self._low, len(self._text))
            if self._text[cut - 1 : cut] == "\r" and self._text[cut : cut + 1] in ("", "\n"):
                cut -= 1
            gone, self._text = self._text[:cut], self._text[cut:]
            self._lines += gone.count("\n") + gone.count("\r") - gone.count("\r\n")
            self._low += cut
            if self._text and self._low + 1 >= low:
                return
            piece = next(self._pieces, None)
            if piece is None:
                return
            self._text += piece

    def _reach(self, high: int) -> None:
        pieces, length = [self._text], self._low + len(self._text)
        while length < high:
            piece = next(self._pieces, None)
            if piece is None:
                break
            pieces.append(piece)
            length += len(piece)
        self._text = "".join(pieces)


def _changed(path: str) -> UntrustedResultError:
    return UntrustedResultError(f"{file_name(path)} was changed since the sweep began", hint="sweep again")
