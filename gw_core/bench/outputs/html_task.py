"""A task in the HTML report: its tables, charts and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gw_core.bench.outputs import html_parts as parts
from gw_core.bench.outputs import shown
from gw_core.bench.outputs.html_figures import Chart


def section(at: int, of: Mapping[str, Any], drawn: Sequence[Chart]) -> str:
    """``at`` is its place in the report; its charts are numbered by the page's script in the order of the page."""
    cells = of["cells"]
    body = [
        _metrics(cells),
        _charts(drawn),
        *(_grid(one, folded=one.is_heat_map) for one in shown.grids(of)),
        _latency(cells),
        _figures(cells),
        *_lists(cells),
        parts.notes(f"{one['name']}: {note}" for one in cells for note in one["notes"]),
        _questions(at, cells),
        _about(of),
    ]
    return (
        f'<section class="task" id="task-{at}" aria-labelledby="task-{at}-name">\n'
        f'<h2 id="task-{at}-name">{parts.text(of["name"])}</h2>\n'
        + "\n".join(one for one in body if one)
        + "\n</section>"
    )


def _metrics(cells: Sequence[Mapping[str, Any]]) -> str:
    names = shown.metric_names(cells)
    if not names:
        return ""
    rows = [
        [parts.text(one["name"]), f"{one['n']:,}", *(_measured(one["metrics"].get(name), one["n"]) for name in names)]
        for one in cells
    ]
    caption = "Means over the questions, with 95 % intervals; chance is what blind guessing reaches"
    return parts.table(caption, ["cell", "n", *map(parts.text, names)], rows, kind="figures")


def _measured(one: Mapping[str, Any] | None, asked: int) -> str:
    if one is None:
        return shown.NOTHING
    more = [] if one["n"] == asked else [f"n {one['n']:,}"]
    if one.get("chance") is not None:
        more.append(f"chance {shown.number(one['chance'])}")
    return parts.value(one) + "".join(f'<span class="more">{parts.text(said)}</span>' for said in more)


def _charts(drawn: Sequence[Chart]) -> str:
    if not drawn:
        return ""
    found = [
        f"<figure><figcaption><b>{parts.text(one.title)}</b><span>{parts.text(one.subtitle)}</span></figcaption>"
        f'<div class="scroll"><div class="chart" role="img" aria-label="{parts.text(one.description)}"'
        f' style="height:{one.height}px;min-width:{one.width}px"></div></div></figure>'
        for one in drawn
    ]
    return f'<div class="charts">{"".join(found)}</div>'


def _grid(grid: shown.Grid, *, folded: bool) -> str:
    rows = [
        [
            parts.text(name),
            *(
                shown.NOTHING if one is None else f'{parts.value(one)}<span class="more">n {one["n"]:,}</span>'
                for one in row
            ),
        ]
        for name, row in zip(grid.groups, grid.rows, strict=True)
    ]
    title = f"{grid.metric} by {grid.kind}"
    drawn = parts.table(title, [parts.text(grid.kind), *map(parts.text, grid.cells)], rows, kind="figures")
    return parts.folded(f"{title}, as a table", drawn) if folded else drawn


def _latency(cells: Sequence[Mapping[str, Any]]) -> str:
    timed = [one for one in cells if one["latency"] is not None]
    if not timed:
        return ""
    rows = [
        [
            parts.text(one["name"]),
            f"{of['n']:,}",
            *(f"{shown.number(of[name])} {parts.text(of['unit'])}" for name in ("p50", "p95", "p99")),
        ]
        for one in timed
        for of in (one["latency"],)
    ]
    return parts.table("Latency of a question", ["cell", "timed", "p50", "p95", "p99"], rows, kind="figures")


def _figures(cells: Sequence[Mapping[str, Any]]) -> str:
    have = [one for one in cells if one["figures"]]
    names = dict.fromkeys(name for one in have for name in one["figures"])
    if not names:
        return ""
    rows = [[parts.text(name), *(_figure(one["figures"].get(name)) for one in have)] for name in names]
    return parts.table(
        "Figures, measured once", ["figure", *(parts.text(one["name"]) for one in have)], rows, kind="figures"
    )


def _figure(one: Mapping[str, Any] | None) -> str:
    return shown.NOTHING if one is None else f"<b>{parts.text(shown.quantity(one))}</b>"


def _lists(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for title, columns, values in shown.fact_tables(cells):
        rows = [[parts.plain(one) for one in row] for row in values]
        yield parts.table(title, [parts.text(one) for one in columns], rows, kind="figures")


def _questions(at: int, cells: Sequence[Mapping[str, Any]]) -> str:
    """An empty box: the page's script fills it when it is opened."""
    asked = sum(len(one["questions"]) for one in cells)
    if not asked:
        return ""
    first = shown.primary(shown.metric_names(cells))
    values = [one["values"][first] for cell in cells for one in cell["questions"] if first in one["values"]]
    below = sum(value is not None and value < 1 for value in values)
    said = f"{shown.count(asked, 'question')}" + (f", {below:,} below 1 at {first}" if values else "")
    return (
        f'<details class="questions" data-questions="questions-{at}" data-first="{parts.text(first or "")}">'
        f"<summary>{parts.text(said)}</summary>"
        "<noscript><p>The list of questions needs JavaScript.</p></noscript></details>"
    )


def _about(of: Mapping[str, Any]) -> str:
    """Settings, and the facts of each cell that are not tables themselves."""
    pairs = [("identity", of["identity"])]
    pairs += [(f"settings.{key}", value) for key, value in shown.facts(of["settings"])]
    for cell in of["cells"]:
        loose = {key: value for key, value in cell["facts"].items() if not shown.is_table(value)}
        pairs += [(f"{cell['name']}: {key}", value) for key, value in shown.facts(loose)]
    return parts.folded("Settings and facts", parts.definitions(pairs))
