"""What a reader says of records, checked before it counts: every value rests on words that stand in its record.

A value is ``literal`` if it stands in its evidence itself, at the edges of words (numbers, text, dates), and ``quoted``
if the evidence stands in the record word for word (a choice, where the value is a judgement). Anything else is
unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from gw_core.ask import stands_in
from gw_core.errors import PluginError
from gw_core.records import Batch, Extracted, Extraction, Field, Recipe, Unit, Value
from gw_core.sweep.cells import moment

_NUMERAL = re.compile(r"[+-]?\d+(?:[.,]\d+)*", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
"""A numeral that is a number wherever it is read: 1,5 is none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One value of one record: what it is, where its evidence stands in the document, and why it does not count."""

    value: Value
    span: tuple[int, int] | None = None
    reason: str = ""


def judge(field: Field, said: str | None, evidence: str, unit: Unit) -> Judged:
    """A reader's word on one field of one record. No word is no value, which needs no support."""
    said = None if said is None else " ".join(said.split())
    if not said:
        return Judged(None)
    place = _place(evidence, unit.text)
    if place is None:
        return Judged(None, reason=f"the evidence for {field.name} does not stand in the record")
    span = (unit.start + place[0], unit.start + place[1])
    value = _value(field, said)
    if value is None:
        return Judged(None, span, f"{said!r} is no {_kind(field)} for {field.name}")
    if field.support == "literal" and not _stands_in(field, said, unit.text[place[0] : place[1]]):
        return Judged(None, span, f"{said!r} does not stand in the evidence for {field.name}")
    return Judged(value, span)


def checked_extraction(name: str, extraction: object) -> Extraction:
    """What reader ``name`` returned, if it keeps the contract of :meth:`Extractor.extract` as far as its types go.

    Raises PluginError otherwise: a broken reader is named and has read nothing.
    """

    def broken(what: str) -> PluginError:
        return PluginError(f"reader {name!r} broke its contract: {what}")

    if not isinstance(extraction, Extraction):
        raise broken(f"it returned {type(extraction).__name__}, not an Extraction")
    if type(extraction.raw) is not str:
        raise broken("its raw output is no text")
    for tokens in (extraction.prompt_tokens, extraction.completion_tokens):
        if tokens is not None and not (type(tokens) is int and 0 <= tokens < 1 << 53):
            raise broken(f"a number of tokens is {tokens!r}")
    for one in extraction.records:
        if not isinstance(one, Extracted) or type(one.unit) is not int:
            raise broken("a record that is none")
        for texts in (one.values, one.evidence):
            if not isinstance(texts, Mapping) or not all(type(key) is str for key in texts):
                raise broken("values of a record that are no mapping of fields")
        if not all(value is None or type(value) is str for value in one.values.values()):
            raise broken("a value that is no text")
        if not all(type(words) is str for words in one.evidence.values()):
            raise broken("evidence that is no text")
    return extraction


def read_into(batch: Batch, recipe: Recipe, units: Sequence[Unit], extraction: Extraction) -> Batch:
    """The batch with the columns that a reader fills. ``units`` are its records, in their order.

    A record of which the reader says nothing, or twice different things, is unsupported.
    """
    asked = [one for one in recipe.fields if not one.in_code]
    said: dict[int, Extracted] = {}
    unsupported = dict(batch.unsupported)
    for one in extraction.records:
        if not 0 <= one.unit < len(units):
            continue
        if one.unit in said and said[one.unit] != one:
            unsupported[one.unit] = "the reader says two things of it"
        said[one.unit] = one
    columns: dict[str, list[Value]] = {field.name: [None] * len(batch) for field in asked}
    spans: dict[str, list[tuple[int, int] | None]] = {field.name: [None] * len(batch) for field in asked}
    for index, unit in enumerate(units):
        known = said.get(index)
        if known is None:
            unsupported.setdefault(index, "the reader says nothing of it")
            continue
        for field in asked:
            judged = judge(field, known.values.get(field.name), known.evidence.get(field.name, ""), unit)
            columns[field.name][index], spans[field.name][index] = judged.value, judged.span
            if judged.reason:
                unsupported.setdefault(index, judged.reason)
    return replace(batch, columns={**batch.columns, **columns}, spans={**batch.spans, **spans}, unsupported=unsupported)


def supported_only(batch: Batch) -> Batch:
    """The batch without the records that do not count."""
    if not batch.unsupported:
        return batch
    keep = [index for index in range(len(batch)) if index not in batch.unsupported]

    def of(column: Sequence[Value]) -> list[Value]:
        return [column[index] for index in keep]

    spans: Mapping[str, Sequence[tuple[int, int] | None] | None] = {
        name: None if column is None else [column[index] for index in keep] for name, column in batch.spans.items()
    }
    return replace(
        batch,
        starts=[batch.starts[index] for index in keep],
        ends=[batch.ends[index] for index in keep],
        columns={name: of(column) for name, column in batch.columns.items()},
        spans=spans,
        unsupported={},
    )


def _stands_in(field: Field, said: str, text: str) -> bool:
    """Whether what was said stands in a text; a number as a whole numeral: no 5 in 1,5 or 2015."""
    if field.kind == "number":
        return set(_NUMERAL.findall(said)) <= set(_NUMERAL.findall(text))
    return stands_in(said, text)


def _place(evidence: str, text: str) -> tuple[int, int] | None:
    """Where the evidence stands in a record, white space apart; all of the record where there is none."""
    words = evidence.split()
    if not words:
        return 0, len(text)
    if sum(map(len, words)) > len(text):
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return found.span() if found else None


def _value(field: Field, said: str) -> Value:
    """What was said, as the field's kind has it; None for what is none of these."""
    try:
        if field.kind == "choice":
            return next((one for one in field.choices if one.casefold() == said.casefold()), None)
        if field.kind == "number":
            found = _NUMERAL.findall(said)
            is_one = len(found) == 1 and _NUMBER.fullmatch(found[0])
            return Decimal(found[0].replace(",", "")) if is_one else None
        if field.kind == "date":
            return moment(said, field.format)
    except InvalidOperation:
        return None
    return said


def _kind(field: Field) -> str:
    return f"one of {', '.join(field.choices)}" if field.kind == "choice" else field.kind
