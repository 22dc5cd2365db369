"""Conformance of bench tasks; see :class:`gw_core.protocols.Task`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gw_core.bench.harness import BenchOptions, Harness, Trial
from gw_core.bench.report import report
from gw_core.config import Config
from gw_core.plugins import Plugins
from gw_core.protocols import Subject, Task
from gw_core.trial import Answered, Cell, Retrieved

FOUND = ("recall@", "coverage@", "ndcg@", "mrr@", "answer_")
"""Metrics, by how their names begin, that are 0 where nothing is found and nothing is answered."""


class Blind:
    """A subject that finds nothing and answers nothing."""

    def __init__(self, subject: Subject) -> None:
        self.passages = subject.passages
        self.facts: Mapping[str, Any] = subject.facts

    def search(self, question: str, k: int) -> Retrieved:  # noqa: ARG002
        return Retrieved((), 0.001)

    def ask(self, question: str) -> Answered:  # noqa: ARG002
        return Answered("", None, True, "not", (), (), 0.001)


class BlindHarness(Harness):
    @contextmanager
    def open(self, corpus: Path, paths: Sequence[Path] = ()) -> Iterator[Any]:
        with super().open(corpus, paths) as subject:
            yield Blind(subject)


class TaskConformance:
    """Subclass it and implement :meth:`make`: a task so small that it runs in a second or two."""

    def make(self, folder: Path) -> Task:
        """The task; what files of its own it needs may be written into ``folder``."""
        raise NotImplementedError

    def harness(self, folder: Path, kind: type[Harness] = Harness, seed: int = 7) -> Harness:
        config = Config.load(folder, env={"GW_CONFIG": ""})
        return kind(config, Plugins(), BenchOptions(cache=folder / "cache", seed=seed))

    def cells(self, folder: Path, kind: type[Harness] = Harness, seed: int = 7) -> list[Cell]:
        return self.harness(folder, kind, seed).run(Trial("one", "one", self.make(folder)))

    def test_it_is_a_task_with_a_stable_identity(self, tmp_path: Path) -> None:
        task = self.make(tmp_path)
        assert isinstance(task, Task)
        assert task.identity.name
        assert task.identity.version
        assert str(task.identity) == str(self.make(tmp_path).identity)
        json.dumps(dict(task.identity.settings))

    def test_what_it_measures_is_sound(self, tmp_path: Path) -> None:
        for cell in self.cells(tmp_path):
            assert cell.name
            assert all(0 <= chance <= 1 for chance in cell.chance.values())
            assert all(math.isfinite(one.value) for one in cell.figures.values())
            assert cell.outcomes or cell.figures, "it measures nothing"
            for one in cell.outcomes:
                assert one.id
                assert one.question.strip()
                assert one.seconds is None or one.seconds >= 0
                assert all(0 <= value <= 1 for value in one.values.values()), "a rate lies between 0 and 1"

    def test_the_same_seed_gives_the_same_figures(self, tmp_path: Path) -> None:
        first, second = tmp_path / "first", tmp_path / "second"
        for folder in (first, second):
            folder.mkdir()
        assert list(map(_told, self.cells(first))) == list(map(_told, self.cells(second)))

    def test_a_cached_corpus_gives_the_same_figures(self, tmp_path: Path) -> None:
        assert list(map(_told, self.cells(tmp_path))) == list(map(_told, self.cells(tmp_path)))

    def test_another_seed_is_measured_as_well(self, tmp_path: Path) -> None:
        first, other = self.cells(tmp_path), self.cells(tmp_path, seed=8)
        assert [cell.name for cell in first] == [cell.name for cell in other]

    def test_a_subject_that_finds_nothing_scores_nothing(self, tmp_path: Path) -> None:
        for cell in self.cells(tmp_path, BlindHarness):
            for one in cell.outcomes:
                found = {name: value for name, value in one.values.items() if name.startswith(FOUND) and value}
                assert found == {}, one.id

    def test_a_report_can_be_made_of_it(self, tmp_path: Path) -> None:
        harness = self.harness(tmp_path)
        trial = Trial("one", "one", self.make(tmp_path))
        made = report({"config": {}}, harness, [(trial, harness.run(trial))], datetime.now(timezone.utc))
        assert json.loads(json.dumps(made, allow_nan=False)) == made


def _told(cell: Cell) -> tuple[Any, ...]:
    """A cell without what time and machine have to do with."""
    outcomes = [(one.id, one.question, dict(one.values), dict(one.group)) for one in cell.outcomes]
    figures = {name: one.value for name, one in cell.figures.items() if not one.machine}
    return cell.name, cell.size, outcomes, figures, dict(cell.chance)
