"""Every built-in component of a kind that the kit knows goes through it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gw_core.plugins import Plugins, find_entry_points

TESTS = [file.read_text(encoding="utf-8") for file in Path(__file__).parents[1].rglob("test_*.py")]
KITS = {
    "loaders": "LoaderConformance",
    "chunkers": "ChunkerConformance",
    "backends": "BackendConformance",
    "readers": "ReaderConformance",
    "reducers": "ReducerConformance",
    "rerankers": "RerankerConformance",
    "tasks": "TaskConformance",
    "verifiers": "VerifierConformance",
}


@pytest.mark.parametrize("kind", KITS)
def test_none_is_left_out(kind):
    plugins = Plugins([one for one in find_entry_points() if one.distribution == "gw-toolkit"])
    tested = [text for text in TESTS if f"({KITS[kind]})" in text]
    missing = []
    for one in plugins.registry(kind):
        module, _, name = one.target.partition(":")
        used = rf"from {re.escape(module)} import [^\n]*\b{name}\b"
        if not any(re.search(used, text) for text in tested):
            missing.append(one.target)
    assert missing == []
