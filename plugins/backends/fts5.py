"""SQLite FTS5, on disk, in the catalogue's own file: the default backend.

A contentless table of folded text, looked up by chunk id; BM25 as FTS5 computes it, over stems. What a query becomes is
in :mod:`gw_plugins.backends.fts5_expression`; exact forms and nearness are weighed later (:mod:`gw_core.rescore`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice

from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Chunk, Identity, Match
from gw_core.protocols import Backend, Index, Scope
from gw_core.query import Query
from gw_core.rescore import searchable
from gw_core.text import fold
from gw_plugins.backends.fts5_expression import Planner

VERSION = "1"

_BATCH = 128  # some 150 kB: what stays in a processor's cache is folded a fifth faster
_FEW_RANGES = 8
_LARGEST = 2**63 - 1
_MERGE_STEP = 500

_CREATE = """
CREATE VIRTUAL TABLE IF NOT EXISTS {text} USING fts5(
    body, content='', contentless_delete=1, detail=full, tokenize='porter ascii'
);
INSERT INTO {text}({name}, rank) VALUES ('automerge', 0);
INSERT INTO {text}({name}, rank) VALUES ('hashsize', 16777216);
CREATE VIRTUAL TABLE IF NOT EXISTS {words} USING fts5vocab({text}, row)
"""


class Fts5:
    """BM25 over folded words, stemmed in English, by prefix in other languages, by n-gram in unspaced scripts.

    ``prune_above``: an index of more chunks than this drops a query's most frequent words from the first look;
    ``budget``: as long as the others together match fewer than this share of all chunks. The words are dropped only
    from finding candidates; they count again when those are rescored.
    """

    lexical = True

    def __init__(self, index: Index, *, prune_above: int = 30_000, budget: float = 0.4) -> None:
        self._index = index
        self._db = index.connection
        self._prune_above = prune_above
        self._budget = budget
        name = f"{index.prefix}text"
        self._names = {"name": name, "text": _quoted_name(name), "words": _quoted_name(f"{index.prefix}words")}
        self._text = self._names["text"]
        self._planner = Planner(self._count, self._known)
        self._state: tuple[int, int] | None = None
        self._total = 0
        self._counts: dict[str, int] = {}

    @property
    def identity(self) -> Identity:
        # What pruning does is decided anew for every query; nothing of it is stored.
        return Identity("fts5", VERSION, {"fold": fold.VERSION})

    # -- writing --------------------------------------------------------------------------------------------------

    def add(self, chunks: Iterable[Chunk]) -> None:
        chunks = iter(chunks)
        while batch := list(islice(chunks, _BATCH)):
            if not self._exists():
                self._db.execute(_CREATE.format(**self._names))
            # An INSERT of a rowid that is there would leave a ghost: postings that nothing can ever remove.
            self._db.executemany(
                f"INSERT OR REPLACE INTO {self._text}(rowid, body) VALUES (?, ?)",  # noqa: S608
                zip([chunk.id for chunk in batch], fold.fold_all(list(map(searchable, batch))), strict=True),
            )

    def remove(self, chunk_ids: Sequence[int]) -> None:
        if self._exists():
            self._db.executemany(
                f"DELETE FROM {self._text} WHERE rowid = ?",  # noqa: S608
                [(chunk_id,) for chunk_id in chunk_ids],
            )

    def clear(self) -> None:
        for table in ("words", "text"):
            self._db.execute(f"DROP TABLE IF EXISTS {self._names[table]}")

    def maintain(self, purge: bool = False) -> None:
        """Merge segments: a little after each ingest, all of them where removed text must be gone."""
        if not self._exists():
            return
        if purge:
            self._command("optimize")
            return
        # Four segments of one size become one larger: over many ingests each posting is rewritten a few times only.
        while True:
            before = self._db.total_changes()
            self._command("merge", _MERGE_STEP)
            if self._db.total_changes() - before < 2:
                return

    def _command(self, command: str, value: int | None = None) -> None:
        text, name = self._text, self._names["name"]
        if value is None:
            self._db.execute(f"INSERT INTO {text}({name}) VALUES (?)", (command,))  # noqa: S608
        else:
            self._db.execute(f"INSERT INTO {text}({name}, rank) VALUES (?, ?)", (command, value))  # noqa: S608

    # -- searching ------------------------------------------------------------------------------------------------

    def search(self, query: Query, k: int, scope: Scope | None = None) -> list[Match]:
        if k < 1 or not query.terms or not self._ready():
            return []
        budget = self._budget * self._total if self._total > self._prune_above else None
        clauses = self._planner.clauses(query, budget)
        if not clauses:
            return []
        expression = " OR ".join(clause.match for clause in clauses for _ in range(clause.weight))
        where, values = self._within(scope)
        rows: list[tuple[int, float]] = self._db.execute(
            f"SELECT rowid, -bm25({self._text}) FROM {self._text} "  # noqa: S608
            f"WHERE {self._text} MATCH ?{where} ORDER BY bm25({self._text}), rowid LIMIT ?",
            (expression, *values, min(k, _LARGEST)),
        ).fetchall()  # type: ignore[assignment]
        return [Match(chunk_id, score, {"bm25": round(score, 4)}) for chunk_id, score in rows]

    def df(self, terms: Sequence[str]) -> list[int]:
        if not self._ready():
            return [0] * len(terms)
        return [self._count(" OR ".join(self._planner.expressions(term))) if term.split() else 0 for term in terms]

    def _within(self, scope: Scope | None) -> tuple[str, tuple[int, ...]]:
        """The condition on rowid that a scope makes, and its values."""
        if scope is None:
            return "", ()
        if len(scope.ranges) <= _FEW_RANGES:
            condition = " OR ".join("rowid BETWEEN ? AND ?" for _ in scope.ranges) or "FALSE"
            return f" AND ({condition})", tuple(bound for pair in scope.ranges for bound in pair)
        table = f"temp.{_quoted_name(self._index.prefix + 'scope')}"
        self._db.execute(
            f"CREATE TABLE IF NOT EXISTS {table}(first INTEGER PRIMARY KEY, last INTEGER); DELETE FROM {table}"  # noqa: S608
        )
        self._db.executemany(f"INSERT INTO {table} VALUES (?, ?)", scope.ranges)  # noqa: S608
        # The last range that begins at or before the row is the only one that can hold it.
        last = f"SELECT last FROM {table} WHERE first <= {self._text}.rowid ORDER BY first DESC LIMIT 1"  # noqa: S608
        return f" AND ({last}) >= rowid", ()

    # -- statistics -----------------------------------------------------------------------------------------------

    def _exists(self) -> bool:
        query = "SELECT count(*) FROM main.sqlite_schema WHERE name = ?"
        return bool(self._db.execute(query, (self._names["name"],)).get)

    def _ready(self) -> bool:
        """Whether there is anything to search. Forgets what was remembered of an index that has changed since."""
        if not self._exists():
            return False
        state = (int(self._db.pragma("data_version")), self._db.total_changes())
        if state != self._state:
            self._state = state
            self._counts = {}
            docsize = _quoted_name(self._names["name"] + "_docsize")
            self._total = int(self._db.execute(f"SELECT count(*) FROM {docsize}").get)  # noqa: S608
        return True

    def _count(self, expression: str) -> int:
        """In how many chunks an FTS5 expression matches."""
        count = self._counts.get(expression)
        if count is None:
            query = f"SELECT count(*) FROM {self._text} WHERE {self._text} MATCH ?"  # noqa: S608
            count = self._counts[expression] = int(self._db.execute(query, (expression,)).get)
        return count

    def _known(self, stems: Iterable[str]) -> set[str]:
        """Which of these stems the index has."""
        query = f"SELECT term FROM {self._names['words']} WHERE term IN (SELECT value FROM json_each(?))"  # noqa: S608
        return {term for (term,) in self._db.execute(query, (json.dumps(list(stems)),))}


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@hookimpl
def gw_register_backends(register: Register[Backend]) -> None:
    register("fts5", "gw_plugins.backends.fts5:Fts5", help="SQLite FTS5, on disk; the default")
