"""The peers that gw is compared with, each used the fastest way that its own code allows.

groundwire (``tina4-groundwire`` on PyPI) has two ways in. Its interface for many files calls ``ingest`` or
``ingest_code`` once a file, and every call commits. Its best case is one ``ingest`` of everything, with one commit;
the texts are in memory before the clock starts. Its search is ``memory.query`` of its default SQLite index.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench_corpus import CODE, files_of
from measure import Timer, percentile


def groundwire_batch(corpus: str, index: str, way: str = "text") -> dict[str, Any]:
    """All text in one batch. ``way`` "text": one ``Groundwire.ingest`` of (title, text) pairs, everything cut as
    prose; "mixed": its own chunkers, code as code, and one ``memory.ingest`` of all chunks."""
    from groundwire.memory_systems import SqliteFTS
    from groundwire.pipeline import Groundwire, chunk_code, chunk_text

    texts = [(str(file), file.read_text("utf-8"), file.suffix in CODE) for file in files_of(Path(corpus))]
    size = sum(file.stat().st_size for file in files_of(Path(corpus)))
    memory = SqliteFTS(index)
    wire = Groundwire(memory)
    with Timer() as timer:
        if way == "text":
            wire.ingest([(title, text) for title, text, _ in texts])
        else:
            batch: list[tuple[int, str]] = []
            for title, text, code in texts:
                for _, chunk in chunk_code(text, title) if code else chunk_text(text):
                    batch.append((len(batch), chunk))
            memory.ingest(batch)
    memory.close()
    return {"cpu": timer.cpu, "wall": timer.wall, "bytes": size, "disk": Path(index).stat().st_size}


def groundwire_per_file(corpus: str, index: str) -> dict[str, Any]:
    """Its interface for a tree of files, ``ingest_repo``: a commit a file, reading included."""
    from groundwire.memory_systems import SqliteFTS
    from groundwire.pipeline import Groundwire

    wire = Groundwire(SqliteFTS(index))
    size = sum(file.stat().st_size for file in files_of(Path(corpus)))
    with Timer() as timer:
        wire.ingest_repo(corpus)
    chunks = wire._next
    wire.memory.close()
    return {"cpu": timer.cpu, "wall": timer.wall, "bytes": size, "chunks": chunks, "disk": Path(index).stat().st_size}


def groundwire_search(index: str, questions: list[str], k: int = 8) -> dict[str, Any]:
    """Warm latency of its index alone, which is less than its whole ``retrieve`` does."""
    from groundwire.memory_systems import SqliteFTS

    kept = index + ".kept"
    Path(index).rename(kept)  # opening an index empties it: open a new one, then put the filled one in its place
    memory = SqliteFTS(index)
    memory.conn.close()
    Path(kept).replace(index)
    import sqlite3

    memory.conn = sqlite3.connect(index, check_same_thread=False)
    for question in questions[:20]:
        memory.query(question, k)
    cpu, wall, hits = [], [], 0
    for question in questions:
        began, began_cpu = time.perf_counter(), time.process_time()
        hits += len(memory.query(question, k))
        cpu.append(time.process_time() - began_cpu)
        wall.append(time.perf_counter() - began)
    memory._is_temp = False
    memory.close()
    return {"p50": percentile(cpu, 0.5), "p95": percentile(cpu, 0.95), "wall95": percentile(wall, 0.95), "hits": hits}
