"""The one place that puts configuration, plugins and catalogue together and hands out configured components."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from gw_core.config import Config
from gw_core.errors import ConfigError, IndexVersionError, UnknownNameError, UsageError
from gw_core.files import MAX_BYTES
from gw_core.plugins import Plugins
from gw_core.protocols import Backend, Chunker, Loader, Reader, Reranker, Task, Verifier
from gw_core.registry import singular, suggestion
from gw_core.schema import INDEX, Origin, Setting, components_of
from gw_core.store import Catalogue
from gw_core.verify import SourceReader

# Which chunker reads which kind of document when [ingest] chunker is "auto"; a kind that is not here takes the last.
_AUTO: Mapping[str, str] = {"": "text"}
_CACHE_BYTES = 8_000_000  # of decoded sources, kept between one verification and the next
_PLAIN = "text"  # the loader of every file that no other loader claims


class Pipeline:
    """Configured components for one root, made when first asked for.

    ``root`` is the folder that all paths are relative to.
    """

    def __init__(self, root: Path, config: Config, plugins: Plugins) -> None:
        self.root = root
        self.config = config
        self.plugins = plugins
        self.corpus = config.corpus
        self.sources = SourceReader(
            root, self.loader_for_decoder, max_bytes=max(MAX_BYTES, config.corpus.max_bytes), cache_bytes=_CACHE_BYTES
        )
        self._made: dict[tuple[str, str], Any] = {}
        self._opened: dict[str, tuple[Catalogue, int, Backend]] = {}  # to search with, for one state of a catalogue

    # -- loaders and chunkers -----------------------------------------------------------------------------------

    def loader(self, name: str) -> Loader:
        return cast(Loader, self._shared("loaders", name))

    def loader_for(self, path: str) -> tuple[Loader, str]:
        """The loader of a file, by the ending of its name, and ``name@version`` of it."""
        name = path.rpartition("/")[2].lower()
        if name.endswith(self._suffixes):
            for suffix, loader in self._by_suffix:
                if name.endswith(suffix):
                    return loader
        return self._plain

    @functools.cached_property
    def _by_suffix(self) -> list[tuple[str, tuple[Loader, str]]]:
        """Endings of names and their loaders, the longest ending first."""
        found = []
        for name in self._names("loaders"):
            loader = _named(self.loader(name))
            found += [(suffix, loader) for suffix in loader[0].suffixes]
        return sorted(found, key=lambda pair: (-len(pair[0]), pair[0]))

    @functools.cached_property
    def _suffixes(self) -> tuple[str, ...]:
        return tuple(suffix for suffix, _ in self._by_suffix)

    @functools.cached_property
    def _plain(self) -> tuple[Loader, str]:
        return _named(self.loader(_PLAIN))

    def loader_for_decoder(self, name: str) -> Loader | None:
        """The loader that a citation names, if it is here."""
        try:
            return self.loader(name)
        except (UnknownNameError, ConfigError):
            return None

    def chunker_for(self, kind: str) -> Chunker:
        name = self.config.ingest.chunker
        if name == "auto":
            name = _AUTO.get(kind, _AUTO[""])
        return cast(Chunker, self._shared("chunkers", name))

    # -- backends -----------------------------------------------------------------------------------------------

    @property
    def ingest_backends(self) -> tuple[str, ...]:
        """The backends that every ingest keeps up to date: those listed, and those that they are made of."""
        names: list[str] = []
        for name in self.config.ingest.backends:
            names += [part for part in (*self._parts("backends", name), name) if part not in names]
        return tuple(names)

    def open_backends(self, catalogue: Catalogue) -> list[tuple[str, Backend]]:
        """The backends of an ingest, opened for writing. Their completeness is the caller's affair."""
        made: dict[str, Backend] = {}
        for name in self.ingest_backends:
            self._open(name, catalogue, made, check=False)
        return [(name, made[name]) for name in self.ingest_backends]

    def open_backend(self, name: str, catalogue: Catalogue) -> Backend:
        """A backend to search with. Raises IndexVersionError when its index is unfinished or of other settings."""
        kept = self._opened.get(name)
        if kept is None or kept[0] is not catalogue or kept[1] != catalogue.version:
            kept = (catalogue, catalogue.version, self._open(name, catalogue, {}, check=True))
            if not catalogue.writable:
                self._opened[name] = kept
        return kept[2]

    def _open(self, name: str, catalogue: Catalogue, made: dict[str, Backend], *, check: bool) -> Backend:
        if name in made:
            return made[name]
        registration, factory, kwargs = self._factory("backends", name)
        wants = components_of(factory)
        row = catalogue.backend(name)
        if row is None:
            if check and any(one.component == INDEX for one in wants.values()):
                known = [one.name for one in catalogue.backends() if one.identity]
                raise UsageError(
                    f"the index was made without the backend {name!r}",
                    hint=f"add it to [ingest] backends and run gw ingest; it has: {', '.join(known) or 'none'}",
                )
            if catalogue.writable:
                with catalogue.transaction():
                    row = catalogue.set_backend(name, "", 0)
        for parameter in wants.values():
            if parameter.component == INDEX and row is not None:
                kwargs[parameter.name] = catalogue.storage(row)
            elif parameter.component == "backends":
                chosen = kwargs.get(parameter.name)
                names = [chosen] if isinstance(chosen, str) else list(chosen or ())
                opened = [self._open(one, catalogue, made, check=check) for one in names]
                kwargs[parameter.name] = opened if parameter.many else next(iter(opened), None)
            elif parameter.component is not None:
                self._inject(parameter, kwargs)
        backend = cast(Backend, registration.build(**kwargs))
        if check and row is not None and (row.identity != str(backend.identity) or row.built_to is not None):
            why = "is unfinished or out of date" if row.identity else "has not been kept up to date"
            if row.identity and row.identity != str(backend.identity):
                why = "was built with other settings or by another version"
            raise IndexVersionError(f"the index of backend {name!r} {why}", hint="run gw ingest")
        made[name] = backend
        return backend

    # -- the rest -----------------------------------------------------------------------------------------------

    def reader(self, name: str | None = None, *, pattern: str | None = None) -> tuple[str, Reader]:
        """The reader of that name (the configured one), with its name. A pattern asks the reader ``regex`` for it."""
        if pattern is not None:
            extra = {"pattern": Setting(pattern, Origin("flag", text="--pattern"))}
            chosen = name or "regex"
            return chosen, cast(Reader, self._make("readers", chosen, extra))
        chosen = name or self.config.ask.reader
        return chosen, cast(Reader, self._shared("readers", chosen))

    def rerankers(self, names: Sequence[str] | None = None) -> list[tuple[str, Reranker]]:
        chosen = self.config.retrieve.rerank if names is None else names
        return [(name, cast(Reranker, self._shared("rerankers", name))) for name in chosen]

    def verifiers(self) -> Iterator[Verifier]:
        for name in self.config.ask.verifiers:
            yield cast(Verifier, self._shared("verifiers", name))

    def check_names(self, kind: str, names: Iterable[str]) -> None:
        """Raise UnknownNameError, or what is wrong with its settings, for a component that cannot be had."""
        for name in names:
            self._factory(kind, name)

    def task(self, name: str, settings: Mapping[str, Setting] | None = None) -> Task:
        """The bench task of that name; ``settings`` come on top of those that are configured."""
        return cast(Task, self._make("tasks", name, settings))

    # -- making components --------------------------------------------------------------------------------------

    def _names(self, kind: str) -> list[str]:
        """Registered and configured names of one kind, without the registered ones that two distributions offer."""
        registry = self.plugins.registry(kind)
        rivals = {group[0].name for group in registry.conflicts()}
        configured = {name for known_kind, name in self.config.components if known_kind == kind}
        return sorted({*registry.names(), *configured} - (rivals - configured))

    def _shared(self, kind: str, name: str) -> Any:
        key = (kind, name)
        if key not in self._made:
            self._made[key] = self._make(kind, name)
        return self._made[key]

    def _make(self, kind: str, name: str, extra: Mapping[str, Setting] | None = None) -> Any:
        registration, factory, kwargs = self._factory(kind, name, extra)
        for parameter in components_of(factory).values():
            self._inject(parameter, kwargs)
        return registration.build(**kwargs)

    def _factory(
        self, kind: str, name: str, extra: Mapping[str, Setting] | None = None
    ) -> tuple[Any, Any, dict[str, Any]]:
        """The registration behind a configured name, its factory, and its checked settings."""
        component = self.config.component(kind, name)
        registry = self.plugins.registry(kind)
        offered = component.use in registry or any(one.name == component.use for one in registry)
        if not offered and (kind, name) not in self.config.components:
            # The registry's own message would not know the configured names.
            hint = suggestion(name, self._names(kind))
            raise UnknownNameError(f"unknown {singular(kind)} {name!r}", hint=hint)
        registration = registry.get(component.use)
        factory = registration.load()
        if extra:
            from dataclasses import replace  # noqa: PLC0415

            component = replace(component, settings={**component.settings, **extra})
        return registration, factory, self.config.settings_of(component, factory)

    def _inject(self, parameter: Any, kwargs: dict[str, Any]) -> None:
        chosen = kwargs.get(parameter.name)
        if chosen is None:
            return
        if parameter.many:
            kwargs[parameter.name] = [self._shared(parameter.component, one) for one in chosen]
        else:
            kwargs[parameter.name] = self._shared(parameter.component, chosen)

    def _parts(self, kind: str, name: str) -> list[str]:
        """The names of the components of the same kind that ``name`` is made of, innermost first."""
        _, factory, kwargs = self._factory(kind, name)
        found: list[str] = []
        for parameter in components_of(factory).values():
            if parameter.component != kind:
                continue
            chosen = kwargs.get(parameter.name)
            for one in [chosen] if isinstance(chosen, str) else list(chosen or ()):
                found += [part for part in (*self._parts(kind, one), one) if part not in found]
        return found


def _named(loader: Loader) -> tuple[Loader, str]:
    return loader, f"{loader.name}@{loader.version}"
