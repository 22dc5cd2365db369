"""The systems that are measured.

A module has two functions. ``ingest(corpus, index, clock, **settings)`` makes an index in an empty folder, with
``clock`` running while it does so and not while it gets its input together, and returns how many passages or documents
the index holds. ``opened(corpus, index, **settings)`` opens that index, in another process, and returns a function of a
question and k: names of documents, best first, one for each passage or document found, at most k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from measure import Timer

from peers.corpora import Corpus

Find = Callable[[str, int], list[str]]


class System(Protocol):
    """What a module in this package offers."""

    def ingest(self, corpus: Corpus, index: Path, clock: Timer, **settings: Any) -> int: ...

    def opened(self, corpus: Corpus, index: Path, **settings: Any) -> Find: ...


@dataclass(frozen=True)
class Variant:
    """A system with settings.

    ``needs`` are distributions, the system's own first. ``shares`` names the variant whose index this one searches, so
    that only its search is measured. ``stores`` says what the index holds beside postings.
    """

    label: str
    module: str
    needs: tuple[str, ...]
    how: str
    stores: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    shares: str = ""

    def missing(self) -> str:
        """The first distribution that isn't installed; empty where all are."""
        return next((name for name in self.needs if not _version(name)), "")

    def versions(self) -> dict[str, str]:
        return {name: _version(name) for name in self.needs}

    def system(self) -> System:
        return import_module(f"peers.systems.{self.module}")  # type: ignore[return-value]


VARIANTS = (
    Variant("gw", "gw", ("gw-toolkit",), "as configured by default; cites and re-reads every passage", "text, hashes"),
    Variant(
        "gw, not re-reading",
        "gw",
        ("gw-toolkit",),
        "the same search without citing and re-reading, which no other system here does",
        settings={"verify": False},
        shares="gw",
    ),
    Variant("groundwire", "groundwire", ("tina4-groundwire",), "one batch, one commit; its SQLite index alone", "text"),
    Variant("groundkit, BM25", "groundkit", ("groundkit",), "its Indexer; BM25, its default mode", "text"),
    Variant("bm25s", "bm25s", ("bm25s",), "its tokenizer with stop words, no stemmer", "nothing"),
    Variant(
        "bm25s, stemmed",
        "bm25s",
        ("bm25s", "PyStemmer"),
        "with the Snowball stemmer and the stop words of the collection's language",
        "nothing",
        {"words": "stemmed"},
    ),
    Variant(
        "bm25s, stemmed, numba",
        "bm25s",
        ("bm25s", "PyStemmer", "numba"),
        "the same index, searched with its numba backend",
        settings={"words": "stemmed", "backend": "numba"},
        shares="bm25s, stemmed",
    ),
    Variant(
        "bm25s, gw's words",
        "bm25s",
        ("bm25s", "gw-toolkit"),
        "fed with gw's folded and stemmed words: the engine without its tokenizer",
        "nothing",
        {"words": "gw"},
    ),
    Variant("tantivy", "tantivy", ("tantivy",), "its default analyser, no stemmer", "nothing"),
    Variant(
        "tantivy, stemmed",
        "tantivy",
        ("tantivy",),
        "with its stemmer of the collection's language (en_stem in English)",
        "nothing",
        {"words": "stemmed"},
    ),
    Variant(
        "tantivy, gw's words",
        "tantivy",
        ("tantivy", "gw-toolkit"),
        "fed with gw's folded and stemmed words: the engine without its tokenizer",
        "nothing",
        {"words": "gw"},
    ),
)


def variant(label: str) -> Variant:
    return next(one for one in VARIANTS if one.label == label)


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
