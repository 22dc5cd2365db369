"""Stems exactly as the index makes them: by asking SQLite's own ``porter ascii`` tokenizer.

A second implementation of Porter's algorithm would differ from FTS5's somewhere (it leaves tokens of more than 64 bytes
alone, and lets bytes beyond ASCII count as consonants), and a stem that differs finds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import apsw

TOKENIZER = ("porter", "ascii")
"""The FTS5 tokenizer that folded text is indexed with."""

_CACHE_LIMIT = 1 << 15


class _Stemmer:
    """The tokenizer of one in-memory connection, with a cache; one call at a time, as SQLite wants it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection = apsw.Connection(":memory:")
        self._tokenizer = self._connection.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))
        self._cache: dict[str, str] = {}

    def __call__(self, tokens: Sequence[str]) -> list[str]:
        cache = self._cache
        missing = {token for token in tokens if token not in cache}
        if missing:
            if len(cache) + len(missing) > _CACHE_LIMIT:
                # A new dictionary, so that a call in another thread keeps reading the one it began with.
                cache = {token: cache[token] for token in tokens if token in cache}
            cache.update(self._ask(list(missing)))
            self._cache = cache
        return [cache[token] for token in tokens]

    def _ask(self, tokens: list[str]) -> dict[str, str]:
        with self._lock:
            found = self._tokenizer(
                " ".join(tokens).encode("utf-8", "replace"),
                apsw.FTS5_TOKENIZE_DOCUMENT,
                None,
                include_offsets=False,
                include_colocated=False,
            )
        if len(found) == len(tokens):
            return dict(zip(tokens, found, strict=True))
        # Something in there is not one folded token. Only those are asked for one by one.
        if len(tokens) == 1:
            return {tokens[0]: " ".join(found) or tokens[0]}
        half = len(tokens) // 2
        return self._ask(tokens[:half]) | self._ask(tokens[half:])


_stemmer: _Stemmer | None = None


def stems(tokens: Sequence[str]) -> list[str]:
    """The stem of each folded token, in order. What is not a folded token is given back as the tokenizer splits it."""
    global _stemmer  # noqa: PLW0603 - the connection is made when first needed, not at import
    if _stemmer is None:
        _stemmer = _Stemmer()
    return _stemmer(tokens)
