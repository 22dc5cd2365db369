"""A golden set against its corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gw_core
from gw_core.bench.golden import Golden, read
from gw_core.bench.golden_check import check, corpus_paths, locate, quote_of, spans_of
from gw_core.bench.golden_entry import Problem
from gw_core.errors import UsageError
from gw_core.model import Span
from gw_core.trial import Place

LOGS = "Logs are kept\nfor 30 days.\r\n\r\nThe same. And the same.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "logs.md").write_bytes(LOGS.encode())
    (docs / ".gitignore").write_text("drafts/\n")
    (docs / "drafts").mkdir()
    (docs / "drafts" / "new.md").write_text("Soon.\n")
    (docs / ".git").mkdir()
    return docs


def golden(docs: Path, *entries: dict[str, object], name: str = "g.jsonl") -> Golden:
    path = docs.parent / name
    path.write_text("\n".join(map(json.dumps, [{"corpus": "docs"}, *entries])))
    return read(path)


def checked(docs: Path, *entries: dict[str, object]) -> list[Problem]:
    with gw_core.open(docs, env={}) as workspace:
        return check(golden(docs, *entries), workspace)


def quoting(quote: str, document: str = "logs.md", **more: object) -> dict[str, object]:
    return {"question": "how long?", "quotes": [{"document": document, "quote": quote}], **more}


def test_a_set_that_is_right_has_no_problem_and_its_quotes_have_places(docs: Path) -> None:
    one = quoting("Logs are kept for 30 days.", answer="30  days", id="a")
    assert checked(docs, one) == []
    with gw_core.open(docs, env={}) as workspace:
        place = Place("logs.md", 0, 26)
        assert locate(golden(docs, one), workspace).places == {"a": (place,)}
    assert LOGS[place.start : place.end] == "Logs are kept\nfor 30 days."


@pytest.mark.parametrize(
    ("entry", "problem", "hint"),
    [
        (quoting("Logs are lost."), "the quote 'Logs are lost.' does not stand in logs.md", "exact"),
        (quoting("logs are kept"), "stands in logs.md with other capitals only", "exact"),
        (quoting("same."), "stands 2 times in logs.md: lines 4, 4", "unique"),
        (quoting("x", "log.md"), "there is no document 'log.md' in the corpus", "did you mean 'logs.md'?"),
        (quoting("x", "zzz/logs.md"), "there is no document 'zzz/logs.md' in the corpus", "did you mean 'logs.md'?"),
        (quoting("x", "drafts/new.md"), "drafts/new.md is left out of the corpus: git ignores it", "drafts/"),
        (quoting("x", "x" * 5000), "there is no document 'xxx", "documents count from"),
        (quoting("x", "\ud800"), "there is no document '\\ud800' in the corpus", ""),
        (quoting("x", "."), "'.' is no document", ""),
        (quoting("x", "drafts"), "drafts is a folder", "name the files"),
    ],
)
def test_a_judgment_that_is_broken(docs: Path, entry: dict[str, object], problem: str, hint: str) -> None:
    if entry["quotes"][0]["document"] == "drafts":  # type: ignore[index]
        (docs / ".gitignore").unlink()
    found = checked(docs, entry)
    assert [(one.line, one.level) for one in found if problem in one.problem and hint in one.hint] == [(2, "error")]


def test_all_problems_come_in_the_order_of_their_lines(docs: Path) -> None:
    found = checked(
        docs,
        quoting("nowhere", "logs.md", id="a"),
        {"question": "no judgment"},
        quoting("x", "gone.md", id="c", question="another?"),
    )
    assert [(one.entry, one.line) for one in found] == [("a", 2), ("no judgment", 3), ("c", 4)]


def test_an_answer_that_no_quote_holds_is_a_warning(docs: Path) -> None:
    (found,) = checked(docs, quoting("for 30 days", answer=["3 days", "0 days"]))
    assert (found.level, found.problem) == ("warning", "the answer '3 days' stands in none of the quotes")
    assert checked(docs, quoting("for 30 days", answer=["3 days", "30 DAYS"])) == []


def test_quotes_are_found_in_the_text_that_a_loader_extracts(docs: Path) -> None:
    cells = [{"cell_type": "markdown", "source": ["Retention is ", "**short**."], "metadata": {}}]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (docs / "a.ipynb").write_text(json.dumps(notebook))
    assert checked(docs, quoting("Retention is **short**.", "a.ipynb")) == []


def test_a_document_without_text_is_told(docs: Path) -> None:
    (docs / "a.ipynb").write_bytes(b"{")
    (found,) = checked(docs, quoting("x", "a.ipynb"))
    assert found.problem.startswith("a.ipynb has no text: ")


def test_exact_places_come_before_those_with_other_white_space() -> None:
    assert spans_of("a b", "a  b a b") == [Span(5, 8)]
    assert spans_of("a b", "a  b a\nb") == [Span(0, 4), Span(5, 8)]
    assert spans_of("aa", "aaa") == [Span(0, 2), Span(1, 3)]
    assert spans_of(" ", "ab") == []
    assert len(spans_of("a", "a" * 1000)) == 100


@given(st.text("ab \n", min_size=1, max_size=60), st.data())
def test_a_quote_of_a_span_stands_once_and_holds_what_was_meant(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if not text[start:end].strip():
        with pytest.raises(UsageError, match="nothing to quote"):
            quote_of(text, Span(start, end))
        return
    quote = quote_of(text, Span(start, end))
    assert spans_of(quote.of(text), text) == [quote]
    assert text[start:end].strip() in quote.of(text)
    assert quote.of(text) == quote.of(text).strip()


def ingested(path: Path) -> tuple[Path, ...]:
    found = read(path)
    return corpus_paths(found.path, found.root, found.paths)


def test_a_golden_file_in_its_own_corpus_is_left_out_of_it(docs: Path) -> None:
    (docs / "ops" / "sets").mkdir(parents=True)
    for name in ("ops/a.md", "ops/sets/b.md", "ops/sets/c.md", "ops/deep.md"):
        (docs / name).write_text("text")
    path = docs / "ops" / "sets" / "g.yaml"
    path.write_text("corpus: ../..\nquestions: [{question: a, abstain: true}]")
    names = [one.relative_to(docs.resolve()).as_posix() for one in ingested(path)]
    assert names == [".gitignore", "logs.md", "ops/a.md", "ops/deep.md", "ops/sets/b.md", "ops/sets/c.md"]
    beside = docs.parent / "g.yaml"
    beside.write_text("corpus: docs\nquestions: [{question: a, abstain: true}]")
    assert ingested(beside) == ()
    beside.write_text("corpus: g.yaml\nquestions: [{question: a, abstain: true}]")
    with pytest.raises(UsageError, match="itself"):
        ingested(beside)
    (docs / ".gitignore").write_text("drafts/\ng.yaml\n")  # then it is no part of it in any case
    assert ingested(path) == ()
