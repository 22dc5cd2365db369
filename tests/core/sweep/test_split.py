"""Where records begin and end, for every way to split."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gw_core.errors import LoadError, UsageError
from gw_core.records import Split
from gw_core.sweep.recipe import recipe_from_options
from gw_core.sweep.split import records, scanner, settled


def cut(text: str, kind: str, *, pattern: str = "", size: int = 0) -> list[str]:
    starts, ends = records(text, Split(kind, pattern, size))  # type: ignore[arg-type]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("kind", ["line", "jsonl"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways_and_the_last_one_may_not(kind: str, line_end: str) -> None:
    lines = ["one", " two\x0b\u2028 ", "", " \t", "é漢\U0001f600"]
    solid = [lines[0], lines[1], lines[4]]
    assert cut(line_end.join(lines), kind) == solid
    assert cut(line_end.join(lines) + line_end, kind) == solid
    assert cut(line_end * 3, kind) == []


@given(st.lists(st.sampled_from(["a", "bc", " ", "\t", "\n", "\r", "\r\n"]), max_size=30).map("".join))
def test_lines_are_those_that_are_not_blank(text: str) -> None:
    assert cut(text, "line") == [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()]


@pytest.mark.parametrize("kind", ["paragraph", "blank-line"])
def test_blank_lines_stand_between_paragraphs(kind: str) -> None:
    text = "\n one\ntwo\n \t\n\r\nthree\r\nfour\rfive\r\rsix"
    assert cut(text, kind) == [" one\ntwo", "three\r\nfour\rfive", "six"]


def test_a_section_goes_from_one_heading_to_the_next() -> None:
    text = """\

before
and after
# One
text
## Two ##

#no heading
    # nor this
```python
# a comment
````
# in no fence
~~~
# in one
```
~~~
Title
---
a paragraph
of two lines
---
Other
===

end

"""
    assert cut(text, "heading") == [
        "before\nand after",
        "# One\ntext",
        "## Two ##\n\n#no heading\n    # nor this\n```python\n# a comment\n````",
        "# in no fence\n~~~\n# in one\n```\n~~~\nTitle\n---\na paragraph\nof two lines\n---\nOther\n===\n\nend",
    ]


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("a\n\nTitle\n---\nb", ["a", "Title\n---\nb"]),
        ("Title\n===\n\nOther\r\n===\r\nx", ["Title\n===", "Other\r\n===\r\nx"]),
        ("# One\nTwo\n---\nx", ["# One", "Two\n---\nx"]),
        ("---\ntitle: x\n---\ntext", ["---\ntitle: x\n---\ntext"]),
        ("a\n\n---\n\nb", ["a\n\n---\n\nb"]),
        ("a\n\nb\n\n---\n", ["a\n\nb\n\n---"]),
        ("no heading\n\nat all", ["no heading\n\nat all"]),
        ("#", ["#"]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_a_paragraph_of_one_line_is_a_heading_if_it_is_underlined(text: str, sections: list[str]) -> None:
    assert cut(text, "heading") == sections


def test_a_quoted_field_may_hold_line_ends() -> None:
    text = 'name,note\r\n"a ""b""\r\n,c",1\r\n\r\n5" disk,2\n"x"y"z,3\n,"\n"\nlast,'
    assert cut(text, "csv") == ['"a ""b""\r\n,c",1', '5" disk,2', '"x"y"z,3', ',"\n"', "last,"]
    assert cut("only,a,header", "csv") == []
    assert cut('a\n"never closed\n,x\n', "csv") == ['"never closed\n,x']


CELLS = st.lists(st.sampled_from(["a", '"', '""', ",", ";", "\n", "\r\n", "\r", " ", '"b"', "é"]), max_size=40).map(
    "".join
)


@given(CELLS, st.sampled_from([",", ";"]))
def test_rows_are_those_of_the_csv_module(text: str, separator: str) -> None:
    known = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    assume(all(len(row) > 1 or row[0].strip() for row in known))  # a blank line is no record
    found = cut(f"a{separator}b{separator}c\n{text}", "csv")
    read = [next(csv.reader([row], delimiter=separator)) for row in found]
    for rows in (known, read):
        if rows:  # a field that is never closed holds the line end of the last row
            rows[-1][-1] = rows[-1][-1].rstrip()
    assert read == known


@given(st.lists(st.lists(st.text('a,"\n\r ;é', max_size=5), min_size=2, max_size=3), max_size=8))
def test_rows_that_the_csv_module_wrote_are_read_again(rows: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([["x", "y", "z"], *rows])
    assert [next(csv.reader([row])) for row in cut(file.getvalue(), "csv")] == rows


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"^\d", ["1 a\nb", "2 c", "3\n\n d"]),
        (r"[bd]", ["b\n2 c\r\n3", "d"]),
        (r"(?=c)", ["c\r\n3\n\n d"]),
        (r"\w(?= )", ["1 a\nb", "2 c\r\n3", "d"]),
        (r"z", []),
        (r"\n", []),
    ],
)
def test_a_record_begins_where_the_pattern_matches_in_a_line(pattern: str, found: list[str]) -> None:
    text = "x\n1 a\nb\n2 c\r\n3\n\n d \n\n"
    assert [one.rstrip() for one in cut(text, "regex", pattern=pattern)] == found


@pytest.mark.parametrize("pattern", [r"\n\nQ:", r"(?:\r?\n)+Q", r"a(b\n)+"])
def test_a_pattern_that_needs_a_line_end_never_matches_in_a_line_and_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="line by line"):
        recipe_from_options(lambda name: name, split=f"regex: {pattern}")  # type: ignore[arg-type, return-value]


def test_several_records_may_begin_in_a_line() -> None:
    assert cut("x Q: a  Q: b\n\nQ: c\nd", "regex", pattern="Q:") == ["Q: a", "Q: b", "Q: c\nd"]
    assert cut("a  b", "regex", pattern=r"\s") == [" b"]


def test_a_pattern_that_never_ends_is_an_error_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gw_core.sweep.split.PATTERN_SECONDS", 0.05)
    with pytest.raises(LoadError, match="takes too long") as caught:
        records("a" * 60 + "!", Split("regex", r"^(a+)+$"))
    assert caught.value.reason == "pattern"


@given(st.text("ab \n\r", max_size=200), st.integers(1, 40))
def test_windows_hold_all_words_and_are_no_longer_than_asked(text: str, size: int) -> None:
    starts, ends = records(text, Split("window", size=size))
    assert all(0 < end - start <= size for start, end in zip(starts, ends, strict=True))
    assert all(
        not text[start].isspace() and not text[end - 1].isspace() for start, end in zip(starts, ends, strict=True)
    )
    bounds = [0, *(at for span in zip(starts, ends, strict=True) for at in span), len(text)]
    assert all(not text[gap : bounds[at + 1]].strip() for at, gap in enumerate(bounds) if at % 2 == 0)


def test_windows_end_at_line_ends_or_else_at_white_space() -> None:
    assert cut("aaaa bbbb\ncc dd eeee ffff", "window", size=12) == ["aaaa bbbb", "cc dd eeee", "ffff"]
    assert cut("x" * 25, "window", size=10) == ["x" * 10, "x" * 10, "x" * 5]


@pytest.mark.parametrize(
    ("text", "since", "end"),
    [("", 0, 0), ("a\nb", 0, 2), ("a\r\n", 0, 3), ("a\r", 0, 0), ("a\rb\r", 0, 2), ("a\nb", 2, 0)],
)
def test_a_return_at_the_end_of_a_piece_may_be_half_a_line_end(text: str, since: int, end: int) -> None:
    assert settled(text, since) == end


@pytest.mark.parametrize("kind", ["line", "paragraph", "heading", "csv"])
@given(text=CELLS, size=st.integers(1, 9))
def test_a_document_may_be_looked_at_piece_by_piece(kind: str, text: str, size: int) -> None:
    split = Split(kind)  # type: ignore[arg-type]
    found = scanner(split)
    at = 0
    for end in range(size, len(text), size):
        whole = settled(text[:end], 0)
        at = found.scan(text, at, whole) if whole > at else at
    found.scan(text, at, len(text), final=True)
    assert (found.starts, found.ends) == records(text, split)
