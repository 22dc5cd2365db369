"""The values that everything in gw passes around: frozen, typed, free of behaviour that needs anything else.

Offsets are always code points of a document's decoded text, ``end`` exclusive, so that ``document.text[start:end]`` is
the text.
Paths are relative to the root, with ``/``; bytes that are not UTF-8 stand in them as surrogate escapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points of one document's decoded text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}-{self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The text of this span in ``text``."""
        return text[self.start : self.end]

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class ChunkSpan(Span):
    """What a chunker yields: a span, what it is, its heading path or qualified name, and spans to show beside it.

    ``kind`` is one of text, section, list, code, table, function, class, record; ``label`` is, say,
    ``"Install > From source"``; ``context`` holds spans outside this one, such as the header of the class
    that a method stands in.
    """

    kind: str = "text"
    label: str = ""
    context: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """What stored output depends on: a component's name, the version of its algorithm, and its settings."""

    name: str
    version: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """One canonical line, equal for equal identities, fit to be stored and compared."""
        settings = ",".join(f"{key}={self.settings[key]!r}" for key in sorted(self.settings))
        return f"{self.name}@{self.version}({settings})"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a loader makes of a file's bytes.

    ``encoding`` is the codec that the bytes were decoded with (``utf-8``, ``utf-16-le``, ``cp1252``, ...);
    ``kind`` is ``text``, ``markdown``, ``code``, ``html``, ``pdf``, ... and decides which chunker reads it.
    """

    text: str
    encoding: str
    kind: str = "text"


def decoder_name(encoding: str, loader: str, loader_version: str, extracted: bool) -> str:
    """What a citation must name to be read again: empty for UTF-8, an encoding, or ``loader@version``."""
    if extracted:
        return f"{loader}@{loader_version}"
    return "" if encoding == "utf-8" else encoding


@dataclass(frozen=True, slots=True)
class Document:
    """One source as decoded text. ``sha256`` is of the file's bytes, in hex; ``size`` counts bytes."""

    path: str
    text: str
    sha256: str
    size: int
    encoding: str = "utf-8"
    loader: str = "text"
    loader_version: str = "1"
    kind: str = "text"
    extracted: bool = False
    """The text was extracted (PDF, HTML, ...): only the same loader, in the same version, gives the same offsets."""

    @property
    def decoder(self) -> str:
        """See :func:`decoder_name`."""
        return decoder_name(self.encoding, self.loader, self.loader_version, self.extracted)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document that is indexed, with its text. ``id`` is the catalogue's and never used again."""

    id: int
    path: str
    start: int
    end: int
    text: str
    kind: str = "text"
    label: str = ""
    context: tuple[Span, ...] = ()

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Match:
    """What a backend returns. A higher ``score`` is better; ``why`` is plain data, shown to the user."""

    chunk_id: int
    score: float
    why: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with its rank (from 1), its score and why: matched terms, score parts, backend, rerankers, copies."""

    chunk: Chunk
    rank: int
    score: float
    why: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Passage:
    """What a reader is shown: one exact span of one document, stitched from the hits in it."""

    path: str
    start: int
    end: int
    text: str
    score: float
    label: str = ""
    kind: str = "text"
    context: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Quote:
    """Text that a reader says stands in a passage. ``start`` and ``end`` are offsets in the passage's text, where the
    reader knows them; a reader that only has the words leaves them None and the core looks them up."""

    passage: int
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader returned. ``abstained`` and no text: it found nothing worth saying, and ``reason`` says why.

    ``value`` is the short span inside ``text`` that answers, where the reader can tell it.
    """

    text: str
    value: str | None = None
    quotes: tuple[Quote, ...] = ()
    abstained: bool = False
    reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    truncated: bool = False
    trace: Mapping[str, Any] = field(default_factory=dict)


class Verdict(str, Enum):
    """What re-reading the source said about a citation."""

    VERIFIED = "verified"
    MOVED = "moved"
    DRIFTED = "drifted"
    MISSING = "missing"
    UNRESOLVABLE = "unresolvable"


@dataclass(frozen=True, slots=True)
class Reread:
    """What re-reading the source said of one span that a reading quotes; ``text`` is what was quoted."""

    path: str
    start: int
    end: int
    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """What one verifier says of one reading. ``score`` is in [0, 1]; 1 means nothing to object to."""

    verifier: str
    score: float
    reason: str = ""
    sentences: Sequence[Mapping[str, Any]] = ()


class Grounding(str, Enum):
    GROUNDED = "grounded"
    PARTLY = "partly"
    NOT = "not"
