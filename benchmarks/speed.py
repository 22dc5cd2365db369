"""Ingest, search, disk and memory, against groundwire in the same run.

    python benchmarks/speed.py                 # 10M tokens for ingest; 1M to 30M for search: about ten minutes
    python benchmarks/speed.py --sizes 1,3     # smaller: a first look
    python benchmarks/speed.py --rounds 1 --no-peers

A token is four bytes (10M tokens = 40 MB). Needs ``pip install gw-toolkit[peers]``. Every piece runs in a process of
its own; of several rounds the best is kept, and the two programs take turns, so that a busy machine is unkind to both.
Exit 4 if a figure misses its reference.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from bench_corpus import BYTES_A_TOKEN, bench_folder, make_corpus, queries, size_of
from measure import Table, Timer, in_child, percentile, run_piece

SCRIPT = __file__
MAIN_SIZE = 10


def gw_ingest(corpus: str, index: str) -> dict[str, Any]:
    import gw_core

    with gw_core.open(corpus, index=index) as ws, Timer() as timer:
        report = ws.ingest([corpus])
    return {"cpu": timer.cpu, "wall": timer.wall, "bytes": report.bytes_read, "chunks": report.chunks_added}


def gw_search(corpus: str, index: str, questions: list[str]) -> dict[str, Any]:
    """Warm latency of ``ws.search``. What re-reading the sources takes is measured apart and taken off: the figure to
    compare with an index that verifies nothing."""
    import gw_core
    from gw_core import retrieve

    spent = [0.0, 0.0]
    true_evidence = retrieve.evidence_of

    def timed_evidence(*args: Any) -> Any:
        began, began_cpu = time.perf_counter(), time.process_time()
        try:
            return true_evidence(*args)
        finally:
            spent[0] += time.process_time() - began_cpu
            spent[1] += time.perf_counter() - began

    retrieve.evidence_of = timed_evidence
    cpu, wall, whole, hits, verified = [], [], [], 0, 0
    with gw_core.open(corpus, index=index) as ws:
        for question in questions[:20]:
            ws.search(question)
        for question in questions:
            spent[:] = [0.0, 0.0]
            began, began_cpu = time.perf_counter(), time.process_time()
            result = ws.search(question)
            took, took_cpu = time.perf_counter() - began, time.process_time() - began_cpu
            cpu.append(took_cpu - spent[0])
            wall.append(took - spent[1])
            whole.append(took_cpu)
            hits += len(result.evidence)
            verified += sum(one.verified for one in result.evidence)
    return {
        "p50": percentile(cpu, 0.5),
        "p95": percentile(cpu, 0.95),
        "wall95": percentile(wall, 0.95),
        "whole95": percentile(whole, 0.95),
        "hits": hits,
        "verified": verified,
    }


def peer(name: str, *args: Any, **keywords: Any) -> dict[str, Any]:
    from peers import groundwire_files

    return getattr(groundwire_files, name)(*args, **keywords)


PIECES = {"gw_ingest": gw_ingest, "gw_search": gw_search, "peer": peer}


def best(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The round that took the least CPU, with the highest memory of all."""
    return {**min(results, key=lambda one: one["cpu"]), "rss": max(one["rss"] for one in results)}


def tree_size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def compare_ingest(table: Table, corpus: Path, rounds: int, with_peers: bool) -> None:
    ours, batch, mixed = [], [], []
    size = size_of(corpus)
    index, theirs = index_of(corpus), bench_folder() / "groundwire.db"
    for _ in range(rounds):
        shutil.rmtree(index, ignore_errors=True)
        ours.append(in_child(SCRIPT, "gw_ingest", str(corpus), str(index)))
        if with_peers:
            mixed.append(in_child(SCRIPT, "peer", "batch", str(corpus), str(theirs), way="mixed"))
            batch.append(in_child(SCRIPT, "peer", "batch", str(corpus), str(theirs)))
    we, megabytes = best(ours), size / 1e6
    table.add("ingest: CPU", f"{megabytes / we['cpu']:.1f} MB/s ({we['cpu']:.2f} s for {megabytes:.0f} MB)")
    table.add("ingest: wall", f"{megabytes / we['wall']:.1f} MB/s")
    table.add("ingest: peak memory", f"{we['rss']:.0f} MB", "< 170 MB", we["rss"] < 170)
    disk = tree_size(index) / size
    table.add("index on disk, bytes per byte", f"{disk:.2f}", "<= 0.90", disk <= 0.9)
    if not with_peers:
        return
    they = min((best(batch), best(mixed)), key=lambda one: one["cpu"])
    for name, one in (("everything as text", best(batch)), ("code as code", best(mixed))):
        speed = f"{megabytes / one['cpu']:.1f} MB/s ({one['cpu']:.2f} s), {one['rss']:.0f} MB"
        table.add(f"groundwire, one batch, {name}: CPU", f"{speed}, disk {one['disk'] / size:.2f}")
    ratio = they["cpu"] / we["cpu"]
    table.add("ingest: CPU throughput / groundwire's best case", f"{ratio:.2f}", ">= 2 (stretch 2.5)", ratio >= 2)
    small = make_corpus(min(1_000_000, size // BYTES_A_TOKEN))  # its commits take minutes on more, and grow slower
    alone = in_child(SCRIPT, "peer", "per_file", str(small), str(theirs) + ".files")
    Path(str(theirs) + ".files").unlink()
    their_speed = alone["bytes"] / 1e6 / alone["wall"]
    ratio = megabytes / we["wall"] / their_speed
    table.add("groundwire, file by file, 1M tokens: wall", f"{their_speed:.2f} MB/s ({alone['wall']:.1f} s)")
    table.add("ingest: wall throughput / groundwire file by file", f"{ratio:.1f}", ">= 20", ratio >= 20)


def compare_search(table: Table, sizes: list[int], with_peers: bool) -> None:
    results: dict[int, dict[str, Any]] = {}
    for size in sizes:
        corpus = make_corpus(size * 1_000_000)
        index, theirs = index_of(corpus), bench_folder() / "groundwire.db"
        if not index.exists():
            in_child(SCRIPT, "gw_ingest", str(corpus), str(index))
        asked = queries(corpus)
        we = min(
            (in_child(SCRIPT, "gw_search", str(corpus), str(index), asked) for _ in range(2)),
            key=lambda one: one["p95"],
        )
        results[size] = we
        p95 = we["p95"] * 1000
        detail = f"{p95:.1f} ms (median {we['p50'] * 1000:.1f}, wall {we['wall95'] * 1000:.1f})"
        table.add(
            f"search, {size}M tokens: p95", detail, "<= 30 ms" if size == 30 else "", p95 <= 30 if size == 30 else None
        )
        table.add(f"search, {size}M tokens: p95 with citations verified", f"{we['whole95'] * 1000:.1f} ms")
        if size == MAIN_SIZE:
            table.add(f"search, {size}M tokens: peak memory", f"{we['rss']:.0f} MB", "< 70 MB", we["rss"] < 70)
            table.add("citations verified", f"{we['verified']} of {we['hits']}", "all", we["verified"] == we["hits"])
            if with_peers:
                in_child(SCRIPT, "peer", "batch", str(corpus), str(theirs))
                they = in_child(SCRIPT, "peer", "search", str(theirs), asked)
                ratio = we["p95"] / they["p95"]
                theirs95 = f"{they['p95'] * 1000:.1f} ms (median {they['p50'] * 1000:.1f})"
                table.add(f"groundwire's batch index, {size}M tokens: p95", theirs95)
                table.add("search: p95 / groundwire's", f"{ratio:.2f}", "<= 0.5", ratio <= 0.5)
    if {1, 30} <= set(results):
        growth = results[30]["p95"] / results[1]["p95"]
        table.add("search: growth of p95 from 1M to 30M tokens", f"{growth:.1f}", "<= 10", growth <= 10)


def index_of(corpus: Path) -> Path:
    return corpus.with_name(corpus.name + ".index")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1,3,10,30", help="millions of tokens to search, separated by commas")
    parser.add_argument("--rounds", type=int, default=3, help="how often each ingest is measured")
    parser.add_argument("--only", choices=("ingest", "search"))
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    table = Table()
    if options.only != "search":
        main_size = MAIN_SIZE if MAIN_SIZE in sizes else max(sizes)
        compare_ingest(table, make_corpus(main_size * 1_000_000), options.rounds, not options.no_peers)
    if options.only != "ingest":
        compare_search(table, sizes, not options.no_peers)
    table.show()
    return 4 if table.failed else 0


if __name__ == "__main__":
    run_piece(PIECES)
    sys.exit(main())
