from __future__ import annotations

import codecs
import io
import random
import unicodedata
import zlib
from array import array
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import LoadError
from gw_core.text.decode import ENCODINGS, HEAD_BYTES, Decoded, blocks, decode, is_binary

TEXTS = {
    "en": "“Nothing” – he said – isn’t free; the café charges £3½ for a naïve cup.\nAt 25 °C it’s worse…\n",
    "de": "Die Straße führt über die Brücke nach Köln. Älteres Öl tränkt Bäume, „sagt“ man; größere Übel gäbe es.\n",
    "fr": "Où êtes-vous allé ? À l’école, près du château, cet été ; ça coûte très cher, évidemment, même à Noël.\n",
    "pl": "Zażółć gęślą jaźń. Książka leży na półce, a źdźbło trawy rośnie obok ścieżki; wszyscy są szczęśliwi.\n",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy. Každý člověk má právo na svůj názor a těší se z něho.\n",
    "tr": "Pijamalı hasta yağız şoföre çabucak güvendi. Işık söndüğünde kimse dışarıda değildi, çünkü yağmur vardı.\n",
    "ru": "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.\n",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.\n",
    "he": "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.\n",
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا.\n",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม\n",
    "ja": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。メール〜終わり。\n",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 이성과 양심을 부여받았다.\n",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。\n",
    "zh-Hant": "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。\n",
}
LEGACY = [
    ("en", "cp1252"), ("de", "cp1252"), ("fr", "cp1252"), ("de", "cp850"), ("pl", "cp1250"), ("pl", "iso8859-2"),
    ("cs", "cp1250"), ("cs", "iso8859-2"), ("tr", "cp1254"), ("ru", "cp1251"), ("ru", "koi8-r"), ("ru", "cp866"),
    ("ru", "iso8859-5"), ("el", "cp1253"), ("he", "cp1255"), ("ar", "cp1256"), ("th", "tis-620"), ("th", "cp874"),
    ("ja", "shift_jis"), ("ja", "euc_jp"), ("ko", "euc_kr"), ("zh", "gb18030"), ("zh-Hant", "big5"),
]  # fmt: skip
UNICODE = [
    ("utf-8", b""),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", b""),
    ("utf-16-be", b""),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
    ("gb18030", "\ufeff".encode("gb18030")),
]


@pytest.mark.parametrize(("language", "encoding"), LEGACY)
def test_a_legacy_encoding_is_told_by_its_text(language: str, encoding: str) -> None:
    data = TEXTS[language].encode(encoding, "replace")
    decoded = decode(data)
    assert decoded.text == data.decode(encoding)
    assert decode(data, decoded.encoding) == decoded


@pytest.mark.parametrize(("language", "encoding"), LEGACY)
def test_a_legacy_encoding_is_told_in_a_source_file(language: str, encoding: str) -> None:
    code = "def total(items):\n    return sum(item.price for item in items)  # "
    text = code * 20 + TEXTS[language] * 3 + code * 200
    data = text.encode(encoding, "replace")
    assert decode(data).text == data.decode(encoding)


@pytest.mark.parametrize(("mark", "language"), [*product(UNICODE, TEXTS)])
def test_unicode_with_and_without_mark(mark: tuple[str, bytes], language: str) -> None:
    encoding, bom = mark
    data = bom + TEXTS[language].encode(encoding)
    decoded = decode(data)
    assert (decoded.text, decoded.encoding) == (TEXTS[language], encoding)
    assert decode(data, encoding).text == TEXTS[language]
    assert not is_binary(data)


@pytest.mark.parametrize(
    "text",
    [
        "ab", "One line without an end", "key=value\r\n" * 50, "Русский=Russian\r\nΕλληνικά=Greek\r\n" * 4,
        unicodedata.normalize("NFD", "Chúng tôi đã ở đây từ sáng sớm để chờ đợi. " * 9),
        unicodedata.normalize("NFD", "Ёлки и йод, ещё чай; третий ёжик ушёл. " * 9),
        "┌──────┐\r\n│ name │\r\n└──────┘\r\n",
        "सभी मनुष्यों को गौरव और अधिकारों के विषय में जन्मजात स्वतन्त्रता प्राप्त है। ",
        "می‌خواهم بروم. نمی‌دانم چه می‌گوید.\n", "ጤና ይስጥልኝ፡ሰላም።\n", "ဒီနေ့ ရာသီဥတု ကောင်းတယ်။\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_writing_of_any_script_is_told_without_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == Decoded(text, encoding)


def test_a_mark_in_the_middle_stays() -> None:
    assert decode("a\ufeffb".encode()).text == "a\ufeffb"
    assert decode(codecs.BOM_UTF8 * 2).text == "\ufeff"


@pytest.mark.parametrize("text", ["a\r\nb\rc\nd", "a\u2028b\fc\x85d", "no line end", "", "\n", "\r"])
def test_line_ends_are_kept(text: str) -> None:
    for encoding in ("utf-8", "utf-16-le"):
        assert decode(codecs.BOM_UTF16_LE * (encoding != "utf-8") + text.encode(encoding)).text == text


@pytest.mark.parametrize("fault", [b"\xff", b"\xe4", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"])
def test_one_bad_byte_in_utf8_leaves_the_rest_readable(fault: bytes) -> None:
    good = TEXTS["ru"].encode()
    decoded = decode(good + fault + good)
    assert decoded.encoding == "utf-8-replace"
    assert decoded.text.startswith(TEXTS["ru"])
    assert decoded.text.endswith(TEXTS["ru"])
    assert decode(good + fault + good, "utf-8-replace") == decoded


def test_one_bad_byte_in_ascii_is_a_legacy_letter() -> None:
    assert decode(b"plain text, then caf\xe9, then more\n" * 3).text.count("café") == 3


def test_one_bad_byte_in_a_legacy_encoding() -> None:
    data = (TEXTS["ja"] * 4).encode("shift_jis") + b"\xfd\n" + (TEXTS["ja"] * 4).encode("shift_jis")
    decoded = decode(data)
    assert decoded.encoding == "shift_jis-replace"
    assert decoded.text.count(TEXTS["ja"]) == 8


def test_an_extension_is_tried_before_faults_are_replaced() -> None:
    assert decode((TEXTS["ja"].replace("〜", "") * 9 + "①㈱").encode("cp932")).encoding == "cp932"
    assert decode((TEXTS["ko"] * 9 + "똠방각하").encode("cp949")).encoding == "cp949"


def test_an_accent_in_an_ascii_word_is_not_cyrillic() -> None:
    # Alone, the byte of this letter is the more frequent in Russian.
    assert decode("Kopie (mit Anhängen), zuständig: März; ä â à á\n".encode("cp1252")).encoding == "cp1252"


def test_faults_are_counted_against_characters_and_not_bytes() -> None:
    data = TEXTS["zh-Hant"].encode("big5") * 9
    assert decode(data + b"\x8f\xfe" + data).encoding == "big5-replace"


def test_a_file_cut_off_inside_a_character() -> None:
    whole = codecs.BOM_UTF16_LE + (TEXTS["zh"] * 3).encode("utf-16-le")
    assert decode(whole[:-1]).encoding == "utf-16-le-replace"
    assert decode((TEXTS["zh"] * 3).encode()[:-2]).encoding == "utf-8-replace"


@pytest.mark.parametrize(
    "data",
    [
        b"text with a \0 in it",
        b"\0",
        b"\x89PNG\r\n\x1a\n" + b"x" * 50,
        b"%PDF-1.7\nall of it is ASCII",
        b"GIF89a" + b"a" * 30,
        zlib.compress(random.Random(1).randbytes(4000)),
        random.Random(2).randbytes(4000),
        bytes(range(32)) * 4,
        b"\xff\xfe" + random.Random(3).randbytes(4000),
        (b"\x01\x00\x00\x00\x02\x00\x00\x00" * 100),
        b"\0\1\2\3" * 100,
        b"harbour\0\1\2\3" * 100,
        b"00\x19\x07",
        b"ab\0" * 100,
        b"a b\0" * 100,
        b"name\0value\0" * 100,
        array("H", range(1000, 1200)).tobytes() * 3,
        array("H", (20_000 + random.Random(at).randrange(9_000) for at in range(900))).tobytes(),
        array("f", (at / 7 for at in range(900))).tobytes(),
    ],
)
def test_what_is_not_text_is_refused(data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        decode(data)
    assert caught.value.reason in ("binary", "encoding")
    assert "\n" not in str(caught.value)


def test_text_with_a_few_controls_is_text() -> None:
    for data in (
        b"\x1b[31mred\x1b[0m\n" * 20,
        b"N\x08NA\x08A\n",
        b"page\fpage\x1a",
        b"bell\x07 once",
        "čš\x16ć imap\n".encode() * 9,
    ):
        assert decode(data).encoding == "utf-8"
        assert not is_binary(data)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"\xff", "utf-8"), (b"abc", "utf-16-le"), (b"\x81", "cp1252"), (b"x", "rot13"), (b"x", "zlib"), (b"x", "é" * 99)],
)
def test_a_stored_encoding_that_does_not_fit_is_an_error(data: bytes, encoding: str) -> None:
    with pytest.raises(LoadError) as caught:
        decode(data, encoding)
    assert caught.value.reason == "encoding"
    assert "\n" not in str(caught.value)


def test_every_encoding_is_a_codec_by_that_name() -> None:
    for name in ENCODINGS:
        assert "a".encode(name).decode(name) == "a"


def test_binary_is_told_by_the_head_alone() -> None:
    assert is_binary(b"abc\0def")
    assert is_binary(b"\x7fELF\x02\x01\x01")
    assert not is_binary(b"")
    for language in TEXTS:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            assert not is_binary((TEXTS[language] * 200).encode(encoding)[: HEAD_BYTES - 1])


def test_a_large_legacy_file_costs_what_its_decoding_costs() -> None:
    # Detection looks at a sample only: neither one endless line nor a late first letter makes it slow.
    for data in (b"x" * 3_000_000 + b"\xe9", b"\xe9t\xe9 " * 600_000, b"a\n" * 1_500_000 + b"\xe9"):
        assert decode(data).encoding == "cp1252"


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_for_good_or_refused(data: bytes) -> None:
    try:
        decoded = decode(data)
    except LoadError:
        return
    assert decode(data, decoded.encoding) == decoded


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf8_is_exact(text: str) -> None:
    decoded = decode(text.encode())
    assert (decoded.text, decoded.encoding) == (text.removeprefix("\ufeff"), "utf-8")


@given(st.sampled_from(sorted(TEXTS)), st.sampled_from([encoding for encoding, _ in UNICODE]), st.integers(1, 40))
def test_blocks_are_the_text(language: str, encoding: str, size: int) -> None:
    text = "\ufeff" + TEXTS[language]
    offset, parts = 0, []
    for start, part in blocks(io.BytesIO(text.encode(encoding)), encoding, size):
        assert start == offset
        parts.append(part)
        offset += len(part)
    assert "".join(parts) == TEXTS[language]


def test_blocks_report_what_does_not_fit() -> None:
    with pytest.raises(LoadError):
        list(blocks(io.BytesIO(b"ab\xff"), "utf-8"))
    assert "".join(part for _, part in blocks(io.BytesIO(b"ab\xff\xc3"), "utf-8-replace", 1)) == "ab\ufffd\ufffd"
