from __future__ import annotations

import gc
import operator
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gw_core import spill
from gw_core.errors import GwError
from gw_core.orderable import ordered
from gw_core.spill import Counts, Folds, Spill

keys = st.sampled_from(["a", "b", "c", "", "\ud800", Decimal(1), Decimal("2.50"), None])
lists = st.lists(st.lists(keys, max_size=12), max_size=6)
small = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


@small
@given(lists, st.integers(0, 4))
def test_counts_are_those_of_a_counter(tmp_path, parts, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "KEYS", limit)
        counts = Counts()
        counts.folder = tmp_path
        for part in parts:
            counts.update(part)
        expected = Counter(key for part in parts for key in part)
        assert counts.missing == expected.pop(None, 0)
        assert list(counts.walk()) == [(None, key, expected[key]) for key in sorted(expected, key=ordered)]


@small
@given(lists, lists, st.integers(0, 4))
def test_pairs_are_counted_and_merged_like_those_of_a_counter(tmp_path, before, after, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "KEYS", limit)
        halves = [Counts(pairs=True), Counts(pairs=True)]
        expected: Counter = Counter()
        for counts, parts in zip(halves, (before, after), strict=True):
            counts.folder = tmp_path
            for part in parts:
                pairs = list(zip(part, reversed(part), strict=True))
                counts.update(pairs)
                expected.update(pairs)
        halves[0].merge(halves[1])
        missing = sum(expected.pop(pair) for pair in list(expected) if None in pair)
        assert halves[0].missing == missing
        assert {(one, two): count for one, two, count in halves[0].walk()} == expected
        order = [(ordered(one), ordered(two)) for one, two, _ in halves[0].walk()]
        assert order == sorted(order)


@small
@given(lists, lists, st.integers(0, 4))
def test_what_is_folded_keeps_the_order_of_records(tmp_path, before, after, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "KEYS", limit)
        expected: dict = {}
        halves = [Folds(operator.add), Folds(operator.add)]
        at = 0
        for folds, parts in zip(halves, (before, after), strict=True):
            folds.folder = tmp_path
            for part in parts:
                pairs = []
                for key in filter(None, part):
                    pairs.append((key, f"{at} "))
                    expected[key] = expected.get(key, "") + f"{at} "
                    at += 1
                folds.update(pairs)
        halves[0].merge(halves[1])
        found = {key: (value, count) for key, value, count in halves[0].walk()}
        assert found == {key: (value, value.count(" ")) for key, value in expected.items()}


def test_it_spills_beyond_its_keys_and_not_before(monkeypatch, tmp_path):
    monkeypatch.setattr(spill, "KEYS", 3)
    counts = Counts()
    counts.folder = tmp_path
    counts.update("abcab")
    assert not counts.spilled
    counts.update("d")
    assert counts.spilled


def test_it_spills_when_keys_are_large(monkeypatch, tmp_path):
    monkeypatch.setattr(spill, "BYTES", 10_000)
    for state in (Counts(), Counts(pairs=True), Folds(operator.add)):
        state.folder = tmp_path
        for at in range(3):
            large = f"{at}" * 4_000
            state.update([large] if isinstance(state, Counts) and not state._pairs else [(large, "b")])
        assert state.spilled


def test_of_equal_values_the_first_one_is_shown_wherever_it_lies(monkeypatch, tmp_path):
    for limit in (100, 0):
        monkeypatch.setattr(spill, "KEYS", limit)
        first, second = Counts(), Counts()
        first.folder = second.folder = tmp_path
        first.update([Decimal("1.0")])
        second.update([Decimal(2)])
        second.update([Decimal("1.00"), Decimal("2.0")])
        first.merge(second)
        assert repr(list(first.walk())) == repr([(None, Decimal("1.0"), 2), (None, Decimal(2), 2)])


def test_the_file_has_no_name_once_it_is_open(tmp_path):
    table = Spill(tmp_path)
    table.add([("a", None, 1, None)])
    assert list(tmp_path.iterdir()) == []
    assert list(table) == [("a", None, 1, None)]
    table.close()
    del table
    gc.collect()


def test_a_hundred_thousand_keys_beyond_memory_are_exact(monkeypatch, tmp_path):
    monkeypatch.setattr(spill, "KEYS", 5_000)
    counts = Counts()
    counts.folder = tmp_path
    for start in range(0, 100_000, 1_000):
        counts.update(f"{(at * 7919) % 50_000:05}" for at in range(start, start + 1_000))
    rows = list(counts.walk())
    assert len(rows) == 50_000
    assert rows[:2] == [(None, "00000", 2), (None, "00001", 2)]
    assert {count for _, _, count in rows} == {2}


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    with pytest.raises(GwError, match="absent"):
        Spill(tmp_path / "absent")


def test_a_full_disk_is_said_to_be_one(tmp_path):
    table = Spill(tmp_path)
    table._connection.execute("pragma max_page_count=4")
    with pytest.raises(GwError, match="disk is full") as caught:
        table.add((f"{at}" * 500, None, 1, None) for at in range(1_000))
    assert caught.value.hint
