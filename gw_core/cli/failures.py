"""What the command line makes of an exception: one line with the way out, an exit code, and the same as JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass

import click

from gw_core.errors import GwError

INTERRUPTED = 130
TERMINATED = 143


class TerminatedError(BaseException):
    """SIGTERM arrived. Not an Exception, so that nothing on the way up takes it for a failure it may swallow."""


@dataclass(frozen=True, slots=True)
class Failure:
    """``unexpected``: a bug, whose traceback GW_DEBUG=1 shows."""

    code: str
    message: str
    hint: str
    exit_code: int
    unexpected: bool = False

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


def describe(error: BaseException) -> Failure:
    """The failure that an exception means to a user."""
    if isinstance(error, GwError):
        return Failure(error.code, error.message, error.hint, error.exit_code)
    if isinstance(error, click.UsageError):
        return _usage(error)
    if isinstance(error, click.ClickException):
        return Failure("error", error.format_message(), "", error.exit_code)
    if isinstance(error, OSError):
        where = f": {error.filename!r}" if error.filename is not None else ""
        return Failure("os", f"{error.strerror or type(error).__name__}{where}", "", 1)
    for kind, failure in _PLAIN.items():
        if isinstance(error, kind):
            return failure
    return _internal(error)


_PLAIN = {
    KeyboardInterrupt: Failure("interrupted", "interrupted", "", INTERRUPTED),
    click.Abort: Failure("interrupted", "interrupted", "", INTERRUPTED),
    TerminatedError: Failure("terminated", "terminated", "", TERMINATED),
    MemoryError: Failure("memory", "not enough memory", "", 1),
}


def _internal(error: BaseException) -> Failure:
    kind, text = type(error).__name__, str(error)
    message = f"internal error: {kind}: {text}" if text else f"internal error: {kind}"
    return Failure("internal", message, "GW_DEBUG=1 shows the traceback", 1, unexpected=True)


def _usage(error: click.UsageError) -> Failure:
    message = re.sub(r"\s*\n\s*", " ", error.format_message()).rstrip(".")
    command = error.ctx.command_path if error.ctx else "gw"
    hint = f"see {command} --help"
    takes_words = error.ctx is not None and any(isinstance(one, click.Argument) for one in error.ctx.command.params)
    if isinstance(error, click.NoSuchOption) and takes_words:
        hint += "; what begins with '-' and is no option goes after '--'"
    return Failure("usage", message, hint, 2)
