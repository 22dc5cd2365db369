"""The built-in bench tasks, each as small as it goes, through the kit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gw_core.testing import TaskConformance
from gw_plugins.tasks.golden import Golden
from gw_plugins.tasks.memory import Memory
from gw_plugins.tasks.multihop import Multihop
from gw_plugins.tasks.needle import Needle
from gw_plugins.tasks.paraphrase import Paraphrase
from gw_plugins.tasks.speed import Speed
from gw_plugins.tasks.unanswerable import Unanswerable


class TestNeedle(TaskConformance):
    def make(self, folder: Path) -> Needle:
        return Needle(context=("8k",), needles=6, distractors=3, ask=True)


class TestMultihop(TaskConformance):
    def make(self, folder: Path) -> Multihop:
        return Multihop(hops=(3,), context=("16k",), chains=4, branches=1)


class TestParaphrase(TaskConformance):
    def make(self, folder: Path) -> Paraphrase:
        return Paraphrase(context=("16k",), needles=6)


class TestUnanswerable(TaskConformance):
    def make(self, folder: Path) -> Unanswerable:
        return Unanswerable(context=("64k",), needles=5)


class TestMemory(TaskConformance):
    def make(self, folder: Path) -> Memory:
        return Memory(model=("llama-3.1-8b",), context=("8k", "1m"))


class TestGolden(TaskConformance):
    def make(self, folder: Path) -> Golden:
        (folder / "docs").mkdir(exist_ok=True)
        (folder / "docs/a.md").write_text("# Manual\n\nLogs are kept for 30 days. The port is 8080.\n")
        (folder / "docs/b.md").write_text("# Other\n\nThe kettle boils at noon.\n")
        file = folder / "golden.yaml"
        file.write_text(
            "corpus: docs\nquestions:\n"
            "- {question: How long are logs kept?, quotes: [{document: a.md, quote: 30 days}], answer: 30 days}\n"
            "- {question: When does the kettle boil?, documents: {b.md: 2, a.md: 1}, category: plain}\n"
            "- {question: Who was the first emperor of Rome?, abstain: true}\n"
        )
        return Golden(file=file)


@pytest.mark.slow
class TestSpeed(TaskConformance):
    def make(self, folder: Path) -> Speed:
        return Speed(tokens=("16k",), queries=5, rounds=1)
