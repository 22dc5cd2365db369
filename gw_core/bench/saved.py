"""Reports ``gw.bench/1`` that were saved as JSON: read, and checked before anything relies on them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gw_core.errors import NotFoundError, UsageError

SCHEMA = "gw.bench/1"
MAX_BYTES = 256_000_000
"""A larger file is refused: a report of a hundred thousand questions takes a quarter of it, and JSON ten times its size
in memory."""

_REMEDY = "a report is what gw bench ... --json prints"


def read_report(path: Path) -> dict[str, Any]:
    """The report in a file. Raises NotFoundError, or UsageError for anything that is not a whole report."""
    try:
        with path.open("rb") as file:  # maybe a pipe, of which no size is known
            read = file.read(MAX_BYTES + 1)
        if len(read) > MAX_BYTES:
            raise UsageError(f"{path}: larger than {MAX_BYTES} bytes", hint=_REMEDY)
        data = json.loads(read)
    except FileNotFoundError:
        raise NotFoundError(f"no report at {path}", hint=_REMEDY) from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON", hint=_REMEDY) from None
    return check_report(data, str(path))


def check_report(data: Any, name: str) -> dict[str, Any]:
    """``data``, if it is a report with all that comparisons and gates read in it. Raises UsageError otherwise."""
    schema = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(data, dict) or schema != SCHEMA:
        said = f": its schema is {schema}, not {SCHEMA}" if isinstance(schema, str) else ""
        raise UsageError(f"{name} is no report of gw bench{said}", hint=_REMEDY)
    try:
        run = data["provenance"]
        whole = isinstance(run["machine"]["id"], str) and _is_mapping(run.get("haystack"))
        whole = whole and all(map(_is_task, data["tasks"]))
    except (AttributeError, KeyError, TypeError):
        whole = False
    if not whole:
        raise UsageError(f"{name} says that it is {SCHEMA}, but parts of it are missing or damaged", hint=_REMEDY)
    return data


def is_number(value: object) -> bool:
    """Whether it is a number that can be reckoned with: no NaN, nothing infinite, no integer beyond all floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_task(task: Any) -> bool:
    texts = (task["name"], task["identity"])
    return _are_texts(*texts) and isinstance(task["settings"], Mapping) and all(map(_is_cell, task["cells"]))


def _is_cell(cell: Any) -> bool:
    metrics = all(_is_value(one["value"]) for one in cell["metrics"].values())
    figures = all(map(_is_figure, cell["figures"].values()))
    known = _are_texts(cell["name"]) and _is_mapping(cell.get("latency")) and metrics and figures
    return known and all(map(_is_question, cell["questions"]))


def _is_figure(figure: Any) -> bool:
    known = figure["better"] in ("higher", "lower", "neither") and isinstance(figure["machine"], bool)
    return known and _are_texts(figure["unit"]) and _is_value(figure["value"])


def _is_question(question: Any) -> bool:
    return _are_texts(question["id"], question["question"]) and all(map(_is_value, question["values"].values()))


def _is_value(value: object) -> bool:
    """A number that JSON has, or null, which stands for what it has not."""
    return value is None or is_number(value)


def _is_mapping(value: object) -> bool:
    """An object, or null, which stands for none."""
    return value is None or isinstance(value, Mapping)


def _are_texts(*values: object) -> bool:
    return all(isinstance(one, str) for one in values)
