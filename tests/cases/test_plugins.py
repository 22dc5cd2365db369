"""Plugins of strangers, installed beside gw, met by its commands.

=====================================  ==================================================================
row                                    tests
=====================================  ==================================================================
a plugin that raises on import         test_a_plugin_that_fails_is_named_and_everything_else_works,
                                       test_a_plugin_that_ends_the_process_is_one_that_fails
two plugins offer one name             test_two_owners_of_a_name_are_named_and_either_can_be_picked
a backend that breaks its contract     test_a_backend_that_talks_nonsense_is_named
=====================================  ==================================================================
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Installed = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, environment: dict[str, str]) -> Installed:
    """``install(distribution, source)``: a distribution with one plugin, as pip would have left it."""
    site = tmp_path / "site"
    environment["PYTHONPATH"] = str(site)

    def put(distribution: str, source: str, point: str = "") -> None:
        module = distribution.replace("-", "_")
        info = site / f"{module}-1.5.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.5\n")
        (info / "entry_points.txt").write_text(f"[gw]\n{point or distribution} = {module}\n")
        (site / f"{module}.py").write_text(source)

    return put


@pytest.fixture
def gw(tmp_path: Path, environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("The harbour is closed in winter.\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gw_core", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=corpus, env=environment, check=False)

    return run


HOOK = "from gw_core.hookspecs import hookimpl\n@hookimpl\ndef "
FAILING = {
    "raises": "raise RuntimeError('out of order')",
    "syntax": "def broken(:",
    "missing": "import no_such_module_anywhere",
    "recursion": "def f(): f()\nf()",
    "memory": "raise MemoryError",
    "group": "raise BaseException('at the root')",
    "many lines": "raise ValueError('one\\ntwo\\x1b[31m')",
    "no text": "class E(Exception):\n    def __str__(self): raise KeyError\nraise E",
    "hook": f"{HOOK}gw_register_backends(register):\n    register(1, 2, 3)\n",
    "in the hook": f"{HOOK}gw_register_readers(register):\n    raise OSError('no')\n",
    "misspelt": f"{HOOK}gw_register_backend(register): pass\n",
    "arguments": f"{HOOK}gw_register_backends(registry, more): pass\n",
}


@pytest.mark.parametrize("kind", FAILING)
def test_a_plugin_that_fails_is_named_and_everything_else_works(install: Installed, gw: Any, kind: str) -> None:
    install("their-plugin", FAILING[kind])
    ran = gw("search", "harbour", ".", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["hits"][0]["path"] == "a.txt"
    warnings = [line for line in ran.stderr.splitlines() if "their-plugin" in line]
    assert len(warnings) == 1, ran.stderr
    assert "1.5" in warnings[0]
    assert "\x1b" not in ran.stderr
    assert "Traceback" not in ran.stderr
    listed = gw("plugins", "--json")
    assert listed.returncode == 0
    (problem,) = json.loads(listed.stdout)["problems"]
    assert problem["distribution"] == "their-plugin"


@pytest.mark.parametrize("end", ["import sys; sys.exit(7)", "raise SystemExit('bye')", "exit()", "raise GeneratorExit"])
def test_a_plugin_that_ends_the_process_is_one_that_fails(install: Installed, gw: Any, end: str) -> None:
    install("their-plugin", end)
    ran = gw("search", "harbour", ".")
    assert ran.returncode == 0, ran
    assert "their-plugin 1.5" in ran.stderr


def test_a_plugin_that_prints_does_not_spoil_the_result(install: Installed, gw: Any) -> None:
    install("their-plugin", "print('hello')\nimport os, sys\nsys.stdout.write('there')\n")
    ran = gw("search", "harbour", ".", "--json")
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["hits"]


BACKEND = """
from gw_core.hookspecs import hookimpl
from gw_core.model import Identity, Match

class Theirs:
    lexical = False
    identity = Identity("theirs", "1")
    def add(self, chunks): list(chunks)
    def remove(self, chunk_ids): pass
    def clear(self): pass
    def df(self, terms): return [0] * len(terms)
    def maintain(self, purge=False): pass
    def search(self, query, k, scope=None):
        {search}

@hookimpl
def gw_register_backends(register):
    register("theirs", Theirs, help="theirs")
"""


def test_two_owners_of_a_name_are_named_and_either_can_be_picked(install: Installed, gw: Any) -> None:
    for distribution in ("first-dist", "second-dist"):
        install(distribution, BACKEND.format(search="return [Match(1, 1.0)]"))
    for arguments in (
        ["-o", "ingest.backends=fts5,theirs", "ingest", "."],
        ["search", "harbour", "--backend", "theirs"],
    ):
        if arguments[0] == "search":
            assert gw("ingest", ".").returncode == 0, "all else works"
        ran = gw(*arguments)
        assert ran.returncode == 2, ran
        assert "first-dist" in ran.stderr
        assert "second-dist" in ran.stderr
        assert ran.stderr.count("\n") == 1
    assert gw("search", "harbour").returncode == 0
    picked = ("-o", "ingest.backends=fts5,second-dist:theirs")
    assert gw(*picked, "ingest", ".").returncode == 0
    ran = gw(*picked, "search", "harbour", "--backend", "second-dist:theirs", "--json")
    assert ran.returncode == 0, ran
    assert json.loads(ran.stdout)["hits"][0]["path"] == "a.txt"
    (conflict,) = json.loads(gw("plugins", "--json").stdout)["conflicts"]
    assert conflict["name"] == "theirs"


@pytest.mark.parametrize(
    "search",
    [
        "return [Match(1, 1.0)] * (k + 1)",
        "return [Match(1, float('nan'))]",
        "return [Match(1, float('inf')), Match(1, 1.0)]",
        "return [Match(99, 1.0)]",
        "return [Match(-1, 1.0)]",
        "return [Match(2**70, 1.0)]",
        "return [Match('1', 1.0)]",
        "return [Match(1, '1.0')]",
        "return [Match(None, 1.0)]",
        "return [(1, 1.0)]",
        "return None",
        "return 7",
        "return iter(())",
        "raise ValueError('one\\ntwo')",
        "raise SystemExit(9)",
        "raise RecursionError",
    ],
)
def test_a_backend_that_talks_nonsense_is_named(install: Installed, gw: Any, search: str) -> None:
    install("their-plugin", BACKEND.format(search=search))
    ran = gw("-o", "ingest.backends=fts5,theirs", "search", "harbour", ".", "--backend", "theirs", "--json")
    if search == "return iter(())" and ran.returncode == 3:  # nothing found, in an odd way
        return
    assert ran.returncode == 1, ran
    assert "theirs" in json.loads(ran.stdout)["error"]["message"]
    assert "internal" not in ran.stderr
    assert [line for line in ran.stderr.splitlines() if line.startswith("gw: error: ")] == ran.stderr.splitlines()[-1:]
    assert gw("-o", "ingest.backends=fts5,theirs", "search", "harbour").returncode == 0


@pytest.mark.parametrize("method", ["add", "maintain", "clear"])
@pytest.mark.parametrize("failure", ["raise KeyError('x')", "raise SystemExit(9)", "self.no_such"])
def test_a_backend_that_cannot_index_is_named_and_nothing_is_half_done(
    install: Installed, gw: Any, method: str, failure: str
) -> None:
    source = BACKEND.format(search="return []")
    install(
        "their-plugin",
        source
        + f"""
def fail(self, *arguments, **named):
    {failure}
Theirs.{method} = fail
""",
    )
    assert gw("ingest", ".").returncode == 0
    ran = gw("-o", "ingest.backends=fts5,theirs", "ingest", ".", "--json")
    assert ran.returncode == 1, ran
    assert "theirs" in json.loads(ran.stdout)["error"]["message"]
    assert "internal" not in ran.stderr
    assert gw("search", "harbour").returncode == 0
    assert gw("ingest", ".").returncode == 0
