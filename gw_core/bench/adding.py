"""From a question and a hit over a golden set's corpus to the quote that its entry is judged by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gw_core.bench.golden import corpus_named_by, corpus_of
from gw_core.bench.golden_add import quoted_hit
from gw_core.bench.golden_check import corpus_paths, spans_of
from gw_core.bench.harness import Harness
from gw_core.citation import Citation
from gw_core.errors import UsageError
from gw_core.model import Passage, Span, Verdict
from gw_core.query import parse
from gw_core.retrieve import SearchResult
from gw_core.seams import answered
from gw_core.verify import Verification
from gw_core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Chosen:
    """A document, by its path from the corpus' root, and a quote that stands in it once."""

    document: str
    quote: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The hits for a question, to choose one of."""

    result: SearchResult
    _adding: Adding
    _workspace: Workspace

    def take(self, number: int, quote: str | None = None) -> Chosen:
        """The hit of this number, from 1. Raises UsageError where there is none, or the quote does not stand in it."""
        if not 1 <= number <= len(self.result.evidence):
            raise UsageError(f"there is no hit {number}", hint=f"{len(self.result.evidence)} were found")
        verification = self.result.evidence[number - 1].verification
        return self._adding.chosen(self._workspace, verification, self.result.query.text, quote)


class Adding:
    """A golden file, which may not exist yet, and its corpus: what the file says, else ``corpus``, else its folder."""

    def __init__(self, harness: Harness, golden: Path, corpus: Path | None = None) -> None:
        self._harness = harness
        self._golden = golden
        self._corpus = corpus

    @contextmanager
    def searched(self, question: str, k: int) -> Iterator[Candidates]:
        """The best ``k`` hits over the corpus."""
        if self._golden.exists():
            root, paths = corpus_named_by(self._golden)
        else:
            corpus = None if self._corpus is None else self._corpus.resolve()
            root, paths = corpus_of(self._golden, [] if corpus is None else [(1, str(corpus))])
        asking = self._harness.options.asking
        paths = corpus_paths(self._golden, root, paths, self._harness.config.corpus)
        with self._harness.workspace(root, paths) as workspace:
            self._harness.ingest(workspace, paths)
            result = workspace.search(question, k=k, backend=asking.backend, rerank=asking.rerank)
            if not result.evidence:
                raise UsageError(
                    "nothing was found for this question", hint="--abstain, if the corpus does not answer it"
                )
            yield Candidates(result, self, workspace)

    def cited(self, line: str, root: Path, question: str, quote: str | None = None) -> Chosen:
        """What a citation, relative to ``root``, cites. Raises UsageError unless it is verified."""
        with self._harness.workspace(root) as workspace:
            [verification] = workspace.verify([Citation.parse(line)])
            return self.chosen(workspace, verification, question, quote)

    def chosen(self, workspace: Workspace, one: Verification, question: str, quote: str | None) -> Chosen:
        """The quote: the words given, which must stand in the cited text, or the sentence in it that answers best."""
        citation = one.citation
        if one.verdict is not Verdict.VERIFIED:
            raise UsageError(f"what is cited is {one.verdict.value}: {citation}", hint="search again")
        text = workspace.pipeline.sources.read(citation.path, citation.decoder).text
        span = citation.span
        inner = _best(workspace, citation, question, text) if quote is None else _only(quote, span.of(text))
        span = Span(span.start + inner.start, span.start + inner.end)
        file = workspace.root / citation.path
        return Chosen(*quoted_hit(self._golden, file, text, span, self._corpus))


def _only(quote: str, text: str) -> Span:
    found = spans_of(quote, text)
    if not found:
        raise UsageError("the quote does not stand in this hit", hint="quotes are exact, white space apart")
    return found[0]


def _best(workspace: Workspace, citation: Citation, question: str, text: str) -> Span:
    """Where in the cited text the reader finds its answer; all of it, where it finds none."""
    cited = citation.span.of(text)
    whole = Span(0, len(cited))
    if not parse(question).terms:
        return whole
    name, reader = workspace.pipeline.reader()
    passage = Passage(citation.path, citation.start, citation.end, cited, 1.0)
    for quote in answered(name, reader, question, [passage]).quotes:
        if quote.start is not None and quote.end is not None and 0 <= quote.start < quote.end <= len(cited):
            return Span(quote.start, quote.end)
        if len(places := spans_of(quote.text, cited)) == 1:
            return places[0]
    return whole
