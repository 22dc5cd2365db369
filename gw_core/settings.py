"""The fixed sections of gw.toml: each field is a key, with its type, its default and what it does.

Sections of named components (``[backends.NAME]`` and so on) take the keyword arguments of the component's factory
instead; see :mod:`gw_core.schema`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, Any

from gw_core.files import MAX_BYTES
from gw_core.schema import Range


def _key(default: Any, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc})


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """Which files are read. ``excludes`` come after the default ones, so that the last one that matches decides."""

    excludes: tuple[str, ...] = _key((), "patterns, as in .gitignore; !vendor/ takes back what is left out by default")
    max_bytes: Annotated[int, Range(1)] = _key(MAX_BYTES, "leave out files above this size, in bytes")
    gitignore: bool = _key(True, "leave out what git ignores")


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How files are cut up and indexed."""

    chunker: str = _key("auto", "cuts documents into chunks; auto: the one that fits the kind of file")
    backends: tuple[str, ...] = _key(("fts5",), "indexes that every ingest keeps up to date")


@dataclass(frozen=True, slots=True)
class RetrieveSettings:
    """How a search runs."""

    backend: str = _key("fts5", "the index that is asked")
    k: Annotated[int, Range(1)] = _key(8, "how many hits")
    pool: Annotated[int, Range(1)] = _key(
        50, "how many of the backend's matches are scored again before the best k stay"
    )
    rerank: tuple[str, ...] = _key((), "rerankers, applied in this order")


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How a question is answered."""

    reader: str = _key("regex", "finds the answer in the passages; regex needs no model")
    passages: Annotated[int, Range(1)] = _key(5, "how many passages the reader is shown")
    verifiers: tuple[str, ...] = _key((), "further judges of an answer; its citations are re-read in any case")
    threshold: Annotated[float, Range(0, 1)] = _key(0.41, "how sure the evidence must be; below, gw abstains")


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """What may leave this machine. Counts only in your own config file, with -o or in the environment."""

    allow_hosts: tuple[str, ...] = _key((), "hosts that readers and encoders may send text to; this machine always may")


@dataclass(frozen=True, slots=True)
class SweepSettings:
    """How gw sweep reads everything."""

    concurrency: Annotated[int, Range(1)] = _key(4, "segments that are read at once")


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """How gw bench measures."""

    needles: Annotated[int, Range(1)] = _key(200, "facts hidden in a made-up corpus")


SECTIONS: dict[str, type[Any]] = {
    "corpus": CorpusSettings,
    "ingest": IngestSettings,
    "retrieve": RetrieveSettings,
    "ask": AskSettings,
    "network": NetworkSettings,
    "sweep": SweepSettings,
    "bench": BenchSettings,
}
"""Section names, in the order in which they are shown."""


def documented(section: str) -> list[tuple[str, Any, str]]:
    """``(key, default, what it does)`` of each key of a section."""
    return [(one.name, one.default, str(one.metadata["doc"])) for one in fields(SECTIONS[section])]
