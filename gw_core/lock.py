"""One writer at a time: a lock on a file, which the system releases however the process ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from gw_core.errors import IndexBusyError

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
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._lock(file, wait, on_wait)
        except BaseException:
            os.close(file)
            raise
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        self._file = file

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
            else:
                return

    def release(self) -> None:
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None
