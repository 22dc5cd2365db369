from __future__ import annotations

from typing import Any

import pytest

from gw_core.bench.gates import check_gates, parse_gates
from gw_core.errors import ThresholdError, UsageError

Report = dict[str, Any]


def figure(value: float, better: str, *, machine: bool) -> Report:
    return {"value": value, "unit": "MB", "better": better, "machine": machine}


def cell(name: str, figures: Report | None = None, **metrics: float | None) -> Report:
    named = {metric.replace("_at_", "@"): {"value": value} for metric, value in metrics.items()}
    return {"name": name, "metrics": named, "figures": figures or {}}


REPORT = {
    "tasks": [
        {
            "name": "needle",
            "cells": [cell("64k", recall_at_5=1.0, mrr_at_10=0.9), cell("3m", recall_at_5=0.985)],
        },
        {"name": "golden", "cells": [cell("docs/guide", recall_at_5=0.7), cell("a, b", answered=None)]},
        {
            "name": "speed",
            "cells": [
                cell(
                    "1m",
                    {
                        "ingest": figure(20.0, "higher", machine=True),
                        "index": figure(30.0, "lower", machine=False),
                        "documents": figure(3.0, "neither", machine=False),
                    },
                )
            ],
        },
    ]
}


def judged(*texts: str) -> list[tuple[str, bool]]:
    return [(f"{row['task']}/{row['cell']}", row["passed"]) for row in check_gates(REPORT, parse_gates(texts))]


class TestNames:
    def test_a_metric_alone_is_every_cell_that_has_it(self) -> None:
        assert judged("recall@5=.98") == [("needle/64k", True), ("needle/3m", True), ("golden/docs/guide", False)]

    def test_a_task_before_it_is_the_tasks_cells(self) -> None:
        assert judged("needle/recall@5=.99") == [("needle/64k", True), ("needle/3m", False)]

    def test_a_cell_before_it_is_that_one(self) -> None:
        assert judged("needle/3m/recall@5=.985") == [("needle/3m", True)]

    def test_names_may_hold_slashes_and_commas(self) -> None:
        assert judged("golden/docs/guide/recall@5=.7, golden/a, b/answered=.5") == [
            ("golden/docs/guide", True),
            ("golden/a, b", False),
        ]

    def test_several_stand_between_commas_or_are_given_again(self) -> None:
        assert judged("mrr@10=.8,needle/3m/recall@5=1", "mrr@10=.95") == [
            ("needle/64k", True),
            ("needle/3m", False),
            ("needle/64k", False),
        ]

    @pytest.mark.parametrize(
        ("gate", "said", "hint"),
        [
            ("recal@5=.9", "the report has no metric 'recal@5'", "did you mean 'recall@5'? known: answered"),
            ("needle/recall@6=.9", "needle has no metric 'recall@6'", "did you mean 'recall@5'? known: mrr@10, "),
            ("needle/3m/mrr@10=.9", "needle/3m has no metric 'mrr@10'", "known: recall@5"),
            ("needle/2m/recall@5=.9", "needle has no cell '2m'", "known: 3m, 64k"),
            ("golden/docs/recall@5=.9", "golden has no cell 'docs'", "docs/guide"),
            ("needel/3m/recall@5=.9", "the report has no task 'needel'", "did you mean 'needle'?"),
            ("/=.9", "no task ''", "known: golden, needle, speed"),
        ],
    )
    def test_an_unknown_one_is_refused_with_what_there_is(self, gate: str, said: str, hint: str) -> None:
        with pytest.raises(UsageError) as caught:
            judged(gate)
        assert said in caught.value.message
        assert gate in caught.value.message
        assert hint in caught.value.hint


class TestFigures:
    @pytest.mark.parametrize("gate", ["ingest=1", "speed/1m/ingest=1", "p95=3", "needle/64k/p50=1", "latency p50=1"])
    def test_speed_never_gates(self, gate: str) -> None:
        with pytest.raises(UsageError, match="differ from machine to machine and never gate"):
            judged(gate)

    def test_what_is_the_same_everywhere_gates_by_what_is_better(self) -> None:
        assert judged("index=31", "index=29") == [("speed/1m", True), ("speed/1m", False)]

    def test_what_is_neither_better_nor_worse_does_not(self) -> None:
        with pytest.raises(UsageError, match="neither a higher nor a lower documents is better"):
            judged("documents=3")


class TestValues:
    @pytest.mark.parametrize(
        ("value", "wanted"), [(".5", 0.5), ("1", 1), ("0", 0), ("99%", 0.99), ("97.5 %", 0.975), ("5e-1", 0.5)]
    )
    def test_a_number_or_per_cent(self, value: str, wanted: float) -> None:
        assert parse_gates([f"recall@5 = {value}"])[0].wanted == pytest.approx(wanted)

    @pytest.mark.parametrize(
        "gate",
        ["", ",", "recall@5", "=.9", "recall@5=", "recall@5=nan", "recall@5=inf", "recall@5=1e999", "recall@5=1,5",
         "recall@5=high", "recall@5=0x1", "recall@5=1_0", "recall@5=٣", "recall@5=.9%%", "recall@5>.9"],
    )  # fmt: skip
    def test_anything_else_is_refused(self, gate: str) -> None:
        with pytest.raises(UsageError, match=r"not a (gate|number)") as caught:
            parse_gates([gate])
        assert "--fail-under recall@5=.99" in caught.value.hint

    @pytest.mark.parametrize(("value", "hint"), [("99", "99% is 0.99"), ("-.1", "--fail-under"), ("101%", "1.01% is")])
    def test_a_value_that_no_rate_has_is_refused(self, value: str, hint: str) -> None:
        with pytest.raises(UsageError, match="recall@5 lies between 0 and 1") as caught:
            judged(f"recall@5={value}")
        assert hint in caught.value.hint


class TestRows:
    def test_a_row_says_what_was_wanted_and_what_is(self) -> None:
        assert check_gates(REPORT, parse_gates(["needle/3m/recall@5=99%"])) == [
            {
                "gate": "needle/3m/recall@5=99%",
                "task": "needle",
                "cell": "3m",
                "metric": "recall@5",
                "value": 0.985,
                "wanted": 0.99,
                "passed": False,
                "reason": "recall@5 is 0.985, at least 0.99 is wanted",
            }
        ]

    def test_what_was_not_measured_is_missed(self) -> None:
        row = check_gates(REPORT, parse_gates(["answered=0"]))[0]
        assert (row["passed"], row["reason"]) == (False, "answered was not measured")

    def test_no_gates_no_rows(self) -> None:
        assert check_gates(REPORT, []) == []

    def test_a_whole_report_is_held_to_its_gates(self, sample: Report) -> None:
        rows = check_gates(sample, parse_gates(["recall@5=0"]))
        cells = [one for task in sample["tasks"] for one in task["cells"] if "recall@5" in one["metrics"]]
        assert len(rows) == len(cells) > 1
        assert all(row["passed"] for row in rows)


def test_a_missed_threshold_ends_with_4() -> None:
    assert (ThresholdError("recall@5").exit_code, ThresholdError.code) == (4, "threshold")
