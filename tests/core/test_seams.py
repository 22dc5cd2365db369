"""What plugins hand back, checked where it comes in."""

from __future__ import annotations

import apsw
import pytest

from gw_core.errors import IndexBusyError, PluginError
from gw_core.model import ChunkSpan, Document, Identity, Match
from gw_core.query import parse
from gw_core.seams import checked_matches, checked_spans, running, searched
from gw_core.testing import Ranges

GOOD = [Match(3, 2.0), Match(1, 1.0), Match(2, 1.0)]


def test_matches_that_keep_the_contract_pass():
    assert checked_matches("x", iter(GOOD), 3) == GOOD
    assert checked_matches("x", [], 0) == []
    assert checked_matches("x", GOOD, 10**12, scope=Ranges((1, 3)), exists=set) == GOOD


@pytest.mark.parametrize(
    ("matches", "told"),
    [
        ([*GOOD, Match(4, 0.5)], "4 matches where 3 were asked for"),
        (GOOD[::-1], "not in order"),
        ([Match(2, 1.0), Match(1, 1.0)], "not in order"),
        ([Match(1, float("nan"))], "score of chunk 1 is nan"),
        ([Match(1, float("inf"))], "score of chunk 1 is inf"),
        ([Match(1, "9")], "score of chunk 1 is 9"),
        ([Match(1, 1.0), Match(1, 0.5)], "chunk 1 twice"),
        ([Match(9, 1.0)], "there is no chunk 9"),
        ([Match(5, 1.0)], "chunk 5 is outside the scope"),
        ([Match("1", 1.0)], "a match that is none"),
        ([Match(True, 1.0)], "a match that is none"),
        ([(1, 1.0)], "a match that is none"),
    ],
)
def test_matches_that_break_it_name_the_backend(matches, told):
    with pytest.raises(PluginError, match=told) as caught:
        checked_matches("theirs", matches, 3, scope=Ranges((1, 4), (9, 9)), exists=lambda ids: {1, 2, 3, 4, 5})
    assert "backend 'theirs'" in caught.value.message


class _Backend:
    def __init__(self, answer):
        self.answer = answer

    def search(self, query, k, scope=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_backend_that_raises_is_named():
    with pytest.raises(PluginError, match="backend 'theirs' failed on a search: KeyError"):
        searched("theirs", _Backend(KeyError("x")), parse("a"), 3)
    with pytest.raises(IndexBusyError):
        searched("theirs", _Backend(IndexBusyError("busy")), parse("a"), 3)
    with pytest.raises(PluginError, match="asked for"):
        searched("theirs", _Backend(GOOD), parse("a"), 1)
    with pytest.raises(PluginError, match="failed on a search: TypeError"):
        searched("theirs", _Backend(None), parse("a"), 3)
    assert searched("theirs", _Backend(GOOD), parse("a"), 3) == GOOD


class _Chunker:
    identity = Identity("theirs", "1")

    def __init__(self, *spans):
        self._spans = spans

    def spans(self, document):
        for span in self._spans:
            if isinstance(span, Exception):
                raise span
            yield ChunkSpan(*span) if isinstance(span, tuple) else span


TEXT = "ab cd  ef "


def document(text=TEXT):
    return Document("a.txt", text, "0" * 64, len(text))


@pytest.mark.parametrize(
    "spans", [[(0, 10)], [(0, 2), (3, 5), (7, 9)], [(0, 5), (3, 9)], [(0, 9), (3, 5)], [(0, 9), (0, 9)]]
)
def test_spans_that_keep_the_contract_pass(spans):
    assert [(span.start, span.end) for span in checked_spans(_Chunker(*spans), document())] == spans


def test_a_text_without_a_visible_character_needs_no_span():
    assert checked_spans(_Chunker(), document(" \n\u2028")) == []
    assert checked_spans(_Chunker(), document("")) == []


@pytest.mark.parametrize(
    ("spans", "told"),
    [
        ([], "from 0 on is in no span"),
        ([(0, 5)], "from 5 on is in no span"),
        ([(1, 9)], "between 0 and 1 is in no span"),
        ([(0, 2), (7, 9)], "between 2 and 7 is in no span"),
        ([(0, 11)], "span 0-11"),
        ([(0, 9), (9, 9)], "span 9-9"),
        ([(3, 9), (0, 3)], "between 0 and 3|span 0-3"),
        ([(0, 9), KeyError("x")], "KeyError"),
        (["ab"], "a span that is none"),
    ],
)
def test_spans_that_break_it_name_the_chunker_and_the_file(spans, told):
    with pytest.raises(PluginError, match=told) as caught:
        checked_spans(_Chunker(*spans), document())
    assert "chunker 'theirs'" in caught.value.message
    assert "'a.txt'" in caught.value.message


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise KeyError("no words")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("one\ntwo"), "ValueError: one two$"),
        (SystemExit(9), "SystemExit: 9$"),
        (SpeechlessError(), "SpeechlessError$"),
        (RecursionError(), "RecursionError$"),
    ],
)
def test_whatever_a_plugin_raises_is_one_line_that_names_it(error, told):
    with (
        pytest.raises(PluginError, match=f"backend 'x' failed on a search: {told}"),
        running("backend 'x'", "a search"),
    ):
        raise error


def test_what_is_wrong_with_the_file_is_no_plugins_fault():
    with pytest.raises(apsw.CorruptError), running("backend 'x'", "a search"):
        raise apsw.CorruptError("malformed")
    with pytest.raises(KeyboardInterrupt), running("backend 'x'", "a search"):
        raise KeyboardInterrupt
