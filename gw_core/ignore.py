"""git's ignore patterns, byte for byte: what gitignore(5) says, and what git's wildmatch does where the page is silent.

Names are bytes, as git's are, so that a name which is not UTF-8 matches as git would match it. A pattern becomes a
list of tokens, and all patterns of one file become one regular expression, tried from the last line to the first, as
the last match decides. Patterns with many stars could make a regular expression backtrack for minutes; those run as
a bit-parallel automaton instead, in time linear in the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

_STAR, _ANY, _DEEP = -1, -2, -3
"""Tokens that repeat: ``[^/]*``, ``.*`` and ``(.*/)?``. Any other token is a set of bytes, as the bits of an int."""
_ALL = (1 << 256) - 1
_SLASH = 1 << 0x2F
_STARS_FOR_REGEX = 2
_LONGEST = 4096  # bytes of a pattern; no path is longer
_CLASSES = {
    b"alnum": rb"[0-9A-Za-z]",
    b"alpha": rb"[A-Za-z]",
    b"blank": rb"[ \t]",
    b"cntrl": rb"[\x00-\x1f\x7f]",
    b"digit": rb"[0-9]",
    b"graph": rb"[!-~]",
    b"lower": rb"[a-z]",
    b"print": rb"[ -~]",
    b"punct": rb"[!-/:-@\[-`{-~]",
    b"space": rb"[ \t-\r]",
    b"upper": rb"[A-Z]",
    b"xdigit": rb"[0-9A-Fa-f]",
}
_POSIX = {
    name: sum(1 << member for member in range(256) if re.match(pattern, bytes((member,))))
    for name, pattern in _CLASSES.items()
}
Tokens = Sequence[int]
Match = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file. ``line`` counts from 1; ``keeps`` for a line that begins with ``!``."""

    pattern: str
    line: int
    source: str
    keeps: bool

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.pattern}" if self.line else f"{self.pattern} ({self.source})"


class Rules:
    """The patterns of one ignore file, in force below one folder.

    ``base`` is that folder's absolute path; ``source`` names the file in messages.
    """

    def __init__(self, lines: Iterable[bytes], base: bytes, source: str) -> None:
        self._cut = len(base.rstrip(b"/")) + 1
        parsed = [item for number, line in enumerate(lines, 1) if (item := _parse(line, number, source))]
        self._folders = _Matcher(parsed)
        self._files = _Matcher([item for item in parsed if not item.folders_only])

    @classmethod
    def from_bytes(cls, data: bytes, base: bytes, source: str) -> Rules:
        """The content of a .gitignore: a BOM and carriage returns before line feeds don't count, as with git."""
        return cls(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), base, source)

    def match(self, path: bytes, name: bytes, folder: bool) -> Rule | None:
        """The last rule that matches the absolute ``path``, whose last part is ``name``.

        Only the path itself is looked at: below a folder that is left out nothing is ever asked.
        """
        return (self._folders if folder else self._files).last(name, path, self._cut)


@dataclass(frozen=True, slots=True)
class _Parsed:
    rule: Rule
    tokens: Tokens
    whole_path: bool
    folders_only: bool


class _Matcher:
    """Rules of one kind, compiled: plain names and ``*.suffix`` in dicts, the rest in two regular expressions."""

    def __init__(self, parsed: Sequence[_Parsed]) -> None:
        self._rules = [item.rule for item in parsed]
        self._names: dict[bytes, int] = {}
        self._suffixes: dict[bytes, int] = {}
        name_patterns: list[tuple[int, Tokens]] = []
        path_patterns: list[tuple[int, Tokens]] = []
        for number, item in enumerate(parsed):
            plain = _plain(item.tokens)
            if item.whole_path:
                path_patterns.append((number, item.tokens))
            elif plain is not None:
                self._names[plain] = number
            elif (suffix := _suffix(item.tokens)) is not None:
                self._suffixes[suffix] = number
            else:
                name_patterns.append((number, item.tokens))
        self._by_name = _last_of(name_patterns)
        self._by_path = _last_of(path_patterns)

    def last(self, name: bytes, path: bytes, cut: int) -> Rule | None:
        best = self._names.get(name, -1)
        if self._suffixes:
            best = max(best, self._suffixes.get(name.rpartition(b".")[2], -1) if b"." in name else -1)
        if self._by_name:
            best = max(best, self._by_name(name))
        if self._by_path:
            best = max(best, self._by_path(path[cut:]))
        return self._rules[best] if best >= 0 else None


def _parse(line: bytes, number: int, source: str) -> _Parsed | None:
    line = line.removesuffix(b"\r").partition(b"\0")[0]
    if not line or line.startswith(b"#") or len(line) > _LONGEST:
        return None
    pattern = shown = _without_trailing_spaces(line)
    keeps = pattern.startswith(b"!")
    if keeps:
        pattern = pattern[1:]
    folders_only = pattern.endswith(b"/")
    if folders_only:
        pattern = pattern[:-1]
    whole_path = b"/" in pattern
    tokens = _tokens(pattern.removeprefix(b"/"), whole_path) if pattern else None
    if tokens is None:
        return None
    rule = Rule(shown.decode("utf-8", "surrogateescape"), number, source, keeps)
    return _Parsed(rule, tokens, whole_path, folders_only)


def _without_trailing_spaces(line: bytes) -> bytes:
    """Spaces at the end go, unless a backslash holds the first of them."""
    end = len(line)
    while end and line[end - 1] == 0x20:
        end -= 1
    if end == len(line):
        return line
    slashes = end - len(line[:end].rstrip(b"\\"))
    return line[: end + slashes % 2]


def _tokens(pattern: bytes, whole_path: bool) -> Tokens | None:
    """``pattern`` as tokens, or None where git's wildmatch can never match (an open bracket, a last backslash)."""
    tokens: list[int] = []
    at = 0
    # git compares what stands before the first wildcard as it is and starts matching there, so that "a**/b" has
    # its stars at a beginning.
    first_wild = next((i for i, byte in enumerate(pattern) if byte in b"*?[\\"), len(pattern))
    while at < len(pattern):
        byte = pattern[at]
        if byte == 0x2A:
            at = _star(pattern, at, first_wild, whole_path, tokens)
        elif byte == 0x3F:
            tokens.append(_ALL & ~_SLASH)
            at += 1
        elif byte == 0x5B:
            bracket = _bracket(pattern, at)
            if bracket is None:
                return None
            at, members = bracket
            tokens.append(members & ~_SLASH)
        else:
            if byte == 0x5C:
                at += 1
                if at == len(pattern):
                    return None
            tokens.append(1 << pattern[at])
            at += 1
    return tokens


def _star(pattern: bytes, at: int, first_wild: int, whole_path: bool, tokens: list[int]) -> int:
    end = at
    while end < len(pattern) and pattern[end] == 0x2A:
        end += 1
    if not whole_path:
        tokens.append(_STAR)
        return end
    opens = at == first_wild or pattern[at - 1] == 0x2F
    rest = pattern[end : end + 2]
    if end - at < 2 or not opens or not (not rest or rest[:1] == b"/" or rest == b"\\/"):
        tokens.append(_STAR)
        return end
    if rest[:1] == b"/":
        if tokens[-1:] != [_DEEP]:  # twice is the same as once
            tokens.append(_DEEP)
        return end + 1
    tokens.append(_ANY)
    return end


def _bracket(pattern: bytes, at: int) -> tuple[int, int] | None:
    """The end and the members of the set that opens at ``at``, read as wildmatch.c reads it: ``[a-z]``, ``[!a]``,
    ``[]a]``, ``[[:digit:]_]``; None if it isn't closed."""
    at += 1
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members, previous, first = 0, 0, at
    while at < len(pattern):
        byte = pattern[at]
        if byte == 0x5D and at > first:
            return at + 1, (_ALL & ~members if negated else members)
        if pattern[at : at + 2] == b"[:" and (close := _posix_end(pattern, at)) != at:
            name = pattern[at + 2 : close - 1]
            if name not in _POSIX:
                return None
            members |= _POSIX[name]
            at, previous = close + 1, 0
            continue
        ranged = byte == 0x2D and previous and pattern[at + 1 : at + 2] not in (b"", b"]")
        at += bool(ranged)
        at += pattern[at : at + 1] == b"\\"
        if at >= len(pattern):
            return None
        low, high = previous if ranged else pattern[at], pattern[at]
        members |= (1 << high + 1) - (1 << low) if low <= high else 0
        previous = 0 if ranged else pattern[at]
        at += 1
    return None


def _posix_end(pattern: bytes, at: int) -> int:
    """Where ``[:name:]`` that begins at ``at`` has its last bracket, or ``at`` if this is an ordinary ``[``."""
    close = pattern.find(b"]", at + 2)
    return close if close > at + 2 and pattern[close - 1] == 0x3A else at


def _plain(tokens: Tokens) -> bytes | None:
    """The one name that these tokens match, if it is only one."""
    if any(token < 0 or token.bit_count() != 1 for token in tokens):
        return None
    return bytes(token.bit_length() - 1 for token in tokens)


def _suffix(tokens: Tokens) -> bytes | None:
    """``ext`` for ``*.ext``."""
    if len(tokens) < 2 or tokens[0] != _STAR or tokens[1] != 1 << 0x2E:
        return None
    plain = _plain(tokens[2:])
    return None if plain is None or b"." in plain else plain


def _last_of(patterns: Sequence[tuple[int, Tokens]]) -> Callable[[bytes], int] | None:
    """A function from a name to the highest number among the patterns that match it, or -1."""
    if not patterns:
        return None
    easy = [(number, tokens) for number, tokens in patterns if _stars(tokens) <= _STARS_FOR_REGEX]
    hard = [(number, automaton(tokens)) for number, tokens in patterns if _stars(tokens) > _STARS_FOR_REGEX]
    numbers = [-1, *(number for number, _ in reversed(easy))]
    whole = b"|".join(b"(" + _regex(tokens) + b")" for _, tokens in reversed(easy))
    match = re.compile(whole, re.DOTALL).fullmatch if easy else None

    def last(name: bytes) -> int:
        found = match(name) if match else None
        best = numbers[found.lastindex or 0] if found else -1
        return max([best, *(number for number, test in hard if number > best and test(name))]) if hard else best

    return last


def _compile(tokens: Tokens) -> Match:
    if _stars(tokens) > _STARS_FOR_REGEX:
        return automaton(tokens)
    return re.compile(_regex(tokens), re.DOTALL).fullmatch


def _stars(tokens: Tokens) -> int:
    return sum(token < 0 for token in tokens)


def _regex(tokens: Tokens) -> bytes:
    return b"".join(_regex_of(token) for token in tokens)


def _regex_of(token: int) -> bytes:
    if token < 0:
        return {_STAR: b"[^/]*", _ANY: b".*", _DEEP: b"(?:.*/)?"}[token]
    if token.bit_count() == 1:
        return re.escape(bytes((token.bit_length() - 1,)))
    if token.bit_count() > 128:
        return b"[^" + _ranges(_ALL & ~token) + b"]" if token != _ALL else b"."
    return b"[" + _ranges(token) + b"]" if token else b"(?!)"


def _ranges(members: int) -> bytes:
    """The bytes of a set as a regular expression has them between brackets."""
    parts, byte = [], 0
    while members >> byte:
        if members >> byte & 1:
            first = byte
            while members >> byte + 1 & 1:
                byte += 1
            parts.append(b"\\x%02x-\\x%02x" % (first, byte) if byte > first else b"\\x%02x" % byte)
        byte += 1
    return b"".join(parts)


def automaton(tokens: Tokens) -> Callable[[bytes], bool]:
    """Shift-And with gaps (Navarro and Raffinot, Flexible Pattern Matching in Strings, 2002, section 4.3): bit i of
    the state says that the first i places match so far; each byte of the name moves all of them at once."""
    places: list[int] = []
    repeats = enters = skips = 0
    for token in tokens:
        if token == _DEEP:  # an entrance that may be passed over, then .* and a slash
            skips |= 1 << len(places)
            places.append(0)
        if token < 0:
            repeats |= 1 << len(places)
            places.append(_ALL & ~_SLASH if token == _STAR else _ALL)
        else:
            places.append(token)
        if token == _DEEP:
            places.append(_SLASH)
    enters = repeats | skips
    steps: dict[int, int] = {}  # by byte, when it is first met
    end = 1 << len(places)

    def closed(state: int) -> int:
        before = -1
        while state != before:
            before = state
            state |= (state & enters) << 1 | (state & skips) << 3
        return state

    def matches(name: bytes) -> bool:
        state = closed(1)
        for byte in name:
            if byte not in steps:
                steps[byte] = sum(1 << i for i, members in enumerate(places) if members >> byte & 1)
            moving = state & steps[byte]
            state = closed(moving & repeats | (moving & ~repeats) << 1)
            if not state:
                return False
        return bool(state & end)

    return matches
