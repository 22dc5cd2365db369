"""Bringing catalogue and backends up to date with the files: read what is new, forget what is gone, redo nothing.

What has not changed by its stamp is not read; what was read and has the same bytes is not chunked again; bytes that
turn up at another path are a rename. Work is committed in batches, so that an interrupted ingest keeps what it did.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from gw_core.corpus import Found, Skipped, walk
from gw_core.errors import GwError, LoadError, MissingExtraError, PluginError, described
from gw_core.files import read_regular
from gw_core.model import Chunk, ChunkSpan, Document
from gw_core.pipeline import Pipeline
from gw_core.protocols import Backend, Loader
from gw_core.rows import DocumentRow, FileStamp, SkippedRow
from gw_core.seams import checked_spans, running
from gw_core.store import Catalogue
from gw_core.text.decode import is_binary

# One transaction holds about this much text: small enough that an interruption loses less than a second, large enough
# that the cost of a commit vanishes, and with it that of merging what each commit adds to an index.
BATCH_CHARS = 16_000_000
BATCH_FILES = 4_000
# Backends get it in smaller parts, so that it need not all be in memory.
PART_CHARS = 4_000_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest is; ``total`` counts files to be read, ``bytes_total`` their bytes."""

    stage: str
    done: int
    total: int
    bytes_done: int
    bytes_total: int
    path: str = ""


@dataclass
class IngestReport:
    """What an ingest did, by path. ``skipped`` holds every file that is not in the index, with its reason."""

    paths: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    rechunked: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    unchanged: int = 0
    notes: list[str] = field(default_factory=list)
    chunks_added: int = 0
    chunks_removed: int = 0
    bytes_read: int = 0
    seconds: float = 0.0

    @property
    def readable(self) -> int:
        """How many files of the paths given are in the index now."""
        return len(self.added) + len(self.changed) + len(self.renamed) + self.unchanged

    def skipped_by_reason(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in self.skipped:
            counts[one.reason] = counts.get(one.reason, 0) + 1
        return dict(sorted(counts.items()))


def ingest(
    pipeline: Pipeline,
    catalogue: Catalogue,
    paths: Sequence[str],
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Reconcile the catalogue with the files at and below ``paths`` (relative to the root; none: all ever ingested)."""
    return _Ingest(pipeline, catalogue, on_progress).run(paths)


def forget(pipeline: Pipeline, catalogue: Catalogue, paths: Sequence[str]) -> list[str]:
    """Remove everything at or below ``paths`` from catalogue and backends, leaving nothing of it in the files.

    Returns the paths of the documents removed. Work that another ingest of the same path would undo is the user's.
    """
    rows = list(catalogue.documents(paths))
    backends = pipeline.open_backends(catalogue)
    active = {name for name, _ in backends}
    with catalogue.transaction():
        for other in catalogue.backends():
            if other.name not in active:  # nobody is here to take the text out of it
                catalogue.drop_backend(other)
        for row in rows:
            gone = catalogue.remove(row)
            for name, backend in backends:
                with _indexing(name):
                    backend.remove(gone)
        for path in paths:
            catalogue.forget_source(path)
        for skipped in list(catalogue.skipped(paths)):
            catalogue.remove_skipped(skipped.path)
        for name, backend in backends:
            with _indexing(name):
                backend.maintain(purge=True)
    catalogue.purge()
    return [row.path for row in rows]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file to be read: new, or perhaps changed since ``row``."""

    found: Found
    loader: Loader
    row: DocumentRow | None


_Taken = tuple[Document, list[ChunkSpan], str, FileStamp]
"""A document, its spans, what cut them, and the stamp of the file."""


class _Ingest:
    def __init__(
        self, pipeline: Pipeline, catalogue: Catalogue, on_progress: Callable[[Progress], None] | None
    ) -> None:
        self._pipeline = pipeline
        self._catalogue = catalogue
        self._on_progress = on_progress or (lambda _: None)
        self._report = IngestReport()
        self._backends: list[tuple[str, Backend]] = []
        self._failed: Set[str] = frozenset()
        self._gone: dict[str, DocumentRow] = {}
        self._gone_by_hash: dict[tuple[str, str], list[DocumentRow]] = {}

    def run(self, paths: Sequence[str]) -> IngestReport:
        began = time.monotonic()
        report, catalogue = self._report, self._catalogue
        below = list(paths) or catalogue.sources()
        report.paths = below
        self._pipeline.chunker_for("")  # a name that is wrong is said before anything is written
        self._backends = self._pipeline.open_backends(catalogue)
        candidates, stale = self._survey(below)
        with catalogue.transaction():  # early, so that an ingest without paths goes on with what this one may not end
            for path in below:
                catalogue.add_source(path)
            if candidates or stale or self._gone:
                catalogue.unfinished = sorted({*catalogue.unfinished, *below})
        self._complete_backends()
        touched = bool(candidates or stale or self._gone)
        if touched:
            with catalogue.transaction():
                _invalidate_others(self._pipeline, catalogue)
        self._read(candidates)
        self._rechunk(stale)
        self._drop_the_gone()
        if touched or catalogue.unfinished:
            with catalogue.transaction():
                catalogue.unfinished = [path for path in catalogue.unfinished if path not in below]
                for name, backend in self._backends:
                    with _indexing(name):
                        backend.maintain()
        report.skipped.sort(key=lambda one: one.path)
        report.seconds = time.monotonic() - began
        return report

    # -- finding out what there is to do ------------------------------------------------------------------------

    def _survey(self, below: Sequence[str]) -> tuple[list[_Candidate], list[DocumentRow]]:
        """Walk the files and compare stamps; nothing is read."""
        known = {row.path: row for row in self._catalogue.documents(below)}
        failed = {row.path: row for row in self._catalogue.skipped(below)}
        self._failed = failed.keys()
        candidates: list[_Candidate] = []
        stale: list[DocumentRow] = []
        seen: set[str] = set()
        for one in walk(self._pipeline.root, below, self._pipeline.corpus):
            if isinstance(one, Skipped):
                self._report.skipped.append(one)
                continue
            if one.path in seen:
                continue
            seen.add(one.path)
            loader, loader_id = self._pipeline.loader_for(one.path)
            row, failure = known.get(one.path), failed.get(one.path)
            stamp = _stamp(one)
            if row is not None and f"{row.loader}@{row.loader_version}" == loader_id and row.stamp.same_as(stamp):
                if row.chunker != str(self._pipeline.chunker_for(row.kind).identity):
                    stale.append(row)
                self._report.unchanged += 1
            elif failure is not None and failure.loader == loader_id and failure.stamp.same_as(stamp):
                self._report.skipped.append(Skipped(one.path, failure.reason, failure.detail))
            else:
                candidates.append(_Candidate(one, loader, row))
        self._gone = {path: row for path, row in known.items() if path not in seen}
        for row in self._gone.values():
            self._gone_by_hash.setdefault((row.sha256, row.loader), []).append(row)
        vanished = [path for path in failed if path not in seen]
        if vanished:
            with self._catalogue.transaction():
                for path in vanished:
                    self._catalogue.remove_skipped(path)
        return candidates, stale

    def _complete_backends(self) -> None:
        """Build what is new, was built with other settings, or was interrupted, from the catalogue's own text."""
        for name, backend in self._backends:
            identity = str(backend.identity)
            row = self._catalogue.backend(name)
            done = 0
            if row is not None and row.identity == identity:
                if row.built_to is None:
                    continue
                done = row.built_to
            total = self._catalogue.counts()["chunks"]
            if row is not None and row.identity and row.identity != identity and total:
                self._report.notes.append(f"backend {name} is built again: its settings or version changed")
            if done == 0:
                with self._catalogue.transaction(), _indexing(name):
                    backend.clear()
                    self._catalogue.set_backend(name, identity, 0)
            count = 0
            for batch in _batches(self._catalogue.all_chunks(done)):
                with self._catalogue.transaction(), _indexing(name):
                    backend.add(batch)
                    self._catalogue.set_backend(name, identity, batch[-1].id)
                count += len(batch)
                self._on_progress(Progress(f"indexing with {name}", count, total, 0, 0))
            with self._catalogue.transaction(), _indexing(name):
                if count:
                    backend.maintain()
                self._catalogue.set_backend(name, identity, None)

    # -- doing it -----------------------------------------------------------------------------------------------

    def _read(self, candidates: Sequence[_Candidate]) -> None:
        total, bytes_total = len(candidates), sum(one.found.size for one in candidates)
        at = bytes_done = 0
        while at < total:
            with self._catalogue.transaction():
                taken: list[_Taken] = []
                batch_chars = part_chars = 0
                began_at = at
                while at < total and batch_chars < BATCH_CHARS and at - began_at < BATCH_FILES:
                    candidate = candidates[at]
                    if one := self._take(candidate):
                        taken.append(one)
                        part_chars += len(one[0].text)
                    if part_chars >= PART_CHARS:
                        self._store(taken)
                        batch_chars += part_chars
                        taken, part_chars = [], 0
                    at += 1
                    bytes_done += candidate.found.size
                    if at % 64 == 0 or candidate.found.size > 1_000_000:
                        self._on_progress(Progress("reading", at, total, bytes_done, bytes_total, candidate.found.path))
                self._store(taken)
            self._on_progress(Progress("reading", at, total, bytes_done, bytes_total))

    def _take(self, candidate: _Candidate) -> _Taken | None:
        """Read one file; returns what is to be stored of it, if it has to be."""
        found, row = candidate.found, candidate.row
        loader = candidate.loader
        try:
            read_ns = time.time_ns()
            unwanted = None if loader.extracts else is_binary
            data, status = read_regular(self._pipeline.root, found.path, self._pipeline.corpus.max_bytes, unwanted)
            self._report.bytes_read += len(data)
            stamp = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino, read_ns)
            digest = hashlib.sha256(data).hexdigest()
            if self._same_bytes(candidate, digest, loader, stamp):
                return None
            document = load_document(loader, data, digest, found.path)
            chunker = self._pipeline.chunker_for(document.kind)
            spans = checked_spans(chunker, document)
        except (LoadError, PluginError, MissingExtraError) as error:
            self._skip(candidate, error)
            return None
        if row is not None:
            self._remove(row)
            self._report.changed.append(found.path)
        else:
            self._report.added.append(found.path)
        if found.path in self._failed:
            self._catalogue.remove_skipped(found.path)
        return document, spans, str(chunker.identity), stamp

    def _store(self, taken: Sequence[_Taken]) -> None:
        """Put what was read into the catalogue and the backends."""
        if taken:
            chunks = self._catalogue.put_all(taken)
            self._report.chunks_added += len(chunks)
            self._index(chunks)

    def _same_bytes(self, candidate: _Candidate, digest: str, loader: Loader, stamp: FileStamp) -> bool:
        """The bytes are those of this path, or of one that is gone: nothing to chunk or index."""
        row, path = candidate.row, candidate.found.path
        if row is not None:
            if row.sha256 != digest or (row.loader, row.loader_version) != (loader.name, loader.version):
                return False
            if row.chunker != str(self._pipeline.chunker_for(row.kind).identity):
                return False
            self._catalogue.touch(row, stamp)
            self._report.unchanged += 1
            return True
        for old in self._gone_by_hash.get((digest, loader.name), []):
            alike = (
                old.loader_version == loader.version and PurePosixPath(old.path).suffix == PurePosixPath(path).suffix
            )
            if old.path in self._gone and alike:
                del self._gone[old.path]
                self._catalogue.rename(old, path, stamp)
                self._report.renamed.append((old.path, path))
                return True
        return False

    def _skip(self, candidate: _Candidate, error: GwError) -> None:
        """A file that could not be read is named, and what was known of it is no longer answered from."""
        found, loader = candidate.found, candidate.loader
        reason = error.reason if isinstance(error, LoadError) else error.code
        self._report.skipped.append(Skipped(found.path, reason, str(error)))
        if candidate.row is not None:
            self._remove(candidate.row)
            self._report.removed.append(found.path)
        if isinstance(error, LoadError):
            stamp = FileStamp(found.size, found.mtime_ns, found.inode, time.time_ns())
            self._catalogue.put_skipped(
                SkippedRow(found.path, stamp, reason, str(error), f"{loader.name}@{loader.version}")
            )

    def _rechunk(self, stale: Sequence[DocumentRow]) -> None:
        if stale:
            self._report.notes.append(f"{len(stale)} documents were chunked again: the chunker or its settings changed")
        for at in range(0, len(stale), 200):
            with self._catalogue.transaction():
                fresh: list[Chunk] = []
                for row in stale[at : at + 200]:
                    text = self._catalogue.text(row)
                    document = Document(
                        row.path, text, row.sha256, row.stamp.size, row.encoding, row.loader, row.loader_version,
                        row.kind, row.extracted,
                    )  # fmt: skip
                    chunker = self._pipeline.chunker_for(row.kind)
                    spans = checked_spans(chunker, document)
                    for name, backend in self._backends:
                        with _indexing(name):
                            backend.remove(row.chunk_ids)
                    fresh += self._catalogue.rechunk(row, spans, text, str(chunker.identity))
                    self._report.rechunked.append(row.path)
                self._index(fresh)
            self._on_progress(Progress("chunking again", min(at + 200, len(stale)), len(stale), 0, 0))

    def _drop_the_gone(self) -> None:
        if not self._gone:
            return
        with self._catalogue.transaction():
            for path, row in self._gone.items():
                self._remove(row)
                self._report.removed.append(path)

    def _remove(self, row: DocumentRow) -> None:
        gone = self._catalogue.remove(row)
        self._report.chunks_removed += len(gone)
        for name, backend in self._backends:
            with _indexing(name):
                backend.remove(gone)

    def _index(self, chunks: Sequence[Chunk]) -> None:
        if chunks:
            for name, backend in self._backends:
                with _indexing(name):
                    backend.add(chunks)


def _indexing(name: str) -> AbstractContextManager[None]:
    return running(f"backend {name!r}", "an ingest")


def load_document(loader: Loader, data: bytes, digest: str, path: str, encoding: str | None = None) -> Document:
    """Turn bytes into a document. Whatever a loader raises that is not its word becomes a LoadError."""
    try:
        loaded = loader.load(data, path, encoding)
    except GwError:
        raise
    except (Exception, SystemExit) as error:
        raise LoadError(
            f"loader {loader.name} failed on {path!r}: {described(error)}", reason="loader-failed"
        ) from error
    return Document(
        path, loaded.text, digest, len(data), loaded.encoding, loader.name, loader.version, loaded.kind, loader.extracts
    )


def _invalidate_others(pipeline: Pipeline, catalogue: Catalogue) -> None:
    """An index that this run does not keep up is no longer complete, and says so when it is asked for."""
    active = set(pipeline.ingest_backends)
    for row in catalogue.backends():
        if row.name not in active and row.identity:
            catalogue.set_backend(row.name, "", 0)


def _stamp(found: Found) -> FileStamp:
    return FileStamp(found.size, found.mtime_ns, found.inode)


def _batches(chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    batch: list[Chunk] = []
    chars = 0
    for chunk in chunks:
        batch.append(chunk)
        chars += len(chunk.text)
        if chars >= PART_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch
