"""Reading a TOML file so that every key remembers its line.

The standard library's parser gives values without positions. :func:`key_lines` walks over source that this parser has
accepted already, so it only needs to know where a statement begins and where its value ends.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gw_core.errors import ConfigError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

Key = tuple[str, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)+")
_PART = re.compile(r"""[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*""")
_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"""+|\'\'\'.*?\'\'\'+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL)
_MAX_BYTES = 100_000
_MAX_DOTS = 100  # of a key: what the parser takes for one, of time and memory, grows with their square
_LEVELS = 5  # of a key that remembers its line
_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A parsed file: its values, and the line of each key."""

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[Key, int]

    def line(self, key: Key) -> int:
        """The line (from 1) on which ``key`` is set, or else the nearest table around it."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.lines:
                return self.lines[key[:length]]
        return 1


def read(path: Path) -> TomlFile:
    """Parse a file. Raises :class:`ConfigError` naming file and line when it can't be read or isn't TOML."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{path}: larger than {_MAX_BYTES} bytes")
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: not UTF-8", hint="save the file as UTF-8") from error
    for number, text in enumerate(source.split("\n"), 1):
        if text.count(".") > _MAX_DOTS and any(part.count(".") > _MAX_DOTS for part in text.split("=")):
            raise ConfigError(f"{path}:{number}: more than {_MAX_DOTS} dots in one key or text")
    try:
        values = tomllib.loads(source)
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, or a number of thousands of digits
        found = _POSITION.search(str(error))
        line = int(found[1]) if found and found[1] else source.count("\n") + (not source.endswith("\n"))
        raise ConfigError(f"{path}:{line}: not TOML: {_POSITION.sub('', str(error))}") from error
    return TomlFile(path, values, key_lines(source))


def parse_value(text: str) -> Any:
    """The value that ``text`` means in TOML; text that means none, such as a bare word or a date, stays as it is."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    value = parsed.get("value")
    return value if len(parsed) == 1 and isinstance(value, str | int | float | bool | list | dict) else text


def parse_key(text: str) -> Key:
    """The parts of a dotted key. Raises :class:`ValueError` for what is none."""
    parts, end = _dotted(text, 0)
    if not parts or end != len(text):
        raise ValueError(f"not a key: {text!r}")
    return parts


def key_lines(source: str) -> dict[Key, int]:
    """The line of each key and table of valid TOML; of a key given twice (in two tables of an array), the first."""
    lines: dict[Key, int] = {}
    table: Key = ()
    position, line, counted = 0, 1, 0
    while True:
        blank = _BLANK.match(source, position)
        position = blank.end() if blank else position
        if position >= len(source):
            return lines
        line += source.count("\n", counted, position)
        counted = position
        if source[position] == "[":
            brackets = 2 if source.startswith("[[", position) else 1
            table, position = _dotted(source, position + brackets)
            position += brackets
            key = table
        else:
            parts, position = _dotted(source, position)
            key = table + parts
            position = _value_end(source, position + 1)
        for length in range(1, min(len(key), _LEVELS) + 1):
            lines.setdefault(key[:length], line)


def _dotted(source: str, position: int) -> tuple[Key, int]:
    """A dotted key and where it ends."""
    parts: list[str] = []
    while True:
        found = _PART.match(source, position)
        if not found:
            return tuple(parts), position - bool(parts)  # at the dot that nothing follows
        basic, literal, bare = found.groups()
        parts.append(_unescaped(basic) if basic is not None else literal if literal is not None else bare)
        position = found.end()
        if not source.startswith(".", position):
            return tuple(parts), position
        position += 1


def _unescaped(basic: str) -> str:
    if "\\" not in basic:
        return basic
    try:
        return str(tomllib.loads(f'key = "{basic}"')["key"])
    except tomllib.TOMLDecodeError:
        return basic


def _value_end(source: str, position: int) -> int:
    """Where the value that begins at ``position`` ends: at a line end outside of strings, arrays and inline tables."""
    depth = 0
    while position < len(source):
        character = source[position]
        string = _STRING.match(source, position) if character in "\"'" else None
        if string:
            position = string.end()
            continue
        if character == "#":
            newline = source.find("\n", position)
            position = len(source) if newline < 0 else newline
            continue
        if character == "\n" and depth == 0:
            return position
        depth += (character in "[{") - (character in "]}")
        position += 1
    return position
