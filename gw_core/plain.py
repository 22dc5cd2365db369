"""Values as plain data, as JSON that is valid whatever they hold, and as text that is safe to show."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

# What JSON itself does not escape and a reader of one line an item may take for the end of a line, what changes the
# order in which a terminal shows a line, and surrogates, which are no characters and stand for bytes of a file name
# that are not UTF-8.
_TO_ESCAPE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# What a terminal would obey rather than show.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def dumps(value: Any) -> str:
    """``value`` as JSON on one line: characters stand for themselves, a lone surrogate as ``\\udcXX``.

    >>> dumps({"path": "caf\\udce9"})
    '{"path": "caf\\\\udce9"}'
    """
    import json  # noqa: PLC0415

    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    return _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(value: Any) -> Any:
    """``value`` in the types of JSON. A number that JSON does not have becomes null, an unknown object its text."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes | bytearray):
        return [plain(one) for one in value]
    return _unusual(value)


def _unusual(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    # numpy's numbers and arrays, known by what they can do, so that numpy isn't imported for them.
    if callable(convert := getattr(value, "tolist", None)):
        return plain(convert())
    return str(value)


def printable(text: str) -> str:
    """``text`` with what would move a terminal's cursor, or change what it shows, made visible: ``\\x1b``.

    Line ends and tabs stay.
    """
    return _CONTROL.sub(_visible, text) if _CONTROL.search(text) else text


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def file_name(path: str) -> str:
    """A path on one line: line ends and other control characters made visible."""
    return printable(path).replace("\n", "\\n").replace("\t", "\\t") or "."
