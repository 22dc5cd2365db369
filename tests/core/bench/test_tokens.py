"""Sizes in tokens: one rule, and how they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.tokens import count, name_of, of_bytes, parse_tokens, utf8_size


@given(st.text())
def test_a_token_is_four_bytes_of_utf8_rounded_up(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert (utf8_size(text), count(text)) == (size, -(-size // 4))


def test_a_lone_surrogate_counts_as_three_bytes() -> None:
    assert (utf8_size("a\ud800"), count("a\ud800"), of_bytes(5)) == (4, 1, 2)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("64k", 64_000),
        ("1m", 1_000_000),
        ("1.5m", 1_500_000),
        ("8000", 8_000),
        (" 8K ", 8_000),
        ("0.5k", 500),
        ("1.000001M", 1_000_001),
        ("1", 1),
    ],
)
def test_sizes_are_read_as_they_are_typed(text: str, tokens: int) -> None:
    assert parse_tokens(text) == tokens


@pytest.mark.parametrize(
    "text",
    [
        "",
        "k",
        "64 k",
        "-1",
        "1e6",
        "64g",
        "1.5",
        "1.2345k",
        "0",
        "0k",
        "0.0m",
        "nan",
        "inf",
        "٣k",
        "1_000",
        "9" * 99,
        "1.k",
    ],
)
def test_what_is_no_size_is_refused_in_one_line_that_names_it(text: str) -> None:
    with pytest.raises(ValueError, match="token") as caught:
        parse_tokens(text)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.integers(1, 10**12))
def test_a_name_is_read_back(tokens: int) -> None:
    assert parse_tokens(name_of(tokens)) == tokens


@pytest.mark.parametrize(
    ("tokens", "name"), [(64_000, "64k"), (1_500_000, "1.5m"), (3_000_000, "3m"), (8_192, "8192"), (1_234_000, "1234k")]
)
def test_names_are_short(tokens: int, name: str) -> None:
    assert name_of(tokens) == name
