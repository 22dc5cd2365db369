"""The form of golden sets: what is read, and the line of all that is wrong."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.golden import load, read
from gw_core.bench.golden_entry import Quoted, short, stable_id
from gw_core.errors import NotFoundError, UsageError
from gw_core.lined import parse_json, parse_yaml

HERE = Path("golden.yaml")
WHOLE = """\
corpus: docs
questions:
  - id: retention
    question: How long are logs kept?
    category: plain
    documents: [ops/logs.md]
    quotes:
      - "Logs are kept for 30 days."
      - {document: ops/old.md, quote: "Logs were kept."}
    answer: 30 days
  - question: What does the licence cost?
    abstain: true
  - question: Which of them says more?
    documents: {./ops/logs.md: 3, ops/old.md: 0}
    answer: [30, yes, 2024-01-01]
"""


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of YAML, as libyaml is not everywhere."""
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "ops").mkdir(parents=True)
    return tmp_path


def write(folder: Path, text: str | bytes, name: str = "golden.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems(folder: Path, entry: str) -> list[tuple[int, str]]:
    """The problems of one entry whose first line is the third of the file."""
    first, *rest = entry.split("\n")
    source = "corpus: docs\nquestions:\n" + f"  - {first}\n" + "".join(f"    {line}\n" for line in rest)
    return [(one.line, one.problem) for one in read(write(folder, source)).problems]


@pytest.mark.usefixtures("parser")
def test_a_whole_set(folder: Path) -> None:
    golden = load(write(folder, WHOLE))
    assert (golden.root, golden.paths, golden.name) == (folder.resolve() / "docs", (), "golden")
    first, second, third = golden.questions
    assert (first.id, first.text, first.category) == ("retention", "How long are logs kept?", "plain")
    assert first.documents == {"ops/logs.md": 1, "ops/old.md": 1}
    assert first.quotes == (
        Quoted("ops/logs.md", "Logs are kept for 30 days.", 8),
        Quoted("ops/old.md", "Logs were kept.", 9),
    )
    assert (first.answers, first.abstain, first.line) == (("30 days",), False, 3)
    assert (second.id, second.abstain, second.documents) == (stable_id("What does the licence cost?"), True, {})
    assert third.documents == {"ops/logs.md": 3, "ops/old.md": 0}
    assert third.answers == ("30", "yes", "2024-01-01")  # as they are written, whatever YAML takes them for


def test_json_lines_say_the_same(folder: Path) -> None:
    rows = [
        {"corpus": "docs"},
        {"id": 7, "question": "a b", "documents": {"x.md": 2}, "quotes": ["q"], "answer": 3.50},
        {"question": "c", "abstain": True},
    ]
    golden = load(write(folder, "\n".join(map(json.dumps, rows)), "set.jsonl"))
    assert golden.root == folder.resolve() / "docs"
    assert [(one.id, one.line) for one in golden.questions] == [("7", 2), (stable_id("c"), 3)]
    assert golden.questions[0].answers == ("3.5",)


def test_the_corpus_is_the_folder_of_the_file_unless_it_says_otherwise(folder: Path) -> None:
    golden = load(write(folder / "docs", "questions: [{question: a, abstain: true}]"))
    assert (golden.root, golden.paths) == ((folder / "docs").resolve(), ())


def test_several_corpora_share_their_common_folder(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "a.md").write_text("a")
    golden = load(write(folder, "corpus: [docs/ops, more/a.md]\nquestions: [{question: a, abstain: true}]"))
    root = folder.resolve()
    assert (golden.root, golden.paths) == (root, (root / "docs/ops", root / "more/a.md"))


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("question: a\ndocuments: [x]\ncategry: plain", (5, "unknown key 'categry'")),
        ("id: x", (3, "there is no 'question'")),
        ('question: ""\nabstain: true', (3, "'question' is empty")),
        ("question:\nabstain: true", (3, "'question' is empty")),
        ("question: [a]\nabstain: true", (3, "'question' must be text")),
        ('question: "?!"\nabstain: true', (3, "there is no word to search for in the question")),
        ("question: a", (3, "it does not say what is right")),
        ("question: a\nabstain: true\nquotes: [x]\ndocuments: [y]", (3, "abstain: true, but there is 'documents'")),
        ("question: a\nabstain: maybe", (4, "'abstain' must be true or false")),
        ("question: a\nquotes: [x]", (4, "a quote that does not say of which document")),
        ("question: a\ndocuments: [x, y]\nquotes:\n- q", (6, "a quote that does not say of which document")),
        ("question: a\nquotes: [{document: x}]", (4, "a quote needs 'quote'")),
        ("question: a\nquotes: [{document: x, quote: q, page: 1}]", (4, "unknown key 'page'")),
        ("question: a\ndocuments: x\nquotes: [q r, 'q  r']", (5, "the same quote stands here twice")),
        ("question: a\nquotes: []", (4, "'quotes' is empty")),
        ("question: a\ndocuments: []", (4, "'documents' names none")),
        ("question: a\ndocuments: [x, ./x]", (4, "the document 'x' is named twice")),
        ("question: a\ndocuments: [../x]", (4, "'../x' is outside the corpus")),
        ("question: a\ndocuments: [/etc/passwd]", (4, "'/etc/passwd' is outside the corpus")),
        ("question: a\ndocuments: {x: .nan}", (4, "the grade of 'x' must be a whole number from 0 to 1000")),
        ("question: a\ndocuments: {x: -1, y: 1}", (4, "the grade of 'x' must be a whole number from 0 to 1000")),
        ("question: a\ndocuments: {x: 0}", (3, "no document of it is relevant")),
        ("question: a\ndocuments: {x: 0, y: 1}\nquotes: [{document: x, quote: q}]",
         (5, "a quote of 'x', which is judged not relevant")),
        ("question: a\nanswer: []", (4, "'answer' is empty")),
        ('question: a\nabstain: true\nid: "a\\nb"', (5, "'id' must be one line without control characters")),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_entry_is_told_with_its_line(folder: Path, entry: str, expected: tuple[int, str]) -> None:
    assert expected in problems(folder, entry)


def test_all_problems_are_found_and_good_entries_kept(folder: Path) -> None:
    path = write(
        folder,
        "corpus: docs\nquestions:\n"
        "  - {question: a, abstain: true}\n"
        "  - {question: ' A ', abstain: true}\n"
        "  - {id: one, question: b, abstain: true}\n"
        "  - {id: one, question: c, abstain: true}\n"
        "  - just text\n",
    )
    golden = read(path)
    assert [one.text for one in golden.questions] == ["a", "b"]
    assert [(one.line, one.problem) for one in golden.problems] == [
        (4, "the same question stands on line 3"),
        (6, "duplicate id: line 5 has it too"),
        (7, "an entry must be a mapping"),
    ]
    with pytest.raises(
        UsageError, match=r"golden\.yaml:4: 'A': the same question .*2 more: gw bench golden .* --check"
    ):
        load(path)


BOMB = "a: &a [x]\nb: &b [*a, *a]\nquestions: [*b]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no question in it"),
        ("questions:", "there is no question in it"),
        ("- question: a", ":1: the file must be a mapping"),
        ("questions: {a: b}", ":1: 'questions' must be a list"),
        ("corpus: docs\nquestion: []", r":2: unknown key 'question' \(did you mean 'questions'\?"),
        ("corpus: nowhere\nquestions: [{question: a}]", ":1: the corpus 'nowhere' does not exist"),
        ("corpus: []\nquestions: [{question: a}]", ":1: 'corpus' names nothing"),
        ("corpus: {a: b}\nquestions: [{question: a}]", ":1: 'corpus' must be a path"),
        ("questions: [\n", ":2: not YAML"),
        ("questions:\n\t- a", ":2: not YAML"),
        ("a: \x01", ":1: not YAML: (special|control) characters"),
        (BOMB, r":2: an alias \(\*a\)"),
        ("questions: !!python/object:os.system [a]", ":1: a tag"),
        ("questions: []\nquestions: []", ":2: the key 'questions' stands here a second time"),
        ("questions: []\n---\nquestions: []", ":2: a second document"),
        ("? [a]\n: b", ":1: a key must be text"),
        ("[" * 100 + "]" * 100, ":1: nested more than 20 deep"),
        (b"questions:\n- question: caf\xe9", ":2: not UTF-8"),
    ],
)
@pytest.mark.usefixtures("parser")
def test_a_file_that_is_no_golden_set(folder: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(write(folder, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"question": "a"}\n{"question": ', ":2: not JSON"),
        ('{"question": "a", "grade": NaN}', ":1: not JSON: NaN"),
        ('\n["a"]', ":2: a line must be a JSON object"),
        ('{"question": "a", "question": "b"}', ":1: the key 'question' stands here a second time"),
        ("[" * 100_000, ":1: "),
        ('{"corpus": "docs"}', "there is no question in it"),
    ],
)
def test_a_file_that_is_no_json_lines(folder: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(write(folder, text, "set.jsonl"))


def test_a_question_that_no_file_could_hold(folder: Path) -> None:
    golden = read(write(folder, '{"question": "a \\ud800", "abstain": true}', "set.jsonl"))
    assert [one.problem for one in golden.problems] == ["'question' must be valid Unicode"]


def test_a_golden_set_that_is_not_there_or_no_file(folder: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        read(folder / "none.yaml")
    with pytest.raises(UsageError, match="not a file"):
        read(folder)
    with pytest.raises(UsageError, match="larger than"):
        read(write(folder, b"#" * 16_000_001))


@given(st.text(min_size=1), st.integers(5, 80))
def test_a_label_is_one_short_line(text: str, width: int) -> None:
    assert len(short(text, width)) <= width
    assert "\n" not in short(text, width)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1), inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
def test_json_is_read_as_it_stands(value: object) -> None:
    def back(node: Any) -> Any:
        if isinstance(node, list):
            return [back(one) for one in node]
        if isinstance(node, dict):
            return {key: back(one) for key, one in node.items()}
        kind, text = node
        return text if kind == "text" else json.loads(text or "null")

    assert back(parse_json(HERE, 1, json.dumps(value)).plain) == value


@given(st.text(max_size=200))
def test_no_text_breaks_the_yaml_reader_in_another_way_than_a_usage_error(text: str) -> None:
    with contextlib.suppress(UsageError):
        parse_yaml(HERE, text)
