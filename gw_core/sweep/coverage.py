"""The accounting of a sweep: what was read, what was not and why, and what it took.

Two parts, kept apart: :attr:`Coverage.result` follows from the files, the recipe and what the reader said, and is the
same however often the sweep was broken off; :attr:`Coverage.run` is of this one run: calls, tokens, seconds, and what
the journal already held.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from gw_core.corpus import REASONS
from gw_core.plain import file_name, printable
from gw_core.records import Batch

LEFT_OUT = frozenset(REASONS) - {"too-large", "unreadable"}
"""Reasons for which a file is no part of what a sweep is to read. Any other reason is a failure: the file was chosen,
and could not be read."""

_SHOWN = 10
"""How many names stand below one heading in the lines for people."""
_QUOTED = re.compile(r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Missing:
    """A segment that was not read: its span in its document, the characters and bytes that it owns, and why.

    ``truncated``: its prompt or its output was cut, and a smaller segment did not help.
    """

    path: str
    start: int
    end: int
    bytes: int
    reason: str
    truncated: bool = False
    records: int | None = None
    """How many records are missing with it, where they can be counted."""


@dataclass(slots=True)
class Coverage:
    """Counts of a sweep or of a part of one, in the order of the plan.

    ``files`` were read to their end; ``skipped`` are paths by one of :data:`LEFT_OUT`, ``failed`` those that should
    have been read, with what was wrong. ``bytes`` and ``chars`` are all that there was to read, ``bytes_read`` and
    ``chars_read`` what was. ``unsupported`` counts by reason, without the words of the record in question.
    """

    files: int = 0
    skipped: dict[str, list[str]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    bytes: int = 0
    bytes_read: int = 0
    chars: int = 0
    chars_read: int = 0
    segments: int = 0
    replanned: int = 0
    missing: list[Missing] = field(default_factory=list)
    found: int = 0
    literal: int = 0
    quoted: int = 0
    unsupported: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    conflicts: int = 0

    from_journal: int = 0
    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reader_seconds: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    # -- adding up ----------------------------------------------------------------------------------------------

    def add_skipped(self, path: str, reason: str, detail: str = "", size: int = 0) -> None:
        """A file that is not read, with a reason of a walk or of a loader. ``size`` in bytes, as far as it is known
        and stands in no segment, counts as not read if the file was chosen."""
        if reason in LEFT_OUT:
            self.skipped.setdefault(reason, []).append(path)
            return
        self.failed[path] = detail or REASONS.get(reason, reason)
        self.bytes += size

    def add_segment(self, chars: int, size: int, *, from_journal: bool = False) -> None:
        """A segment that was read: the characters and bytes that it owns."""
        self.segments += 1
        self.chars += chars
        self.chars_read += chars
        self.bytes += size
        self.bytes_read += size
        self.from_journal += from_journal

    def add_missing(self, one: Missing) -> None:
        """A segment that stays unread, whatever was tried."""
        self.segments += 1
        self.chars += one.end - one.start
        self.bytes += one.bytes
        self.missing.append(one)

    def add_records(self, batch: Batch, *, quoted: bool = False) -> None:
        """The records of a segment. ``quoted``: a value of theirs is a judgement about words that stand there, not
        these words themselves."""
        supported = len(batch) - len(batch.unsupported)
        self.found += len(batch)
        if quoted:
            self.quoted += supported
        else:
            self.literal += supported
        if batch.unsupported:
            self.unsupported.update(_QUOTED.sub("'…'", reason) for reason in batch.unsupported.values())

    def add_call(self, prompt_tokens: int | None, completion_tokens: int | None, seconds: float) -> None:
        """One call of the reader, whatever came of it. Tokens that it does not tell count as none."""
        self.calls += 1
        self.prompt_tokens += prompt_tokens or 0
        self.completion_tokens += completion_tokens or 0
        self.reader_seconds += seconds

    def merge(self, other: Coverage) -> None:
        """Add what comes after, in the order of the plan."""
        for reason, paths in other.skipped.items():
            self.skipped.setdefault(reason, []).extend(paths)
        self.failed.update(other.failed)
        self.missing.extend(other.missing)
        self.unsupported.update(other.unsupported)
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    # -- what it comes to ---------------------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """Whether everything that was chosen was read."""
        return not self.failed and not self.missing and self.bytes_read == self.bytes

    @property
    def share_read(self) -> float:
        """The share of the bytes that were read, from 0 to 1; of nothing, all of it."""
        return self.bytes_read / self.bytes if self.bytes else float(not self.failed and not self.missing)

    @property
    def supported(self) -> int:
        return self.literal + self.quoted

    @property
    def result(self) -> dict[str, Any]:
        """Plain data that is the same for the same files, recipe and answers."""
        truncated = sum(one.truncated for one in self.missing)
        return {
            "complete": self.complete,
            "share_read": self.share_read,
            "files": {
                "swept": self.files,
                "failed": dict(sorted(self.failed.items())),
                "skipped": {reason: sorted(paths) for reason, paths in sorted(self.skipped.items())},
            },
            "bytes": {"all": self.bytes, "read": self.bytes_read},
            "chars": {"all": self.chars, "read": self.chars_read},
            "segments": {
                "planned": self.segments,
                "ok": self.segments - len(self.missing),
                "failed": len(self.missing) - truncated,
                "truncated": truncated,
                "replanned": self.replanned,
                "missing": [
                    {one.name: getattr(lost, one.name) for one in fields(Missing)}
                    for lost in sorted(self.missing, key=lambda lost: (lost.path, lost.start, lost.end))
                ],
            },
            "records": {
                "found": self.found,
                "supported": self.supported,
                "literal": self.literal,
                "quoted": self.quoted,
                "unsupported": self.found - self.supported,
                "unsupported_by_reason": dict(sorted(self.unsupported.items())),
                "duplicates": self.duplicates,
                "conflicts": self.conflicts,
            },
        }

    @property
    def run(self) -> dict[str, Any]:
        """Plain data about this one run: times in seconds, rates in bytes a second."""
        return {
            "segments_from_journal": self.from_journal,
            "calls": self.calls,
            "retries": self.retries,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "reader_seconds": round(self.reader_seconds, 3),
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "bytes_per_second": round(self.bytes_read / self.seconds) if self.seconds else None,
        }

    def lines(self, *, run: bool = True) -> list[str]:
        """The same for people, a line each; with ``run``, also what it took."""
        lines = [self._read(), *self.files_left_out()]
        lines += _some([_lost(one) for one in sorted(self.missing, key=lambda one: (one.path, one.start))])
        lines += [self._records()] if self.found else []
        lines += _some(
            [
                f"unsupported: {count:,} because {_line(reason)}"
                for reason, count in sorted(self.unsupported.items(), key=lambda one: (-one[1], one[0]))
            ]
        )
        if run and self.calls:
            lines.append(
                f"reader: {_count(self.calls, 'call')} ({self.retries:,} again), {self.prompt_tokens:,} tokens in,"
                f" {self.completion_tokens:,} out, {self.reader_seconds:.1f} s"
            )
        if run and self.seconds:
            lines.append(f"took {self.seconds:.1f} s")
        return lines

    def files_left_out(self) -> list[str]:
        """A line for people about the files that are skipped, and one for each that failed."""
        lines = []
        if self.skipped:
            counts = (f"{len(paths):,} {reason}" for reason, paths in sorted(self.skipped.items()))
            lines.append(f"left out: {', '.join(counts)}")
        return lines + _some(
            [f"not read: {file_name(path)}: {_line(why)}" for path, why in sorted(self.failed.items())]
        )

    def _read(self) -> str:
        thousandths = self.bytes_read * 1000 // self.bytes if self.bytes else round(self.share_read * 1000)
        share = "all" if self.complete else f"{thousandths / 10:.1f} %"  # never rounded up to all
        known = f", {self.from_journal:,} of them from the journal" if self.from_journal else ""
        again = f", {self.replanned:,} re-planned" if self.replanned else ""
        return (
            f"read {share} of {_count(self.bytes, 'byte')} in {_count(self.files, 'file')},"
            f" {_count(self.segments - len(self.missing), 'segment')} of {self.segments:,}{known}{again}"
        )

    def _records(self) -> str:
        parts = [
            f"{_count(self.found, 'record')}: {self.literal:,} supported literally",
            f"{self.quoted:,} by a quotation" if self.quoted else "",
            f"{self.found - self.supported:,} unsupported" if self.found > self.supported else "",
            f"{self.duplicates:,} of them duplicates" if self.duplicates else "",
            f"{_count(self.conflicts, 'conflict')}" if self.conflicts else "",
        ]
        return ", ".join(filter(None, parts))


_NUMBERS = tuple(one.name for one in fields(Coverage) if one.type in ("int", "float"))


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _lost(one: Missing) -> str:
    records = "" if one.records is None else f" ({_count(one.records, 'record')})"
    return f"not read: {file_name(one.path)}:{one.start}-{one.end}{records}: {_line(one.reason)}"


def _line(text: str) -> str:
    return " ".join(printable(text).split())


def _some(lines: Sequence[str]) -> list[str]:
    rest = len(lines) - _SHOWN
    return [*lines[:_SHOWN], *([f"and {rest:,} more of these"] if rest > 0 else [])]
