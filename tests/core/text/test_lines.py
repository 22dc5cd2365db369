from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.text.lines import Lines


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", [0]),
        ("a", [0]),
        ("a\nb", [0, 2]),
        ("a\nb\n", [0, 2, 4]),
        ("a\r\nb", [0, 3]),
        ("a\rb\r\rc", [0, 2, 4, 5]),
        ("a\n\rb", [0, 2, 3]),
        ("a\u2028b\fc\vd\x85e\x1cf", [0]),
    ],
)
def test_line_ends_are_those_of_editors(text: str, starts: list[int]) -> None:
    assert Lines(text).starts == starts


def test_a_line_end_belongs_to_the_line_it_ends() -> None:
    lines = Lines("ab\r\ncd\n")
    assert [lines.position(offset) for offset in range(8)] == [
        (1, 1),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 1),
        (2, 2),
        (2, 3),
        (3, 1),
    ]
    assert lines.lines(0, 4) == (1, 1)
    assert lines.lines(0, 5) == (1, 2)
    assert lines.lines(4, 4) == (2, 2)


def test_places_outside_the_text_are_clamped() -> None:
    lines = Lines("ab\ncd")
    assert lines.offset(9) == 5
    assert lines.offset(1, 99) == 3
    assert lines.offset(0, 0) == 0
    assert lines.span(1, 1) == (0, 3)
    assert lines.span(2, 7) == (3, 5)


@given(st.text(alphabet="a\r\n\u2028é𝔸"), st.data())
def test_offset_and_position_are_inverse(text: str, data: st.DataObject) -> None:
    lines = Lines(text)
    offset = data.draw(st.integers(0, len(text)))
    assert lines.offset(*lines.position(offset)) == offset
    assert "".join(text[slice(*lines.span(n, n))] for n in range(1, len(lines) + 1)) == text
