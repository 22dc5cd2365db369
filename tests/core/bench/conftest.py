"""Reports to render."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _load(name: str) -> ModuleType:
    """A module beside this one: tests have no packages that they could be imported from."""
    spec = importlib.util.spec_from_file_location(f"gw_tests_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def make_report() -> Callable[..., dict[str, Any]]:
    """``make_report(questions=60)``: a realistic report, anew for each call."""
    made: Callable[..., dict[str, Any]] = _load("sample_report").sample_report
    return made


@pytest.fixture(scope="session")
def _sample(make_report: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return make_report()


@pytest.fixture
def sample(_sample: dict[str, Any]) -> dict[str, Any]:
    """A realistic report of seven tasks, to be changed at will."""
    return copy.deepcopy(_sample)


@pytest.fixture(scope="session")
def hostile() -> tuple[str, ...]:
    """Texts of strangers: what breaks tables, markup, scripts and XML."""
    return (
        "<script>alert(1)</script>",
        "</script><script>window.pwned = 1</script>",
        "<!--<script>",
        "a | b \\| c\nd\r\ne",
        "```\n`code`\n```",
        "[text](javascript:alert(1)) ![x](http://example.org/x.png) <http://example.org>",
        '<img src=x onerror="window.pwned = 1">',
        "\x00\x08\x1b[31m \ufffe \ud800 \u2028 ]]> &amp; \u202e",
        "${window.pwned = 1} {{7*7}} %s",
        "# heading\n* item\n---",
    )


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium without a network; see chromium.py."""
    chromium = _load("chromium")
    path = chromium.found()
    if path is None:
        pytest.skip("no Chromium is installed")
    with chromium.Browser(path, tmp_path_factory.mktemp("chromium") / "profile") as running:
        yield running
