"""The settings of a component: the keyword arguments of its factory, checked by their annotations.

Understood are ``str``, ``int``, ``float``, ``bool``, ``Path``, ``Literal``, enumerations, lists, tuples and sets of
these, ``dict[str, ...]``, unions and ``None``. A parameter annotated with a protocol of :mod:`gw_core.protocols` takes
the name of a configured component, a list of them a list of names; one annotated with ``Index`` is never a setting:
the pipeline hands it over. ``Annotated`` adds :class:`Range`, :class:`Help`, :class:`FieldOf` or
:data:`TRUSTED_ONLY`.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gw_core.annotations import (
    INDEX,
    MismatchError,
    component_of,
    converted,
    described,
    extras_of,
    hints_of,
    is_sequence,
    name_of,
    without_extras,
)
from gw_core.errors import ConfigError, PluginError
from gw_core.registry import suggestion
from gw_core.tomlsource import parse_value

__all__ = [
    "DEFAULT",
    "INDEX",
    "TRUSTED_ONLY",
    "FieldOf",
    "Help",
    "Origin",
    "Parameter",
    "Range",
    "Setting",
    "Signature",
    "check_settings",
    "components_of",
    "convert",
    "names_variable",
    "signature_of",
    "unknown_key",
    "untrusted",
]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from. ``layer`` is default, user, project, environment or flag."""

    layer: str = "default"
    path: Path | None = None
    line: int = 0
    text: str = ""

    @property
    def trusted(self) -> bool:
        """Said by the user of this machine, and not by a file that came with the project."""
        return self.layer != "project"

    @property
    def folder(self) -> Path:
        """What relative paths are relative to: the file's folder, or else the working directory."""
        return self.path.parent if self.path else Path.cwd()

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.path else self.text or self.layer


DEFAULT = Origin()


@dataclass(frozen=True, slots=True)
class Setting:
    """A value as it was written, and where. ``text`` is what was typed on the command line and then read as TOML."""

    value: Any
    origin: Origin = DEFAULT
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """``Annotated[int, Range(1)]``: a number's bounds, both inclusive."""

    least: float | None = None
    most: float | None = None

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"between {self.least} and {self.most}"
        return f"{self.least} or more" if self.least is not None else f"{self.most} or less"

    def holds(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


@dataclass(frozen=True, slots=True)
class Help:
    """``Annotated[int, Help("...")]``: what a setting does, in a few words for a table or an option's help."""

    text: str


@dataclass(frozen=True, slots=True)
class FieldOf:
    """``Annotated[str, FieldOf(("number",))]``: a setting of a reducer that names a field of a recipe, and the kinds of
    values that will do: ``number``, ``date``, ``text``; none: any. ``field``, ``other`` and ``by`` name fields anyway.
    """

    kinds: tuple[str, ...] = ()


class _TrustedOnly:
    def __repr__(self) -> str:
        return "TRUSTED_ONLY"


TRUSTED_ONLY = _TrustedOnly()
"""``Annotated[str, TRUSTED_ONLY]``: marks a setting that makes code run or text leave the machine, such as a command
line or a module to import. In a project's gw.toml it is ignored with a warning."""


def names_variable(key: str) -> bool:
    """Whether a setting, by its name, names an environment variable: one that holds a secret, as like as not."""
    return key.lower().endswith("_env")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One keyword argument of a factory."""

    name: str
    annotation: Any
    required: bool
    default: Any = None
    component: str | None = None
    """The kind of component to inject, such as ``"backends"``, or :data:`INDEX`; None for a plain setting."""
    many: bool = False
    """A list of components is wanted."""
    extras: tuple[object, ...] = ()

    @property
    def help(self) -> str:
        return next((one.text for one in self.extras if isinstance(one, Help)), "")

    @property
    def trusted_only(self) -> bool:
        return names_variable(self.name) or any(one is TRUSTED_ONLY for one in self.extras)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a factory takes. ``open``: it has ``**kwargs`` and so takes settings of any name."""

    parameters: Mapping[str, Parameter]
    open: bool = False

    @property
    def settable(self) -> dict[str, Parameter]:
        return {name: one for name, one in self.parameters.items() if one.component != INDEX}


@functools.lru_cache(maxsize=256)
def signature_of(factory: Callable[..., Any]) -> Signature:
    """The parameters of a class, function or partial. Raises :class:`PluginError` if they can't be told."""
    function = factory.func if isinstance(factory, functools.partial) else factory
    try:
        signature = inspect.signature(factory)
        hints = hints_of(_annotated_part(function))
    except (TypeError, ValueError, NameError, AttributeError) as error:
        raise PluginError(f"the settings of {name_of(factory)} cannot be told: {error}") from error
    parameters = {}
    is_open = False
    for name, one in signature.parameters.items():
        if one.kind in (one.VAR_POSITIONAL, one.POSITIONAL_ONLY):
            continue
        if one.kind is one.VAR_KEYWORD:
            is_open = True
            continue
        annotation, _ = without_extras(hints.get(name, Any))
        extras = extras_of(hints.get(name, Any))
        component, many = component_of(annotation)
        required = one.default is one.empty
        default = None if required else one.default
        parameters[name] = Parameter(name, annotation, required, default, component, many, extras)
    return Signature(parameters, is_open)


def _annotated_part(function: Any) -> Any:
    """Where the annotations of a factory stand: a class keeps them at ``__init__``, another object at ``__call__``."""
    if inspect.isclass(function):
        return function.__init__
    return function if inspect.isroutine(function) else type(function).__call__


def components_of(factory: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters that the pipeline fills: those annotated with a protocol, and index handles."""
    return {name: one for name, one in signature_of(factory).parameters.items() if one.component is not None}


def check_settings(
    factory: Callable[..., Any],
    settings: Mapping[str, Setting],
    *,
    section: str,
    origin: Origin = DEFAULT,
    warn: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """The keyword arguments for ``factory``, converted and checked; names of components stay names.

    ``section`` (``"readers.local"``) and ``origin`` (of the section itself) are for messages. A setting that only
    counts from a trusted origin is left out, and ``warn`` is told. Raises :class:`ConfigError` for an unknown key, a
    value of the wrong type, and a required setting that is missing.
    """
    signature = signature_of(factory)
    known = signature.settable
    kwargs: dict[str, Any] = {}
    for name, setting in settings.items():
        parameter = known.get(name)
        if parameter is None:
            if not signature.open:
                raise unknown_key(section, name, known, setting.origin)
            parameter = Parameter(name, Any, required=False)
        if parameter.trusted_only and not setting.origin.trusted:
            if warn is not None:
                warn(untrusted(f"{section}.{name}", setting.origin))
            continue
        kwargs[name] = convert(parameter, setting, f"{section}.{name}")
    missing = [name for name, one in known.items() if one.required and name not in kwargs]
    if missing:
        raise ConfigError(
            f"{origin}: [{section}] needs the setting {missing[0]!r}",
            hint=f"{missing[0]} = {described(known[missing[0]].annotation)}",
        )
    return kwargs


def unknown_key(section: str, name: str, known: Iterable[str], origin: Origin) -> ConfigError:
    """The error for a key that a section does not have."""
    return ConfigError(f"{origin}: unknown key {name!r} in [{section}]", hint=suggestion(name, known))


def untrusted(key: str, origin: Origin) -> str:
    """The warning for a setting that a project file may not make."""
    return f"{origin}: {key} is ignored: a project's file cannot set it, only your own config file, -o or GW_OPTIONS"


def convert(parameter: Parameter, setting: Setting, key: str) -> Any:
    """One value as its parameter wants it. Raises :class:`ConfigError` that says what was expected."""
    origin = setting.origin
    try:
        result = _first_that_fits(parameter.annotation, _readings(parameter, setting), origin.folder)
    except MismatchError as error:
        raise ConfigError(f"{origin}: {key} must be {described(parameter.annotation)}, not {error}") from None
    except TypeError as error:
        raise PluginError(f"{key} cannot be set in gw.toml: {error}") from error
    for bounds in parameter.extras:
        if isinstance(bounds, Range) and isinstance(result, int | float) and not bounds.holds(result):
            raise ConfigError(f"{origin}: {key} must be {bounds}, not {result}")
    return result


def _readings(parameter: Parameter, setting: Setting) -> list[Any]:
    """What a value may mean, the likeliest first: on the command line, a list may be written with commas, and text
    may look like a number. The last one is what a message is about."""
    value = setting.value
    if setting.origin.layer not in ("flag", "environment"):
        return [value]
    if not isinstance(value, str):
        if setting.text is None or not isinstance(value, int | float):
            return [value]
        several = is_sequence(parameter.annotation)
        return [value, *([[setting.text], [value]] if several else [setting.text]), value]
    if not is_sequence(parameter.annotation):
        return [value]
    parts = [part.strip() for part in value.split(",") if part.strip()]
    return [parts, [parse_value(part) for part in parts]]


def _first_that_fits(annotation: Any, readings: Sequence[Any], folder: Path) -> Any:
    for reading in readings[:-1]:
        with contextlib.suppress(MismatchError):
            return converted(annotation, reading, folder)
    return converted(annotation, readings[-1], folder)
