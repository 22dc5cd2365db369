"""The project's own golden set, over its documentation: its judgments hold, and it is what it says it is."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import gw_core
from gw_core.bench.golden import load
from gw_core.bench.golden_check import check

TOP = Path(__file__).parents[2]
DOCS = TOP / "benchmarks" / "golden" / "docs.yaml"
ASKING = frozenset("does have many much often should what when where which with".split())


def test_every_judgment_holds() -> None:
    golden = load(DOCS)
    with gw_core.open(golden.root, env={}) as workspace:
        assert [str(one) for one in check(golden, workspace)] == []


def test_there_are_enough_questions_of_each_kind() -> None:
    golden = load(DOCS)
    counts = Counter(one.category for one in golden.questions)
    assert set(counts) == {"plain", "ambiguous", "unanswerable"}
    assert counts["plain"] >= 35
    assert counts["ambiguous"] >= 12
    assert counts["unanswerable"] >= 20
    assert all(one.abstain == (one.category == "unanswerable") for one in golden.questions)


def test_the_words_of_unanswerable_questions_do_occur() -> None:
    """A refusal of a question that shares no word with the corpus shows nothing."""
    golden = load(DOCS)
    pages = " ".join(path.read_text("utf-8") for path in sorted(golden.root.rglob("*.md"))).casefold()
    known = set(re.findall(r"\w+", pages)) - ASKING
    for question in golden.questions:
        if question.abstain:
            shared = {word for word in re.findall(r"\w+", question.text.casefold()) if len(word) > 3} & known
            assert len(shared) >= 2, (question.id, shared)
