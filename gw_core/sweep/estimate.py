"""What a sweep would take: its plan, the records counted in code, and what would be asked of the reader. Nothing is
read by one, and nothing is reduced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from gw_core.errors import IndexMissingError, PluginError
from gw_core.pipeline import Pipeline
from gw_core.protocols import Extractor
from gw_core.records import Batch, Recipe
from gw_core.seams import running
from gw_core.sweep.columns import Columns
from gw_core.sweep.coverage import Coverage
from gw_core.sweep.documents import each_segment
from gw_core.sweep.entries import CODE, Key
from gw_core.sweep.journal import Journal
from gw_core.sweep.plan import Planned, plan_line
from gw_core.sweep.run import SweepOptions

BYTES_PER_TOKEN = 4
"""Where the reader does not count tokens."""
_AT_ONCE = 400
"""Segments that are looked up in the journal at once."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """``records`` are those that would be read; ``known`` is how many segments are in the journal already, of
    ``segments``. ``calls`` are those that are left to make, one for all segments of the same content, and ``tokens``
    those of the records in them, prompts aside: counted by the reader, or where it cannot (``tokens_counted``) reckoned
    from their bytes.

    ``coverage`` holds the files, those that are skipped, and the sizes of what would be read.
    """

    reader: str
    extracts: bool
    plan_sha256: str
    records: int
    known: int
    calls: int
    tokens: int
    tokens_counted: bool
    coverage: Coverage

    @property
    def asks(self) -> bool:
        """Whether a reader is needed at all."""
        return self.reader != CODE

    @property
    def segments(self) -> int:
        return self.coverage.segments


def estimate(
    pipeline: Pipeline,
    recipe: Recipe,
    below: Sequence[str],
    index: Path,
    options: SweepOptions | None = None,
    *,
    reader: tuple[str, Any] | None = None,
) -> Estimate:
    """Plan the sweep of the files at and below these relative paths, as :func:`gw_core.sweep.run.sweep` would.

    Makes no journal where there is none. ``reader`` is its name and the component; one that cannot extract is taken,
    too, and ``extracts`` is False then.
    """
    chosen = options or SweepOptions()
    coverage = Coverage()
    estimator = _Estimator(recipe, None if reader is None else reader[1], coverage)
    for _ in each_segment(pipeline, recipe, below, coverage, estimator.take, target=chosen.target):
        if len(estimator.waiting) >= _AT_ONCE:
            estimator.look_up(index, fresh=chosen.fresh)
    estimator.look_up(index, fresh=chosen.fresh)
    return Estimate(
        estimator.reader,
        reader is None or isinstance(reader[1], Extractor),
        estimator.plan.hexdigest(),
        estimator.records,
        estimator.known,
        estimator.calls,
        estimator.tokens,
        estimator.counts,
        coverage,
    )


class _Estimator:
    """Adds up segments as they are planned. ``waiting`` are those that were not looked up in the journal yet, each with
    its tokens, None where there is nothing to ask."""

    def __init__(self, recipe: Recipe, reader: Any, coverage: Coverage) -> None:
        asked = recipe.needs_reader
        self.reader = str(reader.identity) if asked and reader is not None else CODE
        self.counts = asked and isinstance(reader, Extractor)
        self.plan = sha256()
        self.records = self.known = self.calls = self.tokens = 0
        self.waiting: list[tuple[Key, int | None]] = []
        self._asking: set[bytes] = set()  # what the segments hold that a call is counted for: one asks for them all
        self._coverage = coverage
        self._recipe = recipe
        self._asked = asked
        self._component = reader
        # Of the fields only CSV columns matter: a file that lacks one is not read.
        columns = tuple(one for one in recipe.fields if one.kind == "column")
        self._columns = Columns(replace(recipe, fields=columns)) if recipe.when or columns or asked else None

    def take(self, planned: Planned, names: Sequence[str]) -> None:
        self.plan.update(plan_line(planned.segment))
        batch = None if self._columns is None else self._columns.read(planned, header=names)
        self.records += len(planned.starts) if batch is None else len(batch)
        self._coverage.add_segment(len(planned.text), len(planned.text.encode("utf-8", "surrogatepass")))
        tokens = self._tokens(planned, batch) if self._asked and batch else None
        self.waiting.append((Key(planned.segment.sha256, self._recipe.sha256, self.reader), tokens))

    def _tokens(self, planned: Planned, batch: Batch) -> int:
        offset = planned.segment.start
        spans = zip(batch.starts, batch.ends, strict=True)
        text = "\n".join(planned.text[start - offset : end - offset] for start, end in spans)
        if not self.counts:
            return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)
        with running(f"reader {self._component.identity.name!r}", "counting tokens"):
            counted = self._component.count_tokens(text)
        if type(counted) is not int or counted < 0:
            raise PluginError(f"reader {self._component.identity.name!r} broke its contract: {counted!r} tokens")
        return counted

    def look_up(self, index: Path, *, fresh: bool) -> None:
        """Part with what is waiting: it is in the journal, or the reader has to be asked."""
        found: set[Key] = set()
        if self.waiting and not fresh:
            try:
                with Journal.open(index, write=False) as journal:
                    statuses = journal.statuses(key for key, _ in self.waiting)
                    found = {key for key, status in statuses.items() if status == "ok"}
            except IndexMissingError:
                pass
        for key, tokens in self.waiting:
            if key in found:
                self.known += 1
            elif tokens is not None and (content := bytes.fromhex(key.segment)) not in self._asking:
                self._asking.add(content)
                self.calls += 1
                self.tokens += tokens
        self.waiting = []
