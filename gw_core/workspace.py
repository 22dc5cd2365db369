"""A root with its index: everything that gw does to it, as a library.

::

    import gw_core

    with gw_core.open("handbook") as ws:
        ws.ingest(["docs"])
        for one in ws.search("error budget").evidence:
            print(one.citation, one.verification.verdict)
        answer = ws.ask("how long are logs kept?")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gw_core.config import Config
from gw_core.corpus import INDEX_FOLDER, find_root, relative_path
from gw_core.database import refuse_file
from gw_core.errors import GwIndexError, IndexMissingError, NotFoundError, UsageError
from gw_core.pipeline import Pipeline
from gw_core.plugins import Plugins
from gw_core.rows import DocumentRow
from gw_core.store import Catalogue

if TYPE_CHECKING:
    from gw_core.ask import Answer
    from gw_core.citation import Citation
    from gw_core.ingest import IngestReport, Progress
    from gw_core.records import Recipe
    from gw_core.retrieve import Search, SearchResult
    from gw_core.sweep.estimate import Estimate
    from gw_core.sweep.explain import Explained
    from gw_core.sweep.run import OnBatch, SweepOptions, SweepResult
    from gw_core.verify import Verification

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class BackendStatus:
    name: str
    identity: str
    complete: bool


@dataclass(frozen=True, slots=True)
class Status:
    """What is indexed. ``bytes`` are those of the sources, ``index_bytes`` those of the index on disk."""

    root: Path
    index: Path
    exists: bool
    documents: int = 0
    chunks: int = 0
    chars: int = 0
    bytes: int = 0
    index_bytes: int = 0
    sources: tuple[str, ...] = ()
    skipped: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    backends: tuple[BackendStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file in the index: ``path`` relative to the root, ``size`` of the file in bytes when it was read, and in how
    many ``chunks`` its text was cut."""

    path: str
    kind: str
    size: int
    encoding: str
    chunks: int


@dataclass(frozen=True, slots=True)
class CheckedIndex:
    """What ``verify_all`` found: how many chunks have which verdict, and those that are not verified."""

    counts: Mapping[str, int]
    failures: tuple[Verification, ...]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


class Workspace:
    """Made by :func:`open`. A context manager; not to be shared between threads.

    ``warnings`` are lines about settings and plugins that were left out; a command shows them once.
    """

    def __init__(self, root: Path, index: Path, config: Config, plugins: Plugins) -> None:
        self.root = root
        self.index = index
        self.config = config
        self.plugins = plugins
        self.pipeline = Pipeline(root, config, plugins)
        self._catalogue: Catalogue | None = None

    def close(self) -> None:
        if self._catalogue is not None:
            self._catalogue.close()
            self._catalogue = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def warnings(self) -> list[str]:
        return [*self.config.warnings, *map(str, self.plugins.problems)]

    # -- bringing the index up to date --------------------------------------------------------------------------

    def ingest(
        self,
        paths: Sequence[StrPath] = (),
        *,
        rebuild: bool = False,
        wait: float = 60.0,
        on_progress: Callable[[Progress], None] | None = None,
        on_wait: Callable[[str], None] | None = None,
        on_report: Callable[[IngestReport], None] | None = None,
    ) -> IngestReport:
        """Make the index say what the files at and below ``paths`` say now; no paths: all that were ever ingested.

        ``rebuild`` sets the index aside and makes a new one. Raises NotFoundError, OutsideRootError, IndexBusyError
        after ``wait`` seconds, and UsageError where there are neither paths nor an index. ``on_report`` is handed what
        is returned, for those who ingest by way of :meth:`search` and :meth:`ask`.
        """
        from gw_core.ingest import ingest  # noqa: PLC0415

        below = self._below(paths)
        if not below:
            below = self._known_sources(rebuild)
        self.close()
        opened = Catalogue.open(self.index, write=True, rebuild=rebuild, wait=wait, on_wait=on_wait)
        with opened as catalogue, catalogue.errors():
            report = ingest(self.pipeline, catalogue, below, on_progress)
        if on_report is not None:
            on_report(report)
        return report

    def forget(self, paths: Sequence[StrPath], *, wait: float = 60.0) -> list[str]:
        """Remove what is at or below ``paths`` from the index, leaving no trace in its files; returns the paths."""
        from gw_core.ingest import forget  # noqa: PLC0415

        if not paths:
            raise UsageError("name what to forget", hint="gw forget PATH")
        below = [relative_path(self.root, path, must_exist=False) for path in paths]
        known = self._open_catalogue()
        with known.snapshot():
            for path, given in zip(below, paths, strict=True):
                named = any(_lies_in(source, path) for source in known.sources())
                if not named and not _knows(known, path) and _knows(known, ""):
                    hint = "gw status --files shows what is"
                    raise NotFoundError(f"nothing at {os.fspath(given)!r} is indexed", hint=hint)
        self.close()
        with Catalogue.open(self.index, write=True, wait=wait) as catalogue, catalogue.errors():
            return forget(self.pipeline, catalogue, below)

    # -- asking -------------------------------------------------------------------------------------------------

    def search(
        self,
        question: str,
        paths: Sequence[StrPath] = (),
        *,
        k: int | None = None,
        scope: Sequence[str] = (),
        backend: str | None = None,
        rerank: Sequence[str] | None = None,
        **ingesting: Any,
    ) -> SearchResult:
        """The best passages for a question. ``paths`` are ingested first and are where the search stays.

        ``scope`` holds further globs over relative paths; ``ingesting`` goes to :meth:`ingest`, or is ``ingest=False``
        where ``paths`` are up to date already and only limit the search.
        """
        from gw_core.retrieve import search  # noqa: PLC0415

        request = self._request(question, paths, k, scope, backend, rerank, ingesting)
        return search(self.pipeline, self._open_catalogue(), request)

    def ask(
        self,
        question: str,
        paths: Sequence[StrPath] = (),
        *,
        k: int | None = None,
        scope: Sequence[str] = (),
        backend: str | None = None,
        rerank: Sequence[str] | None = None,
        reader: str | None = None,
        pattern: str | None = None,
        abstain: bool = True,
        **ingesting: Any,
    ) -> Answer:
        """An answer from the best passages, its citations checked. See :func:`gw_core.ask.ask`."""
        from gw_core.ask import ask  # noqa: PLC0415

        request = self._request(
            question, paths, self.config.ask.passages if k is None else k, scope, backend, rerank, ingesting
        )
        return ask(self.pipeline, self._open_catalogue(), request, reader_name=reader, pattern=pattern, abstain=abstain)

    def sweep(
        self,
        recipe: Recipe | StrPath,
        paths: Sequence[StrPath] = (),
        *,
        reader: str | None = None,
        options: SweepOptions | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_batch: OnBatch | None = None,
        spans: bool = True,
    ) -> SweepResult:
        """Read everything at and below ``paths`` (the root), extract records, and reduce them. See
        :func:`gw_core.sweep.run.sweep`.

        Paths may lie outside the root: then the folder that they share is theirs. ``recipe`` may be the path of a YAML
        file; ``reader`` is the name of the reader that is asked for fields which code cannot fill, else ``[ask]
        reader``.
        """
        from gw_core.sweep.run import sweep  # noqa: PLC0415

        recipe, pipeline, below, asked = self._swept(recipe, paths, reader)
        return sweep(
            pipeline,
            recipe,
            below,
            self.index,
            options,
            reader=asked,
            on_progress=on_progress,
            on_batch=on_batch,
            spans=spans,
        )

    def estimate_sweep(
        self,
        recipe: Recipe | StrPath,
        paths: Sequence[StrPath] = (),
        *,
        reader: str | None = None,
        options: SweepOptions | None = None,
    ) -> Estimate:
        """What :meth:`sweep` would take; no reader is asked. See :func:`gw_core.sweep.estimate.estimate`."""
        from gw_core.sweep.estimate import estimate  # noqa: PLC0415

        recipe, pipeline, below, asked = self._swept(recipe, paths, reader)
        return estimate(pipeline, recipe, below, self.index, options, reader=asked)

    def explain_sweep(
        self,
        recipe: Recipe | StrPath,
        wanted: str,
        paths: Sequence[StrPath] = (),
        *,
        reader: str | None = None,
        **options: Any,
    ) -> Explained:
        """The records with ``wanted``, ``FIELD=VALUE``, each as a verified citation; ``options`` as for
        :func:`gw_core.sweep.explain.explain`."""
        from gw_core.sweep.explain import explain  # noqa: PLC0415

        recipe, pipeline, below, asked = self._swept(recipe, paths, reader)
        return explain(pipeline, recipe, wanted, below, self.index, reader=asked, **options)

    def prompt(self, question: str, paths: Sequence[StrPath] = (), **options: Any) -> str:
        """The grounded prompt for a model of one's own: rules, numbered and cited passages, the question."""
        from gw_core.prompt import grounded_prompt  # noqa: PLC0415

        options.setdefault("k", self.config.ask.passages)
        evidence = [one for one in self.search(question, paths, **options).evidence if one.verified]
        return grounded_prompt(question, [one.passage for one in evidence], [str(one.citation) for one in evidence])

    # -- checking -----------------------------------------------------------------------------------------------

    def verify(self, citations: Sequence[Citation | str]) -> list[Verification]:
        """Check citations against the files. Needs no index."""
        from gw_core.citation import Citation  # noqa: PLC0415

        parsed = [Citation.parse(one) if isinstance(one, str) else one for one in citations]
        return [self.pipeline.sources.verify(one) for one in parsed]

    def verify_all(self, on_progress: Callable[[int, int], None] | None = None) -> CheckedIndex:
        """Check every chunk of the index against its source; ``on_progress`` is told documents done and in all."""
        catalogue = self._open_catalogue()
        counts: dict[str, int] = {}
        failures: list[Verification] = []
        with catalogue.snapshot():
            rows = list(catalogue.documents())
            for number, row in enumerate(rows, 1):
                for one in self._verify_document(catalogue, row):
                    counts[one.verdict.value] = counts.get(one.verdict.value, 0) + 1
                    if one.verdict.value != "verified":
                        failures.append(one)
                if on_progress is not None:
                    on_progress(number, len(rows))
        return CheckedIndex(counts, tuple(failures))

    def _verify_document(self, catalogue: Catalogue, row: DocumentRow) -> Iterator[Verification]:
        from gw_core.evidence import cite_row  # noqa: PLC0415

        for start, end in catalogue.spans_of(row):
            yield self.pipeline.sources.verify(cite_row(catalogue, row, start, end))

    def status(self) -> Status:
        """What is indexed; ``exists`` is False where there is no index yet."""
        try:
            catalogue = self._open_catalogue()
        except IndexMissingError:
            return Status(self.root, self.index, exists=False)
        with catalogue.snapshot():
            counts = catalogue.counts()
            return Status(
                self.root,
                self.index,
                exists=True,
                **counts,
                index_bytes=sum(one.stat().st_size for one in self.index.rglob("*") if one.is_file()),
                sources=tuple(_outermost(catalogue.sources())),
                skipped=sum(1 for _ in catalogue.skipped()),
                kinds=catalogue.kinds(),
                backends=tuple(
                    BackendStatus(row.name, row.identity, bool(row.identity) and row.built_to is None)
                    for row in catalogue.backends()
                ),
            )

    def files(self) -> list[IndexedFile]:
        """The files that are indexed, in the order of their paths. Raises IndexMissingError where there is no index."""
        catalogue = self._open_catalogue()
        with catalogue.snapshot():
            return [
                IndexedFile(row.path, row.kind, row.stamp.size, row.encoding, len(row.chunk_ids))
                for row in catalogue.documents()
            ]

    def fingerprint(self) -> str:
        """A sha256 over the paths and contents of all files in the index: the same for the same corpus."""
        from hashlib import sha256  # noqa: PLC0415

        found = sha256()
        catalogue = self._open_catalogue()
        with catalogue.snapshot():
            for row in catalogue.documents():
                found.update(f"{row.path}\0{row.sha256}\n".encode("utf-8", "surrogateescape"))
        return found.hexdigest()

    # -- helpers ------------------------------------------------------------------------------------------------

    def _swept(
        self, recipe: Recipe | StrPath, paths: Sequence[StrPath], reader: str | None
    ) -> tuple[Recipe, Pipeline, list[str], tuple[str, Any] | None]:
        """What a sweep needs: its recipe, the pipeline over its paths, these relative to it, and whom to ask."""
        from gw_core.records import Recipe  # noqa: PLC0415
        from gw_core.sweep.recipe import read_recipe  # noqa: PLC0415

        if not isinstance(recipe, Recipe):
            recipe = read_recipe(Path(recipe), self.plugins.registry("reducers").resolve)
        pipeline = self._pipeline_over(paths)
        below = [relative_path(pipeline.root, path) for path in paths] or [""]
        return recipe, pipeline, below, pipeline.reader(reader) if recipe.needs_reader else None

    def _pipeline_over(self, paths: Sequence[StrPath]) -> Pipeline:
        """The pipeline of the root, or one of the folder that all paths are in, if one of them is not in the root."""
        named = [Path(path).absolute() for path in paths]
        root = self.root.resolve()
        if all(path.resolve().is_relative_to(root) for path in named):
            return self.pipeline
        folders = [str(path if path.is_dir() else path.parent) for path in named]
        return Pipeline(Path(os.path.commonpath(folders)), self.config, self.plugins)

    def _open_catalogue(self) -> Catalogue:
        if self._catalogue is None:
            self._catalogue = Catalogue.open(self.index)
        return self._catalogue

    def _below(self, paths: Sequence[StrPath]) -> list[str]:
        """The paths relative to the root. One that is gone counts as long as something of it is indexed."""
        below = []
        for path in paths:
            try:
                below.append(relative_path(self.root, path))
            except NotFoundError:
                relative = relative_path(self.root, path, must_exist=False)
                if not self._is_indexed(relative):
                    raise
                below.append(relative)
        return list(dict.fromkeys(below))

    def _is_indexed(self, relative: str) -> bool:
        try:
            catalogue = self._open_catalogue()
            with catalogue.snapshot():
                return _knows(catalogue, relative)
        except GwIndexError:
            return False

    def _known_sources(self, rebuild: bool) -> list[str]:
        try:
            catalogue = self._open_catalogue()
            with catalogue.snapshot():
                known = catalogue.sources()
        except IndexMissingError:
            known = []
        except GwIndexError:
            if not rebuild:
                raise
            raise UsageError(
                "the old index cannot be read, so that what was ingested is not known", hint="gw ingest --rebuild PATH"
            ) from None
        if not known:
            raise UsageError("there is no index yet, and no PATH to make one from", hint="gw ingest PATH")
        return known

    def _request(
        self,
        question: str,
        paths: Sequence[StrPath],
        k: int | None,
        scope: Sequence[str],
        backend: str | None,
        rerank: Sequence[str] | None,
        ingesting: Mapping[str, Any],
    ) -> Search:
        from gw_core.retrieve import Search, check_request  # noqa: PLC0415

        request = Search(question, k, tuple(scope), None, backend, None if rerank is None else tuple(rerank))
        check_request(request)
        if not paths:
            return request
        options = dict(ingesting)
        below = self.ingest(paths, **options).paths if options.pop("ingest", True) else self._below(paths)
        return replace(request, below=tuple(below))


def _knows(catalogue: Catalogue, path: str) -> bool:
    """Whether anything at or below a path was read or could not be."""
    return any(next(rows([path]), None) is not None for rows in (catalogue.documents, catalogue.skipped))


def _outermost(paths: Sequence[str]) -> list[str]:
    """The paths that lie in no other of them."""
    return [path for path in paths if not any(path != other and _lies_in(path, other) for other in paths)]


def _lies_in(path: str, folder: str) -> bool:
    """Whether a relative path is ``folder`` or below it; ``""`` is the root."""
    return folder in ("", path) or path.startswith(f"{folder}/")


def open(  # noqa: A001 - gw_core.open is the name that reads best
    root: StrPath | None = None,
    *,
    index: StrPath | None = None,
    overrides: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    start: StrPath | None = None,
    plugins: Plugins | None = None,
) -> Workspace:
    """Open the workspace of ``root``, or of the nearest root at or above ``start`` (the working directory).

    ``index`` is where the index lies (``GW_INDEX``, else ``.gw`` in the root); nothing is made before something is
    ingested. ``overrides`` are ``section.key=value`` as for ``-o``; ``env`` stands for ``os.environ``. Raises
    ConfigError for a gw.toml that is wrong, and NotFoundError for a root that is none.
    """
    environ = os.environ if env is None else env
    try:
        here = Path.cwd() if start is None else Path(start)
    except FileNotFoundError as error:
        raise NotFoundError("the working directory was deleted", hint="change to one that exists") from error
    top = find_root(here, None if root is None else Path(root), environ)
    named = index if index is not None else environ.get("GW_INDEX")
    place = Path(named or top / INDEX_FOLDER).absolute()
    if named and place.is_symlink():  # what the user names may be one; what lies in the root may not
        place = place.resolve()
    refuse_file(place)
    config = Config.load(top, overrides=overrides, env=environ)
    return Workspace(top, place, config, Plugins() if plugins is None else plugins)
