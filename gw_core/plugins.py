"""Finding plugins, and keeping a broken one from breaking anything else.

Entry points of group ``gw`` are read by a scan of the ``*.dist-info`` folders on ``sys.path``, because
:func:`importlib.metadata.entry_points` parses the metadata of every installed distribution and costs several times the
start of Python itself. Each plugin is loaded by itself; whatever it raises becomes a :class:`Problem` that names its
distribution and version. Nothing is loaded before somebody asks, and nothing is kept outside :class:`Plugins` objects.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gw_core.errors import PluginError, UsageError, described
from gw_core.registry import KINDS, Owner, Registration, Registry, normalised, suggestion

GROUP = "gw"


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One line of a distribution's ``[gw]`` table: ``name = module[:attr]``."""

    name: str
    value: str
    distribution: str
    version: str = ""

    @property
    def owner(self) -> Owner:
        return Owner(self.distribution, self.version, self.name)

    @property
    def kind(self) -> str | None:
        """The only kind that the plugin registers, where its name says so: ``"backends.fts5"``."""
        prefix, dot, _ = self.name.partition(".")
        return prefix if dot and prefix in KINDS else None

    def load(self) -> object:
        """The module, or the object in it. Raises whatever its import raises."""
        target = self.value.partition("[")[0].strip()
        module, _, attribute = target.partition(":")
        loaded: object = importlib.import_module(module.strip())
        for part in filter(None, attribute.strip().split(".")):
            loaded = getattr(loaded, part)
        return loaded


@dataclass(frozen=True, slots=True)
class Problem:
    """A plugin that was skipped, and why. ``str()`` is the one line to warn with."""

    distribution: str
    version: str
    plugin: str
    message: str

    def __str__(self) -> str:
        owner = f"{self.distribution} {self.version}".rstrip()
        return f"plugin {self.plugin!r} of {owner} was skipped: {self.message}"


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """One row of ``gw plugins``. ``problem`` is None for a plugin that works."""

    entry_point: EntryPoint
    hooks: tuple[str, ...] = ()
    registrations: tuple[Registration[Any], ...] = ()
    problem: Problem | None = None

    @property
    def status(self) -> str:
        return "ok" if self.problem is None else "skipped"


def find_entry_points(path: Sequence[str] | None = None) -> list[EntryPoint]:
    """The entry points of group ``gw`` of all distributions on ``path`` (``sys.path``), sorted by their names.

    A distribution that lies there more than once counts once, as Python's import takes it: the first one wins. Only a
    ``.egg-info`` gives way to a ``.dist-info`` further back, since a build leaves one behind in the source tree of an
    editable install.
    """
    found: dict[str, tuple[bool, list[EntryPoint]]] = {}
    for place in dict.fromkeys(_installed_places() if path is None else path):
        for key, is_installed, entry_points in _distributions(str(place) or "."):
            if key not in found or (is_installed and not found[key][0]):
                found[key] = (is_installed, entry_points)
    every = [one for _, entry_points in found.values() for one in entry_points]
    return sorted(every, key=lambda one: (normalised(one.distribution), one.name))


def _installed_places() -> list[str]:
    """``sys.path`` without the working directory, where a PYTHONPATH with an empty item puts whatever gw is run in."""
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109
    except OSError:  # it was deleted
        here = ""
    return [
        place
        for place in map(str, sys.path)
        if os.path.isabs(place)  # noqa: PTH117
        and (os.path.realpath(place) != here or place.endswith(("site-packages", "dist-packages")))
    ]


def _distributions(place: str) -> Iterator[tuple[str, bool, list[EntryPoint]]]:
    """``(normalised name, from a .dist-info, entry points)`` of each distribution in one folder or archive."""
    root = Path(place)
    if root.is_file():
        yield from _archived(place)
        return
    try:
        with os.scandir(place) as children:
            names = sorted(one.name for one in children if one.name.endswith((".dist-info", ".egg-info")))
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return
    for name in names:
        folder = root / name
        try:
            table = (folder / "entry_points.txt").read_bytes()
        except OSError:
            table = b""
        is_installed = name.endswith(".dist-info")
        stem = name.rpartition(".")[0].split("-")[0]
        if b"[gw]" not in table:
            yield normalised(stem), is_installed, []
            continue
        distribution, version = _metadata(folder, stem)
        yield normalised(distribution), is_installed, _parsed(table, distribution, version)


def _archived(place: str) -> Iterator[tuple[str, bool, list[EntryPoint]]]:
    """The same for a zip on ``sys.path``: rare enough to let importlib.metadata do it, slowly."""
    from importlib.metadata import distributions  # noqa: PLC0415

    for one in distributions(path=[place]):
        name, version = one.metadata["Name"], one.version
        points = [
            EntryPoint(point.name, point.value, name, version) for point in one.entry_points if point.group == GROUP
        ]
        yield normalised(name), True, points


def _metadata(folder: Path, stem: str) -> tuple[str, str]:
    """Name and version, as the head of a distribution's metadata has them."""
    fields = {"name": stem, "version": ""}
    for candidate in ("METADATA", "PKG-INFO"):
        with contextlib.suppress(OSError), (folder / candidate).open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, colon, value = line.partition(":")
                if not colon:
                    break
                if key.lower() in fields:
                    fields[key.lower()] = value.strip()
            break
    return fields["name"], fields["version"]


def _parsed(table: bytes, distribution: str, version: str) -> list[EntryPoint]:
    """The ``[gw]`` table of an entry_points.txt; a name given twice counts as given last."""
    points: dict[str, EntryPoint] = {}
    section = ""
    for raw in table.decode("utf-8", "replace").splitlines():
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            continue
        name, _, value = line.partition("=")
        name, value = name.strip(), value.strip()
        if section == GROUP and name and value and not line.startswith(("#", ";")):
            points[name] = EntryPoint(name, value, distribution, version)
    return list(points.values())


class Plugins:
    """All plugins of one environment, and the registries that they filled.

    ``entry_points`` replaces the scan of ``sys.path``. A plugin is loaded when a kind is first asked for that it may
    register: any kind, or the one that its name begins with (``backends.fts5``). So a search imports no reader.
    """

    def __init__(self, entry_points: Iterable[EntryPoint] | None = None) -> None:
        self._entry_points = None if entry_points is None else list(entry_points)
        self._registries: dict[str, Registry[Any]] = {kind: Registry(kind) for kind in KINDS}
        self._loaded: dict[EntryPoint, LoadedPlugin] = {}
        self._manager: _Manager | None = None

    def registry(self, kind: str) -> Registry[Any]:
        """What all plugins registered of one kind, such as ``"backends"``."""
        if kind not in self._registries:
            raise UsageError(f"unknown kind of plugin {kind!r}", hint=suggestion(kind, KINDS))
        self._load(lambda point: point.kind in (None, kind))
        return self._registries[kind]

    @property
    def problems(self) -> list[Problem]:
        """The plugins that were skipped so far, each with its reason: warn with these at the end of a run."""
        return [one.problem for one in self._loaded.values() if one.problem is not None]

    @property
    def distributions(self) -> list[LoadedPlugin]:
        """Every plugin there is, working or not. Loads them all."""
        return self._load(lambda _: True)

    def _load(self, wanted: Callable[[EntryPoint], bool]) -> list[LoadedPlugin]:
        if self._entry_points is None:
            self._entry_points = find_entry_points()
        points = [point for point in self._entry_points if wanted(point)]
        for point in points:
            if point not in self._loaded:
                self._manager = self._manager or _Manager()
                self._loaded[point] = self._admit(point, self._manager)
        return [self._loaded[point] for point in points]

    def _admit(self, point: EntryPoint, manager: _Manager) -> LoadedPlugin:
        """Load one plugin and keep what it registered: all of it, or nothing."""
        staged = {kind: Registry[Any](kind) for kind in KINDS}
        try:
            # A plugin that prints while it is imported must not get into a command's result.
            with contextlib.redirect_stdout(sys.stderr):
                hooks = manager.collect(point, staged)
            for kind, registry in self._registries.items():
                registry.check_merge(staged[kind])
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - SystemExit and worse of one plugin must not end the others
            problem = Problem(point.distribution, point.version, point.name, _reason(error))
            return LoadedPlugin(point, problem=problem)
        for kind, registry in self._registries.items():
            registry.merge(staged[kind])
        return LoadedPlugin(point, hooks, tuple(one for kind in KINDS for one in staged[kind]))


class _Manager:
    """pluggy's manager, holding one plugin at a time: its rules for hooks, and no way from one plugin to another."""

    def __init__(self) -> None:
        import pluggy  # noqa: PLC0415

        from gw_core import hookspecs  # noqa: PLC0415

        self._prefix = hookspecs.PREFIX
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)

    def collect(self, point: EntryPoint, into: dict[str, Registry[Any]]) -> tuple[str, ...]:
        """Import a plugin and run its hooks. Returns their names; raises whatever is wrong with the plugin."""
        plugin = point.load()
        name = self._manager.register(plugin, name=point.name)
        try:
            callers = self._manager.get_hookcallers(plugin) or []
            self._refuse_unknown_hooks(plugin, [caller.name for caller in callers if not caller.has_spec()])
            known = [caller for caller in callers if caller.has_spec()]
            if not callers:
                raise PluginError(
                    "it implements no hook of gw", hint="mark the function with gw_core.hookspecs.hookimpl"
                )
            foreign = [one.name for one in known if point.kind and one.name != self._prefix + point.kind]
            if foreign:
                raise PluginError(f"its name says {point.kind}, but it implements {foreign[0]}")
            for caller in known:
                caller(register=_register(into[caller.name.removeprefix(self._prefix)], point.owner))
            return tuple(caller.name for caller in known)
        finally:
            self._manager.unregister(name=name)

    def _refuse_unknown_hooks(self, plugin: object, candidates: Sequence[str]) -> None:
        for name in candidates:
            implementations = getattr(self._manager.hook, name).get_hookimpls()
            if any(one.plugin is plugin and not one.optionalhook for one in implementations):
                known = [self._prefix + kind for kind in KINDS]
                raise PluginError(f"there is no hook {name!r}", hint=suggestion(name, known))


def _register(registry: Registry[Any], owner: Owner) -> Any:
    """The :class:`gw_core.hookspecs.Register` that one hook of one plugin is handed."""

    def register(name: str, factory: Any, *, help: str = "", requires: Sequence[str] = ()) -> None:  # noqa: A002
        registry.add(name, factory, owner=owner, help=help, requires=requires)

    return register


def _reason(error: BaseException) -> str:
    """One line that says what a plugin raised."""
    if isinstance(error, PluginError):
        return str(error)
    return described(error)
