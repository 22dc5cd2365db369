"""The words of a reduction: text to words, and settings to the one text that says them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from gw_core.annotations import is_sequence
from gw_core.lined import shown_key
from gw_core.schema import Parameter, Signature
from gw_core.sweep.checks import Given
from gw_core.tomlsource import parse_value

SLOTS = ("field", "other", "fields")
"""Settings that words without a keyword fill, one after another."""
KEYWORDS = ("by", "per", "where")
_START = re.compile(r"\S")
_PIECE = re.compile(r"""'(?P<raw>[^']*)'|"(?P<escaped>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s'"]+)""", re.DOTALL)
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_PLAIN = re.compile(r"[^\s'\"=]+")
_PLAIN_VALUE = re.compile(r"[^\s'\"]+")


@dataclass(frozen=True, slots=True)
class Word:
    """``text`` without quotes; for ``name=value`` also both. ``quoted``: no keyword and no number."""

    text: str
    quoted: bool = False
    name: str = ""
    value: str = ""


def names_in(value: Any) -> list[str]:
    """The names that a setting holds: one, a list of them, or none."""
    if isinstance(value, str):
        return [value]
    several = isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    return list(value) if several else []


def words_of(given: Given, text: str) -> list[Word]:
    """The words of a text. Raises UsageError for a quotation mark that is not closed."""
    found: list[Word] = []
    position = 0
    while (start := _START.search(text, position)) is not None:
        position = start.start()
        pieces: list[re.Match[str]] = []
        while (piece := _PIECE.match(text, position)) is not None:
            pieces.append(piece)
            position = piece.end()
        if position < len(text) and not text[position].isspace():
            raise given.error(f"reduce: a quotation mark is not closed in {shown_key(text)}")
        found.append(_word(pieces))
    return found


def _word(pieces: Sequence[re.Match[str]]) -> Word:
    text = "".join(map(_unquoted, pieces))
    if pieces[0]["bare"] is None:
        return Word(text, quoted=True)
    name, equals, _ = pieces[0]["bare"].partition("=")
    if not equals:
        return Word(text)
    return Word(text, name=name, value=text[len(name) + 1 :])


def _unquoted(piece: re.Match[str]) -> str:
    if piece["escaped"] is not None:
        return re.sub(r"\\(.)", r"\1", piece["escaped"], flags=re.DOTALL)
    return piece["bare"] or piece["raw"] or ""


def canonical(name: str, settings: Mapping[str, Any], signature: Signature) -> str:
    """The one spelling of a reduction, which parses to it again."""
    rest = dict(settings)
    parts = [_quoted(name)]
    if type(rest.get("n")) is int and 0 <= rest["n"] < 10**18:
        parts.append(str(rest.pop("n")))
    for slot in SLOTS:
        if names := names_in(rest.get(slot)):
            parts += map(_quoted, names)
            del rest[slot]
    parts += [f"{key} {_quoted(rest.pop(key))}" for key in ("by", "per") if isinstance(rest.get(key), str)]
    where = rest.pop("where", None) if isinstance(rest.get("where"), str) else None
    parts += [f"{key}={_value(rest[key], signature.settable.get(key))}" for key in sorted(rest)]
    if where is not None:
        field, _, value = where.partition("=")
        parts.append(f"where {field}={_quoted_value(value)}")
    return " ".join(parts)


def _quoted(word: str) -> str:
    """A word that is no keyword, as it stands or in quotes."""
    plain = _PLAIN.fullmatch(word) and word not in KEYWORDS and not NUMBER.fullmatch(word)
    return word if plain else _in_quotes(word)


def _quoted_value(value: str) -> str:
    return value if _PLAIN_VALUE.fullmatch(value) else _in_quotes(value)


def _in_quotes(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _value(value: Any, parameter: Parameter | None) -> str:
    """A setting as TOML that :func:`gw_core.tomlsource.parse_value` reads; text without quotes where it can."""
    is_text = isinstance(value, str) and (parameter is None or not is_sequence(parameter.annotation))
    if is_text and parse_value(value) == value:
        return _quoted_value(value)
    return _quoted_value(_toml(value))


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(str(key))} = {_toml(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, set | frozenset):
        return "[" + ", ".join(sorted(map(_toml, value))) + "]"
    text = str(value) if isinstance(value, str | PurePath) else str(getattr(value, "value", value))
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub("[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", escaped) + '"'
