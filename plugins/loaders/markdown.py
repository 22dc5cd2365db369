"""Markdown: the text is the decoded bytes; what marks it up stays, for the chunker to read."""

from __future__ import annotations

from collections.abc import Sequence

from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Loaded
from gw_core.protocols import Loader
from gw_core.text.decode import decode


class Markdown:
    name = "markdown"
    version = "1"
    extracts = False
    suffixes: Sequence[str] = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:  # noqa: ARG002
        decoded = decode(data, encoding)
        return Loaded(decoded.text, decoded.encoding, "markdown")


@hookimpl
def gw_register_loaders(register: Register[Loader]) -> None:
    register("markdown", "gw_plugins.loaders.markdown:Markdown", help="Markdown, as it stands")
