"""Words beyond ASCII, rewritten for the tokenizer (:mod:`gw_core.text.fold`): letters without accents, or n-grams.

- Latin letters lose their accents (``ø đ ł ı æ œ ß`` too); a word of at most :data:`BOTH_WAYS` letters that carries
  any is written both ways, since in Vietnamese or French ``bố`` and ``bo`` are different words.
- Other alphabets are case-folded and lose marks of combining classes 10-36 and 200 and above (Hebrew and Arabic
  vowels, Greek and Cyrillic accents); marks that are letters (Indic, kana) stay.
- Arabic words lose one prefix and one suffix, as in light stemming (Larkey, Ballesteros and Connell, SIGIR 2002).
- Han, kana and Hangul runs become 1- and 2-grams; Thai, Lao, Khmer and Myanmar runs 3-grams of letter+mark clusters.
- Emoji are words of one character; every other sign is a space.

NFC and NFD, full width and half width, native and European digits come out the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from operator import add

BOTH_WAYS = 5
"""The longest accented Latin word, in letters, that is written with and without its accents."""

_Unit = tuple[str, int, int]
"""Output characters with the span, in the normalised word, that all of them stand for."""

_CJK_CHARS = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
_SEA_CHARS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf\u1000-\u103f\u104c-\u108f\u109a-\u109f\u1780-\u17d3"
    "\u17d7\u17dc\u17dd\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
)
_LATIN_CHARS = (
    "0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0300-\u036f\u1d00-\u1d25\u1d6b-\u1d77\u1d79-\u1d9a"
    "\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua787"
)
_EMOJI_CHARS = (
    "\u231a\u231b\u23e9-\u23f3\u23f8-\u23fa\u2600-\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001f3fa"
    "\U0001f400-\U0001faff"
)

_RUNS = re.compile(
    f"(?P<latin>[{_LATIN_CHARS}]+)|(?P<cjk>[{_CJK_CHARS}]+)|(?P<sea>[{_SEA_CHARS}]+)|(?P<emoji>[{_EMOJI_CHARS}])"
    f"|(?P<other>[^{_LATIN_CHARS}{_CJK_CHARS}{_SEA_CHARS}{_EMOJI_CHARS}]+)"
)
# From the first to the last ASCII letter or digit around a character beyond ASCII. The look-behind makes a search over
# a long ASCII run try only its beginning: without it the time is quadratic.
_FOREIGN = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]*[^\x00-\x7f](?:[0-9A-Za-z']|[^\x00-\x7f])*")
_CLUSTERS = re.compile(
    "[^{0}][{0}]*|[{0}]+".format(
        "".join(
            chr(code)
            for code in (*range(0xE00, 0xF00), *range(0x1000, 0x10A0), *range(0x1780, 0x17E0), *range(0xA9E0, 0xAA80))
            if unicodedata.category(chr(code))[0] == "M"
        )
    )
)
# A character and what combines with it: normalising cluster by cluster equals normalising the whole, because every
# character that can combine with the one before it is a mark, a Hangul vowel or final, or a half-width voicing mark.
_JOINERS = frozenset(map(chr, (*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC), 0xFF9E, 0xFF9F)))

_REMOVED = dict.fromkeys(map(ord, "\u00ad\u0640\u200c\u200d\u2060\ufeff"), "")
_LETTERS = {
    "ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t",
    "ŋ": "n", "ĸ": "k", "ə": "e", "ɓ": "b", "ɗ": "d", "ƒ": "f", "ƙ": "k", "ŀ": "l", "ƴ": "y", "ɨ": "i",
}  # fmt: skip
# Signs that compatibility normalisation would glue to the word before them.
_SIGNS = {ord("™"): " ", ord("℠"): " ", ord("©"): " ", ord("®"): " "}
_SIGNS.update(
    {code: f" {unicodedata.normalize('NFKC', chr(code))}" for code in (0xBC, 0xBD, 0xBE, *range(0x2150, 0x215F))}
)

_PREPARE = _REMOVED | _SIGNS

_APOSTROPHES = "\u2018\u2019\u02bb\u02bc"

_ARABIC = re.compile("[\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff]+")
_ARABIC_LETTERS = str.maketrans({"ى": "ي", "ة": "ه", "ی": "ي", "ک": "ك"})
_ARABIC_PREFIX = re.compile("^(?:(?:وال|بال|كال|فال|ال|لل)(?=..)|و(?=...))")
_ARABIC_SUFFIX = re.compile("(?<=..)(?:ها|ان|ات|ون|ين|يه|يه|ه|ي)$")


class _Table(dict[int, str]):
    """Character to its folded form, worked out when first met: for ``str.translate``."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def _fold_character(char: str) -> str:
    """One NFKC character: its letters without accents (an upper-case Latin letter stays upper case), or a space."""
    if char.isascii():
        return char
    if char in _APOSTROPHES:
        return "'"
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category in ("Cf", "Me", "Sk") or _is_accent(char):
        return ""
    return _fold_letter(char) if category[0] in "LMN" else " "


def _fold_letter(char: str) -> str:
    parts = (_LETTERS.get(part, part) for part in unicodedata.normalize("NFD", char.casefold()) if not _is_accent(part))
    folded = unicodedata.normalize("NFC", "".join(parts))
    return folded.upper() if len(folded) == 1 and folded.isascii() and char.isupper() else folded


def _is_accent(char: str) -> bool:
    combining = unicodedata.combining(char)
    return 10 <= combining <= 36 or combining >= 200 or combining == 1


_TABLE = _Table()


def rewrite(text: str) -> str:
    """``text`` with every word beyond ASCII rewritten."""
    return _FOREIGN.sub(lambda match: _rewritten(match.group()), text)


def rewrite_with_map(text: str) -> tuple[str, list[int], list[int]]:
    """:func:`rewrite`, and for each character of the result the start and end, in ``text``, of what it stands for."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def copy(start: int, end: int) -> None:
        pieces.append(text[start:end])
        starts.extend(range(start, end))
        ends.extend(range(start + 1, end + 1))

    done = 0
    for match in _FOREIGN.finditer(text):
        copy(done, match.start())
        done = match.end()
        word, word_starts, word_ends = _normalised_with_map(match.group())
        for put, start, end in _units(word):
            pieces.append(put)
            starts.extend([match.start() + word_starts[start]] * len(put))
            ends.extend([match.start() + word_ends[end - 1]] * len(put))
    copy(done, len(text))
    return "".join(pieces), starts, ends


def _rewritten(word: str) -> str:
    return _rewritten_short(word) if len(word) <= 32 else _rewrite_word(word)


def _rewrite_word(word: str) -> str:
    """All of :func:`_units` in one string; the long runs of unspaced scripts without a step in Python for each."""
    word = _normalised(word)
    pieces: list[str] = []
    for match in _RUNS.finditer(word):
        run = match.group()
        if match.lastgroup == "cjk":
            pairs = zip(run, map(add, run, run[1:]), strict=False)
            pieces.append(f" {' '.join(chain.from_iterable(pairs))} {run[-1]} ")
        elif match.lastgroup == "sea":
            clusters = _CLUSTERS.findall(run)
            grams = map("".join, zip(clusters, clusters[1:], clusters[2:], strict=False))
            pieces.append(f" {run if len(clusters) < 3 else ' '.join(grams)} ")
        else:
            pieces += (put for put, _, _ in _units_of(match))
    return "".join(pieces)


_rewritten_short = lru_cache(maxsize=1 << 14)(_rewrite_word)


def _normalised(word: str) -> str:
    return unicodedata.normalize("NFKC", word.translate(_PREPARE))


def _normalised_with_map(word: str) -> tuple[str, list[int], list[int]]:
    """:func:`_normalised`, with the span in ``word`` of what each character came from."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    for end in range(1, len(word) + 1):
        if end < len(word) and _continues(word[end]):
            continue
        piece = _normalised(word[start:end])
        pieces.append(piece)
        # Usually one for one; otherwise every character stands for the whole cluster.
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))
        start = end
    return "".join(pieces), starts, ends


def _continues(char: str) -> bool:
    """Whether normalisation may combine ``char`` with what stands before it."""
    return unicodedata.category(char)[0] == "M" or char in _JOINERS or ord(char) in _REMOVED


def _units(word: str) -> Iterator[_Unit]:
    """What a normalised word becomes, in order; separate tokens have spaces between them."""
    for match in _RUNS.finditer(word):
        yield from _units_of(match)


def _units_of(match: re.Match[str]) -> Iterator[_Unit]:
    """What one run of one script becomes."""
    start, end = match.span()
    if match.lastgroup == "latin":
        yield from _latin(match.group(), start)
    elif match.lastgroup == "cjk":
        yield from _grams([(at, at + 1) for at in range(start, end)], match.string, (1, 2))
    elif match.lastgroup == "sea":
        yield from _grams([found.span() for found in _CLUSTERS.finditer(match.string, start, end)], match.string, (3,))
    elif match.lastgroup == "emoji":
        yield f" {match.group()} ", start, end
    else:
        yield from _other(match.group(), start)


def _latin(run: str, start: int) -> Iterator[_Unit]:
    end = start + len(run)
    plain = run.translate(_TABLE)
    if len(run) <= BOTH_WAYS and not run.isascii():
        accented = run.casefold()
        if not accented.isascii():
            yield f" {accented} ", start, end
    if len(plain) != len(run) and run.isupper():
        # "Æ" is two letters now: keep it from looking like the hump of a camel.
        run = run.lower()
    for at, char in enumerate(run, start):
        if put := _TABLE[ord(char)]:
            yield put, at, at + 1


def _grams(units: list[tuple[int, int]], word: str, sizes: tuple[int, ...]) -> Iterator[_Unit]:
    """Space-separated n-grams over ``units`` (spans in ``word``), those that begin together small ones first; all of a
    run that is too short."""
    yield " ", units[0][0], units[0][1]
    if len(units) < min(sizes):
        sizes = (len(units),)
    for at, (first, _) in enumerate(units):
        for last in (units[at + size - 1][1] for size in sizes if at + size <= len(units)):
            yield word[first:last] + " ", first, last


def _other(run: str, start: int) -> Iterator[_Unit]:
    folded = [(_TABLE[ord(char)], at, at + 1) for at, char in enumerate(run, start)]
    joined = "".join([put for put, _, _ in folded])
    if not _ARABIC.search(joined):
        yield from folded
        return
    spans = [(at, end) for put, at, end in folded for _ in put]
    done = 0
    for match in _ARABIC.finditer(joined):
        yield from ((joined[at], *spans[at]) for at in range(done, match.start()))
        done = match.end()
        yield _arabic_stem(match.group()), spans[match.start()][0], spans[done - 1][1]
    yield from ((joined[at], *spans[at]) for at in range(done, len(joined)))


def _arabic_stem(word: str) -> str:
    word = _ARABIC_PREFIX.sub("", word.translate(_ARABIC_LETTERS), count=1)
    return _ARABIC_SUFFIX.sub("", word)
