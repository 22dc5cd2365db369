"""Whether a reduction fits its fields: the kinds of their values, its condition, and what its reducer says itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from gw_core.annotations import is_sequence
from gw_core.errors import PluginError, UsageError, described
from gw_core.lined import shown_key
from gw_core.records import Field, Reduction
from gw_core.registry import suggestion
from gw_core.schema import signature_of
from gw_core.sweep.checks import MAX_NAME
from gw_core.sweep.reductions import Factory, Parsed, Resolve, known_fields
from gw_core.sweep.words import names_in

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def check_kinds(parsed: Parsed, fields: Mapping[str, Field], resolve: Resolve) -> Reduction:
    """The reduction, once its fields' values are known to be of kinds that it can reduce and its reducer can be made.

    The values that a ``choice`` allows are handed to a reducer that takes them (``of``), so that one that never
    occurs is counted too.
    """
    given, reduction = parsed.given, parsed.reduction
    for use in parsed.uses:
        kind = value_kind(fields[use.field])
        if use.kinds and kind and kind not in use.kinds:
            wanted = " or ".join(use.kinds)
            way = "{number: true}" if "number" in use.kinds else "{date: '%Y-%m-%d'}"
            raise given.error(
                f"reduce: {reduction.reducer} needs a {wanted}, and {use.field} is a {kind}",
                f"fields: {use.field}: {way}, beside its pattern if it has one",
            )
    _check_condition(parsed, fields)
    factory = resolve(reduction.reducer)
    settings = dict(reduction.settings)
    of = signature_of(factory).settable.get("of")
    named = names_in(settings.get("field"))
    field = fields.get(named[0]) if len(named) == 1 else None
    if field is not None and field.choices and of is not None and is_sequence(of.annotation):
        settings.setdefault("of", field.choices)
    _check_made(parsed, factory, settings, fields)
    return Reduction(reduction.reducer, settings, reduction.text, reduction.line)


def value_kind(field: Field) -> str:
    """``number``, ``date`` or ``text``: what the values of a field are. Empty: text that was taken in code, which may
    well say a number or a date; the reducer counts what does not."""
    if field.number or field.kind == "number":
        return "number"
    if field.format:
        return "date"
    return "" if field.in_code else "text"


def _check_condition(parsed: Parsed, fields: Mapping[str, Field]) -> None:
    condition = parsed.reduction.settings.get("where")
    if not isinstance(condition, str):
        return
    name, _, value = condition.partition("=")
    field = fields[name]
    wrong, hint = "", ""
    if not value:
        wrong, hint = f"nothing follows {name}=", "where FIELD=VALUE"
    elif field.choices and value not in field.choices:
        wrong, hint = f"{name} is never {shown_key(value)}", suggestion(value[:MAX_NAME], field.choices)
    elif value_kind(field) == "number" and not _is_number(value):
        wrong, hint = f"{name} is a number, and {shown_key(value)} is none", f"where {name}=5"
    elif value_kind(field) == "date" and not _is_date(value):
        wrong, hint = f"{name} is a date, and {shown_key(value)} is none", f"in ISO form: where {name}=2024-05-01"
    if wrong:
        raise parsed.given.error(f"reduce: {wrong}", hint)


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except ArithmeticError:
        return False


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return _DAY.match(text) is not None  # newer Pythons read shorter forms too


def _check_made(parsed: Parsed, factory: Factory, settings: Mapping[str, Any], fields: Mapping[str, Field]) -> None:
    """Settings may fit one by one and yet not each other; and only the reducer itself knows all that it reads."""
    given = parsed.given
    try:
        read = list(factory(**settings).fields)
    except ValueError as error:
        raise given.error(f"reduce: {shown_key(parsed.reduction.text)}: {error}") from error
    except UsageError as error:
        raise given.error(f"reduce: {shown_key(parsed.reduction.text)}: {error.message}", error.hint) from error
    except Exception as error:
        raise PluginError(f"reducer {parsed.reduction.reducer!r} cannot be made: {described(error)}") from error
    for name in read:
        if name not in fields:
            raise given.error(f"reduce: there is no field {shown_key(str(name))}", known_fields(name, fields))
