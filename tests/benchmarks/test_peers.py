"""gw beside other programs: the same input for all, rows instead of failures, and verdicts by interval."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gw_plugins.tasks.needle_wording import facts

FOLDER = Path(__file__).parents[2] / "benchmarks"
Module = Callable[[str], ModuleType]

TEXTS = {
    "wing.txt": "The lift of a wing grows with its angle, until the flow parts from it.",
    "heat.txt": "Heat passes through the boundary layer of a plate by conduction alone.",
    "shock.txt": "A shock wave stands before every blunt body at supersonic speeds.",
}
QUESTIONS = {"q1": "what is the lift of a wing", "q2": "where do shock waves stand", "q3": "how does heat pass"}
RELEVANT = {"q1": {"wing.txt": 2}, "q2": {"shock.txt": 1}, "q3": {"heat.txt": 1, "wing.txt": 0}}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Module]:
    """Imports a module of benchmarks/ by its name, as its scripts do; none stays behind."""
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module
    for name, one in list(sys.modules.items()):
        if (getattr(one, "__file__", None) or "").startswith(str(FOLDER)):
            del sys.modules[name]


@pytest.fixture
def corpus(module: Module, tmp_path: Path) -> Any:
    return module("peers.corpora").write(tmp_path / "corpus", "small", TEXTS, QUESTIONS, RELEVANT)


def collection(folder: Path) -> Path:
    """Documents whose ids are no file names, a question without an answer, and one whose answer isn't there."""
    (folder / "qrels").mkdir(parents=True)
    documents = [("../a", "Cats", "Cats purr."), ("b/c", "", "Dogs bark."), ("ü", "", "Cows moo.")]
    rows = [json.dumps({"_id": one, "title": title, "text": text}) for one, title, text in documents]
    (folder / "corpus.jsonl").write_text("\n".join(rows))
    asked = {"1": "what purrs", "2": "what barks", "3": "nothing is judged", "4": "its document is gone"}
    (folder / "queries.jsonl").write_text("\n".join(json.dumps({"_id": k, "text": v}) for k, v in asked.items()))
    judged = "query-id\tcorpus-id\tscore\n1\t../a\t2\n2\tb/c\t1\n2\tü\t0\n3\tü\t0\n4\tz\t1\n"
    (folder / "qrels" / "test.tsv").write_text(judged)
    return folder


def test_a_corpus_is_read_as_it_was_written(module: Module, corpus: Any) -> None:
    again = module("peers.corpora").read(corpus.folder)
    assert again.texts() == TEXTS
    assert sorted(again.units()) == sorted(TEXTS.items())
    assert (again.questions, again.relevant, again.language, again.cut) == (QUESTIONS, RELEVANT, "english", False)
    assert again.size() == sum(map(len, TEXTS.values()))


def test_long_documents_are_cut_for_systems_that_do_not(module: Module, tmp_path: Path) -> None:
    text = "".join(f"Paragraph {number} tells of a thing of its own.\n\n" for number in range(200))
    corpus = module("peers.corpora").write(tmp_path / "corpus", "long", {"a/b.txt": text}, {}, {}, cut=True)
    units = module("peers.corpora").read(corpus.folder).units()
    assert len(units) > 3
    assert {name for name, _ in units} == {"a/b.txt"}
    assert all(unit in text for _, unit in units)
    assert corpus.texts() == {"a/b.txt": text}


def test_a_collection_gets_file_names_and_keeps_what_can_be_found(module: Module, tmp_path: Path) -> None:
    corpora = module("peers.corpora")
    corpus = corpora.of_collection(collection(tmp_path / "pets"), tmp_path / "corpus")
    assert corpus.texts() == {"000001.txt": "Cats purr.", "000002.txt": "Dogs bark.", "000003.txt": "Cows moo."}
    assert corpus.questions == {"1": "what purrs", "2": "what barks"}
    assert corpus.relevant == {"1": {"000001.txt": 2}, "2": {"000002.txt": 1, "000003.txt": 0}}


def test_fewer_questions_are_spread_over_all(module: Module) -> None:
    spread = module("peers.corpora").spread
    items = [(str(number), "") for number in range(10)]
    assert [name for name, _ in spread(items, 4)] == ["0", "2", "5", "7"]
    assert spread(items, 10) == spread(items, None) == items


def test_a_document_is_as_good_as_its_best_passage(module: Module) -> None:
    run = module("peers.run")
    passages = [*"aababbc", *map(str, range(40))]
    found = run.documents(lambda question, k: passages[:k], "question")
    assert found == ["a", "b", "c", *map(str, range(run.DEPTH - 3))]


@pytest.mark.parametrize(
    ("label", "needs"),
    [
        ("gw", "gw_core"),
        ("gw, not re-reading", "gw_core"),
        ("groundwire", "groundwire"),
        ("groundkit, BM25", "groundkit"),
        ("bm25s", "bm25s"),
        ("bm25s, stemmed", "Stemmer"),
        ("bm25s, gw's words", "bm25s"),
        ("tantivy", "tantivy"),
        ("tantivy, stemmed", "tantivy"),
        ("tantivy, gw's words", "tantivy"),
    ],
)
def test_a_system_finds_documents_in_a_process_of_its_own(module: Module, corpus: Any, label: str, needs: str) -> None:
    if find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed (the extra [peers])")
    row = module("peers.run").measure(module("peers.systems").variant(label), corpus, 1)
    assert row["status"] == "measured", row.get("error")
    assert row["ingest"]["passages"] == len(TEXTS)
    assert row["ingest"]["disk"] > 0
    ranked = row["search"]["ranked"]
    if row["shares"]:
        assert not ranked, "it is judged by the variant whose index it searches"
        return
    assert {question: found[0] for question, found in ranked.items()} == {
        "q1": "wing.txt",
        "q2": "shock.txt",
        "q3": "heat.txt",
    }
    assert all(len(set(found)) == len(found) for found in ranked.values())


def test_what_is_not_installed_is_a_row(module: Module, corpus: Any) -> None:
    gw = module("peers.systems").variant("gw")
    row = module("peers.run").measure(replace(gw, needs=("gw-toolkit", "no-such-distribution")), corpus, 1)
    assert (row["status"], row["error"]) == ("not installed", "no-such-distribution is not installed")


def test_what_fails_is_a_row_with_its_error(module: Module, corpus: Any) -> None:
    (corpus.folder / "truth.json").write_text("{")
    row = module("peers.run").measure(module("peers.systems").variant("gw"), corpus, 1)
    assert row["status"] == "failed"
    assert "JSONDecodeError" in row["error"]


def test_what_takes_too_long_is_stopped(module: Module, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import time\ntime.sleep(600)\n")
    measure = module("measure")
    with pytest.raises(measure.ChildError, match=r"longer than 0.1 s"):
        measure.call_child(str(script), "anything", within=0.1)


def row(system: str, ranked: dict[str, list[str]]) -> dict[str, Any]:
    search = {"first_cpu": 0.1, "cpu50": 0.001, "cpu95": 0.002, "wall50": 0.001, "wall95": 0.002, "rss": 20.0}
    ingest = {"cpu": 0.5, "wall": 0.5, "passages": 3, "rss": 30.0, "disk": 500}
    found = {"system": system, "versions": {}, "shares": "", "stores": "text", "status": "measured"}
    return {**found, "ingest": ingest, "search": {**search, "ranked": ranked}}


def test_a_report_compares_by_question_and_shows_what_is_missing(module: Module, corpus: Any) -> None:
    report, systems = module("peers.report"), module("peers.systems")
    right = {question: [next(iter(RELEVANT[question]))] for question in QUESTIONS}
    rows = [
        row("gw", right),
        row("groundwire", {question: [] for question in QUESTIONS}),
        {"system": "bm25s", "status": "not installed", "error": "bm25s is not installed"},
        {"system": "tantivy", "status": "failed", "error": "ValueError: a | b"},
    ]
    told = report.of_corpus(corpus, rows, 10)
    ours, theirs = told["systems"][:2]
    assert ours["metrics"]["ndcg@10"]["value"] == ours["metrics"]["recall@5"]["value"] == 1
    assert ours["ingest"]["mb_per_cpu_second"] == pytest.approx(corpus.size() / 1e6 / 0.5)
    assert ours["ingest"]["disk_per_byte"] == pytest.approx(500 / corpus.size())
    assert theirs["difference"]["ndcg@10"]["value"] == -1
    assert told["chance"]["recall@5"] == 1, "five of three documents"
    labels = ("gw", "groundwire", "bm25s", "tantivy")
    whole = report.whole([told], [systems.variant(one) for one in labels], 1.0, 10, 50)
    assert json.loads(json.dumps(whole))["schema"] == "gw.peers/1"
    lines = report.markdown(whole).splitlines()
    assert any(line.startswith("| gw | 1.000 |") for line in lines)
    assert any(line.startswith("| bm25s | not installed") for line in lines)
    assert any(line.startswith("| tantivy | failed: ValueError: a / b |") for line in lines)


@pytest.mark.parametrize(
    ("pairs", "verdict"),
    [
        ([0.5, 0.25] * 50, "better than gw"),
        ([-0.5, -0.25] * 50, "worse than gw"),
        ([0.5, -0.5] * 50, "no difference shown"),
        ([0.0] * 100, "no difference shown"),
        ([0.0] * 99 + [1.0], "no difference shown"),
    ],
)
def test_a_difference_is_one_when_its_interval_says_so(module: Module, pairs: list[float], verdict: str) -> None:
    found = module("peers.report").difference(pairs, "seed")
    assert found["verdict"] == verdict
    assert found["low"] <= found["value"] <= found["high"]
    assert found["n"] == len(pairs)


def test_needles_stand_in_the_files_that_are_asked_for(module: Module, tmp_path: Path) -> None:
    needles = module("peers.needles")
    corpus = needles.of_haystack(60_000, tmp_path / "corpus", most=20, beside=2)
    assert len(corpus.questions) == 20
    texts = corpus.texts()
    for fact in facts(20, needles.SEED):
        (name,) = corpus.relevant[fact.id]
        assert texts[name].count(fact.needle) == 1
        assert sum(text.count(fact.name.replace("-", " ").split()[0]) for text in texts.values()) >= 3
    assert {name for name, _ in corpus.units()} == set(texts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}"], "is no collection in BEIR's layout"),
        (["--needles", "much"], "'much' is not a number of tokens"),
        (["--needles", "0"], "nothing to measure"),
        (["--questions", "0"], "--questions must be 1 or more"),
        (["--rounds", "-1"], "--rounds must be 1 or more"),
    ],
)
def test_what_cannot_be_measured_is_told_in_one_line(
    module: Module,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.delenv("GW_TEST_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["peers", *(one.format(folder=tmp_path) for one in arguments)])
    with pytest.raises(SystemExit) as ended:
        module("peers.run").main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_folder_runs_as_a_program(tmp_path: Path) -> None:
    folder = collection(tmp_path / "pets")
    report = tmp_path / "report.json"
    command = [sys.executable, str(FOLDER / "peers"), str(folder), "--needles", "0", "--systems", "gw"]
    env = {**os.environ, "GW_BENCH_DIR": str(tmp_path / "bench")}
    done = subprocess.run(
        [*command, "--json", str(report)], env=env, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "| gw | 1.000 |" in done.stdout
    (measured,) = json.loads(report.read_text())["corpora"]
    assert measured["questions"] == 2
    assert not list((tmp_path / "bench").iterdir()), "nothing is left behind"
