"""``gw sweep`` beyond its figures: what it would take, the records behind a figure, and SQL over all records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import gw_core
from gw_core.model import Identity
from gw_core.records import Extracted, Extraction, Recipe, Unit
from gw_core.sweep.estimate import estimate
from gw_core.sweep.recipe import recipe_from_options
from gw_core.sweep.run import sweep

LINES = [
    ("1", "alpha", "1.5", "2024-03-01 10:00"),
    ("2", "beta", "2", "2024-03-01 23:59"),
    ("3", "alpha", "1.50", "2024-03-02 00:00"),
    ("4", "gamma", "0.1", "2024-03-02 08:00"),
    ("5", "alpha", "0.2", "2024-03-03 12:00"),
]
LOG = "".join(f"ticket {n}: {s}, {h} h, at {t}\n" for n, s, h, t in LINES)
RECIPE = r"""
match: 'ticket (?P<id>\d+): (?P<status>\w+)'
fields:
  hours: {pattern: '([\d.]+) h', number: true, unit: h}
  at: {pattern: 'at (.*)', date: '%Y-%m-%d %H:%M'}
"""
MATCH = r"ticket (?P<id>\d+): (?P<status>\w+)"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log").write_text("an opening\n" + LOG)
    (folder / "b.log").write_bytes(LOG.replace("\n", "\r\n").encode("utf-16"))
    (folder / "pic.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    return folder


# -- what it would take -------------------------------------------------------------------------------------------


def test_the_plan_counts_and_leaves_nothing_behind(gw: Any, logs: Path, checked: Any) -> None:
    arguments = ("sweep", "logs", "--recipe", "recipe.yaml", "--when", "ticket")
    planned = checked(gw(*arguments, "--plan", "--json").json)
    assert (planned["records"], planned["segments"], planned["segments_in_journal"]) == (10, 2, 0)
    assert planned["files"]["swept"] == 2
    assert planned["files"]["skipped"] == {"binary": ["logs/pic.png"]}
    assert (planned["calls"], planned["tokens"]) == (0, 0)
    assert not (logs.parent / ".gw").exists()
    swept = gw(*arguments, "--reduce", "count", "--json").json["result"]
    assert planned["plan_sha256"] == swept["plan_sha256"]
    assert planned["records"] == swept["coverage"]["records"]["found"]
    assert planned["bytes"] == swept["coverage"]["bytes"]["all"]
    assert gw(*arguments, "--plan", "--json").json["segments_in_journal"] == 2
    assert gw(*arguments, "--plan", "--json", "--fresh").json["segments_in_journal"] == 0


def test_the_plan_as_text(gw: Any, logs: Path) -> None:
    ran = gw("sweep", "logs", "--recipe", "recipe.yaml", "--plan")
    assert ran.code == 0
    first, left_out, journal, reader, last = ran.out.splitlines()
    assert first.startswith("11 records in 2 segments: ")
    assert left_out == "left out: 1 binary"
    assert journal == "in the journal: 0 of 2 segments"
    assert reader == "no reader is asked: code fills all fields"
    assert len(last) == len("plan ") + 64


def test_a_plan_for_a_reader_that_does_not_extract_says_so(gw: Any, logs: Path) -> None:
    ran = gw("sweep", "logs", "--field", "mood: {choice: [good, bad]}", "--reader", "regex", "--plan")
    assert ran.code == 0
    assert "2 calls" in ran.out
    assert "reckoned as 4 bytes each" in ran.out
    assert "does not extract" in ran.out


def test_a_plan_writes_no_records_and_a_file_that_lacks_a_column_fails_it(gw: Any, logs: Path) -> None:
    ran = gw("sweep", "logs", "--recipe", "recipe.yaml", "--plan", "--records", "out.jsonl")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    (logs.parent / "t.csv").write_text("a,b\n1,2\n")
    ran = gw("sweep", "t.csv", "--split", "csv", "--field", "x: {column: x}", "--plan")
    assert ran.code == 3
    assert "not read: t.csv" in ran.out


class _Reader:
    """Says what stands after the colon; a token is a word."""

    identity = Identity("colon", "1")
    window = 1_000
    max_parallel = 1

    def __init__(self) -> None:
        self.calls = 0

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def extract(self, units: Sequence[Unit], recipe: Recipe) -> Extraction:
        self.calls += 1
        return Extraction(
            tuple(
                Extracted(number, {"mood": "good" if "alpha" in unit.text else "bad"})
                for number, unit in enumerate(units)
            )
        )


def _recipe(workspace: gw_core.Workspace, **options: Any) -> Recipe:
    return recipe_from_options(workspace.plugins.registry("reducers").resolve, **options)


def test_calls_and_tokens_are_those_that_are_left_to_make(logs: Path) -> None:
    with gw_core.open(logs) as workspace:
        recipe = _recipe(workspace, when="ticket", fields=("mood: {choice: [good, bad]}",), reduce=("tally mood",))
        reader = ("colon", _Reader())

        def planned() -> tuple[int, int, int, bool]:
            found = estimate(workspace.pipeline, recipe, [""], workspace.index, reader=reader)
            return found.calls, found.tokens, found.known, found.tokens_counted

        words = len(LOG.split())
        assert planned() == (2, 2 * words, 0, True)
        assert reader[1].calls == 0
        sweep(workspace.pipeline, recipe, [""], workspace.index, reader=reader)
        assert reader[1].calls == 2
        assert planned() == (0, 0, 2, True)
        (logs / "c.log").write_text("no such thing\n" + LOG + LOG)
        assert planned() == (1, 2 * words, 2, True)
