from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DATA = os.environ.get("GW_TEST_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="GW_TEST_DATA names no folder with the xquad collections")


@pytest.fixture(scope="module")
def spans() -> Iterator[ModuleType]:
    path = Path(__file__).parents[2] / "benchmarks" / "spans.py"
    spec = importlib.util.spec_from_file_location("gw_benchmark_spans", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def whole(spans: ModuleType) -> list[Any]:
    return list(spans.parts(Path(DATA)))


@needs_data
def test_all_spans_are_verified_in_every_rewrite(spans: ModuleType, whole: list[Any], tmp_path: Path) -> None:
    for rewrite in spans.REWRITES:
        result = spans.check_rewrite(rewrite, whole, tmp_path)
        assert (result.wrong, result.undetected) == (0, 0), rewrite.name
        assert set(result.verdicts) == {"verified"}, rewrite.name
        assert set(result.encodings) == {rewrite.encoding}
        if set(rewrite.languages) > {"ja"} and rewrite.encoding.startswith("utf"):
            assert result.spans == spans.EXPECTED_SPANS + len(spans.JAPANESE_ANSWERS), rewrite.name
        else:
            assert result.spans, rewrite.name


@needs_data
@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_rewritten_line_ends_drift_what_holds_one(
    spans: ModuleType, whole: list[Any], tmp_path: Path, line_end: str
) -> None:
    some = [(language, part) for language, part in whole if part.name in ("en-000.txt", "th-000.txt")]
    result = spans.check_rewritten_line_ends(line_end, some, tmp_path)
    assert result.wrong == 0
    assert result.verdicts["drifted"] == 2 * (spans.PARAGRAPHS_A_FILE - 1)


def test_a_japanese_text_in_its_own_encodings(spans: ModuleType, tmp_path: Path) -> None:
    part = [("ja", spans.japanese())]
    for rewrite in spans.REWRITES:
        if "ja" in rewrite.languages:
            result = spans.check_rewrite(rewrite, part, tmp_path)
            assert (result.wrong, result.undetected) == (0, 0), rewrite.name
            assert result.spans == len(spans.JAPANESE_ANSWERS)
