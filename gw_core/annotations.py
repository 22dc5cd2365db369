"""What a factory's annotations mean to gw.toml: which TOML values fit one, what becomes of them, how to say it."""

from __future__ import annotations

import collections.abc
import contextlib
import enum
import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

INDEX = "index"
"""The kind, as :func:`component_of` says it, of a parameter that takes an index handle."""

_SEQUENCES: dict[Any, Callable[[list[Any]], Any]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.abc.Sequence: list,
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
}
_MAPPINGS = (dict, collections.abc.Mapping)
_UNIONS = (typing.Union, types.UnionType)
_WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    Path: "a path",
}
_SEVERAL: dict[Any, str] = {int: "whole numbers", float: "numbers", Path: "paths"}


class MismatchError(Exception):
    """A value that does not fit an annotation; the message describes the value."""


def without_extras(annotation: Any) -> tuple[Any, tuple[object, ...]]:
    """``Annotated[int, x, y]`` -> ``int, (x, y)``."""
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *extras = typing.get_args(annotation)
        return inner, tuple(extras)
    return annotation, ()


def extras_of(annotation: Any) -> tuple[object, ...]:
    """What ``Annotated`` adds to an annotation or to a member of its union. Python 3.10 itself makes a union of
    ``x: Annotated[...] = None``, and a mark must not get lost in it."""
    inner, extras = without_extras(annotation)
    if typing.get_origin(inner) in _UNIONS:
        return extras + tuple(one for member in typing.get_args(inner) for one in extras_of(member))
    return extras


def hints_of(function: Any) -> dict[str, Any]:
    """Resolved annotations. The protocols' names are known even where a module imports them for type checkers only."""
    names = {protocol.__name__: protocol for protocol in _protocols()} | {"Path": Path}
    module_names = getattr(inspect.unwrap(function), "__globals__", {})
    return typing.get_type_hints(function, {**names, **module_names}, include_extras=True)


def component_of(annotation: Any) -> tuple[str | None, bool]:
    """The kind of component that an annotation asks for (``"backends"``, :data:`INDEX`), and whether for several."""
    kind, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if kind in _UNIONS:
        found = [component_of(without_extras(one)[0]) for one in arguments if one is not type(None)]
        return found[0] if len(found) == 1 else (None, False)
    if kind in _SEQUENCES and arguments:
        inner, _ = component_of(without_extras(arguments[0])[0])
        return (inner, True) if inner not in (None, INDEX) else (None, False)
    return _protocols().get(annotation) if inspect.isclass(annotation) else None, False


def is_sequence(annotation: Any) -> bool:
    """Whether a TOML array fits."""
    annotation, _ = without_extras(annotation)
    if typing.get_origin(annotation) in _UNIONS:
        return any(map(is_sequence, typing.get_args(annotation)))
    return annotation in _SEQUENCES or typing.get_origin(annotation) in _SEQUENCES


def converted(annotation: Any, value: Any, folder: Path) -> Any:
    """``value`` as the annotation wants it; relative paths are relative to ``folder``.

    Raises :class:`MismatchError` for a value that does not fit, and :class:`TypeError` for an annotation that no TOML
    value fits.
    """
    annotation, _ = without_extras(annotation)
    kind = typing.get_origin(annotation)
    if annotation in (Any, object, inspect.Parameter.empty):
        return value
    if kind in _UNIONS:
        return _first(typing.get_args(annotation), value, folder)
    if is_sequence(annotation):
        return _sequence(annotation, value, folder)
    if kind in _MAPPINGS or annotation in _MAPPINGS:
        return _mapping(annotation, value, folder)
    return _scalar(annotation, value, folder)


def _first(choices: tuple[Any, ...], value: Any, folder: Path) -> Any:
    wanted = [choice for choice in choices if choice is not type(None)]
    if len(wanted) == 1:
        return converted(wanted[0], value, folder)
    # An int for `float | int` stays one: exact types are tried before those that convert.
    for choice in sorted(wanted, key=lambda one: one is not type(value)):
        with contextlib.suppress(MismatchError):
            return converted(choice, value, folder)
    raise MismatchError(repr(value))


def _sequence(annotation: Any, value: Any, folder: Path) -> Any:
    if not isinstance(value, list | tuple):
        raise MismatchError(repr(value))
    build = _SEQUENCES[typing.get_origin(annotation) or annotation]
    arguments = typing.get_args(annotation)
    if build is tuple and arguments and Ellipsis not in arguments:
        if len(arguments) != len(value):
            raise MismatchError(f"{len(value)} of them")
        return tuple(converted(one, item, folder) for one, item in zip(arguments, value, strict=True))
    return build([converted(arguments[0] if arguments else Any, item, folder) for item in value])


def _mapping(annotation: Any, value: Any, folder: Path) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise MismatchError(repr(value))
    arguments = typing.get_args(annotation)
    inner = arguments[1] if len(arguments) == 2 else Any
    return {str(key): converted(inner, item, folder) for key, item in value.items()}


def _scalar(annotation: Any, value: Any, folder: Path) -> Any:
    if component_of(annotation)[0] is not None:
        annotation = str  # the name of a component
    if annotation is Path and isinstance(value, str) and value:
        return folder / Path(value).expanduser()
    if annotation is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    for choice, result in _choices(annotation):
        if choice == value and type(choice) is type(value):
            return result
    if annotation in (str, int, float, bool):
        if type(value) is annotation:
            return value
    elif annotation is not Path and not _choices(annotation):
        raise TypeError(f"no TOML value is a {described(annotation)}")
    raise MismatchError(repr(value))


def _choices(annotation: Any) -> list[tuple[Any, Any]]:
    """What may be written, and what each becomes: of a Literal or an enumeration."""
    if typing.get_origin(annotation) is typing.Literal:
        return [(one, one) for one in typing.get_args(annotation)]
    if inspect.isclass(annotation) and issubclass(annotation, enum.Enum):
        return [(one.value, one) for one in annotation]
    return []


def described(annotation: Any) -> str:
    """A type in the words of somebody who writes TOML."""
    annotation, _ = without_extras(annotation)
    component, many = component_of(annotation)
    arguments = [one for one in typing.get_args(annotation) if one not in (Ellipsis, type(None))]
    if component:
        text = f"a list of names of {component}" if many else f"the name of one of the {component}"
    elif typing.get_origin(annotation) in _UNIONS:
        text = " or ".join(described(one) for one in arguments)
    elif _choices(annotation):
        text = "one of " + ", ".join(repr(choice) for choice, _ in _choices(annotation))
    elif is_sequence(annotation):
        text = f"a list of {_SEVERAL.get(arguments[0]) or described(arguments[0])}" if arguments else "a list"
    elif annotation in _MAPPINGS or typing.get_origin(annotation) in _MAPPINGS:
        text = "a table"
    else:
        text = _WORDS.get(annotation) or name_of(annotation)
    return text


def name_of(thing: Any) -> str:
    return str(getattr(thing, "__qualname__", None) or thing)


@functools.cache
def _protocols() -> dict[type, str]:
    from gw_core import protocols  # noqa: PLC0415 - it imports apsw, which `gw --help` has no need of

    return {
        protocols.Loader: "loaders",
        protocols.Chunker: "chunkers",
        protocols.Backend: "backends",
        protocols.Encoder: "encoders",
        protocols.Expander: "expanders",
        protocols.Reranker: "rerankers",
        protocols.Reader: "readers",
        protocols.Verifier: "verifiers",
        protocols.Reducer: "reducers",
        protocols.Executor: "executors",
        protocols.Index: INDEX,
    }
