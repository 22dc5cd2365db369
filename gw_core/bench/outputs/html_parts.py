"""The sections of the HTML report. Every function returns markup; every text of a report goes through :func:`text`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from gw_core.bench.outputs import shown
from gw_core.bench.outputs.html_figures import Chart
from gw_core.plain import dumps, printable

Report = Mapping[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")
_LISTED = 8
"""How many failures the page begins with; the tables below have all."""
_PROSE = 24
"""A plain text of a table that is longer may be broken into lines."""


def text(value: object) -> str:
    """Any text as text: escaped for HTML, and what would change the order of a line made visible."""
    return escape(_SURROGATE.sub("\ufffd", printable(str(value))))


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "") -> str:
    """``head`` and ``rows`` are markup. The first cell of a row is its heading. Wide ones scroll in their own box."""
    top = "".join(f'<th scope="col">{one}</th>' for one in head)
    lines = [f'<tr><th scope="row">{first}</th>{"".join(map(_data, rest))}</tr>' for first, *rest in rows]
    return (
        f'<div class="scroll" role="region" aria-label="{text(caption)}" tabindex="0"><table class="{kind}">'
        f"<caption><span>{text(caption)}</span></caption>\n<thead><tr>{top}</tr></thead>\n<tbody>\n"
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )


def _data(markup: str) -> str:
    kind = ' class="prose"' if len(markup) > _PROSE and "<" not in markup else ""
    return f"<td{kind}>{markup}</td>"


def notes(lines: Iterable[str]) -> str:
    listed = "".join(f"<li>{text(one)}</li>" for one in lines)
    return f'<ul class="notes">{listed}</ul>' if listed else ""


def _status(good: bool | None, word: str) -> str:
    kind, sign = {True: ("good", "✓"), False: ("bad", "✗"), None: ("even", "=")}[good]
    return f'<span class="status {kind}"><span aria-hidden="true">{sign}</span> {text(word)}</span>'


# -- what comes first ---------------------------------------------------------------------------------------------


def header(report: Report, good: bool, said: str) -> str:
    of = report["provenance"]
    git = of.get("git")
    where = [
        text(str(of["started"]).replace("T", " ").replace("Z", " UTC")),
        text(shown.seconds(of["seconds"])),
        text(f"gw {of['gw']}"),
        *([text(f"{git['revision'][:12]}{', with changes' if git['dirty'] else ''}")] if git else []),
        text(f"{of['machine']['cpu']}, {shown.count(of['machine']['cores'], 'core')}"),
    ]
    links = "".join(f'<li><a href="#task-{at}">{text(one["name"])}</a></li>' for at, one in enumerate(report["tasks"]))
    return (
        f'<a class="skip" href="#main">To the figures</a>\n<header>\n<p class="eyebrow">gw bench</p>\n'
        f"<h1>{_status(good, 'Passed' if good else 'Failed')}</h1>\n"
        f'<p class="lead">{text(said[:1].upper() + said[1:])}.</p>\n'
        f'<ul class="where">{"".join(f"<li>{one}</li>" for one in where)}</ul>\n'
        f'<nav aria-label="Tasks"><ul>{links}<li><a href="#provenance">provenance</a></li></ul></nav>\n</header>'
    )


def failures(report: Report) -> str:
    """What failed, a sentence each, and the remarks about the whole run."""
    lines = [
        f"{text(one['task'])}/{text(one['cell'])}: <b>{text(one['metric'])}</b> is {shown.number(one['value'])}, "
        f"wanted {shown.number(one['wanted'])}"
        for one in shown.gates(report)
        if not one["passed"]
    ]
    lines += [
        f"{text(one['task'])}/{text(one['cell'])}: <b>{text(one['metric'])}</b> fell from "
        f"{shown.number(one['baseline'])} to {shown.number(one['value'])}"
        if (one["difference"] or 0) < 0
        else f"{text(one['task'])}/{text(one['cell'])}: <b>{text(one['metric'])}</b> rose from "
        f"{shown.number(one['baseline'])} to {shown.number(one['value'])}, which is worse"
        for one in shown.comparison_rows(report)
        if one["verdict"] == "worse"
    ]
    more = len(lines) - _LISTED
    listed = "".join(f"<li>{one}</li>" for one in lines[:_LISTED])
    if more > 0:
        listed += f"<li>and {more:,} more, in the tables below</li>"
    failed = f'<section class="failed" aria-label="What failed"><h2>What failed</h2><ul>{listed}</ul></section>'
    return (failed if lines else "") + notes(report["notes"])


def gates(report: Report) -> str:
    if not report["gates"]:
        return ""
    rows = [
        [
            _status(bool(one["passed"]), "passed" if one["passed"] else "missed"),
            f"{text(one['task'])}/{text(one['cell'])}",
            f"<code>{text(one['gate'])}</code>",
            shown.number(one["value"]),
            shown.number(one["wanted"]),
            text(one["reason"]),
        ]
        for one in shown.gates(report)
    ]
    drawn = table("Gates, missed ones first", ["", "cell", "gate", "value", "wanted", "why"], rows, kind="rows")
    return f'<section id="gates"><h2>Gates</h2>\n{drawn}</section>'


def comparison(report: Report) -> str:
    of = report["comparison"]
    if of is None:
        return ""
    signs = {"worse": False, "better": True}
    rows = [
        [
            _status(signs.get(one["verdict"]), one["verdict"]),
            f"{text(one['task'])}/{text(one['cell'])}",
            text(one["metric"]),
            shown.number(one["baseline"]),
            shown.number(one["value"]),
            _value({**one, "value": one["difference"]}, signed=True),
            f"{one['n']:,}",
        ]
        for one in shown.comparison_rows(report)
    ]
    head = ["", "cell", "metric", "baseline", "now", "difference", "n"]
    drawn = table("Differences on the same questions, with 95 % intervals", head, rows, kind="rows")
    where = "the same machine" if of["same_machine"] else "another machine"
    return (
        f'<section id="comparison"><h2>Against the baseline</h2>\n'
        f"<p><code>{text(of['baseline'])}</code>, measured on {where}.</p>\n{drawn}\n{notes(of['notes'])}</section>"
    )


# -- a task -------------------------------------------------------------------------------------------------------


def task(at: int, of: Mapping[str, Any], drawn: Sequence[Chart]) -> str:
    """``at`` is its place in the report; its charts are numbered by the page's script in the order of the page."""
    cells = of["cells"]
    body = [
        _metrics(cells),
        _charts(drawn),
        *(_grid(one, folded=one.kind == "depth" and bool(drawn)) for one in shown.grids(of)),
        _latency(cells),
        _figures(cells),
        *_lists(cells),
        notes(f"{one['name']}: {note}" for one in cells for note in one["notes"]),
        _questions(at, cells),
        _about(of),
    ]
    return (
        f'<section class="task" id="task-{at}" aria-labelledby="task-{at}-name">\n'
        f'<h2 id="task-{at}-name">{text(of["name"])}</h2>\n' + "\n".join(one for one in body if one) + "\n</section>"
    )


def _metrics(cells: Sequence[Mapping[str, Any]]) -> str:
    names = shown.metric_names(cells)
    if not names:
        return ""
    rows = [
        [text(one["name"]), f"{one['n']:,}", *(_measured(one["metrics"].get(name), one["n"]) for name in names)]
        for one in cells
    ]
    caption = "Means over the questions, with 95 % intervals; chance is what blind guessing reaches"
    return table(caption, ["cell", "n", *map(text, names)], rows, kind="figures")


def _measured(one: Mapping[str, Any] | None, asked: int) -> str:
    if one is None:
        return shown.NOTHING
    more = [] if one["n"] == asked else [f"n {one['n']:,}"]
    if one.get("chance") is not None:
        more.append(f"chance {shown.number(one['chance'])}")
    return _value(one) + "".join(f'<span class="more">{text(said)}</span>' for said in more)


def _value(one: Mapping[str, Any], *, signed: bool = False) -> str:
    plus = "+" if signed and (one["value"] or 0) > 0 else ""
    value = f"<b>{plus}{shown.number(one['value'])}</b>"
    if one.get("low") is None or one.get("high") is None:
        return value
    return f'{value} <span class="interval">{shown.number(one["low"])} to {shown.number(one["high"])}</span>'


def _charts(drawn: Sequence[Chart]) -> str:
    if not drawn:
        return ""
    found = [
        f"<figure><figcaption><b>{text(one.title)}</b><span>{text(one.subtitle)}</span></figcaption>"
        f'<div class="scroll"><div class="chart" role="img" aria-label="{text(one.description)}"'
        f' style="height:{one.height}px;min-width:{one.width}px"></div></div></figure>'
        for one in drawn
    ]
    return f'<div class="charts">{"".join(found)}</div>'


def _grid(grid: shown.Grid, *, folded: bool) -> str:
    rows = [
        [
            text(name),
            *(
                shown.NOTHING if one is None else f'{_value(one)}<span class="more">n {one["n"]:,}</span>'
                for one in row
            ),
        ]
        for name, row in zip(grid.groups, grid.rows, strict=True)
    ]
    title = f"{grid.metric} by {grid.kind}"
    drawn = table(title, [text(grid.kind), *map(text, grid.cells)], rows, kind="figures")
    return _folded(f"{title}, as a table", drawn) if folded else drawn


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{text(title)}</summary>\n{body}</details>"


def _latency(cells: Sequence[Mapping[str, Any]]) -> str:
    timed = [one for one in cells if one["latency"] is not None]
    if not timed:
        return ""
    rows = [
        [
            text(one["name"]),
            f"{of['n']:,}",
            *(f"{shown.number(of[name])} {text(of['unit'])}" for name in ("p50", "p95", "p99")),
        ]
        for one in timed
        for of in (one["latency"],)
    ]
    return table("Latency of a question", ["cell", "timed", "p50", "p95", "p99"], rows, kind="figures")


def _figures(cells: Sequence[Mapping[str, Any]]) -> str:
    have = [one for one in cells if one["figures"]]
    names = dict.fromkeys(name for one in have for name in one["figures"])
    if not names:
        return ""
    rows = [[text(name), *(_figure(one["figures"].get(name)) for one in have)] for name in names]
    return table("Figures, measured once", ["figure", *(text(one["name"]) for one in have)], rows, kind="figures")


def _figure(one: Mapping[str, Any] | None) -> str:
    return shown.NOTHING if one is None else f"<b>{text(shown.quantity(one))}</b>"


def _lists(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Facts that are tables themselves: a list of objects."""
    for cell in cells:
        for key, value in cell["facts"].items():
            if _is_table(value):
                columns = list(dict.fromkeys(name for one in value for name in one))
                rows = [[_plain(one.get(name)) for name in columns] for one in value]
                yield table(f"{cell['name']}: {key}", [text(one) for one in columns], rows, kind="figures")


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) and one for one in value)


def _plain(value: Any) -> str:
    if value is None:
        return shown.NOTHING
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text(value) if isinstance(value, str) else text(dumps(value))
    return f"{value:,}" if isinstance(value, int) else shown.number(value)


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
        f'<details class="questions" data-questions="questions-{at}" data-first="{text(first or "")}">'
        f"<summary>{text(said)}</summary><noscript><p>The list of questions needs JavaScript.</p></noscript></details>"
    )


def _about(of: Mapping[str, Any]) -> str:
    """Settings, and the facts of each cell that are not tables themselves."""
    pairs = [("identity", of["identity"])]
    pairs += [(f"settings.{key}", value) for key, value in shown.facts(of["settings"])]
    for cell in of["cells"]:
        loose = {key: value for key, value in cell["facts"].items() if not _is_table(value)}
        pairs += [(f"{cell['name']}: {key}", value) for key, value in shown.facts(loose)]
    return _folded("Settings and facts", definitions(pairs))


# -- where it comes from ------------------------------------------------------------------------------------------


def definitions(pairs: Iterable[tuple[str, Any]]) -> str:
    listed = "".join(f"<div><dt>{text(key)}</dt><dd>{_plain(value)}</dd></div>" for key, value in pairs)
    return f"<dl>{listed}</dl>"


def provenance(report: Report) -> str:
    overhead = report["overhead"]
    spent = [
        (f"time.{name}", f"{overhead[name]:.1f} {overhead['unit']}") for name in ("ingesting", "asking", "harness")
    ]
    pairs = [*shown.facts(report["provenance"]), *spent, ("ks", ", ".join(map(str, report["ks"])))]
    return (
        '<section id="provenance"><h2>Provenance</h2>\n'
        "<p>What these figures depend on. Intervals are 95 %: Wilson’s for rates of yes and no, else bootstrap.</p>\n"
        f"{definitions(pairs)}</section>"
    )
