"""One ``typing.Protocol`` per kind of plugin. Anything whose output is stored has an ``identity``.

A factory's keyword arguments are the settings of its section in gw.toml. A parameter annotated with one of these
protocols takes the name of a configured component, and the pipeline injects the component itself; one annotated
:class:`Index` is handed storage of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import apsw

from gw_core.model import Check, Chunk, ChunkSpan, Document, Hit, Identity, Loaded, Match, Passage, Reading, Reread
from gw_core.query import Query
from gw_core.records import Batch, Extraction, Recipe, Unit
from gw_core.trial import Answered, Cell, Ingested, Retrieved, Searched, SourceText


class Index(Protocol):
    """Storage for one component: tables of its own in the catalogue's file, or files in a folder of its own.

    A write happens inside the catalogue's transaction and is committed with it, so that catalogue and index are never
    out of step; a component never begins, commits or rolls back anything itself.
    """

    @property
    def connection(self) -> apsw.Connection:
        """The connection to the catalogue's file. Touch only tables whose names begin with ``prefix``."""
        ...

    @property
    def prefix(self) -> str:
        """Begins the name of every table of this component; letters, digits and underscores only."""
        ...

    @property
    def folder(self) -> Path:
        """A folder of this component's own under the index, made when first asked for."""
        ...

    @property
    def writable(self) -> bool: ...

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        """The chunks of these ids, in this order; unknown ids are left out."""
        ...


class Scope(Protocol):
    """The part of the corpus that a search is limited to, as sorted, disjoint ranges of chunk ids."""

    @property
    def ranges(self) -> Sequence[tuple[int, int]]:
        """``(first, last)`` pairs, both inclusive, ascending."""
        ...

    def __contains__(self, chunk_id: int) -> bool: ...


@runtime_checkable
class Loader(Protocol):
    """Turns a file's bytes into text. Its name and version stand in the citation of whatever it extracted."""

    name: str
    version: str
    extracts: bool
    """False: the text is the decoded bytes. True: it is extracted, and only this loader can repeat the offsets."""
    suffixes: Sequence[str]
    """Lower-case file name endings that this loader takes, such as ``(".htm", ".html")``."""

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:
        """Decode or extract. ``encoding`` is given when a stored choice is to be repeated, never guessed again.

        Raises :class:`gw_core.errors.LoadError` when there is no text to be had.
        """
        ...


@runtime_checkable
class Chunker(Protocol):
    """Cuts a document into spans; never yields text, so that an inexact chunk cannot be built."""

    identity: Identity

    def spans(self, document: Document) -> Iterable[ChunkSpan]:
        """Spans in ascending order of start, none empty, none longer than the chunker's hard bound; together they
        hold every character that is not white space. Neighbours may overlap."""
        ...


@runtime_checkable
class Backend(Protocol):
    """An index over chunks that can be rebuilt from the catalogue at any time."""

    identity: Identity
    lexical: bool
    """True: it scores words, and the core refines its order by exact forms and nearness (:mod:`gw_core.rescore`)."""

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Index these chunks. An id that is already there is replaced."""
        ...

    def remove(self, chunk_ids: Sequence[int]) -> None:
        """Forget these chunks; ids it does not know are ignored."""
        ...

    def clear(self) -> None:
        """Forget everything."""
        ...

    def search(self, query: Query, k: int, scope: Scope | None = None) -> list[Match]:
        """At most ``k`` matches, best first, ties by ascending chunk id. No query raises."""
        ...

    def df(self, terms: Sequence[str]) -> list[int]:
        """In how many chunks each folded term occurs, in any form that this backend matches for it.

        A term that ends in ``*`` stands for all that begin as it does (:attr:`gw_core.query.Query.forms`).
        """
        ...

    def maintain(self, purge: bool = False) -> None:
        """Called at the end of an ingest, inside the transaction: merge segments, write caches.

        ``purge`` asks that nothing of what was removed be left in the files, however long that takes.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """Reorders hits. May drop some; never invents one."""

    identity: Identity

    def rerank(self, query: Query, hits: Sequence[Hit]) -> Sequence[Hit]: ...


@runtime_checkable
class Encoder(Protocol):
    """Text to vectors. ``encode`` returns float32 of shape (n, dim), each row of length 1."""

    identity: Identity
    dim: int

    def encode(self, texts: Sequence[str], role: str = "passage") -> Any:
        """``role`` is ``"query"`` or ``"passage"``, for models that want a prefix."""
        ...


@runtime_checkable
class Expander(Protocol):
    """Adds weighted terms to a query. ``search`` offers document frequencies and a first pass over the index."""

    identity: Identity

    def expand(self, query: Query, search: Backend) -> Sequence[tuple[str, float]]:
        """Folded terms with weights in (0, 1]."""
        ...


@runtime_checkable
class Reader(Protocol):
    """Answers a question from passages. It extracts; counting, ranking and checking are the core's."""

    identity: Identity
    window: int
    """How many tokens fit into one call, counted with ``count_tokens``."""
    max_parallel: int

    def count_tokens(self, text: str) -> int: ...

    def answer(self, question: str, passages: Sequence[Passage]) -> Reading: ...


@runtime_checkable
class Verifier(Protocol):
    """Judges a reading against its passages. Never the only judge of itself."""

    identity: Identity

    def check(self, question: str, reading: Reading, passages: Sequence[Passage], rereads: Sequence[Reread]) -> Check:
        """``rereads`` are the spans that the reading quotes and that stand in their passages, each re-read from its
        file; a quote that stands in no passage has none."""
        ...


@runtime_checkable
class Extractor(Protocol):
    """What a reader must be to take part in a sweep: it looks at a few records and says what their fields hold."""

    identity: Identity
    window: int
    max_parallel: int

    def count_tokens(self, text: str) -> int: ...

    def extract(self, units: Sequence[Unit], recipe: Recipe) -> Extraction:
        """The fields of each unit that are not filled in code. Never counts, adds up or chooses among units."""
        ...


@runtime_checkable
class Reducer(Protocol):
    """Aggregates records, streaming: ``add`` batch by batch, ``merge`` two partial states, ``result`` at any time.

    Batches come in the order of their documents and places, and ``merge`` is handed the state of what comes after. The
    result is the same however the records were parted.
    """

    identity: Identity
    fields: Sequence[str]
    """The fields that it reads."""

    def use(self, folder: Path) -> None:
        """A folder for what is too large for memory; called before anything is added."""
        ...

    def add(self, batch: Batch) -> None:
        """All records of a batch; those that do not count were taken out before."""
        ...

    def merge(self, other: Any) -> None:
        """Take over the state of another one of the same settings."""
        ...

    def result(self) -> Any:
        """Plain data: text, exact numbers as :class:`decimal.Decimal` or ``int``, lists and mappings of these."""
        ...


class Subject(Protocol):
    """A system under test, with a corpus in it: gw as it is configured, or whatever else is measured beside it."""

    @property
    def passages(self) -> int:
        """How many passages there are to choose from: what chance is reckoned with."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """Plain data about the index: documents, chunks, and what the ingest took, if there was something to do."""
        ...

    def search(self, question: str, k: int) -> Retrieved:
        """At most ``k`` places, best first."""
        ...

    def ask(self, question: str) -> Answered: ...


class Processes(Protocol):
    """The system under test over one corpus, each piece of work in a process of its own, so that its time and memory
    hold nothing of what ran before. An error there, or of a process that takes too long, is a GwError here."""

    def ingest(self) -> Ingested:
        """Index the whole corpus anew."""
        ...

    def search(self, questions: Sequence[str], warm_up: Sequence[str] = ()) -> Searched:
        """Ask one after another what the last ingest indexed, ``warm_up`` before and unmeasured."""
        ...

    def start_up(self, question: str, runs: int = 7) -> Mapping[str, float]:
        """CPU seconds of whole processes, the least of the runs: ``python`` that does nothing, ``version`` (``gw
        --version``) and ``search`` (one ``gw search`` in the corpus)."""
        ...


class Bench(Protocol):
    """What a task is handed: texts to hide things in, a place for corpora, the system under test, and its settings."""

    @property
    def seed(self) -> int: ...

    @property
    def needles(self) -> int:
        """How many questions a cell asks, unless the task's own settings say otherwise."""
        ...

    @property
    def ks(self) -> Sequence[int]:
        """The cut-offs of recall@k and coverage@k, ascending."""
        ...

    def texts(self, tokens: int, number: int = 0, *, more: bool = False) -> Sequence[SourceText]:
        """Natural text without a repeated sentence: the ``number``-th piece of so many tokens of the haystack.

        With ``more``, a haystack that is Python's standard library goes on with the packages that are installed, which
        are others on every machine: for measuring speed. Raises :class:`gw_core.errors.UsageError` where the haystack
        has not so many tokens.
        """
        ...

    def corpus(
        self,
        key: Mapping[str, Any],
        build: Callable[[], tuple[Iterable[SourceText], Any]],
        *,
        more: bool = False,
    ) -> tuple[Path, Any]:
        """A folder with the files that ``build`` returns, and the truth about them (plain data) that it returns.

        Built once and kept for each ``key`` (plain data: all that the files depend on, besides seed and haystack).
        ``more`` as in :meth:`texts`.
        """
        ...

    def workspace(self, corpus: Path) -> AbstractContextManager[Any]:
        """A :class:`gw_core.Workspace` over ``corpus``, as gw is configured, with nothing ingested.

        Raises :class:`gw_core.errors.OutsideRootError` for a folder that is neither in the root nor named by the user.
        """
        ...

    def open(self, corpus: Path, paths: Sequence[Path] = ()) -> AbstractContextManager[Subject]:
        """The system under test over the files of ``corpus``, or those at and below ``paths`` in it, ingested."""
        ...

    def processes(self, corpus: Path, seconds: float) -> AbstractContextManager[Processes]:
        """The same in processes of its own, none of which may take longer than ``seconds``."""
        ...

    def step(self, stage: str, done: int, total: int) -> None:
        """Tell of progress."""
        ...

    def note(self, text: str) -> None:
        """Tell the user something, once."""
        ...


@runtime_checkable
class Task(Protocol):
    """A benchmark: makes or opens a corpus with known truth, asks, scores. Its settings are its factory's keyword
    arguments, on the command line too."""

    identity: Identity

    def run(self, bench: Bench) -> Iterable[Cell]:
        """The cells, one after another, as they are measured. Raises :class:`gw_core.errors.UsageError` for settings
        that cannot be measured, before anything is."""
        ...


@runtime_checkable
class Executor(Protocol):
    """Where segments of a sweep run."""

    identity: Identity

    def map(self, function: Any, items: Iterable[Any]) -> Iterable[Any]: ...
