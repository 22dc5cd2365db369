"""The reader without a model: one exact sentence of one passage, and the short span in it that answers.

A sentence is chosen by the question's words (rarity-weighted), the value in it by the kind of question, nearness to
those words and its shape. With a pattern, a regular expression says what the value looks like. Nothing is ever worded:
all that is returned stands in a passage, at the offsets given.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from gw_core.errors import UsageError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity, Passage, Quote, Reading
from gw_core.query import is_gram
from gw_core.schema import Range
from gw_core.text.fold import fold
from gw_core.timed import Found, matches
from gw_plugins.readers.fields import pointed_value
from gw_plugins.readers.question import Kind, Question
from gw_plugins.readers.scoring import Sentence, counts, prefer_kind, score, split
from gw_plugins.readers.values import Value, best_value

if TYPE_CHECKING:
    from gw_core.protocols import Reader


class Regex:
    """Answers by words and shapes alone: offline, in milliseconds, and always in the source's own words.

    ``pattern``: a regular expression whose group ``value`` (else its first named group, its first group, or all of it)
    is the value; the sentence that holds it is the text. ``passages``: how many of the best passages are read.
    ``pattern_seconds``: CPU time after which a pattern is given up on a passage.
    """

    window = sys.maxsize
    max_parallel = 1

    def __init__(
        self, pattern: str | None = None, passages: int = 5, pattern_seconds: Annotated[float, Range(0.001, 10)] = 0.25
    ) -> None:
        if passages < 1:
            raise UsageError(f"the regex reader must read at least one passage, not {passages}")
        if not pattern_seconds > 0:
            raise UsageError(f"pattern_seconds must be above 0, not {pattern_seconds}")
        if pattern is not None:
            _check(pattern)
        self._pattern = pattern
        self._passages = passages
        self._seconds = pattern_seconds
        self.identity = Identity("regex", "2", {"pattern": pattern, "passages": passages})

    def count_tokens(self, text: str) -> int:
        """Tokens as the index counts them."""
        return len(fold(text).split())

    def answer(self, question: str, passages: Sequence[Passage]) -> Reading:
        """The best sentence of the best passages. Abstains when no sentence shares more than function words with the
        question, or when the pattern matches nowhere."""
        read = passages[: self._passages]
        found = _Answering(Question.of(question), read)
        if self._pattern is not None:
            return self._by_pattern(found, read)
        if not found.terms.texts:
            return _abstention("the question holds nothing but function words")
        best = found.best()
        if best is None:
            return _abstention("no sentence of the passages shares more than function words with the question")
        if found.lacks_a_figure(best):
            return _abstention("the question asks for a number, and none stands near its words")
        return found.reading(best, found.value(best))

    def _by_pattern(self, found: _Answering, read: Sequence[Passage]) -> Reading:
        pattern = self._pattern or ""
        per_passage = matches(pattern, [passage.text for passage in read], self._seconds)
        expired = [number for number, places in enumerate(per_passage) if places is None]
        for number, places in enumerate(per_passage):
            if places:
                sentence, place = found.holding(number, places)
                value = Value(*place[1], score=sentence.score)
                return found.reading(sentence, value, pattern=pattern, expired_passages=expired)
        if expired:
            return _abstention(
                f"the pattern took too long on {len(expired)} of {len(read)} passages and matched in no other"
            )
        return _abstention(f"the pattern matches in none of the {len(read)} passages")


class _Answering:
    """One question over its passages: all sentences, scored."""

    def __init__(self, question: Question, passages: Sequence[Passage]) -> None:
        self.question = question
        self.passages = passages
        self.terms = question.terms
        self.sentences = split(passages, self.terms)
        self.terms.weigh([sentence.relations for sentence in self.sentences])
        score(self.sentences, question, passages)

    def best(self) -> Sentence | None:
        """The sentence with the best score among those that share a term with the question."""
        sharing = [sentence for sentence in self.sentences if sentence.shares]
        if not sharing:
            return None
        prefer_kind(sharing, [passage.text for passage in self.passages], self.question)
        return max(sharing, key=lambda sentence: sentence.score)

    def lacks_a_figure(self, sentence: Sentence) -> bool:
        """Whether a number is asked for, of a thing of one word ("how many melons?"), and none stands by that word.
        The word alone is no sign that the sentence answers."""
        asked = self.terms.asked
        degrees = {word for how, word in pairwise(asked) if how == "how"}
        things = [term for term in self.terms.texts if term not in degrees]
        if self.question.kind is not Kind.NUMBER or len(things) != 1 or is_gram(things[0]):
            return False
        text = self.passages[sentence.passage].text
        return not counts(text, sentence, self.question) and pointed_value(text, sentence, self.question) is None

    def holding(self, passage: int, places: Sequence[Found]) -> tuple[Sentence, Found]:
        """The best sentence of ``passage`` that holds the value of a match, with that match. Where a value reaches
        over several sentences, all of them are taken as one."""
        inside = [sentence for sentence in self.sentences if sentence.passage == passage]
        choices = []
        for place in places:
            (start, end) = place[1]
            touched = [one for one in inside if one.start < end and start < one.end]
            choices.append((_joined(touched, passage, start, end), place))
        return max(choices, key=lambda choice: choice[0].score)

    def value(self, sentence: Sentence) -> Value | None:
        text = self.passages[sentence.passage].text
        if self.question.kind in (Kind.YESNO, Kind.EXPLANATION):
            return None
        place = pointed_value(text, sentence, self.question)
        return Value(*place, score=0.0) if place else best_value(text, sentence, self.question)

    def reading(self, sentence: Sentence, value: Value | None, **trace: Any) -> Reading:
        text = self.passages[sentence.passage].text
        trace |= {
            "kind": self.question.kind.value,
            "sentence_score": round(sentence.score, 4),
            "matched": sorted({self.terms.texts[one[0]] for one in sentence.relations if one}),
            "value_span": None if value is None else [value.start, value.end],
        }
        answer = text[sentence.start : sentence.end]
        return Reading(
            text=answer,
            value=None if value is None else text[value.start : value.end],
            quotes=(Quote(sentence.passage, answer, sentence.start, sentence.end),),
            trace=trace,
        )


def _joined(touched: Sequence[Sentence], passage: int, start: int, end: int) -> Sentence:
    if len(touched) == 1:
        one = touched[0]
        if one.start <= start and end <= one.end:
            return one
    return Sentence(
        passage,
        min([start, *(one.start for one in touched)]),
        max([end, *(one.end for one in touched)]),
        [token for one in touched for token in one.tokens],
        [relation for one in touched for relation in one.relations],
        max((one.score for one in touched), default=0.0),
    )


def _abstention(reason: str) -> Reading:
    return Reading("", abstained=True, reason=reason)


def _check(pattern: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as "possible nested set": legal, and nothing to tell a user of gw
            re.compile(pattern)
    except re.error as error:
        where = "" if error.pos is None else f" at position {error.pos}"
        raise UsageError(
            f"bad pattern: {error.msg}{where}: {pattern}",
            hint="a Python regular expression with a named group, such as '(?P<value>\\d+ days)'",
        ) from error
    except (RecursionError, OverflowError) as error:
        raise UsageError(f"bad pattern: too large or too deeply nested: {pattern[:60]}") from error


@hookimpl
def gw_register_readers(register: Register[Reader]) -> None:
    register(
        "regex",
        "gw_plugins.readers.regex:Regex",
        help="one exact sentence and the short span in it, by words and shapes or by a pattern; no model; the default",
    )
