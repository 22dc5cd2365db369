"""Packing text: zlib streams, which any zlib reads, written by the fastest one at hand."""

from __future__ import annotations

import zlib
from importlib import import_module

try:
    _fast = import_module("isal.isal_zlib")
except ImportError:  # no wheel for this machine
    _fast = zlib

CompressionError = zlib.error
decompress = zlib.decompress


def compress(data: bytes) -> bytes:
    """``data`` as a zlib stream, packed for speed."""
    packed: bytes = _fast.compress(data, 1)
    return packed
