"""What a journal holds, and how it stands in the rows of its tables, each with a check sum.

SQLite keeps none: a flipped bit is a value like others until somebody counts with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from gw_core.compression import compress, decompress

CODE = "code"
"""The reader's identity where every field is filled in code."""

Status = Literal["ok", "failed", "truncated"]
STATUSES = ("ok", "failed", "truncated")
_MOST_BYTES = 1 << 28
"""What a packed text may unpack to at most: the file may have come with a stranger's files."""

_COLUMNS = (
    "segment, status, reason, records, spans, fields, said, raw, replanned, prompt_tokens, completion_tokens, seconds,"
    " attempts, sum"
)
"""The order of :func:`result_row`."""

SCHEMA = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, recipe TEXT NOT NULL, reader TEXT NOT NULL, UNIQUE (recipe, reader)
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, source INTEGER NOT NULL, recipe_text TEXT NOT NULL, plan TEXT NOT NULL,
    started REAL NOT NULL, ended REAL, counts TEXT NOT NULL
);
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    segment BLOB NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    records INTEGER NOT NULL,
    spans BLOB NOT NULL,
    fields BLOB NOT NULL,
    said BLOB NOT NULL,
    raw BLOB NOT NULL,
    replanned BLOB NOT NULL,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    seconds REAL NOT NULL,
    attempts INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    used REAL NOT NULL,
    UNIQUE (source, segment)
);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, segment BLOB NOT NULL,
    number INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, raw BLOB NOT NULL,
    prompt_tokens INTEGER, completion_tokens INTEGER, seconds REAL NOT NULL, ended REAL NOT NULL
);
"""
PUT = f"""
INSERT INTO results (source, used, {_COLUMNS}) VALUES (?{", ?" * 15})
ON CONFLICT (source, segment) DO UPDATE SET used = excluded.used, status = excluded.status, reason = excluded.reason,
    records = excluded.records, spans = excluded.spans, fields = excluded.fields, said = excluded.said,
    raw = excluded.raw, replanned = excluded.replanned, prompt_tokens = excluded.prompt_tokens,
    completion_tokens = excluded.completion_tokens, seconds = excluded.seconds, attempts = excluded.attempts,
    sum = excluded.sum
WHERE excluded.status = 'ok' OR results.status != 'ok'
"""  # noqa: S608
"""Keeps a result: its source, when it was used, and :func:`result_row`. What failed never replaces what was read."""
GET = f"SELECT id, used, {_COLUMNS} FROM results WHERE source = ? AND segment IN "  # noqa: S608
"""Finds results: number, when last used, and :func:`result_row`; a list of marks is to follow."""


class Key(NamedTuple):
    """What a result is found by: the SHA-256 of the segment's text and of the recipe, in hex, and who reads."""

    segment: str
    recipe: str
    reader: str = CODE


class Entry(NamedTuple):
    """What came of reading one segment.

    ``spans`` and ``fields`` are packed by :mod:`gw_core.sweep.packing` and count from the segment's start; ``said`` is
    what a reader said of the records, as JSON, and ``raw`` its output as it came. ``replanned`` are the SHA-256 of the
    segments that were read in its stead. Tokens, ``seconds`` and ``attempts`` are what it cost, at the time.
    """

    key: Key
    status: Status = "ok"
    reason: str = ""
    records: int = 0
    spans: bytes = b""
    fields: bytes = b""
    said: str = ""
    raw: str = ""
    replanned: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0
    attempts: int = 1


class Attempt(NamedTuple):
    """One call of a reader, whatever came of it. ``ended`` is in seconds since 1970."""

    key: Key
    number: int
    status: Status
    reason: str = ""
    raw: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0
    ended: float = 0.0


class Run(NamedTuple):
    """A sweep that was begun; ``ended`` is None for one that runs, or that was killed."""

    number: int
    recipe: str
    reader: str
    recipe_text: str
    plan: str
    started: float
    ended: float | None
    counts: Mapping[str, Any]


def result_row(entry: Entry) -> tuple[Any, ...]:
    """The row of a result. Raises ValueError for a key that is no hexadecimal number."""
    values = (
        bytes.fromhex(entry.key.segment),
        entry.status,
        clean(entry.reason),
        entry.records,
        entry.spans,
        entry.fields,
        packed(entry.said),
        packed(entry.raw),
        bytes.fromhex("".join(entry.replanned)),
        entry.prompt_tokens,
        entry.completion_tokens,
        float(entry.seconds),
        entry.attempts,
    )
    return (*values, _sum(values))


def entry_of(row: tuple[Any, ...], recipe: str, reader: str) -> Entry:
    """The inverse of :func:`result_row`. Raises ValueError for a row that is not as it was written."""
    *values, check = row
    segment, status, reason, records, spans, fields, said, raw, replanned, *cost = values
    try:
        sound = check == _sum(values) and status in STATUSES
    except TypeError:
        sound = False
    if not sound:
        raise ValueError("a result is not as it was written")
    whole = replanned.hex()
    return Entry(
        Key(segment.hex(), recipe, reader),
        status,
        reason,
        records,
        spans,
        fields,
        unpacked(said),
        unpacked(raw),
        tuple(whole[at : at + 64] for at in range(0, len(whole), 64)),
        *cost,
    )


def packed(text: str) -> bytes:
    """Text as it is kept: empty, or a zlib stream."""
    return compress(text.encode("utf-8", "surrogatepass")) if text else b""


def unpacked(data: bytes) -> str:
    """The inverse of :func:`packed`. Raises ValueError for what is none."""
    return decompress(data, _MOST_BYTES).decode("utf-8", "surrogatepass") if data else ""


def clean(text: str) -> str:
    """Text that SQLite takes: lone surrogates, as of a file name that is no UTF-8, are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _sum(values: Sequence[Any]) -> int:
    segment, status, reason, records, spans, fields, said, raw, replanned, *cost = values
    parts = (segment, spans, fields, said, raw, replanned)
    others = repr((status, reason, records, *map(len, parts), *cost)).encode()
    return zlib.crc32(b"".join((others, *parts)))
