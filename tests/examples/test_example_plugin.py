"""The example distribution, installed with pip into a fresh environment and used there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "examples" / "gw-example-plugin"
NAMES = {"backends": "trigrams", "readers": "lines", "commands": "wordcount"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the example in it. What is installed here lies beneath, so that neither
    the package index nor a build of gw is needed."""
    folder = tmp_path_factory.mktemp("example")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip())
    # addsitedir follows the .pth files of editable installs, which a bare path in a .pth does not.
    (site / "beneath.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    copy = folder / "source"  # a build leaves its traces in the source tree
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "--no-index", "--no-build-isolation", "--no-deps", copy], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return python


def gw(python: Path, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [python, "-m", "gw_core", *arguments], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


FACTS = (
    "Backups are made each night.",
    "Logs are kept for thirty days.",
    "Oil is slick.",
    "Penguins breed in the dark.",
    "The bridge was opened in 1932.",
    "A violin has four strings.",
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for number, fact in enumerate(FACTS):
        (tmp_path / f"note{number}.txt").write_text(f"Note {number}\n{fact}\nThat is all.\n")
    return tmp_path


def test_its_hooks_are_found_and_named(python, corpus):
    code = (
        "import json; from gw_core.plugins import Plugins; plugins = Plugins();"
        "print(json.dumps([[one.kind, one.name, str(one.owner)] for row in plugins.distributions"
        " if row.entry_point.distribution == 'gw-example-plugin' for one in row.registrations]))"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=corpus, check=True)
    found = json.loads(done.stdout)
    assert {kind: name for kind, name, _ in found} == NAMES
    assert {owner for _, _, owner in found} == {"gw-example-plugin 0.1.0"}


def test_gw_plugins_lists_it(python, corpus):
    assert "gw-example-plugin" in gw(python, corpus, "plugins")


def test_its_backend_finds_a_misspelt_word(python, corpus):
    options = ["-o", "ingest.backends=fts5,trigrams", "-o", "retrieve.backend=trigrams"]
    gw(python, corpus, "ingest", ".", *options)
    result = json.loads(gw(python, corpus, "search", "bakups", "--json", *options))
    assert result["hits"][0]["path"] == "note0.txt"
    assert result["hits"][0]["verdict"] == "verified"


def test_its_reader_answers_with_a_verified_line(python, corpus):
    answer = json.loads(
        gw(python, corpus, "ask", "for how many days are logs kept?", ".", "-o", "ask.reader=lines", "--json")
    )
    assert answer["answer"]["text"] == "Logs are kept for thirty days."
    assert [one["verdict"] for one in answer["citations"]] == ["verified"]


def test_its_command_runs(python, corpus):
    assert gw(python, corpus, "wordcount", "note1.txt", "-n", "1") == "       1 1\n"
    assert "Count the words" in gw(python, corpus, "wordcount", "--help")


def test_it_passes_the_conformance_kit_there(python, tmp_path):
    shutil.copytree(SOURCE / "tests", tmp_path / "tests")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", tmp_path / "run", "tests"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout
