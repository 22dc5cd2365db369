"""The command of one task, its options made from the factory's keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from gw_core.annotations import described, is_sequence
from gw_core.cli.bench.options import NAMES, Call, bench_options, folder_of
from gw_core.cli.options import Command, Session, gw_command
from gw_core.registry import Registration
from gw_core.schema import Origin, Parameter, Setting, signature_of
from gw_core.template import toml
from gw_core.tomlsource import parse_value

_FLAG = "check"


def task_command(registration: Registration[Any], name: str) -> Command:
    """``gw bench NAME``. A factory that has a function ``check`` gets the flag ``--check``."""
    factory = registration.load()
    parameters = signature_of(factory).settable
    checks = callable(getattr(factory, _FLAG, None))

    def function(session: Session, **options: Any) -> int:
        from gw_core.bench.suite import Spec  # noqa: PLC0415
        from gw_core.cli.bench.running import run_check, run_specs  # noqa: PLC0415

        call = Call.of({one: options.pop(one) for one in NAMES})
        check = options.pop(_FLAG, False)
        spec = Spec(name, name, _settings(options, parameters))
        call = replace(call, named=_named(options, parameters))
        return run_check(session, spec, call) if check else run_specs(session, [spec], call)

    function.__doc__ = _help(registration, factory)
    decorated: Any = bench_options(function)
    if checks:
        decorated = click.option("--check", is_flag=True, help="Only look for broken judgments.")(decorated)
    for one in reversed(list(parameters.values())):
        if one.name not in NAMES:
            decorated = _parameter(one)(decorated)
    return gw_command(name, examples=tuple(getattr(factory, "examples", ())))(decorated)


def _help(registration: Registration[Any], factory: Any) -> str:
    """The first paragraphs of the factory's docstring, or what it was registered with."""
    import inspect  # noqa: PLC0415

    return (inspect.getdoc(factory) or registration.help).replace("``", "'")


def _parameter(one: Parameter) -> Any:
    """A required setting is an argument, a switch a flag, anything else an option that takes text."""
    flag = "--" + one.name.replace("_", "-")
    if one.required:
        return click.argument(one.name, metavar=one.name.upper(), type=click.Path())
    help_text = one.help[:1].upper() + one.help[1:]
    if bool in (one.annotation, *get_args(one.annotation)):
        return click.option(f"{flag}/--no-{flag[2:]}", default=None, help=_with_default(help_text, one))
    return click.option(
        flag, one.name, metavar=_metavar(one), help=_with_default(help_text or described(one.annotation), one)
    )


def _metavar(one: Parameter) -> str:
    name = one.name.upper()
    if is_sequence(one.annotation):
        return f"{name},..."
    return "N" if {int, float} & {one.annotation, *get_args(one.annotation)} else name


def _with_default(text: str, one: Parameter) -> str:
    text = text.rstrip(".")
    if one.default is False or one.default in (None, (), [], ""):
        return f"{text}." if text else ""
    told = ",".join(map(str, one.default)) if isinstance(one.default, list | tuple) else toml(one.default).strip('"')
    return f"{text}; {told} unless said."


def _named(options: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> tuple[Path, ...]:
    """The folders of the paths among the arguments: what lies there may be read, as the user named it."""
    paths = [Path(options[one.name]) for one in parameters.values() if one.required and one.annotation is Path]
    return tuple(folder_of(path) for path in paths)


def _settings(options: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> dict[str, Setting]:
    found = {}
    for name, value in options.items():
        if value is None:
            continue
        flag = name if parameters[name].required else "--" + name.replace("_", "-")
        if isinstance(value, bool):
            found[name] = Setting(value, Origin("flag", text=flag))
        else:
            found[name] = Setting(parse_value(value), Origin("flag", text=f"{flag} {value}"), text=value)
    return found
