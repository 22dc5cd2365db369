"""tantivy by its Python bindings: one text field without positions, as no phrase is asked for, and one segment.

It takes strings, which are in memory before the clock starts; documents are whole, or gw's passages where the corpus is
cut. One writing thread costs the least CPU and leaves one segment, which is the fastest to search. A question becomes
a disjunction of the terms that the field's own analyser finds in it: its query language would read signs in a question
as operators and a word of two tokens as a phrase. Not counting matches lets it skip blocks (block-max WAND).
``words="stemmed"`` is its ``en_stem`` analyser, or the same with the stemmer of the collection's language;
``words="gw"`` hands it gw's words, parted by spaces.
"""

from __future__ import annotations

import json
from pathlib import Path

import tantivy
from measure import Timer

from peers.corpora import Corpus
from peers.systems import Find

# Those of tantivy's stemmers that a collection here may ask for.
STEMMERS = {"english", "german", "french", "spanish", "italian", "dutch", "russian"}
LONGEST = 40  # as in tantivy's own default and en_stem analysers


def _analyzer(words: str, language: str) -> tantivy.TextAnalyzer:
    if words == "gw":
        return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(tantivy.Filter.remove_long(LONGEST)).filter(tantivy.Filter.lowercase())
    if words == "stemmed":
        builder = builder.filter(tantivy.Filter.stemmer(language if language in STEMMERS else "english"))
    return builder.build()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", tokenizer_name="words", index_option="freq")
    builder.add_integer_field("number", fast=True)
    return builder.build()


def ingest(corpus: Corpus, index: Path, clock: Timer, words: str = "plain") -> int:
    units = corpus.units()
    texts = [text for _, text in units]
    terms_of_all = None
    if words == "gw":
        from peers.systems.words import words_of_all as terms_of_all
    with clock:
        if terms_of_all is not None:
            texts = [" ".join(terms) for terms in terms_of_all(texts)]
        engine = tantivy.Index(_schema(), path=str(index))
        engine.register_tokenizer("words", _analyzer(words, corpus.language))
        writer = engine.writer(num_threads=1)
        for number, text in enumerate(texts):
            writer.add_document(tantivy.Document(body=text, number=number))
        writer.commit()
        writer.wait_merging_threads()
        index.joinpath("documents.json").write_text(json.dumps([name for name, _ in units]))
    return len(units)


def opened(corpus: Corpus, index: Path, words: str = "plain") -> Find:
    engine = tantivy.Index.open(str(index))
    analyzer = _analyzer(words, corpus.language)
    engine.register_tokenizer("words", analyzer)
    schema, searcher = engine.schema, engine.searcher()
    names = json.loads(index.joinpath("documents.json").read_text())
    if words == "gw":
        from peers.systems.words import words_of as terms_of
    else:
        terms_of = analyzer.analyze

    def find(question: str, k: int) -> list[str]:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "body", term, index_option="freq"))
            for term in terms_of(question)
        ]
        if not terms:
            return []
        hits = searcher.search(tantivy.Query.boolean_query(terms), k, count=False).hits
        numbers = searcher.fast_field_values("number", [address for _, address in hits])
        return [names[int(number)] for number in numbers]

    return find
