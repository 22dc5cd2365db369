"""A passage with its citation, and what re-reading the source said about it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gw_core.citation import SIDE_LENGTH, Citation, cite_text
from gw_core.database import damaged
from gw_core.model import Passage, Verdict
from gw_core.rows import DocumentRow
from gw_core.store import Catalogue
from gw_core.verify import SourceReader, Verification

# How much of a document on either side of a span is looked at for the hashes of its neighbourhood. Were it nothing but
# line ends, which do not count there, the whole document is taken.
_MARGIN = 1024


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage with its citation, and what re-reading the source said about it."""

    passage: Passage
    citation: Citation
    verification: Verification

    @property
    def verified(self) -> bool:
        return self.verification.verdict is Verdict.VERIFIED


def evidence_of(catalogue: Catalogue, sources: SourceReader, passage: Passage) -> Evidence:
    """Cite a passage as it was indexed and re-read its source."""
    row = catalogue.document(passage.path)
    if row is None:
        raise damaged(catalogue.path, f"no document {passage.path!r}")
    citation = cite_row(catalogue, row, passage.start, passage.end)
    return Evidence(passage, citation, sources.verify(citation, text=passage.text))


def cite_row(catalogue: Catalogue, row: DocumentRow, start: int, end: int) -> Citation:
    """The citation of a span of a stored document, reading only the text around it."""
    low, high = max(0, start - _MARGIN), min(row.chars, end + _MARGIN)
    text = catalogue.text(row, low, high)
    if _blank(text[: start - low]) or _blank(text[end - low :]):
        low, text = 0, catalogue.text(row)
    return replace(cite_text(row.path, text, start - low, end - low, row.decoder), start=start, end=end)


def _blank(side: str) -> bool:
    return len(side) == _MARGIN and len(side.replace("\n", "").replace("\r", "")) < SIDE_LENGTH
