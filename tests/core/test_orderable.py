from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gw_core.orderable import ordered, packed, restored, unpacked

zones = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone)
decimals = st.decimals(allow_nan=False)
texts = st.text(st.characters(), max_size=8)  # lone surrogates included
times = st.one_of(st.datetimes(), st.datetimes(timezones=zones)).map(lambda time: time.replace(fold=0))
values = st.one_of(decimals, st.dates(), times, texts)


def agree(one, other) -> bool:
    first, second = ordered(one), ordered(other)
    return (first < second) == (one < other) and (first == second) == (one == other)


@given(decimals, decimals)
def test_numbers_sort_by_size(one, other):
    assert agree(one, other)


@given(st.lists(st.integers(-1200, 1200), min_size=2, max_size=5), st.integers(-3, 3))
def test_numbers_near_each_other_sort_by_size(numbers, exponent):
    for one, other in pairwise(numbers):
        assert agree(Decimal(one).scaleb(exponent), Decimal(other))


@given(texts, texts)
def test_text_sorts_by_code_points(one, other):
    assert agree(one, other)


@given(st.dates(), st.dates())
def test_days_sort_by_time(one, other):
    assert agree(one, other)


@given(st.datetimes(), st.datetimes())
def test_times_sort_by_time(one, other):
    assert agree(one, other)


@given(st.datetimes(timezones=zones), st.datetimes(timezones=zones))
def test_times_with_zones_sort_by_the_moment(one, other):
    assert agree(one, other)


def test_kinds_come_in_one_order():
    kinds = [
        None,
        Decimal(5),
        date(1, 1, 1),
        datetime(1, 1, 1),  # noqa: DTZ001
        datetime(1, 1, 1, tzinfo=timezone.utc),
        "",
    ]
    assert sorted(set(kinds), key=ordered) == kinds


def test_even_the_ends_of_the_calendar_and_what_is_no_number_have_a_place():
    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    late = datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))
    assert ordered(early) < ordered(late)
    numbers = [Decimal(text) for text in ("-Infinity", "-1E+999999", "0", "1E-999999", "Infinity", "NaN")]
    assert sorted(set(numbers), key=ordered) == numbers


@given(values)
def test_a_value_comes_back_as_it_was_written(value):
    assert repr(unpacked(packed(value))) == repr(value)
    shown = None if isinstance(value, str) else packed(value)
    assert repr(restored(ordered(value), shown)) == repr(value)


def test_nothing_comes_back_as_nothing():
    assert unpacked(packed(None)) is None
    assert restored(ordered(None), None) is None
