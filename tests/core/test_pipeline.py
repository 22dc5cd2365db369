from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

import gw_core
from gw_core.errors import ConfigError, IndexVersionError, UnknownNameError, UsageError
from gw_core.model import Chunk, Identity, Match
from gw_core.plugins import Plugins
from gw_core.protocols import Backend, Scope
from gw_core.query import Query
from gw_core.registry import Owner


class Both:
    """The matches of all its parts, each chunk at its best."""

    lexical = True

    def __init__(self, of: list[Backend], bonus: float = 0.0) -> None:
        self._parts = of
        self.bonus = bonus
        self.identity = Identity("both", "1")

    def add(self, chunks: Iterable[Chunk]) -> None: ...

    def remove(self, chunk_ids: Sequence[int]) -> None: ...

    def clear(self) -> None: ...

    def maintain(self, purge: bool = False) -> None: ...

    def search(self, query: Query, k: int, scope: Scope | None = None) -> list[Match]:
        best: dict[int, Match] = {}
        for match in [match for part in self._parts for match in part.search(query, k, scope)]:
            if match.chunk_id not in best or match.score > best[match.chunk_id].score:
                best[match.chunk_id] = match
        return sorted(best.values(), key=lambda match: (-match.score, match.chunk_id))[:k]

    def df(self, terms: Sequence[str]) -> list[int]:
        return self._parts[0].df(terms)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("The harbour is closed in winter.\n")
    return tmp_path


def workspace(root: Path, *overrides: str) -> gw_core.Workspace:
    plugins = Plugins()
    plugins.registry("backends").add("both", Both, owner=Owner("tests"))
    return gw_core.open(root, plugins=plugins, overrides=overrides)


def test_a_backend_made_of_others_brings_them_into_the_ingest(root: Path) -> None:
    settings = ("backends.first.use=fts5", "backends.second.use=fts5", "backends.pair.use=both")
    settings += ("backends.pair.of=first,second", "ingest.backends=pair", "retrieve.backend=pair")
    with workspace(root, *settings) as ws:
        assert ws.pipeline.ingest_backends == ("first", "second", "pair")
        ws.ingest([root])
        (found,) = ws.search("harbour").evidence
        assert found.passage.path == "a.txt"
        assert {one.name: one.complete for one in ws.status().backends} == dict.fromkeys(
            ("first", "second", "pair"), True
        )


def test_two_backends_of_one_kind_keep_their_own_tables(root: Path) -> None:
    with workspace(root, "backends.first.use=fts5", "ingest.backends=first,fts5") as ws:
        ws.ingest([root])
        assert ws.search("harbour", backend="first").evidence
        assert ws.search("harbour", backend="fts5").evidence


def test_a_backend_that_the_index_was_made_without_is_named_with_the_way_out(root: Path) -> None:
    with workspace(root, "backends.other.use=fts5") as ws:
        ws.ingest([root])
        with pytest.raises(UsageError, match=r"without the backend 'other'.*gw ingest.*fts5"):
            ws.search("harbour", backend="other")


def test_other_settings_of_a_backend_are_noticed(root: Path) -> None:
    class Versioned(Both):
        def __init__(self, version: str = "1") -> None:
            super().__init__([])
            self.identity = Identity("versioned", version)

    plugins = Plugins()
    plugins.registry("backends").add("versioned", Versioned, owner=Owner("tests"))
    with gw_core.open(root, plugins=plugins, overrides=["ingest.backends=versioned"]) as ws:
        ws.ingest([root])
    newer = ["ingest.backends=versioned", "backends.versioned.use=versioned", "backends.versioned.version=two"]
    with gw_core.open(root, plugins=plugins, overrides=newer) as ws:
        with pytest.raises(IndexVersionError, match="other settings"):
            ws.search("harbour", backend="versioned")
        assert any("built again" in note for note in ws.ingest().notes)


@pytest.mark.parametrize(
    ("override", "error", "words"),
    [
        ("retrieve.backend=fts4", UnknownNameError, "did you mean 'fts5'"),
        ("ask.reader=regexx", UnknownNameError, "did you mean 'regex'"),
        ("ingest.chunker=txt", UnknownNameError, "text"),
        ("retrieve.rerank=mmr", UnknownNameError, "mmr"),
        ("ask.verifiers=quotes", UnknownNameError, "quotes"),
        ("backends.fts5.budgett=1", ConfigError, "budgett"),
    ],
)
def test_a_wrong_name_is_a_usage_error_that_names_the_nearest(
    root: Path, override: str, error: type[Exception], words: str
) -> None:
    with workspace(root, override) as ws, pytest.raises(error, match=words):
        ws.ask("is the harbour closed in winter?", [root])


def test_components_are_made_once(root: Path) -> None:
    with workspace(root) as ws:
        assert ws.pipeline.reader()[1] is ws.pipeline.reader()[1]
        assert ws.pipeline.chunker_for("text") is ws.pipeline.chunker_for("code")


def test_a_name_decides_the_loader_by_its_longest_ending(root: Path) -> None:
    with workspace(root) as ws:
        assert ws.pipeline.loader_for("a.md")[1].startswith("markdown@")
        assert ws.pipeline.loader_for("A.IPYNB")[1].startswith("notebook@")
        assert ws.pipeline.loader_for("noext")[1].startswith("text@")
