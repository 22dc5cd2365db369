"""PDF: the text of each page, in the order of the file's own text objects; needs the extra ``docs``.

Pages are separated by a form feed, so that the page of a span is one more than the form feeds before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from gw_core.errors import LoadError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Loaded
from gw_core.protocols import Loader
from gw_plugins.loaders.isolated import LIMITS, SECONDS, Isolated

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_DIVIDED = re.compile(r"[\ufffe\x02](?:\n(?=\w))?")
_NOISE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\xad\ufffe\uffff]")
_WRONG_PASSWORD = 4  # FPDF_ERR_PASSWORD


class Pdf:
    """``seconds``: how long the extraction of one file may take."""

    name = "pdf"
    version = "1"
    extracts = True
    suffixes: Sequence[str] = (".pdf",)

    def __init__(self, seconds: Annotated[float, LIMITS] = SECONDS) -> None:
        self._extract = Isolated("gw_plugins.loaders.pdf:extract", seconds)

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:  # noqa: ARG002
        text, found = self._extract(data)
        return Loaded(text, found, "pdf")


def extract(data: bytes) -> tuple[str, str]:
    """The text of a PDF's pages. Runs in a process of its own."""
    import pypdfium2  # noqa: PLC0415  an extra, and only where it is used

    if b"%PDF-" not in data[:1024]:
        raise LoadError("it has no PDF header", reason="damaged")
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _WRONG_PASSWORD or "password" in str(error).lower():
            raise LoadError("it is encrypted with a password", reason="encrypted") from error
        raise LoadError(str(error), reason="damaged") from error
    pages = []
    for number in range(len(document)):
        page = document[number]
        text = page.get_textpage()
        pages.append(_cleaned(text.get_text_range()))
        text.close()
        page.close()
    if not any(pages):
        raise LoadError("its pages hold no text; are they scanned?", reason="no-text")
    return "\n\f".join(pages) + "\n", "utf-8"


def _cleaned(text: str) -> str:
    text = _DIVIDED.sub(_joined, text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _NOISE.sub("", text).translate(_LIGATURES)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _joined(hyphen: re.Match[str]) -> str:
    """PDFium puts U+FFFE (U+0002, in older versions) for a hyphen at the end of a line and joins the lines.

    Nearly all of those only divide a word. In a word that has a hyphen already it is one too (day-to-day).
    """
    before = hyphen.string[max(0, hyphen.start() - 30) : hyphen.start()]
    return "-" if "-" in before[max(before.rfind(" "), before.rfind("\n")) + 1 :] else ""


@hookimpl
def gw_register_loaders(register: Register[Loader]) -> None:
    register("pdf", "gw_plugins.loaders.pdf:Pdf", help="the text of PDF files", requires=("gw-toolkit[docs]",))
