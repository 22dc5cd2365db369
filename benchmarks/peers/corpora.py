"""What every system is given: documents as files, questions, and which documents answer each.

A corpus lies in a folder of its own, because every system works on it in processes of its own: ``files/`` with a file
for each document, ``truth.json``, and ``passages.json`` for a corpus that is cut. A document is named by its file's
path in ``files/``. Nothing of gw is imported before it is needed, as its memory would count as a peer's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

CODE = {".py"}
PASSAGES = "passages.json"
LANGUAGES = {"xquad-de": "german", "xquad-zh": "chinese", "xquad-th": "thai"}
"""Of collections whose language isn't English. Only systems that want to be told a language are told."""


@dataclass(frozen=True)
class Corpus:
    """``questions`` and, for each, ``relevant`` documents with their grades.

    ``cut``: documents are long, so that systems that bring no chunker of their own are given gw's passages.
    """

    folder: Path
    name: str
    language: str
    cut: bool
    questions: Mapping[str, str]
    relevant: Mapping[str, Mapping[str, int]]

    @property
    def files(self) -> Path:
        return self.folder / "files"

    @cached_property
    def _paths(self) -> list[Path]:
        return sorted(path for path in self.files.rglob("*") if path.is_file())

    def names(self) -> list[str]:
        return [path.relative_to(self.files).as_posix() for path in self._paths]

    def texts(self) -> dict[str, str]:
        """All documents, for systems that take strings."""
        return {name: path.read_bytes().decode() for name, path in zip(self.names(), self._paths, strict=True)}

    def size(self) -> int:
        """Bytes of text."""
        return sum(path.stat().st_size for path in self._paths)

    def units(self) -> list[tuple[str, str]]:
        """What a system without a chunker indexes: (document, text), whole documents, or gw's passages of them."""
        if not self.cut:
            return list(self.texts().items())
        return [(name, text) for name, text in json.loads(self.folder.joinpath(PASSAGES).read_text())]


def write(
    folder: Path,
    name: str,
    texts: Mapping[str, str],
    questions: Mapping[str, str],
    relevant: Mapping[str, Mapping[str, int]],
    *,
    language: str = "english",
    cut: bool = False,
) -> Corpus:
    """Lay out a corpus in a folder that is not there yet."""
    corpus = Corpus(folder, name, language, cut, questions, relevant)
    corpus.files.mkdir(parents=True)
    for path, text in texts.items():
        file = corpus.files / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    truth = {"name": name, "language": language, "cut": cut, "questions": dict(questions), "relevant": dict(relevant)}
    folder.joinpath("truth.json").write_text(json.dumps(truth))
    if cut:
        folder.joinpath(PASSAGES).write_text(json.dumps(list(passages(texts))))
    return corpus


def passages(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """gw's passages of documents, as (document, passage)."""
    from gw_core.model import Document
    from gw_plugins.chunkers.text import Text

    chunker = Text()
    for name, text in texts.items():
        kind = "code" if Path(name).suffix in CODE else "text"
        for span in chunker.spans(Document(name, text, "", len(text), kind=kind)):
            yield name, span.of(text)


def read(folder: Path) -> Corpus:
    """A corpus that :func:`write` laid out."""
    return Corpus(folder, **json.loads(folder.joinpath("truth.json").read_text()))


def of_collection(source: Path, folder: Path, most: int | None = None) -> Corpus:
    """A collection in BEIR's layout; of its questions at most so many, evenly spread.

    File names are numbers: what a collection calls its documents may be no file name, and is no text to search.
    """
    from collections_ndcg import load

    collection = load(source)
    names = {document: f"{number:06}.txt" for number, document in enumerate(collection.texts, 1)}
    asked = {
        question: text
        for question, text in collection.questions.items()
        if any(grade > 0 and document in names for document, grade in collection.relevant[question].items())
    }
    relevant = {
        question: {names[one]: grade for one, grade in collection.relevant[question].items() if one in names}
        for question in asked
    }
    texts = {names[document]: text for document, text in collection.texts.items()}
    language = LANGUAGES.get(source.name, "english")
    return write(folder, source.name, texts, dict(spread(asked.items(), most)), relevant, language=language)


def spread(items: Iterable[tuple[str, str]], most: int | None) -> list[tuple[str, str]]:
    """At most so many, evenly spread over all."""
    found = list(items)
    if most is None or len(found) <= most:
        return found
    return [found[number * len(found) // most] for number in range(most)]
