"""groundwire on a folder of files of code and docs, for ``speed.py``; see :mod:`peers.systems.groundwire`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench_corpus import files_of
from groundwire.memory_systems import SqliteFTS
from groundwire.pipeline import Groundwire
from measure import Timer, percentile

from peers.systems.groundwire import chunks_of, reopened


def batch(corpus: str, index: str, way: str = "text") -> dict[str, Any]:
    """All text in one batch. ``way`` "text": one ``Groundwire.ingest`` of (title, text) pairs, everything cut as
    prose; "mixed": its own chunkers, code as code, and one ``memory.ingest`` of all chunks."""
    files = files_of(Path(corpus))
    texts = [(str(file), file.read_text("utf-8")) for file in files]
    memory = SqliteFTS(index)
    wire = Groundwire(memory)
    with Timer() as timer:
        if way == "text":
            wire.ingest(texts)
        else:
            memory.ingest(chunks_of(texts)[0])
    memory.close()
    return {**_spent(timer, files), "disk": Path(index).stat().st_size}


def per_file(corpus: str, index: str) -> dict[str, Any]:
    """Its interface for a tree of files, ``ingest_repo``: a commit a file, reading included."""
    wire = Groundwire(SqliteFTS(index))
    with Timer() as timer:
        wire.ingest_repo(corpus)
    wire.memory.close()
    return {**_spent(timer, files_of(Path(corpus))), "disk": Path(index).stat().st_size}


def _spent(timer: Timer, files: list[Path]) -> dict[str, Any]:
    return {"cpu": timer.cpu, "wall": timer.wall, "bytes": sum(file.stat().st_size for file in files)}


def search(index: str, questions: list[str], k: int = 8) -> dict[str, Any]:
    """Warm latency of its index alone, which is less than its whole ``retrieve`` does."""
    memory = reopened(Path(index))
    for question in questions[:20]:
        memory.query(question, k)
    cpu, wall, hits = [], [], 0
    for question in questions:
        began, began_cpu = time.perf_counter(), time.process_time()
        hits += len(memory.query(question, k))
        cpu.append(time.process_time() - began_cpu)
        wall.append(time.perf_counter() - began)
    memory.close()
    return {"p50": percentile(cpu, 0.5), "p95": percentile(cpu, 0.95), "wall95": percentile(wall, 0.95), "hits": hits}
