"""Values as plain data, JSON that is always valid, and text that cannot steer a terminal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.plain import dumps, file_name, plain, printable


class Colour(str, Enum):
    RED = "red"


@dataclass(frozen=True)
class Pair:
    left: int
    right: Any


ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner) | st.tuples(inner, inner),
    max_leaves=10,
)


@given(ANY_VALUE)
def test_json_is_valid_on_one_line_and_can_be_encoded(value: Any) -> None:
    text = dumps(value)
    assert len(text.splitlines()) == 1
    assert json.loads(text.encode("utf-8").decode("utf-8")) == plain(value)


@given(ANY_TEXT)
def test_text_comes_back_from_json_as_it_was(text: str) -> None:
    # Two surrogates that happen to form a pair are one character in JSON.
    assert json.loads(dumps(text)) == json.loads(json.dumps(text))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("-inf"), None),
        (Colour.RED, "red"),
        ({Colour.RED: {1}}, {"red": [1]}),
        (Pair(1, (Path("a/b"), Pair)), {"left": 1, "right": ["a/b", str(Pair)]}),
        ((1, (2, 3)), [1, [2, 3]]),
        ({1: 2}, {"1": 2}),
    ],
)
def test_everything_becomes_plain(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_numbers_of_other_libraries_are_numbers() -> None:
    class Scalar:
        def tolist(self) -> float:
            return 1.5

    assert plain([Scalar()]) == [1.5]


def test_control_characters_are_shown_and_line_ends_stay() -> None:
    assert printable("a\x1b[31mb\u202ec\td\ne") == "a\\x1b[31mb\\u202ec\td\ne"
    assert printable("crème 東京 \u200d") == "crème 東京 \u200d"


def test_a_file_name_is_one_line() -> None:
    assert file_name("a\nb\tc\x07.txt") == "a\\nb\\tc\\x07.txt"
    assert file_name("") == "."
