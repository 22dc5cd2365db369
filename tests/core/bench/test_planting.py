"""Planting: needles stand exactly where it is said, at the depth that was asked for, and few enough of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.haystack import open_haystack
from gw_core.bench.planting import MOST, depths, plant, seeded, shares, size_of
from gw_core.bench.tokens import count
from gw_core.errors import UsageError
from gw_core.trial import Place, SourceText

TEXTS = st.lists(
    st.builds(
        SourceText,
        st.sampled_from(["a.py", "b.md", "deep/c.txt", "d", "e.SQL"]),
        st.text(alphabet="ab\n \té€'\"", max_size=80),
    ),
    min_size=1,
    max_size=4,
)
DEPTH = st.floats(0, 1)


def needle(at: int) -> str:
    return f"Needle {at} says {at}."


@given(TEXTS, st.lists(DEPTH, max_size=8))
def test_every_needle_stands_in_its_place_alone_and_all_other_text_in_its_order(
    texts: list[SourceText], at: list[float]
) -> None:
    needles = [(needle(number), depth) for number, depth in enumerate(at)]
    if needles and not any(one.text.strip() for one in texts):
        with pytest.raises(ValueError, match="no text"):
            plant(texts, needles)
        return
    named = [SourceText(f"{number}/{one.path}", one.text) for number, one in enumerate(texts)]
    planted, places = plant(named, needles)
    by_path = {one.path: one.text for one in planted}
    assert [by_path[place.path][place.start : place.end] for place in places] == [text for text, _ in needles]
    whole = "\0".join(one.text for one in planted)
    assert all(whole.count(text) == 1 for text, _ in needles)
    signs = "".join(whole.split()).replace("#", "").replace("--", "")
    for text, _ in needles:
        signs = signs.replace("".join(text.split()), "")
    assert signs == "".join("\0".join(one.text for one in texts).split())


@given(TEXTS, st.lists(DEPTH, min_size=1, max_size=8))
def test_a_needle_is_a_paragraph_of_its_own(texts: list[SourceText], at: list[float]) -> None:
    texts = [SourceText(f"{number}.md", f"x\n{one.text}") for number, one in enumerate(texts)]
    planted, places = plant(texts, [(needle(number), depth) for number, depth in enumerate(at)])
    by_path = {one.path: one.text for one in planted}
    for place in places:
        before, after = by_path[place.path][: place.start], by_path[place.path][place.end :]
        assert not before or before.rstrip(" \t").endswith("\n\n") or before.endswith(("\n \n", "\n\t\n"))
        assert not after.strip() or after.startswith("\n\n")


def test_in_a_program_it_is_a_comment_that_is_indented_as_what_follows() -> None:
    program = "def f():\n    first = 1\n\n    return first\n"
    [planted], [place] = plant([SourceText("a.py", program)], [("The lamp is green.", 0.6)])
    assert planted.text == "def f():\n    first = 1\n\n    # The lamp is green.\n\n    return first\n"
    assert planted.text[place.start : place.end] == "The lamp is green."
    compile(planted.text, "a.py", "exec")


def test_depth_is_measured_in_bytes_over_all_files() -> None:
    texts = [SourceText("a.txt", "ä" * 100 + "\n\n" + "b" * 200 + "\n"), SourceText("c.txt", "c" * 400 + "\n")]
    wanted = [0.0, 0.25, 0.5, 1.0]
    planted, places = plant(texts, [(needle(at), depth) for at, depth in enumerate(wanted)])
    assert planted[0].text == f"{needle(0)}\n\n{'ä' * 100}\n\n{needle(1)}\n\n{'b' * 200}\n\n{needle(2)}\n"
    assert planted[1].text == f"{'c' * 400}\n\n{needle(3)}\n"
    assert [place.path for place in places] == ["a.txt", "a.txt", "a.txt", "c.txt"]


def test_needles_come_to_the_depths_asked_for() -> None:
    texts = open_haystack().take(64_000)
    spread = depths(200, seeded(7))
    planted, places = plant(texts, [(needle(number), depth) for number, depth in enumerate(spread)])
    before: dict[str, int] = {}
    total = 0
    for one in planted:
        before[one.path] = total
        total += len(one.text)
    reached = [(before[place.path] + place.start) / total for place in places]
    assert max(abs(depth - where) for depth, where in zip(spread, reached, strict=True)) < 0.02


def test_depths_are_evenly_spread_in_an_order_by_chance() -> None:
    spread = depths(11, seeded("a seed"))
    assert sorted(spread) == pytest.approx([at / 10 for at in range(11)])
    assert spread == depths(11, seeded("a seed")) != depths(11, seeded("another"))
    assert (depths(1, seeded(1)), depths(0, seeded(1))) == ([0.5], [])


@pytest.mark.parametrize(
    ("text", "depth"), [("", 0.5), (" \n", 0.5), ("two\nlines", 0.5), ("wide  gap", 0.5), ("fine", 1.5), ("fine", -0.1)]
)
def test_what_cannot_be_found_again_is_refused(text: str, depth: float) -> None:
    with pytest.raises(ValueError, match=r"one line|between 0 and 1"):
        plant([SourceText("a.txt", "x\n")], [(text, depth)])


@given(st.integers(0, 300), st.integers(1_000, 100_000))
def test_needles_are_dealt_out_evenly_and_are_at_most_a_twentieth_of_a_haystack(number: int, tokens: int) -> None:
    needles = [f"{needle(at)} {'so ' * (at % 7)}it is." for at in range(number)]
    dealt = shares(needles, tokens)
    assert [at for share in dealt for at in share] == list(range(number))
    assert all(size_of([needles[at] for at in share]) <= tokens * MOST for share in dealt)
    assert not dealt or max(map(len, dealt)) - min(map(len, dealt)) <= 1


@given(st.lists(DEPTH, min_size=1, max_size=30))
def test_what_needles_are_said_to_take_is_what_they_take_in_a_file(at: list[float]) -> None:
    text = SourceText("a.py", "\n\n".join(f"    x{number} = {number}" for number in range(50)) + "\n")
    needles = [needle(number) for number in range(len(at))]
    [planted], _ = plant([text], list(zip(needles, at, strict=True)))
    assert 0 < count(planted.text) - count(text.text) <= size_of(needles) + 1


def test_a_haystack_that_is_smaller_than_its_needles_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="a haystack of 100 tokens is too small") as caught:
        shares(["A needle of some length, such as anybody would hide in a text."], 100)
    assert "\n" not in str(caught.value)
    least = int(caught.value.hint.split()[2])
    assert len(shares(["A needle of some length, such as anybody would hide in a text."], least)) == 1


def test_a_place_is_that_of_the_text_it_was_planted_in() -> None:
    _, [place] = plant([SourceText("a.txt", "\n\n first\n")], [("Here.", 0.0)])
    assert place == Place("a.txt", 0, 5)
