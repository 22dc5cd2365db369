"""The error tree. Each class carries the exit code that the command line ends with.

::

    GwError                      1   something failed while running
    ├── UsageError               2   the call itself is wrong
    │   ├── ConfigError          2   gw.toml, -o or the environment; names file and line
    │   ├── UnknownNameError     2   no component, format, ... of that name; names the nearest
    │   ├── NotFoundError        2   a path that does not exist
    │   └── OutsideRootError     2   a path outside the root
    ├── MissingExtraError        2   an optional dependency is not installed
    ├── PluginError              1   a plugin broke its contract
    ├── GwIndexError              1   the index cannot be used as it is
    │   ├── IndexMissingError    2   there is none, and no PATH to make one from
    │   ├── IndexForeignError    1   the file is not gw's, or is damaged
    │   ├── IndexVersionError    1   made by another version or other settings
    │   └── IndexBusyError       1   another process is writing
    ├── LoadError                1   a file could not be turned into text
    ├── CitationError            2   a citation that cannot be parsed
    ├── UntrustedResultError     3   there is no result, or it cannot be trusted
    └── ThresholdError           4   a benchmark missed a threshold, or got worse
"""

from __future__ import annotations


class GwError(Exception):
    """Base of all errors that gw raises on purpose.

    ``message`` says in one line what is wrong; ``hint``, where there is one, says the way out.
    """

    exit_code = 1
    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(GwError):
    exit_code = 2
    code = "usage"


class ConfigError(UsageError):
    code = "config"


class UnknownNameError(UsageError):
    code = "unknown-name"


class NotFoundError(UsageError):
    code = "not-found"


class OutsideRootError(UsageError):
    code = "outside-root"


class MissingExtraError(GwError):
    exit_code = 2
    code = "missing-extra"


class PluginError(GwError):
    code = "plugin"


class GwIndexError(GwError):
    """Base of everything that is wrong with the index."""

    code = "index"


class IndexMissingError(GwIndexError):
    exit_code = 2
    code = "index-missing"


class IndexForeignError(GwIndexError):
    code = "index-foreign"


class IndexVersionError(GwIndexError):
    code = "index-version"


class IndexBusyError(GwIndexError):
    code = "index-busy"


NOT_TEXT = "not text"
"""What is said of every file that is skipped as ``binary``, whatever gave it away."""


class LoadError(GwError):
    """A file that cannot be turned into text; ``reason`` is a short, stable word for counting."""

    code = "load"

    def __init__(self, message: str, *, reason: str = "unreadable", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class CitationError(UsageError):
    code = "citation"


class UntrustedResultError(GwError):
    exit_code = 3
    code = "untrusted"


class ThresholdError(GwError):
    exit_code = 4
    code = "threshold"


def described(error: BaseException) -> str:
    """An exception of somebody else's code as one line; one that cannot say what it is is named by its kind.

    >>> described(ValueError("no\\nnumber"))
    'ValueError: no number'
    """
    kind = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - whatever a stranger's __str__ does
        return kind
    return f"{kind}: {text}" if text else kind
