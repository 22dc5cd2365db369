"""The sample that other tests render is what the schema of reports describes, and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema


def test_the_sample_is_a_report(
    sample: dict[str, Any], validator: Callable[[str], jsonschema.Draft202012Validator]
) -> None:
    schema = validator("gw.bench-1.json")
    schema.validate(sample)
    sample["tasks"][0]["cells"][0]["metrics"]["recall@5"]["interval"] = "guess"
    sample["more"] = 1
    assert {one.json_path for one in schema.iter_errors(sample)} == {
        "$",
        "$.tasks[0].cells[0].metrics['recall@5'].interval",
    }
