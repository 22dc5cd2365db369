"""Writes docs/reference/commands.md and json.md: what is in parts/, then the commands themselves and schemas/*.json.

    python docs/reference/generate.py            write both
    python docs/reference/generate.py --check    exit 1 if either is not what would be written

A test checks the same.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Iterator
from typing import Any

import click
from pages import HERE, cell, head, main

from gw_core.cli import COMMANDS, cli
from gw_core.cli.bench import OWN, BenchGroup
from gw_core.cli.bench.options import shared_options
from gw_core.cli.options import Command, global_options

SCHEMAS = HERE / "schemas"


def commands_page() -> str:
    context = click.Context(cli, info_name="gw")
    parts = [head("commands.md"), *_options_table(global_options())]
    for name in sorted(COMMANDS):
        parts += _commands(cli, name, context)
    return "\n".join(parts) + "\n"


def _commands(group: click.Group, name: str, above: click.Context) -> Iterator[str]:
    """A command, or a group with its commands below it. Options that all commands of a group share are told once."""
    command = group.get_command(above, name)
    if isinstance(command, BenchGroup):
        context = click.Context(command, info_name=name, parent=above)
        yield from _command(command, context)
        yield "\nAll of them but `add` and `compare` take:\n"
        yield from _options_table(shared_options())
        for inner in command.list_commands(context):
            yield from _commands(command, inner, context)
    elif isinstance(command, Command):
        yield from _command(command, click.Context(command, info_name=name, parent=above))
    else:
        raise TypeError(f"{name} is not made by gw_command")


def _command(command: Command | BenchGroup, context: click.Context) -> Iterator[str]:
    path = context.command_path
    yield f"\n{'#' * len(path.split())} {path}\n"
    yield "\n".join(["```", f"{path} {' '.join(command.collect_usage_pieces(context))}", "```", ""])
    paragraphs = (command.help or "").split("\n\n")
    yield "\n\n".join(" ".join(one.split()) for one in paragraphs) + "\n"
    shared = {one.name for one in shared_options()} if command.name not in OWN or command.name == "run" else set()
    yield from _options_table([one for one in command.own_options() if one.name not in shared])
    yield "\n".join(["", "```", *command.examples, "```"])


def _options_table(options: list[click.Parameter]) -> Iterator[str]:
    if not options:
        return
    yield "| option | meaning |\n|---|---|"
    for one in options:
        if isinstance(one, click.Option):
            metavar = "" if one.is_flag else f" {one.metavar or one.type.name.upper()}"
            yield f"| `{', '.join([*one.opts, *one.secondary_opts])}{metavar}` | {cell(one.help or '')} |"


def json_page() -> str:
    parts = [head("json.md")]
    schemas = {path.name: json.loads(path.read_text("utf-8")) for path in sorted(SCHEMAS.glob("*.json"))}
    del schemas["definitions.json"]
    for file, schema in schemas.items():
        parts.append(f"## {schema['properties']['schema']['const']}\n\n{schema['title']}. [schema](schemas/{file})\n")
        parts += [*_fields_table(schema), ""]
    for name, definition in _definitions().items():
        if definition["type"] == "object":
            parts.append(f"## {name}\n\n{definition['description']}\n")
            parts += [*_fields_table(definition), ""]
    return "\n".join(parts).rstrip("\n") + "\n"


def _fields_table(schema: dict[str, Any]) -> Iterator[str]:
    yield "| field | type | meaning |\n|---|---|---|"
    for name, kind, meaning in _fields(schema, ""):
        yield f"| `{name}` | {kind} | {cell(meaning)} |"


def _fields(schema: dict[str, Any], prefix: str) -> Iterator[tuple[str, str, str]]:
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        kind, inner = _kind(field)
        if name not in required:
            kind += ", may be missing"
        yield prefix + name, kind, _meaning(field)
        if inner is not None:
            yield from _fields(inner, f"{prefix}{name}{'[]' if field.get('type') == 'array' else ''}.")


_NAMES = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false", "object": "object"}


def _kind(field: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """How a field's type is called, and the object whose fields are to be listed below it."""
    kinds = field.get("type", "anything")
    inner = field if "properties" in field else None
    if "$ref" in field:
        kind, inner = _link(field["$ref"]), None
    elif "anyOf" in field:
        kind, inner = _kind(field["anyOf"][0])
        kind += " or null"
    elif "const" in field:
        kind = f'`"{field["const"]}"`'
    elif "enum" in field:
        kind = ", ".join(f"`{value}`" for value in field["enum"])
    elif isinstance(kinds, list):
        kind, inner = _kind({**field, "type": kinds[0]})
        kind += " or null"
    elif kinds == "array":
        kind, inner = _kind(field["items"])
        kind = f"list of {kind}"
    else:
        kind = _NAMES.get(kinds, kinds)
    return kind, inner


def _link(reference: str) -> str:
    name = reference.rpartition("/")[2].removesuffix(".json")
    definition = _definitions().get(name, {})
    if definition.get("type") == "array":
        return _kind(definition)[0]
    shown = "/".join(name.rsplit("-", 1))
    return f"[{shown}](#{name.replace('.', '').replace('-', '')})"


def _meaning(field: dict[str, Any]) -> str:
    name = field.get("$ref", "").rpartition("/")[2]
    found: str = field.get("description") or _definitions().get(name, {}).get("description", "")
    return found


@functools.cache
def _definitions() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / "definitions.json").read_text("utf-8"))["$defs"]
    return found


PAGES = {"commands.md": commands_page, "json.md": json_page}


if __name__ == "__main__":
    sys.exit(main(__file__, PAGES))
