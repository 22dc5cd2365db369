"""What a recipe may say of one field, and all that can be wrong with it."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gw_core.errors import UsageError
from gw_core.lined import Node, shown_key, unknown_key
from gw_core.records import Field, FieldKind, Split, SplitKind, Support
from gw_core.registry import suggestion
from gw_core.schema import Origin
from gw_core.sweep.searching import needs_line_end

MAX_TEXT = 10_000
"""Characters of a question, a description, a choice or a pattern: more than any that a person wrote."""
UNNAMED = "value"
"""The field that a ``match`` without named groups fills."""
MAX_CHOICES = 1_000
MAX_NAME = 100

IN_CODE: tuple[FieldKind, ...] = ("pattern", "column", "path")
"""How a field is filled in code: at most one of them."""
VALUES: tuple[FieldKind, ...] = ("choice", "number", "text", "date")
"""What a field's value is: at most one of them, and beside a way to fill it in code only ``number`` and ``date``."""
FIELD_KEYS = (*IN_CODE, *VALUES, "format", "unit", "describe", "support")
WAYS_HINT = (
    "{pattern: '...'}, {choice: [a, b]}, {number: true}, {text: true}, {date: '%Y-%m-%d'}, {column: ...}, {path: ...}"
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PATH = re.compile(r"(?:[^.\[\]]+|\[\d+\])(?:\.[^.\[\]]+|\[\d+\])*")
_SAMPLE = datetime(2001, 2, 3, 4, 5, 6, tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a part of a recipe was written: a file, or an option of the command line."""

    path: Path | None = None
    option: str = ""

    def origin(self, line: int) -> Origin:
        """For messages and conversions; ``flag`` since a value may be text that looks like a number."""
        return Origin("flag", self.path, line, self.option)

    def error(self, line: int, message: str, hint: str = "") -> UsageError:
        """``file:line: message`` or ``--option: message``."""
        message = message.removeprefix(f"{self.option[2:]}: ") if self.option else message
        return UsageError(f"{self.origin(line)}: {message}", hint=hint)


@dataclass(frozen=True, slots=True)
class Given:
    """A value of a recipe and where it stands; ``line`` is that of its key."""

    node: Node
    source: Source
    line: int = field(default=0)

    def error(self, message: str, hint: str = "", node: Node | None = None) -> UsageError:
        return self.source.error((node or self.node).line or self.line, message, hint)


def text_of(given: Given, what: str, node: Node | None = None, *, one_line: bool = False) -> str:
    """A value as it was written. Raises UsageError for what is blank, no text, too long or not to be encoded."""
    node = node or given.node
    if not node.is_scalar or not node.text.strip():
        raise given.error(f"{what}: must be text", node=node)
    if len(node.text) > MAX_TEXT:
        raise given.error(f"{what}: longer than {MAX_TEXT} characters", node=node)
    if _SURROGATE.search(node.text):
        raise given.error(f"{what}: holds half a character, which is no text", node=node)
    if one_line and _NO_LINE.search(node.text):
        raise given.error(f"{what}: must be one line without control characters", node=node)
    return node.text


def pattern_of(given: Given, what: str, node: Node | None = None) -> tuple[str, re.Pattern[str]]:
    """A regular expression, as it was written and compiled. Raises UsageError for one that is empty or none."""
    node = node or given.node
    if node.is_scalar and not node.text:
        raise given.error(f"{what}: the pattern is empty", node=node)
    pattern = text_of(given, what, node) if node.text.strip() or not node.is_scalar else node.text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python about syntax that may change
            return pattern, re.compile(pattern)
    except re.error as error:
        at = f" (at character {error.pos + 1})" if error.pos is not None else ""
        raise given.error(f"{what}: not a regular expression: {error.msg}{at}", node=node) from error
    except (OverflowError, RecursionError) as error:
        raise given.error(f"{what}: not a regular expression: {error}", node=node) from error


def groups_of(match: str) -> tuple[str, ...]:
    """The fields that a ``match`` which compiles fills, in the order of its groups; without named ones ``value``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(re.compile(match).groupindex) or (UNNAMED,)


def checked_name(given: Given, name: str, what: str = "field") -> str:
    """A name that columns of tables and named groups can have too."""
    if not name.isidentifier() or len(name) > MAX_NAME:
        hint = "letters, digits and _, not beginning with a digit"
        raise given.source.error(given.line, f"not a name for a {what}: {shown_key(name)}", hint)
    return name


def read_field(name: str, given: Given, split: Split, match: str = "") -> Field:
    """The field that an entry of ``fields`` describes. ``match``: one of its groups fills the field, and the entry
    only says what its value is. Raises UsageError with the place of whatever is wrong."""
    checked_name(given, name)
    node = _as_mapping(name, given)
    if (wrong := unknown_key(node, FIELD_KEYS)) is not None:
        line, message, hint = wrong
        raise given.source.error(line, f"{name}: {message}", hint)
    kind = _kind(name, given, node, filled=bool(match))
    values: dict[str, Any] = {"pattern": match}
    for key, value in node.fields.items():
        where = f"{name}.{key}"
        if key == "pattern":
            values["pattern"] = pattern_of(given, where, value)[0]
        elif key in ("column", "unit", "path"):
            values[key] = text_of(given, where, value, one_line=True)
        elif key == "choice":
            values["choices"] = _choices(given, where, value)
        elif key in ("number", "text"):
            if not value.is_true:
                raise given.error(f"{where}: must be true", f"{{{key}: true}}", value)
        elif key == "describe":
            values["describe"] = text_of(given, where, value)
    values["format"] = _format(name, given, node)
    values["support"] = _support(name, given, node, kind)
    _consistent(name, given, node, kind, split)
    number = kind in IN_CODE and "number" in node.fields
    values.pop("text", None)
    return Field(name, kind, number=number, line=given.line, **values)


def _as_mapping(name: str, given: Given) -> Node:
    node = given.node
    if node.is_scalar and node.text in ("number", "text"):  # `hours: number`
        return Node("mapping", node.line, fields={node.text: Node("boolean", node.line, "true")})
    if node.is_scalar and node.text in (*IN_CODE, *VALUES):
        raise given.error(f"{name}: {node.text} needs more than its name", WAYS_HINT)
    if node.kind in ("null", "mapping") and not node.fields:
        raise given.error(f"{name}: there is no way to fill the field", WAYS_HINT)
    if node.kind != "mapping":
        raise given.error(f"{name}: must say how the field is filled", WAYS_HINT)
    return node


def _kind(name: str, given: Given, node: Node, *, filled: bool) -> FieldKind:
    code = [key for key in IN_CODE if key in node.fields]
    values = [key for key in VALUES if key in node.fields]
    if filled and code:
        raise given.error(
            f"{name}: {code[0]} stands beside the group of the same name in match", "name one of them anew"
        )
    for several in (code, values):
        if len(several) > 1:
            raise given.error(f"{name}: two kinds in one field: {several[0]} and {several[1]}", "one field for each")
    way: FieldKind | None = "pattern" if filled else code[0] if code else None
    if way is not None:
        if values and values[0] not in ("number", "date"):
            raise given.error(
                f"{name}: two kinds in one field: {way} and {values[0]}",
                f"beside {way}, which is taken in code, stands number, date or nothing",
            )
        return way
    if not values:
        raise given.error(f"{name}: there is no way to fill the field", WAYS_HINT)
    return values[0]


def _choices(given: Given, where: str, node: Node) -> tuple[str, ...]:
    if node.kind != "list":
        raise given.error(f"{where}: must be a list of the values there are", "choice: [open, closed]", node)
    if not node.items:
        raise given.error(f"{where}: the list of choices is empty", node=node)
    if len(node.items) > MAX_CHOICES:
        raise given.error(f"{where}: more than {MAX_CHOICES} choices", node=node)
    seen: dict[str, str] = {}
    for item in node.items:
        choice = " ".join(text_of(given, where, item, one_line=True).split())  # as what a reader says is compared
        other = seen.get(choice.casefold())
        if other is not None:
            but = "" if other == choice else f", but for its case: {shown_key(other)}"
            raise given.error(f"{where}: {shown_key(choice)} stands there twice{but}", node=item)
        seen[choice.casefold()] = choice
    return tuple(seen.values())


def _format(name: str, given: Given, node: Node) -> str:
    date, format_ = node.fields.get("date"), node.fields.get("format")
    hint = "as of strptime, for example {date: '%Y-%m-%d %H:%M:%S'}"
    if date is None:
        if format_ is not None:
            raise given.error(f"{name}: format without date", hint, format_)
        return ""
    if date.is_true:
        date = format_
    elif format_ is not None:
        raise given.error(f"{name}: the format of the date stands there twice", "date: true, or no format", format_)
    if date is None or not date.is_scalar or not date.text.strip():
        raise given.error(f"{name}: a date without its format", hint)
    written = text_of(given, f"{name}.date", date, one_line=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python about days without a year
            sample = _SAMPLE.strftime(written)
            datetime.strptime(sample, written)  # noqa: DTZ007 - whether the format can be read at all
    except (ValueError, re.error) as error:
        raise given.error(f"{name}: not a format of dates: {error}", hint, date) from error
    if sample == written.replace("%%", "%"):
        raise given.error(f"{name}: not a format of dates: there is no % in {written!r}", hint, date)
    return written


def _support(name: str, given: Given, node: Node, kind: FieldKind) -> Support:
    asked = node.fields.get("support")
    if asked is None:
        return "quoted" if kind == "choice" else "literal"
    if kind in IN_CODE:
        raise given.error(f"{name}: support is asked of a reader, and a {kind} is taken in code", node=asked)
    if asked.text == "literal":
        return "literal"
    if asked.text == "quoted":
        return "quoted"
    hint = suggestion(asked.text[:MAX_NAME], ("literal", "quoted"))
    raise given.error(f"{name}: unknown support {shown_key(asked.text)}", hint, asked)


def _consistent(name: str, given: Given, node: Node, kind: FieldKind, split: Split) -> None:
    """What one key says against another, or against how the text is split."""
    if "unit" in node.fields and "number" not in node.fields:
        raise given.error(f"{name}: unit without number", "{number: true, unit: h}", node.fields["unit"])
    for way, wanted in (("column", "csv"), ("path", "jsonl")):
        if kind == way and split.kind != wanted:
            raise given.error(f"{name}: a {way} needs split: {wanted}, not {split.kind}", node=node.fields[way])
    if kind == "path" and not _PATH.fullmatch(node.fields["path"].text):
        hint = "for example user.name or items[0].id"
        raise given.error(f"{name}: not a path: {node.fields['path'].text!r}", hint, node.fields["path"])


SPLITS: tuple[SplitKind, ...] = ("line", "paragraph", "blank-line", "heading", "csv", "jsonl", "regex", "window")
MAX_WINDOW = 10_000_000


def read_split(given: Given) -> Split:
    """``line``, ``{regex: '...'}`` or ``{window: 2000}``; the latter two also as ``regex: ...`` in one text."""
    node = given.node
    if node.kind == "mapping" and len(node.fields) == 1:
        (kind, value), *_ = node.fields.items()
    elif node.is_scalar:
        kind, colon, rest = node.text.partition(":")
        kind, value = kind.strip(), Node("text", node.line, rest.strip()) if colon else Node("null", node.line)
    else:
        raise given.error("split: must be one word, {regex: '...'} or {window: 2000}", f"known: {', '.join(SPLITS)}")
    known = next((one for one in SPLITS if one == kind), None)
    if known is None:
        raise given.error(f"unknown split {shown_key(kind)}", suggestion(kind[:MAX_NAME], SPLITS))
    if known == "regex":
        return Split("regex", pattern=_beginning(given, value))
    if known == "window":
        return Split("window", size=_size(given, value))
    if value.kind != "null":
        raise given.error(f"split: {kind} takes nothing more", node=value)
    return Split(known)


def _beginning(given: Given, node: Node) -> str:
    if node.kind == "null":
        raise given.error("split: regex needs the pattern with which a record begins", "split: {regex: '...'}")
    pattern, compiled = pattern_of(given, "split", node)
    if compiled.match(""):
        raise given.error("split: the pattern matches nothing at all, so it cuts everywhere", "split: line", node)
    if needs_line_end(pattern):
        hint = "^ is where a line begins; blank lines part records with split: blank-line"
        raise given.error("split: the pattern is matched line by line, and holds a line end", hint, node)
    return pattern


def _size(given: Given, node: Node) -> int:
    text = node.text.replace("_", "")
    size = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if not 1 <= size <= MAX_WINDOW:
        message = f"split: window needs its size in characters, from 1 to {MAX_WINDOW}"
        raise given.error(message, "split: {window: 2000}", node)
    return size
