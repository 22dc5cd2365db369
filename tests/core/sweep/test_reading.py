"""What a reader says counts only if it rests on words that stand in the record."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from gw_core.records import Batch, Extracted, Extraction, Field, Recipe, Unit
from gw_core.sweep.reading import judge, read_into, supported_only

STATUS = Field("status", "choice", choices=("alpha", "beta"), support="quoted")
HOURS = Field("hours", "number", unit="h")
OWNER = Field("owner", "text")
DAY = Field("day", "date", format="%d.%m.%Y")
UNIT = Unit(100, 153, "ticket 7 of ann took 2015 h and 1,5 is beta, 3.4.2024")


@pytest.mark.parametrize(
    ("field", "said", "evidence", "value", "span"),
    [
        (STATUS, "beta", "is beta", "beta", (136, 143)),
        (STATUS, "Beta", "", "beta", (100, 153)),
        (STATUS, None, "", None, None),
        (STATUS, "  ", "nowhere", None, None),
        (HOURS, "2015", "took 2015 h", Decimal(2015), (116, 127)),
        (HOURS, "2015 h", "took  2015\nh", Decimal(2015), (116, 127)),
        (OWNER, "ann", "of ann", "ann", (109, 115)),
        (DAY, "3.4.2024", "", date(2024, 4, 3), (100, 153)),
    ],
)
def test_a_value_that_rests_on_its_record(field, said, evidence, value, span) -> None:
    found = judge(field, said, evidence, UNIT)
    assert (found.value, found.span, found.reason) == (value, span, "")


@pytest.mark.parametrize(
    ("field", "said", "evidence", "says"),
    [
        (STATUS, "gamma", "", "is no one of alpha, beta"),
        (STATUS, "beta", "is alpha", "the evidence for status does not stand"),
        (HOURS, "5", "", "does not stand in the evidence"),
        (HOURS, "many", "", "is no number"),
        (HOURS, "201", "took 2015 h", "does not stand"),
        (HOURS, "1,5", "", "is no number"),
        (OWNER, "bob", "", "does not stand"),
        (OWNER, "an", "of ann", "does not stand"),
        (DAY, "2024-04-03", "", "is no date"),
    ],
)
def test_a_value_that_does_not_is_no_value_and_says_why(field, said, evidence, says) -> None:
    found = judge(field, said, evidence, UNIT)
    assert found.value is None
    assert says in found.reason


def batch(*texts: str) -> tuple[Batch, list[Unit]]:
    units, at = [], 0
    for text in texts:
        units.append(Unit(at, at + len(text), text))
        at += len(text) + 1
    starts, ends = [one.start for one in units], [one.end for one in units]
    return Batch("a.log", starts, ends, {"id": [str(n) for n in range(len(texts))]}), units


def test_records_of_which_the_reader_says_nothing_or_two_things_do_not_count() -> None:
    of, units = batch("alpha one", "beta two", "alpha three", "beta four")
    said = [Extracted(0, {"status": "alpha"}), Extracted(1, {"status": "beta"}), Extracted(1, {"status": "alpha"})]
    said += [Extracted(3, {"status": None}), Extracted(9, {"status": "beta"}), Extracted(-1, {"status": "beta"})]
    read = read_into(of, Recipe(fields=(STATUS,)), units, Extraction(tuple(said)))
    assert read.unsupported == {1: "the reader says two things of it", 2: "the reader says nothing of it"}
    counted = supported_only(read)
    assert (list(counted.columns["status"]), list(counted.columns["id"])) == (["alpha", None], ["0", "3"])
    assert list(counted.starts) == [units[0].start, units[3].start]
    assert counted.spans["status"] == [(0, 9), None]
    assert supported_only(counted) is counted


def test_a_number_is_read_exactly_as_it_is_written() -> None:
    unit = Unit(0, 20, "minus: -1,500.250 EUR")
    assert judge(HOURS, "-1,500.250", "", unit).value == Decimal("-1500.250")
    assert str(judge(HOURS, "-1,500.250", "", unit).value) == "-1500.250"


def test_a_format_with_a_time_of_day_gives_a_moment() -> None:
    field = Field("at", "date", format="%Y-%m-%d %H:%M")
    assert judge(field, "2024-04-03 07:15", "", Unit(0, 16, "2024-04-03 07:15")).value == datetime.fromisoformat(
        "2024-04-03T07:15"
    )
