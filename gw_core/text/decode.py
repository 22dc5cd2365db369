"""Bytes to text, and the name of the encoding that repeats it.

A byte order mark is never part of the text; line ends are. The order of trial: byte order mark, UTF-8, UTF-16 and
UTF-32 by where their NUL bytes stand, the guesses of :mod:`gw_core.text.detect`.

A name is a Python codec's, or one with ``-replace`` behind it: the file has a few bytes that the encoding does not
know (cut off in the middle of a character, or pasted from elsewhere), and each malformed sequence reads as U+FFFD.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from gw_core.errors import LoadError

REPLACE = "-replace"
HEAD_BYTES = 8192
"""How much of a file :func:`is_binary` wants to see."""

ENCODINGS = frozenset(
    [
        "utf-8",
        "utf-16-le",
        "utf-16-be",
        "utf-32-le",
        "utf-32-be",
        "gb18030",
        "big5",
        "big5hkscs",
        "cp950",
        "shift_jis",
        "cp932",
        "euc_jp",
        "iso2022_jp",
        "euc_kr",
        "cp949",
        "johab",
        "tis-620",
        "cp874",
        "koi8-r",
        "koi8-u",
        "cp437",
        "cp850",
        "cp852",
        "cp866",
        "mac-roman",
        "cp1250",
        "cp1251",
        "cp1252",
        "cp1253",
        "cp1254",
        "cp1255",
        "cp1256",
        "cp1257",
        "cp1258",
        "iso8859-1",
        "iso8859-2",
        "iso8859-3",
        "iso8859-4",
        "iso8859-5",
        "iso8859-6",
        "iso8859-7",
        "iso8859-8",
        "iso8859-9",
        "iso8859-10",
        "iso8859-11",
        "iso8859-13",
        "iso8859-14",
        "iso8859-15",
        "iso8859-16",
    ]
)
"""Every encoding that a file may be read in. Python's codecs that are no character encodings are not among them."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_MAGIC = (
    b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh9",
    b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"\x7fELF", b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"SQLite format 3\x00", b"OggS\x00", b"fLaC\x00", b"ID3\x02", b"ID3\x03",
    b"ID3\x04", b"wOFF", b"wOF2", b"\x00\x01\x00\x00\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x93NUMPY", b"GGUF",
    b"!<arch>\n", b"\x00asm", b"BC\xc0\xde",
)  # fmt: skip
# Tab, line ends, form feed, backspace (overstruck manuals), escape (coloured logs), ^Z (the end in DOS) are text.
_CONTROL = bytes(sorted((set(range(0x20)) | {0x7F}) - set(b"\t\n\v\f\r\b\x1b\x1a")))
_CONTROL_CHARS = frozenset(_CONTROL.decode("ascii"))
_PRINTABLE = bytes(sorted({*range(0x20, 0x7F), *b"\t\r\n"}))
_HIGH = bytes(range(128, 256))
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_SAMPLE = 64 * 1024
_WIDE_SAMPLE = 16 * 1024


@dataclass(frozen=True, slots=True)
class Decoded:
    """``text`` without byte order mark, and the name that makes :func:`decode` repeat it."""

    text: str
    encoding: str


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode a whole file.

    With ``encoding`` a stored choice is repeated exactly. Raises :class:`LoadError` with the reason ``binary`` where
    the bytes are no text, and ``encoding`` where they cannot be read as the ``encoding`` asked for.
    """
    if encoding is not None:
        return Decoded(_decode_as(data, encoding), encoding)
    named = _by_mark(data)
    if named is not None:
        return _tolerant(data, named) or _refuse("its bytes do not fit its byte order mark", "encoding")
    if data.startswith(_MAGIC):
        _refuse("binary data", "binary")
    if b"\0" in data or _too_many_controls(data[:_SAMPLE]):
        return _without_a_mark(data) or _refuse("NUL bytes or control characters: binary data", "binary")
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _utf8_with_faults(data) or _guess(data)


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is no text, from its first ``HEAD_BYTES``. Never reads further, never raises.

    PDF, DOCX and the like are binary in this sense: ask only about files that no extracting loader takes.
    """
    head = head[:HEAD_BYTES]
    if _by_mark(head) is not None:
        return False
    if head.startswith(_MAGIC):
        return True
    return (b"\0" in head or _too_many_controls(head)) and _wide(head) is None


def blocks(stream: BinaryIO, encoding: str, size: int = 1 << 16) -> Iterator[tuple[int, str]]:
    """Decode ``stream``, read from its beginning, bit by bit: ``(offset, text)`` pairs, offsets in code points.

    ``size`` is in bytes. Joined, the blocks are what :func:`decode` gives for the same ``encoding``.
    """
    codec, errors = _codec(encoding)
    decoder = codecs.getincrementaldecoder(codec)(errors)
    offset, data = 0, stream.read(max(size, 4))
    fresh = _without_mark(data, codec)
    while True:
        try:
            text = decoder.decode(fresh, final=not data)
        except UnicodeDecodeError as error:
            raise _unfit(encoding, error) from None
        if text:
            yield offset, text
            offset += len(text)
        if not data:
            return
        fresh = data = stream.read(size)


# --- one encoding -----------------------------------------------------------------------------------------------------


def _codec(encoding: str) -> tuple[str, str]:
    """The Python codec and error handler of a name of ours."""
    name = encoding.removesuffix(REPLACE)
    if name not in ENCODINGS:
        _refuse(f"unknown encoding {encoding[:40]!r}", "encoding")
    return name, "strict" if name == encoding else "replace"


def _decode_as(data: bytes, encoding: str) -> str:
    codec, errors = _codec(encoding)
    try:
        return _without_mark(data, codec).decode(codec, errors)
    except UnicodeDecodeError as error:
        raise _unfit(encoding, error) from None


def _without_mark(data: bytes, codec: str) -> bytes:
    for mark, name in _BOMS:
        if name == codec and data.startswith(mark):
            return data[len(mark) :]
    return data


def _unfit(encoding: str, error: UnicodeDecodeError) -> LoadError:
    return LoadError(f"not {encoding}: {error.reason} at byte {error.start}", reason="encoding")


def _refuse(message: str, reason: str) -> NoReturn:
    raise LoadError(message, reason=reason)


# --- what encoding? ---------------------------------------------------------------------------------------------------


def _by_mark(data: bytes) -> str | None:
    for mark, name in _BOMS:
        # The mark of UTF-32 begins with that of UTF-16; the length can tell that it isn't UTF-32.
        if data.startswith(mark) and not (name == "utf-32-le" and len(data) % 4 and len(data) < HEAD_BYTES):
            return name
    return None


def _tolerant(data: bytes, encoding: str) -> Decoded | None:
    """Decoded as ``encoding``; with its few malformed sequences replaced; or None if they are not few."""
    data = _without_mark(data, encoding)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        faults = text.count("\ufffd")
        foreign = len(text) - len(data.translate(None, _HIGH)) if encoding not in _WIDE else len(text)
        if faults > max(1, foreign // 100) or faults * 4 > foreign:
            return None
        encoding += REPLACE
    if encoding in _WIDE and "\0" in text:
        _refuse("NUL characters: binary data", "binary")
    return Decoded(text, encoding)


def _utf8_with_faults(data: bytes) -> Decoded | None:
    """UTF-8 but for a few bytes. Sequences of UTF-8 hardly ever come about by chance, so four to one is enough."""
    text = data.decode("utf-8", "replace")
    faults = text.count("\ufffd")
    foreign = len(text) - len(data.translate(None, _HIGH))
    return Decoded(text, "utf-8" + REPLACE) if foreign >= 5 * faults else None


def _guess(data: bytes) -> Decoded:
    from gw_core.text.detect import guesses  # noqa: PLC0415  most runs never meet a legacy file

    for encoding in guesses(data):
        if found := _tolerant(data, encoding):
            return found
    return _refuse("no known encoding", "encoding")


def _too_many_controls(sample: bytes) -> bool:
    return len(sample) - len(sample.translate(None, _CONTROL)) > 1 + len(sample) // 50


def _without_a_mark(data: bytes) -> Decoded | None:
    """UTF-16 or UTF-32 that is told by the look of its bytes alone, and so must be without fault."""
    encoding = _wide(data[:_WIDE_SAMPLE])
    if encoding is None:
        return None
    found = _tolerant(data, encoding)
    return found if found and found.encoding == encoding else None


def _wide(sample: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: the one in which the sample reads as text, or None."""
    solid = sample.translate(None, b"\0")
    if 4 * len(solid) > 3 * len(sample) and 8 * len(solid.translate(None, _PRINTABLE)) < len(solid):
        return None  # ASCII with a few NULs; pairs of its letters would read as Chinese
    sample = sample[: len(sample) // 4 * 4] if len(sample) > 4 else sample[: len(sample) // 2 * 2]
    best: tuple[float, str] | None = None
    for encoding in _WIDE:
        text = sample.decode(encoding, "replace")
        if _is_plausible(text):
            # In the wrong order of bytes text is spread over the whole of Unicode.
            spread = Counter(ord(char) >> 8 for char in text).values()
            together = sum(count * count for count in spread) / len(text) ** 2
            best = max(best or (0.0, ""), (together, encoding))
    return best[1] if best else None


def _is_plausible(text: str) -> bool:
    """Whether nearly all of it is characters that there are, and that are no controls."""
    allowed = len(text) // 50
    # A sample may end in the middle of a surrogate pair.
    for char in text[:-1] or text:
        if char in _CONTROL_CHARS or char == "\ufffd" or unicodedata.category(char) in ("Cn", "Co", "Cs"):
            allowed -= 1
            if allowed < 0:
                return False
    return bool(text)
