"""Exact arithmetic over the values of a column: decimals as they were written, never rounded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow, Rounded, localcontext
from typing import Any

from gw_core.records import Value

REACH = 5_000
"""A number is usable if its digits lie within this many places before and behind the point: sums stay exact, and small
enough for memory. No table or log says larger ones in earnest."""

EXACT = Context(prec=2 * REACH + 40, Emin=-(4 * REACH), Emax=4 * REACH)
for _signal in (Inexact, Rounded, InvalidOperation, Overflow, DivisionByZero):
    EXACT.traps[_signal] = True

ZERO = Decimal(0)
_TEXT = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)


def numbers(values: Sequence[Any]) -> Sequence[Decimal | None]:
    """The values as numbers, None for each that is none; text counts if it is a plain number (``-1.50``, ``2e3``).

    Values must not be None.
    """
    kinds = set(map(type, values))
    if kinds == {str}:
        read = _all_read(values)
        if read is not None and _within_reach(read):
            return read
    elif kinds <= {Decimal} and _within_reach(values):
        return values
    return [_number(value) for value in values]


def _all_read(texts: Sequence[str]) -> list[Decimal] | None:
    """All texts at once, if there is nothing in them that only Python takes for a part of a number."""
    joined = "".join(texts)
    if not joined.isascii() or "_" in joined:
        return None
    try:
        return list(map(Decimal, texts))
    except ArithmeticError:
        return None


def _within_reach(values: Sequence[Decimal]) -> bool:
    """Whether all are usable, told from one sum: its exponent is the least of all, and none is larger than it."""
    try:
        with localcontext(EXACT):
            size = sum(map(abs, values), ZERO)
    except ArithmeticError:
        return False
    return _usable(size)


def _usable(number: Decimal) -> bool:
    exponent = number.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -REACH and (not number or number.adjusted() <= REACH)


def _number(value: Value) -> Decimal | None:
    if isinstance(value, str):
        if not _TEXT.fullmatch(value):
            return None
        try:
            value = Decimal(value)
        except ArithmeticError:  # an exponent of twenty digits
            return None
    return value if isinstance(value, Decimal) and _usable(value) else None


def added(values: Sequence[Decimal]) -> Decimal:
    """The exact sum of numbers that :func:`numbers` returned."""
    with localcontext(EXACT):
        return sum(values, ZERO)


def shown(value: Decimal) -> Decimal:
    """The same number without an exponent above zero: 1E+3 is 1000."""
    return EXACT.add(value, ZERO)
