"""Stems exactly as the index makes them: by asking SQLite's own ``porter ascii`` tokenizer.

A second implementation of Porter's algorithm would differ from FTS5's somewhere (it leaves tokens of more than 64 bytes
alone, and lets bytes beyond ASCII count as consonants), and a stem that differs finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from threading import Lock

import apsw

TOKENIZER = ("porter", "ascii")
"""The FTS5 tokenizer that folded text is indexed with."""

_CACHE_LIMIT = 1 << 15
_FOLDED = re.compile(r"(?:[0-9a-z]|[^\x00-\x7f\ud800-\udfff])+")


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
        proper = [token for token in tokens if _FOLDED.fullmatch(token)]
        answer = dict(zip(proper, self._tokens(" ".join(proper)), strict=True))
        for token in tokens:
            if token not in answer:
                answer[token] = " ".join(self._tokens(token))
        return answer

    def _tokens(self, text: str) -> list[str]:
        with self._lock:
            # Without offsets and colocated tokens the answer is a plain list of strings.
            return self._tokenizer(  # type: ignore[return-value]
                text.encode("utf-8", "replace"),
                apsw.FTS5_TOKENIZE_DOCUMENT,
                None,
                include_offsets=False,
                include_colocated=False,
            )


_stemmer: _Stemmer | None = None


def stems(tokens: Sequence[str]) -> list[str]:
    """The stem of each folded token, in order. What is not a folded token is given back as the tokenizer splits it."""
    global _stemmer  # noqa: PLW0603 - the connection is made when first needed, not at import
    if _stemmer is None:
        _stemmer = _Stemmer()
    return _stemmer(tokens)
