"""A bench report as text: tables on a terminal, one line a figure elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gw_core.cli.console import Console, one_line

_HEAT = "recall@"


def write_report(console: Console, result: Mapping[str, Any]) -> None:
    """``--json``: the report itself."""
    if console.format == "json":
        console.item(result)
    elif console.is_terminal:
        _write_tables(console, result)
    else:
        for row in _lines(result):
            console.line("\t".join(map(one_line, row)))
        if result["comparison"] is not None:
            write_comparison(console, result["comparison"])


def _lines(result: Mapping[str, Any]) -> Iterator[list[str]]:
    """Task, cell, metric, value, low, high, n, chance; figures have a unit in place of the last three."""
    for task in result["tasks"]:
        for cell in task["cells"]:
            head = [task["name"], cell["name"]]
            for name, one in cell["metrics"].items():
                chance = "" if one["chance"] is None else f"{one['chance']:.4f}"
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
        for note in dict.fromkeys(note for cell in task["cells"] for note in cell["notes"]):
            console.say(f"gw: {note}")
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
    names = list(dict.fromkeys(name for cell in cells for name in cell["metrics"]))
    if not names and all(cell["latency"] is None for cell in cells):
        return
    timed = any(cell["latency"] is not None for cell in cells)
    headings = ["", "n", *names, *(("p50 ms", "p95 ms") if timed else ())]
    rows = []
    for cell in cells:
        row = [cell["name"], str(cell["n"])]
        row += [_metric(cell["metrics"].get(name)) for name in names]
        if timed:
            latency = cell["latency"]
            row += ["", ""] if latency is None else [f"{latency['p50']:.1f}", f"{latency['p95']:.1f}"]
        rows.append(row)
    chances = [[_chance(cell["metrics"].get(name)) for name in names] for cell in cells]
    console.table(headings, rows)
    if any(any(row) for row in chances):
        told = dict.fromkeys(
            f"{cell['name']} " + ", ".join(part for part in _told(names, row))
            for cell, row in zip(cells, chances, strict=True)
        )
        console.line(console.styled("chance: " + "; ".join(told), "dim"))


def _told(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    yield from (f"{name} {one}" for name, one in zip(names, row, strict=True) if one)


def _metric(one: Mapping[str, Any] | None) -> str:
    return "" if one is None else f"{one['value']:.3f} ({one['low']:.3f}-{one['high']:.3f})"


def _chance(one: Mapping[str, Any] | None) -> str:
    return "" if one is None or one["chance"] is None else f"{one['chance']:.3g}"


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
