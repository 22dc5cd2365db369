"""A golden set against its corpus: where its quotes stand, and all that is broken in its judgments.

Documents are read as an ingest reads them, by the same loaders, so that quotes of a PDF or a notebook can be found too.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from gw_core.ask import stands_in
from gw_core.bench.golden import Golden
from gw_core.bench.golden_entry import Problem, Question, Quoted, short
from gw_core.corpus import REASONS, Found, Skipped, walk
from gw_core.errors import GwError, LoadError, UsageError
from gw_core.files import read_regular
from gw_core.ingest import load_document
from gw_core.model import Span
from gw_core.settings import CorpusSettings
from gw_core.text.lines import Lines
from gw_core.trial import Place
from gw_core.workspace import Workspace

_MANY = 5000  # paths among which a misspelt one is looked for
_LONG = 200  # characters of its name that are compared
_KEPT = 8  # texts of documents that are kept for the questions to come
_SHOWN = 5  # lines that are named where a quote stands more than once
_COUNTED = 100  # places of a quote, after which there is no point in more


@dataclass(frozen=True, slots=True)
class Located:
    """The places of the quotes of each question, by its id, and what is wrong. A question with an error has none."""

    places: Mapping[str, tuple[Place, ...]]
    problems: tuple[Problem, ...]


def check(golden: Golden, workspace: Workspace) -> list[Problem]:
    """All that is wrong with a golden set, in the order of its lines. ``workspace`` is that of ``golden.root``."""
    problems = [*golden.problems, *locate(golden, workspace).problems]
    return [replace(one, file=str(golden.path)) for one in sorted(problems, key=lambda one: one.line)]


def locate(golden: Golden, workspace: Workspace) -> Located:
    """Find every document and every quote."""
    corpus = Documents(golden, workspace)
    places: dict[str, tuple[Place, ...]] = {}
    problems: list[Problem] = []
    # A document's questions one after another, so that it is read once.
    for question in sorted(golden.questions, key=lambda one: (sorted(one.documents), one.line)):
        found, wrong = _judge(question, corpus)
        problems += wrong
        if not any(one.level == "error" for one in wrong):
            places[question.id] = found
    return Located(places, tuple(sorted(problems, key=lambda one: one.line)))


def _judge(question: Question, corpus: Documents) -> tuple[tuple[Place, ...], list[Problem]]:
    label = question.label
    places: list[Place] = []
    problems: list[Problem] = []
    unreadable = set()
    for document in question.documents:
        missing = corpus.missing(document)
        if missing:
            unreadable.add(document)
            problems.append(Problem(label, question.line, *missing))
    for quote in question.quotes:
        if quote.document in unreadable:
            continue
        found = spans_of(quote.text, corpus.text(quote.document))
        if len(found) == 1:
            places.append(Place(quote.document, found[0].start, found[0].end))
        else:
            problems.append(Problem(label, quote.line, *_not_once(quote, found, corpus)))
    if not problems:
        problems += _answers(question, label)
    return tuple(places), problems


def _not_once(quote: Quoted, found: Sequence[Span], corpus: Documents) -> tuple[str, str]:
    """Problem and hint for a quote that stands nowhere, or in several places."""
    what = f"the quote {short(quote.text)!r}"
    text = corpus.text(quote.document)
    if found:
        lines = Lines(text)
        shown = ", ".join(str(lines.line(span.start)) for span in found[:_SHOWN])
        shown += ", ..." if len(found) > _SHOWN else ""
        times = f"{len(found)} times" if len(found) < _COUNTED else f"{_COUNTED} times or more"
        return f"{what} stands {times} in {quote.document}: lines {shown}", "quote more, until it is unique"
    if len(spans_of(quote.text.casefold(), text.casefold())) == 1:
        return f"{what} stands in {quote.document} with other capitals only", "quotes are exact"
    return f"{what} does not stand in {quote.document}", "quotes are exact, white space apart"


def _answers(question: Question, label: str) -> Iterable[Problem]:
    """An answer that stands in no quote may be right ("yes"), but is more often a slip."""
    if not question.answers or not question.quotes:
        return
    quoted = [quote.text.casefold() for quote in question.quotes]
    if not any(stands_in(answer.casefold(), text) for answer in question.answers for text in quoted):
        problem = f"the answer {short(question.answers[0])!r} stands in none of the quotes"
        yield Problem(
            label,
            question.line,
            problem,
            "gw finds answers in the text: one that isn't there is never found",
            level="warning",
        )


def spans_of(quote: str, text: str) -> list[Span]:
    """Where a quote stands: exactly, or else, if it stands nowhere so, with other white space between its words.

    Of more than a hundred places, the first hundred.
    """
    found: list[Span] = []
    at = text.find(quote)
    while at >= 0 and len(found) < _COUNTED:
        found.append(Span(at, at + len(quote)))
        at = text.find(quote, at + 1)
    if found or not quote.strip():
        return found
    words = r"\s+".join(map(re.escape, quote.split()))
    return [Span(*match.span()) for match in islice(re.finditer(words, text), _COUNTED)]


class Documents:
    """The files of a golden set's corpus, as an ingest sees them."""

    def __init__(self, golden: Golden, workspace: Workspace) -> None:
        self._golden = golden
        self._pipeline = workspace.pipeline
        self._texts: dict[str, str | LoadError] = {}

    @cached_property
    def _walked(self) -> tuple[frozenset[str], tuple[Skipped, ...]]:
        root = self._golden.root
        paths = corpus_paths(self._golden.path, root, self._golden.paths, self._pipeline.corpus)
        found: set[str] = set()
        skipped = []
        for one in walk(root, [os.path.relpath(path, root) for path in paths], self._pipeline.corpus):
            if isinstance(one, Found):
                found.add(one.path)
            else:
                skipped.append(one)
        return frozenset(found), tuple(skipped)

    def missing(self, document: str) -> tuple[str, str] | None:
        """Problem and hint for a document that the corpus doesn't have, or that has no text."""
        files, skipped = self._walked
        if document in files:
            text = self._load(document)
            if isinstance(text, LoadError):
                return f"{document} has no text: {text.message}", text.hint
            return None
        for one in skipped:
            if document == one.path or (one.path.endswith("/") and document.startswith(one.path)):
                return f"{document} is left out of the corpus: {REASONS.get(one.reason, one.reason)}", one.detail
        if os.path.isdir(os.path.join(self._golden.root, document)):  # noqa: PTH112, PTH118 - a name may be no name at all
            return f"{document} is a folder", "name the files in it"
        near = difflib.get_close_matches(document[:_LONG], sorted(files)[:_MANY], n=1)
        same = sorted(one for one in files if posixpath.basename(one) == posixpath.basename(document))
        guess = next(iter([*same[:1], *near]), "")
        hint = f"did you mean {guess!r}?" if guess else f"documents count from {self._golden.root}"
        return f"there is no document {short(document, 200)!r} in the corpus", hint

    def text(self, document: str) -> str:
        """The text as gw indexes it. Raises LoadError where there is none."""
        loaded = self._load(document)
        if isinstance(loaded, LoadError):
            raise loaded
        return loaded

    def _load(self, document: str) -> str | LoadError:
        kept = self._texts.pop(document, None)
        if kept is None:
            kept = self._read(document)
        self._texts[document] = kept
        while len(self._texts) > _KEPT:
            del self._texts[next(iter(self._texts))]
        return kept

    def _read(self, document: str) -> str | LoadError:
        loader, _ = self._pipeline.loader_for(document)
        try:
            data, _ = read_regular(self._golden.root, document, self._pipeline.corpus.max_bytes)
            return load_document(loader, data, hashlib.sha256(data).hexdigest(), document).text
        except LoadError as error:
            return error
        except GwError as error:  # an extra that is missing, say
            return LoadError(error.message, hint=error.hint)


def corpus_paths(
    golden: Path, root: Path, paths: Sequence[Path], settings: CorpusSettings | None = None
) -> tuple[Path, ...]:
    """What to ingest for a golden file over ``paths`` in ``root`` (none: all of it), so that the file itself is no part
    of its corpus: it holds every question.

    A path above the file is replaced by all that lies beside the file and the folders that it is in. None means all of
    the root. Raises UsageError where the file itself is named.
    """
    own = golden.resolve()
    tops = tuple(paths) or (root,)
    if own in tops:
        raise UsageError(f"{golden}: the golden file itself is named as its corpus")
    holding = [top for top in tops if own.is_relative_to(top)]
    if not holding:
        return tuple(paths)
    found = {Path(root, one.path) for one in walk(root, holding, settings) if isinstance(one, Found)}
    if own not in found:
        return tuple(paths)
    beside = {_apart(file, own, top) for file in found - {own} for top in holding if file.is_relative_to(top)}
    return tuple(sorted({*beside, *(top for top in tops if top not in holding)}))


def _apart(file: Path, own: Path, top: Path) -> Path:
    """The topmost of ``file`` and the folders that it is in, below ``top``, that does not hold ``own``."""
    steps = [file, *file.parents]
    below = steps[: steps.index(top)]
    return next(path for path in reversed(below) if not own.is_relative_to(path))


def quote_of(text: str, span: Span) -> Span:
    """The span, widened by whole words on both sides until its text stands once in ``text``; white space is left out
    at its ends.

    Raises UsageError where even the whole text would not do, and for a span with nothing in it.
    """
    start, end = span.start, min(span.end, len(text))
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end -= len(text[start:end]) - len(text[start:end].rstrip())
    if start >= end:
        raise UsageError("there is nothing to quote: the span holds only white space")
    words = [found.span() for found in re.finditer(r"\S+", text)]
    first = next(at for at, (_, stop) in enumerate(words) if stop > start)
    last = next(at for at in range(len(words) - 1, -1, -1) if words[at][0] < end)
    while len(spans_of(text[start:end], text)) > 1:
        first, last = max(first - 1, 0), min(last + 1, len(words) - 1)
        start, end = words[first][0], words[last][1]
    return Span(start, end)
