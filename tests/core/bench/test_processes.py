"""Work in processes of its own: its figures are its own, and what goes wrong there is told here."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from gw_core.bench import processes as module
from gw_core.bench.child import Ingest, peak_memory
from gw_core.bench.processes import Processes, command, run_piece
from gw_core.bench.subject import Asking
from gw_core.config import Config
from gw_core.errors import GwError, UsageError


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    for number in range(20):
        file = folder / f"part{number % 3}" / f"note{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Note {number}\n\nThe kettle of room {number} boils at noon, and whistles.\n" * 20)
    return folder


def configured(*overrides: str) -> Config:
    return Config.load(None, overrides=overrides, env={"GW_CONFIG": ""})


def test_ingest_and_search_report_what_they_took(corpus: Path, tmp_path: Path) -> None:
    ballast = b"x" * 300_000_000  # of this process, not of theirs
    with Processes(Config(), corpus, tmp_path / "cache") as system:
        first, second = system.ingest(), system.ingest()
        found = system.search(["kettle of room 7", "nothingofthekind", "when does the kettle boil?"], ["kettle"])
        assert next(path.name for path in (tmp_path / "cache").iterdir()).startswith(".gw-bench-")
    assert list((tmp_path / "cache").iterdir()) == []
    assert first.bytes == second.bytes == sum(file.stat().st_size for file in corpus.rglob("*.md")), "made anew"
    assert first.documents == 20
    assert first.passages >= 20
    assert 0 < first.cpu < 60
    assert first.wall > 0
    assert first.index_bytes > 1000
    assert len(found.cpu) == len(found.wall) == 3
    assert found.hits[0] > 0
    assert found.hits[1] == 0
    assert all(cpu > 0 for cpu in found.cpu)
    assert 5_000_000 < found.peak_memory < 200_000_000 < peak_memory()
    assert len(ballast) == 300_000_000


def test_the_configuration_is_the_one_that_is_handed_over(corpus: Path, tmp_path: Path) -> None:
    passages = {}
    for target in (100, 3000):
        overrides = [f"chunkers.mine.target={target}", "chunkers.mine.overlap=0", "ingest.chunker=mine"]
        config = configured("chunkers.mine.use=text", *overrides)
        with Processes(config, corpus, tmp_path) as system:
            passages[target] = system.ingest().passages
    assert passages[100] > 2 * passages[3000]


def test_what_is_wrong_in_the_process_is_told_in_one_line(corpus: Path, tmp_path: Path) -> None:
    config = configured("backends.mine.use=nosuchbackend", "ingest.backends=mine", "retrieve.backend=mine")
    with Processes(config, corpus, tmp_path) as system, pytest.raises(UsageError, match="nosuchbackend"):
        system.ingest()
    with Processes(Config(), corpus, tmp_path) as system, pytest.raises(GwError) as caught:
        system.search(["nothing is ingested"])
    assert "\n" not in str(caught.value)
    with Processes(Config(), corpus, tmp_path, Asking(backend="another")) as system:
        system.ingest()
        with pytest.raises(UsageError, match="another"):
            system.search(["kettle"])


def test_a_process_that_takes_too_long_is_stopped(corpus: Path, tmp_path: Path) -> None:
    began = time.perf_counter()
    with Processes(Config(), corpus, tmp_path, seconds=0.01) as system:
        with pytest.raises(GwError, match=r"measuring ingest took longer than 0\.01 seconds"):
            system.ingest()
        with pytest.raises(GwError, match="failed in its process, with code -9"):
            system.start_up("kettle", 1)
    assert time.perf_counter() - began < 30


def test_a_process_that_dies_says_why(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    piece = Ingest(Config(), corpus, tmp_path / "index")
    monkeypatch.setattr(module, "_START", "import sys; sys.exit('first\\nno memory left')")
    with pytest.raises(GwError, match="measuring ingest failed in its process, with code 1: no memory left"):
        run_piece(piece)
    monkeypatch.setattr(module, "_START", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(GwError, match=r"with code -9$"):
        run_piece(piece)
    monkeypatch.setattr(module, "_START", "print('not JSON')")
    with pytest.raises(GwError, match=r"with code 0$"):
        run_piece(piece)


def test_starting_the_command_takes_longer_than_starting_python(corpus: Path, tmp_path: Path) -> None:
    with Processes(Config(), corpus, tmp_path) as system:
        took = system.start_up("-kettle --of room", 1)
    assert list(took) == ["python", "version", "search"]
    assert 0 < took["python"] < took["version"] < took["search"] < 60


def test_without_a_script_the_command_is_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert command() == [str(tmp_path / "python"), "-m", "gw_core"]
    script = tmp_path / "gw"
    script.write_text("#!/bin/sh\n")
    assert command()[-1] == "gw_core", "it cannot be run"
    script.chmod(0o755)
    assert os.access(script, os.X_OK)
    assert command() == [str(script)]
