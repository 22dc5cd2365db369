"""Runs tasks over gw as it is configured: hands them text, corpora and a subject, and keeps time."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gw_core.bench.cache import Built, Cache, code_digest, default_folder
from gw_core.bench.haystack import Haystack, open_haystack
from gw_core.bench.processes import Processes
from gw_core.bench.subject import Asking, GwSubject
from gw_core.config import Config
from gw_core.errors import GwError, OutsideRootError, PluginError, UsageError, described
from gw_core.ingest import IngestReport, Progress
from gw_core.pipeline import Pipeline
from gw_core.plugins import Plugins
from gw_core.protocols import Task
from gw_core.settings import CorpusSettings
from gw_core.trial import Cell, SourceText
from gw_core.workspace import Workspace

KS = (1, 5, 10)
SEED = 7


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What all tasks of a run share. ``haystack`` None is the standard library of this Python; ``needles`` None is the
    configuration's."""

    asking: Asking = field(default_factory=Asking)
    ks: tuple[int, ...] = KS
    seed: int = SEED
    needles: int | None = None
    haystack: Path | None = None
    cache: Path | None = None
    named: tuple[Path, ...] = ()
    """Folders that the user named, beside the root: a corpus may lie in one of them."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One task to run: ``name`` in the report, the component and its settings as they are to be told."""

    name: str
    use: str
    task: Task
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Spent:
    """Wall seconds: what the subject took to answer and to ingest, and all of it."""

    asking: float = 0.0
    ingesting: float = 0.0
    whole: float = 0.0

    @property
    def harness(self) -> float:
        return max(0.0, self.whole - self.asking - self.ingesting)


class Harness:
    """Implements :class:`gw_core.protocols.Bench`.

    ``on_progress`` is told steps, ``on_note`` sentences for the user. Not to be shared between threads.
    """

    def __init__(
        self,
        config: Config,
        plugins: Plugins,
        options: BenchOptions,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_note: Callable[[str], None] | None = None,
    ) -> None:
        if not options.ks or any(k < 1 for k in options.ks):
            raise UsageError("k must be 1 or more", hint="-k 1,5,10")
        self.config = _measured(config, options.asking.backend)
        self.options = options
        self.spent = Spent()
        self.cache = Cache((options.cache or default_folder()).absolute())
        self._plugins = plugins
        self._on_progress = on_progress or (lambda _: None)
        self._on_note = on_note or (lambda _: None)
        self._noted: set[str] = set()
        self._haystack: Haystack | None = None
        self._code = ""
        asked = Pipeline(Path.cwd(), self.config, plugins)
        asked.check_names("readers", [one for one in (options.asking.reader,) if one])
        asked.check_names("rerankers", options.asking.rerank or ())

    # -- what a task is handed ----------------------------------------------------------------------------------

    @property
    def seed(self) -> int:
        return self.options.seed

    @property
    def needles(self) -> int:
        return self.config.bench.needles if self.options.needles is None else self.options.needles

    @property
    def ks(self) -> Sequence[int]:
        return sorted(set(self.options.ks))

    @property
    def haystack(self) -> Haystack:
        if self._haystack is None:
            self._haystack = open_haystack(self.options.haystack)
        return self._haystack

    @property
    def haystack_provenance(self) -> Mapping[str, Any] | None:
        """What the haystack was, if there was need of one."""
        return None if self._haystack is None else self._haystack.provenance

    def texts(self, tokens: int, number: int = 0, *, more: bool = False) -> Sequence[SourceText]:
        self.step("preparing the haystack", 0, 1)
        taken = self.haystack.take(tokens, number, more=more)
        self.step("preparing the haystack", 1, 1)
        return taken

    def corpus(self, key: Mapping[str, Any], build: Callable[[], Built], *, more: bool = False) -> tuple[Path, Any]:
        haystack = self.haystack.wider_key if more else self.haystack.key
        return self.cache.corpus({"key": key, "seed": self.seed, "code": self._code, **haystack}, build)

    @contextmanager
    def open(self, corpus: Path, paths: Sequence[Path] = ()) -> Iterator[GwSubject]:
        with self.workspace(corpus, paths) as workspace:
            report = self.ingest(workspace, paths)
            subject = GwSubject(workspace, self.options.asking, report)
            try:
                yield subject
            finally:
                self.spent.asking += subject.seconds

    @contextmanager
    def workspace(self, corpus: Path, paths: Sequence[Path] = ()) -> Iterator[Workspace]:
        """A workspace over a corpus, its index in the cache, with nothing ingested yet.

        What is ingested stays in an index, and all of it is searched: other ``paths`` have an index of their own.
        """
        corpus = corpus.absolute()
        self._refuse_outside(corpus)
        config = self._config_for(corpus)
        parts = {"paths": sorted(os.fspath(path) for path in paths)} if paths else {}
        index = self.cache.index(corpus, _index_key(config) | parts)
        with Workspace(corpus, index, config, self._plugins) as workspace:
            yield workspace

    def ingest(self, workspace: Workspace, paths: Sequence[Path] = ()) -> IngestReport:
        """Ingest all of a workspace's corpus, or ``paths`` in it. Raises UsageError where nothing of it is readable."""
        began = time.perf_counter()
        report = workspace.ingest(list(paths) or [workspace.root], on_progress=self._on_progress)
        self.spent.ingesting += time.perf_counter() - began
        _check(report, workspace.root, self._made(workspace.root))
        return report

    @contextmanager
    def processes(self, corpus: Path, seconds: float) -> Iterator[Processes]:
        corpus = corpus.absolute()
        config, folder = self._config_for(corpus), self.cache.folder
        began = time.perf_counter()
        with Processes(config, corpus, folder, self.options.asking, seconds=seconds) as processes:
            try:
                yield processes
            finally:  # all of it is gw at work
                self.spent.asking += time.perf_counter() - began

    def _config_for(self, corpus: Path) -> Config:
        """What the user leaves out of a corpus says nothing about one that was made here."""
        return replace(self.config, corpus=CorpusSettings()) if self._made(corpus) else self.config

    def _refuse_outside(self, corpus: Path) -> None:
        """A golden file or a suite may come from a stranger: what it calls its corpus is read only within the root, or
        the folders that the user named."""
        root = self.config.root
        if root is None or self._made(corpus):
            return
        real = corpus.resolve()
        if not any(real.is_relative_to(folder.resolve()) for folder in (root, *self.options.named)):
            raise OutsideRootError(
                f"the corpus {os.fspath(corpus)!r} is outside the root {os.fspath(root)!r}",
                hint="--root names a root that holds it",
            )

    def _made(self, corpus: Path) -> bool:
        return corpus.is_relative_to(self.cache.folder.absolute())

    def step(self, stage: str, done: int, total: int) -> None:
        self._on_progress(Progress(stage, done, total, 0, 0))

    def note(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self._on_note(text)

    # -- running ------------------------------------------------------------------------------------------------

    def task(self, name: str, settings: Mapping[str, Any]) -> Task:
        """The task component of this name; ``settings`` (:class:`gw_core.schema.Setting`) come on top of the
        configuration's."""
        return Pipeline(Path.cwd(), self.config, self._plugins).task(name, settings)

    def run(self, trial: Trial) -> list[Cell]:
        """All cells of one task. An error that is not gw's own is the plugin's."""
        began = time.perf_counter()
        self._code = code_digest(type(trial.task))
        cells: list[Cell] = []
        try:
            for cell in trial.task.run(self):
                _check_cell(trial, cell, cells)
                cells.append(cell)
        except (GwError, KeyboardInterrupt, OSError, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # what exits with 0 would pass for a run that reached its gates
            raise PluginError(f"task {trial.name!r} failed: {described(error)}") from error
        finally:
            self.spent.whole += time.perf_counter() - began
        if not cells:
            raise PluginError(f"task {trial.name!r} measured nothing")
        return cells


def _measured(config: Config, backend: str | None) -> Config:
    """The configuration with the one backend that is asked: what is measured is not another one's ingest."""
    chosen = backend or config.retrieve.backend
    return replace(
        config,
        ingest=replace(config.ingest, backends=(chosen,)),
        retrieve=replace(config.retrieve, backend=chosen),
    )


def _index_key(config: Config) -> dict[str, Any]:
    """All of a configuration that an index depends on."""
    components = {
        f"{kind}.{name}": [one.use, {key: repr(setting.value) for key, setting in one.settings.items()}]
        for (kind, name), one in config.components.items()
        if kind in ("loaders", "chunkers", "backends", "encoders")
    }
    return {"ingest": repr(config.ingest), "corpus": repr(config.corpus), "components": components}


def _check(report: IngestReport, corpus: Path, made: bool) -> None:
    """Nothing of a corpus that was made may be left out; one of the user's must have something in it."""
    if report.readable and not (made and report.skipped):
        return
    reasons = ", ".join(f"{count} {reason}" for reason, count in report.skipped_by_reason().items())
    if made:
        raise GwError(f"files of a made corpus were left out: {reasons}", hint=f"delete {corpus} and try again")
    raise UsageError(f"nothing readable at {corpus}" + (f": {reasons}" if reasons else ""))


def _check_cell(trial: Trial, cell: object, before: Iterable[Cell]) -> None:
    if not isinstance(cell, Cell):
        raise PluginError(f"task {trial.name!r} returned a {type(cell).__name__}, not a Cell")
    if not isinstance(cell.name, str):
        raise PluginError(f"task {trial.name!r} has a cell whose name is a {type(cell.name).__name__}, not text")
    if any(cell.name == other.name for other in before):
        raise PluginError(f"task {trial.name!r} has two cells called {cell.name!r}")
    for what, value in _numbers(cell):
        if not _is_number(value):
            raise PluginError(f"task {trial.name!r}, cell {cell.name!r}: {what} is no number")
    ids = [one.id for one in cell.outcomes]
    if len(set(ids)) < len(ids):
        raise PluginError(f"task {trial.name!r}, cell {cell.name!r}: two questions have the same id")


def _numbers(cell: Cell) -> Iterator[tuple[str, Any]]:
    """All that must be a number in a cell, and what it is."""
    yield from ((f"figure {name!r}", getattr(figure, "value", None)) for name, figure in cell.figures.items())
    yield from ((f"chance of {name!r}", value) for name, value in cell.chance.items())
    for one in cell.outcomes:
        yield from ((f"{name} of question {one.id!r}", value) for name, value in one.values.items())
        if one.seconds is not None:
            yield f"time of question {one.id!r}", one.seconds
        if "depth" in one.group:
            yield f"depth of question {one.id!r}", one.group["depth"]


def _is_number(value: Any) -> bool:
    """Neither NaN nor infinite, nor so large that a sum of such may be."""
    try:
        return math.isfinite(value) and abs(value) < 1e200
    except (TypeError, OverflowError):
        return False
