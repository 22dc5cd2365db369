"""The speed task: what it makes of rounds, and a run of it over a small haystack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench.harness import BenchOptions, Harness, Trial
from gw_core.config import Config
from gw_core.errors import GwError, UsageError
from gw_core.plugins import Plugins
from gw_core.trial import Cell, Ingested, Searched, SourceText
from gw_plugins.tasks.speed import Speed, ingest_figures, search_figures


def ingested(cpu: float, wall: float, memory: int) -> Ingested:
    return Ingested(cpu, wall, 4_000_000, 10, 100, 3_000_000, memory)


class Scripted:
    """Processes whose figures are known beforehand."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.asked: list[tuple[int, int]] = []

    def ingest(self) -> Ingested:
        self.calls.append("ingest")
        return [ingested(2.0, 4.0, 90_000_000), ingested(1.0, 5.0, 80_000_000)][len(self.calls) % 2]

    def search(self, questions: Sequence[str], warm_up: Sequence[str] = ()) -> Searched:
        self.calls.append("search")
        self.asked.append((len(questions), len(warm_up)))
        slow = 0.001 * (1 + self.calls.count("search"))
        times = tuple(slow + 0.001 * number for number in range(len(questions)))
        return Searched(times, tuple(2 * one for one in times), (3,) * len(questions), 50_000_000)

    def start_up(self, question: str, runs: int = 7) -> Mapping[str, float]:
        self.calls.append("start")
        return {"python": 0.01, "version": 0.04, "search": 0.1}


class Rig:
    """A bench with scripted processes."""

    seed = 7

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.system = Scripted()
        self.steps: list[str] = []
        self.wider = False

    def texts(self, tokens: int, number: int = 0, *, more: bool = False) -> Sequence[SourceText]:
        self.wider = more
        return [SourceText("one.md", "these are the words that a reader of the page sees\nx = f(a_b, c_d)\n" * 10)]

    def corpus(self, key: Mapping[str, Any], build: Any, *, more: bool = False) -> tuple[Path, Any]:
        assert more, "the key names the packages that a wider haystack takes from"
        for one in build()[0]:
            (self.folder / one.path).write_text(one.text)
        return self.folder, None

    @contextmanager
    def processes(self, corpus: Path, seconds: float) -> Iterator[Scripted]:
        yield self.system

    def step(self, stage: str, done: int, total: int) -> None:
        self.steps.append(stage)


def cells(bench: Any, **settings: Any) -> list[Cell]:
    return list(Speed(**settings).run(bench))


def test_of_the_rounds_the_least_time_and_the_most_memory_count(tmp_path: Path) -> None:
    bench = Rig(tmp_path)
    (cell,) = cells(bench, tokens=("1m",), queries=100, rounds=2)
    value = {name: one.value for name, one in cell.figures.items()}
    assert (value["ingest_cpu"], value["ingest_wall"], value["ingest_peak_memory"]) == (4.0, 1.0, 90.0)
    assert value["index_size"] == 0.75
    assert value["search_cpu_p50"] == pytest.approx(51.0)  # 2 ms, and one more for each question
    assert value["search_cpu_p95"] == pytest.approx(96.0)
    assert value["search_cpu_p99"] == pytest.approx(100.0)
    assert value["search_wall_p50"] == pytest.approx(102.0)
    assert (value["start_python"], value["start_version"], value["start_search"]) == (10.0, 4.0, 10.0)
    assert {name for name, one in cell.figures.items() if not one.machine} == {"index_size"}
    assert {
        one.better for name, one in cell.figures.items() if name.startswith("ingest_") and "memory" not in name
    } == {"higher"}
    assert bench.system.asked == [(100, 20)] * 2
    assert bench.wider
    assert len(cell.outcomes) == 100
    assert cell.outcomes[0].seconds == pytest.approx(0.004)
    assert cell.outcomes[0].values == {}
    assert cell.outcomes[0].detail == {"cpu_ms": 2.0, "hits": 3}


def test_the_command_is_started_over_the_smallest_corpus_only(tmp_path: Path) -> None:
    bench = Rig(tmp_path)
    small, large = cells(bench, tokens=("2m", "64k", "2000k"), queries=20, rounds=1)
    assert [small.name, large.name] == ["64k", "2m"]
    assert (small.size, large.size) == (64_000, 2_000_000)
    assert "start_search" in small.figures
    assert "start_search" not in large.figures
    assert bench.system.calls == ["ingest", "search", "start", "ingest", "search"]
    assert {"ingesting 64k", "searching 2m", "starting the command"} <= set(bench.steps)


def test_figures_of_one_round() -> None:
    assert ingest_figures([ingested(2.0, 4.0, 1)])["ingest_cpu"].value == 2.0
    figures = search_figures([Searched((0.001,), (0.002,), (1,), 7_000_000)])
    assert {figures[f"search_cpu_p{percent}"].value for percent in (50, 95, 99)} == {1.0}
    assert figures["search_peak_memory"].value == 7.0


@pytest.mark.parametrize("settings", [{"tokens": ()}, {"tokens": ("much",)}, {"tokens": ("0",)}])
def test_a_size_that_is_none_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Speed(**settings)


# -- for real, over little ---------------------------------------------------------------------------------------------


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    haystack = tmp_path / "haystack"
    haystack.mkdir()
    for number in range(40):
        lines = [f"The {word} of hall {number} is opened by the keeper on day {word * 2}." for word in range(30)]
        lines += [f"value_{number}_{word} = compute_the_{word}({number}, other={word})" for word in range(20)]
        (haystack / f"hall{number}.md").write_text("\n\n".join(lines))
    return Harness(Config(), Plugins(), BenchOptions(haystack=haystack, cache=tmp_path / "cache"))


def test_a_run_measures_everything_and_leaves_nothing(harness: Harness, tmp_path: Path) -> None:
    task = Speed(tokens=("20k",), queries=20, rounds=1, starts=1)
    (cell,) = harness.run(Trial("speed", "speed", task))
    assert len(cell.figures) == 4 + 7 + 3
    assert all(one.value > 0 for one in cell.figures.values())
    assert cell.figures["ingest_peak_memory"].value < 200
    assert 70_000 < cell.facts["bytes"] <= 80_000
    assert cell.facts["without_hits"] == 0
    assert len(cell.outcomes) == 20
    assert not list((tmp_path / "cache").glob(".gw-bench-*"))
    assert harness.spent.harness < harness.spent.asking, "what the processes take is gw's own time"


def test_a_haystack_that_is_too_small_is_told_before_anything_is_measured(harness: Harness) -> None:
    with pytest.raises(UsageError):
        harness.run(Trial("speed", "speed", Speed(tokens=("10m",))))


def test_a_process_that_takes_too_long_ends_the_run(harness: Harness, tmp_path: Path) -> None:
    with pytest.raises(GwError, match="took longer than"):
        harness.run(Trial("speed", "speed", Speed(tokens=("10k",), queries=20, limit=0.02)))
    assert not list((tmp_path / "cache").glob(".gw-bench-*"))
