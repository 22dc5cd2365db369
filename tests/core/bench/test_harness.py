"""The harness: what a task is handed, what it may not return, and what the report says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench.harness import BenchOptions, Harness, Trial
from gw_core.bench.provenance import provenance
from gw_core.bench.report import report
from gw_core.bench.subject import Asking
from gw_core.config import Config
from gw_core.errors import GwError, PluginError, UnknownNameError, UsageError
from gw_core.model import Identity
from gw_core.plugins import Plugins
from gw_core.protocols import Bench
from gw_core.trial import Cell, Figure, Outcome, Place, SourceText

TEXTS = [SourceText("a/one.md", "The kettle boils at noon.\n"), SourceText("b/two.py", "# the lamp is green\nx = 1\n")]


class Kettle:
    """Asks two questions about a corpus of two files."""

    def __init__(self) -> None:
        self.identity = Identity("kettle", "1", {"cups": 2})
        self.built = 0

    def run(self, bench: Bench) -> Iterable[Cell]:
        def build() -> tuple[list[SourceText], dict[str, Any]]:
            self.built += 1
            return TEXTS, {"place": ["a/one.md", 0, 25]}

        folder, truth = bench.corpus({"task": "kettle"}, build)
        wanted = Place(*truth["place"])
        with bench.open(folder) as subject:
            found = subject.search("when does the kettle boil?", max(bench.ks))
            answer = subject.ask("when does the kettle boil?")
            hit = float(any(one.contains(wanted) for one in found.places))
            yield Cell(
                "all",
                (
                    Outcome("1", "when?", {"recall@5": hit, "mrr@10": 0.5}, found.seconds, {"depth": 0.05}),
                    Outcome("2", "what?", {"recall@5": 0.0}, answer.seconds, {"depth": 1.0}, {"text": answer.text}),
                ),
                {"ingest": Figure(2.0, "MB/s", "higher")},
                {"recall@5": 0.5},
                64,
                {**subject.facts, "verdicts": list(answer.verdicts)},
                ("small",),
            )


@pytest.fixture
def harness(tmp_path: Path) -> Callable[..., Harness]:
    def make(*overrides: str, **options: Any) -> Harness:
        config = Config.load(tmp_path, overrides=overrides, env={"GW_CONFIG": ""})
        return Harness(config, Plugins(), BenchOptions(cache=tmp_path / "cache", **options))

    return make


def test_a_task_makes_a_corpus_once_and_asks_gw(harness: Callable[..., Harness]) -> None:
    first, task = harness(), Kettle()
    [cell] = first.run(Trial("kettle", "kettle", task))
    assert cell.outcomes[0].values["recall@5"] == 1.0
    assert cell.facts["documents"] == 2
    assert cell.facts["ingested_bytes"] == sum(len(one.text) for one in TEXTS)
    assert cell.facts["verdicts"] == ["verified"]
    second = harness()
    [again] = second.run(Trial("kettle", "kettle", task))
    assert (task.built, again.facts["documents"]) == (1, 2)
    assert second.spent.asking > 0
    assert second.spent.whole >= second.spent.asking + second.spent.ingesting


def test_what_the_user_leaves_out_of_a_corpus_is_not_left_out_of_a_made_one(harness: Callable[..., Harness]) -> None:
    [cell] = harness("corpus.excludes=['*.md']").run(Trial("kettle", "kettle", Kettle()))
    assert cell.facts["documents"] == 2


def test_each_configuration_has_its_own_index(harness: Callable[..., Harness], tmp_path: Path) -> None:
    task = Kettle()
    for overrides in ((), ("chunkers.small.use=text", "ingest.chunker=small", "chunkers.small.target=600")):
        harness(*overrides).run(Trial("kettle", "kettle", task))
    assert len(list((tmp_path / "cache").glob("*/index-*"))) == 2
    assert task.built == 1


def test_only_the_backend_that_is_asked_is_ingested(harness: Callable[..., Harness]) -> None:
    config = harness("backends.other.use=fts5", asking=Asking(backend="other")).config
    assert (config.ingest.backends, config.retrieve.backend) == (("other",), "other")


def test_the_report_of_a_run(harness: Callable[..., Harness], tmp_path: Path) -> None:
    one = harness(seed=3)
    trial = Trial("kettle", "kettle", Kettle())
    measured = [(trial, one.run(trial))]
    made = report(provenance(tmp_path, one.config), one, measured, datetime.now(timezone.utc))
    task = made["tasks"][0]
    cell = task["cells"][0]
    assert (task["settings"], made["provenance"]["seed"], made["ks"]) == ({"cups": 2}, 3, [1, 5, 10])
    recall = cell["metrics"]["recall@5"]
    assert (recall["value"], recall["n"], recall["interval"], recall["chance"]) == (0.5, 2, "wilson", 0.5)
    assert recall["low"] == pytest.approx(0.0945, abs=1e-3)  # Wilson's interval of 1 in 2
    assert (cell["metrics"]["mrr@10"]["n"], cell["metrics"]["mrr@10"]["chance"]) == (1, None)
    assert [one["group"] for one in cell["groups"]["depth"]] == ["0-10 %", "90-100 %"]
    assert cell["latency"]["n"] == 2
    assert cell["figures"]["ingest"] == {"value": 2.0, "unit": "MB/s", "better": "higher", "machine": True}
    assert [question["id"] for question in cell["questions"]] == ["1", "2"]
    assert made["provenance"]["haystack"] is not None or one.haystack_provenance is None


class Wrong:
    def __init__(self, returns: Callable[[], Iterable[Any]]) -> None:
        self.identity = Identity("wrong", "1")
        self._returns = returns

    def run(self, bench: Bench) -> Iterable[Cell]:
        return self._returns()


def outcome(name: str) -> Outcome:
    return Outcome(name, "q", {"recall@5": 1.0})


def raising() -> Iterable[Cell]:
    yield Cell("a")
    raise RuntimeError("no\nway")


@pytest.mark.parametrize(
    ("returns", "says"),
    [
        (list, "measured nothing"),
        (lambda: ["cell"], "returned a str, not a Cell"),
        (lambda: [Cell("a"), Cell("a")], "two cells called 'a'"),
        (lambda: [Cell("a", (outcome("1"), outcome("1")))], "two questions have the same id"),
        (lambda: [Cell("a", (replace(outcome("1"), values={"recall@5": float("nan")}),))], "is no number"),
        (lambda: None, "failed: TypeError"),
        (raising, "failed: RuntimeError: no way"),
    ],
)
def test_a_task_that_breaks_its_contract_is_named(
    harness: Callable[..., Harness], returns: Callable[[], Iterable[Any]], says: str
) -> None:
    with pytest.raises(PluginError, match="task 'mine'") as caught:
        harness().run(Trial("mine", "wrong", Wrong(returns)))
    assert says in str(caught.value)


def test_a_corpus_that_the_user_names(harness: Callable[..., Harness], tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    with pytest.raises(UsageError, match="nothing readable"), harness().open(docs):
        pass
    (docs / "a.md").write_text("A page.\n")
    with harness().open(docs) as subject:
        assert subject.passages == 1
    assert [path.name for path in docs.iterdir()] == ["a.md"]


def test_an_unknown_task_and_a_k_of_nothing(harness: Callable[..., Harness]) -> None:
    with pytest.raises(UnknownNameError, match="unknown task 'neddle'"):
        harness().task("neddle", {})
    with pytest.raises(GwError, match="k must be 1 or more"):
        harness(ks=(0,))
