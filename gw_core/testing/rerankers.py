"""Conformance of rerankers; see :class:`gw_core.protocols.Reranker`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gw_core.model import Hit
from gw_core.protocols import Reranker
from gw_core.query import parse
from gw_core.testing.index import make_chunks
from gw_core.testing.samples import ODD_TEXTS, RAW_QUERIES, SCRIPTS

TEXTS = (
    "logs are kept for thirty days and then deleted",
    "logs are kept for thirty days and then removed",
    "the gearbox needs new oil every second winter",
    "penguins breed on the ice shelf in complete darkness",
    "logs",
)


def hits_of(texts: Sequence[str]) -> list[Hit]:
    """Hits in the order of ``texts``, with falling scores."""
    return [Hit(chunk, rank, 10.0 / rank) for rank, chunk in enumerate(make_chunks(texts), 1)]


class RerankerConformance:
    """Subclass it and implement :meth:`make`."""

    def make(self) -> Reranker:
        raise NotImplementedError

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """A new order, checked: nothing invented, nothing twice, no chunk altered, the hits given left as they were."""
        given = list(hits)
        after = list(self.make().rerank(parse(question), hits))
        assert list(hits) == given
        chunks = {hit.chunk.id: hit.chunk for hit in given}
        assert len({hit.chunk.id for hit in after}) == len(after), "a hit twice"
        for hit in after:
            assert isinstance(hit, Hit)
            assert chunks.get(hit.chunk.id) == hit.chunk, "a hit that was not given"
            assert math.isfinite(hit.score)
        return after

    def test_it_is_a_reranker_with_a_stable_identity(self) -> None:
        reranker = self.make()
        assert isinstance(reranker, Reranker)
        assert reranker.identity.name
        assert reranker.identity.version
        assert str(reranker.identity) == str(self.make().identity)

    def test_no_hits_stay_no_hits(self) -> None:
        assert self.rerank("logs", []) == []

    def test_a_single_hit_stays(self) -> None:
        assert [hit.chunk.id for hit in self.rerank("how long are logs kept", hits_of(TEXTS[:1]))] == [1]

    def test_it_only_reorders_or_drops(self) -> None:
        for texts in (TEXTS, TEXTS[::-1], SCRIPTS, [text[:2_000] for text in ODD_TEXTS], ["same"] * 8):
            self.rerank("how long are logs kept", hits_of(texts))

    def test_the_same_hits_give_the_same_order(self) -> None:
        hits = hits_of([*TEXTS, *SCRIPTS])
        first = [hit.chunk.id for hit in self.rerank("logs and oil", hits)]
        assert [hit.chunk.id for hit in self.rerank("logs and oil", hits)] == first

    def test_no_query_raises(self) -> None:
        for question in RAW_QUERIES:
            self.rerank(question, hits_of(TEXTS))
