"""The reference pages say what the commands and schemas say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
SCHEMAS = sorted((REFERENCE / "schemas").glob("*.json"))


@pytest.fixture(scope="module")
def generate() -> Any:
    spec = importlib.util.spec_from_file_location("generate_reference", REFERENCE / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
