"""The text of a golden set with one entry more: the ways to write it, of which the caller takes the first that reads as
it should."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gw_core.errors import GwError
from gw_core.lined import parse_yaml

Fields = Mapping[str, Any]
"""An entry as plain data, in the order in which it is written."""

_NOWHERE = Path("entry")
_PLAIN = re.compile(
    r"(?:\.\./)*[^\W\d_][\w .,;/()'+-]*[\w.)?]|[^\W\d_]"
)  # text that YAML reads as itself, to see if it does
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")  # JSON lets them stand, YAML does not


def appended_to_jsonl(source: str, fields: Fields) -> Iterator[str]:
    """The one way to add a line."""
    end = _line_end(source)
    yield source + ("" if not source or source.endswith("\n") else end) + _json(fields) + end


def appended_to_yaml(source: str, fields: Fields) -> Iterator[str]:
    """The ways to add to a YAML file: after the last entry in block style, within a flow list, under an empty key."""
    import yaml  # noqa: PLC0415

    end = _line_end(source)
    if parse_yaml(_NOWHERE, source).kind == "null":
        yield _with_questions(source, fields, end)
        return
    # libyaml is seven times as fast; should its marks ever be others, the parser in Python has those of this text.
    for loader in dict.fromkeys((getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader)):
        place = _questions(source, loader)
        if place is None:
            yield _with_questions(source, fields, end)
        elif place.flow_end is not None:
            yield from _in_flow(source, fields, end, place.flow_end, place.empty)
        else:
            yield _in_block(source, fields, end, place)


def _with_questions(source: str, fields: Fields, end: str) -> str:
    lead = "" if not source or source.endswith("\n") else end
    return source + lead + f"questions:{end}" + _block(fields, "  ", end)


def _in_flow(source: str, fields: Fields, end: str, at: int, empty: bool) -> Iterator[str]:
    """Before the bracket at ``at``, which may have a comma before it; an empty list becomes one in block style."""
    head, tail = source[:at], source[at:]
    if empty and "[" in head:
        yield head[: head.rindex("[")].rstrip(" ") + end + _block(fields, "  ", end, last=False) + tail[1:]
    flat = _json(fields)
    yield f"{head.rstrip()}, {flat}{tail}"
    yield f"{head}{flat}{tail}"


def _in_block(source: str, fields: Fields, end: str, place: _Questions) -> str:
    """Below the last entry, and the comments that are indented like it."""
    at = place.insert_at
    if at and source[at - 1] != "\n":
        newline = source.find("\n", at)
        at = len(source) if newline < 0 else newline + 1
    own_comment = re.compile(re.escape(place.indent) + r"[ \t]+#[^\n]*(?:\n|\Z)")
    while comment := own_comment.match(source, at):
        at = comment.end()
    lead = "" if not at or source[at - 1] == "\n" else end
    return source[:at] + lead + _block(fields, place.indent, end) + source[at:]


@dataclass(frozen=True, slots=True)
class _Questions:
    """Where the list of questions of a YAML source ends: offsets in it."""

    insert_at: int
    indent: str
    flow_end: int | None = None
    empty: bool = False


def _questions(source: str, loader: Any) -> _Questions | None:
    """None where there is no key ``questions`` at the top."""
    import yaml  # noqa: PLC0415

    events: list[Any] = list(yaml.parse(source, Loader=loader))
    depth, key_next, key = 0, True, ""
    for number, event in enumerate(events):
        opens = isinstance(event, yaml.CollectionStartEvent)
        closes = isinstance(event, yaml.CollectionEndEvent)
        if depth == 1 and not closes:
            if key_next:
                key = getattr(event, "value", "")
            elif key == "questions":
                return _list_at(source, events, number)
            if not opens:
                key_next = not key_next
        depth += opens - closes
        if closes and depth == 1:
            key_next = not key_next
    return None


def _list_at(source: str, events: Sequence[Any], number: int) -> _Questions:
    import yaml  # noqa: PLC0415

    start: Any = events[number]
    if not isinstance(start, yaml.SequenceStartEvent):  # nothing: the key alone
        return _Questions(start.end_mark.index, "  ")
    depth, at = 1, number + 1
    while True:
        depth += isinstance(events[at], yaml.CollectionStartEvent) - isinstance(events[at], yaml.CollectionEndEvent)
        if depth == 0:
            break
        at += 1
    if start.flow_style:
        return _Questions(0, "", events[at].end_mark.index - 1, empty=at == number + 1)
    # The end of a block collection is marked at what follows, beyond comments: take that of what it ends with.
    ends: Sequence[Any] = events[:at]
    last = at - 1
    while isinstance(ends[last], yaml.CollectionEndEvent) and ends[last].start_mark.index == ends[last].end_mark.index:
        last -= 1
    first_dash = _offset(start.start_mark)
    line_start = source.rfind("\n", 0, first_dash) + 1
    return _Questions(_offset(ends[last].end_mark), source[line_start:first_dash])


def _offset(mark: Any) -> int:
    return int(mark.index)


def _block(fields: Fields, indent: str, end: str, *, last: bool = True) -> str:
    """An entry in block style; every line ends with ``end``, except, if not ``last``, the last one."""
    lines: list[str] = []
    for key, value in fields.items():
        if key == "quotes":
            lines += [f"{key}:"]
            for one in value:
                lines += [f"  - document: {scalar(one['document'])}", f"    quote: {scalar(one['quote'])}"]
        elif isinstance(value, list):
            lines.append(f"{key}: [{', '.join(_quoted(one) for one in value)}]")
        else:
            lines.append(f"{key}: {'true' if value is True else scalar(value)}")
    text = end.join(indent + ("- " if number == 0 else "  ") + line for number, line in enumerate(lines))
    return text + end if last else text


def scalar(text: str) -> str:
    """Text as YAML: bare where it reads as itself, else in quotation marks."""
    if _PLAIN.fullmatch(text):
        with contextlib.suppress(GwError):
            value = parse_yaml(_NOWHERE, f"key: {text}").fields["key"]
            if (value.kind, value.text) == ("text", text):
                return text
    return _quoted(text)


def _quoted(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _json(fields: Fields) -> str:
    text = json.dumps(fields, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _line_end(source: str) -> str:
    return "\r\n" if "\r\n" in source else "\n"
