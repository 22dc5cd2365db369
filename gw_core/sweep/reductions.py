"""The mini-language of reductions: ``top 5 owner``, ``sum hours by owner``, ``count where status=beta``.

::

    REDUCER [N] [FIELD [FIELD]] [by FIELD] [per UNIT] [SETTING=VALUE ...] [where FIELD=VALUE]

The same as a mapping: ``{top: owner, n: 5}``, ``{sum: hours, by: owner}``. A reducer is a plugin, and which settings
it takes is told by its factory's keyword arguments: a number fills ``n``, the first name ``field``, the second
``other``. A word in quotes is never a keyword, and ``FIELD=VALUE`` may stand without ``where``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gw_core.annotations import is_sequence
from gw_core.errors import ConfigError, UnknownNameError, UsageError
from gw_core.lined import Node, shown_key
from gw_core.records import Field, Reduction
from gw_core.registry import suggestion
from gw_core.schema import FieldOf, Parameter, Setting, Signature, check_settings, signature_of
from gw_core.sweep.checks import MAX_NAME, Given, text_of
from gw_core.sweep.words import KEYWORDS, NUMBER, SLOTS, Word, canonical, names_in, words_of
from gw_core.tomlsource import parse_value

Factory = Callable[..., Any]
Resolve = Callable[[str], Factory]
"""A reducer's factory by its name, such as ``Registry.resolve``. Raises UnknownNameError."""

_FIELDS = ("field", "other", "by")


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


def parse_reduction(given: Given, fields: Mapping[str, Field], resolve: Resolve) -> Parsed:
    """A reduction in either form, checked against its reducer and the names of the fields.

    Raises UsageError with the place and the known words. What kinds of values the fields have is not looked at:
    see :func:`gw_core.sweep.fitting.check_kinds`.
    """
    if given.node.kind == "mapping" and given.node.fields:
        name, first, rest = _parted(given, resolve)
        words = _beside(given, name, first)
    else:
        text = text_of(given, "reduce", one_line=True)
        words, rest = words_of(given, text), {}
        name = words.pop(0).text
    parser = _Parser(given, name, _factory(given, name, resolve), fields)
    parser.take(words)
    for key, node in rest.items():
        parser.take_key(key, node)
    return parser.parsed()


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


def _beside(given: Given, name: str, node: Node) -> list[Word]:
    """``{top: owner}``, ``{join: [status, owner]}``, ``{count: }``."""
    if node.kind == "null":
        return []
    if node.kind == "list":
        return [Word(text_of(given, name, item, one_line=True), quoted=True) for item in node.items]
    return words_of(given, text_of(given, name, node, one_line=True))


class _Parser:
    """Words and keys to settings of one factory."""

    def __init__(self, given: Given, name: str, factory: Factory, fields: Mapping[str, Field]) -> None:
        self._given, self._name, self._fields = given, name, fields
        self._factory = factory
        self._signature: Signature = signature_of(factory)
        self._settings: dict[str, Setting] = {}
        self._origin = given.source.origin(given.node.line)

    def take(self, words: Sequence[Word]) -> None:
        rest = iter(words)
        for word in rest:
            keyword = "" if word.quoted or word.name else word.text
            if keyword in KEYWORDS:
                following = next(rest, None)
                if following is None:
                    raise self._error(f"nothing follows {keyword!r}")
                self._keyword(keyword, following)
            elif word.name:
                self._assignment(word)
            elif not word.quoted and NUMBER.fullmatch(word.text) and self._takes("n") and "n" not in self._settings:
                self._set("n", int(word.text))
            else:
                self._positional(word.text)

    def take_key(self, key: str, node: Node) -> None:
        """A key of the mapping form other than the reducer."""
        if key == "where" and node.kind == "mapping" and len(node.fields) == 1:
            ((field, value),) = node.fields.items()
            self._where(field, text_of(self._given, "where", value, one_line=True))
        elif key == "where":
            self.take([Word("where"), *words_of(self._given, text_of(self._given, key, node, one_line=True))])
        elif node.kind == "null":
            raise self._error(f"{key} has no value")
        elif key == "by" and node.is_scalar:
            self._keyword("by", Word(text_of(self._given, key, node, one_line=True), quoted=True))
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

    def _keyword(self, keyword: str, word: Word) -> None:
        if keyword == "where":
            if not word.name:
                raise self._error(f"where needs FIELD=VALUE, not {shown_key(word.text)}")
            self._where(word.name, word.value)
        elif keyword == "by" and self._takes("per") and (word.text not in self._fields or not self._takes("by")):
            self._set("per", word.text)  # `timeline time by day`
        else:
            self._set(keyword, word.text)

    def _assignment(self, word: Word) -> None:
        if word.name in self._signature.settable or (self._signature.open and word.name not in self._fields):
            self._set(word.name, parse_value(word.value), word.value)
        elif word.name in self._fields:
            self._where(word.name, word.value)
        else:
            known = [*self._signature.settable, *self._fields]
            raise self._error(
                f"no field and no setting {shown_key(word.name)}", suggestion(word.name[:MAX_NAME], known)
            )

    def _where(self, field: str, value: str) -> None:
        self._set("where", f"{field}={value.strip()}")

    def _positional(self, text: str) -> None:
        slots = [slot for slot in SLOTS if slot in self._signature.settable]
        for slot in slots or (SLOTS if self._signature.open else ()):
            parameter = self._signature.settable.get(slot)
            if parameter is not None and is_sequence(parameter.annotation):
                before = self._settings.get(slot)
                self._settings[slot] = Setting([*(before.value if before else []), text], self._origin)
                return
            if slot not in self._settings:
                self._set(slot, text)
                return
        raise self._error(f"{shown_key(text)} is a word too many", f"the form is: {usage(self._name, self._factory)}")

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
            raise self._error(f"{self._name} needs {missing[0]}", f"the form is: {usage(self._name, self._factory)}")
        try:
            settings = check_settings(self._factory, self._settings, section=self._name, origin=self._origin)
        except ConfigError as error:
            raise UsageError(error.message, hint=error.hint) from error
        text = canonical(self._name, settings, self._signature)
        uses = tuple(self._uses(settings))
        return Parsed(Reduction(self._name, settings, text, self._given.node.line), uses, self._given)

    def _uses(self, settings: Mapping[str, Any]) -> Iterator[Use]:
        for key, value in settings.items():
            parameter = self._signature.settable.get(key)
            mark = _field_mark(key, parameter)
            if mark is None:
                continue
            for name in names_in(value):
                self._check_field(name)
                yield Use(key, name, mark.kinds)
        if isinstance(settings.get("where"), str):
            self._check_field(settings["where"].partition("=")[0])

    def _check_field(self, name: str) -> None:
        if name not in self._fields:
            raise self._error(f"there is no field {shown_key(str(name))}", known_fields(name, self._fields))

    def _error(self, message: str, hint: str = "") -> UsageError:
        return self._given.error(f"reduce: {message}", hint)


def known_fields(name: str, fields: Mapping[str, Field]) -> str:
    return suggestion(str(name)[:MAX_NAME], fields) if fields else "the recipe has no fields"


def _field_mark(key: str, parameter: Parameter | None) -> FieldOf | None:
    """What a setting that names a field says about it; None for any other setting."""
    marks = [one for one in parameter.extras if isinstance(one, FieldOf)] if parameter is not None else []
    if marks:
        return marks[0]
    return FieldOf() if key in (*_FIELDS, "fields") else None
