"""The reference pages say what the commands and schemas say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
SCHEMAS = sorted((REFERENCE / "schemas").glob("*.json"))


@pytest.fixture(scope="module")
def generate(script: Callable[[str], Any]) -> Any:
    return script("reference/generate.py")


@pytest.mark.parametrize("name", ["commands.md", "json.md"])
def test_a_page_is_what_its_source_says(generate: Any, name: str) -> None:
    written = (REFERENCE / name).read_text("utf-8")
    assert written == generate.PAGES[name](), "out of date: python docs/reference/generate.py"


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_a_schema_is_valid_and_every_field_is_described(path: Path) -> None:
    schema = json.loads(path.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    undescribed = [name for name, field in _fields(schema) if not ({"description", "$ref"} & set(field))]
    assert undescribed == []
    if path.stem != "definitions":
        assert schema["properties"]["schema"]["const"] == "/".join(path.stem.rsplit("-", 1))


def _fields(schema: Any) -> Any:
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for value in schema.values():
            yield from _fields(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _fields(value)


def test_a_page_that_is_out_of_date_is_said_to_be_and_written_by_its_script(
    script: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = script("reference/pages.py")
    monkeypatch.setattr(pages, "HERE", tmp_path)
    (tmp_path / "new.md").write_text("new", "utf-8")
    (tmp_path / "old.md").write_text("old", "utf-8")
    made = {name: lambda: "new" for name in ("new.md", "old.md", "none.md")}
    monkeypatch.setattr("sys.argv", ["some.py", "--check"])
    assert pages.main("docs/reference/some.py", made) == 1
    told = capsys.readouterr().err.splitlines()
    assert [one.endswith("python docs/reference/some.py") for one in told] == [True, True]
    assert not (tmp_path / "none.md").exists()
    monkeypatch.setattr("sys.argv", ["some.py"])
    assert pages.main("docs/reference/some.py", made) == 0
    assert [path.read_text("utf-8") for path in sorted(tmp_path.iterdir())] == ["new"] * 3
    monkeypatch.setattr("sys.argv", ["some.py", "--check"])
    assert pages.main("docs/reference/some.py", made) == 0
