"""The parts of the HTML report around its tasks: markup, in which every text of a report went through :func:`text`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from gw_core.bench.outputs import shown
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


def status(good: bool | None, word: str) -> str:
    kind, sign = {True: ("good", "✓"), False: ("bad", "✗"), None: ("even", "•")}[good]
    return f'<span class="status {kind}"><span aria-hidden="true">{sign}</span> {text(word)}</span>'


def value(one: Mapping[str, Any], *, signed: bool = False) -> str:
    plus = "+" if signed and (one["value"] or 0) > 0 else ""
    value = f"<b>{plus}{shown.number(one['value'])}</b>"
    if one.get("low") is None or one.get("high") is None:
        return value
    return f'{value} <span class="interval">{shown.number(one["low"])} to {shown.number(one["high"])}</span>'


def folded(title: str, body: str) -> str:
    return f"<details><summary>{text(title)}</summary>\n{body}</details>"


def plain(value: Any) -> str:
    if value is None or value in ([], {}, ""):
        return shown.NOTHING
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text(value) if isinstance(value, str) else text(dumps(value))
    return f"{value:,}" if isinstance(value, int) else shown.number(value)


# -- what comes first ---------------------------------------------------------------------------------------------


def header(report: Report, found: shown.Verdict) -> str:
    of = report["provenance"]
    git = of.get("git")
    where = [
        text(str(of["started"]).replace("T", " ").replace("Z", " UTC")),
        text(shown.seconds(of["seconds"])),
        text(f"gw {of['gw']}"),
        *([text(" ".join(filter(None, (git["revision"][:12], git["branch"]))))] if git else []),
        text(f"{of['machine']['cpu']}, {shown.count(of['machine']['cores'], 'core')}"),
    ]
    links = "".join(f'<li><a href="#task-{at}">{text(one["name"])}</a></li>' for at, one in enumerate(report["tasks"]))
    return (
        f'<a class="skip" href="#main">To the figures</a>\n<header>\n<p class="eyebrow">gw bench</p>\n'
        f"<h1>{status(found.good, found.word.capitalize())}</h1>\n"
        f'<p class="lead">{text(found.said[:1].upper() + found.said[1:])}.</p>\n'
        f'<ul class="where">{"".join(f"<li>{one}</li>" for one in where)}</ul>\n'
        f'<nav aria-label="Tasks"><ul>{links}<li><a href="#provenance">provenance</a></li></ul></nav>\n</header>'
    )


def failures(report: Report) -> str:
    """What failed, a sentence each, and the remarks about the whole run."""
    lines = [f"{_where(one)}: {text(shown.wanted(one))}" for one in shown.gates(report) if not one["passed"]]
    lines += [f"{_where(one)}: {_fell(one)}" for one in shown.comparison_rows(report) if one["verdict"] == "worse"]
    more = len(lines) - _LISTED
    listed = "".join(f"<li>{one}</li>" for one in lines[:_LISTED])
    if more > 0:
        listed += f"<li>and {more:,} more, in the tables below</li>"
    failed = f'<section class="failed" aria-label="What failed"><h2>What failed</h2><ul>{listed}</ul></section>'
    return (failed if lines else "") + notes(report["notes"])


def _where(one: Mapping[str, Any]) -> str:
    return f"<b>{text(one['task'])}/{text(one['cell'])}</b>"


def _fell(one: Mapping[str, Any]) -> str:
    now = f"{shown.number(one['baseline'])} to {shown.number(one['value'])}"
    went = "fell from" if (one["difference"] or 0) < 0 else "rose from"
    return f"{text(one['metric'])} {went} {now}, which is worse"


def gates(report: Report) -> str:
    if not report["gates"]:
        return ""
    rows = [
        [
            status(bool(one["passed"]), "passed" if one["passed"] else "missed"),
            f"{text(one['task'])}/{text(one['cell'])}",
            f"<code>{text(one['gate'])}</code>",
            value(shown.measured(report, one)),
            text(shown.wanted(one)),
        ]
        for one in shown.gates(report)
    ]
    head = ["", "cell", "gate", "value", "why"]
    drawn = table("Gates, missed ones first, with 95 % intervals", head, rows, kind="rows")
    return f'<section id="gates"><h2>Gates</h2>\n{drawn}</section>'


def comparison(report: Report) -> str:
    of = report["comparison"]
    if of is None:
        return ""
    rows = shown.comparison_rows(report)
    changed = [one for one in rows if one["verdict"] in _SIGNS]
    same = [one for one in rows if one["verdict"] not in _SIGNS]
    where = "the same machine" if of["same_machine"] else "another machine"
    body = [f"<p><code>{text(of['baseline'])}</code>, measured on {where}.</p>"]
    if changed:
        body.append(_compared("What changed, on the same questions, with 95 % intervals", changed))
    if same:
        drawn = _compared("No difference shown, on the same questions, with 95 % intervals", same)
        title = f"{shown.count(len(same), 'metric')} without a difference that can be shown"
        body.append(folded(title, drawn) if len(rows) > _LISTED else drawn)
    body.append(notes(of["notes"]))
    return '<section id="comparison"><h2>Against the baseline</h2>\n' + "\n".join(body) + "</section>"


_SIGNS = {"worse": False, "better": True}


def _compared(caption: str, rows: Iterable[Mapping[str, Any]]) -> str:
    lines = [
        [
            status(_SIGNS.get(one["verdict"]), one["verdict"]),
            f"{text(one['task'])}/{text(one['cell'])}",
            text(one["metric"]),
            shown.number(one["baseline"]),
            shown.number(one["value"]),
            value({**one, "value": one["difference"]}, signed=True),
            f"{one['n']:,}" if one["n"] else shown.NOTHING,
        ]
        for one in rows
    ]
    return table(caption, ["", "cell", "metric", "baseline", "now", "difference", "n"], lines, kind="rows")


# -- where it comes from ------------------------------------------------------------------------------------------


def definitions(pairs: Iterable[tuple[str, Any]]) -> str:
    listed = "".join(f"<div><dt>{text(key)}</dt><dd>{plain(value)}</dd></div>" for key, value in pairs)
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
