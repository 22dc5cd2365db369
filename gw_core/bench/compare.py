"""A report against a baseline: the difference of every metric on the questions that both asked, and whether it is one.

Pairs are made by task, cell and question. What was measured once (figures, latency) is shown beside, where it means
something, and is never better or worse: one measurement has no interval.

Every row stands for itself, at 95 %; there is no correction for how many there are. Rows of one run are anything but
independent (recall@5, recall@10 and mrr@10 rest on the same rankings), and a correction such as Holm's would let a loss
of 10 in 60 questions pass wherever two dozen rows stand beside it. The price is that of two equal systems, asked anew
with everything left to chance, up to one row in 40 is called worse (measured: 1.2 to 2.8 % of rows of 60 questions or
more, 0 to 1.5 % of those of 6). gw itself gives the same answers to the same questions, and then none is.
:func:`compare` says in its notes how many rows chance may account for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gw_core.bench.paired import Difference, paired_difference
from gw_core.bench.saved import check_report, is_number, read_report
from gw_core.errors import UsageError

__all__ = ["NOT_SHOWN", "compare", "read_report", "regressions"]

Plain = Mapping[str, Any]

NOT_SHOWN = "no difference shown"
NOT_JUDGED = "not judged"
"""Of what was measured once: one number has no interval."""
_LISTED = 3
_MANY = 20
"""From so many rows on, chance is likely to have a say in one of them."""


def compare(report: Plain, baseline: Plain, *, name: str = "the baseline") -> dict[str, Any]:
    """The comparison of a report ``gw.bench/1``, as it stands in it under that name; ``name`` is the baseline's file.

    Raises UsageError for a baseline that is no report, has no cell in common, or measured one with other settings.
    Settings that are lists (sizes, numbers of hops) may differ: they say which cells there are.
    """
    check_report(baseline, name)
    pairs = list(_common(report, baseline, name))
    same_machine = _machine(report) == _machine(baseline)
    notes = [*_differing_runs(report, baseline), *_unpaired(report, baseline)]
    rows: list[dict[str, Any]] = []
    for task, before, after in pairs:
        place = {"task": task["name"], "cell": after["name"]}
        if before.get("size") != after.get("size"):
            notes.append(f"{_at(place)}: left out, its corpus has another size in the baseline")
            continue
        notes += _other_corpora(place, before, after)
        rows += _metric_rows(place, before, after, notes)
        rows += _figure_rows(place, before, after, same_machine)
    if not same_machine:
        notes.append("measured on another machine: speed and memory are not compared")
    notes += _by_chance(rows)
    return {"baseline": name, "same_machine": same_machine, "rows": rows, "notes": notes}


def regressions(comparison: Plain) -> list[Plain]:
    """The rows that are worse."""
    return [row for row in comparison["rows"] if row["verdict"] == "worse"]


def _common(report: Plain, baseline: Plain, name: str) -> Iterator[tuple[Plain, Plain, Plain]]:
    """Task, cell of the baseline, cell of the report, for each cell that both have."""
    known = {task["name"]: task for task in baseline["tasks"]}
    found = False
    for task in report["tasks"]:
        other = known.get(task["name"])
        if other is None:
            continue
        _check_same(task, other, name)
        cells = {cell["name"]: cell for cell in other["cells"]}
        for cell in task["cells"]:
            if cell["name"] in cells:
                found = True
                yield task, cells[cell["name"]], cell
    if not found:
        hint = f"it has {_listed(_places(baseline))}; this run has {_listed(_places(report))}"
        raise UsageError(f"{name} is a baseline of another task: nothing in it can be compared", hint=hint)


def _check_same(task: Plain, other: Plain, name: str) -> None:
    mine, theirs = task["settings"], other["settings"]
    kinds = [one["identity"].partition("(")[0] for one in (task, other)]
    if kinds[0] != kinds[1]:
        raise UsageError(
            f"{name}: task {task['name']} is {kinds[1]} there and {kinds[0]} here",
            hint="measure the baseline again",
        )
    differing = [key for key, one, two in _differing(mine, theirs) if not (_is_list(one) and _is_list(two))]
    if differing:
        there, here = (", ".join(f"{key} = {one.get(key)!r}" for key in differing) for one in (theirs, mine))
        raise UsageError(
            f"{name}: task {task['name']} was measured with other settings: {there} there, {here} here",
            hint="use the baseline's settings, or measure the baseline again",
        )


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _differing(mine: Plain, theirs: Plain) -> Iterator[tuple[str, Any, Any]]:
    """The keys of two mappings whose values differ, with both values."""
    for key in sorted({*mine, *theirs}):
        if mine.get(key) != theirs.get(key):
            yield key, mine.get(key), theirs.get(key)


def _metric_rows(place: Plain, before: Plain, after: Plain, notes: list[str]) -> Iterator[dict[str, Any]]:
    pairs = _paired_questions(place, before, after, notes)
    for metric in after["metrics"]:
        if metric not in before["metrics"]:
            continue
        old, new = ([one["values"].get(metric) for one in side] for side in pairs)
        both = [pair for pair in zip(old, new, strict=True) if is_number(pair[0]) and is_number(pair[1])]
        lacking = sum(is_number(one) for one in old), sum(is_number(one) for one in new)
        if max(lacking) > len(both):
            notes.append(
                f"{_at(place)}/{metric}: compared on the {len(both)} questions that have it on both sides; "
                f"{lacking[0]} have it in the baseline, {lacking[1]} here"
            )
        if both:
            found = paired_difference([one for one, _ in both], [two for _, two in both], f"{_at(place)}/{metric}")
            yield _row(place, metric, found)


def _row(place: Plain, metric: str, found: Difference) -> dict[str, Any]:
    better = "better" if found.difference > 0 else "worse"
    return {
        **place,
        "metric": metric,
        "n": found.n,
        "baseline": found.before,
        "value": found.after,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "verdict": better if found.shown else NOT_SHOWN,
    }


def _paired_questions(place: Plain, before: Plain, after: Plain, notes: list[str]) -> tuple[list[Plain], list[Plain]]:
    """The questions that both cells asked, in the same words and order."""
    old, new = ({one["id"]: one for one in cell["questions"]} for cell in (before, after))
    lost, added = [one for one in old if one not in new], [one for one in new if one not in old]
    for ids, where in ((lost, "only in the baseline"), (added, "only here")):
        if ids:
            notes.append(f"{_at(place)}: left out, {where}: {_listed(ids)}")
    shared = [one for one in new if one in old]
    changed = [one for one in shared if old[one]["question"] != new[one]["question"]]
    if changed:
        notes.append(f"{_at(place)}: left out, asked in other words in the baseline: {_listed(changed)}")
    kept = [one for one in shared if one not in set(changed)]
    return [old[one] for one in kept], [new[one] for one in kept]


def _figure_rows(place: Plain, before: Plain, after: Plain, same_machine: bool) -> Iterator[dict[str, Any]]:
    """What was measured once, and the latencies, as far as both sides can be compared."""
    old, new = dict(_figures(before)), dict(_figures(after))
    for figure, (value, unit, on_machine) in new.items():
        was, its_unit, _ = old.get(figure, (None, unit, on_machine))
        if was is None or value is None or its_unit != unit or (on_machine and not same_machine):
            continue
        numbers = {"n": 0, "baseline": was, "value": value, "difference": value - was, "low": None, "high": None}
        yield {**place, "metric": figure, **numbers, "verdict": NOT_JUDGED}


def _figures(cell: Plain) -> Iterator[tuple[str, tuple[float | None, str, bool]]]:
    for name, one in cell["figures"].items():
        yield name, (one["value"], one["unit"], one["machine"])
    latency = cell.get("latency") or {}
    for point in ("p50", "p95"):
        if is_number(latency.get(point)):
            yield f"latency {point}", (latency[point], str(latency.get("unit")), True)


def _differing_runs(report: Plain, baseline: Plain) -> Iterator[str]:
    """What was not the same for the whole run."""
    here, there = report["provenance"], baseline["provenance"]
    stacks = [(one.get("haystack") or {}) for one in (here, there)]
    if stacks[0].get("sha256") != stacks[1].get("sha256"):
        names = [f"{one.get('name')} ({str(one.get('sha256'))[:12]})" if one else "none" for one in stacks]
        yield f"another haystack: {names[1]} in the baseline, {names[0]} here"
    if here.get("seed") != there.get("seed"):
        yield f"another seed: {there.get('seed')} in the baseline, {here.get('seed')} here"
    sides = [config if isinstance(config := run.get("config"), Mapping) else {} for run in (here, there)]
    for key, one, two in _differing(*sides):
        yield f"another setting: {key} is {_value(two)} in the baseline, {_value(one)} here"
    known = {task["name"]: task["settings"] for task in baseline["tasks"]}
    for task in report["tasks"]:
        for key, one, two in _differing(task["settings"], known.get(task["name"], task["settings"])):
            yield f"another setting: {task['name']} {key} is {_value(two)} in the baseline, {_value(one)} here"


def _other_corpora(place: Plain, before: Plain, after: Plain) -> Iterator[str]:
    old, new = ((one.get("facts") or {}).get("corpus_sha256") for one in (before, after))
    if old and new and old != new:
        yield f"{_at(place)}: another corpus than the baseline's"


def _unpaired(report: Plain, baseline: Plain) -> Iterator[str]:
    here, there = _places(report), _places(baseline)
    if lost := [one for one in there if one not in here]:
        yield f"not compared, only in the baseline: {_listed(lost)}"
    if added := [one for one in here if one not in there]:
        yield f"not compared, only here: {_listed(added)}"


def _by_chance(rows: Sequence[Plain]) -> Iterator[str]:
    judged = [row for row in rows if row["low"] is not None]
    shown = [row for row in judged if row["verdict"] != NOT_SHOWN]
    if shown and len(judged) >= _MANY:
        yield (
            f"{len(shown)} of {len(judged)} rows differ; each is judged by itself, at 95 %, so that up to "
            f"{round(len(judged) / 20)} may do so by chance alone"
        )


def _value(value: object) -> str:
    return "not set" if value is None else repr(value)


def _places(report: Plain) -> list[str]:
    return [f"{task['name']}/{cell['name']}" for task in report["tasks"] for cell in task["cells"]]


def _machine(report: Plain) -> str:
    return str(report["provenance"]["machine"]["id"])


def _at(place: Plain) -> str:
    return f"{place['task']}/{place['cell']}"


def _listed(names: Sequence[str]) -> str:
    """``a, b, c and 4 more``, or that there is none."""
    more = len(names) - _LISTED
    listed = ", ".join(names[:_LISTED]) or "nothing"
    return f"{listed} and {more} more" if more > 0 else listed
