"""Names of components, and the lazy factories behind them. One registry per kind, no globals."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from gw_core.errors import GwError, MissingExtraError, PluginError, UnknownNameError, UsageError, described

KINDS = (
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
    "commands",
)
"""The kinds of components that a plugin may register: one registry, one hook each."""

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def singular(kind: str) -> str:
    """``"backends"`` -> ``"backend"``: how messages call one component of a kind."""
    return kind[:-1] if kind.endswith("s") else kind


def normalised(distribution: str) -> str:
    """A distribution's name in the form that all its spellings share."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def suggestion(name: str, known: Iterable[str]) -> str:
    """``did you mean 'fts5'? known: dense, fts5``, for the hint of an error about ``name``."""
    import difflib  # noqa: PLC0415 - only a mistake needs it

    names = sorted(set(known))
    folded = {candidate.casefold(): candidate for candidate in names}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    listed = f"known: {', '.join(names)}" if names else "none is installed"
    return f"did you mean {folded[near[0]]!r}? {listed}" if near else listed


@dataclass(frozen=True, slots=True)
class Owner:
    """Who registered something: a distribution, its version, and its entry point's name."""

    distribution: str
    version: str = ""
    plugin: str = ""

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".rstrip()


@dataclass(frozen=True, slots=True)
class Registration(Generic[T]):
    """One offered component."""

    kind: str
    name: str
    factory: Callable[..., T] | str
    owner: Owner
    help: str = ""
    requires: tuple[str, ...] = ()

    @property
    def qualified(self) -> str:
        """``dist:name``, which picks this one where two distributions offer the name."""
        return f"{self.owner.distribution}:{self.name}"

    @property
    def target(self) -> str:
        """``module:attr``, for display."""
        if isinstance(self.factory, str):
            return self.factory
        module = getattr(self.factory, "__module__", "?")
        return f"{module}:{getattr(self.factory, '__qualname__', repr(self.factory))}"

    def load(self) -> Callable[..., T]:
        """The factory itself, imported if need be.

        Raises :class:`MissingExtraError` when an import fails and the plugin said what to install for it, and
        :class:`PluginError` when the target cannot be imported for any other reason.
        """
        if not isinstance(self.factory, str):
            return self.factory
        module, _, attribute = self.factory.partition(":")
        with _Blame(self, "cannot be imported"):
            loaded: Any = importlib.import_module(module)
            for part in attribute.split("."):
                loaded = getattr(loaded, part)
        if not callable(loaded):
            raise PluginError(f"{self}: {self.factory} is not callable")
        factory: Callable[..., T] = loaded
        return factory

    def build(self, **settings: Any) -> T:
        """A component made from ``settings``, which have been checked before.

        A :class:`ValueError` of the factory is its word on a setting and becomes a :class:`UsageError`; errors of gw
        pass; anything else is a :class:`PluginError` that names the owner.
        """
        factory = self.load()
        try:
            with _Blame(self, "cannot be made", passing=(ValueError,)):
                return factory(**settings)
        except ValueError as error:
            raise UsageError(f"{singular(self.kind)} {self.name!r}: {error}") from error

    def __str__(self) -> str:
        return f"{singular(self.kind)} {self.name!r} of {self.owner}"


class _Blame:
    """Turns what a plugin's code raises into an error of gw that names the plugin."""

    def __init__(self, registration: Registration[Any], what: str, passing: tuple[type[BaseException], ...] = ()):
        self._registration = registration
        self._what = what
        self._passing = (GwError, KeyboardInterrupt, *passing)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, self._passing):
            return
        registration = self._registration
        if isinstance(error, ImportError) and registration.requires:
            install = " ".join(f"'{requirement}'" for requirement in registration.requires)
            raise MissingExtraError(
                f"{singular(registration.kind)} {registration.name!r} needs a package that is not installed: {error}",
                hint=f"pip install {install}",
            ) from error
        raise PluginError(f"{registration} {self._what}: {described(error)}") from error


@dataclass
class Registry(Generic[T]):
    """The components of one kind, by name. Iterating yields all registrations, by name and owner."""

    kind: str
    _by_name: dict[str, list[Registration[T]]] = field(default_factory=dict)

    def add(
        self,
        name: str,
        factory: Callable[..., T] | str,
        *,
        owner: Owner,
        help: str = "",  # noqa: A002 - as in hookspecs.Register
        requires: Sequence[str] = (),
    ) -> Registration[T]:
        """Register one component; see :class:`gw_core.hookspecs.Register`."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError(f"not a name for a {singular(self.kind)}: {name!r}")
        if isinstance(factory, str) and not _TARGET.fullmatch(factory):
            raise ValueError(f"not a 'module:attr' target for {singular(self.kind)} {name!r}: {factory!r}")
        if not isinstance(factory, str) and not callable(factory):
            raise ValueError(f"neither a callable nor a 'module:attr' target for {name!r}: {factory!r}")
        if isinstance(requires, str):
            requires = (requires,)
        rivals = self._by_name.setdefault(name, [])
        distribution = normalised(owner.distribution)
        if any(normalised(rival.owner.distribution) == distribution for rival in rivals):
            raise ValueError(f"{owner.distribution} registers {singular(self.kind)} {name!r} twice")
        registration = Registration(self.kind, name, factory, owner, help, tuple(requires))
        rivals.append(registration)
        return registration

    def get(self, name: str) -> Registration[T]:
        """The registration that ``name`` or ``dist:name`` means.

        Raises :class:`UnknownNameError` for an unknown name, with the nearest known one, and for a bare name that two
        distributions offer, naming both.
        """
        distribution, colon, bare = name.rpartition(":")
        found = self._by_name.get(bare, [])
        if colon:
            wanted = normalised(distribution)
            found = [one for one in found if normalised(one.owner.distribution) == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownNameError(
                f"more than one distribution offers a {singular(self.kind)} {name!r}: "
                f"{', '.join(str(one.owner) for one in found)}",
                hint=f"name one: {' or '.join(one.qualified for one in found)}",
            )
        known = [one.qualified for one in self] if colon else self._by_name
        raise UnknownNameError(f"unknown {singular(self.kind)} {name!r}", hint=suggestion(name, known))

    def resolve(self, name: str) -> Callable[..., T]:
        """The factory behind ``name``, imported. Raises what :meth:`get` and :meth:`Registration.load` raise."""
        return self.get(name).load()

    def build(self, name: str, **settings: Any) -> T:
        """A component of this name; see :meth:`Registration.build`."""
        return self.get(name).build(**settings)

    def names(self) -> list[str]:
        """All bare names, sorted."""
        return sorted(self._by_name)

    def conflicts(self) -> list[list[Registration[T]]]:
        """The registrations of each name that more than one distribution offers."""
        return [list(self._by_name[name]) for name in self.names() if len(self._by_name[name]) > 1]

    def check_merge(self, other: Registry[T]) -> None:
        """Raise :class:`ValueError` if :meth:`merge` would make a distribution offer one name twice."""
        for one in other:
            distribution = normalised(one.owner.distribution)
            if any(normalised(mine.owner.distribution) == distribution for mine in self._by_name.get(one.name, [])):
                raise ValueError(f"{one.owner.distribution} registers {singular(self.kind)} {one.name!r} twice")

    def merge(self, other: Registry[T]) -> None:
        """Add all of ``other``'s registrations; :meth:`check_merge` says whether that is in order."""
        for one in other:
            self._by_name.setdefault(one.name, []).append(one)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self.get(name)
        except UnknownNameError:
            return False
        return True

    def __iter__(self) -> Iterator[Registration[T]]:
        for name in self.names():
            yield from sorted(self._by_name[name], key=lambda one: one.owner.distribution)

    def __len__(self) -> int:
        return sum(len(rivals) for rivals in self._by_name.values())
