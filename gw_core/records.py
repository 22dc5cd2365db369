"""What a sweep deals in: recipes, segments, and records in columns.

A sweep reads everything, segment by segment; code plans, a reader only extracts, code aggregates. Records travel in
batches, one list for each field, since a million of them as a million objects would take most of the time of a sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

Value = str | Decimal | date | datetime | None
"""What a field of a record holds. Numbers are decimals, exactly as they were written; None: the record has none."""

FieldKind = Literal["pattern", "choice", "number", "text", "date", "column", "path"]
SplitKind = Literal["line", "paragraph", "blank-line", "heading", "csv", "jsonl", "regex", "window"]
Support = Literal["literal", "quoted"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a recipe.

    ``pattern``, ``column`` and ``path`` are filled in code, whatever the other kinds ask is asked of the reader.
    ``pattern`` is the regular expression (group ``value`` or the field's name, else the first group, else all of it);
    ``choices`` are the allowed values; ``format`` is that of a date (``strptime``), ``unit`` follows a number,
    ``column`` names a CSV column, ``path`` a place in a JSON object (``user.name``, ``items[0].id``).
    """

    name: str
    kind: FieldKind
    pattern: str = ""
    choices: tuple[str, ...] = ()
    format: str = ""
    unit: str = ""
    column: str = ""
    path: str = ""
    number: bool = False
    """A pattern, column or path whose value is a number. One with a ``format`` is a date."""
    describe: str = ""
    support: Support = "literal"
    line: int = 0
    """Where it stands in the recipe's file."""

    @property
    def in_code(self) -> bool:
        return self.kind in ("pattern", "column", "path")


@dataclass(frozen=True, slots=True)
class Split:
    """How a text is cut into records. ``pattern`` is where one begins (kind ``regex``), ``size`` the characters of a
    ``window``."""

    kind: SplitKind = "line"
    pattern: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Reduction:
    """One aggregate: ``tally status``, ``sum hours by owner``, ``top 5 owner``. ``reducer`` is the plugin's name,
    ``settings`` what its factory takes."""

    reducer: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    """As it may be written on the command line, canonical: the name of its result."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a sweep extracts and how it is reduced. ``match`` is one regular expression whose named groups are fields
    (``--match``), each of kind ``pattern`` with that same pattern; ``when`` keeps only records that it matches.
    ``sha256`` is of all that records depend on, without question and reductions."""

    split: Split = field(default_factory=Split)
    fields: tuple[Field, ...] = ()
    match: str = ""
    when: str = ""
    key: str = ""
    reduce: tuple[Reduction, ...] = ()
    question: str = ""
    granularity: Literal["auto", "segment", "record"] = "auto"
    sha256: str = ""

    @property
    def needs_reader(self) -> bool:
        return any(not one.in_code for one in self.fields)


@dataclass(frozen=True, slots=True)
class Segment:
    """A span of a document that owns the records which start in ``start`` to ``end``.

    ``before`` and ``after`` are how far its context reaches, for the reader's eyes only. ``sha256``, in hex, is of the
    text from ``before`` to ``after``, of where in it the context ends, and of the names of CSV columns above it.
    """

    number: int
    path: str
    start: int
    end: int
    before: int
    after: int
    sha256: str
    records: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """The records of one segment, in their order, in columns.

    ``starts`` and ``ends`` are the spans of the records in their document; each column holds a value for each record.
    ``spans`` are those of the values, where they are known: None for a whole column that was not asked for.
    ``unsupported`` says by index why a record does not count.
    """

    path: str
    starts: Sequence[int]
    ends: Sequence[int]
    columns: Mapping[str, Sequence[Value]]
    spans: Mapping[str, Sequence[tuple[int, int] | None] | None] = field(default_factory=dict)
    unsupported: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True)
class Unit:
    """What a reader is shown of one record: its span in its document, and its text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a reader says of one unit, by its index: values by field as text, and for each the words that they rest on
    (verbatim from the unit; empty: the whole of it)."""

    unit: int
    values: Mapping[str, str | None]
    evidence: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one call of a reader returned. ``raw`` is its output as it came, for the journal; ``truncated``: the prompt
    or the output was cut, and nothing of it counts."""

    records: tuple[Extracted, ...]
    raw: str = ""
    truncated: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
