"""What every form of a report shares: numbers as text, gates in order, tables of groups against cells."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NOTHING = "–"
"""Stands where there is no number."""

Report = Mapping[str, Any]

_RANKED = re.compile(r"(.+)@(\d+)")
_LEADING = ("recall", "coverage", "answer_contains", "answer_f1", "answer_exact", "abstention_recall")
_PRIMARY_K = 5


@dataclass(frozen=True, slots=True)
class Grid:
    """Groups of one kind against the cells of a task, for one metric. ``rows[i][j]`` is group i in cell j, or None."""

    kind: str
    metric: str
    groups: tuple[str, ...]
    cells: tuple[str, ...]
    rows: tuple[tuple[Mapping[str, Any] | None, ...], ...]

    @property
    def is_heat_map(self) -> bool:
        """It is worth drawing: depths, in corpora of several sizes."""
        return self.kind == "depth" and len(self.cells) > 1


def number(value: object) -> str:
    """A number with as many digits as say something; an integer in full.

    >>> [number(one) for one in (1.0, 0.98333, 12.345, 64000, 0.00012, None)]
    ['1.000', '0.983', '12.35', '64,000', '0.00012', '–']
    """
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return NOTHING
    size = abs(value)
    if isinstance(value, int):
        return f"{value:,}" if size > 1 else f"{value}.000"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.2f}" if size < 100 else f"{value:.1f}"
    if size >= 0.001 or size == 0:
        return f"{value:.3f}"
    return f"{value:.2g}"


def measurement(one: Mapping[str, Any]) -> str:
    """``0.983 [0.951, 0.994]``: the value and its 95 % interval."""
    if one.get("low") is None or one.get("high") is None:
        return number(one.get("value"))
    return f"{number(one.get('value'))} [{number(one['low'])}, {number(one['high'])}]"


def quantity(one: Mapping[str, Any]) -> str:
    """A figure with its unit."""
    value = one.get("value")
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else number(value)
    return f"{text} {one.get('unit') or ''}".rstrip()


def count(value: int, one: str, many: str = "") -> str:
    """``1 question``, ``2 questions``."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def seconds(value: float) -> str:
    """``12.3 s``, ``2 min 5 s``.

    >>> seconds(12.34), seconds(125.2)
    ('12.3 s', '2 min 5 s')
    """
    if value < 100:
        return f"{value:.1f} s"
    return (
        f"{int(value // 60)} min {round(value % 60):d} s" if round(value % 60) < 60 else f"{int(value // 60) + 1} min"
    )


def metric_names(cells: Iterable[Mapping[str, Any]]) -> list[str]:
    """All metrics of some cells, those of one kind by their K, the kinds in the order of first appearance."""
    names = list(dict.fromkeys(name for one in cells for name in one["metrics"]))
    kinds = list(dict.fromkeys(_kind(name) for name in names))
    return sorted(names, key=lambda name: (kinds.index(_kind(name)), _k(name)))


def primary(names: Iterable[str]) -> str | None:
    """The metric that a reader asks for first: recall at 5, else the nearest K, else what is said of answers."""
    some = list(names)
    for kind in _LEADING:
        if of_kind := [name for name in some if _kind(name) == kind]:
            return min(of_kind, key=lambda name: abs(_k(name) - _PRIMARY_K))
    return some[0] if some else None


def _kind(name: str) -> str:
    found = _RANKED.fullmatch(name)
    return found[1] if found else name


def _k(name: str) -> int:
    found = _RANKED.fullmatch(name)
    return int(found[2]) if found else 0


def grids(task: Mapping[str, Any]) -> Iterator[Grid]:
    """One for each kind of group in a task (depth, category), for the metric that a reader asks for first.

    None for a kind of which each cell has a single group: that says nothing that the cell does not.
    """
    cells = task["cells"]
    for kind in dict.fromkeys(kind for one in cells for kind in one["groups"]):
        those = [one for one in cells if one["groups"].get(kind)]
        if max(map(len, (one["groups"][kind] for one in those)), default=0) < 2:
            continue
        found = [{one["group"]: one for one in cell["groups"][kind]} for cell in those]
        metric = primary(dict.fromkeys(m for by in found for one in by.values() for m in one["metrics"]))
        names = _in_order(name for by in found for name in by)
        if metric is not None:
            rows = tuple(tuple(_at(by, name, metric) for by in found) for name in names)
            yield Grid(kind, metric, names, tuple(one["name"] for one in those), rows)


def _at(by_group: Mapping[str, Any], group: str, metric: str) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = by_group.get(group, {}).get("metrics", {}).get(metric)
    return found


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Each once: as they came, but ranges such as ``0-10 %`` by where they begin, whichever cell named them first."""
    some = list(dict.fromkeys(names))
    starts = [re.match(r"(\d+)-\d+ %", name) for name in some]
    if some and all(starts):
        some.sort(key=lambda name: int(name.partition("-")[0]))
    return tuple(some)


def gates(report: Report) -> list[Mapping[str, Any]]:
    """Gates, those that were missed first."""
    return sorted(report["gates"], key=lambda one: bool(one["passed"]))


def comparison_rows(report: Report) -> list[Mapping[str, Any]]:
    """Rows of the comparison: worse, better, no difference shown."""
    order = ("worse", "better")
    rows = (report["comparison"] or {}).get("rows", [])
    return sorted(rows, key=lambda one: order.index(one["verdict"]) if one["verdict"] in order else len(order))


@dataclass(frozen=True, slots=True)
class Verdict:
    """``good`` is None where nothing was asked of the run; ``word`` is one word, ``said`` a clause that tells more."""

    good: bool | None
    word: str
    said: str


def verdict(report: Report) -> Verdict:
    """Whether a gate was missed, or anything is worse than the baseline."""
    missed = sum(not one["passed"] for one in report["gates"])
    worse = sum(one["verdict"] == "worse" for one in comparison_rows(report))
    said = []
    if report["gates"]:
        total = count(len(report["gates"]), "gate")
        said.append(f"{missed} of {total} missed" if missed else f"{total} passed")
    if report["comparison"] is not None:
        said.append(f"{worse} of {count(len(comparison_rows(report)), 'metric')} worse than the baseline")
    if not said:
        return Verdict(None, "measured", "no gate was set and nothing was compared")
    word = "failed" if missed else "worse" if worse else "passed"
    return Verdict(not (missed or worse), word, "; ".join(said))


def measured(report: Report, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The measurement that a gate's row speaks of; of a figure, only its value."""
    for task in report["tasks"]:
        for cell in task["cells"]:
            if (task["name"], cell["name"]) == (row["task"], row["cell"]) and row["metric"] in cell["metrics"]:
                found: Mapping[str, Any] = cell["metrics"][row["metric"]]
                return found
    return {"value": row["value"]}


def wanted(row: Mapping[str, Any]) -> str:
    """Why a gate's row was missed, in words: the reason that it has, else its numbers."""
    return row["reason"] or f"{row['metric']} is {number(row['value'])}, wanted {number(row['wanted'])}"


def is_table(value: Any) -> bool:
    """It is a list of objects, to be shown as a table."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) and one for one in value)


def fact_tables(cells: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, list[str], list[list[Any]]]]:
    """Title, columns and rows of each fact that is a table itself."""
    for cell in cells:
        for key, value in cell["facts"].items():
            if is_table(value):
                columns = list(dict.fromkeys(name for one in value for name in one))
                yield f"{cell['name']}: {key}", columns, [[one.get(name) for name in columns] for one in value]


def facts(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested plain data as pairs of a dotted name and a value."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from facts(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
