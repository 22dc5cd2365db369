"""A bench report as text: tables on a terminal, one line a figure elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gw_core.cli.console import Console, one_line

_HEAT = "recall@"
_MOST_GROUPS = 12
_LEGEND = "mean (95 % interval) chance"


def write_report(console: Console, result: Mapping[str, Any]) -> None:
    """``--json``: the report itself."""
    if console.format == "json":
        console.item(result)
    elif console.is_terminal:
        _write_tables(console, result)
    else:
        for row in _lines(result):
            console.line("\t".join(map(one_line, row)))
        _tell_notes(console, result)
        if result["comparison"] is not None:
            console.line()
            write_comparison(console, result["comparison"])


def _tell_notes(console: Console, result: Mapping[str, Any]) -> None:
    """What whoever reads the figures must know, each once, on stderr."""
    for task in result["tasks"]:
        for note in dict.fromkeys(note for cell in task["cells"] for note in cell["notes"]):
            console.say(f"gw: {task['name']}: {note}")


def _lines(result: Mapping[str, Any]) -> Iterator[list[str]]:
    """Task, cell, metric, value, low, high, n, chance; figures have a unit in place of the last three."""
    for task in result["tasks"]:
        for cell in task["cells"]:
            head = [task["name"], cell["name"]]
            for name, one in cell["metrics"].items():
                chance = "" if one.get("chance") is None else f"{one['chance']:.4f}"
                yield [*head, name, *(f"{one[key]:.4f}" for key in ("value", "low", "high")), str(one["n"]), chance]
            if cell["latency"] is not None:
                for name in ("p50", "p95", "p99"):
                    yield [*head, name, f"{cell['latency'][name]:.3f}", "ms"]
            for name, one in cell["figures"].items():
                yield [*head, name, f"{one['value']:.6g}", one["unit"]]


def _write_tables(console: Console, result: Mapping[str, Any]) -> None:
    for number, task in enumerate(result["tasks"]):
        if number:
            console.line()
        console.line(console.styled(one_line(task["name"]), "bold"))
        _write_metrics(console, task["cells"])
        _write_figures(console, task["cells"])
        _write_fact_tables(console, task["cells"])
        _write_depths(console, task["cells"])
    _tell_notes(console, result)
    if result["comparison"] is not None:
        console.line()
        write_comparison(console, result["comparison"])


def write_comparison(console: Console, comparison: Mapping[str, Any]) -> None:
    """A table on a terminal; elsewhere a line a row, tabs between the same fields."""
    if console.is_terminal:
        console.line(console.styled(f"Compared with {one_line(comparison['baseline'])}", "bold"))
    console.table(
        ("task", "cell", "metric", "n", "was", "is", "difference (95 %)", ""),
        [_compared_row(one) for one in comparison["rows"]],
    )
    for note in comparison["notes"]:
        console.say(f"gw: {note}")


def _compared_row(one: Mapping[str, Any]) -> tuple[str, ...]:
    difference = f"{one['difference']:+.4f}"
    if one["low"] is not None:  # figures that were measured once have no interval
        difference += f" ({one['low']:+.4f} to {one['high']:+.4f})"
    values = (f"{one[key]:.4f}" for key in ("baseline", "value"))
    return one["task"], one["cell"], one["metric"], str(one["n"]), *values, difference, one["verdict"]


def _write_metrics(console: Console, cells: Sequence[Mapping[str, Any]]) -> None:
    """A row for each metric, a column for each cell; then the same for the groups of each cell, such as categories."""
    if any(cell["metrics"] for cell in cells):
        console.line(console.styled(_LEGEND, "dim"))
    _write_matrix(console, [(cell["name"], cell) for cell in cells], timed=True)
    for cell in cells:
        for key, groups in cell["groups"].items():
            if key != "depth" and 2 <= len(groups) <= _MOST_GROUPS:
                console.line()
                console.line(console.styled(one_line(f"{cell['name']} by {key}"), "bold"))
                _write_matrix(console, [(one["group"], one) for one in groups], timed=False)


def _write_matrix(console: Console, columns_of: Sequence[tuple[str, Mapping[str, Any]]], *, timed: bool) -> None:
    """In several tables where one would be wider than the terminal."""
    heads, cells = [name for name, _ in columns_of], [one for _, one in columns_of]
    names = list(dict.fromkeys(name for cell in cells for name in cell["metrics"]))
    timed = timed and any(cell["latency"] is not None for cell in cells)
    if not names and not timed:
        return
    columns = [_column(cell, names, timed) for cell in cells]
    labels = ["n", *names, *(("p50 ms", "p95 ms", "p99 ms") if timed else ())]
    room = console.width - max(map(len, labels)) - 2
    wide = max(len(text) for column in columns for text in column) + 2
    several = max(1, room // wide)
    for first in range(0, len(cells), several):
        shown = range(first, min(first + several, len(cells)))
        rows = [[label, *(columns[at][row] for at in shown)] for row, label in enumerate(labels)]
        console.table(["", *(one_line(heads[at]) for at in shown)], rows)


def _column(cell: Mapping[str, Any], names: Sequence[str], timed: bool) -> list[str]:
    latency = cell.get("latency") or {}
    times = [f"{latency[point]:.1f}" if point in latency else "" for point in ("p50", "p95", "p99")]
    return [str(cell["n"]), *(_metric(cell["metrics"].get(name)) for name in names), *(times if timed else ())]


def _metric(one: Mapping[str, Any] | None) -> str:
    """``0.990 (0.964-0.997) 0.0043``"""
    if one is None:
        return ""
    chance = "" if one.get("chance") is None else f" {one['chance']:.2g}"
    return f"{one['value']:.3f} ({one['low']:.3f}-{one['high']:.3f}){chance}"


def _write_figures(console: Console, cells: Sequence[Mapping[str, Any]]) -> None:
    names = list(dict.fromkeys(name for cell in cells for name in cell["figures"]))
    if not names:
        return
    rows = []
    for name in names:
        row = [name]
        for cell in cells:
            one = cell["figures"].get(name)
            row.append("" if one is None else f"{one['value']:,.4g} {one['unit']}".rstrip())
        rows.append(row)
    console.table(["", *(cell["name"] for cell in cells)], rows)


def _write_fact_tables(console: Console, cells: Sequence[Mapping[str, Any]]) -> None:
    """Facts that are tables themselves: lists of objects."""
    for cell in cells:
        for name, rows in cell["facts"].items():
            if not isinstance(rows, list) or not rows or not all(isinstance(one, Mapping) for one in rows):
                continue
            columns = list(dict.fromkeys(key for one in rows for key in one))
            console.line()
            console.line(console.styled(one_line(f"{cell['name']}: {name}"), "bold"))
            console.table(columns, [[str(one.get(key, "")) for key in columns] for one in rows])


def _write_depths(console: Console, cells: Sequence[Mapping[str, Any]]) -> None:
    """The share found by depth (rows) and corpus (columns)."""
    columns = {cell["name"]: {one["group"]: one for one in cell["groups"].get("depth", ())} for cell in cells}
    columns = {name: groups for name, groups in columns.items() if groups}
    depths = sorted({group for groups in columns.values() for group in groups}, key=lambda one: int(one.split("-")[0]))
    metric = next(
        (
            name
            for groups in columns.values()
            for one in groups.values()
            for name in one["metrics"]
            if name.startswith(_HEAT) and name != "recall@1"
        ),
        None,
    )
    if metric is None or not depths:
        return
    rows = [[depth, *(_share(groups.get(depth), metric) for groups in columns.values())] for depth in depths]
    console.line()
    console.table([f"{metric} by depth", *columns], rows)


def _share(group: Mapping[str, Any] | None, metric: str) -> str:
    if group is None or metric not in group["metrics"]:
        return ""
    one = group["metrics"][metric]
    return f"{one['value']:.2f} of {one['n']}"
