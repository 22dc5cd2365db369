"""One entry of a golden set: what it may say, and all that can be wrong with it without a look at the corpus."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from gw_core.lined import Node, unknown_key
from gw_core.query import parse

MAX_GRADE = 1000
MAX_TEXT = 50_000
"""Characters of a question, a quote, an answer: longer than any that a person wrote, and what is soon searched for."""
_ENTRY = ("id", "question", "category", "documents", "quotes", "answer", "abstain")
_QUOTE = ("document", "quote")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text that must stand exactly once in ``document``; ``line`` is that of the golden file."""

    document: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Question:
    """One entry. ``documents`` maps paths from the corpus' root to grades (0: judged, and not relevant) and includes
    those of the quotes; ``answers`` are alternatives; ``abstain``: the corpus does not answer."""

    id: str
    text: str
    line: int
    category: str = ""
    documents: Mapping[str, int] = field(default_factory=dict)
    quotes: tuple[Quoted, ...] = ()
    answers: tuple[str, ...] = ()
    abstain: bool = False

    @property
    def label(self) -> str:
        """What a person knows the entry by: its id, if it was given one."""
        return short(self.text if self.id == stable_id(self.text) else self.id)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an entry (its id, or else its question). A ``warning`` is for a person to look at. ``str()``
    is the one line to show."""

    entry: str
    line: int
    problem: str
    hint: str = ""
    level: Literal["error", "warning"] = "error"
    file: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        parts = [place, *(["warning"] if self.level == "warning" else []), *([repr(self.entry)] if self.entry else [])]
        return ": ".join([*parts, self.problem]) + (f" ({self.hint})" if self.hint else "")

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def folded(question: str) -> str:
    """What two questions that are the same have in common."""
    return " ".join(question.split()).casefold()


def stable_id(question: str) -> str:
    """The id of an entry that has none of its own.

    >>> stable_id("How long are logs kept?") == stable_id("how long  are logs kept?")
    True
    """
    return "q-" + hashlib.sha256(folded(question).encode("utf-8", "replace")).hexdigest()[:10]


def short(text: str, width: int = 60) -> str:
    """``text`` on one line of at most ``width`` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


class Entries:
    """Nodes to questions, one after another; what is wrong with them is collected."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._ids: dict[str, int] = {}
        self._texts: dict[str, int] = {}

    def read(self, node: Node) -> Iterator[Question]:
        """The question of an entry, if nothing is wrong with it."""
        before = len(self.problems)
        if node.kind != "mapping":
            self._add("", node.line, "an entry must be a mapping", "{question: ..., documents: [...]}")
            return
        text = self._text(node, "question", "")
        given = self._text(node, "id", text)
        name, label = given or stable_id(text), given or text
        unknown = unknown_key(node, _ENTRY)
        if unknown:
            self._add(label, *unknown)
        if "question" not in node.fields:
            self._add(label, node.line, "there is no 'question'")
        elif text:
            self._unique(label, node, name, text)
        documents, quotes = self._judgments(node, label)
        question = Question(
            id=name,
            text=text,
            line=node.line,
            category=self._text(node, "category", label),
            documents=documents,
            quotes=quotes,
            answers=self._texts_of(node, "answer", label),
            abstain=self._flag(node, "abstain", label),
        )
        self._consistent(question, node, label)
        if len(self.problems) == before:
            yield question

    def _add(self, entry: str, line: int, problem: str, hint: str = "") -> None:
        self.problems.append(Problem(short(entry), line, problem, hint))

    def _unique(self, label: str, node: Node, name: str, text: str) -> None:
        line = node.fields["question"].line
        if not parse(text).terms:
            self._add(label, line, "there is no word to search for in the question")
        if folded(text) in self._texts:
            self._add(label, line, f"the same question stands on line {self._texts[folded(text)]}")
        elif name in self._ids:
            self._add(label, node.line, f"duplicate id: line {self._ids[name]} has it too")
        self._texts.setdefault(folded(text), line)
        self._ids.setdefault(name, node.line)

    def _text(self, node: Node, key: str, label: str) -> str:
        """A scalar as it is written; empty where there is none or what is there won't do."""
        value = node.fields.get(key)
        if value is None:
            return ""
        return next(iter(self._scalars(key, (value,), label, one_line=key in ("id", "category"))), "")

    def _texts_of(self, node: Node, key: str, label: str) -> tuple[str, ...]:
        value = node.fields.get(key)
        if value is None:
            return ()
        if value.kind == "list" and not value.items:
            self._add(label, value.line, f"{key!r} is empty")
        return tuple(dict.fromkeys(self._scalars(key, value.items if value.kind == "list" else (value,), label)))

    def _scalars(self, key: str, nodes: Sequence[Node], label: str, *, one_line: bool = False) -> Iterator[str]:
        for one in nodes:
            if not one.is_scalar:
                self._add(label, one.line, f"{key!r} must be text" if one.kind != "null" else f"{key!r} is empty")
            elif not one.text.strip():
                self._add(label, one.line, f"{key!r} is empty")
            elif len(one.text) > MAX_TEXT:
                self._add(label, one.line, f"{key!r} is longer than {MAX_TEXT:,} characters")
            elif (_CONTROL if one_line else _SURROGATE).search(one.text):
                what = "one line without control characters" if one_line else "valid Unicode"
                self._add(label, one.line, f"{key!r} must be {what}")
            else:
                yield one.text.strip()

    def _flag(self, node: Node, key: str, label: str) -> bool:
        value = node.fields.get(key)
        if value is None:
            return False
        if value.kind != "boolean":
            self._add(label, value.line, f"{key!r} must be true or false")
        return value.is_true

    # -- documents and quotes -----------------------------------------------------------------------------------

    def _judgments(self, node: Node, label: str) -> tuple[dict[str, int], tuple[Quoted, ...]]:
        documents = self._documents(node.fields.get("documents"), label)
        quotes = self._quotes(node.fields.get("quotes"), list(documents), label)
        for one in quotes:
            if documents.setdefault(one.document, 1) == 0:
                self._add(label, one.line, f"a quote of {one.document!r}, which is judged not relevant")
        return documents, quotes

    def _documents(self, node: Node | None, label: str) -> dict[str, int]:
        documents: dict[str, int] = {}
        if node is None:
            return documents
        if node.kind == "mapping":
            pairs = [(key, node.lines[key], self._grade(key, value, label)) for key, value in node.fields.items()]
        elif node.kind == "list" or node.is_scalar:
            items = node.items if node.kind == "list" else (node,)
            pairs = [(one.text, one.line, 1) for one in items if one.is_scalar]
            if len(pairs) < len(items):
                self._add(label, node.line, "'documents' must be paths, or a mapping of paths to grades")
        else:
            pairs = []
        if not pairs:
            self._add(label, node.line, "'documents' names none")
        for text, line, grade in pairs:
            path = self._path(text, line, label)
            if path in documents:
                self._add(label, line, f"the document {path!r} is named twice")
            elif path:
                documents[path] = grade
        return documents

    def _grade(self, document: str, node: Node, label: str) -> int:
        if node.kind == "integer" and re.fullmatch(r"[0-9]{1,4}", node.text) and int(node.text) <= MAX_GRADE:
            return int(node.text)
        self._add(label, node.line, f"the grade of {document!r} must be a whole number from 0 to {MAX_GRADE}")
        return 0

    def _path(self, text: str, line: int, label: str) -> str:
        """A document's path in one form; empty for what can't be one."""
        path = posixpath.normpath(text) if text.strip() else ""
        if path in ("", ".") or "\0" in path:
            self._add(label, line, f"{short(text, 200)!r} is no document")
        elif path == ".." or path.startswith(("/", "../")):
            self._add(
                label, line, f"{short(text, 200)!r} is outside the corpus", "a document counts from the corpus' root"
            )
        else:
            return path
        return ""

    def _quotes(self, node: Node | None, documents: Sequence[str], label: str) -> tuple[Quoted, ...]:
        if node is None:
            return ()
        items = node.items if node.kind == "list" else (node,)
        if not items or node.kind == "null":
            self._add(label, node.line, "'quotes' is empty")
            return ()
        quotes: dict[tuple[str, str], Quoted] = {}
        for one in items:
            quote = self._mapped_quote(one, label) if one.kind == "mapping" else self._bare_quote(one, documents, label)
            if quote is None:
                continue
            if (quote.document, folded(quote.text)) in quotes:
                self._add(label, one.line, "the same quote stands here twice")
            quotes.setdefault((quote.document, folded(quote.text)), quote)
        return tuple(quotes.values())

    def _mapped_quote(self, node: Node, label: str) -> Quoted | None:
        unknown = unknown_key(node, _QUOTE)
        if unknown:
            self._add(label, *unknown)
            return None
        document = node.fields.get("document", Node("null", node.line))
        text = self._text(node, "quote", label)
        for key in _QUOTE:
            if key not in node.fields:
                self._add(label, node.line, f"a quote needs {key!r}", "{document: ops/logs.md, quote: ...}")
        path = self._path(document.text, document.line, label) if "document" in node.fields else ""
        return Quoted(path, text, node.line) if path and text else None

    def _bare_quote(self, node: Node, documents: Sequence[str], label: str) -> Quoted | None:
        text = next(self._scalars("quotes", (node,), label), "")
        if not text:
            return None
        if len(documents) != 1:
            problem = "a quote that does not say of which document"
            self._add(label, node.line, problem, "{document: ops/logs.md, quote: ...}, or name one document only")
            return None
        return Quoted(documents[0], text, node.line)

    def _consistent(self, question: Question, node: Node, label: str) -> None:
        given = [key for key in ("documents", "quotes", "answer") if key in node.fields]
        if question.abstain and given:
            self._add(label, node.line, f"abstain: true, but there is {given[0]!r}", "the corpus answers, or does not")
        elif not question.abstain and not given:
            hint = "documents: [...], quotes: [...], answer: ... or abstain: true"
            self._add(label, node.line, "it does not say what is right", hint)
        elif question.documents and not any(question.documents.values()):
            self._add(label, node.line, "no document of it is relevant", "a grade above 0")
