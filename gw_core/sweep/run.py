"""The sweep itself: every segment is read once, journalled, and reduced in the order of the plan.

What a reader said of a segment is found again in the journal by what the segment holds; fields that code fills are read
from the text each time, which takes no longer than to look them up. Reducers see the segments in their order however
many are read at once, so that the result never depends on it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from gw_core.errors import PluginError, UsageError
from gw_core.ingest import Progress
from gw_core.pipeline import Pipeline
from gw_core.protocols import Extractor, Reducer
from gw_core.records import Batch, Extracted, Extraction, Recipe, Unit
from gw_core.seams import running
from gw_core.sweep.answer import answer
from gw_core.sweep.columns import Columns
from gw_core.sweep.coverage import Coverage, Missing
from gw_core.sweep.documents import each_segment
from gw_core.sweep.entries import CODE, Entry, Key
from gw_core.sweep.journal import Journal
from gw_core.sweep.keyed import Keyed
from gw_core.sweep.packing import pack_spans
from gw_core.sweep.plan import TARGET, Planned, plan_line
from gw_core.sweep.reading import read_into, supported_only

_BATCH = 16
"""Segments that are committed to the journal at once where code fills all fields."""


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """``concurrency`` is how many segments a reader is asked about at once; ``fresh`` asks about all of them again."""

    concurrency: int = 4
    fresh: bool = False
    allow_unsupported: bool = False
    target: int = TARGET


@dataclass(frozen=True, slots=True)
class SweepResult:
    """``results`` are what each reduction came to, by its canonical text; ``plan_sha256`` is over all segments."""

    recipe: Recipe
    reader: str
    plan_sha256: str
    results: Mapping[str, Mapping[str, Any]]
    coverage: Coverage
    notes: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        return answer(self.recipe, self.results, self.coverage.complete)


OnBatch = Callable[[Batch], None]
"""Is handed the records that count, in order, with the spans of their values."""


def sweep(
    pipeline: Pipeline,
    recipe: Recipe,
    below: Sequence[str],
    index: Path,
    options: SweepOptions | None = None,
    *,
    reader: tuple[str, Any] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_batch: OnBatch | None = None,
    spans: bool = True,
) -> SweepResult:
    """Sweep the files at and below these relative paths; the journal lies in the folder ``index``.

    ``reader`` is its name and the component, for a recipe that needs one. ``spans`` has ``on_batch`` told where each
    value stands, too, which takes longer. Raises UsageError for a recipe with nothing to reduce where nobody else takes
    the records, or one that needs a reader which cannot extract.
    """
    if not recipe.reduce and on_batch is None:
        raise UsageError("there is nothing to reduce the records to", hint="--reduce count, or reduce: in the recipe")
    name, extractor = _extractor(recipe, reader)
    with Journal.open(index) as journal:
        one = _Sweep(pipeline, recipe, journal, name, extractor, options or SweepOptions())
        return one.run(below, on_progress or (lambda _: None), on_batch, spans=spans)


def _extractor(recipe: Recipe, reader: tuple[str, Any] | None) -> tuple[str, Extractor | None]:
    if not recipe.needs_reader:
        return CODE, None
    if reader is None or not isinstance(reader[1], Extractor):
        asked = ", ".join(one.name for one in recipe.fields if not one.in_code)
        who = "a reader" if reader is None else f"a reader that extracts, and {reader[0]!r} does not"
        raise UsageError(f"the fields {asked} need {who}", hint="give them a pattern, or name one: --reader NAME")
    return str(reader[1].identity), reader[1]


@dataclass(slots=True)
class _Read:
    """A segment that is read, or is being read by another thread."""

    planned: Planned
    batch: Batch
    extraction: Future[tuple[Extraction, float]] | Extraction | None = None
    units: Sequence[Unit] = ()


class _Sweep:
    def __init__(
        self,
        pipeline: Pipeline,
        recipe: Recipe,
        journal: Journal,
        reader: str,
        extractor: Extractor | None,
        options: SweepOptions,
    ) -> None:
        self._pipeline = pipeline
        self._recipe = recipe
        self._journal = journal
        self._reader = reader
        self._extractor = extractor
        self._options = options
        self._columns = Columns(recipe)
        self._coverage = Coverage()
        self._plan = sha256()
        self._entries: list[Entry] = []

    def run(
        self,
        below: Sequence[str],
        on_progress: Callable[[Progress], None],
        on_batch: OnBatch | None,
        *,
        spans: bool = True,
    ) -> SweepResult:
        began, cpu = time.perf_counter(), time.process_time()
        folder = Path(tempfile.mkdtemp(prefix="gw-sweep-"))
        try:
            reducers = self._reducers(folder)

            def count(batch: Batch) -> None:
                for text, reducer in reducers.items():
                    with running(f"reducer {text!r}", "a batch of records"):
                        reducer.add(batch)
                if on_batch is not None:
                    on_batch(batch)

            with closing(Keyed(self._recipe.key, folder)) if self._recipe.key else nullcontext() as keyed:
                for batch in self._batches(below, spans and on_batch is not None, on_progress):
                    if keyed is None:
                        count(batch)
                    else:
                        keyed.add(batch)
                self._commit(0)
                if keyed is not None:
                    for batch in keyed.batches():
                        count(batch)
                    self._coverage.duplicates, self._coverage.conflicts = keyed.duplicates, keyed.conflicts
            results = {text: _checked(text, reducer.result()) for text, reducer in reducers.items()}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self._coverage.seconds = time.perf_counter() - began
        self._coverage.cpu_seconds = time.process_time() - cpu
        return SweepResult(self._recipe, self._reader, self._plan.hexdigest(), results, self._coverage)

    def _batches(self, below: Sequence[str], spans: bool, on_progress: Callable[[Progress], None]) -> Iterator[Batch]:
        """The records that count of each segment, in the order of the plan."""
        for done in self._in_order(self._reads(below, spans)):
            batch = self._finished(done)
            coverage = self._coverage
            on_progress(Progress("sweeping", coverage.segments, coverage.segments, coverage.bytes_read, 0))
            if batch is not None:
                yield batch if self._options.allow_unsupported else supported_only(batch)

    def _reducers(self, folder: Path) -> dict[str, Reducer]:
        found: dict[str, Reducer] = {}
        for number, one in enumerate(self._recipe.reduce):
            reducer = self._pipeline.plugins.registry("reducers").build(one.reducer, **one.settings)
            own = folder / str(number)
            own.mkdir()
            reducer.use(own)
            found[one.text] = reducer
        return found

    # -- reading ------------------------------------------------------------------------------------------------

    def _reads(self, below: Sequence[str], spans: bool) -> Iterator[_Read]:
        """Every segment in the order of the plan, with the fields that code fills."""

        def read(planned: Planned, header: Sequence[str]) -> _Read:
            self._plan.update(plan_line(planned.segment))
            return _Read(planned, self._columns.read(planned, header=header, spans=spans))

        target = self._options.target
        return each_segment(self._pipeline, self._recipe, below, self._coverage, read, target=target)

    def _in_order(self, reads: Iterator[_Read]) -> Iterator[_Read]:
        """The segments in their order; where a reader is asked, some of them are read ahead of the first."""
        if self._extractor is None:
            yield from reads
            return
        most = max(1, min(self._options.concurrency, self._extractor.max_parallel or 1))
        waiting: deque[_Read] = deque()
        with ThreadPoolExecutor(most, thread_name_prefix="gw-sweep") as pool:
            try:
                for one in reads:
                    self._ask(one, pool)
                    waiting.append(one)
                    while len(waiting) >= 2 * most:
                        yield waiting.popleft()
                while waiting:
                    yield waiting.popleft()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _ask(self, one: _Read, pool: ThreadPoolExecutor) -> None:
        """Have the reader asked about a segment, unless the journal knows what it said."""
        one.units = [
            Unit(start, end, one.planned.text[start - one.planned.segment.start : end - one.planned.segment.start])
            for start, end in zip(one.batch.starts, one.batch.ends, strict=True)
        ]
        if not one.units:
            one.extraction = Extraction(())
            return
        if not self._options.fresh:
            key = self._key(one)
            known = self._journal.lookup([key]).get(key)
            if known is not None and known.status == "ok":
                one.extraction = _said(known.said)
                self._coverage.from_journal += 1
                return
        one.extraction = pool.submit(self._extracted, one.units)

    def _extracted(self, units: Sequence[Unit]) -> tuple[Extraction, float]:
        began = time.perf_counter()
        extractor = self._extractor
        if extractor is None:
            raise PluginError("there is no reader to ask")
        with running(f"reader {extractor.identity.name!r}", "a segment"):
            return extractor.extract(units, self._recipe), time.perf_counter() - began

    # -- what came of it ----------------------------------------------------------------------------------------

    def _finished(self, one: _Read) -> Batch | None:
        """The records of a segment, journalled and counted; None where the reader failed, which is noted."""
        segment, batch = one.planned.segment, one.batch
        size = len(one.planned.text.encode("utf-8", "surrogatepass"))
        entry = Entry(self._key(one), records=len(batch))
        try:
            if one.extraction is not None:
                extraction, entry = self._answered(one, entry)
                batch = read_into(batch, self._recipe, one.units, extraction)
        except _UnreadError as error:
            cut = error.truncated
            self._coverage.add_missing(
                Missing(segment.path, segment.start, segment.end, size, str(error), records=len(batch), truncated=cut)
            )
            self._entries.append(entry._replace(status="truncated" if cut else "failed", reason=str(error)))
            self._commit(1)
            return None
        self._coverage.add_segment(len(one.planned.text), size)
        quoted = any(not field.in_code and field.support == "quoted" for field in self._recipe.fields)
        self._coverage.add_records(batch, quoted=quoted)
        spans = pack_spans(batch.starts, batch.ends, segment.start)
        self._entries.append(entry._replace(spans=spans, records=len(batch)))
        self._commit(_BATCH if self._extractor is None else 1)
        return batch

    def _answered(self, one: _Read, entry: Entry) -> tuple[Extraction, Entry]:
        """What the reader said, and its entry in the journal. Raises _UnreadError where it failed."""
        if isinstance(one.extraction, Extraction):
            return one.extraction, entry._replace(said=_kept(one.extraction), raw=one.extraction.raw)
        if one.extraction is None:
            raise _UnreadError("the reader was not asked")
        try:
            extraction, seconds = one.extraction.result()
        except PluginError as error:
            self._coverage.add_call(None, None, 0.0)
            raise _UnreadError(error.message) from error
        self._coverage.add_call(extraction.prompt_tokens, extraction.completion_tokens, seconds)
        if extraction.truncated:
            raise _UnreadError("the reader was cut off", truncated=True)
        return extraction, entry._replace(
            said=_kept(extraction),
            raw=extraction.raw,
            prompt_tokens=extraction.prompt_tokens,
            completion_tokens=extraction.completion_tokens,
            seconds=seconds,
        )

    def _key(self, one: _Read) -> Key:
        return Key(one.planned.segment.sha256, self._recipe.sha256, self._reader)

    def _commit(self, least: int) -> None:
        """Write what is to be journalled, once there are so many of it."""
        if self._entries and len(self._entries) >= least:
            self._journal.put(self._entries)
            self._entries = []


class _UnreadError(Exception):
    def __init__(self, reason: str, *, truncated: bool = False) -> None:
        super().__init__(reason)
        self.truncated = truncated


def _kept(extraction: Extraction) -> str:
    """What a reader said, as JSON for the journal."""
    return json.dumps([[one.unit, dict(one.values), dict(one.evidence)] for one in extraction.records])


def _said(text: str) -> Extraction:
    return Extraction(tuple(Extracted(unit, values, evidence) for unit, values, evidence in json.loads(text or "[]")))


def _checked(text: str, result: Any) -> Mapping[str, Any]:
    if not isinstance(result, Mapping):
        raise PluginError(
            f"reducer {text!r} broke its contract: its result is a {type(result).__name__}, not a mapping"
        )
    return result


def plain_result(value: Any) -> Any:
    """A reducer's result for JSON: exact numbers as text that is a number, whole ones as numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and abs(value) < 2**53 else f"{value:f}"
    if isinstance(value, Mapping):
        return {key: plain_result(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_result(one) for one in value]
    return value
