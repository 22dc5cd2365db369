"""Conformance of reducers; see :class:`gw_core.protocols.Reducer`."""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gw_core import spill
from gw_core.protocols import Reducer
from gw_core.records import Batch, Value

TEXTS: tuple[Value, ...] = ("alpha", "beta", "alpha", "", " ", "Ümlaut", "東京", "a\x00b", "\ud800", "1.0", "x" * 5_000)
NUMBERS: tuple[Value, ...] = tuple(
    map(Decimal, "0 1 1.0 -1 2.50 2.5 1E+3 1000 -0 0.001 -99999999999999999999.5".split())
)
TIMES: tuple[Value, ...] = (
    date(2024, 2, 29),
    datetime(2024, 2, 29, 12, 30),  # noqa: DTZ001 - as a log without a zone says it
    datetime.fromisoformat("2024-02-29T13:30:00+01:00"),
    datetime.fromisoformat("2024-02-29T12:30:00+00:00"),
    datetime.fromisoformat("0001-01-01T00:00:00+01:00"),
    date(1999, 12, 31),
)


class ReducerConformance:
    """Subclass it and implement :meth:`make`.

    ``values`` are what each of its fields is tried with, at random, besides None; ``ordered`` says that the result
    depends on the order of the records, as that of a list does.
    """

    values: Sequence[Value] = (*TEXTS, *NUMBERS, *TIMES)
    ordered: bool = False

    def make(self) -> Reducer:
        raise NotImplementedError

    def records(self, number: int, seed: int = 0) -> list[dict[str, Value]]:
        """Records with a value, or none, in each field of the reducer."""
        chance = random.Random(seed)  # noqa: S311
        fields = self.make().fields
        some = [None, *self.values]
        return [{field: chance.choice(some) for field in fields} for _ in range(number)]

    def batch(self, records: Sequence[Mapping[str, Value]], at: int = 0) -> Batch:
        places = range(at, at + len(records))
        columns = {field: tuple(one[field] for one in records) for field in self.make().fields}
        return Batch("some/file.log", places, range(at + 1, at + len(records) + 1), columns)

    def reduced(self, parts: Sequence[Sequence[Mapping[str, Value]]], folder: Path | None = None) -> Reducer:
        """A reducer that was given these parts one after another."""
        reducer = self.make()
        if folder is not None:
            reducer.use(folder)
        at = 0
        for part in parts:
            reducer.add(self.batch(part, at))
            at += len(part)
        return reducer

    def parts(self, records: Sequence[Mapping[str, Value]], seed: int) -> list[Sequence[Mapping[str, Value]]]:
        """The same records in two to seven parts, some of them empty."""
        chance = random.Random(seed)  # noqa: S311
        cuts = sorted(chance.randrange(len(records) + 1) for _ in range(chance.randrange(1, 7)))
        return [records[start:end] for start, end in zip([0, *cuts], [*cuts, len(records)], strict=True)]

    def test_it_is_a_reducer_with_a_stable_identity(self) -> None:
        reducer = self.make()
        assert isinstance(reducer, Reducer)
        assert reducer.identity.name
        assert reducer.identity.version
        assert str(reducer.identity) == str(self.make().identity)
        assert all(isinstance(field, str) and field for field in reducer.fields)
        assert len(set(reducer.fields)) == len(reducer.fields)

    def test_no_records_have_a_result(self) -> None:
        result = self.make().result()
        assert_plain(result)
        assert shown(self.reduced([[], []]).result()) == shown(result)

    def test_records_without_values_have_a_result(self) -> None:
        nothing = dict.fromkeys(self.make().fields)
        assert_plain(self.reduced([[nothing] * 3, [nothing]]).result())

    def test_a_result_is_plain_data(self) -> None:
        assert_plain(self.reduced([self.records(200)]).result())

    def test_what_it_is_given_stays_as_it_was(self) -> None:
        records = self.records(50)
        batch = self.batch(records)
        self.make().add(batch)
        assert batch == self.batch(records)

    @pytest.mark.parametrize("seed", range(8))
    def test_the_result_is_the_same_however_records_were_parted(self, seed: int) -> None:
        records = self.records(60, seed)
        whole = shown(self.reduced([records]).result())
        parts = self.parts(records, seed)
        assert shown(self.reduced(parts).result()) == whole
        assert shown(merged_from_the_left([self.reduced([part]) for part in parts]).result()) == whole
        assert shown(merged_from_the_right([self.reduced([part]) for part in parts]).result()) == whole

    def test_a_result_can_be_asked_for_at_any_time(self) -> None:
        records = self.records(60)
        reducer = self.make()
        for at, one in enumerate(records):
            reducer.add(self.batch([one], at))
            assert shown(reducer.result()) == shown(reducer.result())
        assert shown(reducer.result()) == shown(self.reduced([records]).result())

    def test_the_order_of_records_matters_only_where_it_is_said(self) -> None:
        alike: dict[Value, Value] = {}  # of equal values, such as 1.0 and 1, a result may show the first
        records = [{field: alike.setdefault(value, value) for field, value in one.items()} for one in self.records(60)]
        backwards = self.reduced([records[::-1]]).result()
        if not self.ordered:
            assert shown(backwards) == shown(self.reduced([records]).result())

    @pytest.mark.parametrize("keys", [0, 1, 7])
    def test_what_is_kept_in_a_folder_gives_the_same_result(
        self, keys: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """With :mod:`gw_core.spill`, everything beyond a few keys lies on disk here."""
        records = self.records(80, keys)
        whole = shown(self.reduced([records]).result())
        monkeypatch.setattr(spill, "KEYS", keys)
        parts = self.parts(records, keys)
        assert shown(self.reduced(parts, tmp_path).result()) == whole
        pieces = [self.reduced([part], tmp_path) for part in parts]
        assert shown(merged_from_the_right(pieces).result()) == whole

    def test_it_leaves_nothing_behind_in_its_folder(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(spill, "KEYS", 0)
        reducer = self.reduced([self.records(80)], tmp_path)
        reducer.result()
        del reducer
        gc.collect()
        assert list(tmp_path.iterdir()) == []


def merged_from_the_left(reducers: Sequence[Reducer]) -> Reducer:
    first, *rest = reducers
    for one in rest:
        first.merge(one)
    return first


def merged_from_the_right(reducers: Sequence[Reducer]) -> Reducer:
    *rest, last = reducers
    for one in reversed(rest):
        one.merge(last)
        last = one
    return last


def shown(result: Any) -> str:
    """A result as text, in which ``1`` and ``1.0`` differ."""
    return repr(result)


def assert_plain(value: Any) -> None:
    """Nothing in it but text, exact numbers, true, false and none, in lists and mappings from text; JSON, that is, but
    for the decimals."""
    if isinstance(value, Mapping):
        assert all(isinstance(key, str) for key in value), f"a key is no text: {list(value)}"
        for one in value.values():
            assert_plain(one)
    elif isinstance(value, list | tuple):
        for one in value:
            assert_plain(one)
    else:
        assert value is None or type(value) in (str, int, bool, Decimal), f"{value!r} is not plain"
        json.dumps(value, default=str)
