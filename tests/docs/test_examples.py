"""What the pages show is what the commands print."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOP = Path(__file__).parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_examples", TOP / "docs" / "run_examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


runner: Any = _load()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are for bash")
@pytest.mark.parametrize("page", runner.pages(), ids=lambda page: str(page.relative_to(TOP)))
def test_a_page_shows_what_its_commands_print(page: Path) -> None:
    if shutil.which("jq") is None and "| jq" in page.read_text("utf-8"):
        pytest.skip("jq is not here")
    shown = [one for one in runner.run(page) if one.shown is not None]
    said = [(one.command, runner.normalised(one.shown, page)) for one in shown]
    printed = [(one.command, runner.normalised(one.printed, page)) for one in shown]
    assert printed == said, "out of date: python docs/run_examples.py --write"


def test_readme_the_tutorial_and_the_concepts_have_examples_that_are_run() -> None:
    named = {str(page.relative_to(TOP)) for page in runner.pages()}
    assert {"README.md", "docs/tutorial.md", "docs/concepts.md", "docs/limitations.md"} <= named


def test_an_example_that_prints_something_else_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one\ntwo\n$ (exit 3)\n$ echo $?\n3\n```\n")
    assert [(one.command, one.printed) for one in runner.different(page)] == [("echo one", "one")]
    runner.write(page)
    assert page.read_text() == "```console\n$ echo one\none\n$ (exit 3)\n$ echo $?\n3\n```\n"
    assert runner.different(page) == []
