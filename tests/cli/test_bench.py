"""``gw bench``: what is shown and written, how it ends, and what it says of bad input before anything is measured."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

SMALL = ("needle", "--context", "8k", "--needles", "12")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bench-cache"
    monkeypatch.setenv("GW_BENCH_CACHE", str(folder))
    return folder


@pytest.fixture
def saved(gw: Any, tmp_path: Path) -> Path:
    """A report of a small run."""
    file = tmp_path / "main.json"
    file.write_text(gw("bench", *SMALL, "--json").out)
    return file


def test_a_task_prints_a_line_a_figure(gw: Any) -> None:
    ran = gw("bench", *SMALL)
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert ran.code == 0
    assert [row[2] for row in rows] == ["recall@1", "recall@5", "recall@10", "mrr@10", "p50", "p95", "p99"]
    assert rows[1][:2] == ["needle", "8k"]
    value, low, high, n, chance = map(float, rows[1][3:])
    assert (low <= value <= high, n, 0 < chance < 1) == (True, 12, True)


def test_a_terminal_gets_tables_with_intervals_chance_and_depths(gw: Any) -> None:
    ran = gw("bench", *SMALL, terminal=True)
    assert ran.code == 0
    for text in ("recall@5", "mean (95 % interval) chance", "recall@5 by depth", "0-10 %", "p95 ms"):
        assert text in ran.out


def test_json_is_the_report_and_fits_its_schema(gw: Any, checked: Any) -> None:
    report = gw("bench", *SMALL, "--json").json
    checked(report)
    cell = report["tasks"][0]["cells"][0]
    assert (cell["n"], len(cell["questions"]), cell["size"]) == (12, 12, 8000)
    assert cell["metrics"]["recall@5"]["interval"] == "wilson"
    assert report["provenance"]["haystack"]["sha256"]


def test_a_k_as_large_as_the_corpus_is_noted_once(gw: Any) -> None:
    small = ("needle", "--context", "2k", "--needles", "2", "--json")
    [cell] = gw("bench", *small, "-k", "1,5000").json["tasks"][0]["cells"]
    notes = [note for note in cell["notes"] if "as large as the corpus" in note]
    assert notes == ["2k: k is as large as the corpus: recall@5000 would be 1 by chance"]
    [cell] = gw("bench", *small, "-k", "1").json["tasks"][0]["cells"]
    assert not [note for note in cell["notes"] if "as large as the corpus" in note]


def test_a_second_run_asks_the_same_and_finds_no_difference(gw: Any, saved: Path) -> None:
    ran = gw("bench", *SMALL, "--baseline", str(saved), "--fail-on-regression", "--json")
    assert ran.code == 0
    rows = [one for one in ran.json["comparison"]["rows"] if one["metric"].startswith(("recall", "mrr"))]
    assert {one["verdict"] for one in rows} == {"no difference shown"}
    assert {one["n"] for one in rows} == {12}


def worsened(report: dict[str, Any]) -> dict[str, Any]:
    """The same report, of a system that finds nothing."""
    for cell in report["tasks"][0]["cells"]:
        for question in cell["questions"]:
            question["values"] = dict.fromkeys(question["values"], 0.0)
        for metric in cell["metrics"].values():
            metric["value"] = 0.0
    return report


def test_compare_says_what_is_worse_and_ends_with_4_if_asked_to(gw: Any, saved: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(worsened(json.loads(saved.read_text()))))
    assert gw("bench", "compare", str(saved), str(other)).code == 0
    ran = gw("bench", "compare", str(saved), str(other), "--fail-on-regression")
    assert ran.code == 4
    assert "needle/8k/recall@5 fell from 1 to 0" in ran.err
    assert "needle\t8k\trecall@5\t12\t1.0000\t0.0000" in ran.out
    assert gw("bench", "compare", str(other), str(saved), "--fail-on-regression").code == 0


def test_a_missed_threshold_ends_with_4_and_is_named(gw: Any) -> None:
    good = gw("bench", *SMALL, "--fail-under", "recall@10=.5")
    assert (good.code, good.err) == (0, "gw: needle: 12 needles are few: mind the intervals\n")
    bad = gw("bench", *SMALL, "--fail-under", "needle/8k/recall@5=1,mrr@10=.1", "-k", "5", "--json")
    assert bad.code == 0
    assert [one["passed"] for one in bad.json["gates"]] == [True, True]
    missed = gw("bench", "multihop", "--hops", "8", "--context", "64k", "--chains", "5", "--fail-under", "recall@10=1")
    assert missed.code == 4
    assert "multihop/8@64k/recall@10 is" in missed.err
    assert "1 was wanted" in missed.err


def test_a_threshold_that_makes_no_sense_is_said_before_anything_is_measured(gw: Any, cache: Path) -> None:
    for gate, says in (
        ("recal@5=1", "did you mean 'recall@5'"),
        ("recall@7=1", "recall@7"),
        ("p95=1", "never gate"),
        ("neddle/8k/recall@5=1", "did you mean 'needle'"),
    ):
        ran = gw("bench", *SMALL, "--fail-under", gate)
        assert (ran.code, ran.out) == (2, "")
        assert says in ran.err
    assert not cache.exists()


def test_what_was_measured_is_shown_even_if_a_threshold_fits_nothing_in_it(gw: Any) -> None:
    ran = gw("bench", *SMALL, "--fail-under", "needle/9k/recall@5=1", "--json")
    assert (ran.code, ran.json["schema"]) == (2, "gw.bench/1")
    assert "has no cell '9k'" in ran.err


def test_a_cache_that_cannot_be_written_is_said_with_the_way_out(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = gw("bench", *SMALL, "--cache", "file/cache")
    assert (ran.code, "--cache" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["needle", "--needles", "0"], "needles"),
        (["needle", "--context", "none"], "none"),
        (["needle", "--context", "100", "--needles", "5"], "100"),
        (["needle", "--context", "900m"], "--haystack"),
        (["needle", "--fail-under", "recall@5"], "recall@5"),
        (["needle", "--fail-under", "recall@5=high"], "high"),
        (["needle", "--fail-on-regression"], "--baseline"),
        (["needle", "--baseline", "none.json"], "none.json"),
        (["needle", "--report", "nowhere/r.html"], "nowhere"),
        (["needle", "--junit", "same.xml", "--markdown", "same.xml"], "one file"),
        (["needle", "-k", "0"], "-k"),
        (["needle", "-k", "five"], "five"),
        (["needle", "--backend", "nothing"], "nothing"),
        (["needle", "--reader", "nothing"], "unknown reader 'nothing'"),
        (["needle", "--rerank", "nothing"], "unknown reranker 'nothing'"),
        (["needle", "--haystack", "empty"], "empty"),
        (["neddle"], "did you mean 'needle'"),
        (["golden", "none.yaml"], "none.yaml"),
        (["golden"], "FILE"),
        (["run", "none.yaml"], "none.yaml"),
        (["compare", "none.json", "other.json"], "none.json"),
        (["memory", "--model", "qwen9"], "qwen9"),
        (["add", "golden.yaml", "which?"], "--abstain"),
        (["add", "golden.yaml", "?"], "word"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(gw: Any, tmp_path: Path, arguments: list[str], says: str) -> None:
    (tmp_path / "empty").mkdir()
    ran = gw("bench", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    as_json = gw("bench", *arguments, "--json")
    assert (as_json.code, as_json.json["schema"]) == (2, "gw.error/1")


def test_bench_alone_shows_its_help_and_ends_with_2(gw: Any) -> None:
    ran = gw("bench")
    assert (ran.code, ran.out) == (2, "")
    for name in ("needle", "multihop", "golden", "run", "compare", "add"):
        assert f"  {name} " in ran.err
    assert gw("bench", "--help").out == ran.err == gw("help", "bench").out
    assert "--distractors" in gw("help", "bench", "needle").out
    assert gw("help", "bench", "needle", "more").code == 2


def test_a_baseline_of_another_task_is_refused(gw: Any, saved: Path) -> None:
    ran = gw("bench", "memory", "--model", "llama-3.1-8b", "--baseline", str(saved))
    assert ran.code == 2
    assert "main.json" in ran.err


def test_reports_are_written_and_not_overwritten(gw: Any, tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="the extra [report]")
    files = ["--report", "r.html", "--junit", "r.xml", "--markdown", "r.md"]
    assert gw("bench", *SMALL, *files).code == 0
    assert "recall@5" in (tmp_path / "r.md").read_text()
    assert "needle" in (tmp_path / "r.html").read_text()
    assert ET.parse(tmp_path / "r.xml").getroot().tag == "testsuites"
    before = (tmp_path / "r.md").read_text()
    again = gw("bench", *SMALL, "--markdown", "r.md")
    assert (again.code, "--force" in again.err) == (2, True)
    assert (tmp_path / "r.md").read_text() == before
    assert gw("bench", *SMALL, *files, "--force").code == 0


def test_a_suite_runs_its_tasks_under_their_names(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text(
        "k: [5]\nfail_under: [recall@5=.9]\ntasks:\n"
        "  - needle: {context: [8k], needles: 5}\n"
        "  - {use: needle, name: lookalikes, context: [8k], needles: 3, distractors: 4}\n"
    )
    ran = gw("bench", "run", "bench.yaml", "--json")
    assert ran.code == 0
    assert [(one["name"], one["task"]) for one in ran.json["tasks"]] == [("needle", "needle"), ("lookalikes", "needle")]
    assert {one["gate"] for one in ran.json["gates"]} == {"recall@5=.9"}
    assert len(ran.json["gates"]) == 2
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("tasks:\n  - needle: {context: [8k], neddles: 5}\n")
    ran = gw("bench", "run", "wrong.yaml")
    assert (ran.code, "wrong.yaml:2" in ran.err, "needles" in ran.err) == (2, True, True)


def test_settings_of_a_task_may_stand_in_gw_toml(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "gw.toml").write_text(
        '[bench]\nneedles = 9\n[tasks.tiny]\nuse = "needle"\ncontext = ["8k"]\ndistractors = 2\n'
    )
    report = gw("bench", "tiny", "--json").json
    [task] = report["tasks"]
    assert (task["name"], task["cells"][0]["n"], task["settings"]["distractors"]) == ("tiny", 9, 2)
    assert gw("bench", "tiny", "--distractors", "0", "--json").json["tasks"][0]["settings"]["distractors"] == 0


MANUAL = "# Manual\n\nLogs are kept for 30 days. The port is 8080.\n\nBackups run at night.\n"
GOLDEN = """\
# ours
corpus: docs
questions:
  - id: retention
    question: How long are logs kept?
    category: plain
    quotes: [{document: a.md, quote: "Logs are kept for 30 days."}]
    answer: 30 days
  - question: What does the licence of the backups cost?
    category: unanswerable
    abstain: true
"""


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text(MANUAL)
    file = tmp_path / "golden.yaml"
    file.write_text(GOLDEN)
    return file


def test_a_golden_file_is_measured_without_an_index_in_the_corpus(gw: Any, golden: Path) -> None:
    report = gw("bench", "golden", str(golden), "--json").json
    [cell] = report["tasks"][0]["cells"]
    assert cell["metrics"]["recall@1"]["value"] == 1.0
    assert cell["metrics"]["answer_contains"]["value"] == 1.0
    assert {one["group"] for one in cell["groups"]["category"]} == {"plain", "unanswerable"}
    assert [path.name for path in golden.parent.joinpath("docs").iterdir()] == ["a.md"]


def test_categories_stand_in_a_table_of_their_own(gw: Any, golden: Path) -> None:
    ran = gw("bench", "golden", str(golden), terminal=True)
    assert "golden by category" in ran.out
    assert "unanswerable" in ran.out


def test_another_corpus_than_the_baselines_is_remarked(gw: Any, golden: Path) -> None:
    (golden.parent / "old.json").write_text(gw("bench", "golden", str(golden), "--json").out)
    (golden.parent / "docs/more.md").write_text("A page about lamps.\n")
    compared = gw("bench", "golden", str(golden), "--baseline", "old.json", "--json").json["comparison"]
    assert any("another corpus" in note for note in compared["notes"])


def test_check_names_every_broken_judgment(gw: Any, golden: Path) -> None:
    assert gw("bench", "golden", str(golden), "--check").code == 0
    golden.write_text(GOLDEN.replace("30 days.", "31 days.") + "  - {question: Which?, documents: [b.md]}\n")
    ran = gw("bench", "golden", "--check", str(golden))
    assert ran.code == 2
    assert [line.split(":")[1] for line in ran.out.splitlines()] == ["7", "12"]
    as_json = gw("bench", "golden", "--check", str(golden), "--json").json
    assert [one["line"] for one in as_json["problems"]] == [7, 12]
    assert gw("bench", "golden", str(golden)).code == 2


def test_add_turns_a_hit_into_an_entry(gw: Any, golden: Path) -> None:
    before = golden.read_text()
    ran = gw(
        "bench", "add", str(golden), "Which port?", "--hit", "1", "--quote", "The port is 8080.", "--answer", "8080"
    )
    assert ran.code == 0
    assert golden.read_text().startswith(before)
    assert gw("bench", "golden", str(golden), "--check").code == 0
    report = gw("bench", "golden", str(golden), "--json").json
    assert [one["question"] for one in report["tasks"][0]["cells"][0]["questions"]][2] == "Which port?"
    again = gw("bench", "add", str(golden), "Which port?", "--hit", "1")
    assert (again.code, "already" in again.err) == (2, True)


def test_add_without_a_hit_shows_them_and_asks_for_one(gw: Any, golden: Path) -> None:
    before = golden.read_text()
    ran = gw("bench", "add", str(golden), "When do backups run?")
    assert (ran.code, "--hit" in ran.err) == (2, True)
    assert "a.md" in ran.out
    assert golden.read_text() == before
    chosen = gw("bench", "add", str(golden), "When do backups run?", "--hit", "1", "--json")
    assert chosen.json["entry"]["quotes"][0]["quote"] == "Backups run at night."


def test_add_takes_a_citation_and_makes_a_new_file(gw: Any, golden: Path) -> None:
    citation = gw("search", "which port is used", "docs", "--json").json["hits"][0]["citation"]
    made = golden.parent / "new.yaml"
    ran = gw("bench", "add", "new.yaml", "Which port?", "--corpus", "docs", "--citation", citation)
    assert ran.code == 0
    assert "corpus: docs" in made.read_text()
    assert gw("bench", "golden", "new.yaml", "--check").code == 0
    wrong = gw("bench", "add", "new.yaml", "And?", "--citation", citation.replace("#c0", "#c1"))
    assert wrong.code == 2
    none = gw("bench", "add", "new.yaml", "What is love?", "--abstain", "--category", "unanswerable")
    assert (none.code, "abstain: true" in made.read_text()) == (0, True)
