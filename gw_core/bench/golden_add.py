"""Adding an entry to a golden set without touching what is there: comments, order and style stay as they are.

The new text is put in at one place, read again, and written only if it says exactly what the file said and the new
entry: whatever a file looks like, the worst that can happen is an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gw_core.bench.golden import JSONL_SUFFIXES, corpus_named_by, corpus_of, raise_first, read, split
from gw_core.bench.golden_check import quote_of
from gw_core.bench.golden_entry import Entries, Question, folded
from gw_core.bench.golden_text import appended_to_jsonl, appended_to_yaml, scalar
from gw_core.errors import GwError, UsageError
from gw_core.lined import MAX_BYTES, error_at, parse_json, read_source
from gw_core.model import Span


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What is to be added. ``quotes`` are ``(document, text)`` pairs; documents count from the corpus' root."""

    question: str
    quotes: Sequence[tuple[str, str]] = ()
    documents: Sequence[str] = ()
    category: str = ""
    answers: Sequence[str] = ()
    id: str = ""
    abstain: bool = False

    @property
    def fields(self) -> dict[str, Any]:
        """The entry as plain data, in the order in which it is written."""
        fields: dict[str, Any] = {}
        if self.id:
            fields["id"] = self.id
        fields["question"] = self.question
        if self.category:
            fields["category"] = self.category
        if self.documents:
            fields["documents"] = list(self.documents)
        if self.quotes:
            fields["quotes"] = [{"document": document, "quote": text} for document, text in self.quotes]
        if self.answers:
            fields["answer"] = self.answers[0] if len(self.answers) == 1 else list(self.answers)
        if self.abstain:
            fields["abstain"] = True
        return fields


def quoted_hit(golden: Path, file: Path, text: str, span: Span, corpus: Path | None = None) -> tuple[str, str]:
    """The ``(document, quote)`` pair of a hit: ``span`` of ``text``, which is that of ``file``.

    The span is widened by whole words until its text is unique in the document. ``corpus`` is that of a golden file
    that does not exist yet. Raises UsageError for a file outside the corpus.
    """
    root = (corpus_named_by(golden) if golden.exists() else corpus_of(golden, _named(golden, corpus)))[0]
    real = file.resolve()
    if not real.is_relative_to(root):
        raise UsageError(f"{str(file)!r} is outside the corpus of {golden}", hint=f"its root is {root}")
    return real.relative_to(root).as_posix(), quote_of(text, span).of(text)


def add(golden: Path, entry: NewEntry, corpus: Path | None = None) -> Question:
    """Append an entry and return it as it is read back. A file that does not exist is made, over ``corpus``.

    Raises UsageError, with the file untouched, for an entry that is not right in itself, a question or an id that is
    there already, and a file that is broken or to which nothing can be added safely.
    """
    golden = golden.resolve() if golden.is_symlink() else golden
    node = parse_json(golden, 1, json.dumps(entry.fields))
    reader = Entries()
    made = next(reader.read(node), None)
    if made is None:
        first = reader.problems[0]
        raise UsageError(f"{first.entry!r} cannot be added: {first.problem}", hint=first.hint)
    with _alone(golden):
        _append(golden, entry, corpus, made, node.plain)
    return next(one for one in read(golden).questions if one.id == made.id)


def _append(golden: Path, entry: NewEntry, corpus: Path | None, made: Question, wanted: Any) -> None:
    if golden.exists():
        root, paths = corpus_named_by(golden)
        if corpus is not None and corpus.resolve() not in (root, *paths):
            raise UsageError(f"{golden} names its corpus already", hint="leave out --corpus, or name another file")
        _refuse_known(golden, made)
        before = _bytes(golden)
        source = before.decode("utf-8-sig")
        mark = before[: len(before) - len(source.encode())]
    else:
        source, mark = _head(golden, corpus), b""
    after = _extended(golden, source, entry, wanted)
    _write(golden, mark + after.encode())


@contextmanager
def _alone(golden: Path) -> Iterator[None]:
    """While nobody else adds to a file of the same folder: what two add at once is there. Where a file system knows no
    locks, it is done without."""
    with ExitStack() as stack:
        with suppress(ImportError, OSError):
            import fcntl  # noqa: PLC0415

            folder = os.open(golden.absolute().parent, os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield


def _named(golden: Path, corpus: Path | None) -> list[tuple[int, str]]:
    return [] if corpus is None else [(1, _relative(golden, corpus))]


def _relative(golden: Path, corpus: Path) -> str:
    return Path(os.path.relpath(corpus.resolve(), golden.absolute().parent.resolve())).as_posix()


def _head(golden: Path, corpus: Path | None) -> str:
    named = _named(golden, corpus)
    corpus_of(golden, named)  # it must be there
    if not golden.absolute().parent.is_dir():
        raise UsageError(f"{golden}: there is no folder for it")
    if golden.suffix.lower() in JSONL_SUFFIXES:
        return "".join(json.dumps({"corpus": text}, ensure_ascii=False) + "\n" for _, text in named)
    return "".join(f"corpus: {scalar(text)}\n" for _, text in named) + "questions:\n"


def _refuse_known(golden: Path, made: Question) -> None:
    for one in _questions(golden):
        if folded(one.text) == folded(made.text):
            raise error_at(golden, one.line, f"the question is there already: {one.label!r}")
        if one.id == made.id:
            raise error_at(golden, one.line, f"the id {made.id!r} is there already")


def _questions(golden: Path) -> tuple[Question, ...]:
    """The questions of a golden set, which may have none yet. Raises UsageError for one with mistakes in it."""
    if not split(golden, read_source(golden))[1]:
        return ()
    found = read(golden)
    raise_first(golden, found.problems)
    return found.questions


def _bytes(golden: Path) -> bytes:
    read_source(golden)  # a clear word about whatever is wrong with it
    return golden.read_bytes()


def _extended(golden: Path, source: str, entry: NewEntry, wanted: Any) -> str:
    """The source with the entry in it. Candidates are tried until one says what it must."""
    corpus, old = split(golden, source)
    expected = [*(one.plain for one in old), wanted]
    append = appended_to_jsonl if golden.suffix.lower() in JSONL_SUFFIXES else appended_to_yaml
    for candidate in append(source, entry.fields):
        try:
            said, entries = split(golden, candidate)
        except GwError:
            continue
        same_corpus = (said and said.plain) == (corpus and corpus.plain)
        if same_corpus and [one.plain for one in entries] == expected:
            if len(candidate.encode()) > MAX_BYTES:
                raise UsageError(f"{golden}: with the entry it would be larger than {MAX_BYTES} bytes")
            return candidate
    raise UsageError(f"{golden}: no place for another entry can be found", hint="add it by hand, in block style")


def _write(path: Path, data: bytes) -> None:
    """Replace a file at once, with the permissions that it has; nothing half-written is ever seen."""
    part = path.with_name(f".{path.name[:40]}.{os.getpid()}")
    try:
        descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                part.chmod(path.stat().st_mode & 0o7777)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
