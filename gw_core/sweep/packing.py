"""A batch of records as a few bytes for the journal, and back: whole columns at a time.

All places count from the start of the segment, so that the same segment is known again wherever it stands.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from itertools import accumulate, islice
from operator import add, sub
from typing import Any

from gw_core.compression import compress, decompress
from gw_core.records import Batch, Value

_MOST_BYTES = 1 << 28
_CODES = "HIq"
"""Type codes of arrays of 2, 4 and 8 bytes a number, the narrowest that holds them all first."""
_SEPARATOR, _NONE = "\x1f", "\x1e"
"""Between the values of a column, and in the place of one that is missing."""


def pack_spans(starts: Sequence[int], ends: Sequence[int], start: int) -> bytes:
    """Spans of records, in the order in which they stand, for a segment that begins at ``start``.

    >>> unpack_spans(pack_spans([10, 15], [14, 19], 10), 100, 120)
    ([100, 105], [104, 109])
    """
    if not starts:
        return b""
    lengths = _numbers(list(map(sub, ends, starts)))
    gaps = list(map(sub, islice(starts, 1, None), ends))
    if gaps and gaps.count(gaps[0]) == len(gaps):  # records with one line end between each
        gaps = gaps[:1]
    return compress(_joined([_numbers([starts[0] - start]), lengths, _numbers(gaps)]))


def unpack_spans(packed: bytes, start: int, end: int) -> tuple[list[int], list[int]]:
    """Starts and ends of the records of a segment from ``start`` to ``end``; the last may reach beyond it.

    Raises ValueError for bytes that are none, or records that don't begin in the segment.
    """
    if not packed:
        return [], []
    parts = [_unpacked(part) for part in _parts(decompress(packed, _MOST_BYTES))]
    if len(parts) != 3:
        raise ValueError("spans of records are damaged")
    first, lengths, gaps = parts
    count = len(lengths)
    if len(gaps) == 1 < count - 1:
        gaps = gaps * (count - 1)
    if not (len(first) == 1 and count and len(gaps) == count - 1 and min(lengths) >= 0):
        raise ValueError("spans of records are damaged")
    starts = list(accumulate(map(add, lengths, gaps), initial=start + first[0]))
    if min(starts) < start or max(starts) >= max(end, start + 1):
        raise ValueError("spans of records are damaged: one begins outside its segment")
    return starts, list(map(add, starts, lengths))


def pack_fields(batch: Batch, start: int) -> bytes:
    """The columns of a batch, the spans of their values, and which records do not count."""
    parts: list[bytes] = []
    columns = []
    for name, values in batch.columns.items():
        kind, part = _column(values)
        columns.append([name, kind])
        parts.append(part)
    spans = [(name, one) for name, one in batch.spans.items() if one is not None]
    for _, column in spans:
        flat = [place for span in column for place in (span or (start - 1, start - 1))]
        parts.append(_numbers([place - start + 1 for place in flat]))  # zeros: there is none
    head = {
        "columns": columns,
        "spans": [name for name, _ in spans],
        "none": [name for name, one in batch.spans.items() if one is None],
        "unsupported": {str(index): reason for index, reason in batch.unsupported.items()},
    }
    return compress(_joined([json.dumps(head).encode(), *parts]))


def unpack_batch(spans: bytes, fields: bytes, path: str, start: int, end: int) -> Batch:
    """The inverse of :func:`pack_spans` and :func:`pack_fields`, for a segment of ``path`` from ``start`` to ``end``.

    Raises ValueError for bytes that are none.
    """
    starts, ends = unpack_spans(spans, start, end)
    if not fields:
        return Batch(path, starts, ends, {})
    try:
        parts = iter(_parts(decompress(fields, _MOST_BYTES)))
        head = json.loads(next(parts))
        columns = {str(name): _values(kind, next(parts)) for name, kind in head["columns"]}
        places: dict[str, Any] = {str(name): _places(next(parts), start) for name in head["spans"]}
        places.update((str(name), None) for name in head["none"])
        unsupported = {int(index): str(reason) for index, reason in head["unsupported"].items()}
    except (KeyError, TypeError, AttributeError, StopIteration, InvalidOperation) as error:
        raise ValueError(f"fields of records are damaged: {error!r}") from error
    all_columns: Iterable[Sequence[Any] | None] = (*columns.values(), *places.values())
    if any(one is not None and len(one) != len(starts) for one in all_columns) or any(
        not 0 <= index < len(starts) for index in unsupported
    ):
        raise ValueError("fields of records are damaged: they are not of so many records")
    return Batch(path, starts, ends, columns, places, unsupported)


# -- values -----------------------------------------------------------------------------------------------------


def _text(value: str) -> str:
    return value


_KINDS: Mapping[str, tuple[type, Callable[[str], Value]]] = {
    "text": (str, _text),
    "number": (Decimal, Decimal),
    "date": (date, date.fromisoformat),
    "time": (datetime, datetime.fromisoformat),
}


def _column(values: Sequence[Value]) -> tuple[str, bytes]:
    """The kind of a column and its values; one that is of no single kind is kept as JSON."""
    types = set(map(type, values))
    missing = values.count(None) if type(None) in types else 0
    types.discard(type(None))
    kind = next((name for name, (of, _) in _KINDS.items() if types <= {of}), "")
    if kind:
        shown: Iterable[str] = map(str, values) if kind != "text" else values  # type: ignore[assignment]
        if missing:
            shown = [_NONE if one is None else str(one) for one in values]
        text = _SEPARATOR.join(shown)
        if text.count(_SEPARATOR) == len(values) - 1 and text.count(_NONE) == missing:
            return kind, text.encode("utf-8", "surrogatepass")
    tagged = [None if one is None else [_kind_of(one), str(one)] for one in values]
    return "mixed", json.dumps(tagged).encode()


def _kind_of(value: Value) -> str:
    return next(name for name, (of, _) in _KINDS.items() if type(value) is of)


def _values(kind: str, part: bytes) -> list[Value]:
    if kind == "mixed":
        return [None if one is None else _KINDS[one[0]][1](one[1]) for one in json.loads(part)]
    convert = _KINDS[kind][1]
    shown = part.decode("utf-8", "surrogatepass").split(_SEPARATOR)
    if _NONE in shown:
        return [None if one == _NONE else convert(one) for one in shown]
    return list(shown) if convert is _text else list(map(convert, shown))


def _places(part: bytes, start: int) -> list[tuple[int, int] | None]:
    flat = [place + start - 1 for place in _unpacked(part)]
    pairs = zip(flat[::2], flat[1::2], strict=True)
    return [None if first < start else (first, last) for first, last in pairs]


# -- numbers and parts ------------------------------------------------------------------------------------------


def _numbers(values: Sequence[int]) -> bytes:
    """Whole numbers, little-endian, as narrow as they may be; the first byte says how narrow."""
    for code in _CODES:
        try:
            packed = array(code, values)
        except OverflowError:
            continue
        if sys.byteorder == "big":
            packed.byteswap()
        return code.encode() + packed.tobytes()
    raise ValueError("a place in a text is beyond all numbers")


def _unpacked(part: bytes) -> list[int]:
    code = part[:1].decode("latin-1")
    if code not in _CODES or not code:
        raise ValueError("packed numbers are damaged")
    numbers = array(code)
    numbers.frombytes(part[1:])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def _joined(parts: Sequence[bytes]) -> bytes:
    """Parts behind one another, each behind its length."""
    return b"".join(piece for part in parts for piece in (len(part).to_bytes(4, "little"), part))


def _parts(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "little")
        at += 4 + length
        if at > len(data):
            raise ValueError("packed parts are cut off")
        yield data[at - length : at]
