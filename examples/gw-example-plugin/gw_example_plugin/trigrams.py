"""A backend that finds words in spite of typing errors: chunks are ranked by the query's trigrams that they hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gw_core.model import Chunk, Identity, Match
from gw_core.protocols import Index, Scope
from gw_core.query import Query
from gw_core.text.fold import fold


class Trigrams:
    """``least`` is the share of the query's trigrams that a chunk must hold to be found at all."""

    lexical = False  # it does not score whole words, so the core must not refine its order by them

    def __init__(self, index: Index, *, least: float = 0.3) -> None:
        if not 0 < least <= 1:
            raise ValueError(f"least must be above 0 and at most 1, not {least}")
        self.identity = Identity("trigrams", "1")
        self._least = least
        self._connection = index.connection
        self._table = f"{index.prefix}grams"
        if index.writable:
            self._connection.execute(
                f"CREATE TABLE IF NOT EXISTS {self._table} (gram TEXT, chunk INTEGER, PRIMARY KEY (gram, chunk))"
                " WITHOUT ROWID"
            )
            self._connection.execute(f"CREATE INDEX IF NOT EXISTS {self._table}_chunk ON {self._table} (chunk)")

    def add(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            self.remove([chunk.id])
            rows = ((gram, chunk.id) for gram in sorted(trigrams(chunk.text)))
            self._connection.executemany(f"INSERT INTO {self._table} VALUES (?, ?)", rows)

    def remove(self, chunk_ids: Sequence[int]) -> None:
        rows = ((chunk_id,) for chunk_id in chunk_ids)
        self._connection.executemany(f"DELETE FROM {self._table} WHERE chunk = ?", rows)

    def clear(self) -> None:
        self._connection.execute(f"DELETE FROM {self._table}")

    def search(self, query: Query, k: int, scope: Scope | None = None) -> list[Match]:
        wanted = trigrams(query.text)
        inside = (
            ""
            if scope is None
            else "AND EXISTS (SELECT 1 FROM json_each(:ranges) WHERE chunk BETWEEN value ->> 0 AND value ->> 1)"
        )
        rows = self._connection.execute(
            f"SELECT chunk, count(*) AS shared FROM {self._table}"
            f" WHERE gram IN (SELECT value FROM json_each(:grams)) {inside}"
            " GROUP BY chunk HAVING shared >= :least ORDER BY shared DESC, chunk LIMIT :k",
            {
                "grams": json.dumps(sorted(wanted)),
                "ranges": json.dumps([] if scope is None else [list(pair) for pair in scope.ranges]),
                "least": self._least * len(wanted),
                "k": k,
            },
        )
        return [
            Match(chunk, shared / len(wanted), {"trigrams": f"{shared} of {len(wanted)}"}) for chunk, shared in rows
        ]

    def df(self, terms: Sequence[str]) -> list[int]:
        return [len(self.search(Query(term, (term,)), k=2**62)) for term in terms]

    def maintain(self, purge: bool = False) -> None:
        """Nothing to do: rows are deleted at once, and the catalogue overwrites what was deleted."""


def trigrams(text: str) -> set[str]:
    """``"cat sat"`` -> the groups of three in ``" cat "`` and ``" sat "``."""
    words = set(fold(text).split())
    return {f" {word} "[at : at + 3] for word in words for at in range(len(word))}
