"""A report as Markdown, for the summary of a CI run.

Texts of a report may be a stranger's: nothing in them becomes markup, breaks a table or leads elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gw_core.bench.outputs import shown
from gw_core.plain import dumps, printable

Report = Mapping[str, Any]

_SPACE = re.compile(r"\s+")
_MARKUP = re.compile(
    r"^[-+=]|[\\`*_{}\[\]()<>#|~$&]"
    r"|(?<!\w)@(?=\w)"  # a mention
    r"|:(?=//|[\w+-]+:)"  # an address; a picture by name
    r"|(?<=www)\.",  # an address that begins with www.
    re.IGNORECASE,
)
_ENTITIES = {"&": "&amp;", "@": "&#64;", ":": "&#58;", ".": "&#46;"}
"""For what a backslash does not keep a renderer from reading more into it."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST = 300


def markdown(report: Report) -> str:
    """Gates and comparison first, then a table for each task, then where the figures come from."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    verdict = shown.verdict(report)
    provenance = report["provenance"]
    yield f"# gw bench: {verdict.word}"
    yield ""
    yield f"{text(verdict.said)}. Took {shown.seconds(provenance['seconds'])}, started {text(provenance['started'])}."
    yield from _bullets(report["notes"])
    yield from _gates(report)
    yield from _comparison(report)
    for task in report["tasks"]:
        yield from _task(task)
    yield from _provenance(report)


def text(value: object) -> str:
    r"""Any text on one line, with all that means something to Markdown or HTML made to stand for itself.

    >>> text("a|b\n<b>`c`</b>")
    'a\\|b \\<b\\>\\`c\\`\\</b\\>'
    """
    line = _SPACE.sub(" ", _SURROGATE.sub("\ufffd", printable(str(value)))).strip()
    if len(line) > _LONGEST:
        line = line[: _LONGEST - 1] + "…"
    return _MARKUP.sub(_escaped, line)


def _escaped(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0]) or f"\\{found[0]}"


def _bullets(notes: Iterable[str]) -> Iterator[str]:
    listed = [f"- {text(one)}" for one in notes]
    if listed:
        yield from ("", *listed)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """The lines of a table whose cells are Markdown already. All columns from ``numbers`` on stand to the right."""
    yield ""
    yield f"| {' | '.join(head)} |"
    yield "|" + "|".join("---" if at < numbers or not numbers else "---:" for at in range(len(head))) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _gates(report: Report) -> Iterator[str]:
    if not report["gates"]:
        return
    yield from ("", "## Gates")
    rows = (
        [
            "✅ passed" if one["passed"] else "❌ **missed**",
            text(one["gate"]),
            text(f"{one['task']}/{one['cell']}"),
            text(shown.measurement(shown.measured(report, one))),
            text(shown.wanted(one)),
        ]
        for one in shown.gates(report)
    )
    yield from table(["", "gate", "cell", "value, 95 % interval", "why"], rows)


_VERDICTS = {"worse": "❌ **worse**", "better": "✅ better"}


def _comparison(report: Report) -> Iterator[str]:
    comparison = report["comparison"]
    if comparison is None:
        return
    where = "the same machine" if comparison["same_machine"] else "another machine"
    yield from ("", "## Against the baseline", "", f"{text(comparison['baseline'])}, measured on {where}.")
    rows = (
        [
            _VERDICTS.get(one["verdict"], text(one["verdict"])),
            text(f"{one['task']}/{one['cell']}"),
            text(one["metric"]),
            shown.number(one["baseline"]),
            shown.number(one["value"]),
            text(shown.measurement({**one, "value": one["difference"]})),
            f"{one['n']:,}" if one["n"] else shown.NOTHING,
        ]
        for one in shown.comparison_rows(report)
    )
    yield from table(["", "cell", "metric", "baseline", "now", "difference, 95 % interval", "n"], rows)
    yield from _bullets(comparison["notes"])


def _settings(settings: Mapping[str, Any]) -> str:
    """``context 64k, 256k; distractors 16``: what is set, and not off."""
    told = {key: value for key, value in settings.items() if value not in (None, False, [], "")}
    return "; ".join(
        f"{key} {', '.join(map(str, value)) if isinstance(value, list) else value}" for key, value in told.items()
    )


def _task(task: Mapping[str, Any]) -> Iterator[str]:
    cells = task["cells"]
    yield from ("", f"## {text(task['name'])}", "", text(_settings(task["settings"])))
    if names := shown.metric_names(cells):
        head = ["cell", "n", *map(text, names)]
        rows = (
            [text(one["name"]), f"{one['n']:,}", *(_measured(one["metrics"].get(name), one["n"]) for name in names)]
            for one in cells
        )
        yield from table(head, rows, 1)
    for grid in shown.grids(task):
        title = f"{grid.metric} by {grid.kind}"
        yield from ("", f"<details><summary>{_html(title)}</summary>")
        rows = ([text(name), *(_grouped(one) for one in row)] for name, row in zip(grid.groups, grid.rows, strict=True))
        yield from table([text(grid.kind), *map(text, grid.cells)], rows, 1)
        yield from ("", "</details>")
    timed = [one for one in cells if one["latency"] is not None]
    if timed:
        rows = ([text(one["name"]), f"{one['latency']['n']:,}", *_percentiles(one["latency"])] for one in timed)
        unit = text(timed[0]["latency"]["unit"])
        yield from table(["cell", "timed", *(f"{name}, {unit}" for name in ("p50", "p95", "p99"))], rows, 1)
    if measured := list(dict.fromkeys(name for one in cells for name in one["figures"])):
        rows = ([text(name), *(_figure(one["figures"].get(name)) for one in cells)] for name in measured)
        yield from table(["figure", *(text(one["name"]) for one in cells)], rows, 1)
    for title, columns, values in shown.fact_tables(cells):
        yield from ("", text(title))
        yield from table([text(one) for one in columns], ([_value(one) for one in row] for row in values))
    yield from _bullets(f"{one['name']}: {note}" for one in cells for note in one["notes"])


def _measured(one: Mapping[str, Any] | None, asked: int) -> str:
    """Value and interval; n where not all that were asked count; chance where it is known."""
    if one is None:
        return shown.NOTHING
    said = [text(shown.measurement(one))]
    if one["n"] != asked:
        said.append(f"n {one['n']:,}")
    if one.get("chance") is not None:
        said.append(f"chance {shown.number(one['chance'])}")
    return "<br>".join(said)


def _grouped(one: Mapping[str, Any] | None) -> str:
    return shown.NOTHING if one is None else f"{shown.number(one['value'])} (n {one['n']:,})"


def _percentiles(latency: Mapping[str, Any]) -> list[str]:
    return [shown.number(latency[name]) for name in ("p50", "p95", "p99")]


def _figure(one: Mapping[str, Any] | None) -> str:
    return shown.NOTHING if one is None else text(shown.quantity(one))


def _html(value: object) -> str:
    """As :func:`text`, for within an element of HTML, where a backslash stands for itself."""
    line = _SPACE.sub(" ", _SURROGATE.sub("\ufffd", printable(str(value))))
    return re.sub(r"[^\w ,.%-]", lambda found: f"&#{ord(found[0])};", line)


def _provenance(report: Report) -> Iterator[str]:
    overhead = report["overhead"]
    unit = text(overhead["unit"])
    spent = [f"{name} {overhead[name]:.1f} {unit}" for name in ("ingesting", "asking", "harness")]
    yield from ("", "<details><summary>Where these figures come from</summary>")
    rows = ([text(key), _value(value)] for key, value in shown.facts(report["provenance"]))
    yield from table(["", ""], [*rows, ["time", ", ".join(spent)]])
    yield from ("", "Intervals are 95 %. `chance` is what blind guessing reaches.", "", "</details>")


def _value(value: object) -> str:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return text(value)
    return text("" if value in (None, {}, []) else dumps(value))
