"""Reducing columns: a fixture, since the test modules cannot import from each other."""

from __future__ import annotations

import pytest

from gw_core.records import Batch


@pytest.fixture
def reduce():
    """``reduce(reducer, field=[...], ...)``: the result of these columns, which it is given in two batches."""

    def reduced(reducer, **columns):
        length = len(next(iter(columns.values()), ()))
        for start, end in ((0, length // 2), (length // 2, length)):
            part = {field: values[start:end] for field, values in columns.items()}
            reducer.add(Batch("a.log", range(start, end), range(start, end), part))
        return reducer.result()

    return reduced
