"""The hooks that a plugin may implement, one per kind of component, and the markers for them.

A plugin is a module (or any object) that an entry point of group ``gw`` names::

    from gw_core.hookspecs import Register, hookimpl

    @hookimpl
    def gw_register_backends(register: Register[Backend]) -> None:
        register("trigram", "my_package.trigram:Trigram", help="exact substrings, by trigrams")

All hooks work alike. gw calls them once, when a component is first asked for, one plugin after another in the order of
their distributions' and entry points' names. A hook is handed a :class:`Register`, calls it as often as
it likes and returns nothing. What all plugins registered is added together: no plugin can replace or remove what
another one registered. A plugin whose hook raises, or that implements a hook which does not exist, is skipped as a
whole with a warning; implement a hook of a newer gw with ``@hookimpl(optionalhook=True)``. No hook or wrapper of one
plugin sees the calls of another's.

Registering must stay cheap: name a target as ``"module:attr"``, and nothing is imported until somebody uses it. If all
of a plugin's components are of one kind, let its entry point's name begin with that kind (``"backends.trigram"``): then
the plugin itself is imported only where that kind is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

import pluggy

if TYPE_CHECKING:
    import click

    from gw_core.protocols import (
        Backend,
        Chunker,
        Encoder,
        Executor,
        Expander,
        Loader,
        Reader,
        Reducer,
        Reranker,
        Task,
        Verifier,
    )

API_VERSION = 1
"""Raised when a hook or protocol changes in a way that a plugin written for the older one would not survive."""

PROJECT = "gw"
"""The name of the markers and of the entry-point group."""

PREFIX = "gw_register_"
"""A hook's name is this and the kind that it registers."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

T_contra = TypeVar("T_contra", contravariant=True)


class Register(Protocol[T_contra]):
    """What a hook is handed: call it once for each component."""

    def __call__(
        self,
        name: str,
        factory: Callable[..., T_contra] | str,
        *,
        help: str = "",  # noqa: A002 - the word that click, argparse and our users know
        requires: Sequence[str] = (),
    ) -> None:
        """Offer a component under ``name``.

        ``name`` is what ``use = "..."`` in gw.toml and the command line say: letters, digits, ``-``, ``_`` and ``.``.
        ``factory`` is a callable, or better the text ``"module:attr"``, imported when the component is first used. Its
        keyword arguments with their annotations are the component's settings.
        ``help`` is one line for ``gw plugins``. ``requires`` names what to ``pip install`` when the target's import
        fails, such as ``("gw-toolkit[docs]",)``.

        Raises :class:`ValueError` for a malformed name or target, and when this distribution has registered the name
        before.
        """
        ...


@hookspec
def gw_register_loaders(register: Register[Loader]) -> None:
    """Register loaders: bytes of a file to text.

    Ingest chooses one by the file's ending; verification takes the one whose name and version stand in the citation.
    """


@hookspec
def gw_register_chunkers(register: Register[Chunker]) -> None:
    """Register chunkers: a document to spans. Ingest uses the one that ``[ingest] chunker`` names."""


@hookspec
def gw_register_backends(register: Register[Backend]) -> None:
    """Register backends: indexes over chunks. Ingest feeds those of ``[ingest] backends``; search asks the one that
    ``[retrieve] backend`` names. A factory may take an :class:`~gw_core.protocols.Index` to keep its data in."""


@hookspec
def gw_register_encoders(register: Register[Encoder]) -> None:
    """Register encoders: text to vectors. Components that take an ``Encoder`` are handed the configured one."""


@hookspec
def gw_register_expanders(register: Register[Expander]) -> None:
    """Register expanders: weighted terms added to a query before the search."""


@hookspec
def gw_register_rerankers(register: Register[Reranker]) -> None:
    """Register rerankers: a new order for hits. Search applies those of ``[retrieve] rerank``, one after another."""


@hookspec
def gw_register_readers(register: Register[Reader]) -> None:
    """Register readers: passages to an answer. ``gw ask`` uses the one that ``[ask] reader`` names."""


@hookspec
def gw_register_verifiers(register: Register[Verifier]) -> None:
    """Register verifiers: a reading and its passages to a check. ``gw ask`` runs all of ``[ask] verifiers``; an answer
    is grounded only if none of them objects."""


@hookspec
def gw_register_reducers(register: Register[Reducer]) -> None:
    """Register reducers: records of a sweep to a result, streaming. A recipe names those it wants."""


@hookspec
def gw_register_tasks(register: Register[Task]) -> None:
    """Register bench tasks: a corpus with known truth, questions over it, and scores."""


@hookspec
def gw_register_executors(register: Register[Executor]) -> None:
    """Register executors: where the segments of a sweep run."""


@hookspec
def gw_register_commands(register: Register[click.Command]) -> None:
    """Register commands of ``gw``.

    The target is a :class:`click.Command` (a function decorated with ``@click.command()``), imported when the command
    runs or shows its help; the list in ``gw --help`` shows ``help`` without importing it. A built-in command cannot be
    replaced.
    """
