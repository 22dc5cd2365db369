"""Natural text without a repeated sentence, in pieces of any size.

The rule. Files come in the order of the hashes of their paths. Their text is cut into paragraphs, blocks between blank
lines; one that is longer than :data:`LONGEST` characters is cut at line ends. A paragraph is left out if it, or a line
or a sentence in it, has at least :data:`WORDS` words and has occurred before in the haystack, white space aside; or if
it holds control characters or a line that is longer than a paragraph may be. What is kept stands in files of the same
names, paragraphs a blank line apart. It depends on nothing but the source, so that :attr:`Haystack.sha256` and a size
say which text it is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from gw_core.bench.sources import Sources, folder, installed_packages, standard_library
from gw_core.bench.tokens import RULE, name_of, of_bytes, utf8_size
from gw_core.errors import UsageError
from gw_core.text.decode import is_binary
from gw_core.trial import SourceText

VERSION = 1
"""Changes whenever the rule gives another text for any source."""
WORDS = 5
LONGEST = 4_000

_BLANK = re.compile(r"\n(?:[ \t\f\v]*\n)+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufeff\ufffd\ud800-\udfff]")
_GAP = 2  # bytes of the blank line after a paragraph; after the last one of a file, only its line end stands


class _Paragraph(NamedTuple):
    name: str
    text: str
    size: int


class Haystack:
    """Made by :func:`open_haystack`. Reads no more of its source than what was asked for needs.

    Not to be shared between threads.
    """

    def __init__(self, source: Sources, more: Sources | None = None) -> None:
        self._sources = [source, *([more] if more else [])]
        self._kept: list[_Paragraph] = []
        self._base: int | None = None
        """How many paragraphs the source itself has, once that is known."""
        self._stream = self._paragraphs()
        self._starts: dict[int, list[int]] = {}

    @property
    def sha256(self) -> str:
        """One hash of all that the haystack without further packages depends on: the source and the rule."""
        return self._hash(self._sources[:1])

    @property
    def key(self) -> dict[str, Any]:
        """What a corpus made of this haystack depends on, as plain data."""
        return {"haystack": self.sha256}

    @property
    def wider_key(self) -> dict[str, Any]:
        """The same for a corpus that was taken with ``more``."""
        return {"haystack": self._hash(self._sources)}

    @property
    def provenance(self) -> dict[str, Any]:
        """What a report says of it: name, sha256, files, the rule."""
        facts = self._sources[0].facts()
        return {
            "name": facts["name"],
            "sha256": self.sha256,
            "files": facts["files"],
            "rule": f"version {VERSION}: no line or sentence of {WORDS} words or more twice",
            "token_rule": RULE,
        }

    def take(self, tokens: int, number: int = 0, *, more: bool = False) -> list[SourceText]:
        """The ``number``-th piece of ``tokens`` tokens: never more, and at most a paragraph less. Pieces of one size
        are disjoint.

        With ``more`` it goes on with the packages that are installed where the standard library ends. Raises
        :class:`UsageError` where there is not so much.
        """
        if tokens < 1 or number < 0:
            raise UsageError(f"a piece of {tokens} tokens, number {number}, is none")
        starts = self._starts.setdefault(tokens, [0])
        while len(starts) <= number + 1:
            starts.append(self._end(starts[-1], tokens, len(starts), more))
        if not more and self._base is not None and starts[number + 1] > self._base:
            raise self._too_little(tokens, number + 1, more)
        piece = self._kept[starts[number] : starts[number + 1]]
        return list(_files(piece))

    def tokens(self, *, more: bool = False) -> int:
        """How many tokens there are. Reads the whole source."""
        while self._more(more):
            pass
        there = self._kept if more else self._kept[: self._base]
        return sum(of_bytes(sum(one.size for one in file) - 1) for _, file in groupby(there, lambda one: one.name))

    def _end(self, start: int, tokens: int, pieces: int, more: bool) -> int:
        """Where the piece that begins with paragraph ``start`` ends."""
        full = size = 0  # tokens of the files that are done, bytes of the one that is begun
        name = None
        end = start
        while True:
            if end == len(self._kept) and not self._more(more):
                if end > start and full + of_bytes(size - 1) == tokens:
                    break
                raise self._too_little(tokens, pieces, more)
            one = self._kept[end]
            if one.name != name:
                full, size, name = full + of_bytes(max(size - 1, 0)), 0, one.name
            size += one.size
            if full + of_bytes(size - 1) > tokens:
                break
            end += 1
        if end == start:
            raise UsageError(
                f"a haystack of {name_of(tokens)} tokens is smaller than one paragraph",
                hint="ask for a larger one: --context 8k, say",
            )
        return end

    def _more(self, more: bool) -> bool:
        """Keep one more paragraph; False where there is none."""
        if self._base is not None and not more:
            return False
        one = next(self._stream, None)
        if one is None:
            return False
        self._kept.append(one)
        return True

    def _paragraphs(self) -> Iterator[_Paragraph]:
        seen: set[str] = set()
        for source in self._sources:
            for file in source.files:
                for text in paragraphs(file.text()):
                    if is_new(text, seen):
                        yield _Paragraph(file.name, text, utf8_size(text) + _GAP)
            if self._base is None:
                self._base = len(self._kept)

    def _too_little(self, tokens: int, pieces: int, more: bool) -> UsageError:
        there = self.tokens(more=more)
        wanted = name_of(tokens) if pieces == 1 else f"{pieces} times {name_of(tokens)}"
        what = " and ".join(one.title for one in self._sources[: 2 if more else 1])
        return UsageError(
            f"the haystack has {there:,} tokens, not {wanted}: {what}",
            hint="--haystack FOLDER names a folder with more text, --context smaller sizes",
        )

    @staticmethod
    def _hash(sources: Sequence[Sources]) -> str:
        rule = f"{VERSION} {WORDS} {LONGEST}"
        return hashlib.sha256("\n".join([rule, *(one.sha256 for one in sources)]).encode()).hexdigest()


def open_haystack(source: Path | None = None) -> Haystack:
    """The text files below a folder; None is the standard library of this Python, and its packages for ``more``.

    Raises :class:`gw_core.errors.UsageError` where ``source`` is no folder.
    """
    return Haystack(standard_library(), installed_packages()) if source is None else Haystack(folder(source))


def paragraphs(text: str) -> Iterator[str]:
    """The blocks between blank lines, without those that are no text; long ones in parts of whole lines."""
    for block in _BLANK.split(text):
        if len(block) <= LONGEST:
            if block and not block.isspace() and _is_text(block):
                yield block.strip("\n")
        else:
            yield from filter(_is_text, _parts(block))


def _parts(block: str) -> Iterator[str]:
    part: list[str] = []
    size = 0
    for line in block.split("\n"):
        if len(line) > LONGEST:
            continue
        if size + len(line) + 1 > LONGEST:
            yield "\n".join(part)
            part, size = [], 0
        part.append(line)
        size += len(line) + 1
    if part:
        yield "\n".join(part)


def _is_text(block: str) -> bool:
    return _CONTROL.search(block) is None


def is_new(paragraph: str, seen: set[str]) -> bool:
    """Whether no line and no sentence of it, nor all of it, is among ``seen`` or twice in it; if so, they are added."""
    lines = [line.split() for line in paragraph.split("\n")]
    keys = [" ".join(words) for words in lines if len(words) >= WORDS]
    sentences = keys
    if len(lines) > 1 or ". " in paragraph or "! " in paragraph or "? " in paragraph:
        whole = " ".join(paragraph.split())
        # Three replacements are twice as quick as one regular expression, and this is where the time goes.
        parted = whole.replace(". ", ".\n").replace("! ", "!\n").replace("? ", "?\n").split("\n")
        several = [whole, *parted] if len(parted) > 1 else parted
        sentences = [one for one in several if one.count(" ") >= WORDS - 1]
    found = {*keys, *sentences}
    if not seen.isdisjoint(found) or len(set(keys)) < len(keys) or len(set(sentences)) < len(sentences):
        return False
    seen |= found
    return True


def _files(piece: Sequence[_Paragraph]) -> Iterator[SourceText]:
    for name, file in groupby(piece, lambda one: one.name):
        texts = [one.text for one in file]
        while texts and is_binary(texts[0].encode()):
            del texts[0]  # a file that begins so would pass for one of another format
        if texts:
            yield SourceText(name, "\n\n".join(texts) + "\n")
