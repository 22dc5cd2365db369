"""Measures gw, groundwire, groundkit, bm25s and tantivy on the same documents and questions, in one run.

    pip install -e '.[peers]'
    GW_TEST_DATA=... python benchmarks/peers                      # six collections, and needles in a megatoken of code
    python benchmarks/peers FOLDER ... --needles 0                # other collections in BEIR's layout
    python benchmarks/peers --systems gw,tantivy --questions 50 --json peers.json

Each system ingests and searches in processes of its own. One that is not installed is a row that says so, one that
fails a row with its error. What every system is given, and how each is used, is told below the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench_corpus import bench_folder
from measure import ChildError, Timer, call_child, percentile, run_piece

from peers.corpora import Corpus, of_collection, read
from peers.systems import VARIANTS, Find, Variant, variant

SCRIPT = str(Path(__file__).with_name("__main__.py"))
COLLECTIONS = ("cranfield", "cisi", "xquad-en", "xquad-de", "xquad-zh", "xquad-th")
NEEDLES, DISTRACTORS = "1m", 32
WITHIN = 600.0
"""Seconds that a system may take for an ingest, and for its questions."""

DEPTH = 10
"""How many documents are judged, and how many passages are asked for when time is taken."""
POOL = 50
"""How many passages are asked for to find so many documents: the most that groundkit returns."""
WARM_UP, TIMED = 20, 200


def ingest(label: str, corpus: str, index: str) -> dict[str, Any]:
    """In a child: make an index."""
    one, given, folder = variant(label), read(Path(corpus)), Path(index)
    folder.mkdir()
    clock = Timer()
    passages = one.system().ingest(given, folder, clock, **one.settings)
    return {"cpu": clock.cpu, "wall": clock.wall, "passages": passages}


def search(label: str, corpus: str, index: str) -> dict[str, Any]:
    """In a child: open an index, take the time of warm searches, and find documents for every question, unless the
    variant whose index it is does so."""
    one, given = variant(label), read(Path(corpus))
    asked = list(given.questions.values())
    random.Random("peers").shuffle(asked)
    with Timer() as first:
        find = one.system().opened(given, Path(index), **one.settings)
        find(asked[0], DEPTH)
    for question in asked[:WARM_UP]:
        find(question, DEPTH)
    cpu, wall = [], []
    for question in asked[:TIMED]:
        began, began_cpu = time.perf_counter(), time.process_time()
        find(question, DEPTH)
        cpu.append(time.process_time() - began_cpu)
        wall.append(time.perf_counter() - began)
    return {
        "first_cpu": first.cpu,
        "timed": len(cpu),
        **{f"cpu{percent}": percentile(cpu, percent / 100) for percent in (50, 95)},
        **{f"wall{percent}": percentile(wall, percent / 100) for percent in (50, 95)},
        "ranked": {} if one.shares else {name: documents(find, text) for name, text in given.questions.items()},
    }


def documents(find: Find, question: str) -> list[str]:
    """The documents of the best passages: one is as good as its best."""
    return list(dict.fromkeys(find(question, POOL)))[:DEPTH]


PIECES = {"ingest": ingest, "search": search}


def measure(one: Variant, corpus: Corpus, rounds: int) -> dict[str, Any]:
    """A row of the report: what a system costs and finds, or why not."""
    row: dict[str, Any] = {"system": one.label, "versions": one.versions(), "shares": one.shares, "stores": one.stores}
    missing = one.missing()
    if missing:
        return {**row, "status": "not installed", "error": f"{missing} is not installed"}
    index = corpus.folder / "indexes" / (one.shares or one.label)
    try:
        if not one.shares or not index.exists():
            row |= _ingested(one.shares or one.label, corpus, index, rounds)
        row["search"] = call_child(SCRIPT, "search", one.label, corpus.folder, index, within=WITHIN)
    except ChildError as error:
        return {**row, "status": "failed", "error": (str(error).splitlines() or ["no message"])[-1]}
    return {**row, "status": "measured"}


def _ingested(label: str, corpus: Corpus, index: Path, rounds: int) -> dict[str, Any]:
    """The round that took the least CPU, with the highest memory of all."""
    index.parent.mkdir(exist_ok=True)
    results = []
    for _ in range(rounds):
        shutil.rmtree(index, ignore_errors=True)
        results.append(call_child(SCRIPT, "ingest", label, corpus.folder, index, within=WITHIN))
    best = {**min(results, key=lambda one: one["cpu"]), "rss": max(one["rss"] for one in results)}
    disk = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
    return {"ingest": {**best, "disk": disk}}


def corpora(options: argparse.Namespace, work: Path) -> Iterator[Corpus]:
    for source in options.folders:
        yield of_collection(source, work / f"collection-{source.name}", options.questions)
    if options.needles:
        from peers.needles import of_haystack

        for beside in (0, DISTRACTORS):
            yield of_haystack(options.needles, work / f"needles-{beside}", options.questions, beside)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="collections in BEIR's layout [those in GW_TEST_DATA]")
    parser.add_argument("--needles", default=NEEDLES, help=f"tokens of code to hide needles in; 0: none [{NEEDLES}]")
    parser.add_argument("--questions", type=int, help="ask at most so many of each corpus")
    parser.add_argument("--systems", help="those whose names begin so, separated by commas; gw is always measured")
    parser.add_argument("--rounds", type=int, default=1, help="how often each ingest is measured; the best counts")
    parser.add_argument("--json", type=Path, help="write the report there")
    parser.add_argument("--markdown", type=Path, help="write the tables there too")
    from gw_core.bench.tokens import parse_tokens

    options = parser.parse_args()
    if not options.folders and os.environ.get("GW_TEST_DATA"):
        options.folders = [Path(os.environ["GW_TEST_DATA"]) / name for name in COLLECTIONS]
    for folder in options.folders:
        if not folder.joinpath("corpus.jsonl").is_file():
            parser.error(f"{folder} is no collection in BEIR's layout: there is no corpus.jsonl in it")
    try:
        options.needles = 0 if options.needles == "0" else parse_tokens(options.needles)
    except ValueError as error:
        parser.error(f"--needles: {error}")
    if not options.folders and not options.needles:
        parser.error("nothing to measure: name a folder, or set GW_TEST_DATA to the folder of the collections")
    for name in ("questions", "rounds"):
        given = getattr(options, name)
        if given is not None and given < 1:
            parser.error(f"--{name} must be 1 or more")
    begins = tuple(one.strip() for one in (options.systems or "").split(",") if one.strip())
    options.systems = [one for one in VARIANTS if not begins or one.label == "gw" or one.label.startswith(begins)]
    return options


def main() -> int:
    run_piece(PIECES)
    from peers import report  # not in a child, where gw's memory would count as a peer's

    options = _options()
    began = time.monotonic()
    measured = []
    with tempfile.TemporaryDirectory(prefix="peers-", dir=bench_folder()) as work:
        for corpus in corpora(options, Path(work)):
            rows = []
            for one in options.systems:
                rows.append(measure(one, corpus, options.rounds))
                print(f"{corpus.name:12} {one.label:24} {rows[-1]['status']}", file=sys.stderr, flush=True)
            measured.append(report.of_corpus(corpus, rows, DEPTH))
            shutil.rmtree(corpus.folder)
    whole = report.whole(measured, options.systems, time.monotonic() - began, DEPTH, POOL)
    tables = report.markdown(whole)
    if options.json:
        options.json.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if options.markdown:
        options.markdown.write_text(tables, "utf-8")
    print(tables)
    return 0
