"""From the results of a sweep to sentences: which value is least common, how many there are, what adds up to what.

Said in code, of figures that code has reckoned. Where not all was read, every count is a lower bound and is said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from gw_core.records import Recipe, Reduction

SHOWN = 5
"""How many rows a sentence names."""

Result = Mapping[str, Any]


def answer(recipe: Recipe, results: Mapping[str, Result], complete: bool) -> str:
    """A sentence for each reduction, in the recipe's order. ``complete``: all that was to be read was read."""
    return "\n".join(sentence(one, results[one.text], recipe, complete) for one in recipe.reduce)


def sentence(reduction: Reduction, result: Result, recipe: Recipe, complete: bool) -> str:
    """What one reduction says. Of a reducer that is not known here: its first rows."""
    say = _SENTENCES.get(reduction.reducer, _rows)
    unit = next((one.unit for one in recipe.fields if one.name == reduction.settings.get("field")), "")
    text = say(_Said(reduction, result, unit, "" if complete else "at least "))
    if result.get("missing"):
        text += f" {result['missing']:,} of the records have no {_fields(reduction)}."
    if result.get("unusable"):
        text += f" {result['unusable']:,} have one that cannot be used."
    return text


class _Said:
    """One reduction on its way to a sentence."""

    def __init__(self, reduction: Reduction, result: Result, unit: str, bound: str) -> None:
        settings = reduction.settings
        self.text = reduction.text
        self.field = str(settings.get("field", "value"))
        self.by = settings.get("by")
        self.where = f" with {settings['where']}" if settings.get("where") else ""
        self.rows: Sequence[Mapping[str, Any]] = result.get("rows", ())
        self.total: int = result.get("total", 0)
        self.more: int = result.get("more", 0)
        self.unit = unit
        self.bound = bound

    def listed(self, show: Callable[[Mapping[str, Any]], str]) -> str:
        """``a, b and 3 more``"""
        names = [show(one) for one in self.rows[:SHOWN]]
        beyond = len(self.rows) - len(names) + self.more
        return ", ".join(names) + (f" and {beyond:,} more" if beyond else "")

    def figure(self, value: Any) -> str:
        return f"{number(value)} {self.unit}".rstrip()


def number(value: Any) -> str:
    """A value as it is said: numbers exactly, with their digits as they are."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _fields(reduction: Reduction) -> str:
    names = [str(reduction.settings[key]) for key in ("field", "by", "other") if reduction.settings.get(key)]
    return " or ".join(dict.fromkeys(names)) or "value"


def _nothing(said: _Said) -> str | None:
    return None if said.rows else f"{said.text}: there is no record{said.where} to go by."


def _extreme(word: str) -> Callable[[_Said], str]:
    def say(said: _Said) -> str:
        if said.by is not None or not said.rows:
            return _nothing(said) or _rows(said)
        count = said.rows[0]["count"]
        names = said.listed(lambda one: str(one["value"]))
        of = f"{said.bound}{count:,} of {said.bound}{said.total:,} records{said.where}"
        if len(said.rows) == 1 and not said.more:
            return f"The {word} common {said.field} is {names}: {of}."
        return f"The {word} common values of {said.field} are {names}, which tie: {of} each."

    return say


def _count(said: _Said) -> str:
    if said.by is not None:
        return _rows(said)
    return f"There are {said.bound}{said.total:,} records{said.where}."


def _single(word: str) -> Callable[[_Said], str]:
    def say(said: _Said) -> str:
        if said.by is not None or not said.rows:
            return _nothing(said) or _rows(said)
        value = said.rows[0]["value"]
        of = f"{said.bound}{said.total:,} records{said.where}"
        return f"The {word} {said.field} is {said.figure(value)}, of {of}."

    return say


def _rows(said: _Said) -> str:
    if not said.rows:
        return _nothing(said) or ""
    of = f"{said.bound}{said.total:,} records{said.where}"
    return f"{said.text}: {said.listed(lambda one: _row(said, one))}, of {of}."


def _row(said: _Said, row: Mapping[str, Any]) -> str:
    """``ann: 12.5 h``, ``beta 3``"""
    head = f"{row['by']}: " if "by" in row else ""
    figures = [key for key in ("value", "other", "distinct") if key in row]
    if not figures:
        return f"{head}{number(row.get('count', ''))}"
    named = " ".join(said.figure(row[key]) if isinstance(row[key], Decimal) else str(row[key]) for key in figures)
    counted = isinstance(row.get("value"), Decimal) or "count" not in row or "distinct" in row
    return head + named if counted else f"{head}{named} {row['count']:,}"


_SENTENCES: Mapping[str, Callable[[_Said], str]] = {
    "least": _extreme("least"),
    "most": _extreme("most"),
    "count": _count,
    "sum": _single("sum of"),
    "total": _single("sum of"),
    "mean": _single("mean"),
    "median": _single("median"),
    "min": _single("least"),
    "max": _single("greatest"),
    "first": _single("first"),
    "last": _single("last"),
}
