"""For all tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import settings
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[1] / "docs" / "reference" / "schemas"

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("gw", deadline=None)
# CI says the same of the same code each time; new examples are looked for where somebody can look into them.
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "gw")


@pytest.fixture(scope="session")
def validator() -> Callable[[str], jsonschema.Draft202012Validator]:
    """``validator("gw.bench-1.json")``: that schema, closed: fields that it does not describe are refused."""
    registry = Registry().with_resources(
        (path.name, Resource.from_contents(_closed(json.loads(path.read_text("utf-8"))))) for path in SCHEMAS.iterdir()
    )

    def validator(name: str) -> jsonschema.Draft202012Validator:
        return jsonschema.Draft202012Validator(registry.contents(name), registry=registry)

    return validator


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
