"""Which sentence answers: the question's rare words in it, near it and side by side, and how good its passage is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gw_core.model import Passage
from gw_core.text.fold import Token, tokens
from gw_core.text.sentences import bounds
from gw_plugins.readers.candidates import SHAPES, is_number, words
from gw_plugins.readers.outline import NEXT, Role, outline
from gw_plugins.readers.question import Kind, Question
from gw_plugins.readers.terms import Relation, Terms

NEIGHBOUR = 0.1
"""Worth of a term that only the sentence before or after holds."""
PAIR = 0.15
"""Worth of two terms that follow each other here as in the question."""
PASSAGE = 0.3
"""Worth of the passage's own score, as a share of the best passage's."""
PAIR_DISTANCE = 2
ASKING = 0.5
"""A question that stands in the text has all the words and no answer."""
REPEATING = 0.0
"""The very question that was asked, such as a title, or an example of how to ask it, is no answer at all."""
SHORTEST_REPEAT = 4
"""Fewer words are a subject and not a question."""
ANSWER = 0.8
"""Worth of a term that only the question just before holds."""
_FIELD = re.compile(r"[ \t]*[*_]{0,2}[^\W\d][\w.\- ]{0,30}[*_]{0,2}(?::[*_]{0,2}[ \t]|[ \t]?=[ \t])[ \t]*\S")
CONTEXT = 0.4
"""Worth of a term in a line that only says what those below it are about. Less than any of them gets of it."""
_QUESTION_MARKS = frozenset("?？؟՞")
NEAR = 2
"""Words from a thing to its number."""
FITTING = 0.1
"""Worth of holding something new of the shape that is asked for: a figure, a date, a name."""


@dataclass(slots=True)
class Sentence:
    """One sentence of a passage: its place in the passage's text, its tokens and the terms that they stand for."""

    passage: int
    start: int
    end: int
    tokens: Sequence[Token]
    relations: Sequence[Relation | None]
    score: float = 0.0
    shares: bool = False
    """Whether it holds a term of the question, or follows a question that does, or stands below a heading that does."""
    role: Role | None = None
    above: Mapping[int, float] = field(default_factory=dict)
    """Its headings, keys and the like: their places among all sentences, and what a term there is worth here."""
    header: str = ""
    separator: str = ""
    """Of the table that it is a row of, the header row, and what parts the cells."""


def split(passages: Sequence[Passage], terms: Terms) -> list[Sentence]:
    """All sentences of all passages, in order."""
    out: list[Sentence] = []
    for number, passage in enumerate(passages):
        found = tokens(passage.text)
        relations = terms.relations(found)
        first, before = 0, len(out)
        places = _fields_apart(passage.text, bounds(passage.text, passage.kind))
        for (start, end), unit in zip(
            places, outline(passage.text, passage.kind, places, _header(passage)), strict=True
        ):
            while first < len(found) and found[first].start < start:
                first += 1
            last = first
            while last < len(found) and found[last].start < end:
                last += 1
            sentence = Sentence(number, start, end, found[first:last], relations[first:last])
            sentence.role, sentence.header, sentence.separator = unit.role, unit.header, unit.separator
            sentence.above = {before + at: worth for at, worth in unit.above.items()}
            out.append(sentence)
            first = last
    return out


def _fields_apart(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Lines that each begin with a key and a colon, or with a key and an equals sign, are units of their own."""
    out: list[tuple[int, int]] = []
    for start, end in places:
        lines = text[start:end].splitlines(keepends=True)
        if len(lines) < 2 or not all(map(_FIELD.match, lines)):
            out.append((start, end))
            continue
        at = start
        for line in lines:
            out.append((at + len(line) - len(line.lstrip()), at + len(line.rstrip())))
            at += len(line)
    return out


def _header(passage: Passage) -> str:
    """The header row of a table that the passage begins in the middle of: the first line of its last context."""
    lines = passage.context[-1].splitlines() if passage.context else []
    return lines[0].strip() if lines else ""


def score(sentences: Sequence[Sentence], question: Question, passages: Sequence[Passage]) -> None:
    """Set the ``score`` of all sentences; those of one passage stand together and in order.

    ``(sum idf matched + 0.1 idf matched only in a neighbour + 0.15 idf of adjacent pairs) / sum idf
    + 0.3 passage score / best passage score``. What is matched counts half in a sentence that asks and nothing in one
    that repeats the question; the one after it answers, and what only the question holds counts 0.8 there. So does
    what only the heading, the key or the header row above a sentence holds, 0.5 further above, while such a line itself
    counts 0.4.
    """
    terms = question.terms
    total = terms.total or 1.0
    best = max((passage.score for passage in passages), default=0.0)
    found = [credits_of(sentence.relations) for sentence in sentences]
    pairs = [_pairs(sentence, terms) for sentence in sentences]
    headers: dict[str, dict[int, float]] = {}
    if question.kind is Kind.IDENTIFIER:
        _name_by_remark(sentences)
    repeating = [_repeats(sentence, terms.asked) for sentence in sentences]
    asking = [repeated or _asks(sentence, passages) for repeated, sentence in zip(repeating, sentences, strict=True)]
    for at, sentence in enumerate(sentences):
        worth: dict[int, float] = {}
        sentence.shares = bool(found[at])
        for other in (at - 1, at + 1):
            if 0 <= other < len(sentences) and sentences[other].passage == sentence.passage:
                answers = other < at and asking[other] and not asking[at]
                sentence.shares |= answers and bool(found[other])
                _add(worth, found[other], ANSWER if answers else NEIGHBOUR)
        for above, value in sentence.above.items():
            sentence.shares |= bool(found[above])
            _add(worth, found[above], value)
        if sentence.header:
            held = headers.get(sentence.header)
            if held is None:
                held = headers[sentence.header] = credits_of(terms.relations(tokens(sentence.header)))
            sentence.shares |= bool(held)
            _add(worth, held, NEXT)
        matched = sum(terms.idf[index] * credit for index, credit in (worth | found[at]).items())
        matched += PAIR * max([pairs[at], *(pairs[above] * value for above, value in sentence.above.items())])
        score = passages[sentence.passage].score
        share = score / best if best > 0 else 1.0
        factor = REPEATING if repeating[at] else ASKING if asking[at] else 1.0
        if sentence.role is not None and not _is_asked_for(sentence, passages, question):
            factor *= CONTEXT
        sentence.score = factor * matched / total + PASSAGE * share


def _name_by_remark(sentences: Sequence[Sentence]) -> None:
    """Where a name is asked for, a defining line answers what its comment says, and not the other way round."""
    for at, sentence in enumerate(sentences):
        for above in [each for each in sentence.above if sentences[each].role is Role.DEFINITION]:
            sentences[above].above = {**sentences[above].above, at: sentence.above[above]}
            sentence.above = {each: worth for each, worth in sentence.above.items() if each != above}


def _is_asked_for(sentence: Sentence, passages: Sequence[Passage], question: Question) -> bool:
    """Whether a heading or a defining line has what the question asks for: a name in code, or a figure or a date."""
    if sentence.role is Role.DEFINITION:
        default = "=" in passages[sentence.passage].text[sentence.start : sentence.end]
        return question.kind is Kind.IDENTIFIER or (default and question.kind in (Kind.VALUE, Kind.NUMBER))
    if sentence.role is not Role.HEADING or question.kind not in (Kind.IDENTIFIER, Kind.NUMBER, Kind.DATE):
        return False
    return _holds_new(sentence, passages[sentence.passage].text, question)


def _holds_new(sentence: Sentence, text: str, question: Question) -> bool:
    """Whether it holds, beside the question's own words, one of the shape asked for."""
    if question.kind is Kind.IDENTIFIER and sentence.role is Role.DEFINITION:
        return True
    fits = SHAPES[question.kind]
    for word in words(text, sentence.tokens, question.function_words):
        new = not all(sentence.relations[word.first : word.last + 1]) or question.kind is Kind.IDENTIFIER
        if new and not word.function and fits((word,)):
            return True
    return False


def counts(text: str, sentence: Sentence, question: Question) -> bool:
    """Whether a number stands at most two words from a word of the question: "18 ripe melons", "melons: 18"."""
    spans = words(text, sentence.tokens, question.function_words)
    numbers = [at for at, word in enumerate(spans) if is_number((word,))]
    places = [at for at, word in enumerate(spans) if any(sentence.relations[word.first : word.last + 1])]
    return any(0 < abs(number - place) <= NEAR for number in numbers for place in places)


def credits_of(relations: Sequence[Relation | None]) -> dict[int, float]:
    """The best credit of each term that occurs."""
    best: dict[int, float] = {}
    for relation in relations:
        if relation and relation[1] > best.get(relation[0], 0.0):
            best[relation[0]] = relation[1]
    return best


def _add(worth: dict[int, float], held: Mapping[int, float], share: float) -> None:
    for index, credit in held.items():
        worth[index] = max(share * credit, worth.get(index, 0.0))


def _asks(sentence: Sentence, passages: Sequence[Passage]) -> bool:
    """Whether it ends with a question mark, quotes and markup behind it apart."""
    last = passages[sentence.passage].text[max(sentence.start, sentence.end - 3) : sentence.end]
    return not _QUESTION_MARKS.isdisjoint(last)


def _repeats(sentence: Sentence, asked: tuple[str, ...]) -> bool:
    """Whether all the words of the question stand in it in a row."""
    if not SHORTEST_REPEAT <= len(asked) <= len(sentence.tokens):
        return False
    words = [token.text for token in sentence.tokens]
    return any(
        words[at] == asked[0] and tuple(words[at : at + len(asked)]) == asked
        for at in range(len(words) - len(asked) + 1)
    )


def _pairs(sentence: Sentence, terms: Terms) -> float:
    """Sum of the mean idf of all pairs of terms that stand side by side in the question and here."""
    wanted = {
        (left, right)
        for left, right in pairwise(terms.sequence)
        if left is not None and right is not None and left != right
    }
    if not wanted:
        return 0.0
    here = [(at, relation[0]) for at, relation in enumerate(sentence.relations) if relation]
    found = set()
    for number, (at, left) in enumerate(here):
        for other, right in here[number + 1 : number + 1 + PAIR_DISTANCE]:
            if other - at <= PAIR_DISTANCE and (left, right) in wanted:
                found.add((left, right))
    return sum((terms.idf[left] + terms.idf[right]) / 2 for left, right in found)


def prefer_kind(sentences: Sequence[Sentence], texts: Sequence[str], question: Question) -> None:
    """Raise the score of those near the top that hold, beside the question's own words, a word of the kind asked for.

    Those further below than the bonus could not win by it and are not looked at.
    """
    if question.kind not in SHAPES:
        return
    reach = max(sentence.score for sentence in sentences) - FITTING
    for sentence in sentences:
        if sentence.score >= reach and _holds_new(sentence, texts[sentence.passage], question):
            sentence.score += FITTING
