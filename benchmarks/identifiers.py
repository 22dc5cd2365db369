"""Of identifiers drawn from Python's standard library: how often the best passage has the identifier as it was typed.

Drawn with a seed from what the library itself defines, a quarter each: snake_case, camelCase, CONSTANT_CASE and
dotted (``Class.method``, ``module.function``). Only what stands somewhere in the library just so is drawn: 100 % can
be reached.

    python benchmarks/identifiers.py [--each 25] [--seed 1] [--root FOLDER] [--index FOLDER]
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import gw_core

FORMS = {
    "snake": re.compile(r"[a-z]+(?:_[a-z0-9]+)+"),
    "camel": re.compile(r"_*[A-Za-z]?[a-z]+(?:[A-Z][a-z0-9]+)+"),
    "constant": re.compile(r"[A-Z]+(?:_[A-Z0-9]+)+"),
    "dotted": re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"),
}
EXCLUDED = (
    "site-packages/**",
    "dist-packages/**",
    "test/**",
    "**/test/**",
    "**/tests/**",
    "idlelib/**",
    "lib2to3/**",
    "config-*/**",
)


def definitions(source: str, module: str) -> Iterator[str]:
    """Names of functions, classes and constants, and dotted names of what stands at the top of a module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (one.id for one in node.targets if isinstance(one, ast.Name))
    for top in tree.body:
        if isinstance(top, ast.FunctionDef | ast.ClassDef):
            yield f"{module}.{top.name}"
        if isinstance(top, ast.ClassDef):
            yield from (f"{top.name}.{one.name}" for one in top.body if isinstance(one, ast.FunctionDef))


def whole(identifier: str) -> re.Pattern[str]:
    """The identifier with no letter, digit or underscore beside it."""
    return re.compile(rf"(?<!\w){re.escape(identifier)}(?!\w)")


def drawn(texts: dict[str, str], each: int, seed: int) -> dict[str, list[str]]:
    """``each`` identifiers of every form, all of which stand in a text."""
    names = sorted({name for path, text in texts.items() for name in definitions(text, Path(path).stem)})
    found: dict[str, list[str]] = {}
    for form, pattern in FORMS.items():
        fitting = [name for name in names if pattern.fullmatch(name)]
        random.Random(seed).shuffle(fitting)
        there = (name for name in fitting if any(name in text and whole(name).search(text) for text in texts.values()))
        found[form] = [name for name, _ in zip(there, range(each), strict=False)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root", type=Path, default=Path(sysconfig.get_path("stdlib")))
    parser.add_argument("--index", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true", help="name those that were missed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        excluded = "corpus.excludes=[" + ", ".join(f'"{one}"' for one in EXCLUDED) + "]"
        workspace = gw_core.open(options.root, index=options.index or Path(folder) / "index", overrides=[excluded])
        with workspace as ws:
            ws.ingest([options.root])
            texts = {name: (options.root / name).read_text("utf-8", "replace") for name in indexed(ws)}
            report(ws, drawn(texts, options.each, options.seed), options.verbose)


def indexed(ws: gw_core.Workspace) -> list[str]:
    """The Python files that are in the index."""
    return [one.path for one in ws.files() if one.path.endswith(".py")]


def report(ws: gw_core.Workspace, identifiers: dict[str, list[str]], verbose: bool) -> None:
    print(f"{'form':10} {'top hit':>8} {'n':>5} {'ms/query':>9}")
    rows = []
    for form, names in identifiers.items():
        began = time.process_time()
        best = [next(iter(ws.search(name).evidence), None) for name in names]
        spent = time.process_time() - began
        missed = [
            name
            for name, one in zip(names, best, strict=True)
            if one is None or not whole(name).search(one.passage.text)
        ]
        rows.append((len(names) - len(missed), len(names)))
        print(f"{form:10} {1 - len(missed) / len(names):8.1%} {len(names):5} {1000 * spent / len(names):9.1f}")
        if verbose:
            print("   missed:", " ".join(missed))
    right, count = (sum(column) for column in zip(*rows, strict=True))
    print(f"{'all':10} {right / count:8.1%} {count:5}")


if __name__ == "__main__":
    main()
