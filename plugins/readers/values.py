"""The short span of a sentence that answers: candidates scored by the question's kind and by its words nearby.

The score is linear in the features that :class:`_Features` yields. The weights were fitted by maximum likelihood
(softmax over the candidates of a sentence; the target is each one's F1, sharpened) on the questions of every other
article of XQuAD-en and rounded; those of kinds that it does not have were set by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gw_core.query import is_gram
from gw_plugins.readers.candidates import (
    Candidate,
    Word,
    candidates,
    has_unit,
    is_code,
    is_date,
    is_name,
    is_number,
    is_space,
    words,
)
from gw_plugins.readers.question import Kind, Question
from gw_plugins.readers.scoring import Sentence

WEIGHTS: Mapping[str, float] = {
    "proximity": 2.5,
    "clause": 1.7,
    "crosses": -0.3,
    "next to": 0.1,
    "echo": -0.9,
    "length": -0.8,
    "one word": -0.6,
    "parts": -0.3,
    "head inside": 1.3,
    "head near": 0.6,
    "head next": 0.9,
    "begins": 0.4,
    "marked right": 0.7,
    "adverb": -0.5,
    "participle": -0.8,
    "gerund": -0.5,
    "after and": -0.6,
    "after article": 0.1,
    "after by": 0.6,
    "after copula": -0.1,
    "after for": 0.5,
    "after have": 0.3,
    "after in": 0.3,
    "after of": 0.2,
    "who after by": 0.4,
    "who after in": -0.8,
    "where after in": 0.4,
    "number: number": 1.8,
    "number: date": 0.6,
    "number: name": -0.1,
    "measure: number": 1.0,
    "measure: date": 0.4,
    "measure: name": -0.3,
    "measure: unit": 0.9,
    "date: date": 2.7,
    "date: name": -0.2,
    "date: number": -0.2,
    "who: name": 2.1,
    "who: date": -0.3,
    "who: number": -0.8,
    "where: name": 1.3,
    "where: date": -0.2,
    "where: number": -0.1,
    "other: name": 0.7,
    "other: quoted": 1.4,
    "other: date": -0.5,
    "other: number": -0.1,
    "value: number": 1.5,
    "value: unit": 1.0,
    "value: quoted": 1.4,
    "value: code": 0.5,
    "identifier: code": 4.0,
    "identifier: quoted": 1.4,
}

FLOOR = 1.0
"""Below it a value is right in 7 of 100 cases (XQuAD-en), and a sentence says more without it. In other scripts than
Latin the question's kind is often not known, and scores are low throughout."""

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*%?")
_GROUPS = {
    word: group
    for group, listed in (
        ("article", "a an the"),
        ("copula", "is was are were be been as"),
        ("of", "of"),
        ("by", "by"),
        ("in", "in at on near from to into"),
        ("for", "for with about"),
        ("and", "and or"),
        ("have", "has had have"),
    )
    for word in listed.split()
}


@dataclass(frozen=True, slots=True)
class Value:
    """A span of the passage's text, with its score."""

    start: int
    end: int
    score: float


def best_value(
    text: str, sentence: Sentence, question: Question, weights: Mapping[str, float] = WEIGHTS
) -> Value | None:
    """The best candidate of ``sentence`` of ``text``.

    None when the question's kind has no short answer, when all that the sentence holds are the question's words, and
    when no candidate reaches :data:`FLOOR`.
    """
    if question.kind in (Kind.YESNO, Kind.EXPLANATION):
        return None
    if 2 * sum(is_gram(token.text) for token in sentence.tokens) > len(sentence.tokens):
        return _only_figure(text, sentence, question)
    spans = words(text, sentence.tokens, question.function_words)
    features = _Features(text, sentence, question, spans)
    counted = question.kind is Kind.NUMBER
    best: Value | None = None
    for candidate in candidates(text, spans):
        if features.echoes(candidate) or (counted and not is_number(candidate.words)):
            continue
        score = sum(weights.get(name, 0.0) * amount for name, amount in features.of(candidate))
        if best is None or score > best.score:
            best = Value(candidate.start, candidate.end, score)
    fitted = all(map(str.isascii, question.terms.texts))
    return None if best is None or (fitted and best.score < FLOOR) else best


def _only_figure(text: str, sentence: Sentence, question: Question) -> Value | None:
    """In a script that does not part words: the one figure that the question does not hold, if it asks for one."""
    if question.kind not in (Kind.NUMBER, Kind.DATE):
        return None
    found = [match.span() for match in _FIGURE.finditer(text, sentence.start, sentence.end)]
    new = [span for span in found if text[slice(*span)] not in question.text]
    return Value(*new[0], score=0.0) if len(new) == 1 else None


class _Features:
    """One sentence, made ready to measure its candidates. Distances and lengths are in words."""

    def __init__(self, text: str, sentence: Sentence, question: Question, spans: Sequence[Word]) -> None:
        self._question = question.text
        self._text = text
        self._bounds = sentence.start, sentence.end
        self._spans = spans
        self._kind = "measure" if question.kind is Kind.NUMBER and not question.head else question.kind.value
        self._idf = question.terms.idf
        self._total = question.terms.total or 1.0
        related = [sentence.relations[word.first : word.last + 1] for word in spans]
        self._echo = [all(tokens) for tokens in related]
        self._places: dict[int, list[int]] = {}
        """Where in the sentence each of the question's terms stands."""
        for place, tokens in enumerate(related):
            for term in {relation[0] for relation in tokens if relation}:
                self._places.setdefault(term, []).append(place)
        self._any = {place for places in self._places.values() for place in places}
        self._heads: set[int] = set()
        for term, name in enumerate(question.terms.texts):
            if name == question.head:
                self._heads.update(self._places.get(term, ()))
        self._clause = [0]
        """The number of the clause of each word: how many signs stand before it."""
        for left, right in pairwise(spans):
            self._clause.append(self._clause[-1] + (left.end < right.start and not is_space(text, left, right)))

    def echoes(self, candidate: Candidate) -> bool:
        """Whether it says nothing that the question does not. A name asked for may be made of the question's words."""
        if self._kind == Kind.IDENTIFIER.value and is_code(candidate.words):
            return candidate.words[0].text in self._question
        covered = range(candidate.first, candidate.last + 1)
        return all(self._echo[place] or self._spans[place].function for place in covered)

    def of(self, candidate: Candidate) -> Iterator[tuple[str, float]]:
        """Names and amounts of the features; those of amount 0 may be left out."""
        first, last = candidate.first, candidate.last
        size = last - first + 1
        yield "echo", sum(self._echo[first : last + 1]) / size
        yield "length", math.log(size)
        yield "one word", size == 1
        yield "parts", sum(word.function for word in candidate.words)
        yield "crosses", self._clause[last] - self._clause[first]
        yield from self._nearness(first, last)
        yield from self._head(first, last)
        yield from self._around(first, last)
        yield from self._shape(candidate)

    def _nearness(self, first: int, last: int) -> Iterator[tuple[str, float]]:
        """As shares of the question's idf: its terms, each over its distance, and those in the same clause."""
        near = clause = 0.0
        clauses = {self._clause[first], self._clause[last]}
        for term, places in self._places.items():
            distance = min(max(first - place, place - last, 0) for place in places)
            if distance:
                near += self._idf[term] / (1 + math.log(distance))
            if any(self._clause[place] in clauses for place in places):
                clause += self._idf[term]
        yield "proximity", near / self._total
        yield "clause", clause / self._total
        yield "next to", first - 1 in self._any or last + 1 in self._any

    def _head(self, first: int, last: int) -> Iterator[tuple[str, float]]:
        if any(first <= place <= last for place in self._heads):
            yield "head inside", 1.0
        elif any(first - 3 <= place <= last + 3 for place in self._heads):
            yield "head near", 1.0
            yield "head next", last + 1 in self._heads

    def _around(self, first: int, last: int) -> Iterator[tuple[str, float]]:
        spans, text = self._spans, self._text
        start = spans[first - 1].end if first else self._bounds[0]
        end = spans[last + 1].start if last + 1 < len(spans) else self._bounds[1]
        if not first:
            yield "begins", 1.0
        elif not text[start : spans[first].start].strip():
            group = _GROUPS.get(spans[first - 1].text.lower())
            yield f"after {group}", 1.0
            yield f"{self._kind} after {group}", 1.0
        yield "marked right", bool(text[spans[last].end : end].strip())

    def _shape(self, candidate: Candidate) -> Iterator[tuple[str, float]]:
        kind, span = self._kind, candidate.words
        dated, counted = is_date(span), is_number(span)
        yield f"{kind}: number", counted and not dated
        yield f"{kind}: date", dated
        yield f"{kind}: unit", counted and has_unit(span)
        yield f"{kind}: name", is_name(span)
        yield f"{kind}: quoted", candidate.quoted
        yield f"{kind}: code", is_code(span)
        if len(span) == 1 and span[0].shape == "c":
            yield "adverb", span[0].text.endswith("ly")
            yield "participle", span[0].text.endswith("ed")
            yield "gerund", span[0].text.endswith("ing")
