"""The mini-language of reductions: ``top 5 owner``, ``sum hours by owner``, ``count where status=beta``.

::

    REDUCER [N] [FIELD [FIELD]] [by FIELD] [per UNIT] [SETTING=VALUE ...] [where FIELD=VALUE]

The same as a mapping: ``{top: owner, n: 5}``, ``{sum: hours, by: owner}``. A reducer is a plugin, and which settings
it takes is told by its factory's keyword arguments: a number fills ``n``, the first name ``field``, the second
``other``. A word in quotes is never a keyword, and ``FIELD=VALUE`` may stand without ``where``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from gw_core.annotations import is_sequence
from gw_core.errors import ConfigError, PluginError, UnknownNameError, UsageError, described
from gw_core.lined import Node, shown_key
from gw_core.records import Field, Reduction
from gw_core.registry import suggestion
from gw_core.schema import FieldOf, Parameter, Setting, Signature, check_settings, signature_of
from gw_core.sweep.checks import MAX_NAME, Given, text_of
from gw_core.tomlsource import parse_value

Factory = Callable[..., Any]
Resolve = Callable[[str], Factory]
"""A reducer's factory by its name, such as ``Registry.resolve``. Raises UnknownNameError."""

_FIELDS = ("field", "other", "by")
_SLOTS = ("field", "other", "fields")
"""Settings that words without a keyword fill, one after another."""
_KEYWORDS = ("by", "per", "where")
_PIECE = re.compile(r"""'(?P<raw>[^']*)'|"(?P<escaped>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s'"]+)""", re.DOTALL)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_PLAIN = re.compile(r"[^\s'\"=]+")
_PLAIN_VALUE = re.compile(r"[^\s'\"]+")


@dataclass(frozen=True, slots=True)
class Use:
    """A field that a setting names, and the kinds of values that the reducer can do something with (none: any)."""

    setting: str
    field: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reduction whose settings fit its reducer; ``uses`` are the fields it names."""

    reduction: Reduction
    uses: tuple[Use, ...]
    given: Given


@dataclass(frozen=True, slots=True)
class _Word:
    """``text`` without quotes; for ``name=value`` also both. ``quoted``: no keyword and no number."""

    text: str
    quoted: bool = False
    name: str = ""
    value: str = ""


def parse_reduction(given: Given, fields: Mapping[str, Field], resolve: Resolve) -> Parsed:
    """A reduction in either form, checked against its reducer and the names of the fields.

    Raises UsageError with the place and the known words. What kinds of values the fields have is not looked at:
    see :func:`check_kinds`.
    """
    if given.node.kind == "mapping" and given.node.fields:
        name, first, rest = _parted(given, resolve)
        words = _words_of(given, name, first)
    else:
        text = text_of(given, "reduce", one_line=True)
        words, rest = _words(given, text), {}
        name = words.pop(0).text
    parser = _Parser(given, name, _factory(given, name, resolve), fields)
    parser.take(words)
    for key, node in rest.items():
        parser.take_key(key, node)
    return parser.parsed()


def check_kinds(parsed: Parsed, fields: Mapping[str, Field], resolve: Resolve) -> Reduction:
    """The reduction, once its fields' values are known to be of kinds that it can reduce and its reducer can be made.

    The values that a ``choice`` allows are handed to a reducer that takes them (``of``), so that one that never
    occurs is counted too.
    """
    given, reduction = parsed.given, parsed.reduction
    for use in parsed.uses:
        kind = value_kind(fields[use.field])
        if use.kinds and kind not in use.kinds:
            wanted = " or ".join(use.kinds)
            way = "{number: true}" if "number" in use.kinds else "{date: '%Y-%m-%d'}"
            raise given.error(
                f"{reduction.text!r}: {reduction.reducer} needs a {wanted}, and {use.field} is a {kind}",
                f"fields: {use.field}: {way}, beside its pattern if it has one",
            )
    _check_condition(parsed, fields)
    factory = resolve(reduction.reducer)
    settings = dict(reduction.settings)
    of = signature_of(factory).settable.get("of")
    field = fields.get(settings.get("field", ""))
    if field is not None and field.choices and of is not None and is_sequence(of.annotation):
        settings.setdefault("of", field.choices)
    _check_made(parsed, factory, settings, fields)
    return Reduction(reduction.reducer, settings, reduction.text, reduction.line)


def value_kind(field: Field) -> str:
    """``number``, ``date`` or ``text``: what the values of a field are."""
    if field.number or field.kind == "number":
        return "number"
    return "date" if field.format else "text"


def usage(name: str, factory: Factory) -> str:
    """How a reduction with this reducer is written: ``tally FIELD [by FIELD] [where FIELD=VALUE]``."""
    signature = signature_of(factory)
    parts = [name]
    shapes = {
        "n": "N",
        "field": "FIELD",
        "other": "FIELD",
        "fields": "FIELD ...",
        "by": "by FIELD",
        "per": "per UNIT",
        "where": "where FIELD=VALUE",
    }
    own = {key: f"{key}=VALUE" for key in sorted(signature.settable) if key not in shapes}
    order = {**{key: shapes[key] for key in shapes if key != "where"}, **own, "where": shapes["where"]}
    for key, shape in order.items():
        parameter = signature.settable.get(key)
        if parameter is not None:
            parts.append(shape if parameter.required else f"[{shape}]")
    return " ".join(parts)


def _factory(given: Given, name: str, resolve: Resolve) -> Factory:
    try:
        return resolve(name)
    except UnknownNameError as error:
        raise given.error(error.message, error.hint) from error


def _parted(given: Given, resolve: Resolve) -> tuple[str, Node, dict[str, Node]]:
    """The reducer of a mapping, what stands beside it, and the other keys. The reducer comes first, but software that
    sorts keys may have written the recipe."""
    fields = dict(given.node.fields)

    def known(name: str) -> bool:
        try:
            resolve(name)
        except UnknownNameError:
            return False
        return True

    names = list(fields)
    found = names[:1] if known(names[0]) else [name for name in names[1:] if known(name)]
    name = found[0] if len(found) == 1 else names[0]
    return name, fields.pop(name), fields


def _words_of(given: Given, name: str, node: Node) -> list[_Word]:
    """``{top: owner}``, ``{join: [status, owner]}``, ``{count: }``."""
    if node.kind == "null":
        return []
    if node.kind == "list":
        return [_Word(text_of(given, name, item, one_line=True), quoted=True) for item in node.items]
    return _words(given, text_of(given, name, node, one_line=True))


def _words(given: Given, text: str) -> list[_Word]:
    words: list[_Word] = []
    position = 0
    while text[position:].strip():
        position += len(text) - position - len(text[position:].lstrip())
        pieces: list[re.Match[str]] = []
        while (piece := _PIECE.match(text, position)) is not None:
            pieces.append(piece)
            position = piece.end()
        if position < len(text) and not text[position].isspace():
            raise given.error(f"{text!r}: a quotation mark is not closed")
        words.append(_word(pieces))
    return words


def _word(pieces: Sequence[re.Match[str]]) -> _Word:
    text = "".join(map(_unquoted, pieces))
    if pieces[0]["bare"] is None:
        return _Word(text, quoted=True)
    name, equals, _ = pieces[0]["bare"].partition("=")
    if not equals:
        return _Word(text)
    return _Word(text, name=name, value=text[len(name) + 1 :])


def _unquoted(piece: re.Match[str]) -> str:
    if piece["escaped"] is not None:
        return re.sub(r"\\(.)", r"\1", piece["escaped"], flags=re.DOTALL)
    return piece["bare"] or piece["raw"] or ""


class _Parser:
    """Words and keys to settings of one factory."""

    def __init__(self, given: Given, name: str, factory: Factory, fields: Mapping[str, Field]) -> None:
        self._given, self._name, self._fields = given, name, fields
        self._factory = factory
        self._signature: Signature = signature_of(factory)
        self._settings: dict[str, Setting] = {}
        self._origin = given.source.origin(given.node.line)

    def take(self, words: Sequence[_Word]) -> None:
        rest = iter(words)
        for word in rest:
            keyword = "" if word.quoted or word.name else word.text
            if keyword in _KEYWORDS:
                following = next(rest, None)
                if following is None:
                    raise self._error(f"nothing follows {keyword!r}")
                self._keyword(keyword, following)
            elif word.name:
                self._assignment(word)
            elif not word.quoted and _NUMBER.fullmatch(word.text) and self._takes("n") and "n" not in self._settings:
                self._set("n", int(word.text))
            else:
                self._positional(word.text)

    def take_key(self, key: str, node: Node) -> None:
        """A key of the mapping form other than the reducer."""
        if key == "where" and node.kind == "mapping" and len(node.fields) == 1:
            ((field, value),) = node.fields.items()
            self._set("where", f"{field}={text_of(self._given, 'where', value, one_line=True)}")
        elif key == "where":
            self.take([_Word("where"), *_words(self._given, text_of(self._given, key, node, one_line=True))])
        elif node.kind == "null":
            raise self._error(f"{key} has no value")
        elif key == "by" and node.is_scalar:
            self._keyword("by", _Word(text_of(self._given, key, node, one_line=True), quoted=True))
        else:
            value, text = self._plain(node)
            self._set(key, value, text)

    def _plain(self, node: Node) -> tuple[Any, str | None]:
        if node.kind == "list":
            return [self._plain(item)[0] for item in node.items], None
        if node.kind == "mapping":
            return {key: self._plain(item)[0] for key, item in node.fields.items()}, None
        if node.kind == "null":
            raise self._error("a setting holds nothing (null)")
        text = text_of(self._given, self._name, node, one_line=True)
        if node.kind == "boolean":
            return node.is_true, text
        return (parse_value(text), text) if node.kind in ("integer", "number") else (text, None)

    def _keyword(self, keyword: str, word: _Word) -> None:
        if keyword == "where":
            if not word.name:
                raise self._error(f"where needs FIELD=VALUE, not {word.text!r}")
            self._set("where", f"{word.name}={word.value}")
        elif keyword == "by" and self._takes("per") and (word.text not in self._fields or not self._takes("by")):
            self._set("per", word.text)  # `timeline time by day`
        else:
            self._set(keyword, word.text)

    def _assignment(self, word: _Word) -> None:
        if word.name in self._signature.settable or (self._signature.open and word.name not in self._fields):
            self._set(word.name, parse_value(word.value), word.value)
        elif word.name in self._fields:
            self._set("where", f"{word.name}={word.value}")
        else:
            known = [*self._signature.settable, *self._fields]
            raise self._error(
                f"no field and no setting {shown_key(word.name)}", suggestion(word.name[:MAX_NAME], known)
            )

    def _positional(self, text: str) -> None:
        for slot in _SLOTS:
            if not self._takes(slot):
                continue
            parameter = self._signature.settable.get(slot)
            if parameter is not None and is_sequence(parameter.annotation):
                before = self._settings.get(slot)
                self._settings[slot] = Setting([*(before.value if before else []), text], self._origin)
                return
            if slot not in self._settings:
                self._set(slot, text)
                return
        raise self._error(f"{text!r} is a word too many", f"the form is: {usage(self._name, self._factory)}")

    def _takes(self, setting: str) -> bool:
        return setting in self._signature.settable or self._signature.open

    def _set(self, key: str, value: Any, text: str | None = None) -> None:
        if key in self._settings:
            raise self._error(f"{key} stands there twice")
        if not self._takes(key):
            takes = f"the form is: {usage(self._name, self._factory)}"
            raise self._error(f"{self._name} takes no {key[:MAX_NAME]}", takes)
        parameter = self._signature.settable.get(key)
        if parameter is not None and parameter.trusted_only and self._given.source.path is not None:
            raise self._error(f"a recipe's file cannot set {key}", "give the reduction on the command line: --reduce")
        self._settings[key] = Setting(value, self._origin, text)

    def parsed(self) -> Parsed:
        missing = [key for key, one in self._signature.settable.items() if one.required and key not in self._settings]
        if missing:
            raise self._error(f"{self._name} needs a {missing[0]}", f"the form is: {usage(self._name, self._factory)}")
        try:
            settings = check_settings(self._factory, self._settings, section=self._name, origin=self._origin)
        except ConfigError as error:
            raise UsageError(error.message, hint=error.hint) from error
        text = _canonical(self._name, settings, self._signature)
        uses = tuple(self._uses(settings))
        return Parsed(Reduction(self._name, settings, text, self._given.node.line), uses, self._given)

    def _uses(self, settings: Mapping[str, Any]) -> Iterator[Use]:
        for key, value in settings.items():
            parameter = self._signature.settable.get(key)
            mark = _field_mark(key, parameter)
            if mark is None or value is None:
                continue
            for name in [value] if isinstance(value, str) else value:
                self._check_field(name)
                yield Use(key, name, mark.kinds)
        if isinstance(settings.get("where"), str):
            self._check_field(settings["where"].partition("=")[0])

    def _check_field(self, name: str) -> None:
        if name not in self._fields:
            raise self._error(f"there is no field {shown_key(str(name))}", _known_fields(name, self._fields))

    def _error(self, message: str, hint: str = "") -> UsageError:
        return self._given.error(f"reduce: {message}", hint)


def _known_fields(name: str, fields: Mapping[str, Field]) -> str:
    return suggestion(str(name)[:MAX_NAME], fields) if fields else "the recipe has no fields"


def _field_mark(key: str, parameter: Parameter | None) -> FieldOf | None:
    """What a setting that names a field says about it; None for any other setting."""
    marks = [one for one in parameter.extras if isinstance(one, FieldOf)] if parameter is not None else []
    if marks:
        return marks[0]
    return FieldOf() if key in (*_FIELDS, "fields") else None


def _check_condition(parsed: Parsed, fields: Mapping[str, Field]) -> None:
    condition = parsed.reduction.settings.get("where")
    if not isinstance(condition, str):
        return
    name, _, value = condition.partition("=")
    field = fields[name]
    if not value.strip():
        raise parsed.given.error(f"reduce: nothing follows {name}=")
    if field.choices and value not in field.choices:
        raise parsed.given.error(f"reduce: {name} is never {value!r}", suggestion(value[:MAX_NAME], field.choices))


def _check_made(parsed: Parsed, factory: Factory, settings: Mapping[str, Any], fields: Mapping[str, Field]) -> None:
    """Settings may fit one by one and yet not each other; and only the reducer itself knows all that it reads."""
    given = parsed.given
    try:
        read = list(factory(**settings).fields)
    except ValueError as error:
        raise given.error(f"reduce: {parsed.reduction.text!r}: {error}") from error
    except UsageError as error:
        raise given.error(f"reduce: {parsed.reduction.text!r}: {error.message}", error.hint) from error
    except Exception as error:
        raise PluginError(f"reducer {parsed.reduction.reducer!r} cannot be made: {described(error)}") from error
    for name in read:
        if name not in fields:
            raise given.error(f"reduce: there is no field {shown_key(str(name))}", _known_fields(name, fields))


def _canonical(name: str, settings: Mapping[str, Any], signature: Signature) -> str:
    """The one spelling of a reduction, which parses to it again."""
    rest = dict(settings)
    parts = [_quoted(name)]
    if type(rest.get("n")) is int and 0 <= rest["n"] < 10**18:
        parts.append(str(rest.pop("n")))
    for slot in _SLOTS:
        value = rest.pop(slot, None)
        parts += [_quoted(one) for one in ([value] if isinstance(value, str) else value or [])]
    parts += [f"{key} {_quoted(rest.pop(key))}" for key in ("by", "per") if isinstance(rest.get(key), str)]
    where = rest.pop("where", None) if isinstance(rest.get("where"), str) else None
    parts += [f"{key}={_value(rest[key], signature.settable.get(key))}" for key in sorted(rest)]
    if where is not None:
        field, _, value = where.partition("=")
        parts.append(f"where {field}={_quoted_value(value)}")
    return " ".join(parts)


def _quoted(word: str) -> str:
    """A word that is no keyword, as it stands or in quotes."""
    plain = _PLAIN.fullmatch(word) and word not in _KEYWORDS and not _NUMBER.fullmatch(word)
    return word if plain else _in_quotes(word)


def _quoted_value(value: str) -> str:
    return value if _PLAIN_VALUE.fullmatch(value) else _in_quotes(value)


def _in_quotes(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _value(value: Any, parameter: Parameter | None) -> str:
    """A setting as TOML that :func:`gw_core.tomlsource.parse_value` reads; text without quotes where it can."""
    is_text = isinstance(value, str) and (parameter is None or not is_sequence(parameter.annotation))
    if is_text and parse_value(value) == value:
        return _quoted_value(value)
    return _quoted_value(_toml(value))


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(str(key))} = {_toml(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, set | frozenset):
        return "[" + ", ".join(sorted(map(_toml, value))) + "]"
    text = str(value) if isinstance(value, str | PurePath) else str(getattr(value, "value", value))
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub("[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", escaped) + '"'
