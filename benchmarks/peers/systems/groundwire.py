"""groundwire (``tina4-groundwire``) by its library, with its default SQLite index.

Its interface for many files calls ``ingest`` or ``ingest_code`` once a file, and every call commits. Its best case is
one batch with one commit, the texts in memory before the clock starts: one ``Groundwire.ingest`` of (title, text) pairs
for prose, or its own chunkers, code as code, and one ``memory.ingest`` of all chunks where there is code.

Search is ``memory.query``: where no repository was ingested, ``retrieve`` adds only that neighbours are merged. What it
forgets when its process ends, which document a chunk is from, is written down beside its index.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from groundwire.memory_systems import SqliteFTS
from groundwire.pipeline import Groundwire, chunk_code, chunk_text
from measure import Timer

from peers.corpora import CODE, Corpus
from peers.systems import Find

DATABASE, DOCUMENTS = "groundwire.db", "documents.json"


def chunks_of(texts: Iterable[tuple[str, str]]) -> tuple[list[tuple[int, str]], dict[int, str]]:
    """Its chunkers' chunks, numbered, of (name, text) pairs, code as code; and the name for each number."""
    batch: list[tuple[int, str]] = []
    names: dict[int, str] = {}
    for name, text in texts:
        code = Path(name).suffix in CODE
        for _, chunk in chunk_code(text, name) if code else chunk_text(text):
            names[len(batch)] = name
            batch.append((len(batch), chunk))
    return batch, names


def reopened(path: Path) -> SqliteFTS:
    """An index that was closed. Its constructor empties the file it is given, so that it is given another one."""
    memory = SqliteFTS(str(path.with_suffix(".empty")))
    memory.conn.close()
    path.with_suffix(".empty").unlink()
    memory.conn = sqlite3.connect(path, check_same_thread=False)
    return memory


def ingest(corpus: Corpus, index: Path, clock: Timer) -> int:
    texts = corpus.texts()
    memory = SqliteFTS(str(index / DATABASE))
    with clock:
        if any(Path(name).suffix in CODE for name in texts):
            batch, names = chunks_of(texts.items())
            memory.ingest(batch)
        else:
            wire = Groundwire(memory)
            wire.ingest(list(texts.items()))
            names = wire.sources
        memory.close()
        index.joinpath(DOCUMENTS).write_text(json.dumps(names))
    return len(names)


def opened(corpus: Corpus, index: Path) -> Find:  # noqa: ARG001 - as all systems
    memory = reopened(index / DATABASE)
    names = json.loads(index.joinpath(DOCUMENTS).read_text())

    def find(question: str, k: int) -> list[str]:
        return [names[str(chunk)] for chunk, _, _ in memory.query(question, k)]

    return find
