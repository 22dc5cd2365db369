"""How fast gw works on this machine, and what it takes: ingest, search, memory, disk, start-up.

Every piece of work runs in a process of its own (:class:`gw_core.protocols.Processes`), several times. Of the rounds
the least time counts, as what other processes do to the machine only ever adds, and the most memory. CPU seconds are
those of the process, all its threads and children; megabytes have 10**6 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from gw_core.bench.phrases import phrases
from gw_core.bench.stats import percentile
from gw_core.bench.tokens import name_of, parse_tokens
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Processes, Task
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Figure, Ingested, Outcome, Searched

MEGA = 1_000_000
WARM_UP = 20
PERCENTILES = (50, 95, 99)


class Speed:
    """How fast this machine ingests and searches, with what memory and disk, and how fast the command starts.

    A cell for each size of corpus. The start-up of the command is measured once, in the smallest.
    """

    examples = (
        "gw bench speed --tokens 1m,10m",
        "gw bench speed --tokens 1m --baseline main.json",
    )

    def __init__(
        self,
        *,
        tokens: Annotated[tuple[str, ...], Help("sizes of the corpus")] = ("1m",),
        queries: Annotated[int, Range(20, 100_000), Help("how many questions are asked")] = 200,
        rounds: Annotated[int, Range(1, 100), Help("how often each piece of work is measured")] = 3,
        starts: Annotated[int, Range(1, 1_000), Help("how often each command is started")] = 7,
        limit: Annotated[float, Range(1), Help("seconds that one process may take")] = 1_800.0,
    ) -> None:
        if not tokens:
            raise ValueError("there must be a size")
        self._sizes = sorted({parse_tokens(size) for size in tokens})
        self._queries = queries
        self._rounds = rounds
        self._starts = starts
        self._limit = limit
        self.identity = Identity(
            "speed", "1", {"tokens": [name_of(size) for size in self._sizes], "queries": queries, "rounds": rounds}
        )

    def run(self, bench: Bench) -> Iterator[Cell]:
        for size in self._sizes:
            corpus, _ = bench.corpus({"task": "speed", "tokens": size}, partial(_build, bench, size), more=True)
            bench.step("taking questions", 0, 1)
            asked = phrases(_readers(corpus), self._queries + WARM_UP, f"{bench.seed}/{size}")
            with bench.processes(corpus, self._limit) as processes:
                yield self._cell(bench, size, processes, asked[WARM_UP:], asked[:WARM_UP])

    def _cell(
        self, bench: Bench, size: int, processes: Processes, questions: Sequence[str], warm_up: Sequence[str]
    ) -> Cell:
        name = name_of(size)
        ingests: list[Ingested] = []
        searches: list[Searched] = []
        for number in range(self._rounds):
            bench.step(f"ingesting {name}", number, self._rounds)
            ingests.append(processes.ingest())
        for number in range(self._rounds):
            bench.step(f"searching {name}", number, self._rounds)
            searches.append(processes.search(questions, warm_up))
        figures = {**ingest_figures(ingests), **search_figures(searches)}
        facts: dict[str, Any] = {
            "tokens": size,
            "documents": ingests[-1].documents,
            "passages": ingests[-1].passages,
            "bytes": ingests[-1].bytes,
            "index_bytes": ingests[-1].index_bytes,
            "questions": len(questions),
            "without_hits": sum(not hits for hits in searches[-1].hits),
            "rounds": {
                "ingest_cpu_s": [round(one.cpu, 3) for one in ingests],
                "ingest_wall_s": [round(one.wall, 3) for one in ingests],
                "search_cpu_s": [round(sum(one.cpu), 3) for one in searches],
            },
        }
        notes = [f"rounds: {self._rounds}, each in a process of its own; the least time and the most memory count"]
        if size == self._sizes[0]:
            bench.step("starting the command", 0, 1)
            took = processes.start_up(questions[0], self._starts)
            figures |= start_figures(took)
            facts["start_up_s"] = {what: round(seconds, 4) for what, seconds in took.items()}
            notes.append(
                "start-up is CPU time in multiples of a Python that does nothing, with the user's own settings"
            )
        return Cell(name, tuple(_outcomes(questions, searches)), figures, size=size, facts=facts, notes=tuple(notes))


def ingest_figures(rounds: Sequence[Ingested]) -> dict[str, Figure]:
    megabytes = rounds[-1].bytes / MEGA
    return {
        "ingest_cpu": Figure(megabytes / min(one.cpu for one in rounds), "MB/s", "higher"),
        "ingest_wall": Figure(megabytes / min(one.wall for one in rounds), "MB/s", "higher"),
        "ingest_peak_memory": Figure(max(one.peak_memory for one in rounds) / MEGA, "MB", "lower"),
        # The same on every machine, or nearly.
        "index_size": Figure(rounds[-1].index_bytes / rounds[-1].bytes, "bytes/byte", "lower", machine=False),
    }


def search_figures(rounds: Sequence[Searched]) -> dict[str, Figure]:
    """Percentiles over the questions, each with the least that it took in any round."""
    figures = {}
    for kind, times in (("cpu", [one.cpu for one in rounds]), ("wall", [one.wall for one in rounds])):
        least = [min(took) for took in zip(*times, strict=True)]
        for percent in PERCENTILES:
            figures[f"search_{kind}_p{percent}"] = Figure(1000 * percentile(least, percent), "ms", "lower")
    figures["search_peak_memory"] = Figure(max(one.peak_memory for one in rounds) / MEGA, "MB", "lower")
    return figures


def start_figures(took: dict[str, float] | Any) -> dict[str, Figure]:
    unit = "x python -c pass"
    return {
        "start_python": Figure(1000 * took["python"], "ms", "lower"),
        "start_version": Figure(took["version"] / took["python"], unit, "lower"),
        "start_search": Figure(took["search"] / took["python"], unit, "lower"),
    }


def _outcomes(questions: Sequence[str], rounds: Sequence[Searched]) -> Iterator[Outcome]:
    """The questions with their wall time. There is nothing right or wrong about them, so that they have no values."""
    for number, question in enumerate(questions):
        yield Outcome(
            id=str(number),
            question=question,
            values={},
            seconds=min(one.wall[number] for one in rounds),
            detail={
                "cpu_ms": round(1000 * min(one.cpu[number] for one in rounds), 3),
                "hits": rounds[-1].hits[number],
            },
        )


def _build(bench: Bench, size: int) -> tuple[Any, Any]:
    return bench.texts(size, more=True), None


def _readers(corpus: Path) -> list[Any]:
    files = sorted(file for file in corpus.rglob("*") if file.is_file())
    return [partial(file.read_text, "utf-8", "replace") for file in files]


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register("speed", "gw_plugins.tasks.speed:Speed", help="ingest, search, memory, disk and start-up of this machine")
