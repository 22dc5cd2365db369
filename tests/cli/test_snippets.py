"""Which lines are shown, where the words are, and how they fit a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gw_core.cli.snippets import cells, matched_places, snippet, wrapped
from gw_core.plain import printable
from gw_core.query import parse


def found(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in matched_places(text, parse(query).content)]


def test_matches_are_found_in_every_form() -> None:
    assert found("The fields of getUserName()", "field user name") == ["fields", "UserName"]
    assert found("Crème brûlée", "creme") == ["Crème"]
    assert found("nothing here", "other words") == []


def test_function_words_of_an_english_question_are_not_marked() -> None:
    assert found("what is the port of the server", "what is the port") == ["port"]


def test_the_lines_with_most_matches_are_shown() -> None:
    text = "\n".join(["filler"] * 10 + ["one match", "two match match"] + ["filler"] * 10)
    start, end = snippet(text, matched_places(text, ["match"]), 3)
    assert text[start:end] == "filler\none match\ntwo match match"


def test_a_line_without_end_is_cut_around_the_match() -> None:
    text = "word " * 20_000 + "needle " + "word " * 20_000
    start, end = snippet(text, matched_places(text, ["needle"]), 6)
    assert "needle" in text[start:end]
    assert end - start <= 6 * 240


TEXT = st.text(st.sampled_from("ab \n\r\t東é\u0301\x1b"), max_size=200)


@given(TEXT, st.integers(1, 8))
def test_a_snippet_lies_inside_and_has_no_more_lines(text: str, most: int) -> None:
    start, end = snippet(text, matched_places(text, ["ab"]), most)
    assert 0 <= start <= end <= len(text)
    assert text[start:end].count("\n") < most


@given(TEXT.map(lambda text: text.replace("\r", "")), st.integers(4, 40))
def test_wrapping_fits_the_width_and_loses_only_blanks(text: str, width: int) -> None:
    lines = list(wrapped(text, matched_places(text, ["ab"]), width, None))
    for line in lines:
        assert sum(cells(char) for part, _ in line for char in part) <= width
    shown = "".join(part for line in lines for part, _ in line)
    assert "".join(shown.split()) == "".join(printable(text).split())


def test_matched_words_are_told_apart() -> None:
    assert list(wrapped("a match here", [(2, 7)], 80, None)) == [[("a ", False), ("match", True), (" here", False)]]


def test_what_is_too_long_ends_in_an_ellipsis() -> None:
    assert list(wrapped("one two three", [], 5, 2)) == [[("one", False)], [("two", False)], [("…", False)]]


def test_wide_and_combining_characters_are_measured() -> None:
    assert [cells(char) for char in "a東\u0301é\t\x1b"] == [1, 2, 0, 1, 4, 4]
