from __future__ import annotations

import codecs
from collections.abc import Iterable

from gw_core.protocols import Loader
from gw_core.testing.loaders import LoaderConformance
from gw_plugins.loaders.markdown import Markdown
from gw_plugins.loaders.text import Text


class TestText(LoaderConformance):
    def make(self) -> Loader:
        return Text()

    def samples(self) -> Iterable[tuple[str, bytes, str]]:
        yield "a.txt", b"plain\r\nlines\n", "plain\r\nlines"
        yield "a.py", b"def f():\n    return 1\n", "return"
        yield "bom.txt", codecs.BOM_UTF8 + "größer\n".encode(), "größer"
        yield "wide.txt", codecs.BOM_UTF16_LE + "größer\n".encode("utf-16-le"), "größer"
        yield "old.txt", "Die Straße führt über die Brücke nach Köln.\n".encode("cp1252"), "Straße"


class TestMarkdown(LoaderConformance):
    def make(self) -> Loader:
        return Markdown()

    def samples(self) -> Iterable[tuple[str, bytes, str]]:
        yield "a.md", b"# Title\n\nSome *text*.\n", "# Title"
