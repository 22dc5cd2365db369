"""Reading the configuration: defaults, the user's file, the project's gw.toml, the environment, flags; later ones win.

Every value remembers where it came from. Everything wrong is a :class:`~gw_core.errors.ConfigError` that names file
and line. A project's gw.toml may come from a stranger, so what lets text leave the machine, names a key, or makes code
run counts only from the other places; in a project's file it is ignored, and ``Config.warnings`` says so.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gw_core.errors import ConfigError
from gw_core.layers import ComponentConfig, Layers
from gw_core.schema import DEFAULT, Origin, check_settings
from gw_core.settings import (
    SECTIONS,
    AskSettings,
    BenchSettings,
    CorpusSettings,
    IngestSettings,
    NetworkSettings,
    RetrieveSettings,
    SweepSettings,
)
from gw_core.tomlsource import read

FILE_NAME = "gw.toml"


@dataclass(frozen=True, slots=True)
class Source:
    """One line of ``gw config``: a key, its value, and where the value came from."""

    key: str
    value: Any
    origin: Origin


@dataclass(frozen=True)
class Config:
    """The configuration of one run. Get one from :meth:`load`; ``Config()`` holds the defaults."""

    root: Path | None = None
    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    ingest: IngestSettings = field(default_factory=IngestSettings)
    retrieve: RetrieveSettings = field(default_factory=RetrieveSettings)
    ask: AskSettings = field(default_factory=AskSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    sweep: SweepSettings = field(default_factory=SweepSettings)
    bench: BenchSettings = field(default_factory=BenchSettings)
    components: Mapping[tuple[str, str], ComponentConfig] = field(default_factory=dict)
    """The configured components by kind and name."""
    files: tuple[Path, ...] = ()
    """The files that were read."""
    warnings: list[str] = field(default_factory=list)
    """Settings that were ignored, one line each; :meth:`settings_of` adds to them."""
    _origins: Mapping[tuple[str, str], Origin] = field(default_factory=dict, repr=False)

    @classmethod
    def load(
        cls,
        root: Path | None,
        *,
        overrides: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> Config:
        """Read all layers. ``root`` is the folder whose gw.toml is the project's; ``overrides`` are ``-o`` flags.

        ``env`` (``os.environ``) may hold GW_CONFIG (the user's file elsewhere, or none if empty), GW_ALLOW_HOSTS
        (comma-separated) and GW_OPTIONS (``key=value`` pairs as for ``-o``, separated as in a shell).
        """
        environment = os.environ if env is None else env
        layers = Layers()
        for layer, path in _files(root, environment):
            layers.add_file(read(path), layer)
        if environment.get("GW_ALLOW_HOSTS"):
            origin = Origin("environment", text="GW_ALLOW_HOSTS")
            layers.add(("network", "allow_hosts"), environment["GW_ALLOW_HOSTS"], origin)
        for text in _options(environment.get("GW_OPTIONS", "")):
            layers.add_flag(text, Origin("environment", text=f"GW_OPTIONS {text}"))
        for text in overrides:
            layers.add_flag(text, Origin("flag", text=f"-o {text}"))
        return cls(
            root=root,
            **layers.sections(),
            components=layers.components(),
            files=tuple(layers.files),
            warnings=layers.warnings,
            _origins=layers.origins(),
        )

    @staticmethod
    def template() -> str:
        """A commented gw.toml; see :func:`gw_core.template.template`."""
        from gw_core.template import template  # noqa: PLC0415 - only `gw init` needs it

        return template()

    def component(self, kind: str, name: str) -> ComponentConfig:
        """What ``name`` means where a component of ``kind`` is asked for."""
        return self.components.get((kind, name)) or ComponentConfig(kind, name, name)

    def settings_of(self, component: ComponentConfig, factory: Callable[..., Any]) -> dict[str, Any]:
        """The checked keyword arguments for a component's factory; see :func:`gw_core.schema.check_settings`."""
        return check_settings(
            factory,
            component.settings,
            section=component.section,
            origin=component.origin,
            warn=self._warn_once,
        )

    def origin(self, section: str, key: str) -> Origin:
        """Where a key of a fixed section got its value, for messages about it."""
        return self._origins.get((section, key), DEFAULT)

    def sources(self) -> list[Source]:
        """Every key of the fixed sections and every configured component's settings, with their origins."""
        found = []
        for section, made_of in SECTIONS.items():
            values = getattr(self, section)
            for key in made_of.__dataclass_fields__:
                found.append(Source(f"{section}.{key}", getattr(values, key), self.origin(section, key)))
        for component in self.components.values():
            found.append(Source(f"{component.section}.use", component.use, component.origin))
            for key, setting in component.settings.items():
                found.append(Source(f"{component.section}.{key}", setting.value, setting.origin))
        return found

    def _warn_once(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)


def _options(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"GW_OPTIONS: {error}", hint="key=value pairs, quoted as in a shell") from error


def _files(root: Path | None, env: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """The files that exist, each with its layer. A file that is both the user's and the project's is the user's."""
    user = user_file(env)
    if user is not None:
        if user.is_file():
            yield "user", user
        elif env.get("GW_CONFIG"):
            raise ConfigError(f"GW_CONFIG: there is no file {user}")
    project = root / FILE_NAME if root else None
    if project is not None and project.is_file() and not (user and user.is_file() and project.samefile(user)):
        yield "project", project


def user_file(env: Mapping[str, str] | None = None) -> Path | None:
    """Where the user's own config file lies, whether it exists or not; None when GW_CONFIG is set to nothing."""
    env = os.environ if env is None else env
    if "GW_CONFIG" in env:
        return Path(env["GW_CONFIG"]).expanduser().absolute() if env["GW_CONFIG"] else None
    xdg = Path(env.get("XDG_CONFIG_HOME", ""))
    if xdg.is_absolute():
        return xdg / "gw" / FILE_NAME
    home = Path(env["HOME"]) if env.get("HOME") else Path.home()
    folder = home / "Library" / "Application Support" if sys.platform == "darwin" else home / ".config"
    return folder / "gw" / FILE_NAME
