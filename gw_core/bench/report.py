"""From measured cells to the report ``gw.bench/1``: means with intervals, chance, latencies, and where they came from.

A rate of yes and no has a Wilson interval, any other mean a bootstrap interval over the questions.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from gw_core.bench.harness import Harness, Spent, Trial
from gw_core.bench.saved import SCHEMA
from gw_core.bench.stats import estimate, latencies
from gw_core.bench.tokens import RULE
from gw_core.plain import plain
from gw_core.trial import Cell, Outcome

DEPTHS = 10
"""Into how many equal parts of the haystack the heat map is divided."""


def report(
    provenance: Mapping[str, Any], harness: Harness, measured: Sequence[tuple[Trial, Sequence[Cell]]], began: datetime
) -> dict[str, Any]:
    """``provenance`` is that of :func:`gw_core.bench.provenance.provenance`; ``began`` is when the run did, in UTC."""
    haystack = harness.haystack_provenance
    counting = time.perf_counter()
    tasks = [_task(trial, cells) for trial, cells in measured]
    harness.spent.whole += time.perf_counter() - counting
    return {
        "schema": SCHEMA,
        "provenance": {
            **provenance,
            "config": {**provenance["config"], **_asked(harness)},
            "seed": harness.seed,
            "started": began.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "seconds": round((datetime.now(timezone.utc) - began).total_seconds(), 3),
            "haystack": plain(haystack),
            "token_rule": RULE,
        },
        "ks": list(harness.ks),
        "tasks": tasks,
        "overhead": _overhead(harness.spent),
        "comparison": None,
        "gates": [],
        "notes": [],
    }


def _certain(cell: Cell) -> list[str]:
    """A note about metrics that blind guessing reaches in full."""
    names = [name for name, chance in cell.chance.items() if "@" in name and chance >= 1]
    if not names:
        return []
    return [f"{cell.name}: k is as large as the corpus: {', '.join(names)} would be 1 by chance"]


def _asked(harness: Harness) -> dict[str, Any]:
    """What was measured: the settings that make most of the difference, said whether they are the default or not."""
    asking, config = harness.options.asking, harness.config
    return {
        "retrieve.backend": config.retrieve.backend,
        "retrieve.rerank": list(config.retrieve.rerank if asking.rerank is None else asking.rerank),
        "ask.reader": asking.reader or config.ask.reader,
    }


def _task(trial: Trial, cells: Iterable[Cell]) -> dict[str, Any]:
    return {
        "name": trial.name,
        "task": trial.use,
        "identity": str(trial.task.identity),
        "settings": plain(trial.task.identity.settings),
        "cells": [_cell(trial.name, one) for one in cells],
    }


def _cell(task: str, cell: Cell) -> dict[str, Any]:
    seed = f"{task}/{cell.name}"
    seconds = [one.seconds for one in cell.outcomes if one.seconds is not None]
    return {
        "name": cell.name,
        "size": cell.size,
        "n": len(cell.outcomes),
        "metrics": {
            name: {**metric, "chance": cell.chance.get(name)} for name, metric in metrics(cell.outcomes, seed).items()
        },
        "latency": latencies(seconds) if seconds else None,
        "figures": plain(cell.figures),
        "facts": plain(cell.facts),
        "notes": [*cell.notes, *_certain(cell)],
        "groups": _groups(cell.outcomes, seed),
        "questions": [_question(one) for one in cell.outcomes],
    }


def metrics(outcomes: Iterable[Outcome], seed: str) -> dict[str, dict[str, Any]]:
    """Each metric's mean over the questions that have it, with its 95 % interval; in the order of first appearance."""
    values: dict[str, list[float]] = {}
    for one in outcomes:
        for name, value in one.values.items():
            values.setdefault(name, []).append(float(value))
    return {name: plain(estimate(found, f"{seed}/{name}")) for name, found in values.items()}


def _groups(outcomes: Sequence[Outcome], seed: str) -> dict[str, list[dict[str, Any]]]:
    """For each key of the outcomes' groups, the metrics of each of its values."""
    keys = list(dict.fromkeys(key for one in outcomes for key in one.group))
    found: dict[str, list[dict[str, Any]]] = {}
    for key in keys:
        members: dict[str, list[Outcome]] = {}
        for one in sorted((one for one in outcomes if key in one.group), key=lambda one: _order(one.group[key])):
            members.setdefault(_name(key, one.group[key]), []).append(one)
        found[key] = [
            {"group": name, "n": len(some), "metrics": metrics(some, f"{seed}/{key}/{name}")}
            for name, some in members.items()
        ]
    return found


def _order(value: Any) -> tuple[int, float, str]:
    is_number = isinstance(value, int | float)
    return (0, float(value), "") if is_number else (1, 0.0, str(value))


def _name(key: str, value: Any) -> str:
    """``"30-40 %"`` for a depth of .35; anything else is its own name."""
    if key != "depth" or not isinstance(value, int | float):
        return str(value)
    part = min(int(value * DEPTHS), DEPTHS - 1)
    return f"{part * 100 // DEPTHS}-{(part + 1) * 100 // DEPTHS} %"


def _question(one: Outcome) -> dict[str, Any]:
    return {
        "id": one.id,
        "question": one.question,
        "values": plain(one.values),
        "ms": None if one.seconds is None else round(one.seconds * 1000, 3),
        "group": plain(one.group),
        "detail": plain(one.detail),
    }


def _overhead(spent: Spent) -> dict[str, Any]:
    return {
        "asking": round(spent.asking, 3),
        "ingesting": round(spent.ingesting, 3),
        "harness": round(spent.harness, 3),
        "unit": "s",
    }
