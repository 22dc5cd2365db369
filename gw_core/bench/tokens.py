"""Sizes in tokens, by one rule that is the same everywhere and for every model: a token is four bytes of UTF-8.

``k`` is a thousand and ``m`` a million, as context sizes are written: ``64k`` are 64,000 tokens.
"""

from __future__ import annotations

import re

BYTES = 4
RULE = "one token is four bytes of UTF-8, rounded up"

_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
_SIZE = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,6}))?([km]?)", re.IGNORECASE | re.ASCII)


def of_bytes(size: int) -> int:
    """How many tokens so many bytes of UTF-8 are."""
    return -(-size // BYTES)


def utf8_size(text: str) -> int:
    """The bytes of ``text`` in UTF-8; a lone surrogate counts as the three bytes it would take."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def count(text: str) -> int:
    """The tokens of a text.

    >>> count(""), count("word"), count("words"), count("größer")
    (0, 1, 2, 2)
    """
    return of_bytes(utf8_size(text))


def parse_tokens(text: str) -> int:
    """A size as it is typed. Raises ValueError, in one line, for what is none.

    >>> parse_tokens("64k"), parse_tokens("1.5m"), parse_tokens("8000")
    (64000, 1500000, 8000)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a number of tokens: write 64k, 1.5m or 8000")
    whole, fraction, unit = found[1], found[2] or "", found[3].lower()
    scale = int("1" + "0" * len(fraction))
    tokens, rest = divmod(int(whole + fraction) * _UNITS[unit], scale)
    if rest:
        raise ValueError(f"{text!r} is not a whole number of tokens")
    if not tokens:
        raise ValueError(f"{text!r}: no tokens at all is not a size")
    return tokens


def name_of(tokens: int) -> str:
    """A size as it is written, such that :func:`parse_tokens` reads it back.

    >>> name_of(64_000), name_of(1_500_000), name_of(8_192)
    ('64k', '1.5m', '8192')
    """
    if tokens >= 1_000_000 and not tokens % 100_000:
        return f"{tokens // 1_000_000}m" if not tokens % 1_000_000 else f"{tokens / 1_000_000:.1f}m"
    return f"{tokens // 1_000}k" if tokens >= 1_000 and not tokens % 1_000 else str(tokens)
