"""The one tokenizer of gw, for documents and queries alike: text to folded tokens.

Two steps. :mod:`gw_core.text.scripts` rewrites every word that holds a character outside ASCII (accents dropped,
unspaced scripts cut into n-grams, ...), so that what is left are ASCII words and ready-made tokens. Then this module
lowers case and turns punctuation into spaces with two byte translations, and finds the few places where a word must be
cut or joined (``camelCase``, ``HTTPServer``, ``24,601``, ``user's``, ``C++``) by searching a string of character
classes; no regular expression ever walks over plain text.

:func:`fold` gives what the index is fed with; :func:`tokens` gives the same tokens with their places in the original.
Both are total: any ``str`` is accepted, lone surrogates and NUL included.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from gw_core.text.scripts import rewrite, rewrite_with_map

VERSION = "1"
"""Changes whenever :func:`fold` changes for any text: an index of another version has to be built again."""


class Token(NamedTuple):
    """One folded token; ``start`` and ``end`` are code points of the original text, ``end`` exclusive.

    Tokens that stand for the same place (a short word with and without its accents, overlapping n-grams) overlap.
    """

    text: str
    start: int
    end: int


_Edit = tuple[int, int, bytes]
"""Replace what lies from the first to the second offset of the lowered text by the bytes."""

_DIGITS = b"0123456789"
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_BEYOND = bytes(range(0x80, 0x100))


def _table(classes: dict[bytes, bytes], other: int) -> bytes:
    table = bytearray([other]) * 256
    for members, image in classes.items():
        for at, member in enumerate(members):
            table[member] = image[at % len(image)]
    return bytes(table)


_BETWEEN = "\x1e"  # parts texts that are folded together: a control character, no letter to any rule

# What the index sees: lower case, everything but letters and digits a space. Bytes beyond ASCII are letters here.
_LOWERED = _table({_LOWER: _LOWER, _UPPER: _LOWER, _DIGITS: _DIGITS, _BEYOND: _BEYOND, b"\x1e": b"\x1e"}, ord(" "))
# What some rules look at: a lower, s the letter s, A upper, 0 digit, x beyond ASCII, and what may group digits.
_CLASSES = _table(
    {_LOWER: b"a", b"s": b"s", _UPPER: b"A", _DIGITS: b"0", _BEYOND: b"x", b",_": b","},
    ord(" "),
)

# All that follow begin with one rare byte, which is found at the speed of memchr, whatever is then asked of it.
# In classes: camelCase is cut before its capital, 3Delta too, HTTPServer before the last of its capitals; URLs and PDFs
# are one word.
_CUT = re.compile(rb"A(?<=[asA0]A)(?:(?<=[as]A)|(?=a|s[asx])|(?<=0A)(?=s))")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_WORDS = re.compile("[^ ]+")
_LOWERED_CHARACTERS = {code: chr(_LOWERED[code]) for code in range(0x80)} | {ord(_BETWEEN): " "}
_BEFORE_WORD = rb"(?<![0-9A-Za-z_\x80-\xff])"
_AFTER_WORD = rb"(?![0-9A-Za-z_\x80-\xff])"
# Names made of signs, each tried only where its sign was found.
_SIGN_NAMES = re.compile(
    _BEFORE_WORD + rb"(?:(c)\+\+|([cfj])#(?!#)|((?:asp|ado|vb)?)\.net)" + _AFTER_WORD, re.IGNORECASE
)
_POSSESSIVE = re.compile(rb"'[sS](?<=[0-9A-Za-z\x80-\xff]..)(?![0-9A-Za-z'\x80-\xff])", re.DOTALL)
_PLUS = re.compile(rb"\+(?=\+)")
_SHARP = re.compile(rb"#(?<=[cfjCFJ]#)")
_NET = re.compile(rb"\.[nN][eE][tT]")
_GROUPED = re.compile(rb"(?<![0-9A-Za-z_.,\x80-\xff])[0-9]{1,3}([,_])[0-9]{3}(?:\1[0-9]{3})*(?![0-9A-Za-z_,\x80-\xff])")


def fold(text: str) -> str:
    """The tokens of ``text``, separated by white space, ready for FTS5's ``porter ascii`` and for ``str.split``."""
    return fold_all((text,))[0]


def fold_all(texts: Sequence[str]) -> list[str]:
    """:func:`fold` of each text. Many short texts at once cost half as much as one by one."""
    plain = (text.replace(_BETWEEN, " ") if _BETWEEN in text else text for text in texts)
    joined = _BETWEEN.join(text if text.isascii() else rewrite(text) for text in plain)
    raw = joined.encode("utf-8", "replace")
    lowered = raw.translate(_LOWERED)
    cuts, edits = _edits(raw)
    pieces: list[bytes] = []
    done = at = 0
    for start, end, put in edits:
        until = bisect_right(cuts, start, at)
        pieces += b" ".join(_between(lowered, [done, *cuts[at:until], start])), put
        done, at = end, bisect_left(cuts, end, until)
    pieces.append(b" ".join(_between(lowered, [done, *cuts[at:], len(lowered)])))
    lowered = b"".join(pieces)
    return lowered.decode("utf-8").split(_BETWEEN) if texts else []


def tokens(text: str) -> list[Token]:
    """The tokens of :func:`fold`, in the same order, each with its place in ``text``."""
    if text.isascii():
        rewritten = text
        starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
    else:
        rewritten, starts, ends = rewrite_with_map(text)
    # One byte a character, so that places agree: every rule treats all letters beyond ASCII alike.
    cuts, edits = _edits(_NOT_ASCII.sub("\x80", rewritten).encode("latin-1"))
    edits = _disjoint([*((cut, cut, b" ") for cut in cuts), *edits])
    lowered = rewritten.translate(_LOWERED_CHARACTERS)
    pieces: list[str] = []
    first: list[int] = []
    last: list[int] = []
    done = 0
    for start, end, put in [*edits, (len(lowered), len(lowered), b"")]:
        pieces += lowered[done:start], put.decode()
        first += starts[done:start]
        last += ends[done:start]
        if put:
            # All of it stands for what it replaces; a mere cut is a space, whose place nobody asks for.
            first += [starts[start]] * len(put)
            last += [ends[max(start, end - 1)]] * len(put)
        done = end
    lowered = "".join(pieces)
    return [Token(found.group(), first[found.start()], last[found.end() - 1]) for found in _WORDS.finditer(lowered)]


def _between(text: bytes, bounds: list[int]) -> list[bytes]:
    return [text[start:end] for start, end in pairwise(bounds)]


def _edits(raw: bytes) -> tuple[list[int], list[_Edit]]:
    """Where lowering alone is not enough: the many places where a word is cut, and the few other edits. Both ascend;
    edits are disjoint, and a cut inside of one is none."""
    classes = raw.translate(_CLASSES)
    cuts = [match.start() for match in _CUT.finditer(classes)]
    edits: list[_Edit] = [(*match.span(), b"") for match in _POSSESSIVE.finditer(raw)]
    for at in _places(classes, b"0,000"):
        begin = at
        while begin > at - 3 and classes[begin - 1 : begin] == b"0":
            begin -= 1
        if number := _GROUPED.match(raw, begin):
            edits += ((sign, sign + 1, b"") for sign in range(number.end() - 4, begin, -4))
    for at in _sign_names(raw):
        if name := _SIGN_NAMES.match(raw, at):
            edits.append((*name.span(), _spelled(name)))
    return cuts, _disjoint(edits)


def _places(text: bytes, wanted: bytes) -> list[int]:
    """Where ``wanted`` stands; of occurrences that overlap, the first. All loops are in C."""
    parts = text.split(wanted)
    if len(parts) == 1:
        return []
    width = len(wanted)
    # A sum of parts ends where the next occurrence does; behind the last there is none.
    ends = accumulate(map(width.__add__, map(len, parts)))
    return [end - width for end in ends][:-1]


def _sign_names(raw: bytes) -> Iterator[int]:
    """Where a name made of signs may begin."""
    for sign in (_PLUS, _SHARP):
        yield from (match.start() - 1 for match in sign.finditer(raw) if match.start())
    for match in _NET.finditer(raw):
        at = match.start()
        yield from (begin for begin in (at - 3, at - 2, at) if begin >= 0)


def _spelled(name: re.Match[bytes]) -> bytes:
    plus, sharp, before_net = name.groups()
    if plus:
        return b" cpp "
    if sharp:
        return b" " + sharp.lower() + b"sharp "
    return b" " + before_net.lower() + b" dotnet "


def _disjoint(edits: list[_Edit]) -> list[_Edit]:
    edits.sort()
    kept: list[_Edit] = []
    done = 0
    for edit in edits:
        if edit[0] >= done:
            kept.append(edit)
            done = edit[1]
    return kept
