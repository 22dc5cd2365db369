"""Reading recipes: from YAML, from the options of a command line, or from both, of which the options win.

Everything is checked before anything runs; each mistake is a UsageError that names file and line, or the option, and
the words that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from gw_core.errors import UsageError
from gw_core.lined import Node, parse_yaml, read_source, shown_key, unknown_key
from gw_core.records import Field, Recipe, Split
from gw_core.registry import suggestion
from gw_core.sweep.canonical import recipe_hash
from gw_core.sweep.checks import (
    MAX_NAME,
    Given,
    Source,
    checked_name,
    groups_of,
    pattern_of,
    read_field,
    read_split,
    text_of,
)
from gw_core.sweep.fitting import check_kinds
from gw_core.sweep.reductions import Parsed, Resolve, parse_reduction

KEYS = ("question", "split", "match", "when", "fields", "key", "reduce", "granularity")
MAX_BYTES = 1_000_000
MAX_FIELDS = 200
MAX_REDUCTIONS = 200
_GRANULARITIES: tuple[Literal["auto", "segment", "record"], ...] = ("auto", "segment", "record")


@dataclass
class _Parts:
    """What was said, and where: single values by key, fields by name, reductions in order."""

    single: dict[str, Given] = field(default_factory=dict)
    fields: dict[str, Given] = field(default_factory=dict)
    reduce: list[Given] = field(default_factory=list)


def read_recipe(path: Path, resolve: Resolve) -> Recipe:
    """The recipe in a YAML file. ``resolve`` gives the factory of a reducer by its name, or UnknownNameError."""
    return parse_recipe(read_source(path, MAX_BYTES), path, resolve)


def parse_recipe(text: str, path: Path, resolve: Resolve) -> Recipe:
    """:func:`read_recipe` of text that was read already; ``path`` is for messages."""
    return _built(_file_parts(text, path), resolve)


def recipe_from_options(
    resolve: Resolve,
    *,
    path: Path | None = None,
    split: str | None = None,
    match: str | None = None,
    when: str | None = None,
    fields: Sequence[str] = (),
    key: str | None = None,
    reduce: Sequence[str] = (),
    question: str | None = None,
    granularity: str | None = None,
) -> Recipe:
    """The recipe that options describe, on top of the one in ``path``.

    The named groups of ``match`` are fields that share one match; without any, its first group, or else all of it, is
    the field ``value``. An item of ``fields`` is an entry of a recipe's ``fields``; for a group of ``match`` it says
    what its value is: ``hours: {number: true}``. Given reductions take the place of those in the file.
    """
    parts = _file_parts(read_source(path, MAX_BYTES), path) if path is not None else _Parts()
    options = {
        "split": split,
        "match": match,
        "when": when,
        "key": key,
        "question": question,
        "granularity": granularity,
    }
    for name, value in options.items():
        if value is not None:
            parts.single[name] = _option(name, value)
    if match is not None:
        for name in groups_of(pattern_of(parts.single["match"], "match")[0]):
            entry = parts.fields.get(name)
            if entry is not None and entry.source.path is not None:
                del parts.fields[name]
    for text in fields:
        parts.fields.update(_field_option(text))
    if reduce:
        parts.reduce = [_option("reduce", text) for text in reduce]
    return _built(parts, resolve)


def _option(name: str, text: str) -> Given:
    return Given(Node("text", 0, text), Source(option=f"--{name}"))


def _field_option(text: str) -> dict[str, Given]:
    source = Source(option="--field")
    hint = "--field 'hours: {number: true}'"
    try:
        node = parse_yaml(Path("--field"), text)
    except UsageError as error:
        _, _, message = error.message.split(":", 2)  # an option has no lines
        raise source.error(0, message.strip(), error.hint or hint) from error
    if node.kind != "mapping" or not node.fields:
        raise source.error(0, f"must be a name and how the field is filled, not {shown_key(text)}", hint)
    return {name: Given(entry, source) for name, entry in node.fields.items()}


def _file_parts(text: str, path: Path) -> _Parts:
    top = parse_yaml(path, text)
    source = Source(path)
    if top.kind != "mapping" or not top.fields:
        raise source.error(top.line, "not a recipe", f"it has the keys {', '.join(KEYS)}")
    if (wrong := unknown_key(top, KEYS)) is not None:
        raise source.error(*wrong)
    parts = _Parts()
    for key, node in top.fields.items():
        given = Given(node, source, top.lines[key])
        if key == "fields":
            parts.fields = _entries(given)
        elif key == "reduce":
            parts.reduce = _listed(given)
        else:
            parts.single[key] = given
    return parts


def _entries(given: Given) -> dict[str, Given]:
    node = given.node
    if node.kind != "mapping" or not node.fields:
        raise given.error("fields: must be a mapping of names", "fields: {status: {choice: [open, closed]}}")
    return {name: Given(entry, given.source, node.lines[name]) for name, entry in node.fields.items()}


def _listed(given: Given) -> list[Given]:
    node = given.node
    items = node.items if node.kind == "list" else () if node.kind == "null" else (node,)
    if not items:
        raise given.error("reduce: there is no reduction", "reduce: [{tally: status}]")
    for item in items:
        if not item.is_scalar and not (item.kind == "mapping" and item.fields):
            raise given.error("reduce: a reduction is text or a mapping", "{sum: hours, by: owner}", item)
    return [Given(item, given.source, item.line) for item in items]


def _built(parts: _Parts, resolve: Resolve) -> Recipe:
    given = parts.single
    split = read_split(given["split"]) if "split" in given else Split()
    match = pattern_of(given["match"], "match")[0] if "match" in given else ""
    fields = _fields(parts, split, match)
    key = _key(given["key"], fields) if "key" in given else ""
    reductions = [parse_reduction(one, fields, resolve) for one in _bounded(parts.reduce)]
    _once(reductions)
    recipe = Recipe(
        split=split,
        fields=tuple(fields.values()),
        match=match,
        when=pattern_of(given["when"], "when")[0] if "when" in given else "",
        key=key,
        reduce=tuple(check_kinds(one, fields, resolve) for one in reductions),
        question=text_of(given["question"], "question").strip() if "question" in given else "",
        granularity=_granularity(given["granularity"]) if "granularity" in given else "auto",
    )
    return replace(recipe, sha256=recipe_hash(recipe))


def _fields(parts: _Parts, split: Split, match: str) -> dict[str, Field]:
    """All fields by name: the groups of ``match``, then the others as they stand there."""
    fields: dict[str, Field] = {}
    if match:
        shared = parts.single["match"]
        for name in groups_of(match):
            checked_name(shared, name)
            entry = parts.fields.get(name)
            line = shared.line
            fields[name] = (
                read_field(name, entry, split, match) if entry else Field(name, "pattern", pattern=match, line=line)
            )
    for name, entry in parts.fields.items():
        if name not in fields:
            fields[name] = read_field(name, entry, split)
    if len(fields) > MAX_FIELDS:
        raise UsageError(f"more than {MAX_FIELDS} fields in a recipe")
    folded: dict[str, str] = {}
    for name in fields:
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            place = parts.fields.get(name) or parts.single["match"]
            message = f"the fields {other!r} and {name!r} differ in nothing but case"
            raise place.error(message, "tables of records take them for one; give one another name")
    return fields


def _key(given: Given, fields: Mapping[str, Field]) -> str:
    name = text_of(given, "key")
    if name not in fields:
        known = suggestion(name[:MAX_NAME], fields) if fields else "the recipe has no fields"
        raise given.error(f"key: there is no field {shown_key(name)}", known)
    return name


def _granularity(given: Given) -> Literal["auto", "segment", "record"]:
    name = text_of(given, "granularity")
    for one in _GRANULARITIES:
        if one == name:
            return one
    raise given.error(f"unknown granularity {shown_key(name)}", suggestion(name[:MAX_NAME], _GRANULARITIES))


def _bounded(reductions: list[Given]) -> list[Given]:
    if len(reductions) > MAX_REDUCTIONS:
        raise reductions[MAX_REDUCTIONS].error(f"reduce: more than {MAX_REDUCTIONS} reductions")
    return reductions


def _once(reductions: Iterable[Parsed]) -> None:
    seen: set[str] = set()
    for one in reductions:
        if one.reduction.text in seen:
            raise one.given.error(f"reduce: {shown_key(one.reduction.text)} stands there twice")
        seen.add(one.reduction.text)
