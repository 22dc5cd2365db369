"""Conformance of verifiers; see :class:`gw_core.protocols.Verifier`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gw_core.model import Check, Passage, Quote, Reading, Reread, Verdict
from gw_core.protocols import Verifier
from gw_core.testing.readers import passages_of
from gw_core.testing.samples import ODD_TEXTS, SCRIPTS

QUESTION = "How long are logs kept?"
TEXTS = ("Backups are made each night. Logs are kept for thirty days.", "The gearbox needs oil.")


def rereads_of(reading: Reading, passages: Sequence[Passage]) -> list[Reread]:
    """What re-reading says of the quotes that stand in their passages: that they stand there."""
    found = []
    for quote in reading.quotes:
        passage = passages[quote.passage] if quote.passage < len(passages) else None
        if passage is not None and quote.text and (at := passage.text.find(quote.text)) >= 0:
            start = passage.start + at
            found.append(Reread(passage.path, start, start + len(quote.text), quote.text, Verdict.VERIFIED))
    return found


class VerifierConformance:
    """Subclass it and implement :meth:`make`.

    ``supported`` is a reading of :data:`TEXTS` that must be judged better than ``unsupported``.
    """

    supported = Reading("Logs are kept for thirty days.", quotes=(Quote(0, "Logs are kept for thirty days.", 29, 59),))
    unsupported = Reading("Logs are kept for ninety years.", quotes=(Quote(0, "Logs are kept for ninety years."),))

    def make(self) -> Verifier:
        raise NotImplementedError

    def check(self, reading: Reading, passages: Sequence[Passage], question: str = QUESTION) -> Check:
        verifier = self.make()
        check = verifier.check(question, reading, passages, rereads_of(reading, passages))
        assert isinstance(check, Check)
        assert check.verifier == verifier.identity.name
        assert math.isfinite(check.score)
        assert 0 <= check.score <= 1
        assert check.score == 1 or check.reason, "an objection says what it objects to"
        return check

    def test_it_is_a_verifier_with_a_stable_identity(self) -> None:
        verifier = self.make()
        assert isinstance(verifier, Verifier)
        assert verifier.identity.name
        assert verifier.identity.version
        assert str(verifier.identity) == str(self.make().identity)

    def test_support_scores_above_invention(self) -> None:
        passages = passages_of(*TEXTS)
        assert self.check(self.supported, passages).score > self.check(self.unsupported, passages).score

    def test_the_same_reading_is_judged_the_same(self) -> None:
        passages = passages_of(*TEXTS)
        assert self.check(self.supported, passages) == self.check(self.supported, passages)

    def test_an_abstention_can_be_judged(self) -> None:
        self.check(Reading("", abstained=True, reason="nothing found"), passages_of(*TEXTS))

    def test_without_passages_nothing_is_supported(self) -> None:
        assert self.check(self.supported, []).score < 1

    def test_no_text_raises(self) -> None:
        for text in (*SCRIPTS, *(odd[:5_000] for odd in ODD_TEXTS if odd.strip())):
            reading = Reading(text, quotes=(Quote(0, text, 0, len(text)), Quote(7, text), Quote(0, "")))
            self.check(reading, passages_of(text, *SCRIPTS), question=text)
