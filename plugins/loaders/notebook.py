"""Jupyter notebooks: the sources of the Markdown and code cells. Outputs, attachments and raw cells are left out.

Cells are separated by a blank line; code stands between fences that name the notebook's language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from gw_core.errors import LoadError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Loaded
from gw_core.protocols import Loader
from gw_core.text.decode import decode
from gw_plugins.loaders.fence import fence_for

_SURROGATE = re.compile("[\ud800-\udfff]")
_EMBEDDED = re.compile(r"\(data:[a-z/+.-]*;base64,[A-Za-z0-9+/=\s]*\)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")


class Notebook:
    name = "notebook"
    version = "1"
    extracts = True
    suffixes: Sequence[str] = (".ipynb",)

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:  # noqa: ARG002
        decoded = decode(data, encoding)
        try:
            notebook = json.loads(decoded.text)
        except (ValueError, RecursionError) as error:
            raise LoadError(f"it is no notebook: {error}", reason="damaged") from error
        if not isinstance(notebook, dict):
            raise LoadError("it is no notebook: its JSON is no object", reason="damaged")
        text = "\n\n".join(_cells(notebook))
        # JSON can spell half of a surrogate pair, which is no character.
        return Loaded(_SURROGATE.sub("\ufffd", text) + "\n" if text else "", decoded.encoding, "markdown")


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    language = _language(notebook)
    cells = notebook.get("cells")
    if cells is None:  # before format 4 they stood in worksheets
        sheets = _list(notebook.get("worksheets"))
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    for cell in _list(cells):
        if not isinstance(cell, dict):
            continue
        source = _text(cell.get("source", cell.get("input", "")))
        if not source.strip():
            continue
        kind = cell.get("cell_type")
        if kind == "code":
            fence = fence_for(source)
            yield f"{fence}{language}\n{source}\n{fence}"
        elif kind == "heading":
            level = cell.get("level")
            yield "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + source
        elif kind == "markdown":
            yield _EMBEDDED.sub("()", source)


def _language(notebook: dict[str, Any]) -> str:
    found: Any = notebook.get("metadata")
    for key in ("language_info", "name"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) and _LANGUAGE.fullmatch(found) else ""


def _text(source: Any) -> str:
    parts = source if isinstance(source, list) else [source]
    return "".join(part for part in parts if isinstance(part, str)).replace("\r\n", "\n").strip("\n").replace("\0", "")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


@hookimpl
def gw_register_loaders(register: Register[Loader]) -> None:
    register("notebook", "gw_plugins.loaders.notebook:Notebook", help="the cells of Jupyter notebooks")
