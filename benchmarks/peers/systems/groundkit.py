"""groundkit by its library: ``Indexer.index_directory``, the only way it has to fill a collection, and BM25.

BM25 is its default mode, and the one that works offline: ``dense`` and ``hybrid`` need an embedding server (Ollama, or
one that speaks OpenAI's protocol). The embedder that it brings itself is, in its own words, a test double with "zero
semantic signal", so that figures of it would say nothing. Chunker and settings are its defaults (512 characters).

Ingest includes reading the files, and a commit for each. The index is rebuilt in memory from SQLite whenever it is
opened; ``BM25Index.search`` is called itself, which leaves out the citations that ``Retriever.search`` looks up and the
thread that it starts for each question.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from groundkit.index.bm25 import BM25Index
from groundkit.index.metadata import SQLiteMetadataStore
from groundkit.indexer import Indexer
from groundkit.ingestion.loaders import FileLoader
from measure import Timer

from peers.corpora import Corpus
from peers.systems import Find

COLLECTION = "peers"


async def _ingest(corpus: Corpus, index: Path, clock: Timer) -> int:
    store = await SQLiteMetadataStore.open(index, COLLECTION)
    suffixes = tuple(sorted({Path(name).suffix.lower() for name in corpus.names()}))
    indexer = Indexer(store, FileLoader(corpus.files, extensions=suffixes))
    with clock:
        report = await indexer.index_directory(str(corpus.files))
        await store.close()
    return report.chunks_written


def ingest(corpus: Corpus, index: Path, clock: Timer) -> int:
    return asyncio.run(_ingest(corpus, index, clock))


async def _opened(corpus: Corpus, index: Path) -> tuple[BM25Index, dict[str, str]]:
    store = await SQLiteMetadataStore.open(index, COLLECTION)
    engine = await BM25Index.from_store(store)
    sources = await store.get_document_sources()
    await store.close()
    root = os.path.realpath(corpus.files)
    return engine, {key: Path(os.path.relpath(source, root)).as_posix() for key, source in sources.items()}


def opened(corpus: Corpus, index: Path) -> Find:
    engine, names = asyncio.run(_opened(corpus, index))

    def find(question: str, k: int) -> list[str]:
        return [names[chunk.document_id] for chunk, _ in engine.search(question, top_k=k)]

    return find
