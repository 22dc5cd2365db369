"""Writes docs/reference/config.md, components.md, hooks.md and protocols.md from the code.

    python docs/reference/generate_plugins.py            write them
    python docs/reference/generate_plugins.py --check    exit 1 if one is not what would be written

A test checks the same.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from pages import cell, head, main

from gw_core import hookspecs, protocols
from gw_core.annotations import described
from gw_core.layers import COMPONENT_KINDS
from gw_core.plugins import Plugins, find_entry_points
from gw_core.registry import KINDS, normalised, singular
from gw_core.schema import INDEX, Parameter, Range, signature_of
from gw_core.settings import SECTIONS
from gw_core.template import toml

DISTRIBUTION = "gw-toolkit"


def config_page() -> str:
    parts = [head("config.md")]
    for section, made_of in SECTIONS.items():
        known = signature_of(made_of).parameters
        parts += [f"## [{section}]\n", f"{_paragraph(made_of)}\n", "| key | value | default | |\n|---|---|---|---|"]
        for one in fields(made_of):
            parameter = known[one.name]
            meaning = cell(str(one.metadata["doc"]))
            parts.append(f"| `{one.name}` | {_value(parameter)} | `{toml(one.default)}` | {meaning} |")
        parts.append("")
    kinds = ", ".join(f"`[{kind}.NAME]`" for kind in COMPONENT_KINDS)
    parts.append(f"## Components\n\n{kinds}: see [components](components.md).")
    return "\n".join(parts) + "\n"


def components_page() -> str:
    parts = [head("components.md")]
    points = [one for one in find_entry_points() if normalised(one.distribution) == DISTRIBUTION]
    plugins = Plugins(points)
    for kind in KINDS:
        registry = plugins.registry(kind)
        if not len(registry):
            continue
        parts.append(f"## {kind.capitalize()}\n")
        for one in registry:
            factory = one.load()
            parts.append(f"### {singular(kind)} `{one.name}`\n\n{one.help[:1].upper()}{one.help[1:]}.\n")
            parts += [f"{text}\n" for text in _text(factory)]
            if one.requires:
                needed = " ".join(f"'{requirement}'" for requirement in one.requires)
                parts.append(f"Needs `pip install {needed}`.\n")
            parts += _settings(factory)
    if plugins.problems:
        raise RuntimeError(str(plugins.problems[0]))
    return "\n".join(parts).rstrip("\n") + "\n"


def _settings(factory: Any) -> Iterator[str]:
    settable = signature_of(factory).settable
    if not settable:
        return
    told = any(parameter.help for parameter in settable.values())
    yield "| setting | value | default |" + (" |" if told else "") + "\n|---|---|---|" + ("---|" if told else "")
    for name, parameter in settable.items():
        meaning = f" {cell(parameter.help)} |" if told else ""
        yield f"| `{name}` | {_value(parameter)} | {_default(parameter)} |{meaning}"
    yield ""


def hooks_page() -> str:
    parts = [head("hooks.md"), f"This is version {hookspecs.API_VERSION} of the hooks.\n"]
    for kind in KINDS:
        hook = getattr(hookspecs, hookspecs.PREFIX + kind)
        parts.append(f"## {hook.__name__}\n\n{_rst(inspect.getdoc(hook) or '')}\n")
    return "\n".join(parts).rstrip("\n") + "\n"


def protocols_page() -> str:
    parts = [head("protocols.md")]
    for node in ast.parse(inspect.getsource(protocols)).body:
        if isinstance(node, ast.ClassDef):
            parts.append(f"## {node.name}\n\n{_rst(ast.get_docstring(node) or '')}\n")
            parts += [f"{text}\n" for text in _members(node)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _members(protocol: ast.ClassDef) -> Iterator[str]:
    """Attributes and methods of a protocol in their order, each with what its docstring says."""
    for node, after in zip(protocol.body, [*protocol.body[1:], None], strict=True):
        doc = ""
        if isinstance(node, ast.AnnAssign):
            signature = ast.unparse(node)
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                doc = inspect.cleandoc(str(after.value.value))
        elif isinstance(node, ast.FunctionDef):
            doc = ast.get_docstring(node) or ""
            returned = ast.unparse(node.returns) if node.returns else "None"
            signature = f"{node.name}({ast.unparse(node.args).removeprefix('self').removeprefix(', ')}) -> {returned}"
            if node.decorator_list:  # a property
                signature = f"{node.name}: {returned}"
        else:
            continue
        yield f"**`{signature}`**" + (f"\n\n{_rst(doc)}" if doc else "")


def _value(parameter: Parameter) -> str:
    bounds = [str(one) for one in parameter.extras if isinstance(one, Range)]
    trusted = ["not in a project's file"] if parameter.trusted_only else []
    return cell(", ".join([described(parameter.annotation), *bounds, *trusted]))


def _default(parameter: Parameter) -> str:
    if parameter.required and parameter.component != INDEX:
        return "required"
    if parameter.default is None:
        return ""
    try:
        return f"`{cell(toml(parameter.default))}`"
    except TypeError:
        return f"`{cell(str(parameter.default))}`"


def _text(thing: Any) -> Iterator[str]:
    """The paragraphs of a docstring."""
    yield from (" ".join(one.split()) for one in _rst(inspect.getdoc(thing) or "").split("\n\n") if one.strip())


def _paragraph(thing: Any) -> str:
    return next(_text(thing), "")


def _rst(text: str) -> str:
    """Docstrings' markup as Markdown."""
    for role in (":class:", ":func:", ":meth:", ":mod:", ":data:"):
        text = text.replace(role, "")
    return text.replace("`~gw_core", "`gw_core").replace("``", "`")


PAGES = {
    "config.md": config_page,
    "components.md": components_page,
    "hooks.md": hooks_page,
    "protocols.md": protocols_page,
}


if __name__ == "__main__":
    sys.exit(main(__file__, PAGES))
