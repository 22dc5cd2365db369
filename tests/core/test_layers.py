"""Imports run one way: downwards through the layers, never in a circle, and never from the core to a plugin."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]

LAYERS = [
    "cli",
    "bench",
    "output",
    "workspace",
    "ask sweep",
    "ingest retrieve prompt",
    "pipeline",
    "plugins hookspecs corpus gitrules store rows database lock verify evidence spill"
    " seams rescore duplicates stitch confidence",
    "protocols query citation text config layers settings schema template annotations registry tomlsource lined"
    " orderable"
    " files ignore secrets plain compression gguf kvcache timed",
    "model trial records errors version",
]
"""From the top down. A module may import from its own layer and from those below."""

RANK = {name: -level for level, names in enumerate(LAYERS) for name in names.split()}


def _module(path: Path) -> str:
    parts = path.relative_to(TOP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


CORE = {_module(path): path for path in (TOP / "gw_core").rglob("*.py")}
PLUGINS = {_module(path).replace("plugins", "gw_plugins", 1): path for path in (TOP / "plugins").rglob("*.py")}


def imports(path: Path, known: dict[str, Path], *, typing: bool = True) -> Iterator[str]:
    """The modules that a file imports anywhere in it; without ``typing``, not those for type checkers only."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = set()
    if not typing:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                skipped.update(id(one) for child in node.body for one in ast.walk(child))
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module is not None
            inner = [f"{node.module}.{one.name}" for one in node.names]
            yield from (name for name in inner if name in known)
            if not all(name in known for name in inner):
                yield node.module


def _layer(module: str) -> str:
    """The name of a module's place in LAYERS."""
    return module.split(".")[1] if "." in module else ""


def test_every_module_of_the_core_has_its_place() -> None:
    places = {_layer(module) for module in CORE} - {"", "__main__", "testing"}
    assert places == set(RANK), "give a new module its layer, and take away what is gone"


@pytest.mark.parametrize("module", sorted(CORE))
def test_the_core_imports_downwards_only(module: str) -> None:
    used = {name for name in imports(CORE[module], CORE) if name.split(".")[0] in ("gw_core", "gw_plugins", "plugins")}
    assert [name for name in used if not name.startswith("gw_core")] == []
    own = _layer(module)
    if own in ("", "__main__"):
        return
    if own == "testing":
        assert [name for name in used if _layer(name) == "cli"] == []
        return
    upwards = [name for name in used if _layer(name) and (_layer(name) == "testing" or RANK[_layer(name)] > RANK[own])]
    assert upwards == []


@pytest.mark.parametrize("module", sorted(PLUGINS))
def test_a_plugin_uses_the_seams_and_what_is_below_them(module: str) -> None:
    used = {
        name for name in imports(PLUGINS[module], CORE | PLUGINS) if name.split(".")[0] in ("gw_core", "gw_plugins")
    }
    kind = module.split(".")[1] if "." in module else ""
    top = "bench" if kind == "tasks" else "hookspecs"  # tasks stand on the whole library: they measure it
    above = [name for name in used if name.startswith("gw_core.") and RANK[_layer(name)] > RANK[top]]
    strangers = [name for name in used if name.startswith("gw_plugins.") and name.split(".")[1] != kind]
    assert (above, strangers) == ([], [])


def test_no_import_runs_in_a_circle() -> None:
    known = CORE | PLUGINS
    graph = {
        module: [one for one in imports(path, known, typing=False) if one in known] for module, path in known.items()
    }
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, " -> ".join([*above[above.index(module) :], module])
        if module in done:
            return
        for one in graph[module]:
            if one != "gw_core":  # its names are imported when they are used
                visit(one, (*above, module))
        done.add(module)

    for module in sorted(graph):
        visit(module, ())


def test_nothing_that_is_built_in_can_open_a_connection() -> None:
    banned = {
        "socket",
        "ssl",
        "http",
        "urllib",
        "asyncio",
        "ftplib",
        "smtplib",
        "xmlrpc",
        "requests",
        "httpx",
        "aiohttp",
    }
    known = CORE | PLUGINS
    found = {module: {name.split(".")[0] for name in imports(path, known)} & banned for module, path in known.items()}
    assert {module: names for module, names in found.items() if names} == {}


def test_an_import_upwards_and_one_for_types_only_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gw_core.cli import main\n"
        "def late():\n    from gw_core import ask\n"
    )
    assert set(imports(file, CORE)) == {"typing", "gw_core.cli", "gw_core.ask"}
    assert set(imports(file, CORE, typing=False)) == {"typing", "gw_core.ask"}
