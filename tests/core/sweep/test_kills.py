"""Sweeps that are killed at any moment, as processes of their own: what comes of them in the end is the same."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

KILLS = int(os.environ.get("GW_TEST_KILLS", "8"))
PLUGIN = """
from gw_core.hookspecs import hookimpl

@hookimpl
def gw_register_readers(register):
    register("rules", "killed_reader:Rules", help="By rules.")
"""
READER = """
import os, re, time
from gw_core.model import Identity
from gw_core.records import Extracted, Extraction

class Rules:
    identity = Identity("rules", "1")
    window, max_parallel = 1_000_000, 64

    def count_tokens(self, text):
        return len(text)

    def answer(self, question, passages):
        raise NotImplementedError

    def extract(self, units, recipe):
        with open(os.environ["CALLS"], "a") as file:
            file.write(units[0].text + "\\n")
        time.sleep(float(os.environ["SECONDS"]))
        found = [re.search(r"is (\\w+)", one.text) for one in units]
        return Extraction(
            tuple(Extracted(at, {"status": one[1]}, {"status": one[0]}) for at, one in enumerate(found)), "raw"
        )
"""
FILES, LINES = 4, 10_000
RECIPE = "fields: {status: {choice: [open, shut]}}\nreduce: [tally status, count]\n"
BY_CODE = "match: 'is (?P<status>\\w+)'\nkey: id\nfields: {id: {pattern: '\\d+'}}\nreduce: [tally status, count]\n"


class Sweeps:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = folder / "calls.txt"
        site = folder / "site"
        info = site / "killed-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: killed\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[gw]\nkilled = killed_plugin\n")
        (site / "killed_plugin.py").write_text(PLUGIN)
        (site / "killed_reader.py").write_text(READER)
        (folder / "asked.yaml").write_text(RECIPE)
        (folder / "coded.yaml").write_text(BY_CODE)
        (folder / "data").mkdir()
        for file in range(FILES):
            lines = (f"ticket {n} is {'open' if n % 3 else 'shut'}, file {file}, and so on\n" for n in range(LINES))
            (folder / "data" / f"{file}.txt").write_text("".join(lines))
        self._kept = {name: value for name, value in os.environ.items() if not name.startswith(("GW_", "PYTHON"))}

    def start(self, recipe: str, index: str, seconds: float = 0.0) -> subprocess.Popen[bytes]:
        arguments = ["sweep", "--recipe", f"{recipe}.yaml", "data", "--reader", "rules", "--concurrency", "3"]
        if recipe == "coded":
            arguments[4:6] = []
        own = {"PYTHONPATH": "site", "GW_CONFIG": "", "CALLS": str(self.calls), "SECONDS": str(seconds)}
        return subprocess.Popen(
            [sys.executable, "-m", "gw_core", *arguments, "--index", index, "--json"],
            cwd=self.folder,
            env={**self._kept, **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, recipe: str, index: str) -> dict[str, Any]:
        out, err = self.start(recipe, index).communicate(timeout=60)
        assert out, err
        return json.loads(out)  # type: ignore[no-any-return]

    def asked(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def sweeps(tmp_path: Path) -> Sweeps:
    return Sweeps(tmp_path)


@pytest.fixture
def heeded() -> Iterator[None]:
    """SIGINT reaches what is started, also where the tests run with & in a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["asked", "coded"])
def test_a_sweep_that_is_killed_comes_to_the_same(sweeps: Sweeps, recipe: str) -> None:
    began = time.perf_counter()
    expected = sweeps.run(recipe, "unbroken")["result"]
    whole = time.perf_counter() - began
    segments = len(sweeps.asked())
    sweeps.calls.unlink(missing_ok=True)
    assert expected["results"]["count"]["total"] == (LINES if recipe == "coded" else FILES * LINES)
    moments = random.Random(7)
    killed = 0
    for _ in range(KILLS):
        process = sweeps.start(recipe, "broken", seconds=0.02)
        time.sleep(moments.uniform(0.3, 1.2) * whole)
        process.kill()
        process.communicate(timeout=60)
        killed += process.returncode == -signal.SIGKILL
    assert killed
    found = sweeps.run(recipe, "broken")
    assert json.dumps(found["result"]) == json.dumps(expected)
    # Each kill loses no more than what was with the reader, or had just come from it.
    assert segments <= len(sweeps.asked()) <= segments + 6 * killed if recipe == "asked" else not sweeps.asked()
    again = sweeps.run(recipe, "broken")
    assert again["result"] == expected
    assert again["run"]["calls"] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("heeded")
def test_an_interrupt_ends_it_at_once_and_it_goes_on_from_there(sweeps: Sweeps) -> None:
    expected = sweeps.run("asked", "unbroken")["result"]
    sweeps.calls.unlink()
    process = sweeps.start("asked", "broken", seconds=300)
    while len(sweeps.asked()) < 3:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    began = time.perf_counter()
    _, err = process.communicate(timeout=60)
    assert time.perf_counter() - began < 5  # a second, and what a busy machine takes
    assert (process.returncode, err) == (130, b"gw: interrupted\n")
    assert sweeps.run("asked", "broken")["result"] == expected
