"""Segments: together they are the document, every record is owned once, and little moves where little changes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import LoadError
from gw_core.records import Split
from gw_core.sweep.plan import Planned, plan, plan_line
from gw_core.sweep.split import records

SPLITS = [
    Split("line"),
    Split("paragraph"),
    Split("heading"),
    Split("csv"),
    Split("jsonl"),
    Split("regex", pattern="^ab"),
    Split("regex", pattern="b c|word"),
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


@pytest.mark.parametrize("split", SPLITS, ids=lambda one: one.kind + one.pattern)
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


@pytest.mark.parametrize("split", SPLITS, ids=lambda one: one.kind + one.pattern)
@given(text=TEXTS, target=st.integers(4, 80), sizes=st.tuples(st.integers(1, 50), st.integers(1, 500)))
def test_the_pieces_in_which_a_text_comes_make_no_difference(
    split: Split, text: str, target: int, sizes: tuple[int, int]
) -> None:
    one, other = (planned(text, split, target, size) for size in sizes)
    assert one == other
    assert [plan_line(p.segment) for p in one] == [plan_line(p.segment) for p in other]


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


def test_segments_are_of_about_the_target() -> None:
    sizes = [len(one.text) for one in planned("\n".join(lines(2_000)), Split("line"), target=600, size=100)]
    assert all(450 <= size <= 750 for size in sizes[:-1])
    assert sizes[-1] <= 750


@pytest.mark.parametrize("size", [64, 7_000])
def test_a_record_longer_than_a_segment_stands_alone(size: int) -> None:
    text = "short\n" * 30 + "y" * 5_000 + "\n" + "short\n" * 30
    found = planned(text, Split("line"), target=100, size=size)
    assert [one.text for one in found if len(one.text) > 125] == ["y" * 5_000 + "\n"]
    assert "".join(one.text for one in found) == text


def test_a_record_too_long_to_be_held_is_an_error_of_its_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gw_core.sweep.plan.MOST_CHARS", 1_000)
    for text in ("a\n" + "y" * 1_200 + "\nb\n", "y" * 5_000):
        with pytest.raises(LoadError, match="a record of more than 1,000 characters") as caught:
            planned(text, Split("line"), target=100, size=50)
        assert caught.value.reason == "too-large"
    assert len(planned("y" * 999, Split("line"), target=100)) == 1


def test_windows_follow_the_content_too() -> None:
    choose = Random(7)
    text = " ".join("x" * choose.randrange(1, 9) + str(number) for number in range(30_000))
    split = Split("window", size=200)
    before, after = (
        [one.segment.sha256 for one in planned(whole, split, target=1_000, size=5_000)]
        for whole in (text, "some words more " + text)
    )
    assert len(before) > 200
    assert len(set(after) - set(before)) <= 3


@given(st.integers(1, 400), st.integers(0, 40), st.integers(20, 90))
def test_what_does_not_fit_a_reader_is_cut_smaller(target: int, overlap: int, most: int) -> None:
    text = "\n".join(lines(60))

    def fits(shown: str) -> bool:
        return len(shown.split()) <= most // 10

    found = list(plan("a.txt", pieces(text, 50), Split("line"), target=target, overlap=overlap, fits=fits))
    assert "".join(one.text for one in found) == text
    for one in found:
        assert fits(one.context[0] + one.text + one.context[1]) or one.segment.records == 1


def test_the_names_of_columns_are_part_of_what_a_segment_is() -> None:
    rows = "\n".join(f"{number},x" for number in range(200))
    one, other = (planned(f"{head}\n{rows}\n", Split("csv"), target=200) for head in ("a,b", "b,a"))
    assert [p.header for p in one] == ["a,b"] * len(one)
    assert len(one) > 3
    assert sum(p.segment.records or 0 for p in one) == 200
    assert [p.text for p in one][1:] == [p.text for p in other][1:]
    assert not {p.segment.sha256 for p in one} & {p.segment.sha256 for p in other}


def test_context_changes_the_hash_of_a_segment() -> None:
    text = "\n".join(lines(100))
    plain, wide = planned(text, Split("line"), 200), planned(text, Split("line"), 200, overlap=20)
    assert [one.text for one in plain] == [one.text for one in wide]
    assert plain[1].segment.sha256 != wide[1].segment.sha256
