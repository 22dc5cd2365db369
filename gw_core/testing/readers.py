"""Conformance of readers; see :class:`gw_core.protocols.Reader`."""

from __future__ import annotations

import pytest

from gw_core.model import Passage, Reading
from gw_core.protocols import Reader
from gw_core.testing.samples import ODD_TEXTS, RAW_QUERIES, SCRIPTS

QUESTIONS = (
    ("How long are logs kept?", "Backups are made each night. Logs are kept for thirty days.", "thirty days"),
    ("Who wrote the first parser?", "The first parser was written by Mary Jones.\nIt was slow.", "Mary Jones"),
    ("When was the bridge opened?", "The bridge was opened in 1932. It is made of steel.", "1932"),
)


def passages_of(*texts: str) -> list[Passage]:
    """One passage for each text, standing at offset 100 of a file of its own."""
    return [
        Passage(f"texts/{number}.txt", 100, 100 + len(text), text, score=1.0 / number)
        for number, text in enumerate(texts, 1)
    ]


class ReaderConformance:
    """Subclass it and implement :meth:`make`.

    ``questions`` are triples of a question, a passage and what the answer must contain; replace them for a reader that
    is made for other things. ``deterministic = False`` is for readers that sample.
    """

    questions: tuple[tuple[str, str, str], ...] = QUESTIONS
    deterministic = True

    def make(self) -> Reader:
        raise NotImplementedError

    def read(self, question: str, *texts: str) -> Reading:
        """A reading, checked against the passages that it was made from."""
        passages = passages_of(*texts)
        reading = self.make().answer(question, passages)
        assert isinstance(reading, Reading)
        for quote in reading.quotes:
            assert 0 <= quote.passage < len(passages), "a quote from a passage that was not there"
            text = passages[quote.passage].text
            assert quote.text in text, "a quote that stands in no passage"
            if quote.start is not None:
                assert text[quote.start : quote.end] == quote.text
        if reading.abstained:
            assert reading.text == ""
            assert reading.value is None
            assert reading.reason, "an abstention says why"
        else:
            assert reading.text.strip()
            assert reading.value is None or reading.value in reading.text
        return reading

    def test_it_is_a_reader_with_a_stable_identity(self) -> None:
        reader = self.make()
        assert isinstance(reader, Reader)
        assert reader.identity.name
        assert reader.identity.version
        assert str(reader.identity) == str(self.make().identity)
        assert reader.window > 0
        assert reader.max_parallel >= 1

    def test_counting_tokens(self) -> None:
        reader = self.make()
        assert reader.count_tokens("") == 0
        assert 0 < reader.count_tokens("some words") <= reader.count_tokens("some words and some more of them")
        for text in (*SCRIPTS, *ODD_TEXTS):
            assert 0 <= reader.count_tokens(text) <= 4 * len(text) + 4

    def test_it_answers_from_the_passage(self) -> None:
        for question, text, expected in self.questions:
            reading = self.read(question, text)
            assert expected in reading.text, question
            assert reading.quotes, "an answer without a quote cannot be cited"

    def test_it_answers_from_the_right_passage(self) -> None:
        texts = [text for _, text, _ in self.questions]
        for number, (question, _, expected) in enumerate(self.questions):
            reading = self.read(question, *texts)
            assert expected in reading.text, question
            assert number in {quote.passage for quote in reading.quotes}

    def test_without_a_passage_it_abstains(self) -> None:
        assert self.read("How long are logs kept?").abstained

    def test_the_same_question_gives_the_same_reading(self) -> None:
        if not self.deterministic:
            pytest.skip("this reader samples")
        for question, text, _ in self.questions:
            first, second = self.read(question, text, *SCRIPTS), self.read(question, text, *SCRIPTS)
            assert (first.text, first.value, first.quotes) == (second.text, second.value, second.quotes)

    def test_no_question_raises(self) -> None:
        for question in RAW_QUERIES:
            self.read(question, *(text for _, text, _ in self.questions), *SCRIPTS)

    def test_no_passage_raises(self) -> None:
        for question, text, _ in self.questions:
            for odd in ODD_TEXTS:
                self.read(question, odd[:20_000])
                self.read(question, odd[:20_000], text)

    def test_questions_in_other_scripts(self) -> None:
        for text in SCRIPTS:
            self.read(text, *SCRIPTS)
