"""The tokenizer: what it makes of words, and that it and its offsets never disagree."""

import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gw_core.text.fold import fold, fold_all, tokens

WORDS = {
    "HTTPServer": "http server",
    "getUserName": "get user name",
    "UTF8String v2Beta": "utf8 string v2 beta",
    "URLs and PDFs": "urls and pdfs",
    "3Delta 3Ds URLSet URLsafe APIsA xsB": "3 delta 3 ds url set ur lsafe apis a xs b",
    "snake_case kebab-case __slots__": "snake case kebab case slots",
    "24,601 1,234,567.89 1_000_000": "24601 1234567 89 1000000",
    "1,2,3 12,34 1,2345": "1 2 3 12 34 1 2345",
    "C++ C# F# .NET ASP.NET C": "cpp csharp fsharp dotnet asp dotnet c",
    "i++ c#c ## a.networks": "i c c a networks",
    "the user's users' it’s don't": "the user users it don t",
    "Straße STRASSE": "strasse strasse",
    "Łódź Lodz": "łódź lodz lodz",
    "crème": "crème creme",
    "crémerie": "cremerie",
    "Ærøskøbing Œuvre İstanbul ðing": "aeroskobing œuvre oeuvre istanbul ðing ding",
    "ÆON GRÜNER": "æon aeon gruner",
    "bố bo": "bố bo bo",
    "ﬁne ２４，６０１ m² 6½ Java™ a\u00adb": "fine 24601 m2 6 1 2 java ab",
    "Ёлка ΆΛΦΑ": "елка αλφα",
    "والكتاب كتابها المدرسة": "كتاب كتاب مدرس",
    "अनुच्छेद में १२": "अनुच्छेद में 12",
    "东京": "东 东京 京",
    "が ｶﾞ か\u3099": "が ガ が",
    "한국어": "한 한국 국 국어 어",
    "ประเทศ ไทย รถ": "ประ ระเ ะเท เทศ ไทย รถ",
    "重跑gen-itgc后": "重 重跑 跑 gen itgc 后",
    "x😀y 👍🏽": "x 😀 y 👍",
    "\x00\ud800 . ,;\x1e": "",
}


@pytest.mark.parametrize(("text", "expected"), WORDS.items())
def test_words_are_folded(text, expected):
    assert fold(text).split() == expected.split()


def test_tokens_stand_where_they_were_written():
    text = "Die Straße des HTTPServers: 24,601 Ｃ++"
    assert [(token.text, text[token.start : token.end]) for token in tokens(text)] == [
        ("die", "Die"),
        ("strasse", "Straße"),
        ("des", "des"),
        ("http", "HTTP"),
        ("servers", "Servers"),
        ("24601", "24,601"),
        ("cpp", "Ｃ++"),
    ]


def test_a_name_made_of_signs_stands_where_it_was_written():
    assert [tuple(token) for token in tokens("in C++.")] == [("in", 0, 2), ("cpp", 3, 6)]


def test_ngrams_stand_where_their_characters_are():
    assert [tuple(token) for token in tokens("a 东京")] == [("a", 0, 1), ("东", 2, 3), ("东京", 2, 4), ("京", 3, 4)]


# Letters of many scripts, marks, signs that rules look at, and whatever else there is.
LETTERS = (
    "aBcSZ019 éÉßøÆœıŁđ\u0301\u0327'’.,_-+#@\n\x1e\x00东京の。がガ한글\u1112\u1161ไทยำ\u0e31အာလက្រ\u200d\u00ad"
    "½™ﬁＡ２ｶﾞ😀🏽אبلواِ\u064bकाि\u094dЁйΆ\ud800"
)
TEXT = st.text(st.sampled_from(LETTERS) | st.characters(), max_size=40) | st.text(
    st.sampled_from("aAsS0',_+#. c"), max_size=30
)


@given(TEXT)
@example("aSp.net")
@example("1,2345,678")
@example("AAAAa0Aa")
@example("\u0344ￗￜ\uff9e")
def test_tokens_are_those_of_fold_and_lie_in_the_text(text):
    found = tokens(text)
    assert [token.text for token in found] == fold(text).split()
    assert all(0 <= token.start < token.end <= len(text) for token in found)
    assert all(first.start <= second.start for first, second in pairwise(found))


@given(TEXT)
def test_folding_what_is_folded_changes_nothing_but_accents_and_ngrams(text):
    folded = " ".join(token for token in fold(text).split() if token.isascii())
    assert fold(folded).split() == folded.split()


@given(TEXT)
def test_composed_and_decomposed_text_fold_alike(text):
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text)).split() == fold(text).split()


@given(st.lists(TEXT, max_size=5))
def test_texts_fold_together_as_they_do_alone(texts):
    assert [folded.split() for folded in fold_all(texts)] == [fold(text).split() for text in texts]


@given(TEXT)
def test_folded_text_is_safe_for_the_index(text):
    folded = fold(text)
    folded.encode("utf-8")
    assert not set(folded) & set("\"'\x00*^:()+-")
    assert folded == folded.lower() or not folded.isascii()


@pytest.mark.parametrize(
    "unit", ["a", "A", "aB", "é", "あ", "ก", "1,000", "c#", "a's", "a++", ".net", "0,", "\u0301", "a\u0301", "و", "'"]
)
def test_time_grows_with_length_only(unit):
    def spent(length):
        text = unit * (length // len(unit))
        began = time.process_time()
        fold(text)
        return time.process_time() - began

    short = min(spent(20_000) for _ in range(3))
    assert spent(160_000) < 8 * 6 * max(short, 0.0005)
