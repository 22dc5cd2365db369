"""Collections in BEIR's layout, also those that bend it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.beir import file_name, is_beir, load
from gw_core.corpus import Found, walk
from gw_core.errors import NotFoundError, UsageError

STRANGE = [
    "a/b",
    "../../etc/passwd",
    "A",
    "a",
    "É",
    "id_rsa",
    ".env",
    "x" * 500,
    "doc 1",
    "CON",
    "-",
    "a\ud800",
    "build",
]


def rows(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def collection(
    folder: Path,
    qrels: str = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n",
    corpus: str = rows({"_id": "d1", "title": "One", "text": "first"}, {"_id": "d2", "text": "second"}),
    queries: str = rows({"_id": "q1", "text": "one?"}, {"_id": "q2", "text": "two?"}, {"_id": "q3", "text": "three?"}),
    split: str = "test.tsv",
) -> Path:
    (folder / "qrels").mkdir(exist_ok=True)
    (folder / "corpus.jsonl").write_text(corpus)
    (folder / "queries.jsonl").write_text(queries)
    (folder / "qrels" / split).write_text(qrels)
    return folder


def test_a_collection(tmp_path: Path) -> None:
    found = load(collection(tmp_path))
    assert [(one.id, one.text, one.grades) for one in found.questions] == [
        ("q1", "one?", {"d1": 2, "d2": 0}),
        ("q2", "two?", {"d2": 1}),
    ]
    assert [(one.path, one.text) for one in found.texts()] == [("d-d1.txt", "One\nfirst"), ("d-d2.txt", "second")]
    assert (found.split, found.notes, found.name) == ("test", (), tmp_path.name)


def test_a_title_that_the_text_begins_with_is_not_told_twice(tmp_path: Path) -> None:
    corpus = rows({"_id": "d1", "title": "One", "text": "One: first"}, {"_id": "d2", "title": None, "text": ""})
    assert [one.text for one in load(collection(tmp_path, corpus=corpus)).texts()] == ["One: first", ""]


@pytest.mark.parametrize(
    "qrels",
    [
        "q1\td1\t1\n",
        "q1 0 d1 1\n",
        "q1\tQ0\td1\t1\r\n\r\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t1.0",
        "﻿query iter doc rel\nq1 0 d1 1\n",
        "q1\td1\t1\nq1\td1\t1\nq2\td1\t-3\n",
    ],
)
def test_judgments_in_all_their_forms(tmp_path: Path, qrels: str) -> None:
    assert [(one.id, one.grades) for one in load(collection(tmp_path, qrels)).questions] == [("q1", {"d1": 1})]


def test_compressed_files_and_the_only_split(tmp_path: Path) -> None:
    collection(tmp_path, split="dev.tsv")
    for path in [*tmp_path.glob("*.jsonl"), tmp_path / "qrels" / "dev.tsv"]:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert is_beir(tmp_path)
    found = load(tmp_path)
    assert (found.split, len(found.questions), len(list(found.texts()))) == ("dev", 2, 2)


def test_a_split_is_chosen(tmp_path: Path) -> None:
    collection(tmp_path, split="dev.tsv")
    collection(tmp_path, "q1\td1\t1\n", split="train.tsv")
    assert len(load(tmp_path, "train").questions) == 1
    with pytest.raises(UsageError, match=r"no split 'test' \(name one: dev, train\)"):
        load(tmp_path)
    with pytest.raises(UsageError, match=r"no split 'trian' \(did you mean 'train'\?"):
        load(tmp_path, "trian")


def test_judgments_of_what_is_not_there_are_counted(tmp_path: Path) -> None:
    found = load(collection(tmp_path, "q1\td1\t1\nq1\td9\t1\nq9\td1\t1\nq2\td9\t1\nq3\td1\t0\n"))
    assert [one.id for one in found.questions] == ["q1"]
    assert found.notes == (
        "1 judgments name queries that are not there: left out",
        "2 judgments name documents that are not there: left out",
        "2 judged queries have no relevant document: left out",
    )
    with pytest.raises(UsageError, match=r"no judgment of it .*\(1 name unknown queries, 0 unknown documents\)"):
        load(collection(tmp_path, "q9\td1\t1\n"))


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("corpus", '{"_id": "d1", "text": "a"}\n{"_id": ', r"corpus\.jsonl:2: not JSON"),
        ("corpus", '["d1"]', r"corpus\.jsonl:1: a line must be a JSON object"),
        ("corpus", rows({"_id": "d1", "text": "a"}, {"_id": "d1", "text": "b"}), ":2: the '_id' 'd1' stands on"),
        ("corpus", rows({"_id": 1, "text": "a"}, {"_id": "1", "text": "b"}), r":2: the '_id' '1' stands on line 1"),
        ("corpus", rows({"id": "d1", "text": "a"}), r":1: '_id' must be text \(keys here: id, text\)"),
        ("corpus", rows({"_id": " ", "text": "a"}), ":1: the '_id' is empty"),
        ("queries", rows({"_id": "q1"}), r"queries\.jsonl:1: 'text' must be text"),
        ("qrels", "q1\td1\n", r"test\.tsv:1: a judgment has a query, a document and a score"),
        ("qrels", "query\tdoc\tscore\nq1\td1\thigh\n", ":2: the score 'high' is not a whole number"),
        ("qrels", "q1\td1\tx1\n", ":1: the score 'x1' is not a whole number"),
        ("qrels", "q1\td1\tnan\n", ":1: the score 'nan'"),
        ("qrels", "q1\td1\t1.5\n", ":1: the score '1.5'"),
        ("qrels", "q1\td1\t1\nq1\td1\t2\n", ":2: 'd1' has another score for 'q1' already"),
    ],
)  # fmt: skip
def test_a_malformed_line_is_told_with_its_number(tmp_path: Path, part: str, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(collection(tmp_path, **{part: text}))


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    collection(tmp_path)
    (tmp_path / "queries.jsonl").write_bytes(b'{"_id": "q1", "text": "caf\xe9"}')
    with pytest.raises(UsageError, match=r"queries\.jsonl:1: not UTF-8"):
        load(tmp_path)
    (tmp_path / "queries.jsonl").rename(tmp_path / "queries.jsonl.gz")
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "queries.jsonl.gz").unlink()
    with pytest.raises(NotFoundError, match=r"has no queries\.jsonl"):
        load(tmp_path)
    collection(tmp_path)
    (tmp_path / "qrels" / "test.tsv").unlink()
    with pytest.raises(NotFoundError, match="has no judgments"):
        load(tmp_path)


def test_documents_of_any_name_and_text_are_found_by_an_ingest(tmp_path: Path) -> None:
    corpus = rows(*({"_id": one, "text": f"text\u0000 \ud800 {number}"} for number, one in enumerate(STRANGE)))
    found = load(collection(tmp_path, f"q1\t{STRANGE[2]}\t1\n", corpus=corpus))
    texts = list(found.texts())
    made = tmp_path / "made"
    made.mkdir()
    for one in texts:
        (made / one.path).write_bytes(one.text.encode())
    walked = list(walk(made, environ={}))
    assert all(isinstance(one, Found) for one in walked)
    assert len({one.path.casefold() for one in walked}) == len(STRANGE)
    assert not any("\0" in one.text for one in texts)


@given(st.lists(st.text(min_size=1), unique=True, max_size=20))
def test_names_are_safe_and_differ(idents: list[str]) -> None:
    names = [file_name(one) for one in idents]
    assert len({name.casefold() for name in names}) == len(idents)
    for name in names:
        assert name.isascii()
        assert Path(name).name == name == name.lower()
        assert len(name) < 100


@pytest.mark.parametrize("name", ["cranfield", "cisi", "xquad-en", "xquad-zh"])
def test_published_collections_are_read_whole(name: str) -> None:
    data = os.environ.get("GW_TEST_DATA")
    if data is None:
        pytest.skip("GW_TEST_DATA is not set")
    found = load(Path(data) / name)
    judged = (Path(data) / name / "qrels" / "test.tsv").read_text().splitlines()[1:]
    assert found.notes == ()
    assert sum(len(one.grades) for one in found.questions) == len(judged)
