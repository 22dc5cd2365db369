"""bench.yaml: which tasks to run, with which settings.

::

    backend: fts5                # also: rerank, reader, k, seed, haystack, fail_under; options of the command go before
    tasks:
      - needle                   # with its defaults
      - multihop: {hops: [3, 8]}
      - use: needle              # a second time, under a name of its own
        name: lookalikes
        distractors: 128

Paths in it are relative to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gw_core.lined import Node, error_at, read_yaml, unknown_key
from gw_core.schema import Origin, Parameter, Setting, convert

KEYS = ("tasks", "backend", "rerank", "reader", "k", "seed", "haystack", "fail_under")
_ANNOTATIONS: Mapping[str, Any] = {
    "backend": str,
    "rerank": tuple[str, ...],
    "reader": str,
    "k": tuple[int, ...],
    "seed": int,
    "haystack": Path,
    "fail_under": tuple[str, ...],
}


@dataclass(frozen=True, slots=True)
class Spec:
    """A task to run: its ``name`` in the report, what it ``use``s, and settings on top of the configuration's."""

    name: str
    use: str
    settings: Mapping[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suite:
    """``options`` are the shared ones that the file sets, by key: ``backend``, ``rerank``, ``reader``, ``k``, ``seed``,
    ``haystack``, ``fail_under``."""

    specs: tuple[Spec, ...]
    options: Mapping[str, Any] = field(default_factory=dict)


def default_suite() -> Suite:
    """What ``gw bench run`` runs without a file: every task that needs no input of the user's, within two minutes."""
    origin = Origin("default", text="the default suite")

    def spec(name: str, use: str, **settings: Any) -> Spec:
        return Spec(name, use, {key: Setting(value, origin) for key, value in settings.items()})

    return Suite(
        (
            spec("needle", "needle", context=["64k", "256k", "1m"]),
            spec("lookalikes", "needle", context=["256k"], needles=100, distractors=16),
            spec("multihop", "multihop", hops=[3, 8], context=["256k"]),
            spec("paraphrase", "paraphrase", context=["64k", "256k"]),
            spec("unanswerable", "unanswerable", context=["256k"]),
            spec("speed", "speed", tokens=["1m"]),
        )
    )


def read_suite(path: Path) -> Suite:
    """The suite in a YAML file. Raises UsageError with file and line for what is wrong in it."""
    top = read_yaml(path)
    if top.kind != "mapping":
        raise error_at(path, top.line, "not a suite of tasks", "it begins with tasks:")
    if (wrong := unknown_key(top, KEYS)) is not None:
        raise error_at(path, *wrong)
    options = {key: _option(path, key, node, top.lines[key]) for key, node in top.fields.items() if key in _ANNOTATIONS}
    listed = top.fields.get("tasks")
    if listed is None or listed.kind != "list" or not listed.items:
        raise error_at(path, top.lines.get("tasks", top.line), "tasks: must be a list of at least one task")
    specs: dict[str, Spec] = {}
    for node in listed.items:
        spec = _spec(path, node)
        if spec.name in specs:
            raise error_at(
                path, node.line, f"two tasks are called {spec.name!r}", "give one a name of its own: name: ..."
            )
        specs[spec.name] = spec
    return Suite(tuple(specs.values()), options)


def _option(path: Path, key: str, node: Node, line: int) -> Any:
    value = [_value(path, node)] if key in ("k", "rerank", "fail_under") and node.kind != "list" else _value(path, node)
    return convert(Parameter(key, _ANNOTATIONS[key], False), Setting(value, Origin("project", path, line)), key)


def _spec(path: Path, node: Node) -> Spec:
    if node.is_scalar:
        return Spec(node.text, node.text)
    if node.kind != "mapping" or not node.fields:
        raise error_at(path, node.line, "a task is its name, or its name with settings", "- needle: {needles: 100}")
    fields, lines = dict(node.fields), node.lines
    if "use" not in fields:
        (use, inner), *more = fields.items()
        if more:
            hint = f"- use: {use}, and the settings on the same level" if inner.kind == "null" else "put '- ' before it"
            raise error_at(path, lines[more[0][0]], f"{more[0][0]!r} stands beside the task {use!r}", hint)
        if inner.kind == "null":
            return Spec(use, use)
        if inner.kind != "mapping":
            raise error_at(path, inner.line, f"the settings of {use!r} are no mapping", f"- {use}: {{...}}")
        fields, lines = dict(inner.fields), inner.lines
    else:
        use = _text(path, fields.pop("use"), "use")
    name = _text(path, fields.pop("name"), "name") if "name" in fields else use
    settings = {key: Setting(_value(path, one), Origin("project", path, lines[key])) for key, one in fields.items()}
    return Spec(name, use, settings)


def _text(path: Path, node: Node, key: str) -> str:
    if not node.is_scalar or not node.text or "/" in node.text:
        raise error_at(path, node.line, f"{key}: must be a name without '/'")
    return node.text


def _value(path: Path, node: Node) -> Any:
    """A node as the plain value that YAML takes it for; dates stay text."""
    if node.kind == "list":
        return [_value(path, one) for one in node.items]
    if node.kind == "mapping":
        return {key: _value(path, one) for key, one in node.fields.items()}
    return _scalar(node)


def _scalar(node: Node) -> Any:
    read: dict[str, Callable[[], Any]] = {
        "null": lambda: None,
        "boolean": lambda: node.is_true,
        "integer": lambda: int(node.text.replace("_", ""), 0),
        "number": lambda: float(node.text.replace("_", "")),
    }
    try:
        return read.get(node.kind, lambda: node.text)()
    except ValueError:  # YAML knows more kinds of numbers than Python, such as 1:30
        return node.text
