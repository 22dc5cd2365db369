"""Piling up the layers of the configuration, the later on top, with the trust rule applied to each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gw_core.errors import ConfigError
from gw_core.registry import KINDS, suggestion
from gw_core.schema import DEFAULT, Origin, Setting, check_settings, names_variable, unknown_key, untrusted
from gw_core.settings import SECTIONS
from gw_core.tomlsource import Key, TomlFile, parse_key, parse_value

COMPONENT_KINDS = tuple(kind for kind in KINDS if kind != "commands")
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


class Layers:
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
        self.add(key[:3], parsed, origin, value.strip())

    def add(self, key: Key, value: Any, origin: Origin, text: str | None = None) -> None:
        """``text`` is the value as it was typed, where it was not written in a file."""
        section, *rest = key
        unknown = _unknown_section(section, origin)
        if unknown:
            raise unknown
        if section in SECTIONS:
            self._add_fixed(section, rest, Setting(value, origin, text))
        else:
            self._add_named((section, rest[0]), rest[1], Setting(value, origin, text))

    def _add_fixed(self, section: str, rest: Sequence[str], setting: Setting) -> None:
        origin = setting.origin
        name = rest[0]
        if name not in SECTIONS[section].__dataclass_fields__:
            raise unknown_key(section, name, SECTIONS[section].__dataclass_fields__, origin)
        if len(rest) > 1:
            setting = Setting({rest[1]: setting.value}, origin)
        if section in _TRUSTED_SECTIONS and not origin.trusted:
            self.warnings.append(untrusted(f"{section}.{name}", origin))
            return
        self.fixed[section][name] = setting

    def _add_named(self, component: tuple[str, str], name: str, setting: Setting) -> None:
        value, origin = setting.value, setting.origin
        if not origin.trusted:
            if names_variable(name):
                self.warnings.append(untrusted(f"{'.'.join(component)}.{name}", origin))
                return
            value = self._without_variables(value, f"{'.'.join(component)}.{name}", origin)
        settings = self.named.setdefault(component, {})
        self._began[component] = origin
        if name == "use":
            if setting.text is not None and isinstance(value, int | float):
                value = setting.text
            if not isinstance(value, str) or not value:
                raise ConfigError(f"{origin}: {'.'.join(component)}.use must be the name of a component, not {value!r}")
            if "use" in settings and settings["use"].value != value:
                # Settings made for one component mean nothing to another.
                settings.clear()
        settings[name] = Setting(value, origin, setting.text)

    def _without_variables(self, value: Any, key: str, origin: Origin) -> Any:
        """A value without what a project's file may not set in tables within it."""
        if isinstance(value, list):
            return [self._without_variables(item, key, origin) for item in value]
        if not isinstance(value, dict):
            return value
        refused = [name for name in value if names_variable(name)]
        self.warnings += [untrusted(f"{key}.{name}", origin) for name in refused]
        kept = {name: item for name, item in value.items() if name not in refused}
        return {name: self._without_variables(item, f"{key}.{name}", origin) for name, item in kept.items()}

    def sections(self) -> dict[str, Any]:
        """The fixed sections that something was said about, checked."""
        return {
            section: SECTIONS[section](**check_settings(SECTIONS[section], given, section=section))
            for section, given in self.fixed.items()
            if given  # looking at annotations costs milliseconds; the defaults need no check
        }

    def origins(self) -> dict[tuple[str, str], Origin]:
        """Where each key of the fixed sections got its value, defaults left out."""
        return {
            (section, key): setting.origin for section, given in self.fixed.items() for key, setting in given.items()
        }

    def components(self) -> dict[tuple[str, str], ComponentConfig]:
        """The configured components by kind and name. What their settings mean is known when the factory is."""
        components = {}
        for (kind, name), given in sorted(self.named.items()):
            settings = dict(given)
            use = settings.pop("use", None)
            origin = use.origin if use else self._began[kind, name]
            components[kind, name] = ComponentConfig(kind, name, use.value if use else name, settings, origin)
        return components


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
