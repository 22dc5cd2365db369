"""Cells of CSV rows and places in JSON objects: what they hold, where that stands in the record, and dates in it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from gw_core.errors import LoadError
from gw_core.records import Value
from gw_core.sweep.split import delimiter

Place = tuple[int, int]

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
_SPACE = re.compile(r"[ \t\r\n]*")
_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of characters, which JSON can escape and which are no text."""
_SHOWN = 10
_TIME_OF_DAY = re.compile(r"%[HIMSpfcXTRrzZ]")


class NoJsonError(ValueError):
    """A record that is no JSON."""


# -- CSV ------------------------------------------------------------------------------------------------------------


def names_of(header: str) -> list[str]:
    """The names of columns in the first row of a CSV document."""
    return rows([header], delimiter(header))[0] if header else []


def column_index(names: Sequence[str], name: str) -> int:
    """Which column has a name, the first of several. Raises LoadError where there is none."""
    try:
        return names.index(name)
    except ValueError:
        known = ", ".join(repr(one) for one in names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        raise LoadError(f"there is no column {name!r}, but {known or 'none'}", reason="column") from None


def rows(texts: Sequence[str], separator: str) -> list[list[str]]:
    """The cells of each row. Raises LoadError for what is no CSV."""
    limit = csv.field_size_limit()
    csv.field_size_limit(1 << 30)
    try:
        found = list(csv.reader(texts, delimiter=separator))
        if len(found) != len(texts):  # a quotation mark that is never closed
            found = [next(csv.reader([text], delimiter=separator), []) for text in texts]
    except csv.Error as error:
        raise LoadError(f"not CSV: {error}", reason="unreadable") from error
    finally:
        csv.field_size_limit(limit)
    return found


def cell_place(row: str, separator: str, index: int) -> Place | None:
    """Where a cell stands in its row, quotation marks around it apart."""
    cell = _cell(separator)
    at = 0
    for _ in range(index):
        at = cell.match(row, at).end() + 1  # type: ignore[union-attr]  # it matches anything
        if at > len(row):
            return None
    found = cell.match(row, at)
    if found is None:
        return None
    return found.span() if found[1] is None else found.span(1)


@lru_cache(maxsize=8)
def _cell(separator: str) -> re.Pattern[str]:
    one = re.escape(separator)
    return re.compile(f'"([^"]*(?:""[^"]*)*)"?[^{one}]*|[^{one}]*')


# -- JSON -----------------------------------------------------------------------------------------------------------

_DECODER = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=str)


def json_value(text: str) -> Any:
    """What a record of JSON holds, its numbers as decimals. Raises NoJsonError."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError, ArithmeticError) as error:
        raise NoJsonError(str(error)) from error


def json_at(value: Any, path: str) -> Any:
    """What stands at a place, None where there is no such place."""
    for key, index in _steps(path):
        if key and isinstance(value, dict):
            value = value.get(key)
        elif not key and isinstance(value, list) and index < len(value):
            value = value[index]
        else:
            return None
    return value


def json_text(value: Any, text: str, path: str) -> Value:
    """What stands at a place as text: a number, true and false as JSON has them, a list or an object as it is written
    in ``text``."""
    if isinstance(value, str):
        return (_HALVES.sub("\ufffd", value) if "\\u" in text else value) or None
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return str(value)
    place = json_place(text, path)
    return None if place is None else text[slice(*place)]


def json_place(text: str, path: str) -> Place | None:
    """Where the value at a path stands in a text that is JSON, quotation marks around it apart."""
    at = _skip(text, 0)
    for key, index in _steps(path):
        found = _member(text, at, key) if key else _item(text, at, index)
        if found is None:
            return None
        at = found
    end = _DECODER.raw_decode(text, at)[1]
    return (at + 1, end - 1) if text[at] == '"' else (at, end)


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[tuple[str, int], ...]:
    """Keys of objects, and indexes of lists with an empty key."""
    return tuple((found[1] or "", int(found[2] or 0)) for found in _STEP.finditer(path))


def _member(text: str, at: int, key: str) -> int | None:
    """Where the value of a key begins: the last of several, which is the one that counts."""
    if text[at] != "{":
        return None
    found = None
    at = _skip(text, at + 1)
    while text[at] == '"':
        name, at = scanstring(text, at + 1, True)
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            found = at
        at = _skip(text, _DECODER.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _item(text: str, at: int, index: int) -> int | None:
    if text[at] != "[":
        return None
    at = _skip(text, at + 1)
    while text[at] != "]":
        if not index:
            return at
        index -= 1
        at = _skip(text, _DECODER.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches anything


# -- dates ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def moment(text: str, form: str) -> Value:
    """A date as ``form`` (``strptime``) has it, with its time of day where the form has one; None for what is none."""
    try:
        found = datetime.strptime(text, form)  # noqa: DTZ007 - as it is written
    except ValueError:
        return None
    return found if _TIME_OF_DAY.search(form) else found.date()
