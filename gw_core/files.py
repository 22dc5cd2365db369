"""Opening files below the root, and only those: the one door through which gw reads a corpus.

A path is relative to the root, with ``/``; bytes that are not UTF-8 stand in it as surrogate escapes, whatever the
locale says. Nothing outside the root is ever read, also when a folder on the way is swapped for a link between the
look and the opening, and nothing but a regular file: a FIFO, a socket or a device can't make the reader wait.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

from gw_core.errors import NOT_TEXT, LoadError

MAX_BYTES = 64_000_000
"""What is read of one file unless told otherwise, in bytes; a larger file is refused, never cut."""

_HEAD = 8192

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PROC = Path("/proc/self/fd").is_dir()
_LINK_IN_THE_WAY = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
_GONE = (errno.ENOENT, errno.ENOTDIR)


def path_bytes(path: str) -> bytes:
    """The file system's name of ``path``.

    >>> path_bytes("caf\\udce9.txt")
    b'caf\\xe9.txt'
    """
    return path.encode("utf-8", "surrogateescape")


def path_str(raw: bytes) -> str:
    """The inverse of :func:`path_bytes`."""
    return raw.decode("utf-8", "surrogateescape")


def location(root: Path, path: str) -> bytes:
    """``path`` below ``root`` as the operating system takes it."""
    return os.fsencode(root) + b"/" + path_bytes(path)


def open_regular(root: Path, path: str) -> int:
    """A file descriptor on the regular file ``path`` below ``root``; the caller closes it.

    Links are followed as long as they stay inside the root. ``root`` itself may be reached by a link.

    Raises :class:`LoadError` with a ``reason``: ``missing``, ``link-outside`` (also for ``..`` and absolute paths),
    ``link-loop``, ``not-a-file`` or ``unreadable``.
    """
    try:
        raw = path_bytes(path)
    except UnicodeEncodeError as error:  # a lone surrogate that stands for no byte
        raise LoadError(f"{path!r} cannot be the name of a file", reason="missing") from error
    parts = raw.split(b"/")
    if b"\0" in raw or not raw:
        raise LoadError(f"{path!r} cannot be the name of a file", reason="missing")
    if raw.startswith(b"/") or b".." in parts:
        raise LoadError(f"{path!r} is outside the root", reason="link-outside")
    descriptor = _open_at_once(location(root, path))
    if descriptor is not None:
        return descriptor
    try:
        return _open_beneath(root, parts, path)
    except OSError as error:
        if error.errno not in _LINK_IN_THE_WAY:
            raise _refusal(error, path) from error
    # A link stands somewhere on the way: see where it leads, then go there without following anything.
    try:
        top = os.path.realpath(os.fsencode(root))
        real = os.path.realpath(top + b"/" + raw, strict=True)
        inside = real[len(top.rstrip(b"/")) + 1 :] if _is_below(real, top) else b""
        if not inside:
            raise LoadError(f"{path!r} leads out of the root", reason="link-outside")
        return _open_beneath(root, inside.split(b"/"), path)
    except OSError as error:
        raise _refusal(error, path) from error


def read_regular(
    root: Path, path: str, max_bytes: int = MAX_BYTES, unwanted: Callable[[bytes], bool] | None = None
) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file below the root, and its status as it was when they were read.

    ``unwanted`` is asked about the first bytes of a larger file, so that a video need not be read to be left out
    (reason ``binary``). Raises :class:`LoadError` as :func:`open_regular` does, and with ``too-large`` for more than
    ``max_bytes``; the file may grow while it is read, so its size alone is not trusted.
    """
    descriptor = open_regular(root, path)
    try:
        status = os.fstat(descriptor)
        if status.st_size <= max_bytes:
            if unwanted is not None and status.st_size > _HEAD and unwanted(os.pread(descriptor, _HEAD, 0)):
                raise LoadError(NOT_TEXT, reason="binary")
            data = _read(descriptor, status.st_size, max_bytes)
            if len(data) <= max_bytes:
                return data, status
        raise LoadError(f"{path!r} is larger than {max_bytes} bytes", reason="too-large")
    except OSError as error:
        raise _refusal(error, path) from error
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int, max_bytes: int) -> bytes:
    """At most one byte more than ``max_bytes``; one read when the size was told rightly (/proc says 0)."""
    data = os.read(descriptor, size + 1)
    parts = [data]
    total = len(data)
    while data and total != size and total <= max_bytes:
        data = os.read(descriptor, min(1 << 20, max_bytes + 1 - total))
        parts.append(data)
        total += len(data)
    return b"".join(parts)


def _open_at_once(place: bytes) -> int | None:
    """Open a file by its whole path and ask the system afterwards which file that was: if no link stood on the way,
    the answer is the path itself. Half the time of going part by part; None whenever that is needed."""
    try:
        if not _PROC or not stat.S_ISREG(os.stat(place, follow_symlinks=False).st_mode):  # noqa: PTH116 (bytes)
            return None
        descriptor = os.open(place, _FILE)
    except OSError:
        return None
    try:
        opened = os.readlink(b"/proc/self/fd/%d" % descriptor)  # noqa: PTH115 (bytes)
        if opened == place and stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _open_beneath(root: Path, parts: list[bytes], path: str) -> int:
    """Open part by part, following no link at all."""
    folder = os.open(os.fsencode(root), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            if part in (b"", b"."):
                continue
            deeper = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = deeper
        name = parts[-1] or b"."
        # Looked at before it is opened, as opening a device can do something to it, and again when it is open.
        _must_be_regular(os.stat(name, dir_fd=folder, follow_symlinks=False), path)
        descriptor = os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        _must_be_regular(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _must_be_regular(status: os.stat_result, path: str) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not stat.S_ISREG(status.st_mode):
        raise LoadError(f"{path!r} is not a regular file", reason="not-a-file")


def _is_below(real: bytes, top: bytes) -> bool:
    return real.startswith(top.rstrip(b"/") + b"/")


def _refusal(error: OSError, path: str) -> LoadError:
    if error.errno in _GONE:
        return LoadError(f"{path!r} does not exist", reason="missing")
    if error.errno == errno.ELOOP:
        return LoadError(f"{path!r} is a link that leads to itself", reason="link-loop")
    if error.errno in (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP):  # a socket, a device without a driver
        return LoadError(f"{path!r} is not a regular file", reason="not-a-file")
    return LoadError(f"{path!r} cannot be read: {error.strerror}", reason="unreadable")
