"""The conformance kit: test classes that plugin authors subclass, and an index to test against.

::

    from gw_core.testing import BackendConformance

    class TestTrigram(BackendConformance):
        def make(self, index):
            return Trigram(index)

Only the conformance classes need pytest; :func:`temporary_index` and :func:`make_chunks` do for benchmarks as well.
"""

from __future__ import annotations

from gw_core.testing.index import Ranges, TemporaryIndex, make_chunks, temporary_index

__all__ = ["Ranges", "TemporaryIndex", "make_chunks", "temporary_index"]
