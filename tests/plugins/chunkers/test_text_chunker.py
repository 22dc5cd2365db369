"""The text chunker: whole blocks where they fit, a hard bound, nothing lost, and labels from headings."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gw_core.errors import ConfigError
from gw_core.model import ChunkSpan, Document
from gw_core.protocols import Chunker
from gw_core.text.sentences import bounds
from gw_plugins.chunkers.text import Text


def document(text: str, kind: str = "text") -> Document:
    return Document("a.txt", text, "0" * 64, len(text), kind=kind)


def spans(text: str, kind: str = "text", chunker: Text | None = None) -> list[ChunkSpan]:
    return list((chunker or Text()).spans(document(text, kind)))


def texts(text: str, kind: str = "text", chunker: Text | None = None) -> list[str]:
    return [span.of(text) for span in spans(text, kind, chunker)]


SENTENCE = "The quick brown fox number {} jumps over the lazy dog near the river. "
LONG = "".join(SENTENCE.format(each) for each in range(80))


def test_it_is_a_chunker_whose_identity_holds_its_settings() -> None:
    assert isinstance(Text(), Chunker)
    assert Text(target=800).identity != Text().identity


@pytest.mark.parametrize(
    "wrong", [{"target": 0}, {"target": 500, "limit": 400}, {"overlap": -1}, {"target": 100, "overlap": 90}]
)
def test_sizes_that_do_not_fit_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="do not fit"):
        Text(**wrong)


@pytest.mark.parametrize("kind", ["text", "markdown", "code"])
@pytest.mark.parametrize("text", ["", " \n\t\r\n"])
def test_nothing_but_white_space_has_no_chunk(text: str, kind: str) -> None:
    assert texts(text, kind) == []


def test_what_fits_is_one_chunk() -> None:
    assert texts("  A short text.\n\nTwo paragraphs.\n") == ["A short text.\n\nTwo paragraphs."]


def test_paragraphs_stay_whole() -> None:
    paragraphs = [f"{each} " + "word " * 80 + "end." for each in range(12)]
    text = "\n\n".join(paragraphs)
    chunks = texts(text)
    assert len(chunks) > 2
    assert [part for chunk in chunks for part in chunk.split("\n\n")] == paragraphs


def test_paragraphs_of_one_long_line_stay_whole_without_blank_lines_between_them() -> None:
    paragraphs = [f"{each} " + "Some words of it. " * 30 + "end." for each in range(12)]
    chunks = texts("\n".join(paragraphs))
    assert len(chunks) > 2
    assert [part for chunk in chunks for part in chunk.split("\n")] == paragraphs


def test_a_long_paragraph_is_cut_between_sentences_and_whole_ones_are_repeated() -> None:
    chunks = spans(LONG)
    ends = {end for _, end in bounds(LONG)}
    starts = {start for start, _ in bounds(LONG)}
    assert len(chunks) > 3
    assert all(chunk.end in ends and chunk.start in starts for chunk in chunks)
    repeated = [LONG[after.start : before.end] for before, after in pairwise(chunks)]
    assert all(0 < len(each) <= 200 and re.fullmatch(SENTENCE.strip().format(r"\d+"), each) for each in repeated)


def test_without_overlap_nothing_is_repeated() -> None:
    chunks = spans(LONG, chunker=Text(overlap=0))
    assert all(before.end <= after.start for before, after in pairwise(chunks))


def test_headings_give_the_path_and_begin_a_chunk() -> None:
    body = "word " * 60
    text = (
        f"# Guide\n\n{body}\n\n## Install\n\n{body}\n\n### From source `make` #\n\n{body}\n\n## [Use](u.md)\n\n{body}\n"
    )
    found = spans(text, "markdown")
    assert [(each.label, each.kind) for each in found] == [
        ("Guide", "section"),
        ("Guide > Install", "section"),
        ("Guide > Install > From source make", "section"),
        ("Guide > Use", "section"),
    ]
    assert all(each.of(text).startswith("#") for each in found)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_underlined_and_numbered_headings(newline: str) -> None:
    body = "word " * 70
    text = f"=====\nGuide\n=====\n\n{body}\n\nInstall\n-------\n{body}\n\nUse\n---\n{body}\n".replace("\n", newline)
    assert [each.label for each in spans(text)] == ["Guide", "Guide > Install", "Guide > Use"]
    text = f"1 Introduction\n\n{body}\n\n1.1 Scope of it\n\n{body}\n\n2. Loose item\n\n3. Loose item\n".replace(
        "\n", newline
    )
    assert {each.label for each in spans(text)} == {"1 Introduction", "1 Introduction > 1.1 Scope of it"}


def test_comments_are_no_headings() -> None:
    text = "# setting of it\nvalue = 1\n# other one\nvalue = 2\n" * 40
    assert {each.label for each in spans(text, "text")} == {""}
    assert {each.label for each in spans(text, "code")} == {""}
    fenced = "# Real\n\n```sh\n# not one\nmake\n```\n" + "word " * 80
    assert {each.label for each in spans(fenced, "markdown")} == {"Real"}


def test_tiny_sections_share_a_chunk_and_the_path_they_have_in_common() -> None:
    text = "# Log\n\n## 1.2\n\n- a\n\n## 1.1\n\n- b\n\n# Other\n\n" + "word " * 100
    assert [each.label for each in spans(text, "markdown")] == ["Log", "Other"]


def test_a_fence_that_fits_is_not_torn() -> None:
    code = "```py\n" + "x = 1\n\n" * 100 + "```"
    text = "word " * 150 + "\n\n" + code + "\n\n" + "word " * 200
    assert sum(code in chunk for chunk in texts(text, "markdown")) == 1


def test_a_long_fence_is_cut_between_lines() -> None:
    lines = [f"call_number({each}, 'A. B')" for each in range(200)]
    text = "```\n" + "\n".join(lines) + "\n```"
    chunks = spans(text, "markdown")
    assert len(chunks) > 2
    assert {chunk.kind for chunk in chunks} == {"code"}
    assert [line for chunk in chunks for line in chunk.of(text).splitlines()] == text.splitlines()


def test_a_long_table_is_cut_between_rows_and_shows_its_head_again() -> None:
    head = "| name | value |\n|---|---|"
    rows = [f"| name. {each} | The value {each} of it |" for each in range(150)]
    text = head + "\n" + "\n".join(rows)
    chunks = spans(text, "markdown")
    assert {chunk.kind for chunk in chunks} == {"table"}
    assert [line for chunk in chunks for line in chunk.of(text).splitlines()] == text.splitlines()
    assert [[each.of(text) for each in chunk.context] for chunk in chunks] == [[], *[[head]] * (len(chunks) - 1)]


def test_a_long_list_is_cut_between_items() -> None:
    items = [f"- Item {each}. It has two sentences\n  and is wrapped." for each in range(120)]
    chunks = spans("\n".join(items), "markdown")
    assert len(chunks) > 1
    assert {chunk.kind for chunk in chunks} == {"list"}
    assert all(chunk.of("\n".join(items)).startswith("- Item") for chunk in chunks)


def test_code_is_cut_before_definitions_in_whole_lines() -> None:
    functions = [f"def function_{each}(a):\n    b = a\n\n    return b + {each}\n" * 4 for each in range(30)]
    text = "\n".join(functions)
    chunks = texts(text, "code")
    assert len(chunks) > 3
    assert all(chunk.startswith("def ") for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.splitlines() if line.strip()] == [
        line for line in text.splitlines() if line.strip()
    ]


def test_indentation_of_the_first_line_is_kept() -> None:
    text = "class A:\n" + "    x = 'some value that is long'\n\n" * 100
    assert all(chunk.startswith("    x") for chunk in texts(text, "code")[1:])


def test_ideographs_count_for_more() -> None:
    text = "今天天气很好，我们去公园散步。" * 200
    assert 300 < max(len(chunk) for chunk in texts(text)) <= 1_280


def test_an_edit_changes_only_chunks_nearby() -> None:
    paragraphs = [f"Paragraph {each}. " + f"Word{each} and more of it. " * (3 + each * 7 % 23) for each in range(200)]
    before = texts("\n\n".join(paragraphs))
    paragraphs[40] = "Something else entirely."
    after = texts("\n\n".join(paragraphs))
    assert len(set(after) - set(before)) <= 12


ALPHABET = "aB1 .!?\n\r\t\x0c\u2028\"')]*`~|-#=:+。กา́好\u200d"
pieces = st.sampled_from(
    [
        "# H\n",
        "## G\n",
        "\n\n",
        "```\n",
        "- item\n",
        "| a | b |\n",
        "|---|---|\n",
        "Title\n=====\n",
        "word ",
        "Sentence one. ",
        "x" * 90,
        "1.2 Head\n\n",
        "    code()\n",
        "\r\n\r\n",
        "好。",
        "ไทย ",
        " " * 90,
    ]
)
any_text = st.one_of(st.text(), st.text(alphabet=ALPHABET, max_size=600), st.lists(pieces, max_size=80).map("".join))


@settings(max_examples=500, deadline=None)
@example(
    "# Chapter 0\n\n" + " ".join(f"This is sentence {at} of chapter 0." for at in range(6)), "markdown", (64, 64, 32)
)
@given(
    any_text,
    st.sampled_from(["text", "markdown", "code", "html"]),
    st.sampled_from([(64, 64, 0), (64, 64, 32), (64, 100, 32), (300, 400, 80)]),
)
def test_bound_order_and_coverage(text: str, kind: str, sizes: tuple[int, int, int]) -> None:
    target, limit, overlap = sizes
    found = spans(text, kind, Text(target, limit, overlap))
    covered = 0
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end - after.start <= overlap
    for span in found:
        assert 0 < len(span) <= limit
        assert span.end <= len(text)
        assert not text[covered : max(covered, span.start)].strip()
        assert not text[span.end - 1].isspace()
        covered = span.end
    assert not text[covered:].strip()
    assert found == spans(text, kind, Text(target, limit, overlap))


def _events(call: Callable[[], object]) -> int:
    """Lines of Python that a call runs: a measure of work that no load on the machine changes."""
    count = 0

    def trace(*_: object) -> Callable[..., object]:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


UNITS = [
    "x",
    "word ",
    ". ",
    "A. ",
    "\n",
    "\n a",
    "```\n",
    "# a\n",
    "ab\n===\n",
    "\n\nx",
    "| a |\n",
    "- a\n",
    '{"a":[1,2]},',
    "好",
    "\r\n",
]


@pytest.mark.parametrize("kind", ["markdown", "text", "code"])
@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_length(unit: str, kind: str) -> None:
    small, large = unit * 4_000, unit * 16_000
    assert _events(lambda: spans(large, kind)) <= 5 * _events(lambda: spans(small, kind)) + 6_000


@pytest.mark.parametrize("kind", ["text", "code"])
@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "word " * 200_000, '{"a":[1,2]},' * 400_000, "a" + " " * 1_000_000 + "b", "." * 1_000_000]
)
def test_a_huge_line_is_cut_within_the_bound(text: str, kind: str) -> None:
    found = spans(text, kind)
    assert max(len(span) for span in found) <= 3_200
    assert len(found) < len(text) // 500
