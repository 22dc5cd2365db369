"""Bytes to text, and the name of the encoding that repeats it.

A byte order mark is never part of the text; line ends are. The order of trial: byte order mark, UTF-8, UTF-16 and
UTF-32 by where their NUL bytes stand, the guesses of :mod:`gw_core.text.detect`.

A name is a Python codec's, or one with ``-replace`` behind it: the file has a few bytes that the encoding does not
know (cut off in the middle of a character, or pasted from elsewhere), and each malformed sequence reads as U+FFFD.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from gw_core.errors import NOT_TEXT, LoadError

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
_PRINTABLE = bytes(sorted({*range(0x20, 0x7F), *b"\r\n"}))  # a tab is the high byte of Devanagari
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_SHORT = 16  # characters, among which one of punctuation may be by chance
_NAME_PART = re.compile("[ -]")
_EAST_ASIAN = frozenset(["HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH"])
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
        _refuse(NOT_TEXT, "binary")
    if b"\0" in data or _too_many_controls(data[:_SAMPLE]):
        return _without_a_mark(data) or _refuse(NOT_TEXT, "binary")
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


def _tolerant(data: bytes, *encodings: str) -> Decoded | None:
    """Decoded as one of these; or as the first, its few malformed sequences replaced; or None if they are not few."""
    for encoding in encodings:
        try:
            text = _without_mark(data, encoding).decode(encoding)
        except UnicodeDecodeError:
            continue
        # Extensions read stray bytes as characters for private use.
        if encoding == encodings[0] or not _PRIVATE.search(text):
            return _checked(text, encoding)
    text = _without_mark(data, encodings[0]).decode(encodings[0], "replace")
    return _checked(text, encodings[0] + REPLACE) if _few_faults(text, 100) else None


def _checked(text: str, encoding: str) -> Decoded:
    if "\0" in text:
        _refuse(NOT_TEXT, "binary")
    return Decoded(text, encoding)


def _few_faults(text: str, good_for_each: int) -> bool:
    faults = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore")) - faults
    return foreign >= good_for_each * faults or (faults == 1 and foreign >= 4)


def _utf8_with_faults(data: bytes) -> Decoded | None:
    """UTF-8 but for a few bytes. Sequences of UTF-8 hardly ever come about by chance, so four to one is enough."""
    text = data.decode("utf-8", "replace")
    return Decoded(text, "utf-8" + REPLACE) if _few_faults(text, 4) else None


def _guess(data: bytes) -> Decoded:
    from gw_core.text.detect import guesses  # noqa: PLC0415  most runs never meet a legacy file

    for encodings in guesses(data):
        if found := _tolerant(data, *encodings):
            return found
    return _refuse("no known encoding", "encoding")


def _too_many_controls(sample: bytes) -> bool:
    """More than one in fifty bytes; in ten, where it is UTF-8, which other data is not by chance."""
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    if controls <= 1 + len(sample) // 50:
        return False
    return controls > 1 + len(sample) // 10 or not _begins_as_utf8(sample)


def _begins_as_utf8(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


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
    return _is_writing(Counter(text))


def _is_writing(chars: Counter[str]) -> bool:
    """Whether these characters are words of hardly more than one script beside ASCII, with something between them.

    Numbers and structures, read as if they were UTF-16, lack all of this even where every one of them is a letter.
    """
    letters: Counter[str] = Counter()
    plain = between = odd = 0
    for char, count in chars.items():
        category = unicodedata.category(char)
        if category[0] in "PZ" or char.isspace():
            between += count
        elif char.isascii():
            plain += count
        elif category[0] in "LMN":
            letters[_script(char)] += count
        elif category[0] != "S":
            odd += count
    total = chars.total()
    if total < _SHORT:
        between = sum(chars[char] for char in " \t\r\n")
    latin, marks = letters.pop("LATIN", 0), letters.pop("COMBINING", 0)
    main = max(letters.values(), default=0)
    return (
        latin <= plain
        and marks <= plain + main
        and 4 * (odd + letters.total() - main) <= total
        and (plain == total or 200 * between >= total)
    ) and total > 0


def _script(char: str) -> str:
    """The first word of a character's name, which is that of its script; those of East Asia are written as one."""
    name = _NAME_PART.split(unicodedata.name(char, ""), maxsplit=1)[0]
    return "CJK" if name in _EAST_ASIAN else name
