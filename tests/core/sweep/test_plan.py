"""Segments: together they are the document, every record is owned once, and little moves where little changes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.records import Split
from gw_core.sweep.plan import Planned, plan, plan_hash
from gw_core.sweep.split import records

SPLITS = [
    Split("line"),
    Split("paragraph"),
    Split("heading"),
    Split("csv"),
    Split("jsonl"),
    Split("regex", pattern="^ab"),
    Split("window", size=20),
]
TEXTS = st.lists(
    st.sampled_from(
        ["ab", "a b c", "\n", "\r\n", "\r", "\n\n", " ", "# x", "```", '"', ",", "é漢\U0001f600", "word " * 9]
    ),
    max_size=60,
).map("".join)


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def planned(text: str, split: Split, target: int = 30, size: int = 7, overlap: int = 0) -> list[Planned]:
    return list(plan("a.txt", pieces(text, size), split, target=target, overlap=overlap))


@pytest.mark.parametrize("split", SPLITS, ids=lambda one: one.kind)
@given(text=TEXTS, target=st.integers(4, 80), size=st.integers(1, 50), overlap=st.integers(0, 30))
def test_segments_cover_the_document_and_own_every_record_once(
    split: Split, text: str, target: int, size: int, overlap: int
) -> None:
    found = planned(text, split, target, size, overlap)
    assert "".join(one.text for one in found) == text
    at = 0
    for number, one in enumerate(found):
        segment = one.segment
        assert (segment.number, segment.start, segment.end) == (number, at, at + len(one.text))
        assert text[segment.before : segment.after] == one.context[0] + one.text + one.context[1]
        assert segment.start - segment.before <= overlap >= segment.after - segment.end
        at = segment.end
    owned = [(one.segment.start + start, one.segment.start + end) for one in found for start, end in spans(one)]
    assert owned == list(zip(*records(text, split), strict=True))


def spans(one: Planned) -> list[tuple[int, int]]:
    return list(zip(one.starts, one.ends, strict=True))


@pytest.mark.parametrize("split", SPLITS, ids=lambda one: one.kind)
@given(text=TEXTS, target=st.integers(4, 80), sizes=st.tuples(st.integers(1, 50), st.integers(1, 500)))
def test_the_pieces_in_which_a_text_comes_make_no_difference(
    split: Split, text: str, target: int, sizes: tuple[int, int]
) -> None:
    one, other = (planned(text, split, target, size) for size in sizes)
    assert one == other
    assert plan_hash(p.segment for p in one) == plan_hash(p.segment for p in other)


def lines(count: int) -> list[str]:
    choose = Random(5)
    return [f"{number} " + "x" * choose.randrange(5, 40) for number in range(count)]


@pytest.mark.parametrize("at", [0, 1, 5_000, 19_999])
def test_a_line_that_is_put_in_makes_at_most_three_of_a_thousand_segments_new(at: int) -> None:
    old = lines(20_000)
    new = [*old[:at], "one more line", *old[at:]]
    before, after = (
        [one.segment.sha256 for one in planned("\n".join(text), Split("line"), target=600, size=4_000)]
        for text in (old, new)
    )
    assert 700 < len(before) < 1_500
    assert len(set(after) - set(before)) <= 3


def test_segments_are_of_about_the_target_and_a_record_longer_than_that_stands_alone() -> None:
    sizes = [len(one.text) for one in planned("\n".join(lines(2_000)), Split("line"), target=600, size=100)]
    assert all(300 <= size <= 960 for size in sizes[:-1])
    long = "short\n" * 30 + "y" * 5_000 + "\n" + "short\n" * 30
    found = planned(long, Split("line"), target=100, size=64)
    assert max(len(one.text) for one in found) < 5_200
    assert "".join(one.text for one in found) == long


def test_context_changes_the_hash_of_a_segment() -> None:
    text = "\n".join(lines(100))
    plain, wide = planned(text, Split("line"), 200), planned(text, Split("line"), 200, overlap=20)
    assert [one.text for one in plain] == [one.text for one in wide]
    assert plain[1].segment.sha256 != wide[1].segment.sha256
