"""From a question to passages: search, rescore, rerank, collapse copies, stitch, and re-read each from its source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from pathlib import PurePosixPath
from typing import Any

from gw_core.confidence import Confidence, confidence
from gw_core.duplicates import collapse
from gw_core.errors import PluginError, UsageError
from gw_core.evidence import Evidence, evidence_of
from gw_core.model import Hit, Passage
from gw_core.pipeline import Pipeline
from gw_core.protocols import Backend
from gw_core.query import Query, parse
from gw_core.rescore import rescore
from gw_core.seams import checked_matches
from gw_core.stitch import stitch
from gw_core.store import Catalogue, ChunkRanges


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked of a search.

    ``scope`` holds globs over relative paths, as in .gitignore; ``below`` holds relative paths of files or folders.
    A document must fit both. What is None comes from the configuration.
    """

    text: str
    k: int | None = None
    scope: tuple[str, ...] = ()
    below: tuple[str, ...] | None = None
    backend: str | None = None
    rerank: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, best first, and how far its words can be trusted to mean it.

    ``looked_at`` counts the ``documents`` and ``chunks`` of the index; ``collapsed`` the copies folded into others.
    """

    query: Query
    evidence: tuple[Evidence, ...]
    confidence: Confidence
    backend: str
    looked_at: dict[str, int]
    collapsed: int = 0
    notes: tuple[str, ...] = ()


def check_request(request: Search) -> Query:
    """The parsed query of a request that can be answered. Raises UsageError for one that can't."""
    query = parse(request.text)
    if not query.terms:
        raise UsageError("there is no word to search for", hint='for example: gw search "error budget"')
    if request.k is not None and request.k < 1:
        raise UsageError(f"k must be 1 or more, not {request.k}")
    return query


def search(pipeline: Pipeline, catalogue: Catalogue, request: Search) -> SearchResult:
    """Find the passages for ``request``. Every one is cited, and re-read from its source.

    Raises UsageError for a query without a word in it, or a k below 1, and IndexVersionError where the backend's index
    is not up to date.
    """
    query = check_request(request)
    name = request.backend or pipeline.config.retrieve.backend
    with catalogue.snapshot():
        backend = pipeline.open_backend(name, catalogue)
        return _Search(pipeline, catalogue, query, name, backend).run(request)


class _Search:
    """One search on its way to passages."""

    def __init__(self, pipeline: Pipeline, catalogue: Catalogue, query: Query, name: str, backend: Backend) -> None:
        self._pipeline = pipeline
        self._catalogue = catalogue
        self._query = query
        self._name = name
        self._backend = backend

    def run(self, request: Search) -> SearchResult:
        settings = self._pipeline.config.retrieve
        k = settings.k if request.k is None else request.k
        counts = self._catalogue.counts()
        looked_at = {"documents": counts["documents"], "chunks": counts["chunks"]}
        scope = None
        if request.below is not None or request.scope:
            scope = self._catalogue.scope(acceptor(request))
            looked_at["chunks"] = len(scope)
        pool = min(max(settings.pool, k + k // 4), max(counts["chunks"], 1))
        hits, sure = self._hits(pool, scope)
        for name, reranker in self._pipeline.rerankers(request.rerank):
            hits = reranked(name, reranker.rerank(self._query, hits), hits)
        kept = collapse(hits)
        return SearchResult(
            query=self._query,
            evidence=tuple(
                evidence_of(self._catalogue, self._pipeline.sources, one) for one in self._passages(kept, k)
            ),
            confidence=sure,
            backend=self._name,
            looked_at=looked_at,
            collapsed=len(hits) - len(kept),
        )
