"""One writer at a time: a lock on a file, which the system releases however the process ends."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from gw_core.errors import GwIndexError, IndexBusyError

try:
    import fcntl
except ImportError:  # not POSIX: SQLite's own lock is all there is
    fcntl = None  # type: ignore[assignment]


class WriterLock:
    """An advisory lock on ``path``, whose content names the process that holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self, wait: float, on_wait: Callable[[str], None] | None = None) -> None:
        """Take the lock, waiting up to ``wait`` seconds; ``on_wait`` is told once, in words, who holds it.

        Raises IndexBusyError when the time is up.
        """
        file = self._opened()
        try:
            self._lock(file, wait, on_wait)
        except BaseException:
            os.close(file)
            raise
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        self._file = file

    def _opened(self) -> int:
        """The file's descriptor. It is overwritten, and its folder may have come with a stranger's files: a link, or
        a file that holds anything but the number of a process, is left alone."""
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise GwIndexError(f"{self._path} is a link", hint="remove it; gw makes a file there") from error
            raise
        if not stat.S_ISREG(os.fstat(file).st_mode) or os.pread(file, 32, 0).strip(b"0123456789"):
            os.close(file)
            raise GwIndexError(f"{self._path} is no lock of gw", hint="move it away; gw makes a file there")
        return file

    def _lock(self, file: int, wait: float, on_wait: Callable[[str], None] | None) -> None:
        if fcntl is None:
            return
        deadline = time.monotonic() + wait
        told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(file, 32, 0).decode("ascii", "replace").strip() or "unknown"
                if not time.monotonic() < deadline:  # so that no number, NaN included, is for ever
                    raise IndexBusyError(
                        f"another gw is writing this index (process {holder})",
                        hint="try again when it has finished, or wait longer with --wait SECONDS",
                    ) from None
                if on_wait is not None and not told:
                    on_wait(f"waiting for another gw that is writing this index (process {holder})")
                    told = True
                time.sleep(0.05)
            except OSError as error:
                raise GwIndexError(
                    f"cannot lock {self._path}: {error.strerror}", hint="name a place on a local disk with --index"
                ) from error
            else:
                return

    def release(self) -> None:
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None
