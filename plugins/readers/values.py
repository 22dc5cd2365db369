"""The short span of a sentence that answers: candidates scored by the question's kind and by its words nearby."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gw_plugins.readers.candidates import (
    Candidate,
    candidates,
    has_unit,
    is_code,
    is_date,
    is_name,
    is_number,
    words,
)
from gw_plugins.readers.question import Kind, Question
from gw_plugins.readers.scoring import Sentence


@dataclass(frozen=True, slots=True)
class Weights:
    """What each property of a candidate is worth. Found by search on half of the XQuAD-en questions."""

    proximity: float = 2.0
    """Of the question's terms outside the candidate, their idf over their distance in tokens."""
    rarity: float = 2.0
    """Mean idf of its tokens that are not the question's."""
    overlap: float = -1.0
    """Share of its tokens that are the question's."""
    echo: float = -2.0
    """All of its tokens are the question's."""
    length: float = -1.0
    """Per natural logarithm of its number of words."""
    head_inside: float = 2.0
    head_near: float = 1.0
    number: float = 2.0
    date: float = 2.0
    who: float = 2.0
    where: float = 1.0
    name: float = 1.0
    quoted: float = 1.0
    code: float = 2.0


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Value:
    """A candidate with its score."""

    start: int
    end: int
    score: float


def best_value(text: str, sentence: Sentence, question: Question, weights: Weights = WEIGHTS) -> Value | None:
    """The best candidate of ``sentence`` of ``text``, or None when it has none that adds to the question."""
    spans = words(text, sentence.tokens, question.function_words)
    found = candidates(text, spans)
    if not found:
        return None
    scorer = _Scorer(sentence, question, weights)
    scored = [(scorer(candidate), -candidate.start, candidate) for candidate in found]
    score, _, best = max(scored, key=lambda each: each[:2])
    return Value(best.start, best.end, score)


class _Scorer:
    def __init__(self, sentence: Sentence, question: Question, weights: Weights) -> None:
        self._relations = sentence.relations
        self._terms = question.terms
        self._kind = question.kind
        self._weights = weights
        self._total = sum(question.terms.idf) or 1.0
        self._positions: dict[int, list[int]] = {}
        for at, relation in enumerate(sentence.relations):
            if relation:
                self._positions.setdefault(relation[0], []).append(at)
        self._head = _head_positions(question, sentence)

    def __call__(self, candidate: Candidate) -> float:
        weights = self._weights
        first, last = candidate.words[0].first, candidate.words[-1].last
        echoed = sum(self._relations[at] is not None for at in range(first, last + 1))
        size = last - first + 1
        score = weights.proximity * self._proximity(first, last)
        score += weights.overlap * echoed / size + weights.echo * (echoed == size)
        score += weights.length * math.log(len(candidate.words))
        if any(first <= at <= last for at in self._head):
            score += weights.head_inside * (echoed < size)
        elif any(first - 3 <= at <= last + 3 for at in self._head):
            score += weights.head_near
        return score + self._shape(candidate)

    def _proximity(self, first: int, last: int) -> float:
        near = 0.0
        for index, places in self._positions.items():
            distance = min((max(first - at, at - last, 0) for at in places if not first <= at <= last), default=0)
            if distance:
                near += self._terms.idf[index] / (1 + math.log(distance))
        return near / self._total

    def _shape(self, candidate: Candidate) -> float:
        weights, span = self._weights, candidate.words
        number = is_number(span) and (has_unit(span) or not is_date(span))
        worth = {
            Kind.NUMBER: weights.number * number,
            Kind.DATE: weights.date * is_date(span),
            Kind.WHO: weights.who * is_name(span),
            Kind.WHERE: weights.where * is_name(span),
            Kind.VALUE: weights.number * number + weights.code * is_code(span),
            Kind.IDENTIFIER: weights.code * is_code(span),
        }
        other = weights.quoted * candidate.quoted + weights.name * is_name(span)
        return worth.get(self._kind, other)


def _head_positions(question: Question, sentence: Sentence) -> list[int]:
    heads = {index for index, text in enumerate(question.terms.texts) if text == question.head}
    return [at for at, relation in enumerate(sentence.relations) if relation and relation[0] in heads]
