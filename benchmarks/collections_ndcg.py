"""nDCG@10 of lexical search over the collections in GW_TEST_DATA: one configuration, no network, a minute of CPU.

One document a file, its title once; a document scores as its best chunk; 10 distinct documents. ``--chunker none``
makes each document one chunk, so that only backend and rescoring are measured; ``text`` is what ``gw search`` does.

    GW_TEST_DATA=... python benchmarks/collections_ndcg.py [--chunker text] [COLLECTION ...]
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gw_core.bench import beir
from gw_core.bench.metrics import ndcg_at
from gw_core.model import Chunk, Document
from gw_core.query import parse
from gw_core.rescore import rescore
from gw_core.testing.index import TemporaryIndex, temporary_index
from gw_plugins.backends.fts5 import Fts5
from gw_plugins.chunkers.text import Text

TO_REACH = {
    "cranfield": 0.397,
    "cisi": 0.385,
    "xquad-en": 0.972,
    "xquad-de": 0.946,
    "xquad-zh": 0.966,
    "xquad-th": 0.972,
}
POOL = 50


@dataclass(frozen=True)
class Collection:
    """Texts and questions by id, and for each question the relevance of documents."""

    texts: dict[str, str]
    questions: dict[str, str]
    relevant: dict[str, Mapping[str, int]]


def load(folder: Path) -> Collection:
    """A collection in BEIR's layout."""
    found = beir.load(folder)
    names = {path: name for name, path in found.documents.items()}
    return Collection(
        {names[one.path]: one.text for one in found.texts()},
        {one.id: one.text for one in found.questions},
        {one.id: one.grades for one in found.questions},
    )


def chunks_of(texts: dict[str, str], chunker: Text | None) -> list[Chunk]:
    """Chunks with ids from 1; the path is the document's id."""
    found: list[Chunk] = []
    for name, text in texts.items():
        if chunker is None:
            found.append(Chunk(len(found) + 1, name, 0, len(text), text))
            continue
        for span in chunker.spans(Document(name, text, "", len(text))):
            found.append(
                Chunk(len(found) + 1, name, span.start, span.end, span.of(text), span.kind, span.label, span.context)
            )
    return found


def search(backend: Fts5, index: TemporaryIndex, text: str, total: int) -> list[str]:
    """Distinct documents, best first."""
    query = parse(text)
    matches = backend.search(query, POOL)
    chunks = index.chunks([match.chunk_id for match in matches])
    df = dict(zip(query.forms, backend.df(list(query.forms.values())), strict=True))
    ranked = rescore(query, chunks, matches, df, total).ranked
    path = {chunk.id: chunk.path for chunk in chunks}
    return list(dict.fromkeys(path[one.chunk_id] for one in ranked))


def measure(collection: Collection, chunker: Text | None) -> tuple[float, int, float]:
    """Mean nDCG@10, the number of chunks, and CPU milliseconds a query."""
    chunks = chunks_of(collection.texts, chunker)
    with temporary_index(chunks=chunks) as index:
        backend = Fts5(index)
        with index.connection:
            backend.add(chunks)
            backend.maintain()
        began = time.process_time()
        total = 0.0
        for name, text in collection.questions.items():
            total += ndcg_at(search(backend, index, text, len(chunks)), collection.relevant[name])
        spent = time.process_time() - began
    return total / len(collection.questions), len(chunks), 1000 * spent / len(collection.questions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", default=list(TO_REACH))
    parser.add_argument("--chunker", choices=("none", "text"), default="text")
    parser.add_argument("--data", type=Path, default=os.environ.get("GW_TEST_DATA"))
    options = parser.parse_args()
    if options.data is None:
        parser.error("set GW_TEST_DATA to the folder of the collections")
    chunker = Text() if options.chunker == "text" else None
    print(f"{'collection':12} {'nDCG@10':>8} {'to reach':>9} {'n':>6} {'chunks':>7} {'ms/query':>9}")
    reached = []
    for name in options.collections:
        collection = load(Path(options.data) / name)
        value, chunks, spent = measure(collection, chunker)
        reached.append(value)
        goal = TO_REACH.get(name, math.nan)
        count = len(collection.questions)
        print(f"{name:12} {value:8.4f} {value - goal:+9.4f} {count:6} {chunks:7} {spent:9.1f}", flush=True)
    print(f"{'mean':12} {sum(reached) / len(reached):8.4f}")


if __name__ == "__main__":
    main()
