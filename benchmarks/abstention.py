"""How often the evidence is judged too weak, for questions that have an answer and for those that have none.

Every set goes through FTS5, rescoring and ``gw_core.confidence`` with the default chunker and threshold. ``lost``: of
questions whose answer is in the collection, the share refused. ``refused``: of those whose answer is not.

* own: XQuAD's, cranfield's and cisi's questions over their own collection;
* gone: XQuAD's with the five paragraphs of the question's article taken out of the collection;
* XQuAD-en's over cranfield and cisi, and 50 everyday ones over cranfield, cisi, XQuAD-en, gw's own documentation and
  Python's: the language reference (``pydoc_data.topics``) and the docstrings of this interpreter's standard library.

The threshold was chosen on XQuAD-en; its even and odd articles are shown apart. Three minutes of CPU with all.

    GW_TEST_DATA=... python benchmarks/abstention.py [--languages en,de,zh,th]
"""

from __future__ import annotations

import argparse
import ast
import os
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from pydoc_data.topics import topics

from collections_ndcg import POOL, Collection, chunks_of, load

from gw_core.confidence import THRESHOLD, confidence
from gw_core.query import parse
from gw_core.rescore import rescore
from gw_core.testing.index import temporary_index
from gw_plugins.backends.fts5 import Fts5
from gw_plugins.chunkers.text import Text

Scores = dict[str, float]


def scores(texts: Mapping[str, str], questions: Mapping[str, str]) -> Scores:
    """The confidence of each question over these texts."""
    chunks = chunks_of(dict(texts), Text())
    found: Scores = {}
    with temporary_index(chunks=chunks) as index:
        backend = Fts5(index)
        with index.connection:
            backend.add(chunks)
            backend.maintain()
        for name, text in questions.items():
            query = parse(text)
            matches = backend.search(query, POOL)
            forms = query.forms
            df = dict(zip(forms, backend.df(list(forms.values())), strict=True))
            best = rescore(query, index.chunks([match.chunk_id for match in matches]), matches, df, len(chunks))
            found[name] = confidence(query, best.idf, best.bm25, len(chunks)).score
    return found


def article_of(collection: Collection, question: str) -> int:
    """XQuAD's paragraphs p000, p001, ... stand five to an article."""
    return int(next(iter(collection.relevant[question]))[1:]) // 5


def without_article(collection: Collection) -> Scores:
    """Each question over the collection without its article."""
    by_article: dict[int, dict[str, str]] = {}
    for name, text in collection.questions.items():
        by_article.setdefault(article_of(collection, name), {})[name] = text
    found: Scores = {}
    for article, questions in by_article.items():
        rest = {name: text for name, text in collection.texts.items() if int(name[1:]) // 5 != article}
        found |= scores(rest, questions)
    return found


def python_documentation() -> dict[str, str]:
    """The language reference, and the docstrings of each file of the standard library, tests left out."""
    texts = {f"reference/{name}": text for name, text in topics.items()}
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.rglob("*.py")):
        if {"test", "tests", "idlelib", "site-packages", "dist-packages", "pydoc_data"}.isdisjoint(path.parts):
            docstrings = list(_docstrings(path))
            if docstrings:
                texts[str(path.relative_to(library))] = "\n\n".join(docstrings)
    return texts


def own_documentation() -> dict[str, str]:
    folder = Path(__file__).resolve().parents[1] / "docs"
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))}


def _docstrings(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield f"{getattr(node, 'name', path.stem)}\n\n{text}"


def report(label: str, found: Iterable[float], goal: str = "") -> None:
    values = list(found)
    refused = sum(value < THRESHOLD for value in values)
    print(f"{label:44} {len(values):5} {100 * refused / len(values):7.1f} %  {goal}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", default="en,de,zh,th")
    parser.add_argument("--data", type=Path, default=os.environ.get("GW_TEST_DATA"))
    options = parser.parse_args()
    if options.data is None:
        parser.error("set GW_TEST_DATA to the folder of the collections")
    data = Path(options.data)
    lines = (data / "everyday.txt").read_text("utf-8").splitlines()
    everyday = {str(number): line for number, line in enumerate(lines) if line.strip()}
    english = load(data / "xquad-en")

    print(f"threshold {THRESHOLD}\n{'lost, of questions with an answer':44} {'n':>5} {'refused':>9}")
    own = scores(english.texts, english.questions)
    report("xquad-en", own.values(), "5 at most")
    for half, name in enumerate(("even articles", "odd articles")):
        report(f"  {name}", (score for one, score in own.items() if article_of(english, one) % 2 == half))
    others = [one for one in options.languages.split(",") if one != "en"]
    for language in others:
        collection = load(data / f"xquad-{language}")
        report(f"xquad-{language}", scores(collection.texts, collection.questions).values())
    collections = {name: load(data / name) for name in ("cranfield", "cisi")}
    for name, collection in collections.items():
        report(name, scores(collection.texts, collection.questions).values())

    print("refused, of questions without one")
    report("xquad-en, article gone", without_article(english).values(), "90")
    for language in others:
        report(f"xquad-{language}, article gone", without_article(load(data / f"xquad-{language}")).values())
    for name, collection in collections.items():
        report(f"xquad-en over {name}", scores(collection.texts, english.questions).values(), "90")
        report(f"everyday over {name}", scores(collection.texts, everyday).values())
    report("everyday over xquad-en", scores(english.texts, everyday).values())
    report("everyday over Python's documentation", scores(python_documentation(), everyday).values(), "85")
    report("everyday over gw's documentation", scores(own_documentation(), everyday).values(), "85")


if __name__ == "__main__":
    main()
