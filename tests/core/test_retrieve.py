from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import gw_core
from gw_core.errors import PluginError, UnknownNameError, UsageError
from gw_core.model import Hit, Identity, Match, Verdict
from gw_core.plugins import Plugins
from gw_core.query import Query
from gw_core.registry import Owner
from gw_core.retrieve import Search, acceptor


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {
        "src/app/main.py": "def open_harbour(name):\n    return name\n",
        "src/util.py": "def close_harbour(name):\n    return None\n",
        "docs/guide.md": "# Guide\n\nThe harbour is closed in winter.\n",
        "docs/old/guide.md": "# Old guide\n\nThe harbour was never closed.\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def ws(root: Path) -> Iterator[gw_core.Workspace]:
    with gw_core.open(root) as opened:
        opened.ingest([root])
        yield opened


def paths(result: gw_core.SearchResult) -> set[str]:
    return {one.passage.path for one in result.evidence}


def test_every_hit_is_cited_verified_and_explained(ws: gw_core.Workspace, root: Path) -> None:
    result = ws.search("harbour winter")
    best = result.evidence[0]
    assert best.passage.path == "docs/guide.md"
    assert best.verification.verdict is Verdict.VERIFIED
    text = (root / "docs/guide.md").read_text()
    assert text[best.citation.start : best.citation.end] == best.passage.text
    why = best.passage.hits[0].why
    assert why["backend"] == "fts5"
    assert {"harbour", "winter"} <= set(why["terms"])


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (["src/**"], {"src/app/main.py", "src/util.py"}),
        (["src/*"], {"src/app/main.py", "src/util.py"}),
        (["src/*.py"], {"src/util.py"}),
        (["*.md"], {"docs/guide.md", "docs/old/guide.md"}),
        (["docs"], {"docs/guide.md", "docs/old/guide.md"}),
        (["docs/guide.md", "src/util.py"], {"docs/guide.md", "src/util.py"}),
        (["**/guide.md"], {"docs/guide.md", "docs/old/guide.md"}),
        (["nothing/**"], set()),
        (["docs", "!old/"], {"docs/guide.md"}),
        (["!docs/**"], {"src/app/main.py", "src/util.py"}),
    ],
)
def test_a_scope_limits_the_search(ws: gw_core.Workspace, scope: list[str], expected: set[str]) -> None:
    assert paths(ws.search("harbour", scope=scope)) == expected


def test_what_was_looked_at_is_the_scope(ws: gw_core.Workspace) -> None:
    assert ws.search("harbour").looked_at["documents"] == 4
    limited = ws.search("harbour", scope=["src/**", "docs/old"]).looked_at
    assert limited == {"documents": 3, "chunks": 3}
    assert ws.search("harbour", scope=["nothing/**"]).looked_at == {"documents": 0, "chunks": 0}


def test_globs_and_paths_must_both_fit() -> None:
    accept = acceptor(Search("x", scope=("*.py",), below=("src",)))
    assert accept("src/a.py")
    assert not accept("src/a.md")
    assert not accept("srcs/a.py")


@pytest.mark.parametrize("glob", ["[", "[]", "[!]", "a[b", "**", "[z-a]", "\\", "(", "*" * 50, ""])
def test_no_glob_is_a_traceback(ws: gw_core.Workspace, glob: str) -> None:
    with contextlib.suppress(UsageError):
        ws.search("harbour", scope=[glob])


@pytest.mark.parametrize("k", [0, -1, -(10**12)])
def test_k_below_one_is_a_usage_error(ws: gw_core.Workspace, k: int) -> None:
    with pytest.raises(UsageError):
        ws.search("harbour", k=k)


def test_a_huge_k_returns_what_there_is(ws: gw_core.Workspace) -> None:
    assert len(paths(ws.search("harbour", k=10**12))) == 4


def test_an_unknown_backend_is_named_with_the_nearest(ws: gw_core.Workspace) -> None:
    with pytest.raises(UnknownNameError, match="fts5"):
        ws.search("harbour", backend="fts4")


def test_the_order_is_the_same_whatever_the_order_of_ingest(tmp_path: Path) -> None:
    orders = []
    for turn, names in enumerate((["a", "b", "c"], ["c", "a", "b"])):
        root = tmp_path / str(turn)
        root.mkdir()
        with gw_core.open(root) as ws:
            for number, name in enumerate(names):
                (root / f"{name}.txt").write_text(f"The harbour of {name}{'abc'.index(name)} is closed.\n")
                ws.ingest([root / f"{name}.txt"])
                assert number >= 0
            orders.append([one.passage.path for one in ws.search("harbour closed").evidence])
    assert orders[0] == orders[1] == ["a.txt", "b.txt", "c.txt"]


def test_what_changed_since_it_was_indexed_says_so(ws: gw_core.Workspace, root: Path) -> None:
    (root / "docs/guide.md").write_text("Something else altogether stands here now, and it is long enough.\n")
    (root / "docs/old/guide.md").unlink()
    verdicts = {one.passage.path: one.verification.verdict for one in ws.search("harbour").evidence}
    assert verdicts["docs/guide.md"] is Verdict.DRIFTED
    assert verdicts["docs/old/guide.md"] is Verdict.MISSING
    assert verdicts["src/util.py"] is Verdict.VERIFIED


class Backend:
    """A backend that returns what a test wants."""

    identity = Identity("odd", "1")
    lexical = False

    def __init__(self, matches: list[Match]) -> None:
        self._matches = matches

    def search(self, query: Query, k: int, scope: object = None) -> list[Match]:
        return self._matches

    def df(self, terms: Sequence[str]) -> list[int]:
        return [0] * len(terms)


@pytest.mark.parametrize(
    "matches",
    [
        [Match(1, float("nan"))],
        [Match(1, 1.0), Match(2, 2.0)],
        [Match(1, 1.0), Match(1, 1.0)],
        [Match(999, 1.0)],
        [Match(n, 1.0) for n in range(1, 300)],
    ],
    ids=["nan", "unsorted", "twice", "unknown", "too many"],
)
def test_a_backend_that_breaks_its_contract_is_named(root: Path, matches: list[Match]) -> None:
    plugins = Plugins()
    plugins.registry("backends").add("odd", lambda: Backend(matches), owner=Owner("tests"))
    with gw_core.open(root, plugins=plugins) as ws:
        ws.ingest([root])
        with pytest.raises(PluginError, match="odd"):
            ws.search("harbour", backend="odd")


class Reverse:
    identity = Identity("reverse", "1")

    def rerank(self, query: Query, hits: Sequence[Hit]) -> Sequence[Hit]:
        return list(reversed(hits))


class Doubling(Reverse):
    def rerank(self, query: Query, hits: Sequence[Hit]) -> Sequence[Hit]:
        return [*hits, *hits]


def test_rerankers_are_applied_and_held_to_their_contract(root: Path) -> None:
    plugins = Plugins()
    plugins.registry("rerankers").add("reverse", Reverse, owner=Owner("tests"))
    plugins.registry("rerankers").add("doubling", Doubling, owner=Owner("tests"))
    with gw_core.open(root, plugins=plugins) as ws:
        ws.ingest([root])
        plain = [one.passage.path for one in ws.search("harbour closed winter").evidence]
        turned = [one.passage.path for one in ws.search("harbour closed winter", rerank=["reverse"]).evidence]
        assert turned == plain[::-1]
        with pytest.raises(PluginError, match="doubling"):
            ws.search("harbour", rerank=["doubling"])


def test_the_one_chunk_with_the_rarest_word_is_found_among_many_that_lack_only_it(tmp_path: Path) -> None:
    for number in range(120):
        (tmp_path / f"near{number:03}.md").write_text(f"The storage key of the harrow station is {number} red.\n")
    lines = "".join(f"    other_{number} = thing({number})\n" for number in range(60))
    note = "    # The storage key of the harrow station Zwq is blue.\n"
    (tmp_path / "there.py").write_text(f"def work():\n{lines}{note}{lines}")
    with gw_core.open(tmp_path) as ws:
        ws.ingest([tmp_path])
        found = ws.search("storage key of the harrow station zwq", k=5)
        assert found.evidence[0].passage.path == "there.py"
        assert "zwq" in found.evidence[0].passage.hits[0].why["terms"]
        limited = ws.search("storage key of the harrow station zwq", k=5, scope=["near*"])
        assert "there.py" not in paths(limited)
