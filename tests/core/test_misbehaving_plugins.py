"""Plugins that break their contracts, met by a whole run: they are named, and everything else works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gw_core
from gw_core.errors import ConfigError, MissingExtraError, PluginError, UnknownNameError
from gw_core.model import Check, Chunk, ChunkSpan, Hit, Identity, Match, Reading
from gw_core.plugins import EntryPoint, Plugins, find_entry_points

BROKEN = "raise RuntimeError('out of order')"
BUILT_IN = [one for one in find_entry_points() if one.distribution == "gw-toolkit"]


class Sloppy:
    """A backend that returns what a test wants."""

    lexical = False
    identity = Identity("sloppy", "1")
    answer: object = ()

    def add(self, chunks):
        self.ids = [chunk.id for chunk in chunks]

    def remove(self, chunk_ids):
        pass

    def clear(self):
        pass

    def search(self, query, k, scope=None):
        return self.answer(k) if callable(self.answer) else self.answer

    def df(self, terms):
        return [0] * len(terms)

    def maintain(self, purge=False):
        pass


class Half:
    """A chunker that leaves half of the text out."""

    identity = Identity("half", "1")

    def spans(self, document):
        yield ChunkSpan(0, len(document.text) // 2)


class Liar:
    """A reader whose quote stands nowhere."""

    identity = Identity("liar", "1")
    window = 100
    max_parallel = 1
    returns: object = Reading("The moon is made of cheese.")

    def count_tokens(self, text):
        return len(text)

    def answer(self, question, passages):
        return self.returns


class Judge:
    """A verifier or reranker that does what a test wants."""

    identity = Identity("judge", "1")


class Needy:
    """A component that cannot be made."""

    def __init__(self):
        raise RuntimeError("no connection")


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """Opens a workspace with three notes and all built-in components beside this module's."""
    monkeypatch.chdir(tmp_path)
    for number, text in enumerate(["Logs are kept for thirty days.", "Oil is slick.", "Penguins are black."]):
        (tmp_path / f"{number}.txt").write_text(text)

    opened = []

    def make(*overrides: str) -> gw_core.Workspace:
        plugins = Plugins(BUILT_IN)
        theirs = EntryPoint("theirs", "theirs", "their-dist", "7.0").owner
        for kind, name, factory in (
            ("backends", "sloppy", Sloppy),
            ("chunkers", "half", Half),
            ("readers", "liar", Liar),
            ("readers", "needy", Needy),
            ("verifiers", "judge", Judge),
            ("rerankers", "judge", Judge),
        ):
            plugins.registry(kind).add(name, factory, owner=theirs)
        plugins.registry("readers").add("absent", "no_such_module:X", owner=theirs, requires=("their-dist[x]",))
        plugins.registry("readers").add("regex", Liar, owner=theirs)
        opened.append(gw_core.open(tmp_path, overrides=overrides, env={"GW_CONFIG": ""}, plugins=plugins))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda k: [Match(1, 1.0)] * (k + 1), "were asked for"),
        ([Match(1, 1.0), Match(2, 2.0)], "not in order"),
        ([Match(1, float("nan"))], "nan"),
        ([Match(1, 1.0), Match(1, 1.0)], "twice"),
        ([Match(987_654, 1.0)], "do not exist|no chunk"),
        (None, "TypeError"),
        (lambda k: {}["x"], "KeyError"),
    ],
)
def test_a_backend_that_breaks_its_contract_is_named(workspace, monkeypatch, answer, told):
    monkeypatch.setattr(Sloppy, "answer", staticmethod(answer) if callable(answer) else answer)
    ws = workspace("ingest.backends=fts5,sloppy")
    ws.ingest(["."])
    with pytest.raises(PluginError, match=told) as caught:
        ws.search("logs", backend="sloppy")
    assert "'sloppy'" in caught.value.message
    assert ws.search("logs").evidence[0].passage.path == "0.txt", "the other backend is not touched"


def test_a_chunker_that_leaves_text_out_is_named_for_each_file(workspace):
    report = workspace("ingest.chunker=half").ingest(["."])
    assert report.added == []
    assert {one.reason for one in report.skipped if one.path.endswith(".txt")} == {"plugin"}
    assert "chunker 'half' broke its contract" in next(one.detail for one in report.skipped if one.path == "0.txt")


def test_a_reader_that_makes_things_up_is_not_trusted(workspace):
    ws = workspace("ask.reader=liar")
    ws.ingest(["."])
    answer = ws.ask("for how many days are logs kept?", abstain=False)
    assert not answer.trusted
    assert answer.citations == ()
    assert "The moon is made of cheese." in answer.unsupported


@pytest.mark.parametrize(
    ("kind", "method", "result", "told"),
    [
        ("reader", "answer", "thirty days", "reader 'liar' broke its contract: it returned str"),
        ("reader", "answer", KeyError("x"), "reader 'liar' failed on a question: KeyError"),
        ("verifier", "check", Check("judge", 7.0), "verifier 'judge' broke its contract"),
        ("verifier", "check", Check("judge", float("nan")), "verifier 'judge' broke its contract"),
        ("verifier", "check", KeyError("x"), "verifier 'judge' failed on a reading: KeyError"),
        ("reranker", "rerank", KeyError("x"), "reranker 'judge' failed on a search: KeyError"),
        ("reranker", "rerank", None, "reranker 'judge' failed on a search: TypeError"),
        ("reranker", "rerank", [Hit(Chunk(99, "x", 0, 1, "x"), 1, 1.0)], "reranker 'judge' broke its contract"),
    ],
)
def test_a_component_that_fails_or_returns_something_else_is_named(workspace, monkeypatch, kind, method, result, told):
    def misbehave(self, *arguments):
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(Liar if kind == "reader" else Judge, method, misbehave, raising=False)
    chosen = {"reader": "ask.reader=liar", "verifier": "ask.verifiers=judge", "reranker": "retrieve.rerank=judge"}[kind]
    ws = workspace(chosen, *([] if kind == "reader" else ["ask.reader=gw-toolkit:regex"]))
    ws.ingest(["."])
    with pytest.raises(PluginError, match=told):
        ws.ask("for how many days are logs kept?", abstain=False)


@pytest.mark.parametrize(
    ("reader", "error", "told"),
    [
        ("needy", PluginError, "'needy' of their-dist 7.0 cannot be made: RuntimeError: no connection"),
        ("absent", MissingExtraError, "pip install 'their-dist[x]'"),
        ("regex", UnknownNameError, "their-dist:regex"),
        ("liarr", UnknownNameError, "did you mean 'liar'?"),
    ],
)
def test_a_reader_that_cannot_be_had_does_not_keep_a_search_from_working(workspace, reader, error, told):
    ws = workspace(f"ask.reader={reader}")
    ws.ingest(["."])
    assert ws.search("logs").evidence
    with pytest.raises(error) as caught:
        ws.ask("for how many days are logs kept?", abstain=False)
    assert told in str(caught.value)


def test_either_owner_of_a_name_can_be_picked(workspace):
    ws = workspace("ask.reader=gw-toolkit:regex")
    ws.ingest(["."])
    assert ws.ask("for how many days are logs kept?", abstain=False).text == "Logs are kept for thirty days."


def test_a_setting_that_a_component_does_not_have_is_an_error_of_the_config(workspace):
    with pytest.raises(ConfigError, match=r"unknown key 'shade' in \[readers\.liar\]"):
        workspace("ask.reader=liar", "readers.liar.shade=dark").ask("logs?", ["."], abstain=False)


def test_a_plugin_that_raises_on_import_is_a_warning_of_every_command_that_meets_it(tmp_path):
    site = tmp_path / "site"
    info = site / "broken_dist-3.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: broken-dist\nVersion: 3.1\n")
    (info / "entry_points.txt").write_text("[gw]\nbroken = broken_gw_plugin\n")
    (site / "broken_gw_plugin.py").write_text(BROKEN)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("Logs are kept for thirty days.")

    def gw(*arguments: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PYTHONPATH": os.fspath(site), "GW_CONFIG": ""}
        command = [sys.executable, "-m", "gw_core", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=Path(tmp_path / "corpus"), env=env, check=False
        )

    found = gw("search", "logs", ".", "--json")
    assert found.returncode == 0, found.stderr
    assert '"a.txt"' in found.stdout
    assert "plugin 'broken' of broken-dist 3.1 was skipped: RuntimeError: out of order" in found.stderr
    listed = gw("plugins", "--json")
    assert listed.returncode == 0
    assert "out of order" in listed.stdout
    assert "broken" not in gw("--version").stderr


def test_document_frequencies_that_are_none_are_named(workspace, monkeypatch):
    monkeypatch.setattr(Sloppy, "lexical", True)
    monkeypatch.setattr(Sloppy, "answer", [Match(1, 1.0)])
    monkeypatch.setattr(Sloppy, "df", lambda self, terms: [0])
    ws = workspace("ingest.backends=fts5,sloppy")
    ws.ingest(["."])
    with pytest.raises(PluginError, match="backend 'sloppy' broke its contract: 3 terms have the frequencies"):
        ws.search("three different words", backend="sloppy")
