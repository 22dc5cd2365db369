"""The task ``golden``: a user's own questions, scored over gw."""

from __future__ import annotations

import json
import os
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from gw_core.bench.harness import BenchOptions, Harness, Trial
from gw_core.config import Config
from gw_core.errors import UsageError
from gw_core.plugins import Plugins
from gw_core.trial import Cell
from gw_plugins.tasks.golden import Golden

LOGS = "# Logs\n\nLogs are kept for 30 days. After that they are deleted.\n"
BACKUP = "# Backups\n\nBackups are made every night at 2:00. A backup is kept for 90 days.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "logs.md").write_text(LOGS)
    (docs / "backup.md").write_text(BACKUP)
    for number in range(12):
        (docs / f"other-{number}.md").write_text(f"# Other {number}\n\nSomething else, of kind {number}.\n")
    return docs


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    config = Config.load(tmp_path, overrides=(), env={"HOME": str(tmp_path)})
    return Harness(config, Plugins(), BenchOptions(cache=tmp_path / "cache"))


def golden(docs: Path, *entries: dict[str, Any], corpus: Any = "docs") -> Path:
    path = docs.parent / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, [{"corpus": corpus}, *entries])))
    return path


def run(harness: Harness, path: Path, **settings: Any) -> Cell:
    [cell] = harness.run(Trial("golden", "golden", Golden(path, **settings)))
    return cell


KEPT = {
    "id": "kept",
    "question": "How long are logs kept?",
    "category": "plain",
    "quotes": [{"document": "logs.md", "quote": "Logs are kept for 30 days."}],
    "answer": ["30 days", "a month"],
}
NIGHT = {"id": "night", "question": "backups at night", "documents": {"backup.md": 2, "other-1.md": 1}}
COST = {"id": "cost", "question": "What does the zeppelin cost?", "abstain": True}


def test_quotes_documents_and_refusals_are_scored(docs: Path, harness: Harness) -> None:
    cell = run(harness, golden(docs, KEPT, NIGHT, COST))
    kept, night, cost = cell.outcomes
    assert (cell.name, cell.facts["questions"], cell.facts["unanswerable"]) == ("mine", 3, 1)
    assert {key: kept.values[key] for key in ("recall@1", "coverage@5", "ndcg@10", "mrr@10")} == dict.fromkeys(
        ("recall@1", "coverage@5", "ndcg@10", "mrr@10"), 1.0
    )
    assert (kept.values["answered"], kept.values["answer_contains"], kept.values["citations_verified"]) == (1, 1, 1)
    assert kept.detail["expected"] == ["logs.md:8-34"]
    assert kept.group == {"category": "plain"}
    assert (night.values["recall@1"], night.values["coverage@10"], night.values["mrr@10"]) == (1, 0.5, 1)
    assert "answer_contains" not in night.values
    assert cost.values == {"abstention_recall": 1.0, "abstention_precision": 1.0}
    assert cost.group == {"category": "unanswerable"}
    assert cell.chance["recall@1"] == pytest.approx(fmean([1 / cell.facts["passages"], 2 / 14]))


def test_answers_are_asked_for_only_where_some_are_known(docs: Path, harness: Harness) -> None:
    plain = run(harness, golden(docs, NIGHT))
    assert "answered" not in plain.outcomes[0].values
    assert "answered" in run(harness, golden(docs, NIGHT), ask=True).outcomes[0].values
    silent = run(harness, golden(docs, KEPT, COST), ask=False)
    assert silent.outcomes[1].values == {}
    assert "answered" not in silent.outcomes[0].values


def test_a_quote_that_a_passage_holds_in_part_is_not_found(docs: Path, harness: Harness) -> None:
    long = "Zeppelins fly. " + "They are slow and large and quiet and few. " * 300
    (docs / "long.md").write_text(long + "The end.")
    entry = {"question": "zeppelins fly", "quotes": [{"document": "long.md", "quote": (long + "The end.")}]}
    cell = run(harness, golden(docs, entry))
    assert cell.outcomes[0].values["recall@10"] == 0.0
    assert cell.outcomes[0].detail["found"][0].startswith("long.md:0-")


def test_documents_rank_once_however_many_of_their_passages_match(docs: Path, harness: Harness) -> None:
    many = "\n\n".join(
        f"# Zebra {number}\n\nA zebra has stripes. " + f"Filler {number}. " * 150 for number in range(99)
    )
    (docs / "many.md").write_text(many)
    (docs / "late.md").write_text("A giraffe has none, unlike a zebra.\n")
    cell = run(harness, golden(docs, {"question": "zebra stripes", "documents": ["late.md"]}))
    assert cell.outcomes[0].values["mrr@10"] == 0.5


def test_only_what_the_set_names_is_its_corpus(docs: Path, harness: Harness) -> None:
    (docs.parent / "secret-plans.md").write_text(LOGS)
    own = docs / "own.jsonl"
    own.write_text(json.dumps(KEPT) + "\n")
    cell = run(harness, own)
    assert cell.facts["documents"] == 14  # not the file that holds the question itself
    question = {"question": "Backups are made every night at 2:00", "documents": ["logs.md"]}
    few = run(harness, golden(docs, question, corpus=["docs/logs.md", "docs/other-1.md"]))
    assert few.facts["documents"] == 2
    assert not any("backup" in one for one in few.outcomes[0].detail["found"])
    # What another set ingested of the same root is not found either.
    more = run(harness, golden(docs, question, corpus=["docs/logs.md", "docs/backup.md", "docs/other-1.md"]))
    assert more.outcomes[0].detail["found"][0].startswith("backup.md")
    assert run(harness, golden(docs, question, corpus=["docs/logs.md", "docs/other-1.md"])).facts["documents"] == 2


def test_a_broken_set_is_not_measured_and_all_is_listed(docs: Path, harness: Harness) -> None:
    path = golden(docs, {**KEPT, "quotes": [{"document": "logs.md", "quote": "kept for ever"}]}, {"question": "x"})
    with pytest.raises(UsageError, match=r"mine\.jsonl:3: 'x': it does not say what is right"):
        run(harness, path)
    problems = Golden(path).check(harness)
    assert [str(one) for one in problems] == [
        f"{path}:2: 'kept': the quote 'kept for ever' does not stand in logs.md (quotes are exact, white space apart)",
        f"{path}:3: 'x': it does not say what is right (documents: [...], quotes: [...], answer: ... or abstain: true)",
    ]
    assert problems[0].plain()["line"] == 2


def test_a_limit_draws_the_same_questions_for_a_seed(docs: Path, harness: Harness) -> None:
    entries = [{"id": str(number), "question": f"kind {number}", "documents": ["logs.md"]} for number in range(50)]
    first, second = (run(harness, golden(docs, *entries), limit=7) for _ in range(2))
    ids = [one.id for one in first.outcomes]
    assert ids == [one.id for one in second.outcomes] == sorted(ids, key=int)
    assert len(ids) == 7
    assert ids != [str(number) for number in range(7)]
    assert first.notes == ("7 questions are few: mind the intervals",)


@pytest.mark.parametrize(
    ("settings", "message"), [({"limit": 0}, "limit must be 1"), ({"split": "dev"}, "split is for")]
)
def test_settings_that_are_wrong(docs: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Golden(golden(docs, KEPT), **settings)
    with pytest.raises(ValueError, match="neither a golden file nor a collection"):
        Golden(docs)


def test_a_collection_in_the_layout_of_beir(docs: Path, harness: Harness) -> None:
    folder = docs.parent / "coll"
    (folder / "qrels").mkdir(parents=True)
    texts = {"a/1": "zebra stripes", "A/1": "giraffe neck", "..": "", "id_rsa": "lion mane"}
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"_id": k, "text": v}) + "\n" for k, v in texts.items()))
    queries = {"1": "stripes of a zebra", "2": "mane", "3": "???"}
    (folder / "queries.jsonl").write_text("".join(json.dumps({"_id": k, "text": v}) + "\n" for k, v in queries.items()))
    (folder / "qrels" / "test.tsv").write_text("1\ta/1\t2\n1\tA/1\t-1\n2\tid_rsa\t1\n3\tA/1\t1\n4\tA/1\t1\n")
    cell = run(harness, folder)
    assert [(one.id, one.values["recall@1"], one.values["ndcg@10"]) for one in cell.outcomes] == [
        ("1", 1, 1),
        ("2", 1, 1),
        ("3", 0, 0),
    ]
    assert cell.facts["documents"] == 4
    assert cell.notes[:2] == (
        "1 judgments name queries that are not there: left out",
        "1 queries have no word to search for: missed",
    )
    assert [one.level for one in Golden(folder).check(harness)] == ["warning"]


def test_ndcg_of_a_published_collection_is_that_of_the_raw_ranking(harness: Harness) -> None:
    data = os.environ.get("GW_TEST_DATA")
    if data is None:
        pytest.skip("GW_TEST_DATA is not set")
    cell = run(harness, Path(data) / "cisi")
    # benchmarks/collections_ndcg.py, which scores the backend's matches without search around them, says .3933.
    assert fmean(one.values["ndcg@10"] for one in cell.outcomes) == pytest.approx(0.3933, abs=0.005)
