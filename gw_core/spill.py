"""State of reducers that may outgrow memory: counts and folded values by key, moved to a temporary file of SQLite.

Both hold at most :data:`KEYS` keys (or :data:`BYTES` of them) in memory, whatever they are given. What is beyond lies
in one file of the folder that they were told to use; its name is removed as soon as the file is open, so that nothing
stays behind however the process ends. Walking over them gives the same rows in the same order, spilled or not.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from sys import getsizeof
from typing import Any

import apsw

from gw_core.errors import GwError
from gw_core.orderable import ordered, packed, restored, unpacked
from gw_core.records import Value

KEYS = 100_000
"""How many keys are held in memory."""

BYTES = 16 << 20
"""How large the keys in memory may be together."""

_SCHEMA = """
create table kept(
    first blob, second blob, first_shown blob, second_shown blob, count integer not null, value blob,
    primary key(first, second)
) without rowid
"""
_ADD = """
insert into kept values (?, ?, ?, ?, ?, ?)
on conflict do update set count = count + excluded.count, value = fold(value, excluded.value)
"""

Fold = Callable[[Any, Any], Any]
Row = tuple[Value, Value, int, Value]
"""Both parts of a key, how often it was seen, and what was folded of it."""


class Spill:
    """A table on disk of rows by key (:data:`Row`), sorted by their keys; equal keys are added up and folded.

    Raises :class:`GwError` where the folder cannot be written to, or is full.
    """

    def __init__(self, folder: Path | None, fold: Fold | None = None) -> None:
        self._folder = folder or Path(tempfile.gettempdir())
        try:
            handle, name = tempfile.mkstemp(prefix="spill-", suffix=".db", dir=self._folder)
        except OSError as error:
            raise self._failed(error) from error
        os.close(handle)
        try:
            self._connection = self._opened(name, fold)
        except apsw.Error as error:
            raise self._failed(error) from error
        finally:
            Path(name).unlink()

    def _opened(self, name: str, fold: Fold | None) -> apsw.Connection:
        connection = apsw.Connection(name)
        for pragma in ("journal_mode=off", "synchronous=off", "locking_mode=exclusive", "cache_size=-4096"):
            connection.execute(f"pragma {pragma}")

        def folded(*values: Any) -> Any:
            old, new = values
            return packed(fold(unpacked(old), unpacked(new))) if fold and old is not None and new is not None else None

        connection.create_scalar_function("fold", folded, 2, deterministic=True)
        connection.execute(_SCHEMA)
        return connection

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows; fastest where they come in the order of their keys."""
        try:
            # Without a journal there is no way back, and none is needed: what fails here ends the sweep.
            self._connection.execute("begin")
            self._connection.executemany(_ADD, map(self._bound, rows))
            self._connection.execute("commit")
        except apsw.Error as error:
            raise self._failed(error) from error

    @staticmethod
    def _bound(row: Row) -> tuple[Any, ...]:
        first, second, count, value = row
        return (
            ordered(first),
            ordered(second),
            None if isinstance(first, str) else packed(first),  # text can be read from its key
            None if isinstance(second, str) else packed(second),
            count,
            packed(value),
        )

    def __iter__(self) -> Iterator[Row]:
        """All rows in the order of their keys."""
        last, group = None, None
        try:
            for first, second, first_shown, second_shown, count, value in self._connection.execute(
                "select * from kept order by first, second"
            ):
                if first != last:
                    last, group = first, restored(first, first_shown)
                yield group, restored(second, second_shown), count, unpacked(value)
        except apsw.Error as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Give the space on disk back; what is garbage collected is closed too."""
        self._connection.close()

    def _failed(self, error: Exception) -> GwError:
        full = isinstance(error, apsw.FullError)
        why = "the disk is full" if full else str(error)
        return GwError(
            f"cannot keep what is too large for memory in {self._folder}: {why}", hint="free some space" if full else ""
        )


class _Keyed:
    """What :class:`Counts` and :class:`Folds` share: memory first, then disk."""

    def __init__(self, fold: Fold | None = None) -> None:
        self.folder: Path | None = None
        """Where to spill to; the system's folder for temporary files if None."""
        self._fold = fold
        self._weight = 0
        self._disk: Spill | None = None

    @property
    def spilled(self) -> bool:
        return self._disk is not None

    def _grown(self, memory: dict[Any, Any], new: Iterable[Any]) -> None:
        """To be called when keys came into memory, with what they, and all that is held with them, consist of."""
        self._weight += sum(map(getsizeof, new))
        if len(memory) > KEYS or self._weight > BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._disk is None:
            self._disk = Spill(self.folder, self._fold)
        self._disk.add(self._taken())
        self._weight = 0

    def _taken(self) -> Iterator[Row]:
        """The rows in memory, in the order of their keys; memory is empty afterwards."""
        raise NotImplementedError


class Counts(_Keyed):
    """How often each value occurs, or, with ``pairs``, each pair of values.

    A value that is None, or a pair with one, is not counted but ``missing``. Equal values are one key (``1.0`` and
    ``1``), shown as the first of them that came; what pairs begin with, as in the first pair of the walk.
    """

    def __init__(self, *, pairs: bool = False) -> None:
        super().__init__()
        self._pairs = pairs
        self._memory: Counter[Any] = Counter()
        self._missing = 0

    def update(self, keys: Iterable[Any]) -> None:
        """Count values, or pairs of values; a mapping from these adds its counts."""
        memory = self._memory
        before = len(memory)
        memory.update(keys)
        new = islice(reversed(memory), len(memory) - before)
        self._grown(memory, chain.from_iterable(new) if self._pairs else new)

    def merge(self, other: Counts) -> None:
        """Add the counts of what came after; ``other`` is not to be used again."""
        self._missing += other.missing
        if other._disk is not None:
            self._flush()  # of equal values the first one is shown: these came before
            if self._disk is not None:
                self._disk.add(other._disk)
            other._disk.close()
        self.update(other._memory)

    @property
    def missing(self) -> int:
        self._set_apart()
        return self._missing

    def _set_apart(self) -> None:
        memory = self._memory
        if self._pairs:
            for key in [pair for pair in memory if pair[0] is None or pair[1] is None]:
                self._missing += memory.pop(key)
        else:
            self._missing += memory.pop(None, 0)

    def _taken(self) -> Iterator[Row]:
        yield from self._sorted()
        self._memory.clear()

    def _sorted(self) -> Iterator[Row]:
        self._set_apart()
        memory = self._memory
        if self._pairs:
            pairs = sorted(memory, key=lambda pair: ordered(pair[1]))
            pairs.sort(key=lambda pair: ordered(pair[0]))  # two lists of keys, one after the other, are less than one
            first: Value = None
            for pair in pairs:
                first = first if first == pair[0] else pair[0]
                yield first, pair[1], memory[pair], None
        else:
            for value in sorted(memory, key=ordered):
                yield None, value, memory[value], None

    def walk(self) -> Iterator[tuple[Value, Value, int]]:
        """``(first, second, count)`` of each pair in the order of both; of single values ``first`` is None."""
        if self._disk is not None and self._memory:
            self._flush()
        for first, second, count, _ in self._sorted() if self._disk is None else self._disk:
            yield first, second, count


class Folds(_Keyed):
    """One value for each key, folded of all that came with it, and how many they were.

    ``fold(earlier, later)`` must be associative; it is called in the order of records.
    """

    def __init__(self, fold: Fold) -> None:
        super().__init__(fold)
        self._memory: dict[Any, list[Any]] = {}

    def update(self, pairs: Iterable[tuple[Value, Any]]) -> None:
        """Fold ``(key, value)`` pairs, none of them None."""
        memory, fold = self._memory, self._fold
        before = len(memory)
        for key, value in pairs:
            held = memory.get(key)
            if held is None:
                memory[key] = [value, 1]
            else:
                held[0] = fold(held[0], value)  # type: ignore[misc]
                held[1] += 1
        new = islice(reversed(memory.items()), len(memory) - before)
        self._grown(memory, (part for key, held in new for part in (key, held, held[0])))

    def merge(self, other: Folds) -> None:
        """Fold in what came after; ``other`` is not to be used again."""
        for key, _, count, value in other._rows():
            held = self._memory.get(key)
            if held is None:
                self._memory[key] = [value, count]
                self._grown(self._memory, (key, value))
            else:
                held[0] = self._fold(held[0], value)  # type: ignore[misc]
                held[1] += count
        if other._disk is not None:
            other._disk.close()

    def _taken(self) -> Iterator[Row]:
        yield from self._sorted()
        self._memory.clear()

    def _sorted(self) -> Iterator[Row]:
        for key in sorted(self._memory, key=ordered):
            value, count = self._memory[key]
            yield key, None, count, value

    def _rows(self) -> Iterable[Row]:
        if self._disk is not None and self._memory:
            self._flush()
        return self._sorted() if self._disk is None else self._disk

    def walk(self) -> Iterator[tuple[Value, Any, int]]:
        """``(key, folded value, count)`` in the order of the keys."""
        for key, _, count, value in self._rows():
            yield key, value, count
