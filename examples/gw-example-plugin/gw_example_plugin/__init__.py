"""What this distribution offers to gw. Names only: nothing else is imported until it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gw_core.hookspecs import Register, hookimpl

if TYPE_CHECKING:
    import click

    from gw_core.protocols import Backend, Reader


@hookimpl
def gw_register_backends(register: Register[Backend]) -> None:
    register("trigrams", "gw_example_plugin.trigrams:Trigrams", help="words in spite of typing errors")


@hookimpl
def gw_register_readers(register: Register[Reader]) -> None:
    register("lines", "gw_example_plugin.lines:Lines", help="the one line that shares most words with the question")


@hookimpl
def gw_register_commands(register: Register[click.Command]) -> None:
    register("wordcount", "gw_example_plugin.wordcount:wordcount", help="Count the words of files.")
