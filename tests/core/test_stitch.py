"""Stitching: every hit's text once, in exact spans, in a stable order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gw_core.model import Chunk, Hit, Passage, Span
from gw_core.stitch import stitch

TEXT = "".join(f"Sentence number {each} stands here. " for each in range(400)).strip()


def text_of(path: str, start: int, end: int) -> str:
    return TEXT[start:end]


def hit(start: int, end: int, rank: int, path: str = "a.md", score: float | None = None, **more: object) -> Hit:
    chunk = Chunk(rank, path, start, end, TEXT[start:end], **more)  # type: ignore[arg-type]
    return Hit(chunk, rank, 1 / rank if score is None else score)


def spans(passages: list[Passage]) -> list[tuple[str, int, int]]:
    return [(each.path, each.start, each.end) for each in passages]


def test_no_hits_no_passages() -> None:
    assert stitch([], text_of) == []


def test_overlap_is_shown_once() -> None:
    (only,) = stitch([hit(100, 200, 2), hit(0, 120, 1)], text_of)
    assert (only.start, only.end, only.text) == (0, 200, TEXT[:200])
    assert only.score == 1.0
    assert [each.rank for each in only.hits] == [1, 2]


def test_chunks_with_white_space_between_them_adjoin() -> None:
    stop = TEXT.index(". ") + 1
    assert spans(stitch([hit(0, stop, 1), hit(stop + 1, 90, 2)], text_of)) == [("a.md", 0, 90)]


def test_chunks_with_text_between_them_or_of_two_documents_do_not() -> None:
    found = stitch([hit(0, 30, 1), hit(40, 90, 3), hit(30, 60, 2, path="b.md")], text_of)
    assert spans(found) == [("a.md", 0, 30), ("b.md", 30, 60), ("a.md", 40, 90)]


def test_a_chunk_inside_another_adds_nothing() -> None:
    (only,) = stitch([hit(20, 40, 1, kind="function", label="A.f"), hit(0, 90, 2, kind="class", label="A")], text_of)
    assert (only.start, only.end, only.label, only.kind) == (0, 90, "A.f", "text")


def test_the_order_is_by_best_rank_then_path_and_start() -> None:
    hits = [hit(0, 10, 1, "b", 1.0), hit(0, 10, 1, "a", 1.0), hit(50, 60, 1, "a", 1.0), hit(90, 99, 1, "z", 2.0)]
    expected = [("z", 90, 99), ("a", 0, 10), ("a", 50, 60), ("b", 0, 10)]
    for _ in range(5):
        random.shuffle(hits)
        assert spans(stitch(hits, text_of)) == expected


def test_a_long_chain_is_shared_out_around_the_best_hits() -> None:
    chain = [hit(at * 100, at * 100 + 120, rank) for at, rank in enumerate([7, 5, 1, 4, 6, 2, 3])]
    found = stitch(chain, text_of, max_chars=330)
    assert spans(found) == [("a.md", 100, 420), ("a.md", 420, 720), ("a.md", 0, 100)]
    assert [[each.rank for each in passage.hits] for passage in found] == [[1, 4, 5], [2, 3, 6], [7]]


def test_context_outside_the_passage_is_handed_on() -> None:
    (only,) = stitch(
        [hit(100, 200, 1, context=(Span(0, 20), Span(110, 120))), hit(200, 300, 2, context=(Span(0, 20),))], text_of
    )
    assert only.context == (TEXT[:20],)


places = st.tuples(st.integers(0, 3000), st.integers(1, 400), st.sampled_from(["a", "b"]))


@settings(max_examples=300, deadline=None)
@given(st.lists(places, max_size=25), st.integers(400, 2000))
def test_every_text_once_in_exact_bounded_spans(found: list[tuple[int, int, str]], max_chars: int) -> None:
    hits = [hit(start, start + length, rank, path) for rank, (start, length, path) in enumerate(found, start=1)]
    passages = stitch(hits, text_of, max_chars=max_chars)
    shown: dict[str, set[int]] = {"a": set(), "b": set()}
    for passage in passages:
        place = set(range(passage.start, passage.end))
        assert passage.text == TEXT[passage.start : passage.end]
        assert len(place) <= max_chars
        assert not place & shown[passage.path]
        shown[passage.path] |= place
    for each in hits:
        blank = {at for at in range(each.chunk.start, each.chunk.end) if TEXT[at].isspace()}
        assert set(range(each.chunk.start, each.chunk.end)) - blank <= shown[each.chunk.path]
    assert {each for passage in passages for each in (one.rank for one in passage.hits)} == {each.rank for each in hits}
    assert stitch(hits[::-1], text_of, max_chars=max_chars) == passages


@pytest.mark.parametrize("gap", ["\n\n", " " * 900])
def test_any_white_space_may_lie_between(gap: str) -> None:
    text = "one" + gap + "two"
    chunks = [Chunk(1, "a", 0, 3, "one"), Chunk(2, "a", 3 + len(gap), len(text), "two")]
    (only,) = stitch([Hit(chunk, chunk.id, 1.0) for chunk in chunks], lambda _, start, end: text[start:end])
    assert only.text == text
