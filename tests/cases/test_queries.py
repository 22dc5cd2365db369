"""What users type, and what tools of this kind make of it.

=====================================  ==================================================================
row                                    tests
=====================================  ==================================================================
syntax of FTS5                         test_what_looks_like_syntax_is_words, test_operators_are_no_operators,
                                       test_any_text_is_a_query
empty, blank, punctuation              test_a_query_without_a_word_is_one_line_and_exit_2
k: 0, negative, huge; surrogate        test_k_below_one_is_a_usage_error, test_a_k_that_is_no_number_is_a_usage_error,
                                       test_a_huge_k_returns_what_there_is, test_a_byte_that_is_no_utf_8_does_no_harm,
                                       test_questions_of_a_file_are_any_text_too
every script                           test_every_script_is_found
NFC and NFD, ß, ł                      test_other_spellings_of_a_letter_are_found
compounds, plurals, thousands          test_both_ways, test_a_list_of_numbers_is_no_number
about something the corpus lacks       test_a_question_about_something_else_is_not_answered
copies                                 test_copies_are_one_hit_and_the_order_is_total
endless queries                        test_a_query_without_end_costs_little_more
=====================================  ==================================================================
"""

from __future__ import annotations

import codecs
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gw_core
from gw_core.errors import UsageError
from gw_core.query import parse

TEXTS = {
    "agents": "We don't use agents here.",
    "cpp": "C++ is compiled ahead of time.",
    "csharp": "C# needs a runtime.",
    "dotnet": ".NET is a platform.",
    "node": "The bridge is written in node.js these days.",
    "ticket": "The ticket BENCH-100821 was closed.",
    "pair": "Set foo:bar in the settings.",
    "windows": "Copy it to C:\\Users\\xavier before midnight.",
    "percent": "Humidity is 50% at night.",
    "near": "A shop NEAR the harbour AND the river, NOT far OR close.",
    "unclosed": "The bracket was left unclosed.",
    "flag": "Compile it with -Wall and --strict.",
    "tokyo": "東京都の首都機能は千代田区にある。",
    "dongjing": "东京和北京都是首都。",
    "mixed": "重跑gen-itgc后检查结果。",
    "korean": "서울은 대한민국의 수도이다.",
    "thai": "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย",
    "khmer": "ភ្នំពេញជារាជធានីនៃប្រទេសកម្ពុជា",
    "russian": "Столица России — Москва, крупнейший город страны.",
    "greek": "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.",
    "arabic": "القاهرة هي عاصمة مصر وأكبر مدنها.",
    "hebrew": "ירושלים היא עיר עתיקה.",
    "hindi": "नई दिल्ली भारत की राजधानी है।",
    "georgian": "თბილისი საქართველოს დედაქალაქია.",
    "armenian": "Երևանը Հայաստանի մայրաքաղաքն է։",
    "vietnamese": "Hà Nội là thủ đô của Việt Nam.",
    "emoji": "The deploy went fine 🚀🎉 yesterday.",
    "composed": unicodedata.normalize("NFC", "La crème brûlée est prête."),
    "decomposed": unicodedata.normalize("NFD", "Le maïs est mûr, le café aussi."),
    "street": "Die Straße ist gesperrt.",
    "shouted": "DIE GROSSE HALLE IST OFFEN.",
    "lodz": "Łódź leży w środkowej Polsce.",
    "plain-name": "Gdansk has a port.",
    "wide": "ＦＵＬＬＷＩＤＴＨ ｌｅｔｔｅｒｓ",
    "ligature": "The ﬁrst oﬃce opened.",
    "class": "class HTTPServer handles requests",
    "function": "def getUserName(account): pass",
    "snake": "max_retry_count = 5",
    "flat": "the option getpassword is gone",
    "apart": "every host name must be unique",
    "singular": "each field has a type",
    "plural": "all vessels have masts",
    "thousands": "The fleet has 24,601 sailors.",
    "digits": "Prisoner 98765 escaped.",
    "list": "The list 1,2,3 is short.",
}


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[gw_core.Workspace]:
    root = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (root / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    with gw_core.open(root, env={"GW_CONFIG": ""}) as workspace:
        workspace.ingest([root])
        yield workspace


def found(ws: gw_core.Workspace, query: str, **options: Any) -> list[str]:
    return [one.passage.path.removesuffix(".txt") for one in ws.search(query, **options).evidence]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("don't use agents", "agents"),
        ("don’t use agents", "agents"),
        ("C++", "cpp"),
        ("c++", "cpp"),
        ("C#", "csharp"),
        (".NET", "dotnet"),
        ("node.js", "node"),
        ("BENCH-100821", "ticket"),
        ("bench 100821", "ticket"),
        ("foo:bar", "pair"),
        ("text:foo:bar", "pair"),
        ("C:\\Users\\xavier", "windows"),
        ("50%", "percent"),
        ('"unclosed', "unclosed"),
        ("'unclosed", "unclosed"),
        ("(unclosed", "unclosed"),
        ("{unclosed} OR", "unclosed"),
        ("NEAR(", "near"),
        ("NEAR(harbour river, 2)", "near"),
        ("-foo", "pair"),
        ("+foo -bar", "pair"),
        ("^foo", "pair"),
        ("foo*", "pair"),
        ("*foo", "pair"),
        ("foo^2", "pair"),
        ("foo~1", "pair"),
        ("foo + bar", "pair"),
        ("foo\tbar\r\n", "pair"),
        ("foo\0bar", "pair"),
        ("; DROP TABLE documents; -- foo", "pair"),
        ("%foo%", "pair"),
        ("/foo/", "pair"),
        ("$(foo)", "pair"),
        ("-Wall", "flag"),
        ("--strict", "flag"),
        ('"foo bar"', "pair"),
        ('foo "" bar', "pair"),
    ],
)
def test_what_looks_like_syntax_is_words(ws: gw_core.Workspace, query: str, first: str) -> None:
    assert found(ws, query)[0] == first


def test_operators_are_no_operators(ws: gw_core.Workspace) -> None:
    for word in ("AND", "OR", "NOT", "NEAR", "NEAR/3", "and", "near"):
        assert "near" in found(ws, word), word
    assert found(ws, "foo NOT foo") == found(ws, "foo not foo")
    assert set(found(ws, "foo AND ticket")) >= {"pair", "ticket"}
    assert set(found(ws, "-foo ticket")) >= {"pair", "ticket"}


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize("query", ["", " ", "\t\r\n", "?!", "...", '"', "()", "。、", "\u200b", "\u3000", "—"])
def test_a_query_without_a_word_is_one_line_and_exit_2(gw: Any, write: Any, command: str, query: str) -> None:
    write("a.txt", "A harbour.\n")
    for arguments in ([command, "--", query], [command, "--json", "--", query, "a.txt"]):
        ran = gw(*arguments)
        assert ran.code == 2
        assert "no word" in ran.failure
    assert ran.json["error"]["code"] == "usage"


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize("k", ["0", "-1", str(-(10**12)), str(-(2**63))])
def test_k_below_one_is_a_usage_error(gw: Any, write: Any, command: str, k: str) -> None:
    write("a.txt", "The harbour is closed.\n")
    ran = gw(command, "harbour", "a.txt", "-k", k, "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "usage"
    assert "x>=1" in ran.failure


@pytest.mark.parametrize("k", ["", "ten", "1.5", "1e3", "nan", "0x10", "١٢x"])
def test_a_k_that_is_no_number_is_a_usage_error(gw: Any, write: Any, k: str) -> None:
    write("a.txt", "The harbour is closed.\n")
    ran = gw("search", "harbour", "a.txt", "-k", k)
    assert ran.code == 2
    assert ran.failure


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize("k", [10**12, 2**63, 10**30])
def test_a_huge_k_returns_what_there_is(gw: Any, write: Any, command: str, k: int) -> None:
    write("a.txt", "The harbour is closed in winter.\n")
    write("b.txt", "The harbour is open in June.\n")
    ran = gw(command, "harbour closed in winter", ".", "-k", k, "--json")
    assert ran.code == 0, ran.err
    assert len(ran.json["hits" if command == "search" else "evidence"]) == 2


@pytest.mark.parametrize("query", ["\udc80 harbour", "harbour\udcff", "\udcff\udcfeharbour", "har\udc80bour harbour"])
def test_a_byte_that_is_no_utf_8_does_no_harm(gw: Any, write: Any, query: str) -> None:
    write("a.txt", "The harbour is closed.\n")
    ran = gw("search", query, "a.txt", "--json")
    assert ran.code == 0
    assert ran.paths == ["a.txt"]
    assert gw("search", query).code == 0
    assert gw("ask", query, "--json").code in (0, 3)
    assert gw("search", "\udc80").code == 2


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("东京", "dongjing"),
        ("东", "dongjing"),
        ("東京都の首都", "tokyo"),
        ("千代田", "tokyo"),
        ("수도", "korean"),
        ("대한민국", "korean"),
        ("เมืองหลวง", "thai"),
        ("เมืองหลวงของประเทศไทย", "thai"),
        ("រាជធានី", "khmer"),
        ("столица", "russian"),
        ("МОСКВА", "russian"),
        ("крупнейший город", "russian"),
        ("αθηνα", "greek"),
        ("ΠΡΩΤΕΎΟΥΣΑ", "greek"),
        ("عاصمة مصر", "arabic"),
        ("عتيقة عاصمه", "arabic"),
        ("ירושלים", "hebrew"),
        ("राजधानी", "hindi"),
        ("दिल्ली", "hindi"),
        ("დედაქალაქია", "georgian"),
        ("մայրաքաղաքն", "armenian"),
        ("thủ đô", "vietnamese"),
        ("thu do viet nam", "vietnamese"),
        ("🚀", "emoji"),
        ("🎉🚀", "emoji"),
        ("重跑gen-itgc后", "mixed"),
        ("gen-itgc", "mixed"),
        ("重跑", "mixed"),
    ],
)
def test_every_script_is_found(ws: gw_core.Workspace, query: str, first: str) -> None:
    result = ws.search(query)
    assert result.backend == "fts5"
    assert found(ws, query)[0] == first
    assert result.evidence[0].verified


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("crème", "composed"),
        (unicodedata.normalize("NFD", "crème brûlée"), "composed"),
        ("creme brulee", "composed"),
        ("CRÈME", "composed"),
        (unicodedata.normalize("NFC", "maïs"), "decomposed"),
        (unicodedata.normalize("NFD", "maïs"), "decomposed"),
        ("mais mur", "decomposed"),
        ("STRASSE", "street"),
        ("Strasse", "street"),
        ("straße", "street"),
        ("STRAẞE", "street"),
        ("große Halle", "shouted"),
        ("Lodz", "lodz"),
        ("ŁÓDŹ", "lodz"),
        ("Gdańsk", "plain-name"),
        ("fullwidth", "wide"),
        ("ｆｉｅｌｄ", "singular"),
        ("first office", "ligature"),
        ("ﬁeld", "singular"),
        ("fi\u00adeld", "singular"),
        ("\u200bfield\u200b", "singular"),
        ("\ufefffield", "singular"),
    ],
)
def test_other_spellings_of_a_letter_are_found(ws: gw_core.Workspace, query: str, first: str) -> None:
    assert found(ws, query)[0] == first


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("http server", "class"),
        ("HTTP Server", "class"),
        ("httpserver", "class"),
        ("http_server", "class"),
        ("HTTPServer", "class"),
        ("getusername", "function"),
        ("user name", "function"),
        ("get_user_name", "function"),
        ("get-user-name", "function"),
        ("getUserName", "function"),
        ("GetUserName", "function"),
        ("maxRetryCount", "snake"),
        ("max retry count", "snake"),
        ("retry", "snake"),
        ("getPassword", "flat"),
        ("hostName", "apart"),
        ("hostname", "apart"),
        ("fields", "singular"),
        ("field", "singular"),
        ("vessel", "plural"),
        ("mast", "plural"),
        ("24601", "thousands"),
        ("24,601", "thousands"),
        ("98,765", "digits"),
        ("98765", "digits"),
    ],
)
def test_both_ways(ws: gw_core.Workspace, query: str, first: str) -> None:
    assert found(ws, query)[0] == first


def test_a_list_of_numbers_is_no_number(ws: gw_core.Workspace) -> None:
    assert found(ws, "123") == []
    assert found(ws, "1,2,3")[0] == "list"
    assert "list" in found(ws, "2")


MANUAL = (
    "# Manual\n\nThis is what the service is for. It is the one that has the most of what there is to do.\n\n"
    "## Ports\n\nThe admin console listens on port 8443, which is the default of the service.\n\n"
    "## Logs\n\nAccess logs are kept for 90 days. What is older than that is deleted.\n\n"
    "## Capital letters\n\nNames of variables are written in capital letters.\n"
)


@pytest.mark.parametrize(
    "question",
    [
        "what is the capital of France?",
        "Who was the first person on the moon?",
        "how do I get from here to there?",
        "what is the meaning of it all?",
        "When is the best time to visit Japan?",
        "Wie heißt die Hauptstadt von Frankreich?",
        "法国的首都是什么？",
        "Какая столица Франции?",
    ],
)
def test_a_question_about_something_else_is_not_answered(gw: Any, write: Any, question: str) -> None:
    write("manual.md", MANUAL)
    ran = gw("ask", question, "manual.md", "--json")
    assert ran.code == 3
    assert ran.json["abstained"]
    assert ran.json["answer"] is None
    assert ran.json["reason"]
    searched = gw("search", question, "manual.md", "--json")
    assert not searched.json["confidence"]["enough"]
    assert gw("ask", "how long are access logs kept?", "--json").json["answer"]["value"] == "90 days"


def test_copies_are_one_hit_and_the_order_is_total(gw: Any, write: Any) -> None:
    for number in range(8):
        write(f"copies/{number}.txt", "The harbour is closed in winter.\n")
        write(f"others/{number}.txt", f"Ship number {number} left a harbour.\n")
    first = gw("search", "harbour", ".", "--json", "-k", "20")
    assert [path for path in first.paths if path.startswith("copies")] == ["copies/0.txt"]
    (hit,) = (hit for hit in first.json["hits"] if hit["path"] == "copies/0.txt")
    assert sorted(copy["path"] for copy in hit["why"]["copies"]) == [f"copies/{number}.txt" for number in range(1, 8)]
    assert sorted(first.paths)[1:] == [f"others/{number}.txt" for number in range(8)]
    gw("ingest", "--rebuild", "others", "copies")
    assert gw("search", "harbour", "--json", "-k", "20").paths == first.paths
    assert gw("search", "harbour", "--json", "-k", "3").paths == first.paths[:3]


@pytest.mark.parametrize("word", ["harbour ", "a", "東京", "x-", '"', "ก", "1,", "é", "fooBar", "\ud800", "C++ "])
def test_a_query_without_end_costs_little_more(ws: gw_core.Workspace, word: str) -> None:
    began = time.process_time()
    for length in (1_000, 40_000):
        try:
            ws.search(word * (length // len(word)))
        except UsageError:  # nothing but punctuation
            assert word in ('"', "\ud800")
    assert time.process_time() - began < 3


# Whatever may trip something up, in one alphabet; hypothesis mixes it with the whole of Unicode.
_PARTS = st.sampled_from(
    "AND OR NOT NEAR NEAR( ) ( \" ' * ^ + - : { } [ ] \\ / % _ ; -- \0 \n \r \t \ud800 \udfff \ufeff \u200d \u2028 "
    "foo bar field don't C++ 24,601 getUserName http_server 東京 東 ト ﾄ 수도 เมือง столица Αθήνα عاصمة दिल्ली 🚀 👩‍👩‍👧 "
    "é é ß ẞ İ ı ł ﬁ Ⅷ ² ٣ rowid rank fts5 content text".split(" ")
)
_QUERIES = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(), max_size=20),
    st.lists(_PARTS, min_size=1, max_size=12).map(" ".join),
    st.lists(_PARTS | st.text(max_size=3), min_size=1, max_size=12).map("".join),
)


@settings(max_examples=200, deadline=None)
@given(_QUERIES, st.sampled_from([1, 3, 10]))
def test_any_text_is_a_query(ws: gw_core.Workspace, query: str, k: int) -> None:
    if not parse(query).terms:
        with pytest.raises(UsageError, match="no word"):
            ws.search(query, k=k)
        return
    result = ws.search(query, k=k)
    assert len(result.evidence) <= k
    assert all(one.verified for one in result.evidence)
    scores = [one.passage.score for one in result.evidence]
    assert scores == sorted(scores, reverse=True)
    assert [one.passage.path for one in ws.search(query, k=k).evidence] == [one.passage.path for one in result.evidence]


@settings(max_examples=60, deadline=None)
@given(_QUERIES)
def test_any_text_is_a_question(ws: gw_core.Workspace, question: str) -> None:
    if not parse(question).terms:
        with pytest.raises(UsageError, match="no word"):
            ws.ask(question)
        return
    answer = ws.ask(question)
    assert answer.abstained or all(one.verified for one in answer.citations)


@settings(max_examples=40, deadline=None)
@given(st.lists(_PARTS | st.text(max_size=5), min_size=1, max_size=6).map("".join))
def test_what_a_text_says_is_found_with_its_own_words(tmp_path_factory: Any, text: str) -> None:
    root: Path = tmp_path_factory.mktemp("one")
    (root / "a.txt").write_bytes(codecs.BOM_UTF8 + text.encode("utf-8", "replace").replace(b"\0", b" "))
    with gw_core.open(root, env={"GW_CONFIG": ""}) as workspace:
        workspace.ingest([root])
        try:
            result = workspace.search(text)
        except UsageError:
            return
        assert not workspace.status().documents or result.evidence


def test_questions_of_a_file_are_any_text_too(gw: Any, write: Callable[..., Path]) -> None:
    write("a.txt", "The harbour is closed in winter.\n")
    write(
        "q.jsonl",
        b'{"id": 1, "question": "harbour \\ud800"}\n{"id": 2, "question": "NEAR("}\n'
        b'{"id": 3, "question": "\\u0000harbour\\u2028"}\n',
    )
    ran = gw("ask", "--questions", "q.jsonl", "--jsonl", "a.txt")
    assert ran.code in (0, 3)
    assert [one["id"] for one in ran.lines] == [1, 2, 3]
