"""Which sentence answers: the question's rare words in it, near it and side by side, and how good its passage is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gw_core.model import Passage
from gw_core.text.fold import Token, tokens
from gw_core.text.sentences import bounds
from gw_plugins.readers.candidates import SHAPES, words
from gw_plugins.readers.question import Question
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
_QUESTION_MARKS = frozenset("?？؟՞")
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
    """Whether it holds a term of the question, or follows a question that does."""

    def credits(self) -> dict[int, float]:
        """The best credit of each term that occurs here."""
        best: dict[int, float] = {}
        for relation in self.relations:
            if relation and relation[1] > best.get(relation[0], 0.0):
                best[relation[0]] = relation[1]
        return best


def split(passages: Sequence[Passage], terms: Terms) -> list[Sentence]:
    """All sentences of all passages, in order."""
    out: list[Sentence] = []
    for number, passage in enumerate(passages):
        found = tokens(passage.text)
        relations = terms.relations(found)
        first = 0
        for start, end in bounds(passage.text, passage.kind):
            while first < len(found) and found[first].start < start:
                first += 1
            last = first
            while last < len(found) and found[last].start < end:
                last += 1
            out.append(Sentence(number, start, end, found[first:last], relations[first:last]))
            first = last
    return out


def score(sentences: Sequence[Sentence], terms: Terms, passages: Sequence[Passage]) -> None:
    """Set the ``score`` of all sentences; those of one passage stand together and in order.

    ``(sum idf matched + 0.1 idf matched only in a neighbour + 0.15 idf of adjacent pairs) / sum idf
    + 0.3 passage score / best passage score``. What is matched counts half in a sentence that asks and nothing in one
    that repeats the question; the one after it answers, and what only the question holds counts 0.8 there.
    """
    total = terms.total or 1.0
    best = max((passage.score for passage in passages), default=0.0)
    found = [sentence.credits() for sentence in sentences]
    repeating = [_repeats(sentence, terms.asked) for sentence in sentences]
    asking = [repeated or _asks(sentence, passages) for repeated, sentence in zip(repeating, sentences, strict=True)]
    for at, sentence in enumerate(sentences):
        worth: dict[int, float] = {}
        sentence.shares = bool(found[at])
        for other in (at - 1, at + 1):
            if 0 <= other < len(sentences) and sentences[other].passage == sentence.passage:
                answers = other < at and asking[other] and not asking[at]
                sentence.shares |= answers and bool(found[other])
                for index, credit in found[other].items():
                    worth[index] = max((ANSWER if answers else NEIGHBOUR) * credit, worth.get(index, 0.0))
        matched = sum(terms.idf[index] * credit for index, credit in (worth | found[at]).items())
        matched += PAIR * _pairs(sentence, terms)
        score = passages[sentence.passage].score
        share = score / best if best > 0 else 1.0
        factor = REPEATING if repeating[at] else ASKING if asking[at] else 1.0
        sentence.score = factor * matched / total + PASSAGE * share


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
    fits = SHAPES.get(question.kind)
    if fits is None:
        return
    reach = max(sentence.score for sentence in sentences) - FITTING
    for sentence in sentences:
        if sentence.score >= reach:
            for word in words(texts[sentence.passage], sentence.tokens, question.function_words):
                new = not all(sentence.relations[word.first : word.last + 1])
                if new and not word.function and fits((word,)):
                    sentence.score += FITTING
                    break
