from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from gw_core.errors import LoadError
from gw_core.protocols import Loader
from gw_core.testing.loaders import LoaderConformance
from gw_plugins.loaders.notebook import Notebook

_IMAGE = "iVBORw0KGgo" * 200


def _notebook(*cells: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"cells": list(cells), "metadata": {"language_info": {"name": "python"}}, **more}).encode()


def _cell(kind: str, source: Any, **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, **more}


def _text(data: bytes) -> str:
    return Notebook().load(data, "a.ipynb").text


class TestConformance(LoaderConformance):
    def make(self) -> Loader:
        return Notebook()

    def samples(self) -> Iterable[tuple[str, bytes, str]]:
        yield "a.ipynb", _notebook(_cell("markdown", ["# Title\n", "text"]), _cell("code", "x = 1")), "x = 1"


def test_cells_are_markdown_and_fenced_code() -> None:
    text = _text(
        _notebook(
            _cell("markdown", ["# Title\n", "\n", "Some *text*.\n"]),
            _cell("code", "x = 1\nprint(x)", outputs=[{"data": {"image/png": _IMAGE, "text/plain": ["1"]}}]),
            _cell("raw", "raw"),
            _cell("code", "  \n"),
            _cell("markdown", f"![plot](data:image/png;base64,{_IMAGE})", attachments={"a.png": {"image/png": _IMAGE}}),
        )
    )
    assert text == "# Title\n\nSome *text*.\n\n```python\nx = 1\nprint(x)\n```\n\n![plot]()\n"


def test_a_notebook_of_format_3() -> None:
    cells = [_cell("heading", "Old", level=2), {"cell_type": "code", "input": ["y = 2"], "outputs": []}]
    assert _text(json.dumps({"worksheets": [{"cells": cells}]}).encode()) == "## Old\n\n```\ny = 2\n```\n"


def test_a_fence_in_the_code_gets_a_longer_one() -> None:
    assert _text(_notebook(_cell("code", 's = """```"""'))) == '````python\ns = """```"""\n````\n'


def test_half_a_surrogate_pair_and_nul_are_no_text() -> None:
    assert _text(b'{"cells": [{"cell_type": "markdown", "source": "a\\ud800b\\u0000c"}]}') == "a\ufffdbc\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not JSON",
        b"[1, 2]",
        b'{"cells": [',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\x7fELF\0\0",
        b'"text"',
        b"1" * 9999,
    ],
)
def test_what_is_no_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        _text(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"cells": None},
        {"cells": 7},
        {"cells": {"a": 1}},
        {"cells": [None, 1, "x", [], {}]},
        {"cells": [{"cell_type": "code"}, {"cell_type": "code", "source": 5}, {"cell_type": ["x"], "source": "y"}]},
        {"worksheets": [1, {"cells": "abc"}]},
        {"cells": [], "metadata": [1]},
    ],
)
def test_odd_content_is_no_text(content: Any) -> None:
    assert _text(json.dumps(content).encode()) == ""


def test_an_odd_language_is_left_out() -> None:
    metadata = {"language_info": {"name": "no`language\n"}}
    assert _text(_notebook(_cell("code", "x"), metadata=metadata)) == "```\nx\n```\n"
