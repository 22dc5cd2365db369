"""Golden sets: somebody's own corpus with questions and what is right for each, in YAML or JSON Lines.

::

    corpus: ../docs              # a folder, a file or a list of them; by default the folder of this file
    questions:
      - id: retention            # by default made of the question
        question: How long are logs kept?
        category: plain
        documents: [ops/logs.md] # or {ops/logs.md: 3, ops/old.md: 1}, from the corpus' root: how relevant each is
        quotes:                  # each stands exactly once in its document
          - "Logs are kept for 30 days."
          - {document: ops/old.md, quote: "Logs were kept for ever."}
        answer: 30 days          # or a list of answers, any of which is right
      - question: What does the licence cost?
        abstain: true            # the corpus does not say

In JSON Lines each line is one question, and the first line may be ``{"corpus": ...}`` instead. The root is the corpus'
folder, or the common folder of several. Whether documents and quotes are there is for :mod:`gw_core.bench.golden_check`
to see.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gw_core.bench.golden_entry import Entries, Problem, Question, short
from gw_core.errors import NotFoundError, UsageError
from gw_core.lined import Node, error_at, parse_jsonl, parse_yaml, read_source, unknown_key

JSONL_SUFFIXES = (".jsonl", ".ndjson")
_TOP = ("corpus", "questions")


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden set. ``root`` is an absolute folder and ``paths`` are the files and folders in it that make the corpus;
    none means all of it. ``problems`` are what is wrong with entries that are left out of ``questions``."""

    path: Path
    root: Path
    paths: tuple[Path, ...]
    questions: tuple[Question, ...]
    problems: tuple[Problem, ...] = ()
    sha256: str = ""

    @property
    def name(self) -> str:
        return self.path.stem


def load(path: Path) -> Golden:
    """A golden set without a mistake in its form. Raises UsageError with file and line for the first one."""
    golden = read(path)
    raise_first(golden.path, golden.problems)
    return golden


def raise_first(path: Path, problems: Sequence[Problem]) -> None:
    """Raise UsageError for the first problem that is an error, if there is one, and say how many more there are."""
    errors = [one for one in problems if one.level == "error"]
    if not errors:
        return
    first = errors[0]
    more = f"{len(errors) - 1} more: gw bench golden {path} --check lists all" if len(errors) > 1 else ""
    hint = "; ".join(part for part in (first.hint, more) if part)
    raise error_at(path, first.line, f"{first.entry!r}: {first.problem}" if first.entry else first.problem, hint)


def read(path: Path) -> Golden:
    """A golden set with the problems of its entries, all of them.

    Raises UsageError for what makes the file useless as a whole, and NotFoundError where there is none.
    """
    source = read_source(path)
    corpus, entries = split(path, source)
    root, paths = _corpus(path, corpus)
    reader = Entries()
    questions = tuple(question for node in entries for question in reader.read(node))
    if not entries:
        raise UsageError(f"{path}: there is no question in it", hint="questions: [{question: ..., documents: [...]}]")
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    return Golden(path, root, paths, questions, tuple(reader.problems), digest)


def split(path: Path, source: str) -> tuple[Node | None, tuple[Node, ...]]:
    """What a golden file says of its corpus, and its entries as they stand there."""
    if path.suffix.lower() in JSONL_SUFFIXES:
        rows = list(parse_jsonl(path, source))
        for row in rows:
            if row.kind != "mapping":
                raise error_at(path, row.line, "a line must be a JSON object", '{"question": ..., "documents": [...]}')
        if rows and tuple(rows[0].fields) == ("corpus",):
            return rows[0].fields["corpus"], tuple(rows[1:])
        return None, tuple(rows)
    top = parse_yaml(path, source)
    if top.kind == "null":
        return None, ()
    if top.kind != "mapping":
        raise error_at(path, top.line, "the file must be a mapping", "questions: [{question: ..., documents: [...]}]")
    unknown = unknown_key(top, _TOP)
    if unknown:
        raise error_at(path, *unknown)
    questions = top.fields.get("questions")
    if questions is None or questions.kind == "null":
        return top.fields.get("corpus"), ()
    if questions.kind != "list":
        raise error_at(path, questions.line, "'questions' must be a list")
    return top.fields.get("corpus"), questions.items


def corpus_named_by(path: Path) -> tuple[Path, tuple[Path, ...]]:
    """Root and paths of the corpus of a golden file, which may have no question yet."""
    return _corpus(path, split(path, read_source(path))[0])


def corpus_of(path: Path, named: Sequence[tuple[int, str]]) -> tuple[Path, tuple[Path, ...]]:
    """Root and paths of a corpus that a file at ``path`` names, each with the line where it does; none: its folder."""
    here = path.absolute().parent
    if not named:
        return here.resolve(), ()
    found = []
    for line, text in named:
        place = Path(here, text)
        try:
            found.append(place.resolve(strict=True))
        except (OSError, ValueError, RuntimeError) as error:
            raise NotFoundError(
                f"{path}:{line}: the corpus {short(text, 200)!r} does not exist",
                hint="it counts from the folder of this file",
            ) from error
        if not (found[-1].is_dir() or found[-1].is_file()):
            raise error_at(path, line, f"the corpus {short(text, 200)!r} is neither a file nor a folder")
    if len(found) == 1 and found[0].is_dir():
        return found[0], ()
    folders = [one if one.is_dir() else one.parent for one in found]
    return Path(os.path.commonpath(folders)), tuple(dict.fromkeys(found))


def _corpus(path: Path, node: Node | None) -> tuple[Path, tuple[Path, ...]]:
    if node is None or node.kind == "null":
        return corpus_of(path, ())
    nodes = node.items if node.kind == "list" else (node,)
    for one in nodes:
        if not one.is_scalar or not one.text.strip():
            raise error_at(path, one.line, "'corpus' must be a path or a list of paths")
    if not nodes:
        raise error_at(path, node.line, "'corpus' names nothing")
    return corpus_of(path, [(one.line, one.text) for one in nodes])
