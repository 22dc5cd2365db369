"""The conformance kit: test classes that plugin authors subclass, and an index to test against.

::

    from gw_core.testing import BackendConformance

    class TestTrigrams(BackendConformance):
        def make(self, index):
            return Trigrams(index)

Only the conformance classes need pytest; :func:`temporary_index` and :func:`make_chunks` do for benchmarks as well.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from gw_core.testing.index import Ranges, TemporaryIndex, make_chunks, temporary_index

if TYPE_CHECKING:
    from gw_core.testing.backends import BackendConformance
    from gw_core.testing.chunkers import ChunkerConformance
    from gw_core.testing.loaders import LoaderConformance
    from gw_core.testing.readers import ReaderConformance
    from gw_core.testing.reducers import ReducerConformance
    from gw_core.testing.rerankers import RerankerConformance
    from gw_core.testing.tasks import TaskConformance
    from gw_core.testing.verifiers import VerifierConformance

__all__ = [
    "BackendConformance",
    "ChunkerConformance",
    "LoaderConformance",
    "Ranges",
    "ReaderConformance",
    "ReducerConformance",
    "RerankerConformance",
    "TaskConformance",
    "TemporaryIndex",
    "VerifierConformance",
    "make_chunks",
    "temporary_index",
]

_CLASSES = {
    "BackendConformance": "backends",
    "ChunkerConformance": "chunkers",
    "LoaderConformance": "loaders",
    "ReaderConformance": "readers",
    "ReducerConformance": "reducers",
    "RerankerConformance": "rerankers",
    "TaskConformance": "tasks",
    "VerifierConformance": "verifiers",
}


def __getattr__(name: str) -> Any:
    """The conformance classes, imported when asked for, with pytest's explanations of failed assertions."""
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = f"{__name__}.{_CLASSES[name]}"
    if module not in sys.modules:
        import pytest  # noqa: PLC0415

        pytest.register_assert_rewrite(module)
    return getattr(importlib.import_module(module), name)
