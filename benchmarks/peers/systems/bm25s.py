"""bm25s by its documented functions: ``tokenize``, ``BM25.index``, ``save``, ``load``, ``retrieve``.

It takes strings, which are in memory before the clock starts; documents are whole, or gw's passages where the corpus is
cut. Its tokenizer drops English stop words by default. ``words="stemmed"`` is its quickstart: PyStemmer, in the
language of the collection where Snowball has it. ``words="gw"`` hands it gw's words. Its own defaults decide k1, b and
the flavour of BM25 (Lucene's). ``retrieve`` fills up with documents that share no word; those are left out here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bm25s
from measure import Timer

from peers.corpora import Corpus
from peers.systems import Find

STOP_WORDS = {"english": "en", "german": "de", "chinese": "zh"}


def _tokenizer(words: str, language: str) -> Callable[[Sequence[str], bool], Any]:
    """Texts to tokens; the flag asks for lists of strings."""
    if words == "gw":
        from peers.systems.words import words_of, words_of_all

        return lambda texts, strings: [words_of(texts[0])] if strings else words_of_all(texts)
    stemmer, stop = None, "en"
    if words == "stemmed":
        import Stemmer

        known = language in Stemmer.algorithms()
        stemmer = Stemmer.Stemmer(language if known else "english")
        stop = STOP_WORDS.get(language, "en")
    return lambda texts, strings: bm25s.tokenize(
        list(texts), stopwords=stop, stemmer=stemmer, return_ids=not strings, show_progress=False
    )


def ingest(corpus: Corpus, index: Path, clock: Timer, words: str = "plain", backend: str = "numpy") -> int:
    units = corpus.units()
    texts = [text for _, text in units]
    tokenize = _tokenizer(words, corpus.language)
    with clock:
        tokens = tokenize(texts, False)
        engine = bm25s.BM25(backend=backend)
        engine.index(tokens, show_progress=False)
        engine.save(index, show_progress=False)
        index.joinpath("documents.json").write_text(json.dumps([name for name, _ in units]))
    return len(units)


def opened(corpus: Corpus, index: Path, words: str = "plain", backend: str = "numpy") -> Find:
    engine = bm25s.BM25.load(index, backend=backend, show_progress=False)
    names = json.loads(index.joinpath("documents.json").read_text())
    tokenize = _tokenizer(words, corpus.language)

    def find(question: str, k: int) -> list[str]:
        tokens = tokenize([question], True)
        if not any(word in engine.vocab_dict for word in tokens[0]):
            return []
        found, scores = engine.retrieve(tokens, k=min(k, len(names)), show_progress=False)
        return [names[number] for number, score in zip(found[0], scores[0], strict=True) if score > 0]

    return find
