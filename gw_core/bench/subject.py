"""gw itself as the system under test."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from gw_core.evidence import Evidence
from gw_core.ingest import IngestReport
from gw_core.trial import Answered, Place, Retrieved
from gw_core.workspace import Workspace

if TYPE_CHECKING:
    from gw_core.ask import Answer
    from gw_core.retrieve import SearchResult

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asking:
    """How gw is asked; None: as it is configured."""

    backend: str | None = None
    rerank: tuple[str, ...] | None = None
    reader: str | None = None


class GwSubject:
    """A workspace with a corpus in it. ``seconds`` sums up the wall time of all that was asked.

    The first question is asked twice and timed once: what is imported and opened then is no part of a latency.
    """

    def __init__(self, workspace: Workspace, asking: Asking, report: IngestReport) -> None:
        self._workspace = workspace
        self._asking = asking
        self.seconds = 0.0
        self._cold = {"search", "ask"}
        status = workspace.status()
        self.passages = status.chunks
        self.facts: Mapping[str, Any] = {
            "corpus_sha256": workspace.fingerprint(),
            "documents": status.documents,
            "passages": status.chunks,
            "bytes": status.bytes,
            "index_bytes": status.index_bytes,
            "ingested_bytes": report.bytes_read,
            "ingest_seconds": round(report.seconds, 3),
        }

    def search(self, question: str, k: int) -> Retrieved:
        result, seconds = self._timed("search", lambda: self._search(question, k))
        return Retrieved(_places(result.evidence), seconds)

    def ask(self, question: str) -> Answered:
        answer, seconds = self._timed("ask", lambda: self._ask(question))
        return Answered(
            text=answer.text,
            value=answer.value,
            abstained=answer.abstained,
            grounding=answer.grounding.value,
            verdicts=tuple(one.verification.verdict.value for one in answer.citations),
            places=_places(answer.citations),
            seconds=seconds,
        )

    def _search(self, question: str, k: int) -> SearchResult:
        asking = self._asking
        return self._workspace.search(question, k=k, backend=asking.backend, rerank=asking.rerank)

    def _ask(self, question: str) -> Answer:
        asking = self._asking
        return self._workspace.ask(question, backend=asking.backend, rerank=asking.rerank, reader=asking.reader)

    def _timed(self, verb: str, call: Callable[[], T]) -> tuple[T, float]:
        if verb in self._cold:
            self._cold.discard(verb)
            call()
        began = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - began
        self.seconds += seconds
        return result, seconds


def _places(evidence: Sequence[Evidence]) -> tuple[Place, ...]:
    return tuple(Place(one.passage.path, one.passage.start, one.passage.end) for one in evidence)
