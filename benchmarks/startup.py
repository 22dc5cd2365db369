"""What a command costs before it does anything: multiples of ``python -c pass``, measured in turns in one run.

    python benchmarks/startup.py

Runs the ``gw`` that is installed beside this interpreter. CPU seconds (user and system) of whole processes; the least
of the runs, as what other processes do to the machine only ever adds. The one-shot search asks an index of 1M tokens;
the re-ingest walks 10,000 files that haven't changed.
Exit 4 if a figure misses its reference.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench_corpus import bench_folder, make_corpus, queries
from measure import Table

GW = str(Path(sys.executable).parent / "gw")
MANY_FILES = 10_000


def cpu_of(command: list[str], folder: Path) -> float:
    """CPU seconds of one process, which must end well (or, for a search, without hits)."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        error = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {error.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime


def in_turns(commands: dict[str, list[str]], folder: Path, runs: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, command in commands.items():
            took = cpu_of(command, folder)
            if number:  # the first run warms the page cache
                times[name].append(took)
    return {name: min(took) for name, took in times.items()}


def many_files() -> Path:
    """A tree of 10,000 small files, with an index."""
    root = bench_folder() / f"files-{MANY_FILES}"
    if not (root / ".gw").is_dir():
        shutil.rmtree(root, ignore_errors=True)
        for number in range(MANY_FILES):
            file = root / f"part{number // 1000}" / f"topic{number // 50}" / f"note{number}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# Note {number}\n\nThis is note {number}; see note {number // 2} as well.\n")
        cpu_of([GW, "--root", str(root), "ingest", str(root)], root)
    return root


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    corpus = make_corpus(1_000_000)
    if not (corpus / ".gw").is_dir():
        cpu_of([GW, "--root", str(corpus), "ingest", str(corpus)], corpus)
    question = queries(corpus)[1]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "gw --version": [GW, "--version"],
        "gw --help": [GW, "--help"],
        "gw search, 1M tokens": [GW, "search", question],
        "gw search --json, 1M tokens": [GW, "search", question, "--json"],
    }
    limits = {"gw --version": 6.0, "gw search, 1M tokens": 12.0}
    times = in_turns(commands, corpus, options.runs)
    unit = times["python -c pass"]
    table = Table()
    for name, took in times.items():
        limit = limits.get(name)
        multiple = took / unit
        reached = None if limit is None else multiple <= limit
        table.add(name, f"{multiple:.1f} x ({took * 1000:.0f} ms)", f"<= {limit:g} x" if limit else "", reached)
    root = many_files()
    again = min(cpu_of([GW, "--root", str(root), "ingest", str(root)], root) for _ in range(3))
    table.add(f"gw ingest of {MANY_FILES:,} unchanged files: CPU", f"{again:.2f} s", "< 2 s", again < 2)
    table.show()
    return 4 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
