from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench.compare import NOT_JUDGED, NOT_SHOWN, compare, read_report, regressions
from gw_core.errors import NotFoundError, UsageError

Report = dict[str, Any]


def report(values: dict[str, list[float]] | None = None, **changed: Any) -> Report:
    """A run of one task with one cell of 60 questions, all answered, or as ``values`` has it."""
    values = values or {"recall@5": [1.0] * 60}
    n = len(next(iter(values.values())))
    cell = {
        "name": "64k",
        "size": 64_000,
        "n": n,
        "metrics": {name: {"value": sum(some) / n, "n": n} for name, some in values.items()},
        "latency": {"n": n, "p50": 1.0, "p95": 2.0, "p99": 3.0, "unit": "ms"},
        "figures": {
            "ingest": {"value": 20.0, "unit": "MB/s", "better": "higher", "machine": True},
            "index": {"value": 5.0, "unit": "MB", "better": "lower", "machine": False},
        },
        "questions": [
            {"id": f"q{at}", "question": f"what is {at}?", "values": {name: some[at] for name, some in values.items()}}
            for at in range(n)
        ],
    }
    return {
        "schema": "gw.bench/1",
        "provenance": {"machine": {"id": "m1"}, "seed": 7, "config": {}, "haystack": {"name": "std", "sha256": "ab"}},
        "tasks": [{"name": "needle", "identity": "needle@1(n=60)", "settings": {"n": 60}, "cells": [cell]}],
        **changed,
    }


def cell_of(run: Report) -> Report:
    found: Report = run["tasks"][0]["cells"][0]
    return found


def row_of(comparison: Report, metric: str = "recall@5") -> Report:
    return next(row for row in comparison["rows"] if row["metric"] == metric)


def lost(count: int) -> Report:
    return report({"recall@5": [0.0] * count + [1.0] * (60 - count)})


class TestRows:
    def test_a_loss_of_ten_questions_is_a_regression_and_of_one_is_not(self) -> None:
        worse = compare(lost(10), report(), name="main.json")
        row = row_of(worse)
        assert row["difference"] == pytest.approx(-1 / 6)
        assert (row["task"], row["cell"], row["n"], row["baseline"], row["verdict"]) == (
            "needle",
            "64k",
            60,
            1,
            "worse",
        )
        assert regressions(worse) == [row]
        assert worse["baseline"] == "main.json"
        assert regressions(compare(lost(1), report())) == []
        assert row_of(compare(report(), lost(10)))["verdict"] == "better"

    def test_a_report_compared_with_itself_shows_no_difference(self, sample: Report) -> None:
        found = compare(sample, copy.deepcopy(sample))
        assert len(found["rows"]) > 20
        assert {row["verdict"] for row in found["rows"]} == {NOT_SHOWN, NOT_JUDGED}
        assert {row["difference"] for row in found["rows"]} == {0}
        assert found["notes"] == []

    def test_it_is_plain_data_and_the_same_again(self, sample: Report) -> None:
        other = copy.deepcopy(sample)
        for at, one in enumerate(other["tasks"][0]["cells"][0]["questions"]):
            one["values"] = dict.fromkeys(one["values"], at % 2)
        first, second = (compare(other, sample) for _ in range(2))
        assert json.loads(json.dumps(first, allow_nan=False)) == first == second
        assert regressions(first)

    def test_graded_metrics_are_compared_by_question(self) -> None:
        before = report({"ndcg@10": [at / 60 for at in range(60)]})
        after = report({"ndcg@10": [max(0.0, at / 60 - 0.02) for at in range(60)]})
        row = row_of(compare(after, before), "ndcg@10")
        # The values spread over all of [0, 1], the differences hardly at all.
        assert -0.021 < row["low"] < row["high"] < -0.018
        assert row["verdict"] == "worse"


class TestFigures:
    def test_speed_is_shown_for_one_machine_and_is_never_a_regression(self) -> None:
        slow = report()
        cell_of(slow)["figures"]["ingest"]["value"] = 0.1
        found = compare(slow, report())
        assert found["same_machine"]
        row = row_of(found, "ingest")
        assert (row["baseline"], row["value"], row["difference"], row["low"]) == (20, 0.1, -19.9, None)
        assert (row["verdict"], regressions(found)) == (NOT_JUDGED, [])
        assert row_of(found, "latency p50")["value"] == 1

    def test_another_machine_is_compared_without_its_speed(self) -> None:
        other = report()
        other["provenance"]["machine"]["id"] = "m2"
        found = compare(other, report())
        assert not found["same_machine"]
        assert [row["metric"] for row in found["rows"]] == ["recall@5", "index"]
        assert any("another machine" in note for note in found["notes"])

    def test_another_unit_is_not_compared(self) -> None:
        other = report()
        cell_of(other)["figures"]["index"]["unit"] = "GB"
        assert "index" not in [row["metric"] for row in compare(other, report())["rows"]]


class TestNotes:
    def test_questions_on_one_side_are_left_out_and_named(self) -> None:
        before, after = report(), report()
        cell_of(before)["questions"].pop(0)
        cell_of(after)["questions"].pop()
        found = compare(after, before)
        assert row_of(found)["n"] == 58
        assert found["notes"] == [
            "needle/64k: left out, only in the baseline: q59", "needle/64k: left out, only here: q0",
        ]  # fmt: skip

    def test_a_question_in_other_words_is_left_out(self) -> None:
        after = report()
        for at in range(5):
            cell_of(after)["questions"][at]["question"] = "something else?"
        found = compare(after, report())
        assert row_of(found)["n"] == 55
        assert found["notes"] == ["needle/64k: left out, asked in other words in the baseline: q0, q1, q2 and 2 more"]

    def test_a_metric_that_hangs_on_the_answers_says_what_it_was_compared_on(self) -> None:
        before, after = lost(0), lost(0)
        for one in cell_of(after)["questions"][20:]:
            del one["values"]["recall@5"]
        found = compare(after, before)
        assert row_of(found)["n"] == 20
        assert "60 have it in the baseline, 20 here" in found["notes"][0]

    def test_another_haystack_seed_or_setting_is_told(self) -> None:
        other = report()
        other["provenance"].update(seed=8, config={"retrieve.k": 9}, haystack={"name": "mine", "sha256": "cd"})
        assert compare(other, report())["notes"] == [
            "another haystack: std (ab) in the baseline, mine (cd) here",
            "another seed: 7 in the baseline, 8 here",
            "another setting: retrieve.k is not set in the baseline, 9 here",
        ]

    def test_cells_and_sizes_that_only_one_side_has_are_left_out(self) -> None:
        before, after = report(), report()
        extra = {**copy.deepcopy(cell_of(after)), "name": "1m"}
        after["tasks"][0]["cells"].append(extra)
        after["tasks"][0]["settings"]["sizes"] = ["64k", "1m"]
        before["tasks"][0]["settings"]["sizes"] = ["64k"]
        found = compare(after, before)
        assert {row["cell"] for row in found["rows"]} == {"64k"}
        assert any("only here: needle/1m" in note for note in found["notes"])
        cell_of(before)["size"] = 1
        assert compare(after, before)["rows"] == []

    def test_many_rows_are_told_to_differ_by_chance_too(self) -> None:
        names = [f"recall@{k}" for k in range(1, 31)]
        before = report({name: [1.0] * 60 for name in names})
        after = report({name: [0.0] * 10 + [1.0] * 50 for name in names})
        assert "30 of 30 rows differ" in compare(after, before)["notes"][-1]
        assert compare(before, before)["notes"] == []


class TestBadBaselines:
    def test_one_of_another_task_is_refused(self) -> None:
        other = report()
        other["tasks"][0]["name"] = "golden"
        with pytest.raises(UsageError, match=r"main\.json is a baseline of another task") as caught:
            compare(report(), other, name="main.json")
        assert caught.value.hint == "it has golden/64k; this run has needle/64k"

    def test_one_with_other_settings_is_refused(self) -> None:
        other = report()
        other["tasks"][0]["settings"] = {"n": 200}
        with pytest.raises(UsageError, match="measured with other settings: n = 200 there, n = 60 here"):
            compare(report(), other)

    def test_one_of_another_version_of_the_task_is_refused(self) -> None:
        other = report()
        other["tasks"][0]["identity"] = "needle@0(n=60)"
        with pytest.raises(UsageError, match="task needle is needle@0 there and needle@1 here"):
            compare(report(), other)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "not JSON"),
            ("{", "not JSON"),
            ("\udcff", "not JSON"),
            ("[" * 100_000, "not JSON"),
            ("[]", "no report of gw bench"),
            ("null", "no report of gw bench"),
            ('{"schema": "gw.search/1"}', "its schema is gw.search/1, not gw.bench/1"),
            ('{"schema": ["gw.bench/1"]}', "no report of gw bench"),
            ('{"schema": "gw.bench/1"}', "missing or damaged"),
            ('{"schema": "gw.bench/1", "provenance": [], "tasks": {}}', "missing or damaged"),
        ],
    )
    def test_a_file_that_is_no_report_is_one_clear_line(self, tmp_path: Path, text: str, said: str) -> None:
        file = tmp_path / "main.json"
        file.write_text(text, "utf-8", errors="surrogateescape")
        with pytest.raises(UsageError, match=said) as caught:
            read_report(file)
        assert "\n" not in str(caught.value)

    def test_no_file_and_a_folder_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(NotFoundError, match="no report at"):
            read_report(tmp_path / "none.json")
        with pytest.raises(UsageError, match="cannot read"):
            read_report(tmp_path)

    def test_a_report_that_was_saved_is_read_again(self, tmp_path: Path, sample: Report) -> None:
        file = tmp_path / "main.json"
        file.write_text(json.dumps(sample), "utf-8")
        assert read_report(file) == sample

    @pytest.mark.parametrize(
        "damage",
        [
            lambda run: run.pop("provenance"),
            lambda run: run["tasks"][0].pop("settings"),
            lambda run: run["tasks"].append("golden"),
            lambda run: cell_of(run).pop("questions"),
            lambda run: cell_of(run).update(name=3),
            lambda run: cell_of(run)["metrics"].update({"recall@5": 1.0}),
            lambda run: cell_of(run)["questions"][0].update(values=[1]),
            lambda run: cell_of(run)["questions"][0]["values"].update({"recall@5": "1"}),
            lambda run: cell_of(run)["questions"][0]["values"].update({"recall@5": float("nan")}),
            lambda run: cell_of(run)["figures"]["index"].update(better="perhaps"),
        ],
    )
    def test_damage_is_found_before_it_is_compared(self, damage: Callable[[Report], object]) -> None:
        other = report()
        damage(other)
        with pytest.raises(UsageError, match="missing or damaged"):
            compare(report(), other)
