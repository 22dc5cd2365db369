"""Queries: what was typed becomes words, and nothing in it is an operator."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.query import parse


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("don't use agents", "don t use agents"),
        ("C++", "cpp"),
        ("node.js", "node js"),
        ("BENCH-100821", "bench 100821"),
        ("foo:bar", "foo bar"),
        (r"C:\Users\x", "c users x"),
        ("50%", "50"),
        ('"unclosed', "unclosed"),
        ("NEAR(", "near"),
        ("AND", "and"),
        ("-foo ^x x* a + b", "foo x x a b"),
        ("the the word", "the the word"),
    ],
)
def test_signs_are_no_operators(text, terms):
    assert parse(text).terms == tuple(terms.split())


@pytest.mark.parametrize("text", ["", "  \n", "?!…", "\x00", "\ud800", "--", "''"])
def test_without_a_word_there_are_no_terms(text):
    assert parse(text).terms == ()


def test_english_is_told_by_its_function_words():
    query = parse("what is the capital of France?")
    assert query.english
    assert query.content == ("capital", "france")
    assert parse("papers on flow").english
    for text in ("Was ist in der Stadt?", "log retention", "Wie heißt die erste Doctor Who-Serie?", "東京", ""):
        assert not parse(text).english, text


def test_a_query_of_function_words_is_about_them():
    assert parse("to be or not to be").content == ("to", "be", "or", "not", "to", "be")


def test_words_typed_as_one_are_a_compound():
    query = parse("call getUserName of user-name now")
    assert [query.terms[start:end] for start, end in query.compounds] == [("get", "user", "name"), ("user", "name")]
    assert query.joined["getusername"] == ("get", "user", "name")
    assert query.joined["username"] == ("user", "name")


def test_numbers_are_not_joined():
    assert parse("1,2,3 and 4").joined == {}


def test_forms_are_stems_in_english_and_beginnings_elsewhere():
    assert parse("the universities of Bern").forms["universities"] == "universities"
    assert parse("Universitäten Bern").forms == {"universitaten": "universit*", "bern": "bern*"}
    assert parse("v2 abc").forms == {"v2": "v2", "abc": "abc"}
    assert parse("รถ").forms == {"รถ": "รถ*"}
    assert parse("東京").forms == {"東": "東", "東京": "東京", "京": "京"}


@given(st.text(max_size=60))
def test_any_text_is_a_query(text):
    query = parse(text)
    assert set(query.forms) == set(query.terms)
    assert set(query.content) <= set(query.terms)
    for start, end in query.compounds:
        assert 0 <= start < end <= len(query.terms)
    assert isinstance(query.grams, bool)
    assert all(len(parts) > 1 for parts in query.joined.values())


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("where is HTTPS_PORT set", {"HTTPS_PORT": ("https", "port")}),
        ("getUserName node.js", {"getUserName": ("get", "user", "name"), "node.js": ("node", "js")}),
        ("read __init__.py", {"__init__.py": ("init", "py")}),
        ("Semaphore.__init__", {"Semaphore.__init__": ("semaphore", "init")}),
        ("user-name", {"user-name": ("user", "name")}),
        ("std::vector p->next", {"std::vector": ("std", "vector"), "p->next": ("p", "next")}),
        ("what is a two-dimensional boundary-layer", {}),
        ("why don't they, e.g. in 1984", {}),
        ("plain words", {}),
    ],
)
def test_names_are_kept_as_they_were_typed_and_prose_is_none(text, typed):
    assert parse(text).typed == typed
