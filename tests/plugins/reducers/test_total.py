from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.records import Batch
from gw_plugins.reducers.numbers import numbers
from gw_plugins.reducers.total import Mean, Sum, Total

decimals = st.decimals(allow_nan=False, allow_infinity=False, places=None).filter(
    lambda value: value.as_tuple().exponent > -400 and abs(value.adjusted()) < 400
)


def of(*texts):
    return [Decimal(text) for text in texts]


def test_the_whole_shape(reduce):
    assert reduce(Sum("hours"), hours=[*of("1.50", "2.50"), None]) == {
        "rows": [{"value": Decimal("4.00"), "count": 2}],
        "total": 2,
        "missing": 1,
        "unusable": 0,
        "more": 0,
    }


def test_no_digit_is_lost(reduce):
    result = reduce(Sum("n"), n=of("1E+40", "0.1", "0.2", "-1E+40"))
    assert str(result["rows"][0]["value"]) == "0.3"
    ones = of(*["0.0000000001"] * 1000, "9" * 60)
    assert reduce(Sum("n"), n=ones)["rows"][0]["value"] == Decimal("9" * 60 + ".0000001")


def test_a_sum_of_nothing_is_nought(reduce):
    assert reduce(Sum("n"), n=[])["rows"] == [{"value": 0, "count": 0}]
    assert reduce(Sum("n", by="g"), n=[], g=[])["rows"] == []
    assert reduce(Mean("n"), n=[None])["rows"] == []


def test_the_largest_sum_comes_first(reduce):
    result = reduce(Sum("n", by="g"), n=of("1", "5", "2", "3", "1"), g=["b", "a", "c", "b", None])
    assert [(row["by"], row["value"], row["count"]) for row in result["rows"]] == [
        ("a", 5, 1),
        ("b", 4, 2),
        ("c", 2, 1),
    ]
    assert (result["total"], result["missing"]) == (4, 1)


def test_text_counts_if_it_is_a_plain_number(reduce):
    texts = ["12", " 1.5 ", "-.5", "+3.", "1e2", "1,000", "1_000", "abc", "", "NaN", "Infinity", "١", "0x10", "12 h"]
    result = reduce(Sum("n"), n=texts)
    assert result["rows"][0]["value"] == Decimal("116.0")
    assert (result["total"], result["unusable"], result["missing"]) == (5, 9, 0)


@pytest.mark.parametrize("text", ["1E+5001", "1E-5001", "1e999999999999999999999", "NaN", "sNaN", "-Infinity"])
def test_numbers_out_of_all_reach_are_set_apart(reduce, text):
    for values in ([*of("1", "2"), *of(text)] if "e9" not in text else ["1", "2", text], ["1", "2", text]):
        result = reduce(Sum("n"), n=values)
        assert (result["rows"], result["unusable"]) == ([{"value": 3, "count": 2}], 1)
        assert reduce(Sum("n", by="g"), n=values, g=["x"] * 3)["rows"] == [{"by": "x", "value": 3, "count": 2}]


def test_numbers_within_reach_are_exact_even_together(reduce):
    result = reduce(Sum("n"), n=of("1E+5000", "1E-5000", "-1E+5000"))
    assert result["rows"] == [{"value": Decimal("1E-5000"), "count": 3}]


@given(st.lists(st.one_of(decimals, decimals.map(str), st.text(max_size=4))))
def test_numbers_are_read_alike_one_by_one_and_together(values):
    alone = [numbers([value])[0] for value in values]
    assert list(map(repr, numbers(values))) == list(map(repr, alone))
    texts = [value for value in values if isinstance(value, str)]
    assert list(map(repr, numbers(texts))) == [repr(numbers([text])[0]) for text in texts]


@given(st.lists(decimals))
def test_a_sum_is_that_of_fractions(values):
    sums, means = Sum("n"), Mean("n", digits=30)
    for one in (sums, means):
        one.add(Batch("a", range(len(values)), range(len(values)), {"n": values}))
    exact = sum(map(Fraction, values), Fraction(0))
    assert Fraction(sums.result()["rows"][0]["value"]) == exact
    for row in means.result()["rows"]:
        assert Fraction(row["sum"]) == exact
        error = abs(Fraction(row["value"]) - exact / len(values))
        assert error <= abs(exact / len(values)) * Fraction(1, 10**29)


def test_a_mean_is_a_fraction_and_its_digits(reduce):
    result = reduce(Mean("n"), n=of("1", "1", "3"))
    assert result["rows"] == [{"value": Decimal("1.66666666666667"), "sum": 5, "count": 3}]
    assert result["digits"] == 15
    assert str(reduce(Mean("n"), n=of("2", "3"))["rows"][0]["value"]) == "2.5"
    assert str(reduce(Mean("n", digits=2), n=of("0.125", "0.125"))["rows"][0]["value"]) == "0.12"


def test_total_is_another_name_of_sum(reduce):
    assert reduce(Total("n"), n=of("1", "2")) == reduce(Sum("n"), n=of("1", "2"))
