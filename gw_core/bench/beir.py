"""Collections in the layout of BEIR: a folder with ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/SPLIT.tsv``.

``corpus.jsonl`` has ``_id``, ``title`` and ``text`` on each line, ``queries.jsonl`` ``_id`` and ``text``; both may be
compressed with gzip. Judgments are ``query-id corpus-id score`` with or without a header, or TREC's four columns
``query-id iteration corpus-id score``; without tabs, white space parts the columns. Grades are whole numbers, of which
those above 0 are relevant (Thakur et al., BEIR, NeurIPS 2021; https://github.com/beir-cellar/beir).

Identifiers are of any form. For the corpus on disk each gets a file name that is safe everywhere.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from gw_core.bench.golden_entry import short
from gw_core.errors import NotFoundError, UsageError
from gw_core.lined import Node, error_at, parse_json
from gw_core.registry import suggestion
from gw_core.trial import SourceText

MAX_LINE = 64_000_000
_SUFFIXES = ("", ".gz")
_QRELS = (".tsv", ".txt", ".qrels")
_SAFE_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 60  # of an id that is a file name as it is
_UNSAFE = re.compile(r"[^a-z0-9]+")
# What makes a file look binary, or could not be written.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff]")


@dataclass(frozen=True, slots=True)
class BeirQuestion:
    """``grades`` are those of judged documents that there are, by identifier; at least one is above 0."""

    id: str
    text: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Beir:
    """A collection and one split of its judgments. ``documents`` maps identifiers to paths of :meth:`texts`; ``notes``
    say what was left out. ``sha256`` is over the three files, ``corpus_sha256`` over the first."""

    folder: Path
    split: str
    questions: tuple[BeirQuestion, ...]
    documents: Mapping[str, str]
    notes: tuple[str, ...]
    sha256: str
    corpus_sha256: str

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    def texts(self) -> Iterator[SourceText]:
        """Every document as a file of its own, its title above it unless the text begins with it already."""
        for ident, row in _rows(_file(self.folder, "corpus.jsonl")):
            yield SourceText(self.documents[ident], _document(row))


def is_beir(folder: Path) -> bool:
    """Whether a folder looks like a collection, complete or not."""
    return folder.is_dir() and any((folder / f"corpus.jsonl{suffix}").exists() for suffix in _SUFFIXES)


def load(folder: Path, split: str | None = None) -> Beir:
    """A collection. ``split`` None: ``test`` if there is one, or the only one.

    Raises UsageError, with file and line where there is one, for what cannot be read, an identifier that comes twice,
    and where no judgment is left; NotFoundError for a file that is missing.
    """
    corpus, queries = _file(folder, "corpus.jsonl"), _file(folder, "queries.jsonl")
    qrels = _split(folder, split)
    documents = {ident: file_name(ident) for ident, _ in _rows(corpus)}
    texts = {ident: _field(queries, row, "text") for ident, row in _rows(queries)}
    judged, lost_queries, lost_documents = _judgments(qrels, texts, documents)
    questions = tuple(
        BeirQuestion(ident, text, judged[ident])
        for ident, text in texts.items()
        if any(grade > 0 for grade in judged.get(ident, {}).values())
    )
    if not questions:
        raise UsageError(
            f"{qrels}: no judgment of it is about a query and a document of this collection",
            hint=f"{lost_queries} name unknown queries, {lost_documents} unknown documents",
        )
    counts = (
        (lost_queries, "judgments name queries that are not there"),
        (lost_documents, "judgments name documents that are not there"),
        (len(judged) - len(questions), "judged queries have no relevant document"),
    )
    notes = tuple(f"{count} {what}: left out" for count, what in counts if count)
    return Beir(folder, _stem(qrels), questions, documents, notes, _sha256(corpus, queries, qrels), _sha256(corpus))


def file_name(ident: str) -> str:
    """A path for a document: lower case, digits and hyphens, no name that any system or ignore rule makes something of.

    >>> file_name("184"), file_name("../A/1")
    ('d-184.txt', 'd-a-1_0bd89cd5ee29.txt')
    """
    if len(ident) <= _LONGEST and _SAFE_ID.fullmatch(ident):
        return f"d-{ident}.txt"
    # The underline is in no safe id, so that a name that is made never is another one's own.
    slug = _UNSAFE.sub("-", ident.lower()).strip("-")[:_LONGEST].strip("-")
    digest = hashlib.sha256(ident.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"d-{slug}_{digest}.txt"


def _document(row: Node) -> str:
    title, text = (_text(row.fields.get(key)) for key in ("title", "text"))
    whole = text if not title or text.startswith(title) else f"{title}\n{text}"
    return _NOT_TEXT.sub(" ", whole)


def _text(node: Node | None) -> str:
    return node.text if node is not None and node.is_scalar else ""


def _file(folder: Path, name: str) -> Path:
    for suffix in _SUFFIXES:
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return path
    raise NotFoundError(f"{str(folder)!r} has no {name}", hint="a collection has corpus.jsonl, queries.jsonl and qrels")


def _split(folder: Path, wanted: str | None) -> Path:
    """The file of a split."""
    files = sorted(
        path
        for path in (folder / "qrels").glob("*")
        if path.is_file() and path.name.removesuffix(".gz").endswith(_QRELS)
    )
    if not files:
        raise NotFoundError(f"{str(folder / 'qrels')!r} has no judgments", hint="qrels/test.tsv")
    by_name = {_stem(path): path for path in files}
    if wanted is not None:
        if wanted not in by_name:
            raise UsageError(f"{str(folder)!r} has no split {wanted!r}", hint=suggestion(wanted, by_name))
        return by_name[wanted]
    if "test" in by_name:
        return by_name["test"]
    if len(by_name) > 1:
        raise UsageError(f"{str(folder)!r} has no split 'test'", hint=f"name one: {', '.join(sorted(by_name))}")
    return files[0]


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    try:
        with _opened(path) as file:
            number = 0
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                if len(raw) > MAX_LINE:
                    raise error_at(path, number, f"a line of more than {MAX_LINE} bytes")
                try:
                    line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise error_at(path, number, "not UTF-8") from error
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _rows(path: Path) -> Iterator[tuple[str, Node]]:
    """Identifiers and rows of a file of JSON Lines."""
    seen: dict[str, int] = {}
    for number, line in _lines(path):
        row = parse_json(path, number, line)
        if row.kind != "mapping":
            raise error_at(path, number, "a line must be a JSON object", '{"_id": "...", "text": "..."}')
        ident = _field(path, row, "_id").strip()
        if not ident:
            raise error_at(path, number, "the '_id' is empty")
        if ident in seen:
            raise error_at(path, number, f"the '_id' {ident!r} stands on line {seen[ident]} already")
        _field(path, row, "text")
        seen[ident] = number
        yield ident, row


def _field(path: Path, row: Node, key: str) -> str:
    value = row.fields.get(key)
    if value is None or not value.is_scalar:
        raise error_at(path, row.line, f"{key!r} must be text", f"keys here: {short(', '.join(row.fields), 200)}")
    return value.text


def _judgments(
    path: Path, queries: Mapping[str, object], documents: Mapping[str, object]
) -> tuple[dict[str, dict[str, int]], int, int]:
    """Grades by query and document, and how many judgments name an unknown query, or an unknown document."""
    judged: dict[str, dict[str, int]] = {}
    lost_queries = lost_documents = 0
    first = True
    for number, line in _lines(path):
        columns = _columns(path, number, line)
        query, document, grade = columns[0], columns[-2], _grade(columns[-1])
        header, first = first and query not in queries, False
        if grade is None:
            if header:
                continue
            raise error_at(path, number, f"the score {columns[-1]!r} is not a whole number from -1000 to 1000")
        if query not in queries:
            lost_queries += 1
        elif document not in documents:
            judged.setdefault(query, {})
            lost_documents += 1
        elif judged.setdefault(query, {}).setdefault(document, grade) != grade:
            raise error_at(path, number, f"{document!r} has another score for {query!r} already")
    return judged, lost_queries, lost_documents


def _columns(path: Path, number: int, line: str) -> Sequence[str]:
    """Three or four columns. An id may hold spaces where tabs part the columns."""
    columns = [part.strip() for part in line.split("\t")] if "\t" in line else line.split()
    if len(columns) not in (3, 4) or not (columns[0] and columns[-2]):
        raise error_at(
            path, number, "a judgment has a query, a document and a score", "query-id<TAB>corpus-id<TAB>score"
        )
    return columns


def _grade(text: str) -> int | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if math.isfinite(value) and value == int(value) and abs(value) <= 1000 else None


def _sha256(*paths: Path) -> str:
    found = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
    return found.hexdigest()
