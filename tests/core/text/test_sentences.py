"""Sentences: where they end in many scripts, and that no character is ever lost."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gw_core.text.sentences import bounds, sentences


def cut(text: str, kind: str = "text") -> list[str]:
    return [span.of(text) for span in sentences(text, kind)]


# "|" marks where a sentence is to end; the bar itself is taken out, white space around it is not.
ONE_LINE = [
    # English
    "Dr. Smith met Mr. Jones.| They left.",
    "He served in the U.S. Army.| He left the U.S. | The war was over.",
    "Use a loader, e.g. Markdown, i.e. text.| See Fig. 3 and Sec. 2.| Done.",
    "No. 5 is alive.| I said no.| He said yes.",
    "J. R. R. Tolkien wrote it.| C. S. Lewis did not.",
    "He likes vitamin C.| The rest is fine.",
    "It costs 3.50 dollars.| Version 3.11.2 of foo.py is at https://a.example/b.html.| Use it.",
    "It works... sometimes.| Or does it?| Yes!| Well… | Perhaps.",
    '"Yes!" he said.| "No."| She left.| (Really.)| OK.',
    "It ended in 1990.| 12 people came.",
    "Text of an article.[12]| Another one.[3][4]| Last.[citation needed]| See [a].| And [b](c).",
    "It has loaders, chunkers, etc.| Users can add more.",
    "Apple Inc. The company is old.".replace("Inc. ", "Inc.| "),
    "It was 5 p.m. when he came.| He left at 6 p.m.| The end.",
    "Call `close()`.| os.path.join does the rest.",
    "It ran.| `foo` stopped.| **Bold.** | Plain.",
    # a text without capitals
    "we went home.| it was late.| see fig. 3 now.",
    "flow past a wing at mach 5 . | the NACA report , ref. 3 , says so .",
    # German
    "Am 3. Oktober 1990 kam es.| Im 19. Jahrhundert war z. B. alles anders.",
    "Das war 44 v. Chr. in Rom.| Er war 12.| Dann ging er bzw. Sie blieb.| Das 2. Kapitel folgt.",
    "Er sagte: „Komm!“| Sie kam, d. h. Anna kam.",
    # French, Spanish
    "M. Dupont est parti.| Où est-il ?| À Paris !",
    "¿Dónde está?| ¡Aquí!| El Sr. Pérez no sabe.".replace("Sr. Pérez", "Dr. Pérez"),
    # Russian, Greek
    "Это первое.| Это второе, т.е. последнее.| Конец!",
    "Πού είναι\u037e| Εδώ.",
    # unspaced scripts
    "今天天气很好。|你呢？|他说：“好的！”|然后走了",
    "今日は晴れ。|「行く。」と言った。|終わり！|はい",
    # scripts with stops of their own
    "यह पहला है।| यह दूसरा है॥| तीसरा",
    "هل تعرف؟| نعم.| یہ ہے۔| اچھا",
    "Սա մեկն է։| Սա երկուսն է։",
    "ይህ ነው።| ያ ነው፧| እሺ",
    "នេះជាប្រយោគ។| នេះទៀត",
    "ဒါက ပထမ။| ဒါက ဒုတိယ။",
]


@pytest.mark.parametrize("marked", ONE_LINE)
def test_ends_where_a_reader_would_end_it(marked: str) -> None:
    assert cut(marked.replace("|", "")) == [part.strip() for part in marked.split("|")]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one paragraph\n\nanother one", ["one paragraph", "another one"]),
        ("one paragraph\n \t\nanother one", ["one paragraph", "another one"]),
        (
            "This sentence is wrapped over lines that are wide\nAnd Goes on here in the next\nof them. A second one.",
            [
                "This sentence is wrapped over lines that are wide\nAnd Goes on here in the next\nof them.",
                "A second one.",
            ],
        ),
        (
            "- first item\n- second item\n  that goes on\n* third",
            ["- first item", "- second item\n  that goes on", "* third"],
        ),
        ("1. First step\n2. Second step", ["1. First step", "2. Second step"]),
        ("| a | b |\n|---|---|\n| c. D | e |", ["| a | b |", "|---|---|", "| c. D | e |"]),
        ("# Heading\nText under it.", ["# Heading", "Text under it."]),
        ("Heading\n=======\nText under it.", ["Heading", "=======", "Text under it."]),
        ("Before.\n```py\nx = 1. \nY = 2\n```\nAfter.", ["Before.", "```py", "x = 1.", "Y = 2", "```", "After."]),
        (
            "Like this:\n\n    foo = bar(1)\n    print(foo. Bar)\n\nDone.",
            ["Like this:", "foo = bar(1)", "print(foo. Bar)", "Done."],
        ),
        ("Name: Ada\nRole: Engineer\nCity: London", ["Name: Ada", "Role: Engineer", "City: London"]),
    ],
)
def test_lines(text: str, expected: list[str], newline: str) -> None:
    if newline != "\n":
        text, expected = text.replace("\n", newline), [each.replace("\n", newline) for each in expected]
    assert cut(text) == expected


def test_paragraphs_of_one_long_line_each_end_with_their_line() -> None:
    paragraphs = ["word " * 60 + "without a stop", "Word " * 60 + "and so on", "last " * 50 + "end"]
    assert cut("\n".join(paragraphs)) == paragraphs


def test_lines_of_a_log_are_units() -> None:
    lines = [
        f"Jun 1{each} 15:16:0{each} host sshd[19{each}39]: Failed. Try again from 10.0.0.{each} port 22 ssh2"
        for each in range(6)
    ]
    assert cut("\n".join(lines)) == lines


def test_code_is_read_line_by_line() -> None:
    assert cut("a = 1. + 2\n\n    b = 'x. Y'\n", "code") == ["a = 1. + 2", "b = 'x. Y'"]


def test_thai_is_cut_at_spaces_between_clauses_but_not_within_a_list_or_a_name() -> None:
    clause = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์เช่นเดียวกับภาษาจีน"
    assert cut(" ".join([clause] * 4)) == [clause] * 4
    assert cut(f"{clause} และ{clause}") == [f"{clause} และ{clause}"]
    assert cut(f"{clause} วิลเลียม ฟาเรล {clause}") == [f"{clause} วิลเลียม ฟาเรล {clause}"]


@pytest.mark.parametrize("text", ["", " ", "\n\n\r\n", "\u2028\x0c"])
def test_nothing_but_white_space_has_no_sentence(text: str) -> None:
    assert cut(text) == []


ALPHABET = "aB1 .!?…\n\r\t\x0c\u2028\x85\"')]*`~|-#=:。」とกข าๆ।۔؟é“”[]"
texts = st.one_of(st.text(), st.text(alphabet=ALPHABET, max_size=200))


@settings(max_examples=400, deadline=None)
@given(texts, st.sampled_from(["text", "markdown", "code", "table", "list"]))
def test_spans_are_ordered_trimmed_and_lose_nothing(text: str, kind: str) -> None:
    at = 0
    for start, end in bounds(text, kind):
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        at = end
    assert not text[at:].strip()


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


@pytest.mark.parametrize(
    "unit",
    [
        "x",
        "word ",
        ". ",
        "a.b",
        "...",
        ".)",
        "\n",
        " \n",
        "\r\n",
        "\n  a",
        "A. ",
        "```\n",
        "~~~\nx\n",
        "กา ",
        "。",
        '."',
        "[1].",
    ],
)
def test_work_grows_with_the_length(unit: str) -> None:
    small, large = unit * 2_000, unit * 8_000
    assert _events(lambda: bounds(large)) <= 4.2 * _events(lambda: bounds(small)) + 200


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "word " * 200_000, "." * 1_000_000, ".)" * 500_000, " " * 1_000_000, "`" * 1_000_000]
)
def test_a_megabyte_without_an_end_is_no_trouble(text: str) -> None:
    assert len(bounds(text)) <= 1
