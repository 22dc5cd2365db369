"""Check citations against the files as they are on disk now; needs no index and no model.

The verdict on the cited text:

``verified``      it stands at the cited place (and not by mere chance, its old neighbourhood being whole elsewhere)
``moved``         it stands elsewhere in the file, with its neighbourhood on at least one side, and one place fits best
``drifted``       something else stands there; where the bare text occurs now is listed
``missing``       there is no such file
``unresolvable``  the file is outside the root, no regular file, holds secrets by its name, cannot be decoded as cited,
                  or its loader isn't here
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gw_core.citation import Citation, cite_text, text_hash
from gw_core.errors import GwError, LoadError, described
from gw_core.files import MAX_BYTES, location, path_bytes, read_regular
from gw_core.model import Span, Verdict
from gw_core.protocols import Loader
from gw_core.secrets import is_secret
from gw_core.text.decode import decode
from gw_core.text.lines import Lines
from gw_core.text.occurrences import Occurrences

Loaders = Mapping[str, Loader] | Callable[[str], Loader | None]
"""Where extracting loaders are found by name; a callable returns None, or raises :class:`GwError`, for unknown ones."""


_CLOCK_TICK_NS = 2_000_000_000  # the coarsest of the file systems in use


@dataclass(frozen=True, slots=True)
class Verification:
    """What re-reading the source said about ``citation``.

    ``start``, ``end``, ``lines``, ``text`` and ``sha256`` (of the text) are those of the place where the cited text
    stands now: the cited place, or the new one if it moved (``moved_to`` then cites it). For ``drifted`` they are of
    what stands at the cited place instead, cut at the end of the file; where nothing could be read, ``lines``,
    ``text`` and ``sha256`` are None. ``reason`` is one line for everything but ``verified``, and a remark there.
    """

    verdict: Verdict
    citation: Citation
    start: int
    end: int
    lines: tuple[int, int] | None = None
    text: str | None = None
    sha256: str | None = None
    moved_to: Citation | None = None
    occurrences: tuple[Span, ...] = ()
    reason: str = ""

    @property
    def path(self) -> str:
        return self.citation.path


class Source:
    """One file's decoded text, with what is computed from it when it is first needed."""

    def __init__(self, text: str, sha256: str) -> None:
        self.text = text
        self.sha256 = sha256

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.text)

    @cached_property
    def occurrences(self) -> Occurrences:
        return Occurrences(self.text)


@dataclass(frozen=True, slots=True)
class _Kept:
    source: Source
    status: os.stat_result
    read_ns: int

    def is_current(self, status: os.stat_result | None) -> bool:
        """Whether a file with this status still holds what was read of it."""
        if status is None:
            return False
        # A file that had just been written when it was read may have been written again within one tick of the clock.
        changed_ns = max(status.st_mtime_ns, status.st_ctime_ns)
        return _stamp(status) == _stamp(self.status) and changed_ns + _CLOCK_TICK_NS < self.read_ns


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class SourceReader:
    """Reads files below ``root`` for verification, and keeps the last few for as long as they don't change on disk.

    ``loaders`` gives the loaders of extracted text; without them only citations of plain text can be checked.
    """

    def __init__(
        self, root: Path, loaders: Loaders | None = None, *, max_bytes: int = MAX_BYTES, cache_bytes: int = MAX_BYTES
    ) -> None:
        self.root = root
        self.max_bytes = max_bytes
        self._loaders: Loaders = loaders if loaders is not None else {}
        self._cache: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._cache_bytes = cache_bytes

    def read(self, path: str, decoder: str = "") -> Source:
        """The text of the file, as ``decoder`` (empty for UTF-8, an encoding, ``loader@version``) gives it.

        Raises :class:`LoadError`; its reason is ``missing`` where there is no such file.
        """
        key = (path, decoder)
        kept = self._cache.pop(key, None)
        if kept and kept.is_current(self._status(path)):
            self._cache[key] = kept
            return kept.source
        self._refuse_secrets(path)
        read_ns = time.time_ns()
        data, status = read_regular(self.root, path, self.max_bytes)
        sha256 = hashlib.sha256(data).hexdigest()
        source = kept.source if kept and kept.source.sha256 == sha256 else None
        source = source or Source(self._text(data, path, decoder), sha256)
        self._cache[key] = _Kept(source, status, read_ns)
        while len(self._cache) > 1 and sum(one.status.st_size for one in self._cache.values()) > self._cache_bytes:
            self._cache.popitem(last=False)
        return source

    def verify(self, citation: Citation, *, text: str | None = None) -> Verification:
        """Check one citation. ``text`` is the cited text, where the caller has it; it only makes the search faster."""
        try:
            source = self.read(citation.path, citation.decoder)
        except LoadError as error:
            verdict = Verdict.MISSING if error.reason == "missing" else Verdict.UNRESOLVABLE
            return Verification(verdict, citation, citation.start, citation.end, reason=str(error))
        here = source.text[citation.start : citation.end]
        if len(here) == citation.end - citation.start and citation.fits(text_hash(here)):
            return _at_its_place(citation, source)
        if text is not None and not citation.fits(text_hash(text)):
            text = None
        return _search(citation, source, text)

    def _refuse_secrets(self, path: str) -> None:
        """A citation may come from a stranger too, and what stands at its place is shown: what no ingest opens is not
        opened for one, and not by way of a link."""
        try:
            top = os.path.realpath(os.fsencode(self.root))
            names = {path_bytes(path), os.path.realpath(location(self.root, path))[len(top) :]}
        except ValueError:  # no name of a file at all
            return
        for name in names:
            parts = name.split(b"/")
            for at, part in enumerate(parts):
                if is_secret(part, at + 1 < len(parts), parts[at - 1] if at else b""):
                    raise LoadError(f"{path!r} is not opened: by its name it holds secrets", reason="secret")

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return os.stat(location(self.root, path))  # noqa: PTH116  the name is bytes
        except (OSError, ValueError):
            return None

    def _text(self, data: bytes, path: str, decoder: str) -> str:
        name, at, version = decoder.rpartition("@")
        if not at:
            return decode(data, decoder or "utf-8").text
        loader = self._loader(name)
        if loader is None:
            raise LoadError(f"its loader {name} is not installed", reason="no-loader")
        if loader.version != version:
            raise LoadError(f"cited with {decoder}, but {name}@{loader.version} is installed", reason="no-loader")
        try:
            return loader.load(data, path).text
        except LoadError:
            raise
        except GwError as error:  # an extra that is missing, say
            raise LoadError(str(error), reason="no-loader") from error
        except (Exception, SystemExit) as error:  # a bug in a plugin must not end the run
            raise LoadError(f"loader {name} failed: {described(error)}", reason="loader-failed") from error

    def _loader(self, name: str) -> Loader | None:
        if isinstance(self._loaders, Mapping):
            return self._loaders.get(name)
        try:
            return self._loaders(name)
        except GwError as error:
            raise LoadError(str(error), reason="no-loader") from error


def verify(
    citation: Citation, sources: SourceReader | Path, loaders: Loaders | None = None, *, text: str | None = None
) -> Verification:
    """Check one citation against the files below a root, or with a reader that keeps what it has read.

    ``text`` is the cited text, where the caller has it; it only makes the search faster.
    """
    reader = sources if isinstance(sources, SourceReader) else SourceReader(sources, loaders)
    return reader.verify(citation, text=text)


def _at_its_place(citation: Citation, source: Source) -> Verification:
    """The same text is at the cited place; but by chance, if its surroundings are not there and both are elsewhere."""
    if source.occurrences.sides(citation, citation.start):
        return _found(Verdict.VERIFIED, citation, source, citation.span)
    places, _ = source.occurrences.with_sides(citation)
    whole = [span for sides, span in places if sides == 2]
    if len(whole) == 1:
        return _moved(citation, source, whole[0])
    return _found(Verdict.VERIFIED, citation, source, citation.span, reason="what stands around it has changed")


def _moved(citation: Citation, source: Source, place: Span) -> Verification:
    return _found(Verdict.MOVED, citation, source, place, reason=f"now at {place.start}-{place.end}")


def _search(citation: Citation, source: Source, text: str | None) -> Verification:
    """The cited text isn't where it was: see where it is now."""
    found, complete = source.occurrences.with_sides(citation)
    most = max((sides for sides, _ in found), default=0)
    best = [span for sides, span in found if sides == most]
    if len(best) == 1:
        return _moved(citation, source, best[0])
    bare, searched = source.occurrences.bare(citation, text)
    whole = len(source.text)
    reason = "the file ends before it" if citation.end > whole else "the text there is another one"
    if bare:
        reason += f"; the cited text stands at {len(bare)}{'' if searched else ' or more'} other place"
        reason += "" if len(bare) == 1 and searched else "s"
        reason += ", which fit equally well" if best else ", in other surroundings"
    elif not (searched and complete):
        reason += "; only the part of the file around it was searched"
    place = Span(min(citation.start, whole), min(citation.end, whole))
    return _found(Verdict.DRIFTED, citation, source, place, reason=reason, occurrences=tuple(bare))


def _found(
    verdict: Verdict,
    citation: Citation,
    source: Source,
    place: Span,
    *,
    reason: str = "",
    occurrences: tuple[Span, ...] = (),
) -> Verification:
    text = place.of(source.text)
    moved_to = None
    if verdict is Verdict.MOVED:
        moved_to = cite_text(citation.path, source.text, place.start, place.end, citation.decoder)
    return Verification(
        verdict,
        citation,
        place.start,
        place.end,
        lines=source.lines.lines(place.start, place.end),
        text=text,
        sha256=text_hash(text),
        moved_to=moved_to,
        occurrences=occurrences,
        reason=reason,
    )
