"""The charts of a report as plotly's figures: plain ``{"data": [...], "layout": {...}}``.

Colours are names of the page's CSS variables (``var(--series-1)``); the page's script puts in what they stand for, so
that a chart changes with the page between light and dark. Texts are escaped: plotly reads a little HTML in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from gw_core.bench.outputs import shown

Figure = dict[str, Any]

_SERIES = 4
"""How many colours there are; each also has its own marker and dash."""
_MARKERS = ("circle", "square", "diamond", "triangle-up")
_DASHES = ("solid", "dash", "dot", "dashdot")
_LONGEST = 20
_SCALE = [[0.0, "var(--scale-0)"], [0.5, "var(--scale-1)"], [0.8, "var(--scale-2)"], [1.0, "var(--scale-3)"]]
_AXIS = {"gridcolor": "var(--line)", "linecolor": "var(--line)", "zeroline": False, "fixedrange": True}


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure with the words beside it. ``description`` says what it shows to whoever cannot see it."""

    title: str
    subtitle: str
    description: str
    figure: Figure
    height: int
    width: int
    """The least width in pixels at which it can be read."""


def charts(task: Mapping[str, Any]) -> Iterator[Chart]:
    """The heat map, and the curves of recall and latency, where there are two cells or more to draw."""
    names = shown.metric_names(task["cells"])
    for grid in shown.grids(task):
        if grid.is_heat_map:
            yield heat_map(grid)
    for kind in _kinds(names):
        if (chart := metric_curves(task["cells"], [one for one in names if one.partition("@")[0] == kind])) is not None:
            yield chart
    if (chart := latency_curves(task["cells"])) is not None:
        yield chart


def _kinds(names: Sequence[str]) -> list[str]:
    """What is drawn: what was found, where a task says so; else the metric that a reader asks for first."""
    there = {one.partition("@")[0] for one in names}
    first = shown.primary(names)
    return [one for one in ("recall", "coverage") if one in there] or ([first.partition("@")[0]] if first else [])


# -- heat map -----------------------------------------------------------------------------------------------------


def heat_map(grid: shown.Grid) -> Chart:
    """Groups from the top down, cells from left to right, the number in each."""
    values = [[None if one is None else one["value"] for one in row] for row in grid.rows]
    trace = {
        "type": "heatmap",
        "x": list(range(len(grid.cells))),
        "y": list(range(len(grid.groups))),
        "z": values,
        "text": [[_cell(one) for one in row] for row in values],
        "texttemplate": "%{text}",
        "textfont": {"size": 11},
        "customdata": [
            [f"{_text(cell)}, {_text(name)}: {_hover(one)}" for cell, one in zip(grid.cells, row, strict=True)]
            for name, row in zip(grid.groups, grid.rows, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "zmin": 0,
        "zmax": 1,
        "xgap": 3,
        "ygap": 3,
        "colorscale": _SCALE,
        "showscale": False,
    }
    layout = _layout()
    # By number, not by name: two that look alike once they are shortened are still two.
    axis = {"tickmode": "array", "showgrid": False, "zeroline": False, "fixedrange": True, "ticks": ""}
    layout["xaxis"] = {**axis, **_named(grid.cells), "side": "top"}
    layout["yaxis"] = {**axis, **_named(grid.groups), "autorange": "reversed", "automargin": True}
    layout["margin"] = {"l": 8, "r": 4, "t": 28, "b": 4}
    known = [(one, row, at) for row, line in enumerate(values) for at, one in enumerate(line) if one is not None]
    lowest, row, at = min(known, default=(None, 0, 0))
    where = f"; the lowest is {shown.number(lowest)} at {grid.groups[row]} of {grid.cells[at]}" if known else ""
    return Chart(
        title=f"{grid.metric} by {grid.kind} and size",
        subtitle="Rows: how deep in the corpus. Columns: its size. 1 is best.",
        description=f"Heat map of {grid.metric}, {len(grid.groups)} {grid.kind}s by {len(grid.cells)} sizes{where}.",
        figure={"data": [trace], "layout": layout},
        height=36 + 30 * len(grid.groups),
        width=90 + 42 * len(grid.cells),
    )


def _named(names: Sequence[str]) -> dict[str, Any]:
    return {"tickvals": list(range(len(names))), "ticktext": [_text(one) for one in names]}


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return "1" if value == 1 else "0" if value == 0 else f"{value:.2f}"


def _hover(one: Mapping[str, Any] | None) -> str:
    return "" if one is None else f"{shown.measurement(one)}, n {one['n']}"


# -- curves -------------------------------------------------------------------------------------------------------


def metric_curves(cells: Sequence[Mapping[str, Any]], family: Sequence[str]) -> Chart | None:
    """Metrics of one kind (``recall@1``, ``recall@5``, ...), each with its interval; None for a single cell."""
    family = family[:_SERIES]
    kind, first = family[0].partition("@")[0], shown.primary(family)
    those = [one for one in cells if any(name in one["metrics"] for name in family)]
    if len(those) < 2:
        return None
    axis = _Axis.of(those)
    data: list[Figure] = []
    for at, name in enumerate(family):
        have = [one for one in those if _known(one["metrics"].get(name))]
        found = [one["metrics"][name] for one in have]
        where = [axis.at(one) for one in have]
        data.append(_band(where, [one["low"] for one in found], [one["high"] for one in found], at, axis.curves))
        hover = [[_text(one["name"]), _hover(of)] for one, of in zip(have, found, strict=True)]
        line = _line(name, where, [one["value"] for one in found], hover, at, axis.curves)
        if not axis.curves:
            line["error_y"] = _bars(found, at)
        data.append(line)
    if (chance := _chance(those, first, axis)) is not None:
        data.append(chance)
    layout = _layout()
    layout["xaxis"] = axis.layout()
    layout["yaxis"] = {**_AXIS, "automargin": True, **_rates(those, family)}
    ends = "; ".join(f"{name} from {_ends([one['metrics'].get(name) for one in those])}" for name in family)
    return Chart(
        title=f"{kind} {axis.against}",
        subtitle="Bands are 95 % intervals." if axis.curves else "Bars are 95 % intervals.",
        description=f"{kind} {axis.against}, {those[0]['name']} to {those[-1]['name']}: {ends}.",
        figure={"data": [one for one in data if one], "layout": layout},
        height=300,
        width=260,
    )


def _rates(cells: Sequence[Mapping[str, Any]], family: Sequence[str]) -> dict[str, Any]:
    """The whole scale from 0 to 1, unless a metric is something else."""
    found = [one["metrics"][name]["value"] for one in cells for name in family if _known(one["metrics"].get(name))]
    if any(not 0 <= value <= 1 for value in found):
        return {"rangemode": "tozero"}
    return {"range": [-0.03, 1.03], "tickvals": [0, 0.25, 0.5, 0.75, 1]}


def latency_curves(cells: Sequence[Mapping[str, Any]]) -> Chart | None:
    """The median with a band up to the 95th percentile, and the 99th."""
    timed = [one for one in cells if one["latency"] is not None]
    if len(timed) < 2:
        return None
    axis = _Axis.of(timed)
    where = [axis.at(one) for one in timed]
    unit = str(timed[0]["latency"]["unit"])
    found = {name: [one["latency"][name] for one in timed] for name in ("p50", "p95", "p99")}
    data = [_band(where, found["p50"], found["p95"], 0, axis.curves)]
    for at, (name, values) in enumerate(found.items()):
        hover = [
            [_text(one["name"]), f"{shown.number(value)} {_text(unit)}, n {one['latency']['n']}"]
            for one, value in zip(timed, values, strict=True)
        ]
        data.append(_line(name, where, values, hover, at, axis.curves))
    layout = _layout()
    layout["xaxis"] = axis.layout()
    layout["yaxis"] = {**_AXIS, "rangemode": "tozero", "automargin": True, "ticksuffix": f" {_text(unit)}"}
    ends = f"{shown.number(found['p50'][0])} to {shown.number(found['p50'][-1])} {unit}"
    return Chart(
        title=f"latency {axis.against}",
        subtitle="Median, 95th and 99th percentile of a question" + (", shaded to the 95th." if axis.curves else "."),
        description=f"Latency {axis.against}: the median goes from {ends}.",
        figure={"data": [one for one in data if one], "layout": layout},
        height=300,
        width=260,
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """Sizes on a logarithmic axis, where every cell has one of its own; else the cells side by side."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, cells: Sequence[Mapping[str, Any]]) -> _Axis:
        sizes = [one["size"] for one in cells if one["size"]]
        distinct = len(set(sizes)) == len(cells)
        return cls(tuple(one["name"] for one in cells), tuple(sizes) if distinct else ())

    @property
    def curves(self) -> bool:
        return bool(self.sizes)

    @property
    def against(self) -> str:
        return "against corpus size" if self.curves else "by cell"

    def at(self, cell: Mapping[str, Any]) -> float:
        return float(cell["size"]) if self.curves else float(self.names.index(cell["name"]))

    def layout(self) -> dict[str, Any]:
        ticks = {"tickvals": list(self.sizes or range(len(self.names))), "ticktext": [_text(one) for one in self.names]}
        if self.curves:
            return {**_AXIS, **ticks, "type": "log", "title": {"text": "tokens", "standoff": 8}, "automargin": True}
        return {**_AXIS, **ticks, "range": [-0.5, len(self.names) - 0.5], "showgrid": False, "automargin": True}


def _line(
    name: str, where: Sequence[float], values: Sequence[float], hover: Sequence[Sequence[str]], at: int, curves: bool
) -> Figure:
    colour = f"var(--series-{at % _SERIES + 1})"
    return {
        "type": "scatter",
        "mode": "lines+markers" if curves else "markers",
        "name": _text(name),
        "x": [one if curves else one + 0.12 * (at - 1) for one in where],
        "y": list(values),
        "customdata": list(hover),
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}<extra>%{fullData.name}</extra>",
        "line": {"color": colour, "width": 2, "dash": _DASHES[at % _SERIES]},
        "marker": {"color": colour, "size": 7, "symbol": _MARKERS[at % _SERIES]},
    }


def _band(where: Sequence[float], low: Sequence[Any], high: Sequence[Any], at: int, curves: bool) -> Figure:
    """A closed outline around the intervals, filled; nothing where there are no curves or not all ends are known."""
    if not curves or None in low or None in high:
        return {}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*where, *reversed(where)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": f"var(--band-{at % _SERIES + 1})",
        "line": {"width": 0, "color": "var(--clear)"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _bars(found: Sequence[Mapping[str, Any]], at: int) -> Figure:
    return {
        "type": "data",
        "symmetric": False,
        "array": [(one["high"] if one["high"] is not None else one["value"]) - one["value"] for one in found],
        "arrayminus": [one["value"] - (one["low"] if one["low"] is not None else one["value"]) for one in found],
        "color": f"var(--series-{at % _SERIES + 1})",
        "thickness": 1.5,
        "width": 3,
    }


def _chance(cells: Sequence[Mapping[str, Any]], name: str | None, axis: _Axis) -> Figure | None:
    """What blind guessing reaches at the metric that a reader asks for first."""
    if name is None or not axis.curves:
        return None
    have = [one for one in cells if one["metrics"].get(name, {}).get("chance") is not None]
    if len(have) < 2:
        return None
    chance = [one["metrics"][name]["chance"] for one in have]
    hover = [[_text(one["name"]), shown.number(value)] for one, value in zip(have, chance, strict=True)]
    line = _line(f"chance, {name}", [axis.at(one) for one in have], chance, hover, 0, True)
    return {**line, "mode": "lines", "line": {"color": "var(--muted)", "width": 1.5, "dash": "dot"}}


def _known(one: Mapping[str, Any] | None) -> bool:
    return one is not None and one["value"] is not None


def _ends(found: Sequence[Mapping[str, Any] | None]) -> str:
    values = [one["value"] for one in found if one is not None]
    return f"{shown.number(values[0])} to {shown.number(values[-1])}" if values else "nothing"


def _layout() -> dict[str, Any]:
    return {
        "paper_bgcolor": "var(--clear)",
        "plot_bgcolor": "var(--clear)",
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": "var(--muted)"},
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "hoverlabel": {
            "bgcolor": "var(--raised)",
            "bordercolor": "var(--line)",
            "font": {"color": "var(--ink)"},
        },
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        "hovermode": "closest",
        "dragmode": False,
    }


def _text(value: object) -> str:
    """A short text on one line; a long one would leave the chart itself no room."""
    line = " ".join(str(value).split())
    return escape(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…", quote=False)
