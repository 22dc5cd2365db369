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
from collections.abc import Iterator
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


class _Edit(NamedTuple):
    """Replace bytes ``start`` to ``end`` of the lowered text by ``put``."""

    start: int
    end: int
    put: bytes


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


# What the index sees: lower case, everything but letters and digits a space. Bytes beyond ASCII are letters here.
_LOWERED = _table({_LOWER: _LOWER, _UPPER: _LOWER, _DIGITS: _DIGITS, _BEYOND: _BEYOND}, ord(" "))
# What the rules look at: a lower, A upper, 0 digit, x beyond ASCII, and the signs that some rule cares about.
_CLASSES = _table(
    {_LOWER: b"a", _UPPER: b"A", _DIGITS: b"0", _BEYOND: b"x", b",_": b",", b"'": b"'", b"+": b"+", b"#": b"#"},
    ord(" "),
)

_LETTER = frozenset(b"aA0x")
_IN_WORD = frozenset((b"a", b"A", b"0", b"x", b"'"))
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_WORDS = re.compile("[^ ]+")
_NET = re.compile(rb"\.net", re.IGNORECASE)
_LOWERED_CHARACTERS = {code: chr(_LOWERED[code]) for code in range(0x80)}
_SPECIAL = re.compile(
    rb"(?<![a-z0-9_\x80-\xff])(?:(c)\+\+|([cfj])#(?!#)|((?:asp|ado|vb)?)\.net)(?![a-z0-9_\x80-\xff])", re.IGNORECASE
)
_THOUSANDS = re.compile(rb"(?<![0-9a-z_.,\x80-\xff])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9a-z_,\x80-\xff])", re.IGNORECASE)
_LITERAL = re.compile(rb"(?<![0-9a-z_.,\x80-\xff])[0-9]{1,3}(?:_[0-9]{3})+(?![0-9a-z_,\x80-\xff])", re.IGNORECASE)


def fold(text: str) -> str:
    """The tokens of ``text``, separated by white space, ready for FTS5's ``porter ascii`` and for ``str.split``."""
    raw = (text if text.isascii() else rewrite(text)).encode("utf-8", "replace")
    lowered = raw.translate(_LOWERED)
    edits = _edits(raw)
    if edits:
        pieces = []
        done = 0
        for start, end, put in edits:
            pieces += lowered[done:start], put
            done = end
        pieces.append(lowered[done:])
        lowered = b"".join(pieces)
    return lowered.decode("utf-8")


def tokens(text: str) -> list[Token]:
    """The tokens of :func:`fold`, in the same order, each with its place in ``text``."""
    if text.isascii():
        rewritten = text
        starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
    else:
        rewritten, starts, ends = rewrite_with_map(text)
    # One byte a character, so that places agree: every rule treats all letters beyond ASCII alike.
    edits = _edits(_NOT_ASCII.sub("\x80", rewritten).encode("latin-1"))
    lowered = rewritten.translate(_LOWERED_CHARACTERS)
    pieces: list[str] = []
    first: list[int] = []
    last: list[int] = []
    done = 0
    for start, end, put in [*edits, _Edit(len(lowered), len(lowered), b"")]:
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


def _edits(raw: bytes) -> list[_Edit]:
    """Where lowering alone is not enough, ascending and disjoint."""
    classes = raw.translate(_CLASSES)
    found: list[_Edit] = []
    for at in _places(classes, b"aA"):
        found.append(_Edit(at + 1, at + 1, b" "))
    for at in _places(classes, b"AAa"):
        # HTTPServer is cut before its last capital; URLs and PDFs are one word.
        if raw[at + 2 : at + 3] != b"s" or classes[at + 3 : at + 4] in (b"a", b"x"):
            found.append(_Edit(at + 1, at + 1, b" "))
    for at in _places(classes, b"0Aa"):
        found.append(_Edit(at + 1, at + 1, b" "))
    for at in _places(classes, b"'a"):
        if raw[at + 1] == ord("s") and at and classes[at - 1] in _LETTER and classes[at + 2 : at + 3] not in _IN_WORD:
            found.append(_Edit(at, at + 2, b""))
    if b"0,000" in classes:
        for pattern in (_THOUSANDS, _LITERAL):
            for match in pattern.finditer(raw):
                found += (_Edit(at, at + 1, b"") for at in range(match.end() - 4, match.start(), -4))
    if b"++" in raw or b"a#" in classes or b"A#" in classes or _NET.search(raw):
        for match in _SPECIAL.finditer(raw):
            found.append(_Edit(*match.span(), _special_name(match)))
    return _disjoint(found)


def _places(classes: bytes, wanted: bytes) -> Iterator[int]:
    at = classes.find(wanted)
    while at >= 0:
        yield at
        at = classes.find(wanted, at + 1)


def _special_name(match: re.Match[bytes]) -> bytes:
    """The word for a name that is made of signs: ``cpp``, ``csharp``, ``dotnet``."""
    plus, sharp, before_net = match.groups()
    if plus:
        return b" cpp "
    if sharp:
        return b" " + sharp.lower() + b"sharp "
    return b" " + before_net.lower() + b" dotnet "


def _disjoint(edits: list[_Edit]) -> list[_Edit]:
    kept: list[_Edit] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= done:
            kept.append(edit)
            done = edit.end
    return kept
