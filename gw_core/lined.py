"""YAML and JSON Lines, read so that every value knows its line and stands as it was written.

A number, a date or ``yes`` is kept as its text, with the kind that YAML takes it for: whoever wants text gets what the
author typed, and whoever wants a number sees that it is one. Anchors, aliases, tags and keys given twice are refused.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gw_core.errors import NotFoundError, UsageError
from gw_core.registry import suggestion

MAX_BYTES = 16_000_000
"""A larger file is refused: parsing YAML takes a second for every few megabytes, and a hundred times that in memory."""
_MAX_DEPTH = 20
_LONGEST_KEY = 100  # of what a message shows of it

Kind = Literal["text", "integer", "number", "boolean", "date", "null", "list", "mapping"]
_KINDS: Mapping[str, Kind] = {
    "str": "text",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "timestamp": "date",
    "null": "null",
    "merge": "text",
    "value": "text",
}
_PREFIX = "tag:yaml.org,2002:"
_TRUE = frozenset({"true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the line (from 1) on which it begins.

    ``text`` is a scalar as it was written, ``items`` what a list holds, ``fields`` what a mapping holds, and ``lines``
    where its keys stand.
    """

    kind: Kind
    line: int
    text: str = ""
    items: tuple[Node, ...] = ()
    fields: Mapping[str, Node] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_scalar(self) -> bool:
        """Something that can stand for text: neither a list nor a mapping nor nothing."""
        return self.kind not in ("list", "mapping", "null")

    @property
    def is_true(self) -> bool:
        return self.kind == "boolean" and self.text.lower() in _TRUE

    @property
    def plain(self) -> Any:
        """The value without lines; scalars as ``(kind, text)``. Equal for files that say the same."""
        if self.kind == "list":
            return [one.plain for one in self.items]
        if self.kind == "mapping":
            return {key: one.plain for key, one in self.fields.items()}
        return self.kind, self.text


def error_at(path: Path, line: int, message: str, hint: str = "") -> UsageError:
    """``file:line: message``."""
    return UsageError(f"{path}:{line}: {message}", hint=hint)


def unknown_key(node: Node, known: Sequence[str]) -> tuple[int, str, str] | None:
    """``(line, message, hint)`` for the first key of a mapping that is none of ``known``."""
    for key, line in node.lines.items():
        if key not in known:
            return line, f"unknown key {shown_key(key)}", suggestion(key[:_LONGEST_KEY], known)
    return None


def shown_key(key: str) -> str:
    """A key of a stranger's file, for one line of a message."""
    return repr(key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…")


def read_source(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """A file's text with its line ends as they are, without a byte order mark. Raises UsageError for what has none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{path}: not a file")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise NotFoundError(f"{str(path)!r} does not exist") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else ""
        raise UsageError(f"{path}: cannot be read: {reason or error}") from error
    if len(data) > max_bytes:
        raise UsageError(f"{path}: larger than {max_bytes} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise error_at(path, line, "not UTF-8", "save the file as UTF-8") from error


def read_yaml(path: Path) -> Node:
    """The one document of a YAML file. Raises UsageError with file and line for what is none; nothing is ``null``."""
    return parse_yaml(path, read_source(path))


def read_jsonl(path: Path) -> list[Node]:
    """The values of a JSON Lines file, one for each line that is not blank; all of a value stands on its line."""
    return list(parse_jsonl(path, read_source(path)))


def parse_yaml(path: Path, source: str) -> Node:
    """:func:`read_yaml` of text that was read already."""
    import yaml  # noqa: PLC0415

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is seven times as fast, but not everywhere
    try:
        return _Composer(path).compose(yaml.parse(source, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise error_at(path, line, f"not YAML: {error.problem or error.context}") from error
    except yaml.reader.ReaderError as error:
        raise error_at(path, _line_of_unprintable(source), f"not YAML: {error.reason}") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    except ValueError as error:  # an escape that is no character
        raise UsageError(f"{path}: not YAML: {error}") from error


def _line_of_unprintable(source: str) -> int:
    import yaml  # noqa: PLC0415

    found = yaml.reader.Reader.NON_PRINTABLE.search(source)
    return source.count("\n", 0, found.start()) + 1 if found else 1


class _Composer:
    """Events of YAML's parser to nodes, without recursion."""

    def __init__(self, path: Path) -> None:
        import yaml  # noqa: PLC0415

        self._path = path
        self._resolver: Any = yaml.resolver.Resolver()
        self._documents = 0

    def compose(self, events: Iterator[Any]) -> Node:
        import yaml  # noqa: PLC0415

        root = Node("null", 1)
        open_: list[tuple[Any, list[Node]]] = []
        for event in events:
            line = event.start_mark.line + 1
            done: Node | None = None
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise error_at(self._path, line, "a second document begins here; one is all there can be")
            elif isinstance(event, yaml.AliasEvent):
                raise error_at(self._path, line, f"an alias (*{event.anchor}): write out what it stands for")
            elif isinstance(event, yaml.ScalarEvent):
                done = self._scalar(event, line)
            elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
                self._refuse_tag(event.tag, line)
                if len(open_) == _MAX_DEPTH:
                    raise error_at(self._path, line, f"nested more than {_MAX_DEPTH} deep")
                open_.append((event, []))
            elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                start, parts = open_.pop()
                done = self._collection(start, parts)
            if done is None:
                continue
            if open_:
                open_[-1][1].append(done)
            else:
                root = done
        return root

    def _scalar(self, event: Any, line: int) -> Node:
        import yaml  # noqa: PLC0415

        self._refuse_tag(event.tag, line)
        tag = self._resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
        kind = _KINDS.get(str(tag).removeprefix(_PREFIX), "text")
        return Node(kind, line, "" if kind == "null" else event.value)

    def _refuse_tag(self, tag: str | None, line: int) -> None:
        if tag is not None:
            raise error_at(self._path, line, f"a tag ({tag.replace(_PREFIX, '!!')}): there is no need of any")

    def _collection(self, start: Any, parts: list[Node]) -> Node:
        import yaml  # noqa: PLC0415

        line = start.start_mark.line + 1
        if isinstance(start, yaml.SequenceStartEvent):
            return Node("list", line, items=tuple(parts))
        pairs = []
        for key, value in zip(parts[::2], parts[1::2], strict=True):
            if not key.is_scalar:
                raise error_at(self._path, key.line, "a key must be text")
            pairs.append((key.text, key.line, value))
        return _mapping(self._path, line, pairs)


def _mapping(path: Path, line: int, pairs: Sequence[tuple[str, int, Node]]) -> Node:
    fields: dict[str, Node] = {}
    lines: dict[str, int] = {}
    for key, at, value in pairs:
        if key in fields:
            raise error_at(path, at, f"the key {shown_key(key)} stands here a second time")
        fields[key], lines[key] = value, at
    return Node("mapping", line, fields=fields, lines=lines)


def parse_jsonl(path: Path, source: str) -> Iterator[Node]:
    """:func:`read_jsonl` of text that was read already. Numbers stay as they are written."""
    for line, row in enumerate(source.split("\n"), 1):
        if row.strip():
            yield parse_json(path, line, row)


def parse_json(path: Path, line: int, row: str) -> Node:
    """One line of JSON. Raises UsageError for what is none."""

    def of(value: Any) -> Node:
        if isinstance(value, Node):
            return value
        if isinstance(value, str):
            return Node("text", line, value)
        if isinstance(value, bool):
            return Node("boolean", line, "true" if value else "false")
        if value is None:
            return Node("null", line)
        return Node("list", line, items=tuple(of(one) for one in value))

    def mapping(pairs: list[tuple[str, Any]]) -> Node:
        return _mapping(path, line, [(key, line, of(value)) for key, value in pairs])

    def number(kind: Kind) -> Callable[[str], Node]:
        return lambda text: Node(kind, line, text)

    def constant(text: str) -> Node:
        raise error_at(path, line, f"not JSON: {text}")

    try:
        value = json.loads(
            row,
            object_pairs_hook=mapping,
            parse_int=number("integer"),
            parse_float=number("number"),
            parse_constant=constant,
        )
        return of(value)
    except json.JSONDecodeError as error:
        raise error_at(path, line, f"not JSON: {error.msg} (column {error.colno})") from error
    except RecursionError as error:
        raise error_at(path, line, "nested too deep") from error
