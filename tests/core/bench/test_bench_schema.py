"""The sample that other tests render is what the schema of reports describes, and nothing more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[3] / "docs" / "reference" / "schemas"


def _closed(schema: Any) -> Any:
    """The same schema without room for fields that it does not describe."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(one) for key, one in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        closed["additionalProperties"] = False
    return closed


def _validator(name: str) -> jsonschema.Draft202012Validator:
    registry = Registry().with_resources(
        (path.name, Resource.from_contents(_closed(json.loads(path.read_text("utf-8"))))) for path in SCHEMAS.iterdir()
    )
    return jsonschema.Draft202012Validator(registry.contents(name), registry=registry)


def test_the_sample_is_a_report(sample: dict[str, Any]) -> None:
    validator = _validator("gw.bench-1.json")
    validator.validate(sample)
    sample["tasks"][0]["cells"][0]["metrics"]["recall@5"]["interval"] = "guess"
    sample["more"] = 1
    assert {one.json_path for one in validator.iter_errors(sample)} == {
        "$",
        "$.tasks[0].cells[0].metrics['recall@5'].interval",
    }
