"""Text to sentences, as exact spans, in any script.

One compiled pattern finds every place where a sentence could end: a stop with white space behind it, a stop of a
script that needs none, a line end. Whatever is decided per place looks at a bounded window around it, so that the time
is linear in the length of the text, whatever it holds.

Lines: a blank line always ends a sentence. List items, table rows, headings and lines of code are units of their own.
Any other line end is a wrap, and the sentence goes on, when the line is about as wide as its paragraph or the next
one goes on in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase

from gw_core.model import Span
from gw_core.text.abbreviations import ALWAYS, BEFORE_NUMBER, MAY_END, ORDINAL_AFTER, ORDINAL_BEFORE, STARTERS

LINE_KINDS = frozenset({"code", "table", "function", "class", "record"})
"""Kinds of text that are read line by line."""

_NEWLINES = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_LATIN = ".!?…‽"
_OTHER = "。！？｡।॥؟۔։።፧፨។៕။།᠃᠉\u037e"  # ideographic, danda, Arabic, Armenian, Ethiopic, Khmer, Myanmar, ...
_CLOSERS = r"(?:\[[^\s\[\]][^\n\r\[\]]{0,24}\]|[\"'”’“‘»›«)\]}」』】）〉》*_`])*"  # quotes, brackets, markup, footnotes
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff「『（"

# The leading class lets the engine skip from candidate to candidate; the look-behinds then tell which one it is. A run
# of stops is only tried from its first, so that a long one costs its length once.
_CANDIDATE = re.compile(
    rf"[{_NEWLINES}{_LATIN}{_OTHER}](?:"
    rf"(?<=[{_NEWLINES}])\s*"
    rf"|(?<=[{_LATIN}])(?<![{_LATIN}].)[{_LATIN}]*{_CLOSERS}()(?:\s+|\Z|(?=[{_UNSPACED}]))"
    rf"|(?<=[{_OTHER}])[{_OTHER}{_LATIN}]*{_CLOSERS}()\s*)"
)
_BLANK_LINE = re.compile(r"[\x0c\u2029\r\n](?:(?<=[\x0c\u2029])|(?:(?<=\r)\n|(?<=\r)(?!\n)|(?<=\n))[^\S\n\r]*[\n\r])")
_UNIT_START = re.compile(
    r"[-*+•‣◦▪·] |\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)] |#{1,6} |[|│┌├└]|\+[-=]|```|~~~|[=~^]{3,}|-{3,}|\*{3,}|\.\. "
    r"|:\w[^:\n]{0,40}:"
)
_WHOLE_LINE = re.compile(r"#{1,6} |[|│┌├└]|\+[-=]|```|~~~|[=~^*]{3,}|-{3,}")
_GOES_ON = frozenset(",;(–—&/-")
_CODE_LINE = re.compile(
    r"\s*(?:[$>#%@]|\w+\s*=|(?:def|class|import|from|return|if|for|while|try|with)\b[^.]*$)|.*(?:[{};=]|\w\(.*\))\s*$"
)
_WORD_AFTER = re.compile(r"[\"'“‘«‹„(\[¿¡*_`]*([^\W_]\w{0,40})?")
_IDENTIFIER = re.compile(r"[\w.\-]{0,60}?(?:[_(/]|\d|\.\w|[a-z][A-Z])")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_CAPITAL = r"\s*[\"'“‘«„(\[*_`#]*[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]"
_CASED_HEAD = re.compile(_CAPITAL)
_CASED_SENTENCE = re.compile(r"[.!?][\"'”’)\]]*\s" + _CAPITAL)
_PARTICLES = frozenset("とをにがはもでのや")  # after a closing quote the Japanese sentence goes on
_THAI = re.compile(r"[\u0e00-\u0eff]")
_THAI_SPACE = re.compile(r"(?<=[\u0e01-\u0eff]) +(?!ๆ)(?=[\u0e01-\u0eff])")
# Such a space between two long words or clauses; a short one beside it is a name, a unit, a part of a list.
_THAI_CLAUSE = re.compile(r"(?<=[\u0e01-\u0eff]{15}) +(?!และ|หรือ|กับ|ๆ|ແລະ|ຫຼື)(?=[\u0e01-\u0eff]{15})")
_THAI_LENGTH = 60
_THAI_LONGEST = 250  # then any space will do
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n\r]*", re.MULTILINE)
_WIDEST_WRAP = 200  # a wider line is a paragraph of its own, not a wrapped one
_NARROWEST_WRAP = 36
_FILLED = 0.7  # of the paragraph's width: such a line was broken because the next word did not fit
_WINDOW = 48
_SHAPE = 8
_SAMPLED = 40
_KINDS = {
    ord(each): kind
    for kind, group in (("0", "0123456789"), ("A", ascii_uppercase), ("a", ascii_lowercase))
    for each in group
}


def sentences(text: str, kind: str = "text") -> list[Span]:
    """The sentences of ``text`` in order: spans that never overlap, begin and end with other than white space, and
    together hold every character that is not white space.

    ``kind`` is a chunk's or a document's: ``code``, ``table`` and the like are read line by line. There is no bound on
    a sentence's length: a megabyte without a stop is one.
    """
    return [Span(start, end) for start, end in bounds(text, kind)]


def bounds(text: str, kind: str = "text") -> list[tuple[int, int]]:
    """The same as plain pairs, for whoever needs many."""
    if kind in LINE_KINDS:
        return _lines(text, 0, len(text))
    cased = (_CASED_HEAD.match(text) or _CASED_SENTENCE.search(text)) is not None
    out: list[tuple[int, int]] = []
    for start, end, fenced in _regions(text):
        out += _lines(text, start, end) if fenced else _Prose(text, start, end, cased).bounds()
    return out if text.isascii() or not _THAI.search(text) else _cut_thai(text, out)


def _regions(text: str) -> Iterator[tuple[int, int, bool]]:
    """The text in order as (start, end, is it fenced code); a fence that is never closed is an ordinary line."""
    at = 0
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and fence.group().strip() == fence[1]:
            yield at, opened.start(), False
            yield opened.start(), fence.end(), True
            at, opened = fence.end(), None
    yield at, len(text), False


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    out = []
    at = start
    for line in text[start:end].splitlines(keepends=True):
        bare = line.strip()
        if bare:
            first = at + len(line) - len(line.lstrip())
            out.append((first, first + len(bare)))
        at += len(line)
    return out


class _Prose:
    """One pass over a stretch of prose."""

    def __init__(self, text: str, start: int, end: int, cased: bool) -> None:
        self.text = text
        self.end = end
        self.cased = cased
        self.begin = start + len(text[start:end]) - len(text[start:end].lstrip())
        """Start of the sentence that is being read."""
        self.line = self.begin
        """Start of the line that is being read, indentation left out."""
        self.paragraph_end = -1
        self.width = 0
        self.code = False
        """Whether the lines of this paragraph are units of their own."""

    def bounds(self) -> list[tuple[int, int]]:
        text, end = self.text, self.end
        out: list[tuple[int, int]] = []
        for match in _CANDIDATE.finditer(text, self.begin, end):
            after = match.end()
            group = match.lastindex
            before = match.start() if group is None else match.end(group)
            gap = text[before:after]
            breaks = 0 if gap in (" ", "") else _line_ends(gap)
            cut = breaks > 1 or after >= end
            if not cut and group is not None and not self._in_whole_line():
                cut = self._stop_ends(match.start(), before, after, group)
            if not cut and breaks:
                cut = self._line_ends(before, after)
            if cut:
                last = before
                while last > self.begin and text[last - 1].isspace():
                    last -= 1
                if last > self.begin:
                    out.append((self.begin, last))
                self.begin = after
            if breaks:
                self.line = after
        rest = text[self.begin : end].rstrip()
        if rest:
            out.append((self.begin, self.begin + len(rest)))
        return out

    def _in_whole_line(self) -> bool:
        """Whether this line is one unit whatever stops are in it: a heading, a row, a line of code or of a log."""
        text, line = self.text, self.line
        if line >= self.paragraph_end:
            self._measure(line)
        return self.code or _WHOLE_LINE.match(text, line) is not None

    def _line_ends(self, before: int, after: int) -> bool:
        """Whether the sentence ends with the line that ends at ``before``; the next one begins at ``after``."""
        text, line = self.text, self.line
        if line >= self.paragraph_end:
            self._measure(line)
        if self.code or self.width > _WIDEST_WRAP:
            return True
        if _WHOLE_LINE.match(text, line) or _UNIT_START.match(text, after):
            return True
        if text[after].islower() or text[before - 1] in _GOES_ON:
            return False
        return self.width < _NARROWEST_WRAP or before - line < _FILLED * self.width

    def _measure(self, line: int) -> None:
        """Width of the paragraph from ``line`` on, and whether it is lines of a log or of indented code."""
        blank = _BLANK_LINE.search(self.text, line, self.end)
        self.paragraph_end = blank.start() + 1 if blank else self.end
        lines = self.text[line : self.paragraph_end].splitlines()
        self.width = max(len(each.strip()) for each in lines)
        self.code = len(lines) > 2 and _alike(lines)
        if (
            not self.code
            and len(lines) > 1
            and (line == 0 or self.text[line - 1] in " \t")
            and self.width <= _WIDEST_WRAP
        ):
            indented = all(each.startswith(("    ", "\t")) or not each.strip() for each in lines[1:])
            self.code = indented and 2 * sum(_CODE_LINE.match(each) is not None for each in lines) >= len(lines)

    def _stop_ends(self, stop: int, before: int, after: int, group: int) -> bool:
        """Whether the sentence ends with the stop at ``stop``; ``before`` is behind its closing quotes and brackets."""
        text = self.text
        if group == 2:
            return not (text[before - 1] in "」』" and text[after] in _PARTICLES)
        run = text[stop:before]
        if before == after:  # no space, an unspaced script follows
            return run[0] in "!?‽"
        ahead = _WORD_AFTER.match(text, after)
        following = (ahead and ahead[1]) or ""
        if ahead and self.cased and following[:1].islower():
            quoted = text[ahead.start(1) - 1] == "`"
            if not quoted and not _IDENTIFIER.match(text, ahead.start(1)):
                return False
        if run[0] != "." or run.startswith(".."):
            return True
        return self._full_stop_ends(stop, following, text[ahead.end() : ahead.end() + 1] if ahead else "")

    def _full_stop_ends(self, stop: int, following: str, then: str) -> bool:
        """The same for a single full stop: ``following`` is the next word, ``then`` the character behind that."""
        text = self.text
        window = text[max(self.begin, stop - _WINDOW) : stop].split()
        if not window:
            return True
        word = window[-1].lstrip("([{\"'“‘«„*_`")
        low, lead, next_low = word.lower(), following[:1], following.lower()
        alone = len(window) == 1 and stop - self.begin <= 4  # nothing before it: "3. ", "a. ", "IV. "
        letter = len(word) == 1
        if (
            low in ALWAYS
            or (low in BEFORE_NUMBER and lead.isdigit())
            or (alone and (letter or word.isdigit()))
            or (letter and ((len(following) == 1 and then == ".") or "".join(window[-2:]).lower() in ALWAYS))  # "z. B."
        ):
            return False
        if low in MAY_END or _DOTTED.match(word) or (letter and word.isupper()):
            return next_low in STARTERS or not following
        if word.isdigit() and len(word) <= 3 and lead.isupper():
            ordinal = len(window) > 1 and window[-2].lower() in ORDINAL_BEFORE
            return next_low not in ORDINAL_AFTER and (next_low in STARTERS or not ordinal)
        return True


def _alike(lines: list[str]) -> bool:
    """Whether most lines begin with characters of the same kinds in the same order, as those of a log do."""
    shapes = [each[:_SHAPE].translate(_KINDS) for each in lines[:_SAMPLED]]
    shape = max(set(shapes), key=shapes.count)
    dated = "0" in shape or shape[:1] in tuple('[<{"')
    return dated and shapes.count(shape) >= 0.6 * len(shapes) and not _UNIT_START.match(lines[0].lstrip())


def _line_ends(gap: str) -> int:
    """How many lines end in this white space; 2 and more: a blank line, form feed or paragraph separator."""
    if "\x0c" in gap or "\u2029" in gap:
        return 2
    return gap.count("\n") or gap.count("\r") or int(len(gap.splitlines()) > 1 or len(gap.strip(" \t")) > 0)


def _cut_thai(text: str, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Thai and Lao write no stop: a space ends a clause or a sentence, and a long enough piece is cut there."""
    out = []
    for start, end in pairs:
        at = start
        if end - start > _THAI_LENGTH:
            for space in _THAI_SPACE.finditer(text, start, end):
                length = space.start() - at
                if end - space.end() < _THAI_LENGTH // 2:
                    break
                if length >= _THAI_LONGEST or (length >= _THAI_LENGTH and _THAI_CLAUSE.match(text, space.start())):
                    out.append((at, space.start()))
                    at = space.end()
        out.append((at, end))
    return out
