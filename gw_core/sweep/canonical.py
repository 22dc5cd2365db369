"""A recipe in its one spelling: what its records depend on as a hash, and all of it as YAML."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from gw_core.records import Field, Recipe, Split
from gw_core.sweep.checks import groups_of

_HASHED = "gw.recipe/1"
_ESCAPED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")


def recipe_hash(recipe: Recipe) -> str:
    """The sha256, in hex, of all that the records of a recipe depend on.

    Key, question and reductions are not in it: another question about the same records reads nothing again. What is
    only said to a reader (descriptions, the order of the fields) counts where there is one.
    """
    asked = recipe.needs_reader
    shared = _shared(recipe)
    fields = [_hashed(one, one.name in shared) for one in recipe.fields]
    said: dict[str, Any] = {
        "schema": _HASHED,
        "split": _split(recipe.split),
        "match": recipe.match,
        "when": recipe.when,
        "fields": fields if asked else sorted(fields, key=lambda one: str(one["name"])),
    }
    if asked:
        said["granularity"] = recipe.granularity
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _shared(recipe: Recipe) -> frozenset[str]:
    """The fields that groups of ``match`` fill."""
    return frozenset(groups_of(recipe.match)) if recipe.match else frozenset()


def _hashed(field: Field, shared: bool) -> dict[str, Any]:
    entry = _entry(field, shared)
    if field.in_code:
        entry.pop("describe", None)
    else:
        entry["support"] = field.support
    return {"name": field.name, **entry}


def recipe_plain(recipe: Recipe) -> dict[str, Any]:
    """A recipe as plain data, in the form that is written in YAML; what is not said is left out."""
    shared = _shared(recipe)
    entries = {one.name: _entry(one, one.name in shared) for one in recipe.fields}
    said: dict[str, Any] = {
        "question": recipe.question,
        "split": _split(recipe.split),
        "match": recipe.match,
        "when": recipe.when,
        "fields": {name: entry for name, entry in entries.items() if entry},
        "key": recipe.key,
        "reduce": [one.text for one in recipe.reduce],
        "granularity": recipe.granularity if recipe.granularity != "auto" else "",
    }
    return {key: value for key, value in said.items() if value}


def recipe_text(recipe: Recipe) -> str:
    """A recipe as YAML that reads back to the same recipe."""
    import yaml  # noqa: PLC0415

    class Dumper(yaml.SafeDumper):
        """Quotes what holds a line end or a control character: in any other style, YAML makes white space of some."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
        style = '"' if _ESCAPED.search(value) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)

    Dumper.add_representer(str, text)
    return yaml.dump(recipe_plain(recipe), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1_000)


def _split(split: Split) -> str | Mapping[str, Any]:
    if split.kind == "regex":
        return {"regex": split.pattern}
    return {"window": split.size} if split.kind == "window" else split.kind


def _entry(field: Field, shared: bool) -> dict[str, Any]:
    """A field as its entry says it. Of one that a group of ``match`` fills, only what its value is."""
    entry: dict[str, Any] = {}
    if field.kind == "choice":
        entry["choice"] = list(field.choices)
    elif field.kind == "text":
        entry["text"] = True
    elif field.kind == "column":
        entry["column"] = field.column
    elif field.kind == "path":
        entry["path"] = field.path
    elif field.kind == "pattern" and not shared:
        entry["pattern"] = field.pattern
    if field.number or field.kind == "number":
        entry["number"] = True
    if field.format:
        entry["date"] = field.format
    if field.unit:
        entry["unit"] = field.unit
    if field.describe:
        entry["describe"] = field.describe
    if not field.in_code and field.support != ("quoted" if field.kind == "choice" else "literal"):
        entry["support"] = field.support
    return entry
