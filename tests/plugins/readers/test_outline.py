from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gw_core.text.sentences import bounds
from gw_plugins.readers.outline import NEXT, Role, cells, outline


def _roles(text: str, kind: str = "text") -> dict[str, Role]:
    places = bounds(text, kind)
    units = outline(text, kind, places)
    return {text[start:end]: unit.role for (start, end), unit in zip(places, units, strict=True) if unit.role}


def _contexts(text: str, kind: str = "text") -> dict[str, set[str]]:
    """For each unit, the units that it stands below, header rows included."""
    places = bounds(text, kind)
    lines = [text[start:end] for start, end in places]
    found = zip(lines, outline(text, kind, places), strict=True)
    return {line: {lines[at] for at in unit.above} | ({unit.header} - {""}) for line, unit in found}


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# Backups\n\nThey are made at night.\n", "# Backups"),
        ("Backups\n=======\n\nThey are made at night.\n", "Backups"),
        ("Annual report of Halden Shipping\n\nThe year was good.\n", "Annual report of Halden Shipping"),
        ("It rained.\n\nOther matters\n\nThe year was good.\n", "Other matters"),
    ],
)
def test_headings_stand_above_what_follows(text: str, heading: str) -> None:
    assert _roles(text) == {heading: Role.HEADING}
    last = text.strip().split("\n")[-1]
    assert _contexts(text)[last] == {heading}


@pytest.mark.parametrize(
    "text",
    [
        "# Backups\n",
        "Only one line",
        "apples\n\npears\n\nmelons\n\nplums\n",
        "How do I pay?\n\nBy card\n\nHow long does it take?\n\nA day or two\n\nThat is all.\n",
        "Phone: 555\n\nThe office is open.\n",
        "- a list item\n\nIt goes on.\n",
        "The year was good.\n\nIt rained.\n",
    ],
)
def test_what_stands_above_nothing_or_says_something_is_no_heading(text: str) -> None:
    assert _roles(text) == {}


def test_a_heading_reaches_to_the_next_of_its_rank() -> None:
    found = _contexts("# A\n\nOne.\n\n## B\n\nTwo.\n\n## C\n\nThree.\n\n# D\n\nFour.\n")
    assert found["One."] == {"# A"}
    assert found["Two."] == {"# A", "## B"}
    assert found["Three."] == {"# A", "## C"}
    assert found["Four."] == {"# D"}


@pytest.mark.parametrize(
    ("text", "kind", "header", "row"),
    [
        ("| a | b |\n|---|---|\n| x | y |\n", "table", "| a | b |", "| x | y |"),
        ("Branch | Phone\nCentral | 555-0101\nHarbour | 555-0144\n", "section", "Branch | Phone", "Harbour | 555-0144"),
        ("name,room,since\nLi,A,x\nAda,B,y\n", "code", "name,room,since", "Ada,B,y"),
        ("name\troom\nLi\t12\n", "record", "name\troom", "Li\t12"),
        ('name;"room; floor"\nLi;12\n', "code", 'name;"room; floor"', "Li;12"),
    ],
)
def test_the_first_row_of_a_table_names_its_columns(text: str, kind: str, header: str, row: str) -> None:
    assert _roles(text, kind) == {header: Role.HEADER}
    assert _contexts(text, kind)[row] == {header}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 | 2\n3 | 4\n5 | 6\n", "text"),
        ("import os, sys\nimport re, io\n", "code"),
        ("call(a, b, c)\ncall(d, e, f)\ncall(g, h, i)\n", "code"),
        ("Li Wei | 12\nAda, who likes tea | 14 | 15\n", "text"),
    ],
)
def test_rows_of_values_and_code_name_no_columns(text: str, kind: str) -> None:
    assert Role.HEADER not in _roles(text, kind).values()


def test_rows_cut_from_their_table_take_the_header_given() -> None:
    text = "| x | 1 |\n| y | 2 |"
    (first, second) = outline(text, "table", bounds(text, "table"), "| a | b |")
    assert first.header == second.header == "| a | b |"
    (other, _) = outline(text, "table", bounds(text, "table"), "| a | b | c |")
    assert other.header == ""


def test_keys_stand_above_what_is_indented_and_sections_up_to_the_next() -> None:
    found = _contexts("web:\n  image: nginx\n  ports:\n    - 80\nqueue:\n  image: rabbit\n", "code")
    assert found["image: nginx"] == {"web:"}
    assert found["- 80"] == {"web:", "ports:"}
    assert found["image: rabbit"] == {"queue:"}
    found = _contexts("[server]\nport = 1\n\n[client]\nport = 2\n", "code")
    assert (found["port = 1"], found["port = 2"]) == ({"[server]"}, {"[client]"})


def test_a_definition_stands_above_its_comment_or_its_first_line() -> None:
    text = 'class Limiter:\n    """Counts calls."""\n\n    def wait(self):\n        return 1\n'
    assert _contexts(text, "code") == {
        "class Limiter:": set(),
        '"""Counts calls."""': {"class Limiter:"},
        "def wait(self):": set(),
        "return 1": {"def wait(self):"},
    }
    text = "// Waits for a call.\nfunc Wait(n int) {\n  return\n}\n"
    assert _contexts(text, "code")["// Waits for a call."] == {"func Wait(n int) {"}
    text = 'def wait(\n    self,\n) -> None:\n    """Waits.\n\n    For ever.\n    """\n'
    assert _contexts(text, "code")['"""Waits.'] == {"def wait("}


def test_cells_are_exact_places() -> None:
    for line, separator, expected in (
        ("| `a` | b c |", "|", ["a", "b c"]),
        ("a | b", "|", ["a", "b"]),
        ('x,"a, b",c', ",", ["x", "a, b", "c"]),
        ('x,"never closed,c', ",", ["x", '"never closed', "c"]),
        ("a\t\tb", "\t", ["a", "", "b"]),
    ):
        assert [line[start:end] for start, end in cells(line, separator)] == expected


_LINES = st.sampled_from(
    [
        "# a",
        "a",
        "a b.",
        "===",
        "---",
        "| a | b |",
        "|---|---|",
        "a,b,c",
        "k:",
        "  k: v",
        "[s]",
        "def f(x):",
        '  """d',
        "",
        "\t",
    ]
)


@example("# a\na\n---", "text")
@given(st.lists(_LINES, max_size=14).map("\n".join), st.sampled_from(["text", "code", "table"]))
def test_context_stands_elsewhere_and_counts_for_less_or_as_much(text: str, kind: str) -> None:
    units = outline(text, kind, bounds(text, kind))
    for at, unit in enumerate(units):
        assert all(above != at and units[above].role is not None for above in unit.above)
        assert all(0 < worth <= 1 for worth in unit.above.values())
    assert NEXT < 1


@pytest.mark.parametrize(
    "line", ["-" * 20_000 + "x", "| " * 20_000, "a," * 20_000, '"' * 20_001, "[" * 20_000, "a " * 20_000 + ":"]
)
def test_long_lines_cost_no_more_than_their_length(line: str) -> None:
    text = f"{line}\n{line}\n"
    places = bounds(text, "code")
    began = time.process_time()
    outline(text, "code", places)
    assert time.process_time() - began < 2
