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
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, nullcontext
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from gw_core.errors import GwError, PluginError, UsageError
from gw_core.ingest import Progress
from gw_core.pipeline import Pipeline
from gw_core.protocols import Extractor, Reducer
from gw_core.records import Batch, Extracted, Extraction, Recipe, Unit
from gw_core.seams import running
from gw_core.sweep.answer import answer
from gw_core.sweep.calls import Calls
from gw_core.sweep.columns import Columns
from gw_core.sweep.coverage import Coverage, Missing
from gw_core.sweep.documents import each_segment
from gw_core.sweep.entries import CODE, Entry, Key
from gw_core.sweep.journal import Journal
from gw_core.sweep.keyed import Keyed
from gw_core.sweep.packing import pack_spans
from gw_core.sweep.plan import TARGET, Planned, plan_line
from gw_core.sweep.reading import checked_extraction, read_into, supported_only

_CUT = "the reader was cut off"
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
    if options is not None and options.fresh:
        Journal.open(index, fresh=True).close()  # sets aside what is no journal of ours, or damaged
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
    """A segment that is read, or is being read by another thread.

    ``said`` is what the journal knows of it, ``asked`` the call of the reader, which segments of the same content
    share: the first of them is its ``owner``.
    """

    planned: Planned
    batch: Batch
    key: Key
    units: Sequence[Unit] = ()
    said: Extraction | None = None
    asked: Future[tuple[Extraction, float]] | None = None
    owner: bool = False


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
        self._asked: dict[Key, Future[tuple[Extraction, float]]] = {}
        self._answered = set[bytes]()  # in this run, by what the segment holds

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
                with closing(self._batches(below, spans and on_batch is not None, on_progress)) as batches:
                    for batch in batches:
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

    def _batches(
        self, below: Sequence[str], spans: bool, on_progress: Callable[[Progress], None]
    ) -> Generator[Batch, None, None]:
        """The records that count of each segment, in the order of the plan."""
        with closing(self._in_order(self._reads(below, spans))) as in_order:
            for done in in_order:
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
            key = Key(planned.segment.sha256, self._recipe.sha256, self._reader)
            return _Read(planned, self._columns.read(planned, header=header, spans=spans), key)

        target = self._options.target
        return each_segment(self._pipeline, self._recipe, below, self._coverage, read, target=target)

    def _in_order(self, reads: Iterator[_Read]) -> Generator[_Read, None, None]:
        """The segments in their order; where a reader is asked, some of them are read ahead of the first."""
        if self._extractor is None:
            yield from reads
            return
        most = max(1, min(self._options.concurrency, self._extractor.max_parallel or 1))
        waiting: deque[_Read] = deque()
        with closing(Calls(most, "gw-sweep")) as calls:
            for one in reads:
                self._ask(one, calls)
                waiting.append(one)
                while len(waiting) >= 2 * most:
                    self._wait(waiting)
                    yield waiting.popleft()
            while waiting:
                self._wait(waiting)
                yield waiting.popleft()

    def _ask(self, one: _Read, calls: Calls) -> None:
        """Have the reader asked about a segment, unless the journal knows what it said."""
        own, text = one.planned.segment.start, one.planned.text
        one.units = [
            Unit(start, end, text[start - own : end - own])
            for start, end in zip(one.batch.starts, one.batch.ends, strict=True)
        ]
        if not one.units:
            one.said = Extraction(())
            return
        one.asked = self._asked.get(one.key)
        if one.asked is not None:
            return
        if not self._options.fresh or bytes.fromhex(one.key.segment) in self._answered:
            known = self._journal.lookup([one.key]).get(one.key)
            one.said = None if known is None or known.status != "ok" else _said(known.said)
            if one.said is not None:
                self._coverage.from_journal += 1
                return
        one.asked, one.owner = calls.submit(partial(self._extracted, one.units)), True
        self._asked[one.key] = one.asked

    def _extracted(self, units: Sequence[Unit]) -> tuple[Extraction, float]:
        began = time.perf_counter()
        extractor = self._extractor
        if extractor is None:
            raise PluginError("there is no reader to ask")
        name = extractor.identity.name
        with running(f"reader {name!r}", "a segment"):
            return checked_extraction(name, extractor.extract(units, self._recipe)), time.perf_counter() - began

    def _wait(self, waiting: Sequence[_Read]) -> None:
        """Wait for the first of some segments; what the reader says of others meanwhile is journalled at once."""
        first = waiting[0].asked
        while True:
            ready = first is None or first.done()  # asked before it is looked for: it may end meanwhile
            asked = [one for one in waiting if one.owner and one.asked is not None]
            for one in asked:
                if one.asked is not None and one.asked.done():
                    self._keep(one, one.asked)
            self._commit(1)
            if ready:
                return
            wait([one.asked for one in asked if one.owner and one.asked is not None], return_when=FIRST_COMPLETED)

    def _keep(self, one: _Read, asked: Future[tuple[Extraction, float]]) -> None:
        """Journal what came of a call of the reader."""
        one.owner = False
        del self._asked[one.key]
        entry = Entry(one.key, records=len(one.batch))
        try:
            extraction, seconds = _outcome(asked)
        except _UnreadError as error:
            self._coverage.add_call(None, None, 0.0)
            self._entries.append(entry._replace(status=error.status, reason=str(error)))
            return
        self._coverage.add_call(extraction.prompt_tokens, extraction.completion_tokens, seconds)
        if extraction.truncated:
            self._entries.append(entry._replace(status="truncated", reason=_CUT))
            return
        self._answered.add(bytes.fromhex(one.key.segment))
        self._entries.append(
            entry._replace(
                spans=_spans(one),
                said=_kept(extraction),
                raw=extraction.raw,
                prompt_tokens=extraction.prompt_tokens,
                completion_tokens=extraction.completion_tokens,
                seconds=seconds,
            )
        )

    # -- what came of it ----------------------------------------------------------------------------------------

    def _finished(self, one: _Read) -> Batch | None:
        """The records of a segment, counted; None where the reader failed, which is noted."""
        segment, batch = one.planned.segment, one.batch
        size = len(one.planned.text.encode("utf-8", "surrogatepass"))
        try:
            if self._extractor is not None:
                batch = read_into(batch, self._recipe, one.units, _extraction(one))
        except _UnreadError as error:
            self._coverage.add_missing(
                Missing(
                    segment.path,
                    segment.start,
                    segment.end,
                    size,
                    str(error),
                    records=len(batch),
                    truncated=error.status == "truncated",
                )
            )
            return None
        self._coverage.add_segment(len(one.planned.text), size)
        quoted = any(not field.in_code and field.support == "quoted" for field in self._recipe.fields)
        self._coverage.add_records(batch, quoted=quoted)
        if self._extractor is None:
            self._entries.append(Entry(one.key, records=len(batch), spans=_spans(one)))
            self._commit(_BATCH)
        return batch

    def _commit(self, least: int) -> None:
        """Write what is to be journalled, once there are so many of it."""
        if self._entries and len(self._entries) >= least:
            self._journal.put(self._entries)
            self._entries = []


class _UnreadError(Exception):
    def __init__(self, reason: str, status: Literal["failed", "truncated"] = "failed") -> None:
        super().__init__(reason)
        self.status: Literal["failed", "truncated"] = status


def _outcome(asked: Future[tuple[Extraction, float]]) -> tuple[Extraction, float]:
    """What a call of the reader returned. Raises _UnreadError where it failed."""
    try:
        return asked.result()
    except GwError as error:
        raise _UnreadError(error.message) from error


def _extraction(one: _Read) -> Extraction:
    """What is known of a segment that was waited for. Raises _UnreadError where the reader failed on it."""
    if one.said is not None:
        return one.said
    if one.asked is None:
        raise _UnreadError("the reader was not asked")
    extraction, _ = _outcome(one.asked)
    if extraction.truncated:
        raise _UnreadError(_CUT, "truncated")
    return extraction


def _spans(one: _Read) -> bytes:
    return pack_spans(one.batch.starts, one.batch.ends, one.planned.segment.start)


def _kept(extraction: Extraction) -> str:
    """What a reader said, as JSON for the journal."""
    return json.dumps([[one.unit, dict(one.values), dict(one.evidence)] for one in extraction.records])


def _said(text: str) -> Extraction | None:
    """What a reader said, from the journal; None where that is nothing that a reader can have said."""
    try:
        records = [Extracted(unit, values, evidence) for unit, values, evidence in json.loads(text or "[]")]
        return checked_extraction("journal", Extraction(tuple(records)))
    except (ValueError, TypeError, RecursionError, PluginError):
        return None


def _checked(text: str, result: Any) -> Mapping[str, Any]:
    if not isinstance(result, Mapping):
        raise PluginError(
            f"reducer {text!r} broke its contract: its result is a {type(result).__name__}, not a mapping"
        )
    return result


def plain_result(value: Any) -> Any:
    """A reducer's result for JSON: exact numbers as text that is a number, whole ones as numbers."""
    if isinstance(value, Decimal):
        small = value.is_finite() and value.adjusted() < 15
        return int(value) if small and value == value.to_integral_value() else f"{value:f}"
    if isinstance(value, Mapping):
        return {key: plain_result(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_result(one) for one in value]
    return value
