"""Citations: a span of a file and the hashes that prove it, as one portable line.

::

    PATH#cSTART-END.HASH[.DECODER]
    docs/plugins.md#c120-480.9f86d081884c7d65a1b2c3d4
    notes/caf%C3%A9.txt#c0-12.9f86d081884c7d65a1b2c3d4.cp1252
    paper.pdf#c88-140.9f86d081884c7d65a1b2c3d4.pdf@1

START and END are code points of the decoded text. HASH is 24 hex digits: 16 of the SHA-256 of the span's text, then 4
for what stands before it and 4 for what stands after. Either side is the nearest 32 code points, line ends
(``\\r``, ``\\n``) left out, so that rewriting line ends leaves them as they are; fewer at the edges of the file.
What is hashed is UTF-8, lone surrogates as they are (``surrogatepass``). DECODER is missing for UTF-8, and else the
name of an encoding or ``loader@version``. PATH is relative to the root; every byte of it but letters, digits and
``/-._~`` is percent-encoded, so names that are no UTF-8 survive too.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from gw_core.errors import CitationError
from gw_core.model import Document, Span

DIGEST_DIGITS = 16
SIDE_DIGITS = 4
SIDE_LENGTH = 32
"""Code points that are hashed on either side of a span, line ends aside."""

_TAIL = re.compile(r"c([0-9]{1,15})-([0-9]{1,15})\.([0-9a-f]{16})([0-9a-f]{4})([0-9a-f]{4})(?:\.(.+))?", re.DOTALL)
_DECODER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+@-]{0,99}")
_RESERVED = re.compile(rb"[^A-Za-z0-9/._~-]")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})?")


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of a file and its hashes. ``sha256``, the whole hash of the text, is kept where it is known; it stands
    in JSON, not in the line, and two citations that differ in nothing else are equal."""

    path: str
    start: int
    end: int
    digest: str
    before: str
    after: str
    decoder: str = ""
    sha256: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        tail = f".{self.decoder}" if self.decoder else ""
        return f"{_quote(self.path)}#c{self.start}-{self.end}.{self.digest}{self.before}{self.after}{tail}"

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @classmethod
    def parse(cls, line: str) -> Citation:
        """Read what ``str`` wrote. Raises :class:`CitationError` with one line that says what is wrong."""
        line = line.strip()
        path, mark, tail = line.rpartition("#")
        if not mark or not path:
            raise _malformed(line, "it has no PATH and #cSTART-END")
        found = _TAIL.fullmatch(tail)
        if not found:
            raise _malformed(line, "after # comes cSTART-END.HASH, HASH being 24 lower-case hex digits")
        start, end = int(found[1]), int(found[2])
        if start >= end:
            raise _malformed(line, f"its span is empty or reversed: {start}-{end}")
        decoder = found[6] or ""
        if decoder and not _DECODER.fullmatch(decoder):
            raise _malformed(line, "its last part names no encoding and no loader@version")
        return cls(_unquote(path, line), start, end, found[3], found[4], found[5], decoder)

    def fits(self, sha256: str) -> bool:
        """Whether a text of this hash (64 hex digits) is the cited text."""
        return sha256 == self.sha256 if self.sha256 else sha256.startswith(self.digest)


def cite(document: Document, span: Span) -> Citation:
    """The citation of a span of ``document``. Raises :class:`CitationError` for an empty span or one outside it."""
    return cite_text(document.path, document.text, span.start, span.end, document.decoder)


def cite_text(path: str, text: str, start: int, end: int, decoder: str = "") -> Citation:
    """As :func:`cite`, for a whole document's ``text`` and the ``decoder`` that gives it."""
    if not 0 <= start < end <= len(text):
        raise CitationError(f"no citation for {start}-{end} of {path!r}: empty, or outside its {len(text)} characters")
    sha256 = text_hash(text[start:end])
    before, after = side_hash(side_before(text, start)), side_hash(side_after(text, end))
    return Citation(path, start, end, sha256[:DIGEST_DIGITS], before, after, decoder, sha256)


def text_hash(text: str) -> str:
    """SHA-256 of a text in UTF-8, lone surrogates as they are; 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def side_hash(side: str) -> str:
    return text_hash(side)[:SIDE_DIGITS]


def without_line_ends(text: str) -> str:
    return text.replace("\n", "").replace("\r", "")


def side_before(text: str, start: int) -> str:
    """The last ``SIDE_LENGTH`` code points before ``start``, line ends aside."""
    reach = 2 * SIDE_LENGTH
    while True:
        low = max(0, start - reach)
        side = without_line_ends(text[low:start])
        if len(side) >= SIDE_LENGTH or low == 0:
            return side[-SIDE_LENGTH:]
        reach *= 4


def side_after(text: str, end: int) -> str:
    """The first ``SIDE_LENGTH`` code points from ``end``, line ends aside."""
    reach = 2 * SIDE_LENGTH
    while True:
        side = without_line_ends(text[end : end + reach])
        if len(side) >= SIDE_LENGTH or end + reach >= len(text):
            return side[:SIDE_LENGTH]
        reach *= 4


def _quote(path: str) -> str:
    raw = path.encode("utf-8", "surrogateescape")
    return _RESERVED.sub(lambda found: b"%%%02X" % found[0][0], raw).decode("ascii")


def _unquote(path: str, line: str) -> str:
    def byte(found: re.Match[bytes]) -> bytes:
        if found[1] is None:
            raise _malformed(line, "a % in its path is not followed by two hex digits")
        return bytes([int(found[1], 16)])

    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise _malformed(line, "its path holds a lone surrogate") from None
    raw = _PERCENT.sub(byte, raw)
    if b"\0" in raw:
        raise _malformed(line, "its path holds a NUL")
    return raw.decode("utf-8", "surrogateescape")


def _malformed(line: str, why: str) -> CitationError:
    shown = line if len(line) <= 120 else line[:117] + "..."
    return CitationError(f"not a citation: {shown!r}: {why}", hint="a citation is PATH#cSTART-END.HASH[.DECODER]")
