"""Values of records as bytes: in an order of their own, and as they were written.

One total order over all values: numbers by size, then days, then times (those without a zone first), then text by code
points. Bytes sort as the values do, so that SQLite and Python agree.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from gw_core.records import Value

_NUMBER, _DAY, _TIME, _ZONED, _TEXT = b"1", b"2", b"3", b"4", b"5"
_BIAS = 1 << 62  # exponents of decimals are smaller, either way
_FLIP = bytes(range(255, -1, -1))
_FLIPPED_DIGITS = bytes((254 - byte) % 256 for byte in range(256))  # what ends a number is above them all


def ordered(value: Value) -> bytes:
    """A key that sorts as the value does, equal for equal values. None: empty, before everything.

    >>> sorted([Decimal(10), Decimal("-2.5"), Decimal(9)], key=ordered)
    [Decimal('-2.5'), Decimal('9'), Decimal('10')]
    """
    if isinstance(value, str):
        return _TEXT + value.encode("utf-8", "surrogatepass")
    if value is None:
        return b""
    if isinstance(value, Decimal):
        return _NUMBER + _number(value)
    if isinstance(value, datetime):
        return _time(value)
    return _DAY + value.isoformat().encode()


def _number(value: Decimal) -> bytes:
    """Sign, exponent of the first digit, digits; all but the sign flipped where it is negative."""
    negative, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return b"\xff" if exponent != "F" else b"\x00" if negative else b"\x04"
    if not any(digits):
        return b"\x02"
    size = (exponent + len(digits) + _BIAS).to_bytes(8, "big")
    written = bytes(digits).rstrip(b"\0")
    if not negative:
        return b"\x03" + size + written
    return b"\x01" + size.translate(_FLIP) + written.translate(_FLIPPED_DIGITS) + b"\xff"


def _time(value: datetime) -> bytes:
    """Microseconds; with a zone those of UTC, which may lie before year 1."""
    seconds = value.toordinal() * 86_400 + value.hour * 3_600 + value.minute * 60 + value.second
    micros = seconds * 1_000_000 + value.microsecond
    offset = value.utcoffset()
    if offset is None:
        return _TIME + (micros + _BIAS).to_bytes(8, "big")
    micros -= (offset.days * 86_400 + offset.seconds) * 1_000_000 + offset.microseconds
    return _ZONED + (micros + _BIAS).to_bytes(8, "big")


def packed(value: Value) -> bytes | None:
    """A value as it was written, for :func:`unpacked`."""
    if value is None:
        return None
    if isinstance(value, str):
        return _TEXT + value.encode("utf-8", "surrogatepass")
    if isinstance(value, Decimal):
        return _NUMBER + str(value).encode()
    kind = _TIME if isinstance(value, datetime) else _DAY
    return kind + value.isoformat().encode()


def unpacked(data: bytes | None) -> Value:
    """The value that was packed."""
    if data is None:
        return None
    kind, text = data[:1], data[1:].decode("utf-8", "surrogatepass")
    if kind == _TEXT:
        return text
    if kind == _NUMBER:
        return Decimal(text)
    return datetime.fromisoformat(text) if kind == _TIME else date.fromisoformat(text)


def restored(key: bytes, shown: bytes | None) -> Value:
    """The value of a key; ``shown`` is what was packed of one that is no text."""
    return unpacked(shown if shown is not None else key or None)
