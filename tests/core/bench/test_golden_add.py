"""Adding to a golden set: what is there stays, byte by byte."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import gw_core
from gw_core.bench.golden import load
from gw_core.bench.golden_add import NewEntry, add, quoted_hit
from gw_core.bench.golden_check import check
from gw_core.bench.golden_text import scalar
from gw_core.errors import NotFoundError, UsageError
from gw_core.lined import parse_yaml
from gw_core.model import Span

TEXT = "Logs are kept\nfor 30 days. Logs are kept.\n"


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of YAML, as libyaml is not everywhere."""
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "logs.md").write_text(TEXT)
    return docs


ENTRY = NewEntry("How long: “30” days?", (("logs.md", "for 30 days."),), category="plain", answers=("30 days", "a: b"))
BLOCK = """\
  - question: "How long: “30” days?"
    category: plain
    quotes:
      - document: logs.md
        quote: for 30 days.
    answer: ["30 days", "a: b"]
"""


def test_a_new_file_names_its_corpus_from_where_it_lies(docs: Path) -> None:
    path = docs.parent / "sets" / "g.yaml"
    path.parent.mkdir()
    made = add(path, ENTRY, docs)
    assert path.read_text() == "corpus: ../docs\nquestions:\n" + BLOCK
    assert load(path).questions == (made,)
    with gw_core.open(docs, env={}) as workspace:
        assert check(load(path), workspace) == []
    assert [one.name for one in path.parent.iterdir()] == ["g.yaml"]  # nothing else is left there


def test_a_new_file_of_json_lines(docs: Path) -> None:
    path = docs.parent / "g.jsonl"
    add(path, NewEntry("one", abstain=True, id="x"), docs)
    add(path, NewEntry("two", documents=("logs.md",)))
    assert path.read_text() == (
        '{"corpus": "docs"}\n{"id": "x", "question": "one", "abstain": true}\n'
        '{"question": "two", "documents": ["logs.md"]}\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("corpus: docs\nquestions:\n", "corpus: docs\nquestions:\n{}"),
        ("questions:\ncorpus: docs\n", "questions:\n{}corpus: docs\n"),
        ("corpus: docs", "corpus: docs\nquestions:\n{}"),
        ("# nothing yet\n", "# nothing yet\nquestions:\n{}"),
        (
            "# mine\nquestions:  # all\n  - question: 'a b'  # c\n    abstain: true\n    # its own\n\n# the end\n",
            "# mine\nquestions:  # all\n  - question: 'a b'  # c\n    abstain: true\n    # its own\n{}\n# the end\n",
        ),
        ("questions:\n  - {question: a, abstain: true}", "questions:\n  - {question: a, abstain: true}\n{}"),
        (
            "questions:\n  - abstain: true\n    question: |\n      a\n      b\ncorpus: docs\n",
            "questions:\n  - abstain: true\n    question: |\n      a\n      b\n{}corpus: docs\n",
        ),
        (
            "---\nquestions:\n  - question: a\n    documents:\n      - x\n...\n",
            "---\nquestions:\n  - question: a\n    documents:\n      - x\n{}...\n",
        ),
    ],
)
@pytest.mark.usefixtures("parser")
def test_an_entry_is_put_in_and_nothing_else_is_touched(docs: Path, before: str, after: str) -> None:
    path = docs.parent / "g.yaml"
    path.write_text(before)
    add(path, ENTRY)
    assert path.read_text() == after.replace("{}", BLOCK)


@pytest.mark.usefixtures("parser")
def test_the_style_of_a_list_is_kept(docs: Path) -> None:
    path = docs.parent / "g.yaml"
    path.write_text("questions:\n- {question: a, abstain: true}\n")
    add(path, NewEntry("b", abstain=True))
    assert path.read_text() == "questions:\n- {question: a, abstain: true}\n- question: b\n  abstain: true\n"
    path.write_text("questions: [{question: a, abstain: true}, ]  # flow\n")
    add(path, NewEntry("b", abstain=True))
    assert len(load(path).questions) == 2
    assert path.read_text().endswith("]  # flow\n")
    path.write_text("questions: []  # none\n")
    add(path, NewEntry("b", abstain=True))
    assert path.read_text() == "questions:\n  - question: b\n    abstain: true  # none\n"


@pytest.mark.usefixtures("parser")
def test_line_ends_mark_and_permissions_stay(docs: Path) -> None:
    path = docs.parent / "g.yaml"
    path.write_bytes(b"\xef\xbb\xbfquestions:\r\n  - question: a\r\n    abstain: true\r\n")
    path.chmod(0o640)
    add(path, NewEntry("b", abstain=True))
    assert path.read_bytes() == (
        b"\xef\xbb\xbfquestions:\r\n  - question: a\r\n    abstain: true\r\n  - question: b\r\n    abstain: true\r\n"
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_one(docs: Path) -> None:
    real, link = docs.parent / "real.yaml", docs.parent / "link.yaml"
    real.write_text("questions: [{question: a, abstain: true}]")
    link.symlink_to(real)
    add(link, NewEntry("b", abstain=True))
    assert link.is_symlink()
    assert len(load(real).questions) == 2


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (NewEntry("a  B?", abstain=True), ":2: the question is there already"),
        (NewEntry("c", id="one", abstain=True), ":2: the id 'one' is there already"),
        (NewEntry("c"), "does not say what is right"),
        (NewEntry(" ", abstain=True), "'question' is empty"),
        (NewEntry("?", abstain=True), "no word to search for"),
        (NewEntry("c", documents=("../x",)), "outside the corpus"),
        (NewEntry("c", documents=("x",), abstain=True), "abstain: true, but"),
        (NewEntry("c\ud800", abstain=True), "valid Unicode"),
    ],
)
def test_what_cannot_be_added_leaves_the_file_as_it_is(docs: Path, entry: NewEntry, message: str) -> None:
    path = docs.parent / "g.yaml"
    before = "questions:\n  - {id: one, question: a b?, abstain: true}\n"
    path.write_text(before)
    with pytest.raises(UsageError, match=message):
        add(path, entry)
    assert path.read_text() == before


@pytest.mark.parametrize("before", ["questions: [", "questions:\n  - question: a\n", "quest: []", "{corpus: docs}"])
def test_a_file_that_is_broken_stays_as_it_is(docs: Path, before: str) -> None:
    path = docs.parent / "g.yaml"
    path.write_text(before)
    with pytest.raises(UsageError):
        add(path, NewEntry("b", abstain=True))
    assert path.read_text() == before
    assert sorted(one.name for one in docs.parent.iterdir()) == ["docs", "g.yaml"]


def test_a_file_that_cannot_be_made(docs: Path) -> None:
    with pytest.raises(UsageError, match="no folder for it"):
        add(docs / "no" / "g.yaml", NewEntry("b", abstain=True))
    with pytest.raises(NotFoundError, match="does not exist"):
        add(docs / "g.yaml", NewEntry("b", abstain=True), docs / "nowhere")
    path = docs.parent / "g.yaml"
    path.write_text("corpus: docs\nquestions: [{question: a, abstain: true}]")
    with pytest.raises(UsageError, match="names its corpus already"):
        add(path, NewEntry("b", abstain=True), docs.parent)


def test_a_hit_becomes_a_quote_that_is_unique(docs: Path) -> None:
    path = docs.parent / "g.yaml"
    assert quoted_hit(path, docs / "logs.md", TEXT, Span(0, 13), docs) == ("logs.md", "Logs are kept\nfor")
    with pytest.raises(UsageError, match="outside the corpus"):
        quoted_hit(path, docs.parent / "other.md", TEXT, Span(0, 13), docs)
    add(path, ENTRY, docs)
    assert quoted_hit(path, docs / "logs.md", TEXT, Span(18, 25))[1] == "30 days"


@given(st.text(min_size=1).filter(lambda text: not any(0xD800 <= ord(one) <= 0xDFFF for one in text)))
def test_any_text_is_written_so_that_it_reads_as_itself(text: str) -> None:
    node = parse_yaml(Path("x"), f"key: {scalar(text)}\n").fields["key"]
    assert (node.kind, node.text) == ("text", text)


ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"question": st.text("aß #:-'\"\n|>{[&*!%@`", min_size=1, max_size=30).map("word ".__add__)},
        optional={"documents": st.lists(st.sampled_from(["a.md", "b c.md", "ä"]), min_size=1, unique=True)},
    ).map(lambda entry: entry if "documents" in entry else {**entry, "abstain": True}),
    max_size=4,
    unique_by=lambda entry: " ".join(str(entry["question"]).split()).casefold(),
)


@given(ENTRIES, st.sampled_from([None, True, False]), st.booleans(), st.integers(2, 6), st.booleans())
def test_whatever_a_file_looks_like_only_the_entry_is_new(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[dict[str, Any]],
    flow: bool | None,
    first: bool,
    indent: int,
    marked: bool,
) -> None:
    path = tmp_path_factory.mktemp("sets") / "g.yaml"
    order = {"questions": entries, "corpus": "."} if first else {"corpus": ".", "questions": entries}
    before = yaml.safe_dump(
        order, default_flow_style=flow, indent=indent, sort_keys=False, allow_unicode=True, explicit_start=marked,
        explicit_end=marked, width=30,
    )  # fmt: skip
    path.write_text(before)
    add(path, NewEntry("something new", documents=("a.md",)))
    after = yaml.safe_load(path.read_text())
    assert after == {**order, "questions": [*entries, {"question": "something new", "documents": ["a.md"]}]}
    if entries:  # the brackets of an empty list are taken away
        old, new = ("".join(text.split()) for text in (before, path.read_text()))
        assert any(new.startswith(old[:at]) and new.endswith(old[at:]) for at in range(len(old) + 1))
