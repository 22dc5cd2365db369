"""Guess a legacy encoding from bytes that are neither UTF-8 nor UTF-16.

Two measures, both over a sample of the lines that hold bytes above 0x7F:

* Multi-byte encodings (Shift-JIS, EUC-JP, EUC-KR, Big5, GB18030) by the share of two-byte characters that fall into
  the rows where each standard keeps what is in daily use. Chance hits in other encodings stand alone between ASCII
  letters, so only characters that have a neighbour of their own kind count.
* Single-byte encodings by the likelihood of the bytes under each of its languages: letters by their rank in that
  language (Zipf), punctuation apart, and everything else very unlikely.

The result is a ranking; the caller takes the first that decodes the whole file.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

SAMPLE_BYTES = 48 * 1024
_LINE_BYTES = 4096
_HIGH = re.compile(rb"[\x80-\xff]")


_FALLBACKS = ("cp1252", "iso8859-1")  # the second reads any byte


def guesses(data: bytes) -> Iterator[tuple[str, ...]]:
    """Names of encodings that ``data`` may be in, likeliest first; the last one decodes anything.

    Those that stand together are one standard and its extensions. Linear in ``data`` up to where ``SAMPLE_BYTES`` of
    interesting lines are found.
    """
    sample = b"\n".join(_interesting_lines(data))
    yield from _multi_byte(sample)
    yield from ((encoding,) for encoding in _single_byte(sample))
    yield _FALLBACKS


def _interesting_lines(data: bytes) -> Iterator[bytes]:
    """Lines, or parts of long ones, that hold a byte above 0x7F, until there are enough of them."""
    position, total = 0, 0
    while total < SAMPLE_BYTES and (found := _HIGH.search(data, position)):
        high = found.start()
        start = max(position, high - 64, data.rfind(b"\n", position, high) + 1)
        end = data.find(b"\n", high, high + _LINE_BYTES)
        if end < 0:
            end = min(len(data), high + _LINE_BYTES)
            # Cut behind a character that no multi-byte encoding uses as a second byte, if there is one.
            space = data.rfind(b" ", high, end)
            end = space if space > high else end
        yield data[start:end]
        total += end - start
        position = end


# --- multi-byte -------------------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """``pair``: a two-byte character; ``daily``: the ones in daily use; ``kana``: what Japanese can't do without."""

    encodings: tuple[str, ...]
    pair: bytes
    daily: bytes
    kana: bytes = b""


# Wider encodings follow the standard they extend, for files that need them.
_MULTI_BYTE = (
    _Rows(("euc_jp",), rb"[\xa1-\xfe][\xa1-\xfe]", rb"[\xa1\xa3-\xa5\xb0-\xcf][\xa1-\xfe]", rb"[\xa4\xa5][\xa1-\xfe]"),
    _Rows(
        ("shift_jis", "cp932"),
        rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]",
        rb"[\x81\x83\x89-\x97][\x40-\x7e\x80-\xfc]|\x82[\x4f-\xf1]|\x88[\x9f-\xfc]|\x98[\x40-\x72]",
        rb"\x82[\x9f-\xf1]|\x83[\x40-\x96]",
    ),
    _Rows(("euc_kr", "cp949"), rb"[\x81-\xfe][\x41-\x5a\x61-\x7a\x81-\xfe]", rb"[\xa1\xa3\xb0-\xc8][\xa1-\xfe]"),
    _Rows(
        ("big5", "cp950", "big5hkscs"),
        rb"[\x81-\xfe][\x40-\x7e\xa1-\xfe]",
        rb"[\xa1\xa4-\xc5][\x40-\x7e\xa1-\xfe]|\xa2[\xaf-\xfe]|\xc6[\x40-\x7e]",
    ),
    _Rows(("gb18030",), rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]", rb"[\xa1\xa3\xb0-\xd7][\xa1-\xfe]"),
)
_LEAST_SHARE = 0.8
_LEAST_KANA = 0.1
_MOSTLY_HANGUL = 0.95


def _multi_byte(sample: bytes) -> list[tuple[str, ...]]:
    found = []
    for rows in _MULTI_BYTE:
        share = _share_in_use(sample, rows)
        # Every row of Hangul is a row of daily Chinese as well, but Chinese never keeps to those.
        if share >= (_MOSTLY_HANGUL if rows.encodings[0] == "euc_kr" else _LEAST_SHARE):
            found.append((share, rows.encodings))
    found.sort(key=lambda item: -round(item[0], 2))
    return [encodings for _, encodings in found]


def _share_in_use(sample: bytes, rows: _Rows) -> float:
    """The share of non-ASCII characters that are in daily use; 0 where they don't look like words of this kind."""
    pairs: Counter[bytes] = Counter()
    alone = 0
    for run in re.finditer(b"(?:%s)+" % rows.pair, sample):
        if len(run[0]) == 2:
            alone += 1
        # Pairs are found again one by one, so that a match can't begin at a second byte.
        pairs.update(re.findall(rows.pair, run[0]))
    strays = len(_HIGH.findall(re.sub(rows.pair, b"", sample)))
    total = pairs.total()
    if alone > 0.3 * total or not total:
        return 0.0
    if rows.kana and _count(pairs, rows.kana) < _LEAST_KANA * total:
        return 0.0
    return _count(pairs, rows.daily) / (total + strays)


def _count(pairs: Counter[bytes], pattern: bytes) -> int:
    match = re.compile(pattern).match
    return sum(count for pair, count in pairs.items() if match(pair))


# --- single-byte ------------------------------------------------------------------------------------------------------

# Letters outside ASCII from the most to the least frequent.
_LETTERS = {
    "ca": "àéèóíòçïúü·",
    "cs": "íáěéřčýžšůúňťóď",
    "da": "øåæé",
    "de": "üäößé",
    "el": "αοιετσνρηςπκμλυάίήόέθδωγχύώφξβζψϊϋΐ",
    "en": "éüñöèáíçïâ",
    "es": "óíáéñúü",
    "et": "äõüöšž",
    "fr": "éèàêçôâîûùëïœ",
    "he": "יוהלאתרמשנבכקדםעחפטןגסצזךףץ",
    "hr": "čšžćđ",
    "hu": "áéóöőíüúű",
    "is": "íáðóéúæþöý",
    "it": "èàùòéì",
    "lt": "ėųšžįąčūę",
    "lv": "āīēšūņļžčģķ",
    "nl": "ëéïèöü",
    "pl": "łęąóżśćńź",
    "pt": "ãçáéíóêõâúàô",
    "ro": "ăîţâş",
    "sk": "áíčšýžéľúťňôďäóřĺŕ",
    "sv": "äåöé",
    "tr": "ıüşğçö",
    "ar": "اليمنرتبودعةسهفحقكجشصأطخىءإضزذثغئظآؤ",
    "bg": "аиоетнрсвлкдпмзяъугбчщйцжшхюфь",
    "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "th": "านรอกเงมยล่วดท้ต์สิะปบคหัีแจพุใขูไำโซชศถผภษึธืญณฐฎ็ฟฉฏฆฬฤๆ",
    "uk": "оанивіетрслкдумпязьбгйчхцюжєїщшфґ",
}
_WEST = ("en", "fr", "de", "es", "pt", "it", "sv", "da", "is", "nl", "ca", "et")
_CENTRAL = ("pl", "cs", "sk", "hu", "ro", "hr")
_CYRILLIC = ("ru", "uk", "bg")

# In order of preference where two read a file alike.
_SINGLE_BYTE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cp1252", _WEST),
    ("cp1251", _CYRILLIC),
    ("koi8-r", ("ru", "bg")),
    ("koi8-u", ("uk",)),
    ("cp866", ("ru", "bg")),
    ("iso8859-5", _CYRILLIC),
    ("tis-620", ("th",)),
    ("cp874", ("th",)),
    ("cp1253", ("el",)),
    ("iso8859-7", ("el",)),
    ("cp1255", ("he",)),
    ("cp1256", ("ar",)),
    ("iso8859-6", ("ar",)),
    ("cp1250", _CENTRAL),
    ("iso8859-2", _CENTRAL),
    ("cp1254", ("tr",)),
    ("cp1257", ("lt", "lv")),
    ("cp850", ("de", "fr", "es", "pt", "it", "sv", "da", "nl")),
)
_PUNCTUATION = "’“”–—‘…«»„•\u00a0€°§·©®£²³½¼¾×±´¡¿ºª™†µ"
_PREFERENCE = 2.0  # nats that cp1252 has ahead of the others: a handful of odd bytes must not make a file Turkish
_UNLIKELY = -8.0  # mean per byte, under which nothing is said; right guesses lie between -1 and -5
_NEVER = math.log(1e-6)
_ODD_LETTER = math.log(3e-4)


def _single_byte(sample: bytes) -> list[str]:
    tally, is_latin = _tally(sample)
    total = tally.total()
    scores = []
    for encoding, languages in _SINGLE_BYTE:
        if is_latin and min(_LETTERS[languages[0]]) > "\u0250":
            continue
        best = max(
            sum(count * table[byte - 128][inside] for (byte, inside), count in tally.items())
            for table in (_likelihoods(encoding, language) for language in languages)
        )
        if best > _UNLIKELY * total:
            scores.append((best + (_PREFERENCE if encoding == "cp1252" else 0.0), encoding))
    return [encoding for _, encoding in sorted(scores, key=lambda item: -item[0])]


def _tally(sample: bytes) -> tuple[Counter[tuple[int, bool]], bool]:
    """How often each byte above 0x7F occurs, inside a word (a letter or a high byte on both sides) or not; and whether
    these bytes belong to words of ASCII letters more often than to words of their own, as no other script's do."""
    letters = bytes(2 if byte >= 128 else chr(byte).isalpha() for byte in range(256))
    flags = b"\0" + sample.translate(letters) + b"\0"
    tally: Counter[tuple[int, bool]] = Counter()
    mixed = own = 0
    for found in _HIGH.finditer(sample):
        before, after = flags[found.start()], flags[found.start() + 2]
        tally[sample[found.start()], bool(before and after)] += 1
        mixed += before == 1 or after == 1
        own += before == 2 and after == 2
    return tally, mixed > own


@cache
def _likelihoods(encoding: str, language: str) -> list[tuple[float, float]]:
    """For the bytes 0x80 to 0xFF: the log-likelihood outside and inside a word."""
    letters = _LETTERS[language]
    spoken_of = 0.25 if language == "en" else 0.85  # English uses bytes above 0x7F mostly for punctuation
    weight = {letter: 1 / (rank + 2) for rank, letter in enumerate(letters)}
    total = sum(weight.values())
    punctuation = {mark: 1 / (rank + 3) for rank, mark in enumerate(_PUNCTUATION)}
    punctuation_total = sum(punctuation.values())
    table = []
    for byte in range(128, 256):
        char = bytes([byte]).decode(encoding, "replace")
        if char in weight:
            value = math.log(spoken_of * weight[char] / total)
            table.append((value - 1.0, value))
        elif char.lower() in weight:
            value = math.log(0.08 * spoken_of * weight[char.lower()] / total)
            table.append((value, value - 1.5))
        elif char in punctuation:
            value = math.log((0.95 - spoken_of) * punctuation[char] / punctuation_total)
            table.append((value, value if char == "’" else value - 3.0))
        else:
            value = _ODD_LETTER if char.isalpha() and not char.isascii() and ord(char) < 0x250 else _NEVER
            table.append((value, value))
    return table
