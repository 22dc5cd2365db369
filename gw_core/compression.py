"""Packing text: zlib streams, which any zlib reads, written and read by the fastest one at hand."""

from __future__ import annotations

import zlib
from importlib import import_module

try:
    _fast = import_module("isal.isal_zlib")
except ImportError:  # no wheel for this machine
    _fast = zlib

_ERRORS: tuple[type[Exception], ...] = (zlib.error, _fast.error)


def compress(data: bytes) -> bytes:
    """``data`` as a zlib stream, packed for speed."""
    packed: bytes = _fast.compress(data, 1)
    return packed


def decompress(data: bytes) -> bytes:
    """The inverse of :func:`compress`. Raises ValueError for a stream that is not whole."""
    try:
        unpacked: bytes = _fast.decompress(data)
    except _ERRORS as error:
        raise ValueError(f"packed text is damaged: {error}") from error
    return unpacked
