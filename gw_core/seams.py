"""What a plugin hands back, checked where it enters the core, so that a broken one is named and nothing goes astray.

A violation is a :class:`~gw_core.errors.PluginError` that names the component and says what it did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import apsw

from gw_core.errors import GwError, PluginError, described
from gw_core.model import Check, ChunkSpan, Document, Match, Passage, Reading, Reread

if TYPE_CHECKING:
    from gw_core.protocols import Backend, Chunker, Reader, Scope, Verifier
    from gw_core.query import Query


_OF_THE_FILE = (
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.FullError,
    apsw.IOError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.InterruptError,
)


@contextmanager
def running(component: str, task: str) -> Iterator[None]:
    """Turns whatever a plugin's code raises into a :class:`PluginError` that names it; errors of gw pass, and those
    of the index's file, which are nobody's bug."""
    try:
        yield
    except (GwError, *_OF_THE_FILE):
        raise
    except (Exception, SystemExit) as error:  # a plugin's bug must not end in a traceback, nor without a word
        raise PluginError(f"{component} failed on {task}: {described(error)}") from error


def searched(
    name: str,
    backend: Backend,
    query: Query,
    k: int,
    *,
    scope: Scope | None = None,
    exists: Callable[[Sequence[int]], Collection[int]] | None = None,
) -> list[Match]:
    """Ask a backend and check what it says; an exception of its own becomes a :class:`PluginError` too."""
    with running(f"backend {name!r}", "a search"):
        found = list(backend.search(query, k, scope))
    return checked_matches(name, found, k, scope=scope, exists=exists)


def checked_matches(
    name: str,
    matches: Iterable[Match],
    k: int,
    *,
    scope: Scope | None = None,
    exists: Callable[[Sequence[int]], Collection[int]] | None = None,
) -> list[Match]:
    """The matches of backend ``name`` as a list, if they keep the contract of :meth:`Backend.search`.

    That is: at most ``k``, finite scores, best first, ties by ascending chunk id, no chunk twice, all in ``scope``.
    ``exists`` says which of some chunk ids the catalogue knows; without it, unknown ids go unnoticed here.
    """
    found = list(matches)

    def broken(what: str) -> PluginError:
        return PluginError(f"backend {name!r} broke its contract: {what}")

    if len(found) > k:
        raise broken(f"{len(found)} matches where {k} were asked for")
    seen: set[int] = set()
    for match in found:
        if not isinstance(match, Match) or type(match.chunk_id) is not int:
            raise broken(f"a match that is none: {match!r}")
        if not isinstance(match.score, int | float) or not math.isfinite(match.score):
            raise broken(f"the score of chunk {match.chunk_id} is {match.score}")
        if match.chunk_id in seen:
            raise broken(f"chunk {match.chunk_id} twice")
        if scope is not None and match.chunk_id not in scope:
            raise broken(f"chunk {match.chunk_id} is outside the scope")
        seen.add(match.chunk_id)
    for before, after in pairwise(found):
        if (-before.score, before.chunk_id) > (-after.score, after.chunk_id):
            raise broken(
                f"not in order: chunk {after.chunk_id} ({after.score}) after {before.chunk_id} ({before.score})"
            )
    if exists is not None and found:
        unknown = seen.difference(exists([match.chunk_id for match in found]))
        if unknown:
            raise broken(f"there is no chunk {min(unknown)}")
    return found


def frequencies(name: str, backend: Backend, terms: Sequence[str]) -> dict[str, int]:
    """In how many chunks each term occurs, as the backend says."""
    with running(f"backend {name!r}", "document frequencies"):
        counts = list(backend.df(terms))
    if len(counts) != len(terms) or any(type(count) is not int or count < 0 for count in counts):
        raise PluginError(f"backend {name!r} broke its contract: {len(terms)} terms have the frequencies {counts}")
    return dict(zip(terms, counts, strict=True))


def answered(name: str, reader: Reader, question: str, passages: Sequence[Passage]) -> Reading:
    """What a reader says. Whether its quotes stand anywhere is not checked here."""
    with running(f"reader {name!r}", "a question"):
        reading = reader.answer(question, passages)
    if not isinstance(reading, Reading):
        raise PluginError(f"reader {name!r} broke its contract: it returned {type(reading).__name__}, not a Reading")
    return reading


def judged(
    verifier: Verifier, question: str, reading: Reading, passages: Sequence[Passage], rereads: Sequence[Reread]
) -> Check:
    """What a verifier says of a reading."""
    name = verifier.identity.name
    with running(f"verifier {name!r}", "a reading"):
        check = verifier.check(question, reading, passages, rereads)
    if not isinstance(check, Check) or not 0 <= check.score <= 1:
        raise PluginError(f"verifier {name!r} broke its contract: {check!r} is no Check with a score from 0 to 1")
    return check


def checked_spans(chunker: Chunker, document: Document) -> list[ChunkSpan]:
    """The spans of a document, if they keep the contract of :meth:`Chunker.spans`.

    That is: in ascending order of start, none empty, none past the end, and no visible character in between left out.
    """
    text = document.text
    name = chunker.identity.name

    def broken(what: str) -> PluginError:
        return PluginError(f"chunker {name!r} broke its contract on {document.path!r}: {what}")

    with running(f"chunker {name!r}", repr(document.path)):
        spans = list(chunker.spans(document))
    start = reached = 0
    for span in spans:
        if not isinstance(span, ChunkSpan):
            raise broken(f"a span that is none: {span!r}")
        if span.start < start or span.start >= span.end or span.end > len(text):
            raise broken(f"span {span.start}-{span.end} after one from {start}, in {len(text)} characters")
        if span.start > reached and not text[reached : span.start].isspace():
            raise broken(f"the text between {reached} and {span.start} is in no span")
        start, reached = span.start, max(reached, span.end)
    if reached < len(text) and not text[reached:].isspace():
        raise broken(f"the text from {reached} on is in no span")
    return spans
