"""Fields that need no reader: exact values, exact spans, and no pattern that hangs."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import LoadError
from gw_core.records import Batch, Field, Recipe, Split
from gw_core.sweep.cells import json_at, json_place, json_value
from gw_core.sweep.columns import NO_JSON, Columns
from gw_core.sweep.plan import plan
from gw_core.sweep.searching import TOO_SLOW, required

LOG = "ticket 7 status: beta 1,250.50 h 3.4.2024\n\nnote\nticket 8 status: alpha 2 h\nticket 9 x\n"


def read(text: str, recipe: Recipe, *, target: int = 60_000, **options: Any) -> list[Batch]:
    columns = Columns(recipe)
    return [columns.read(one, **options) for one in plan("a.log", [text], recipe.split, target=target)]


def pattern(name: str, text: str, **rest: Any) -> Field:
    return Field(name, "pattern", pattern=text, **rest)


RECIPE = Recipe(
    fields=(
        pattern("id", r"ticket (\d+)", number=True),
        pattern("status", r"status: (?P<status>\w+)"),
        pattern("hours", r"(?P<value>[\d.,]+) h", number=True, unit="h"),
        pattern("day", r"\d+\.\d+\.\d{4}", format="%d.%m.%Y"),
    ),
    when="ticket",
)


def test_the_fields_of_the_records_that_when_keeps() -> None:
    [batch] = read(LOG, RECIPE, spans=True)
    assert [LOG[start:end] for start, end in zip(batch.starts, batch.ends, strict=True)] == [
        "ticket 7 status: beta 1,250.50 h 3.4.2024",
        "ticket 8 status: alpha 2 h",
        "ticket 9 x",
    ]
    assert batch.columns == {
        "id": [Decimal(7), Decimal(8), Decimal(9)],
        "status": ["beta", "alpha", None],
        "hours": [Decimal("1250.50"), Decimal(2), None],
        "day": [date(2024, 4, 3), None, None],
    }
    assert str(batch.columns["hours"][0]) == "1250.50"
    assert list(said(batch, LOG).values()) == [
        ["7", "8", "9"],
        ["beta", "alpha", None],
        ["1,250.50", "2", None],
        ["3.4.2024", None, None],
    ]


@given(st.integers(5, 200))
def test_how_a_document_is_cut_makes_no_difference(target: int) -> None:
    whole = read(LOG * 5, RECIPE, spans=True)[0]
    parts = read(LOG * 5, RECIPE, target=target, spans=True)
    assert [one for part in parts for one in part.starts] == list(whole.starts)
    for name, column in whole.columns.items():
        assert [one for part in parts for one in part.columns[name]] == list(column)
        assert [one for part in parts for one in part.spans[name] or ()] == list(whole.spans[name] or ())


def test_a_text_that_is_no_number_or_day_makes_its_record_one_that_does_not_count() -> None:
    recipe = Recipe(fields=(pattern("n", r"n=(\S+)", number=True), pattern("d", r"d=(\S+)", format="%Y")))
    [batch] = read("n=1 d=2024\nn=1,5 d=2024\nn=2 d=20xx\nn= d=\n", recipe)
    assert batch.columns["n"] == [Decimal(1), None, Decimal(2), None]
    assert batch.unsupported == {1: "'1,5' is no number for n", 2: "'20xx' is no date %Y for d"}


def test_csv_columns_are_named_by_the_first_row() -> None:
    text = 'who;what;n\r\na;"say ""hi""\nthere";3\r\nb;;\r\n"c";"x;y"\r\n'
    fields = (Field("name", "column", column="who"), Field("said", "column", column="what"))
    fields = (*fields, Field("n", "column", column="n", number=True))
    [batch] = read(text, Recipe(Split("csv"), fields), spans=True)
    assert batch.columns == {
        "name": ["a", "b", "c"],
        "said": ['say "hi"\nthere', None, "x;y"],
        "n": [Decimal(3), None, None],
    }
    assert said(batch, text) == {
        "name": ["a", "b", "c"],
        "said": ['say ""hi""\nthere', None, "x;y"],
        "n": ["3", None, None],
    }
    with pytest.raises(LoadError, match="no column 'x', but 'who', 'what', 'n'"):
        read(text, Recipe(Split("csv"), (Field("name", "column", column="x"),)))


def said(batch: Batch, text: str) -> dict[str, list[str | None]]:
    """The words that the values of a batch rest on."""
    return {
        name: [None if span is None else text[slice(*span)] for span in column or ()]
        for name, column in batch.spans.items()
    }


def test_json_paths() -> None:
    text = (
        '{"user": {"name": "ann", "ids": [1, 2.50]}, "ok": true}\n'
        "not json\n"
        ' {"user": [], "ok" : {"a": [1.0, "}"]}, "other": 1}\r\n'
        '{"user": {"name": "bob", "name": "b\\u00f6b"}, "ok": null}\n'
    )
    fields = (
        Field("name", "path", path="user.name"),
        Field("id", "path", path="user.ids[1]", number=True),
        Field("ok", "path", path="ok"),
    )
    [batch] = read(text, Recipe(Split("jsonl"), fields), spans=True)
    assert batch.columns == {
        "name": ["ann", None, None, "böb"],
        "id": [Decimal("2.50"), None, None, None],
        "ok": ["true", None, '{"a": [1.0, "}"]}', None],
    }
    assert str(batch.columns["id"][0]) == "2.50"
    assert batch.unsupported == {1: NO_JSON}
    assert said(batch, text) == {
        "name": ["ann", None, None, "b\\u00f6b"],
        "id": ["2.50", None, None, None],
        "ok": ["true", None, '{"a": [1.0, "}"]}', None],
    }


def test_half_a_character_that_json_escapes_is_no_text() -> None:
    [batch] = read('{"a": "x\\ud800"}', Recipe(Split("jsonl"), (Field("a", "path", path="a"),)))
    assert batch.columns["a"] == ["x\ufffd"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", " "]), inner, max_size=4)
        ),
        max_leaves=20,
    ),
    st.sampled_from(["a", "a.b", "a[1]", "b[0].a", "[1]", "a.a.a"]),
    st.booleans(),
)
def test_a_place_in_json_is_where_its_value_stands(value: Any, path: str, spaced: bool) -> None:
    text = json.dumps(value, indent=1 if spaced else None, separators=(" , ", " :\t") if spaced else None)
    place = json_place(text, path)
    known = json_at(json_value(text), path)
    if place is None:
        assert known is None
    else:
        start, end = place if not isinstance(known, str) else (place[0] - 1, place[1] + 1)
        assert json_value(text[start:end]) == known


def test_a_pattern_that_backtracks_for_ever_names_the_record_it_expired_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gw_core.sweep.searching.SEGMENT_SECONDS", 0.1)
    recipe = Recipe(fields=(pattern("x", r"^(a+)+$"),))
    [batch] = read("aaa\n" + "a" * 60 + "!\nb\naa\n", recipe)
    assert batch.unsupported == {1: TOO_SLOW}
    assert batch.columns["x"] == ["aaa", None, None, "aa"]


def test_a_record_of_which_when_cannot_be_told_in_time_is_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gw_core.sweep.searching.SEGMENT_SECONDS", 0.1)
    recipe = Recipe(fields=(pattern("x", r"\w+"),), when=r"^(a+)+$")
    [batch] = read("b\naaa\n" + "a" * 60 + "!\naa\n", recipe)
    assert batch.unsupported == {1: TOO_SLOW}
    assert batch.columns["x"] == ["aaa", "a" * 60, "aa"]


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        (r"status: (?P<status>\w+)", "status: "),
        (r"(?:abc|xbd)x+yz", "yz"),
        (r"(?i)abc", ""),
        (r"a(?i:bc)d", "a"),
        (r"(ab)+?\bcd", "ab"),
        (r"(ab)*", ""),
        (r"^\[(?=lookahead)(\d+)\] done$", "] done"),
        (r"(?!not)yes", "yes"),
        (r"[a]b\.c", "ab.c"),
        (r"(?x) a b # c", "ab"),
    ],
)
def test_what_every_match_of_a_pattern_holds(text: str, literal: str) -> None:
    assert required(text, re.compile(text).flags) == literal


@given(
    st.lists(st.sampled_from(["ab", "abc", "xabcx", "abab c", "", "abc abd"]), max_size=40),
    st.sampled_from(["abc", r"abc(\w)", r"b.?abd", r"^abc", r"(x)abc\1"]),
)
def test_to_look_for_a_literal_first_changes_nothing(lines: list[str], text: str) -> None:
    rare = lines + ["nothing"] * 200
    [batch] = read("\n".join(rare), Recipe(fields=(pattern("x", text),)), spans=True) or [None]
    searched = [re.search(text, line) for line in rare if line]
    assert batch is not None
    assert batch.columns["x"] == [one and (one[1] if one.re.groups else one[0]) for one in searched]


@pytest.mark.skipif("GW_TEST_DATA" not in os.environ, reason="GW_TEST_DATA names the folder of the collections")
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["Android", "Apache", "OpenSSH", "Zookeeper"])
def test_logs_read_as_their_structured_tables_say(name: str, line_end: str) -> None:
    folder = Path(os.environ["GW_TEST_DATA"], "loghub")
    lines = Path(folder, f"{name}_2k.log").read_text("utf-8").splitlines()
    with Path(folder, f"{name}_2k.log_structured.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    whole = Recipe(
        match=LOGS[name], fields=tuple(pattern(one, LOGS[name]) for one in re.compile(LOGS[name]).groupindex)
    )
    for text in (line_end.join(lines), line_end.join(lines) + line_end):
        parts = read(text, whole, target=5_000, spans=True)
        for one in whole.fields:
            found = [value for batch in parts for value in batch.columns[one.name]]
            assert found == [row[one.name] for row in table], one.name
            assert [word for batch in parts for word in said(batch, text)[one.name]] == found
    truth = json.loads(Path(folder, "truth.json").read_text("utf-8"))[name]
    for column in {"Level", "Component", "Pid"} & set(truth) & {one.name for one in whole.fields}:
        tally = Counter(value for batch in parts for value in batch.columns[column])
        assert len(tally) == truth[column]["distinct"]
        assert [[value, tally[value]] for value, _ in truth[column]["top10"]] == truth[column]["top10"]


LOGS = {
    "Android": r"^(?P<Date>\S+) (?P<Time>\S+) +(?P<Pid>\d+) +(?P<Tid>\d+) (?P<Level>\w) (?P<Component>.*?) *:",
    "Apache": r"^\[(?P<Time>[^]]+)\] \[(?P<Level>\w+)\]",
    "OpenSSH": r"^(?P<Date>\S+) +(?P<Day>\d+) (?P<Time>\S+) (?P<Component>\S+) sshd\[(?P<Pid>\d+)\]:",
    "Zookeeper": (
        r"^(?P<Date>\S+) (?P<Time>\S+) - (?P<Level>\w+) +"
        r"\[(?P<Node>.*?):(?P<Component>[^\[\]]*)@(?P<Id>\d+)\] - "
    ),
}
"""What the columns of each log are; the same for every line of it."""
