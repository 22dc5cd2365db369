"""Values that the form of a line points out: the cell below the column asked for, what stands behind a key, and the
name that a line defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from gw_core.text.fold import tokens
from gw_plugins.readers.candidates import SHAPES, words
from gw_plugins.readers.outline import DEFINITION, cells
from gw_plugins.readers.question import Kind, Question
from gw_plugins.readers.scoring import Sentence, credits_of
from gw_plugins.readers.terms import Relation

Place = tuple[int, int]

_LONGEST = 12
"""Tokens; what is longer is no short value."""
_WIDEST, _MOST_PAIRS = 16_000, 400
"""Characters of a line, and keys in it, that are looked at."""
_DECLARED = r"(?:(?:export|const|let|var|static|final|public|private|pub|#define)\s+)*"
# The key; a type between it and the sign; the sign.
_KEY = re.compile(
    rf"(?:^[ \t]*(?:[-*+•] )?[*_`]*{_DECLARED}(?P<line>[^\W\d][\w.\- ]{{0,47}}?)|\"(?P<quoted>[^\"\n]{{1,48}})\""
    r"|(?:(?<=[{,(])\s?|(?<![\w.\-])(?=[\w.\-]{1,48}\s?=))(?P<bare>[\w.\-]{1,48}))"
    r"[*_`]*(?:: ?[\w.\[\], |]{1,48}(?= = ))?"
    r"(?P<sign>\s*(?::=|=>|=(?!=)|:(?=[*_`]*\s))[*_`]*[ \t]*)",
    re.MULTILINE,
)
_VALUE = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|[^\n\r]{1,240}")
_VALUE_END = re.compile(
    r"\s+(?:#|//|--|/\*)\s|[;{}]|,(?:\s*(?:[\"'\w][\w.\-]*[\"']?\s*[:=])|\s*\Z)|\s+[\w.\-]+(?==)|\. |\.?\Z"
)


def pointed_value(text: str, sentence: Sentence, question: Question) -> Place | None:
    """Where the value stands that the form of ``sentence`` of ``text`` points out; None if it points at none, or at
    something of another shape than the question asks for."""
    place = (
        _cell(text, sentence, question) or _behind_key(text, sentence, question) or _defined(text, sentence, question)
    )
    return place if place and place[0] < place[1] else None


def _cell(text: str, sentence: Sentence, question: Question) -> Place | None:
    """The cell of a row whose column's name has most of the question's words, cells that themselves repeat the question
    apart. None where two have as many."""
    if not sentence.header:
        return None
    names = [sentence.header[start:end] for start, end in cells(sentence.header, sentence.separator)]
    row = cells(text[sentence.start : sentence.end], sentence.separator)
    if len(names) != len(row):
        return None
    found: list[tuple[float, Place]] = []
    for name, (start, end) in zip(names, row, strict=True):
        place = sentence.start + start, sentence.start + end
        worth = _worth(question, name)
        if worth and _is_new(sentence, place):
            found.append((worth, place))
    found.sort(reverse=True)
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]


def _behind_key(text: str, sentence: Sentence, question: Question) -> Place | None:
    """What follows ``key =`` or ``key:``, of the key that has most of the question's words."""
    best: tuple[float, Place] | None = None
    for key, place in _pairs(text, sentence):
        worth = _worth(question, key)
        if worth and (best is None or worth > best[0]) and _is_new(sentence, place) and _fits(text, place, question):
            best = worth, place
    return best[1] if best else None


def _pairs(text: str, sentence: Sentence) -> Iterator[tuple[str, Place]]:
    line = text[sentence.start : min(sentence.end, sentence.start + _WIDEST)]
    for match in islice(_KEY.finditer(line), _MOST_PAIRS):
        value = _VALUE.match(line, match.end())
        if value is None:
            continue
        start, end = value.span()
        if line[start] in "\"'`" and end - start > 1 and line[end - 1] == line[start]:
            start, end = start + 1, end - 1
        else:
            stop = _VALUE_END.search(line, start, end)
            end = _closed(line, start, stop.start() if stop else end)
            while end > start and line[end - 1] in " \t,*_`":
                end -= 1
        if len(tokens(line[start:end])) <= _LONGEST:
            yield match["line"] or match["quoted"] or match["bare"], (sentence.start + start, sentence.start + end)


def _closed(line: str, start: int, end: int) -> int:
    """The place of the first bracket that closes one opened before ``start``, or ``end``."""
    depth = 0
    for at in range(start, end):
        depth += (line[at] in "([") - (line[at] in ")]")
        if depth < 0:
            return at
    return end


def _defined(text: str, sentence: Sentence, question: Question) -> Place | None:
    """The name that a line defines, for a question that asks for a name."""
    if question.kind is not Kind.IDENTIFIER:
        return None
    found = DEFINITION.match(text, sentence.start, sentence.end)
    return found.span("name") if found else None


def _worth(question: Question, name: str) -> float:
    """Sum of the idf of the question's terms in a name."""
    held = credits_of(question.terms.relations(tokens(name)))
    return sum(question.terms.idf[index] * credit for index, credit in held.items())


def _is_new(sentence: Sentence, place: Place) -> bool:
    """Whether it holds a word, and none of the question's."""
    inside: Sequence[Relation | None] = [
        relation
        for token, relation in zip(sentence.tokens, sentence.relations, strict=True)
        if place[0] <= token.start and token.end <= place[1]
    ]
    return bool(inside) and not any(inside)


def _fits(text: str, place: Place, question: Question) -> bool:
    """Whether a number is there for a question that asks for one, and the like."""
    fits = SHAPES.get(question.kind)
    if fits is None or question.kind in (Kind.VALUE, Kind.IDENTIFIER):
        return True
    inside = text[slice(*place)]
    return any(fits((word,)) for word in words(inside, tokens(inside), question.function_words))
