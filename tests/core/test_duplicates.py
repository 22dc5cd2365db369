"""Copies are folded into one hit; whatever tells two texts apart keeps them apart."""

from __future__ import annotations

import random

import pytest

from gw_core.duplicates import collapse
from gw_core.model import Chunk, Hit

PROSE = (
    "The retention of logs is set per service. By default the collector keeps every file on disk until the quota of "
    "the volume is reached; then it removes the oldest ones first, and writes a line into the audit trail for each of "
    "them. Operators may pin a file, which the collector then leaves alone until it is released again by hand or by a "
    "script."
)


def hits(*texts: str, kind: str = "text", scores: list[float] | None = None) -> list[Hit]:
    return [
        Hit(
            Chunk(rank, f"f{rank}.md", 0, len(text), text, kind),
            rank,
            scores[rank - 1] if scores else 1 / rank,
            {"bm25": 1},
        )
        for rank, text in enumerate(texts, start=1)
    ]


def paths(found: list[Hit]) -> list[str]:
    return [each.chunk.path for each in found]


def test_nothing_stays_nothing() -> None:
    assert collapse([]) == []


def test_eight_copies_of_one_file_are_one_hit_whatever_their_order() -> None:
    copies = hits(*[PROSE] * 8, scores=[2.5] * 8)
    for _ in range(5):
        random.shuffle(copies)
        (only,) = collapse(copies)
        assert (only.chunk.path, only.rank, only.score) == ("f1.md", 1, 2.5)
        assert only.why["bm25"] == 1
        assert only.why["copies"] == [
            {"path": f"f{each}.md", "start": 0, "end": len(PROSE), "near": False} for each in range(2, 9)
        ]


def test_the_best_copy_stays_and_ranks_are_counted_anew() -> None:
    found = collapse(hits("first", PROSE, PROSE, "last"))
    assert paths(found) == ["f1.md", "f2.md", "f4.md"]
    assert [each.rank for each in found] == [1, 2, 3]
    assert [each["path"] for each in found[1].why["copies"]] == ["f3.md"]


@pytest.mark.parametrize(
    "copy",
    [
        PROSE.replace(". ", ".\n\n"),
        PROSE.replace("retention", "**retention**").upper(),
        PROSE.replace("which the collector then leaves", "which the collector leaves"),
        PROSE.replace("first, and writes", "first and writes"),
    ],
)
def test_near_copies_of_prose_are_one_hit(copy: str) -> None:
    (only,) = collapse(hits(PROSE, copy))
    assert [each["path"] for each in only.why["copies"]] == ["f2.md"]


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("quota of", "4 GB quota of"),
        ("may pin", "may not pin"),
        ("The retention", "The Berlin retention"),
        ("audit trail", "audit_trail"),
        ("every file", "every /var/log file"),
    ],
)
def test_a_number_a_name_an_identifier_or_a_negation_tells_apart(word: str, other: str) -> None:
    assert len(collapse(hits(PROSE, PROSE.replace(word, other)))) == 2


def test_a_word_of_the_query_tells_apart() -> None:
    pair = hits(PROSE, PROSE.replace("a script", "a robot"))
    assert len(collapse(pair)) == 1
    assert len(collapse(pair, ["who", "robot"])) == 2


def test_records_and_rows_that_differ_in_one_value_stay_apart() -> None:
    row = "| order | {} | shipped to the customer in the usual time by the usual carrier without any incident |"
    for kind in ("table", "text", "record", "code"):
        assert len(collapse(hits(row.format(1001), row.format(1002), row.format(1003), kind=kind))) == 3


@pytest.mark.parametrize(("one", "other"), [("a < b", "a > b"), ("x = -1", "x = 1"), ("Name", "name")])
def test_code_is_compared_sign_by_sign(one: str, other: str) -> None:
    assert len(collapse(hits(one, other, kind="code"))) == 2
    assert len(collapse(hits(one, one.replace(" ", "  \n"), kind="code"))) == 1


def test_short_and_empty_texts_are_compared_too() -> None:
    assert paths(collapse(hits("", "yes", "no", "Yes", "-5 degrees", "5 degrees"))) == [
        "f1.md",
        "f2.md",
        "f3.md",
        "f5.md",
        "f6.md",
    ]


def test_unspaced_scripts_have_near_copies_too() -> None:
    text = "今天天气很好我们一起去公园散步然后回家吃晚饭再看一会儿书最后早早地上床睡觉" * 3
    assert len(collapse(hits(text, text + "了"))) == 1
    assert len(collapse(hits(text, text[::-1]))) == 2
