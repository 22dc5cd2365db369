"""The scripts that write pages, as modules."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="session")
def script() -> Callable[[str], ModuleType]:
    """``script("reference/generate.py")``: a script of docs/, which may import from its folder as if it were run."""

    def load(name: str) -> ModuleType:
        path = DOCS / name
        spec = importlib.util.spec_from_file_location("_".join(path.relative_to(DOCS).with_suffix("").parts), path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        before = set(sys.modules)
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(path.parent)
            spec.loader.exec_module(module)
        for other in set(sys.modules) - before:  # none of its neighbours stays behind under a name as short as theirs
            if Path(getattr(sys.modules[other], "__file__", None) or "").parent == path.parent:
                del sys.modules[other]
        return module

    return load
