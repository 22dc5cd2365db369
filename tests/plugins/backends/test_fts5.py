"""The FTS5 backend: every way to write a word, no ghosts, and no query that raises."""

import functools
import random

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gw_core.model import Chunk
from gw_core.query import parse
from gw_core.testing import Ranges, temporary_index
from gw_core.testing.index import make_chunks
from gw_plugins.backends.fts5 import Fts5
from gw_plugins.backends.fts5_expression import MOST_CLAUSES, quoted, segmentations

TEXTS = {
    "agents": "Please don't use agents here.",
    "cpp": "written in C++ by hand",
    "csharp": "written in C# by hand",
    "c": "written in C by hand",
    "node": "run it with node.js today",
    "bench": "see ticket BENCH-100821 for it",
    "foo": "the value foo:bar is read",
    "path": r"stored at C:\Users\x on disk",
    "tokyo": "东京 是 日本的首都",
    "tokyo-ja": "東京都の首都について",
    "thai": "ประเทศไทยเป็นประเทศในเอเชีย",
    "russian": "Столица России — Москва",
    "greek": "Η Αθήνα είναι πρωτεύουσα",
    "arabic": "قرأت الكتاب في المدرسة",
    "emoji": "deploy went well 🎉 finally",
    "mixed": "重跑gen-itgc后再看",
    "nfd": "une cre\u0300me fraiche",
    "street": "Die Straße ist lang",
    "lodz": "wir wohnen in Łódź",
    "http": "class HTTPServer handles it",
    "camel": "call getUserName first",
    "lower": "call getusername later",
    "fields": "two fields are empty",
    "number": "prisoner 24,601 escaped",
    "list": "the list 1,2,3 is short",
    "slots": "define __slots__ there",
    "email": "send an e-mail soon",
}
IDS = {name: number for number, name in enumerate(TEXTS, 1)}


@pytest.fixture(scope="module")
def backend():
    with temporary_index() as index:
        backend = Fts5(index)
        with index.connection:
            backend.add(make_chunks(TEXTS.values()))
        yield backend


def found(backend, text, k=50, scope=None):
    return [match.chunk_id for match in backend.search(parse(text), k, scope)]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("don't use agents", "agents"),
        ("C++", "cpp"),
        ("C#", "csharp"),
        ("node.js", "node"),
        ("nodejs", "node"),
        ("BENCH-100821", "bench"),
        ("foo:bar", "foo"),
        (r"C:\Users\x", "path"),
        ('"agents', "agents"),
        ("-agents", "agents"),
        ("agents*", "agents"),
        ("^agents", "agents"),
        ("东京", "tokyo"),
        ("東京都の首都", "tokyo-ja"),
        ("ประเทศไทย", "thai"),
        ("москва", "russian"),
        ("ΑΘΗΝΑ", "greek"),
        ("كتاب", "arabic"),
        ("🎉", "emoji"),
        ("重跑gen-itgc后", "mixed"),
        ("crème", "nfd"),
        ("STRASSE", "street"),
        ("Lodz", "lodz"),
        ("łódź", "lodz"),
        ("http server", "http"),
        ("httpserver", "http"),
        ("HTTPServer", "http"),
        ("getusername", "camel"),
        ("getUserName", "camel"),
        ("user name", "camel"),
        ("getUserName", "lower"),
        ("field", "fields"),
        ("24601", "number"),
        ("24,601", "number"),
        ("__slots__", "slots"),
        ("slots", "slots"),
        ("email", "email"),
    ],
)
def test_a_word_is_found_however_it_is_written(backend, query, name):
    assert IDS[name] in found(backend, query)


@pytest.mark.parametrize(
    ("query", "name"), [("123", "list"), ("C++", "c"), ("C#", "c"), ("C++", "csharp"), ("C", "cpp")]
)
def test_other_things_are_not_found(backend, query, name):
    assert IDS[name] not in found(backend, query)


@pytest.mark.parametrize(
    "query", ["", "  ", "?!", "\x00", "\ud800", "50%", "NEAR(", "AND", "OR NOT", "a + b", "{x} : y"]
)
def test_odd_queries_are_plain_words(backend, query):
    for match in backend.search(parse(query), 10):
        assert match.why["bm25"] >= 0


class Memory:
    """An index without a file."""

    prefix = "memory_"

    def __init__(self):
        self.connection = apsw.Connection(":memory:")


@functools.cache
def in_memory():
    backend = Fts5(Memory())
    backend.add(make_chunks(TEXTS.values()))
    return backend


@settings(deadline=None)
@given(st.text(max_size=60) | st.text(st.sampled_from('"*^:()+-{}.\\ANDORTéあก\ud800\x00 '), max_size=40))
def test_no_query_raises(text):
    query = parse(text)
    in_memory().search(query, 5)
    in_memory().df(list(query.forms.values()))


def test_a_very_long_query_is_cut_to_its_rarest_words(backend):
    words = [f"w{number}" for number in range(3 * MOST_CLAUSES)]
    assert IDS["slots"] in found(backend, " ".join([*words, "slots", *["by hand"] * 500]))


def test_many_ranges_and_few_give_the_same(backend):
    some = [number for number in range(1, len(TEXTS) + 1) if number % 2]
    wanted = [number for number in found(backend, "written by hand") if number in some]
    assert wanted
    assert found(backend, "written by hand", scope=Ranges(*((one, one) for one in some))) == wanted
    assert found(backend, "written by hand", scope=Ranges((1, 2**62))) == found(backend, "written by hand")


def test_df_counts_stems_beginnings_and_compounds(backend):
    assert backend.df(["field", "fields", "writ*", "zzz*", "qqqqqq"]) == [1, 1, 3, 0, 0]
    assert backend.df(["httpserver"]) == [1]
    assert backend.df(["getusername"]) == [2]


def test_replaced_and_removed_chunks_leave_no_ghost():
    draw = random.Random(7)
    words = [f"word{number}" for number in range(60)]

    def text():
        return " ".join(draw.choices(words, k=30))

    current = dict(enumerate((text() for _ in range(300)), 1))
    with temporary_index() as index, temporary_index() as other:
        backend = Fts5(index)
        for start in range(0, 300, 50):
            with index.connection:
                backend.add(Chunk(key, "a", 0, 1, current[key]) for key in range(start + 1, start + 51))
        for step in range(12):
            changed = draw.sample(sorted(current), 20)
            gone = draw.sample(sorted(set(current) - set(changed)), 5)
            current |= {key: text() for key in changed}
            for key in gone:
                del current[key]
            with index.connection:
                backend.add(Chunk(key, "a", 0, 1, current[key]) for key in changed)
                backend.remove(gone)
                if step % 3 == 0:
                    backend.maintain()
        fresh = Fts5(other)
        with other.connection:
            fresh.add(Chunk(key, "a", 0, 1, value) for key, value in sorted(current.items()))
        for word in words:
            query = parse(f"{word} {draw.choice(words)}")
            assert backend.df([word]) == fresh.df([word])
            mine, theirs = backend.search(query, 300), fresh.search(query, 300)
            assert [one.chunk_id for one in mine] == [one.chunk_id for one in theirs]
            assert [one.score for one in mine] == pytest.approx([one.score for one in theirs])


def test_maintenance_keeps_segments_few():
    with temporary_index() as index:
        backend = Fts5(index)
        for number in range(40):
            with index.connection:
                backend.add(make_chunks([f"text number {number}"], first=number + 1))
                backend.maintain()
        table = f"{index.prefix}text_idx"
        segments = index.connection.execute(f"SELECT count(DISTINCT segid) FROM {table}").get
        assert segments <= 8


def test_pruning_keeps_the_rare_words():
    texts = ["common words stand in every text"] * 60 + ["common words and one rare zebra"]
    with temporary_index() as index:
        backend = Fts5(index, prune_above=10, budget=0.4)
        with index.connection:
            backend.add(make_chunks(texts))
        assert found(backend, "common zebra") == [61]
        assert len(found(backend, "common")) == 50


def test_segmentations_come_few_and_even_first():
    known = {"get", "user", "name", "username", "getuser", "us", "er"}
    assert list(segmentations("getusername", known))[:3] == [
        ("getuser", "name"),
        ("get", "username"),
        ("get", "user", "name"),
    ]


def test_quoting_is_safe_for_any_text():
    assert quoted(['a"b', "c\x00\ud800"]) == '"a b c  "'


def test_a_name_is_found_among_many_chunks_that_have_its_parts_more_often():
    texts = ["port word https word " * 8] * 60 + ["word " * 60 + "HTTPS_PORT = 443"]
    with temporary_index() as index:
        backend = Fts5(index)
        with index.connection:
            backend.add(make_chunks(texts))
        assert found(backend, "HTTPS_PORT", k=50)[0] == len(texts)
