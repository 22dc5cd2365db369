"""Batches as bytes: what goes in comes out, wherever the segment stands, and damage is noticed."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.records import Batch, Value
from gw_core.sweep.packing import pack_fields, pack_spans, unpack_batch, unpack_spans

VALUES = st.one_of(
    st.none(),
    st.text(),
    st.sampled_from(["\x1e", "\x1f", "a\x1fb", "\ud800"]),
    st.decimals(allow_nan=False),
    st.dates(),
    st.datetimes(),
)


@st.composite
def batches(draw: st.DrawFn) -> tuple[Batch, int, int]:
    """A batch with the start and end of its segment."""
    start = draw(st.integers(0, 10**12))
    size = draw(st.integers(1, 200_000))
    steps = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, 300_000)), max_size=12))
    starts = sorted(start + first for first, _ in steps)
    ends = [first + length for first, (_, length) in zip(starts, steps, strict=True)]
    count = len(starts)
    same = st.sampled_from([st.text(), st.decimals(allow_nan=False), st.dates(), st.datetimes(), VALUES])
    columns: dict[str, list[Value]] = {}
    for name in draw(st.sets(st.sampled_from(["status", "öwner", "hours"]))):
        columns[name] = draw(st.lists(draw(same), min_size=count, max_size=count))
    place = st.one_of(st.none(), st.tuples(st.integers(start, start + 10**6), st.integers(start, start + 10**6)))
    spans = {
        name: draw(st.one_of(st.none(), st.lists(place, min_size=count, max_size=count))) for name in sorted(columns)
    }
    unsupported = draw(st.dictionaries(st.integers(0, count - 1), st.text())) if count else {}
    return Batch("a.log", starts, ends, columns, spans, unsupported), start, start + size


def whole(batch: Batch) -> tuple[object, ...]:
    return (list(batch.starts), list(batch.ends), dict(batch.columns), dict(batch.spans), dict(batch.unsupported))


@given(batches())
def test_a_batch_comes_back_as_it_was(made: tuple[Batch, int, int]) -> None:
    batch, start, end = made
    back = unpack_batch(pack_spans(batch.starts, batch.ends, start), pack_fields(batch, start), "a.log", start, end)
    assert whole(back) == whole(batch)
    for name, values in batch.columns.items():
        assert [(type(one), str(one)) for one in back.columns[name]] == [(type(one), str(one)) for one in values]


@given(batches(), st.integers(0, 10**9))
def test_the_same_records_elsewhere_are_the_same_bytes(made: tuple[Batch, int, int], by: int) -> None:
    batch, start, end = made
    packed = pack_spans(batch.starts, batch.ends, start)
    moved = [one + by for one in batch.starts], [one + by for one in batch.ends]
    assert pack_spans(*moved, start + by) == packed
    assert unpack_spans(packed, start + by, end + by) == moved


def test_lines_of_even_lengths_take_less_than_two_bytes_each() -> None:
    starts = list(range(0, 60_000, 100))
    assert len(pack_spans(starts, [one + 99 for one in starts], 0)) < 2 * len(starts)


def test_a_whole_column_keeps_its_type() -> None:
    columns: dict[str, list[Value]] = {
        "text": ["a", ""],
        "number": [Decimal("1.50"), None],
        "date": [date(2020, 1, 2), date(1, 1, 1)],
        "time": [datetime(2020, 1, 2, 3, 4, 5, 6), None],  # noqa: DTZ001
        "none": [None, None],
    }
    batch = Batch("a", [0, 2], [1, 3], columns)
    assert unpack_batch(pack_spans([0, 2], [1, 3], 0), pack_fields(batch, 0), "a", 0, 4).columns == columns


@given(batches(), st.data())
def test_damage_is_a_value_error_or_harmless(made: tuple[Batch, int, int], data: st.DataObject) -> None:
    batch, start, end = made
    parts = [bytearray(pack_spans(batch.starts, batch.ends, start)), bytearray(pack_fields(batch, start))]
    part = data.draw(st.sampled_from([one for one in parts if one]))
    at = data.draw(st.integers(0, len(part) - 1))
    if data.draw(st.booleans()):
        del part[at:]
    else:
        part[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        back = unpack_batch(bytes(parts[0]), bytes(parts[1]), "a.log", start, end)
    except ValueError:
        return
    assert all(start <= one < end for one in back.starts)


def test_a_record_that_begins_outside_its_segment_is_refused() -> None:
    with pytest.raises(ValueError, match="outside its segment"):
        unpack_spans(pack_spans([0, 50], [10, 60], 0), 0, 50)
    with pytest.raises(ValueError, match="not of so many records"):
        unpack_batch(pack_spans([0], [1], 0), pack_fields(Batch("a", [0], [1], {"x": ["a", "b"]}), 0), "a", 0, 9)
