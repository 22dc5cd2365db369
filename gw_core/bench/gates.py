"""Thresholds that a report has to reach: ``recall@5=.99`` in every cell that has the metric, or in some.

A gate is ``[TASK/[CELL/]]METRIC=VALUE``, several with commas between them. The value is a number, or per cent with the
sign: ``99%`` is .99. Names of tasks, cells and metrics may hold ``/`` and ``,``: what a gate names is looked up in the
report. A metric must be at least the value. A figure (what a task measured once) is a metric, too, if it is the same on
every machine: it must be at least the value where higher is better, and at most the value where lower is. Speed, memory
and latency differ from machine to machine and never pass or fail anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gw_core.errors import UsageError
from gw_core.registry import suggestion

Plain = Mapping[str, Any]

_EXAMPLE = "--fail-under recall@5=.99, or needle/3m/recall@5=.99"
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)", re.ASCII)
# A name up to its value, which ends at a comma; what is left over is no gate, and is found to be none.
_GATES = re.compile(r"([^=]+=[^,]*|[^,=]+|=[^,]*)(?:,|$)")
_LATENCY = re.compile(r"(latency|p50|p95|p99|ms)\b.*")


@dataclass(frozen=True, slots=True)
class Gate:
    """``text`` is the gate as it was given, ``name`` what stands before its ``=``."""

    text: str
    name: str
    wanted: float


@dataclass(frozen=True, slots=True)
class _Measured:
    """A metric or figure of a cell, and the names that a gate may call it by."""

    task: str
    cell: str
    metric: str
    value: float | None
    better: str
    on_machine: bool
    is_metric: bool

    @property
    def names(self) -> tuple[str, str, str]:
        return self.metric, f"{self.task}/{self.metric}", f"{self.task}/{self.cell}/{self.metric}"


def parse_gates(texts: Iterable[str]) -> list[Gate]:
    """Gates as they were given, each text one or several. Raises UsageError for one that is none."""
    return [_parsed(part.strip()) for text in texts for part in _GATES.findall(text) or [text]]


def foresee(gates: Iterable[Gate], tasks: Iterable[str], metrics: Collection[str]) -> None:
    """Raise UsageError for a gate that no report of these tasks can have, before anything is measured.

    ``metrics`` are all names that they may have; a name that ends in ``@`` stands for any cut-off.
    """
    names = list(tasks)
    for gate in gates:
        metric = gate.name.rpartition("/")[2]
        if _LATENCY.fullmatch(metric):
            raise _machine_bound(gate)
        if metric not in metrics and not any(one.endswith("@") and metric.startswith(one) for one in metrics):
            raise UsageError(f"{gate.text}: there is no metric {metric!r}", hint=suggestion(metric, metrics))
        if "/" in gate.name and not any(gate.name.startswith(f"{one}/") for one in names):
            first = gate.name.partition("/")[0]
            raise UsageError(f"{gate.text}: there is no task {first!r}", hint=suggestion(first, names))


def check_gates(report: Plain, gates: Sequence[Gate]) -> list[dict[str, Any]]:
    """A row ``gates`` of the report ``gw.bench/1`` for each gate and each cell that it speaks of.

    Raises UsageError for a name that the report does not have, for what differs from machine to machine, and for a
    value that the metric cannot reach.
    """
    known = list(_measured(report))
    return [_row(gate, one) for gate in gates for one in _meant(gate, known, report)]


def _parsed(part: str) -> Gate:
    name, equals, value = (one.strip() for one in part.rpartition("="))
    if not equals or not name:
        raise UsageError(f"not a gate: {part!r}", hint=_EXAMPLE)
    found = _NUMBER.fullmatch(value)
    wanted = float(found[1]) / (100 if found[2] else 1) if found else float("inf")
    if abs(wanted) == float("inf"):
        raise UsageError(f"{part}: {value!r} is not a number", hint=_EXAMPLE)
    return Gate(part, name, wanted)


def _measured(report: Plain) -> Iterator[_Measured]:
    for task in report["tasks"]:
        for cell in task["cells"]:
            for name, one in cell["metrics"].items():
                yield _Measured(task["name"], cell["name"], name, one["value"], "higher", False, True)
            for name, one in cell["figures"].items():
                yield _Measured(task["name"], cell["name"], name, one["value"], one["better"], one["machine"], False)


def _meant(gate: Gate, known: Sequence[_Measured], report: Plain) -> list[_Measured]:
    # A metric of that name before a task's, and a task's before a cell's: the fewer words, the more general.
    for words in range(3):
        found = [one for one in known if one.names[words] == gate.name]
        if found:
            for one in found:
                _check_fit(gate, one)
            return found
    raise _unknown(gate, known, report)


def _check_fit(gate: Gate, one: _Measured) -> None:
    if one.on_machine:
        raise _machine_bound(gate)
    if one.better == "neither":
        raise UsageError(f"{gate.text}: neither a higher nor a lower {one.metric} is better, so that it cannot gate")
    is_rate = one.is_metric and (one.value is None or 0 <= one.value <= 1)
    if is_rate and not 0 <= gate.wanted <= 1:
        hint = f"{gate.wanted:g}% is {gate.wanted / 100:g}" if 1 < gate.wanted <= 100 else _EXAMPLE
        raise UsageError(f"{gate.text}: {one.metric} lies between 0 and 1", hint=hint)


def _machine_bound(gate: Gate) -> UsageError:
    return UsageError(
        f"{gate.text}: speed, memory and latency differ from machine to machine and never gate",
        hint="compare two reports of one machine with gw bench compare",
    )


def _unknown(gate: Gate, known: Sequence[_Measured], report: Plain) -> UsageError:
    """Says which part of the gate's name the report lacks."""
    tasks = {task["name"]: [cell["name"] for cell in task["cells"]] for task in report["tasks"]}
    gated = [one for one in known if not one.on_machine]
    if _LATENCY.fullmatch(gate.name.rpartition("/")[2]):
        return _machine_bound(gate)
    task = max((one for one in tasks if gate.name.startswith(f"{one}/")), key=len, default=None)
    if task is None:
        if "/" in gate.name:
            first = gate.name.partition("/")[0]
            return UsageError(f"{gate.text}: the report has no task {first!r}", hint=suggestion(first, tasks))
        return _no_metric(gate, gate.name, gated, "the report")
    rest = gate.name[len(task) + 1 :]
    cell = max((one for one in tasks[task] if rest.startswith(f"{one}/")), key=len, default=None)
    if cell is not None:
        of_cell = [one for one in gated if (one.task, one.cell) == (task, cell)]
        return _no_metric(gate, rest[len(cell) + 1 :], of_cell, f"{task}/{cell}")
    if "/" in rest:
        first = rest.rpartition("/")[0]
        return UsageError(f"{gate.text}: {task} has no cell {first!r}", hint=suggestion(first, tasks[task]))
    return _no_metric(gate, rest, [one for one in gated if one.task == task], task)


def _no_metric(gate: Gate, metric: str, known: Iterable[_Measured], where: str) -> UsageError:
    names = list(dict.fromkeys(one.metric for one in known))
    hint = suggestion(metric, names) if names else "nothing in it can gate"
    return UsageError(f"{gate.text}: {where} has no metric {metric!r}", hint=hint)


def _row(gate: Gate, one: _Measured) -> dict[str, Any]:
    lower = one.better == "lower"
    if one.value is None:
        passed, reason = False, f"{one.metric} was not measured"
    else:
        passed = one.value <= gate.wanted if lower else one.value >= gate.wanted
        side = "at most" if lower else "at least"
        reason = f"{one.metric} is {_shown(one.value)}, {side} {_shown(gate.wanted)} is wanted"
    return {
        "gate": gate.text,
        "task": one.task,
        "cell": one.cell,
        "metric": one.metric,
        "value": one.value,
        "wanted": gate.wanted,
        "passed": passed,
        "reason": reason,
    }


def _shown(value: float) -> str:
    # As many digits as tell a value from the one that was wanted.
    return repr(float(f"{value:.6g}")).removesuffix(".0")
