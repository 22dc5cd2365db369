"""Stems are SQLite's own, for any token."""

import apsw
from hypothesis import given
from hypothesis import strategies as st

from gw_core.text.fold import fold
from gw_core.text.stem import stems


def indexed(words):
    """The terms that an FTS5 table of these words holds, one row a word."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(body, content='', detail=full, tokenize='porter ascii')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    db.executemany("INSERT INTO t(rowid, body) VALUES (?, ?)", enumerate(words, 1))
    found = dict(db.execute("SELECT doc, term FROM v"))
    return [found[row] for row in range(1, len(words) + 1)]


def test_forms_of_a_word_share_a_stem():
    assert len(set(stems(["connect", "connected", "connecting", "connections"]))) == 1
    assert stems(["fields", "field"]) == ["field", "field"]


def test_no_words_no_stems():
    assert stems([]) == []


@given(st.lists(st.text(max_size=80), max_size=8))
def test_a_stem_is_what_the_index_holds(texts):
    words = [word for text in texts for word in fold(text).split()] + ["a" * 70 + "ing", "étudiées", "running"]
    assert stems(words) == indexed(words)


@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_text_has_one_answer_each(texts):
    answers = stems(texts)
    assert len(answers) == len(texts)
    assert stems(texts[::-1]) == answers[::-1]
