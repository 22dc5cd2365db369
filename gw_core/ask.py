"""From a question to an answer whose citations were checked: retrieve, judge the evidence, read, verify.

The reader only says which words of which passage answer. Where those words stand, whether they still stand there, and
whether the answer says anything that they do not, is decided here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gw_core.confidence import Confidence
from gw_core.evidence import Evidence, evidence_of
from gw_core.model import Check, Grounding, Passage, Quote, Reading, Reread, Span, Verdict
from gw_core.pipeline import Pipeline
from gw_core.protocols import Reader
from gw_core.query import is_gram
from gw_core.retrieve import Search, SearchResult, search
from gw_core.seams import answered, judged
from gw_core.store import Catalogue
from gw_core.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class Answer:
    """What ``ask`` returns.

    ``text`` is the reader's words (empty when it abstained), ``value`` the short span in them that answers;
    ``citations`` hold the exact spans that the text rests on, each re-read from its file; ``evidence`` the passages
    that were read. ``guess`` marks an answer that the evidence would have made gw withhold. ``unsupported`` lists
    sentences of ``text`` that no verified citation holds, and quotes that stand in no passage.
    """

    question: str
    text: str
    value: str | None
    abstained: bool
    reason: str
    guess: bool
    grounding: Grounding
    confidence: Confidence
    reader: str
    citations: tuple[Evidence, ...]
    evidence: tuple[Evidence, ...]
    unsupported: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    looked_at: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def trusted(self) -> bool:
        """An answer that was found, is grounded, and is no guess."""
        return not self.abstained and not self.guess and self.grounding is Grounding.GROUNDED


def ask(
    pipeline: Pipeline,
    catalogue: Catalogue,
    request: Search,
    *,
    reader_name: str | None = None,
    pattern: str | None = None,
    abstain: bool = True,
) -> Answer:
    """Answer ``request.text``. With ``pattern``, a regular expression finds the answer in the passages.

    Raises UsageError for a question without a word in it.
    """
    name, reader = pipeline.reader(reader_name, pattern=pattern)
    with catalogue.snapshot():
        result = search(pipeline, catalogue, request)
        session = _Session(pipeline, catalogue, result, name)
        # A pattern that matches is evidence of its own kind: how well the question's words did says nothing about it.
        weak = not result.confidence.enough and pattern is None
        if not session.readable:
            return session.abstention(session.why_nothing)
        if weak and abstain:
            return session.abstention(result.confidence.reason)
        return session.read(reader, guess=weak)


class _Session:
    """One question on its way to an answer."""

    def __init__(self, pipeline: Pipeline, catalogue: Catalogue, result: SearchResult, reader_name: str) -> None:
        self._pipeline = pipeline
        self._catalogue = catalogue
        self._result = result
        self._reader = reader_name
        # A passage whose file has changed cannot be cited any more: it is named, not read.
        self.readable = tuple(one for one in result.evidence if one.verified)
        changed = sorted({one.passage.path for one in result.evidence if not one.verified})
        self._notes = result.notes
        if changed:
            self._notes += (f"left out, changed since they were indexed (run gw ingest): {', '.join(changed)}",)

    @property
    def why_nothing(self) -> str:
        """Why there is nothing to read, for the user."""
        if self._result.evidence:
            return "all passages that fit have changed since they were indexed"
        return self._result.confidence.reason or "nothing in the index shares a word with the question"

    def abstention(self, reason: str) -> Answer:
        return self._answer(Reading("", abstained=True, reason=reason), (), Grounding.NOT, False)

    def read(self, reader: Reader, guess: bool) -> Answer:
        question = self._result.query.text
        passages = [one.passage for one in self.readable]
        reading = answered(self._reader, reader, question, passages)
        if reading.abstained or not reading.text.strip():
            reason = reading.reason or "the reader found no answer in the passages"
            return self.abstention(reason)
        citations: dict[tuple[str, int, int], Evidence] = {}
        unsupported: list[str] = []
        for quote in reading.quotes:
            place = locate(quote, passages)
            if place is None:
                unsupported.append(quote.text)
                continue
            passage = passages[quote.passage]
            span = Span(passage.start + place.start, passage.start + place.end)
            evidence = evidence_of(self._catalogue, self._pipeline.sources, _cut(passage, span))
            citations.setdefault((passage.path, span.start, span.end), evidence)
        verified = [one for one in citations.values() if one.verification.verdict is Verdict.VERIFIED]
        quoted = [one.passage.text for one in verified]
        unsupported += unquoted(reading.text, quoted)
        if reading.value is not None and not any(stands_in(reading.value, text) for text in quoted):
            unsupported.append(reading.value)
        grounding = _grounding(len(verified), len(citations), unsupported)
        rereads = [_reread(one) for one in citations.values()]
        checks = tuple(
            judged(verifier, question, reading, passages, rereads) for verifier in self._pipeline.verifiers()
        )
        if grounding is Grounding.GROUNDED and any(check.score < 1 for check in checks):
            grounding = Grounding.PARTLY
        return self._answer(reading, tuple(citations.values()), grounding, guess, tuple(unsupported), checks)

    def _answer(
        self,
        reading: Reading,
        citations: tuple[Evidence, ...],
        grounding: Grounding,
        guess: bool,
        unsupported: tuple[str, ...] = (),
        checks: tuple[Check, ...] = (),
    ) -> Answer:
        result = self._result
        return Answer(
            question=result.query.text,
            text=reading.text,
            value=reading.value,
            abstained=reading.abstained,
            reason=reading.reason,
            guess=guess,
            grounding=grounding,
            confidence=result.confidence,
            reader=self._reader,
            citations=citations,
            evidence=result.evidence,
            unsupported=unsupported,
            checks=checks,
            looked_at=result.looked_at,
            notes=self._notes,
            prompt_tokens=reading.prompt_tokens,
            completion_tokens=reading.completion_tokens,
        )


def locate(quote: Quote, passages: Sequence[Passage]) -> Span | None:
    """Where a quote stands in its passage's text, verbatim up to white space; None when it does not."""
    if not 0 <= quote.passage < len(passages) or not quote.text.strip():
        return None
    text = passages[quote.passage].text
    if quote.start is not None and quote.end is not None:
        stands = 0 <= quote.start < quote.end <= len(text) and text[quote.start : quote.end] == quote.text
        return Span(quote.start, quote.end) if stands else None
    loose = r"\s+".join(re.escape(word) for word in quote.text.split())
    found = re.search(loose, text)
    return Span(found.start(), found.end()) if found else None


def stands_in(value: str, text: str) -> bool:
    """Whether a value stands in a text, white space apart, and not as part of a word or number: no 5 in 2015."""
    value, text = " ".join(value.split()), " ".join(text.split())
    at = text.find(value) if value else -1
    while at >= 0:
        end = at + len(value)
        joined_before = _in_word(value[0]) and _in_word(text[at - 1 : at])
        joined_after = _in_word(value[-1]) and _in_word(text[end : end + 1])
        if not joined_before and not joined_after:
            return True
        at = text.find(value, at + 1)
    return False


def _in_word(char: str) -> bool:
    """Whether a character goes on a word. Scripts that do not part words have no edges to respect."""
    if not char or is_gram(char):
        return False
    return char == "_" or char.isalnum() or unicodedata.combining(char) > 0


def unquoted(text: str, quotes: Sequence[str]) -> list[str]:
    """The sentences of ``text`` that stand in none of the quotes, white space apart."""
    flat = [" ".join(quote.split()) for quote in quotes]
    lines = [" ".join(text.split())]
    if any(lines[0] in quote for quote in flat):
        return []
    found = [" ".join(span.of(text).split()) for span in sentences(text)]
    return [sentence for sentence in found if not any(sentence in quote for quote in flat)]


def _grounding(verified: int, cited: int, unsupported: Sequence[str]) -> Grounding:
    if verified == 0:
        return Grounding.NOT
    if verified < cited or unsupported:
        return Grounding.PARTLY
    return Grounding.GROUNDED


def _reread(cited: Evidence) -> Reread:
    passage = cited.passage
    return Reread(passage.path, passage.start, passage.end, passage.text, cited.verification.verdict)


def _cut(passage: Passage, span: Span) -> Passage:
    text = passage.text[span.start - passage.start : span.end - passage.start]
    return replace(passage, start=span.start, end=span.end, text=text)
