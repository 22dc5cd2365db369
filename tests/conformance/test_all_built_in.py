"""Every built-in component of a kind that the kit knows goes through it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gw_core.plugins import Plugins, find_entry_points

HERE = Path(__file__).parent


@pytest.mark.parametrize("kind", ["loaders", "chunkers", "backends", "readers", "rerankers", "verifiers"])
def test_none_is_left_out(kind):
    plugins = Plugins([one for one in find_entry_points() if one.distribution == "gw-toolkit"])
    tests = HERE / f"test_builtin_{kind}.py"
    tested = tests.read_text(encoding="utf-8") if tests.exists() else ""
    targets = [one.target.replace(":", " import ") for one in plugins.registry(kind)]
    assert [target for target in targets if f"from {target}\n" not in tested] == []
