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
from gw_core.registry import suggestion
from gw_core.schema import DEFAULT, Origin, Setting, check_settings, unknown_key, untrusted
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
from gw_core.tomlsource import Key, TomlFile, parse_key, parse_value, read

FILE_NAME = "gw.toml"
COMPONENT_KINDS = (
    "loaders",
    "chunkers",
    "backends",
    "encoders",
    "expanders",
    "rerankers",
    "readers",
    "verifiers",
    "reducers",
    "tasks",
    "executors",
)
"""The kinds whose components can be configured: ``[KIND.NAME]``."""

_TRUSTED_SECTIONS = ("network",)


@dataclass(frozen=True, slots=True)
class ComponentConfig:
    """One ``[KIND.NAME]``: ``use`` names the registered component, ``settings`` are for its factory.

    A name without a section of its own uses the registered component of that name with its defaults.
    """

    kind: str
    name: str
    use: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    origin: Origin = DEFAULT

    @property
    def section(self) -> str:
        return f"{self.kind}.{self.name}"


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
        merged = _Layers()
        for layer, path in _files(root, environment):
            merged.add_file(read(path), layer)
        if environment.get("GW_ALLOW_HOSTS"):
            origin = Origin("environment", text="GW_ALLOW_HOSTS")
            merged.add(("network", "allow_hosts"), environment["GW_ALLOW_HOSTS"], origin)
        for text in _options(environment.get("GW_OPTIONS", "")):
            merged.add_flag(text, Origin("environment", text=f"GW_OPTIONS {text}"))
        for text in overrides:
            merged.add_flag(text, Origin("flag", text=f"-o {text}"))
        return merged.config(cls, root)

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


class _Layers:
    """Settings as they pile up, by section and key, the later on top."""

    def __init__(self) -> None:
        self.fixed: dict[str, dict[str, Setting]] = {section: {} for section in SECTIONS}
        self.named: dict[tuple[str, str], dict[str, Setting]] = {}
        self.files: list[Path] = []
        self.warnings: list[str] = []
        self._began: dict[tuple[str, str], Origin] = {}

    def add_file(self, file: TomlFile, layer: str) -> None:
        self.files.append(file.path)
        for key, value in _leaves(file, layer):
            self.add(key, value, Origin(layer, file.path, file.line(key)))

    def add_flag(self, text: str, origin: Origin) -> None:
        """``key=value`` of ``-o`` or GW_OPTIONS. The value is TOML; what isn't is taken as text."""
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"{origin}: not of the form key=value", hint="for example -o retrieve.k=20")
        try:
            key = parse_key(name.strip())
        except ValueError:
            raise ConfigError(f"{origin}: {name.strip()!r} is not a key", hint="for example retrieve.k") from None
        if len(key) < (3 if key[0] in COMPONENT_KINDS else 2):
            shape = f"{key[0]}.NAME.key" if key[0] in COMPONENT_KINDS else "section.key"
            raise _unknown_section(key[0], origin) or ConfigError(f"{origin}: a key here has the form {shape}")
        parsed = parse_value(value.strip())
        for part in reversed(key[3:]):
            parsed = {part: parsed}
        self.add(key[:3], parsed, origin)

    def add(self, key: Key, value: Any, origin: Origin) -> None:
        section, *rest = key
        unknown = _unknown_section(section, origin)
        if unknown:
            raise unknown
        if section in SECTIONS:
            self._add_fixed(section, rest, value, origin)
        else:
            self._add_named((section, rest[0]), rest[1], value, origin)

    def _add_fixed(self, section: str, rest: Sequence[str], value: Any, origin: Origin) -> None:
        name = rest[0]
        if name not in SECTIONS[section].__dataclass_fields__:
            raise unknown_key(section, name, SECTIONS[section].__dataclass_fields__, origin)
        if len(rest) > 1:
            value = {rest[1]: value}
        if section in _TRUSTED_SECTIONS and not origin.trusted:
            self.warnings.append(untrusted(f"{section}.{name}", origin))
            return
        self.fixed[section][name] = Setting(value, origin)

    def _add_named(self, component: tuple[str, str], name: str, value: Any, origin: Origin) -> None:
        if name.endswith("_env") and not origin.trusted:
            self.warnings.append(untrusted(f"{'.'.join(component)}.{name}", origin))
            return
        settings = self.named.setdefault(component, {})
        self._began[component] = origin
        if name == "use":
            if not isinstance(value, str) or not value:
                raise ConfigError(f"{origin}: {'.'.join(component)}.use must be the name of a component, not {value!r}")
            if "use" in settings and settings["use"].value != value:
                # Settings made for one component mean nothing to another.
                settings.clear()
        settings[name] = Setting(value, origin)

    def config(self, cls: type[Config], root: Path | None) -> Config:
        """Check the fixed sections and put everything together."""
        sections = {
            section: SECTIONS[section](**check_settings(SECTIONS[section], given, section=section))
            for section, given in self.fixed.items()
            if given  # looking at annotations costs milliseconds; the defaults need no check
        }
        components = {}
        for (kind, name), given in sorted(self.named.items()):
            settings = dict(given)
            use = settings.pop("use", None)
            origin = use.origin if use else self._began[kind, name]
            components[kind, name] = ComponentConfig(kind, name, use.value if use else name, settings, origin)
        origins = {
            (section, key): setting.origin for section, given in self.fixed.items() for key, setting in given.items()
        }
        return cls(
            root=root,
            **sections,
            components=components,
            files=tuple(self.files),
            warnings=self.warnings,
            _origins=origins,
        )


def _leaves(file: TomlFile, layer: str) -> Iterator[tuple[Key, Any]]:
    """The settings in a file: ``(section, key)`` or ``(kind, name, key)``, each with its value. ``use`` comes first, as
    it decides what the others belong to."""
    for section, table in file.values.items():
        origin = Origin(layer, file.path, file.line((section,)))
        unknown = _unknown_section(section, origin)
        if unknown:
            raise unknown
        if not isinstance(table, Mapping):
            raise ConfigError(f"{origin}: {section!r} is a section, not a value", hint=f"write [{section}]")
        if section in SECTIONS:
            for key, value in table.items():
                yield (section, key), value
            continue
        for name, settings in table.items():
            origin = Origin(layer, file.path, file.line((section, name)))
            if not isinstance(settings, Mapping):
                raise ConfigError(
                    f"{origin}: [{section}] holds named components, not settings", hint=f"write [{section}.NAME]"
                )
            if not settings:
                yield (section, name, "use"), name
            for key in sorted(settings, key=lambda one: one != "use"):
                yield (section, name, key), settings[key]


def _unknown_section(section: str, origin: Origin) -> ConfigError | None:
    known = [*SECTIONS, *COMPONENT_KINDS]
    if section in known:
        return None
    return ConfigError(f"{origin}: unknown section [{section}]", hint=suggestion(section, known))


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
