"""How often each value occurs: all of them, the rarest, the most frequent, the first few."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Reducer
from gw_core.records import Batch, Value
from gw_core.schema import Help, Range
from gw_core.spill import Counts
from gw_plugins.reducers.base import ROWS, VERSION, By, Limit, Name, Reducing, Where, plain, row

Allowed = Annotated[tuple[str, ...], Help("the values that there may be: one that never occurs counts 0")]


class _Ranking(Reducing):
    """Values ranked by how often they occur. Rows: ``{"value", "count"}``, with ``by`` also ``"by"``.

    Groups come in the order of their values; in each, rows by falling count (:class:`Least`: rising), equal counts in
    the order of values: numbers by size, days and times by time, text by code points.
    """

    _falling = True

    def __init__(self, field: str, by: str | None, where: str | None, limit: int, of: tuple[str, ...] = ()) -> None:
        super().__init__((by, field), where, limit, field=field, by=by, of=tuple(of))
        self._of = dict.fromkeys(of)
        self._counts = Counts(pairs=by is not None)

    def use(self, folder: Path) -> None:
        self._counts.folder = folder

    def add(self, batch: Batch) -> None:
        _, columns = self.kept(batch)
        self._counts.update(zip(*columns, strict=True) if len(columns) == 2 else columns[0])

    def _take(self, other: _Ranking) -> None:
        self._counts.merge(other._counts)

    def result(self) -> dict[str, Any]:
        rows: list[dict[str, Any]] = []
        total = more = ties = 0
        for by, group in self._groups():
            best, counts = self._ranked(group)
            kept, beyond, tied = self._chosen(best, counts)
            room = self._limit - len(rows)
            rows += [row(by, value=plain(value), count=count) for value, count in kept[:room]]
            more += beyond + max(0, len(kept) - room)
            ties += tied
            total += sum(count * often for count, often in counts.items())
        return self.shaped(rows, total=total, missing=self._counts.missing, more=more, **self._said(ties))

    def _groups(self) -> Iterator[tuple[Value, Iterable[tuple[Value, int]]]]:
        """Each group with its values and their counts, those of ``of`` that do not occur last."""
        empty = True
        for by, group in groupby(self._counts.walk(), key=itemgetter(0)):
            empty = False
            yield by, self._with_zeros(group)
        if empty and len(self._read) == 1:
            yield None, self._with_zeros(())

    def _with_zeros(self, group: Iterable[tuple[Value, Value, int]]) -> Iterator[tuple[Value, int]]:
        absent = dict(self._of)
        for _, value, count in group:
            if absent and isinstance(value, str):
                absent.pop(value, None)
            yield value, count
        for value in sorted(absent):
            yield value, 0

    def _ranked(self, group: Iterable[tuple[Value, int]]) -> tuple[list[tuple[Value, int]], Counter[int]]:
        """The first ``limit`` of a group, and how many values have each count."""
        counts: Counter[int] = Counter()

        def seen() -> Iterator[tuple[Value, int]]:
            for one in group:
                counts[one[1]] += 1
                yield one

        select = heapq.nlargest if self._falling else heapq.nsmallest  # both keep the order of what is equal
        return select(self._limit, seen(), key=itemgetter(1)), counts

    def _chosen(self, best: list[tuple[Value, int]], counts: Counter[int]) -> tuple[list[tuple[Value, int]], int, int]:
        """Which of the best are shown, how many more belong to them, and how many share the last place."""
        return best, counts.total() - len(best), 0

    def _said(self, ties: int) -> dict[str, Any]:  # noqa: ARG002 - for those that can have ties
        return {}


class Tally(_Ranking):
    """Every value and how often it occurs, the most frequent first.

    ``of`` are values that count 0 where they do not occur.
    """

    name = "tally"

    def __init__(self, field: Name, by: By = None, where: Where = None, of: Allowed = (), limit: Limit = ROWS) -> None:
        super().__init__(field, by, where, limit, of)


class _First(_Ranking):
    """The first ``n`` places of a ranking, in each group. Whatever ties with the n-th is among them: ``ties`` is how
    many values share that count, if it makes more than ``n``; else 0. With ``by``, it is added up over the groups."""

    _n = 1

    def _chosen(self, best: list[tuple[Value, int]], counts: Counter[int]) -> tuple[list[tuple[Value, int]], int, int]:
        places = edge = 0
        for edge in sorted(counts, reverse=self._falling):
            places += counts[edge]
            if places >= self._n:
                break
        shown = best[:places]
        return shown, places - len(shown), counts[edge] if places > self._n else 0

    def _said(self, ties: int) -> dict[str, Any]:
        return {"ties": ties}


class Most(_First):
    """The most frequent value, or all of those that share its count."""

    name = "most"

    def __init__(self, field: Name, by: By = None, where: Where = None, limit: Limit = ROWS) -> None:
        super().__init__(field, by, where, limit)


class Least(_First):
    """The rarest value, or all of those that share its count.

    A value that never occurs can only be known to be the rarest if it is one of ``of``.
    """

    name = "least"
    _falling = False

    def __init__(self, field: Name, by: By = None, where: Where = None, of: Allowed = (), limit: Limit = ROWS) -> None:
        super().__init__(field, by, where, limit, of)


class Top(_First):
    """The ``n`` most frequent values, and whatever ties with the last of them."""

    name = "top"

    def __init__(
        self,
        field: Name,
        n: Annotated[int, Help("how many values"), Range(1)] = 10,
        by: By = None,
        where: Where = None,
        limit: Limit = ROWS,
    ) -> None:
        super().__init__(field, by, where, max(limit, n))
        self._n = n
        self.identity = Identity(self.name, VERSION, {**self.identity.settings, "n": n})


@hookimpl
def gw_register_reducers(register: Register[Reducer]) -> None:
    here = "gw_plugins.reducers.tally"
    register("tally", f"{here}:Tally", help="how often each value of a field occurs")
    register("least", f"{here}:Least", help="the rarest value; all of them where several share the count")
    register("most", f"{here}:Most", help="the most frequent value; all of them where several share the count")
    register("top", f"{here}:Top", help="the n most frequent values, and what ties with the last")
