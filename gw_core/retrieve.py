"""From a question to passages: search, rescore, rerank, collapse copies, stitch, and re-read each from its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from gw_core.confidence import Confidence, confidence
from gw_core.duplicates import collapse
from gw_core.errors import PluginError, UsageError
from gw_core.evidence import Evidence, evidence_of
from gw_core.files import path_bytes
from gw_core.ignore import Rules
from gw_core.model import Chunk, Hit, Match, Passage
from gw_core.pipeline import Pipeline
from gw_core.protocols import Backend
from gw_core.query import Query, parse
from gw_core.rescore import rescore
from gw_core.rows import ChunkRanges
from gw_core.seams import frequencies, running, searched
from gw_core.stitch import stitch
from gw_core.store import Catalogue


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked of a search.

    ``scope`` holds globs over relative paths (see :func:`acceptor`), ``below`` relative paths of files or folders. A
    document must fit both. What is None comes from the configuration.
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

    ``looked_at`` counts the ``documents`` and ``chunks`` that the search was limited to, ``collapsed`` the copies that
    were folded into others.
    """

    query: Query
    evidence: tuple[Evidence, ...]
    confidence: Confidence
    backend: str
    looked_at: dict[str, int]
    collapsed: int = 0
    notes: tuple[str, ...] = ()


RARE, RARE_WORDS = 25, 2
"""The rarest words of a question that stand in at most so many chunks, and how many of these words have their chunks
scored, whatever the backend thinks of them."""

_EMPTY = "the index is empty: gw ingest PATH fills it"
_UNFINISHED = "the last ingest has not come to its end: what is still missing is not found (gw ingest goes on with it)"


def check_request(request: Search) -> Query:
    """The parsed query of a request that can be answered. Raises UsageError for one that can't."""
    query = parse(request.text)
    if not query.terms:
        raise UsageError("there is no word to search for", hint="a question needs a letter or a digit")
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
            looked_at = {"documents": scope.documents, "chunks": len(scope)}
        pool = min(max(settings.pool, k + k // 4), max(counts["chunks"], 1))
        hits, sure = self._hits(pool, scope)
        for name, reranker in self._pipeline.rerankers(request.rerank):
            with running(f"reranker {name!r}", "a search"):
                returned = list(reranker.rerank(self._query, hits))
            hits = reranked(name, returned, hits)
        passages, collapsed = self._passages(hits, k)
        return SearchResult(
            query=self._query,
            evidence=tuple(evidence_of(self._catalogue, self._pipeline.sources, one) for one in passages),
            confidence=sure,
            backend=self._name,
            looked_at=looked_at,
            collapsed=collapsed,
            notes=self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        if not self._catalogue.counts()["documents"]:
            return (_EMPTY,)
        return (_UNFINISHED,) if self._catalogue.unfinished else ()

    def _hits(self, pool: int, scope: ChunkRanges | None) -> tuple[list[Hit], Confidence]:
        """The backend's matches as hits, best first, and how sure the words make them."""
        matches = searched(self._name, self._backend, self._query, pool, scope=scope)
        df: dict[str, int] = {}
        if self._backend.lexical:
            forms = self._query.forms
            counts = frequencies(self._name, self._backend, list(dict.fromkeys(forms.values())))
            df = {term: counts[form] for term, form in forms.items()}
            if len(matches) == pool:
                matches += self._with_rare_words(df, {match.chunk_id for match in matches}, scope)
        chunks = self._catalogue.chunks([match.chunk_id for match in matches])
        if len(chunks) != len(matches):
            raise PluginError(
                f"backend {self._name!r} returned chunks that do not exist", hint="gw ingest --rebuild makes it anew"
            )
        if not self._backend.lexical:
            # Likeness of meaning is no matter of words: its own order stands, and it says nothing of how sure it is.
            hits = [
                Hit(chunk, rank, match.score, {"backend": self._name, **match.why})
                for rank, (match, chunk) in enumerate(zip(matches, chunks, strict=True), 1)
            ]
            threshold = self._pipeline.config.ask.threshold
            return hits, Confidence(1.0 if hits else 0.0, threshold, bool(hits), "" if hits else "nothing was found")
        return self._rescored(matches, chunks, df)

    def _with_rare_words(self, df: Mapping[str, int], known: Set[int], scope: ChunkRanges | None) -> list[Match]:
        """The chunks with the question's rarest words that are not ``known`` yet.

        Among many chunks that hold all words but the one that tells them apart, the one that holds it too need not be
        among the best of the backend, if it is longer.
        """
        rare = sorted((count, term) for term, count in df.items() if 0 < count <= RARE and term in self._query.content)
        if not rare:
            return []
        words = tuple(term for _, term in rare[:RARE_WORDS])
        query = replace(self._query, text=" ".join(words), terms=words, compounds=())
        found = searched(self._name, self._backend, query, RARE, scope=scope)
        return [match for match in found if match.chunk_id not in known]

    def _rescored(
        self, matches: Sequence[Match], chunks: Sequence[Chunk], df: Mapping[str, int]
    ) -> tuple[list[Hit], Confidence]:
        total = self._catalogue.counts()["chunks"]
        found = rescore(self._query, chunks, matches, df, total)
        by_id = {chunk.id: chunk for chunk in chunks}
        # Equal scores stand in the order of their places, which no re-ingest changes, as it changes ids.
        placed = [(by_id[one.chunk_id], one) for one in found.ranked]
        placed.sort(key=lambda pair: (-pair[1].score, path_bytes(pair[0].path), pair[0].start))
        hits = [
            Hit(chunk, rank, one.score, {"backend": self._name, **one.why})
            for rank, (chunk, one) in enumerate(placed, 1)
        ]
        threshold = self._pipeline.config.ask.threshold
        return hits, confidence(self._query, found.idf, found.bm25, total, threshold)

    def _passages(self, hits: Sequence[Hit], k: int) -> tuple[list[Passage], int]:
        """The best ``k`` passages, and how many copies were folded into others.

        Copies share a hit and neighbours share a passage, so that more hits than passages are wanted; how many more
        is seen when some have been looked at.
        """

        def text_of(path: str, start: int, end: int) -> str:
            row = self._catalogue.document(path)
            return "" if row is None else self._catalogue.text(row, start, end)

        count = 2 * k + 4
        while True:
            while 0 < count < len(hits) and hits[count].score == hits[count - 1].score:
                count += 1  # copies score alike: none of them is left behind
            kept = collapse(hits[:count], self._query.terms)
            wanted = k
            while True:
                passages = stitch(kept[:wanted], text_of)
                if len(passages) >= k:
                    return passages[:k], min(count, len(hits)) - len(kept)
                if wanted >= len(kept):
                    break
                wanted += k - len(passages)
            if count >= len(hits):
                return passages, len(hits) - len(kept)
            count *= 2


def acceptor(request: Search) -> Callable[[str], bool]:
    """Which paths a search is limited to: below one of the named paths, and what the globs say.

    Globs are patterns as in .gitignore, the last that matches a path or a folder it is in decides, and ``!`` takes
    back; where there are only such, the rest is in.
    """
    below, globs = request.below, [glob.encode("utf-8", "surrogateescape") for glob in request.scope]
    rules = Rules(globs, b"/", "--scope")
    otherwise = all(glob.startswith(b"!") for glob in globs)

    def accept(path: str) -> bool:
        if below is not None and not any(_is_below(path, one) for one in below):
            return False
        parts = path_bytes(path).split(b"/")
        accepted = otherwise
        for depth, name in enumerate(parts, 1):
            rule = rules.match(b"/" + b"/".join(parts[:depth]), name, depth < len(parts))
            if rule is not None:
                accepted = not rule.keeps
        return accepted

    return accept


def _is_below(path: str, top: str) -> bool:
    return top in ("", ".", path) or path.startswith(top + "/")


def reranked(name: str, returned: Sequence[Hit], given: Sequence[Hit]) -> list[Hit]:
    """What a reranker returned, ranked anew, if it kept its contract: some of the hits given, each once."""
    known = {hit.chunk.id for hit in given}
    ids = [hit.chunk.id for hit in returned]
    if len(set(ids)) != len(ids) or not known.issuperset(ids):
        raise PluginError(f"reranker {name!r} broke its contract: it returned hits twice, or made some up")
    return [replace(hit, rank=rank) for rank, hit in enumerate(returned, 1)]
