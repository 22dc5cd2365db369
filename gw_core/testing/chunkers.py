"""Conformance of chunkers; see :class:`gw_core.protocols.Chunker`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import pairwise

import pytest

from gw_core.model import ChunkSpan, Document
from gw_core.protocols import Chunker
from gw_core.seams import checked_spans
from gw_core.testing.samples import ODD_TEXTS, SCRIPTS, random_texts

PROSE = "\n\n".join(
    f"# Chapter {number}\n\n" + " ".join(f"This is sentence {at} of chapter {number}." for at in range(60))
    for number in range(12)
)


class ChunkerConformance:
    """Subclass it, implement :meth:`make` and set ``bound``.

    ``bound`` is the hard upper limit of a chunk's length in code points; ``kinds`` the kinds of document to try.
    """

    bound: int
    kinds: tuple[str, ...] = ("text", "markdown", "code")

    def make(self) -> Chunker:
        raise NotImplementedError

    def document(self, text: str, kind: str = "text") -> Document:
        data = text.encode("utf-8", "surrogatepass")
        return Document("some/file.txt", text, hashlib.sha256(data).hexdigest(), len(data), kind=kind)

    def spans(self, text: str, kind: str = "text") -> list[ChunkSpan]:
        """The spans of a document, checked: in order, none empty or too long, nothing visible left out."""
        found = checked_spans(self.make(), self.document(text, kind))
        for span in found:
            assert len(span) <= self.bound, f"{len(span)} characters, {self.bound} are the most"
            for context in span.context:
                assert context.end <= len(text)
                assert not context.overlaps(span), "a context that is part of the chunk is shown twice"
        return found

    def texts(self) -> Iterator[str]:
        yield PROSE
        yield from ODD_TEXTS
        yield from ("\n".join(SCRIPTS * 30), "".join(SCRIPTS) * 30)
        yield from random_texts(60, 400)

    def test_it_is_a_chunker_with_a_stable_identity(self) -> None:
        chunker = self.make()
        assert isinstance(chunker, Chunker)
        assert chunker.identity.name
        assert chunker.identity.version
        assert str(chunker.identity) == str(self.make().identity)

    def test_spans_hold_every_visible_character_within_the_bound(self) -> None:
        for kind in self.kinds:
            for text in self.texts():
                self.spans(text, kind)

    def test_the_same_document_is_cut_the_same(self) -> None:
        chunker = self.make()
        for text in self.texts():
            assert list(chunker.spans(self.document(text))) == self.spans(text)

    def test_white_space_alone_makes_no_chunk(self) -> None:
        for text in ("", " ", "\n\n\t\r\n", "\u2028\u3000"):
            assert self.spans(text) == []

    def test_a_short_text_is_one_chunk(self) -> None:
        spans = self.spans("One short sentence.")
        assert [(span.start, span.end) for span in spans] == [(0, 19)]

    def test_a_long_text_is_more_than_one_chunk(self) -> None:
        spans = self.spans("\n\n".join([PROSE] * (self.bound // len(PROSE) + 2)))
        assert len(spans) > 1

    def test_no_chunk_lies_within_its_neighbour(self) -> None:
        for text in self.texts():
            spans = self.spans(text)
            for before, after in pairwise(spans):
                assert not before.contains(after)
                assert not after.contains(before)

    @pytest.mark.parametrize("unit", ["x", "word ", "東", "e\u0301", "a\r\n", "\n", "{"])
    def test_a_great_deal_of_one_thing_is_cut(self, unit: str) -> None:
        self.spans(unit * (300_000 // len(unit)))
