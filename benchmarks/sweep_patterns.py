"""Sweeps with patterns: a million lines, about 107 MB, every record journalled with its span.

    python benchmarks/sweep_patterns.py

Megabytes of text a CPU second, on one core, of whole sweeps: the folder is walked, the file decoded bit by bit, cut
into records and segments, matched, journalled and reduced. Each runs in a process of its own with a journal of its own;
what it counts is compared with what was written. Exit 4 if a figure misses its reference or a count is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench_corpus import bench_folder
from measure import Table, Timer, in_child, run_piece

import gw_core
from gw_core.sweep.recipe import recipe_from_options

STATUSES = ("alpha", "beta", "gamma", "delta")
WORDS = "request handled by worker after cache miss upstream response slow retry closed connection pool".split()
LINE = r"ticket (?P<id>\d+) status: (?P<status>\w+) owner (?P<owner>\w+) (?P<hours>[\d.]+) h"
CASES: dict[str, dict[str, Any]] = {
    "spans": {"when": "ticket", "reduce": ["count"]},
    "one field": {"match": r"status: (?P<status>\w+)", "reduce": ["tally status"]},
    "four fields": {
        "match": LINE,
        "fields": ["hours: {number: true}"],
        "reduce": ["tally status", "sum hours by owner"],
    },
    "a rare literal": {"match": r"owner user7 (?P<hours>[\d.]+) h", "reduce": ["count hours"]},
}


def records(lines: int) -> Any:
    """What each line is about, the same every time: status, owner, hours, and the words behind them."""
    choose = random.Random(1)
    for _ in range(lines):
        hours = Decimal(choose.randrange(1, 400)) / 4
        yield choose.choice(STATUSES), f"user{choose.randrange(300)}", hours, " ".join(choose.choices(WORDS, k=5))


def corpus(lines: int) -> Path:
    """A folder with one log of so many lines; made if it isn't there."""
    folder = bench_folder() / f"sweep-{lines}"
    done = folder / "sweep.log"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = done.with_suffix(".part")
        with part.open("w", encoding="utf-8", newline="\n") as file:
            for number, (status, owner, hours, words) in enumerate(records(lines)):
                second = number // 20
                day, clock = 1 + second // 86_400 % 28, second % 86_400
                time = f"{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}"
                head = f"2024-05-{day:02d} {time} INFO ticket {number} status: {status}"
                file.write(f"{head} owner {owner} {hours} h {words}\n")
        part.rename(done)
    return folder


def swept(folder: str, case: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="gw-bench-") as index, gw_core.open(folder, index=index) as workspace:
        recipe = recipe_from_options(workspace.plugins.registry("reducers").resolve, **CASES[case])
        with Timer() as timer:
            result = workspace.sweep(recipe)
        journal = sum(file.stat().st_size for file in Path(index).rglob("*") if file.is_file())
    rows = {name: [[str(one) for one in row.values()] for row in of["rows"]] for name, of in result.results.items()}
    return {"cpu": timer.cpu, "journal": journal, "rows": rows, "found": result.coverage.found}


def expected(lines: int) -> dict[str, dict[str, list[list[str]]]]:
    """The rows of every case, from what was written."""
    statuses: Counter[str] = Counter()
    often: Counter[str] = Counter()
    hours_of: dict[str, Decimal] = {}
    for status, owner, hours, _ in records(lines):
        statuses[status] += 1
        often[owner] += 1
        hours_of[owner] = hours_of.get(owner, Decimal(0)) + hours
    tally = [[status, str(count)] for status, count in sorted(statuses.items(), key=lambda one: (-one[1], one[0]))]
    sums = [
        [one, str(hours_of[one]), str(often[one])] for one in sorted(hours_of, key=lambda one: (-hours_of[one], one))
    ]
    return {
        "spans": {"count": [[str(lines)]]},
        "one field": {"tally status": tally},
        "four fields": {"tally status": tally, "sum hours by owner": sums},
        "a rare literal": {"count hours": [[str(often["user7"])]]},
    }


def right(found: dict[str, list[list[str]]], known: dict[str, list[list[str]]]) -> bool:
    """Whether rows say the same; numbers may be written with more zeros."""
    return found.keys() == known.keys() and all(
        [[_plain(cell) for cell in row] for row in found[name]] == [[_plain(cell) for cell in row] for row in rows]
        for name, rows in known.items()
    )


def _plain(cell: str) -> str | Decimal:
    return cell if cell[:1].isalpha() else Decimal(cell)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = corpus(options.lines)
    size = (folder / "sweep.log").stat().st_size
    known = expected(options.lines)
    table = Table()
    limits = {"spans": 50, "one field": 35}
    for case in CASES:
        runs = [in_child(__file__, "swept", str(folder), case) for _ in range(options.rounds)]
        speed = max(size / 1e6 / run["cpu"] for run in runs)
        limit = limits.get(case)
        table.add(
            f"{case}: MB/s CPU",
            f"{speed:.0f}",
            f">= {limit}" if limit else "",
            None if limit is None else speed >= limit,
        )
        exact = all(right(run["rows"], known[case]) and run["found"] == options.lines for run in runs)
        table.add(f"{case}: counts", "exact" if exact else "wrong", "exact", exact)
        memory = max(run["rss"] for run in runs)
        table.add(f"{case}: memory, MB", f"{memory:.0f}", "< 60", memory < 60)
        share = 100 * runs[0]["journal"] / size
        table.add(f"{case}: journal, % of the text", f"{share:.1f}", "<= 8", share <= 8)
    table.show()
    return 4 if table.failed else 0


if __name__ == "__main__":
    run_piece({"swept": swept})
    sys.exit(main())
