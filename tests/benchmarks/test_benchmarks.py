"""What the benchmarks measure with: a wrong percentile or a corpus that differs from run to run makes figures lies."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = load("bench_corpus")
    library = tmp_path / "library"
    prose = "These are the words that a reader of the page sees.\n" * 6
    for number in range(60):
        code = library / "package" / "build" / f"module{number}.py"
        code.parent.mkdir(parents=True, exist_ok=True)
        code.write_text(f"VALUE_{number} = compute_the_value({number}, other_argument=None)\n" * 20)
        (library / f"page{number}.rst").write_text(f"Page {number}\n{prose}")
    (library / "copy.py").write_bytes((library / "package/build/module1.py").read_bytes())
    (library / "binary.py").write_bytes(b"\0" * 500)
    (library / "latin.txt").write_bytes(b"caf\xe9 " * 100)
    monkeypatch.setattr(module.sysconfig, "get_path", lambda _: str(library))
    monkeypatch.setenv("GW_BENCH_DIR", str(tmp_path / "bench"))
    return module


def test_a_corpus_is_four_bytes_a_token_of_code_and_docs_and_the_same_every_time(corpora: ModuleType) -> None:
    corpus = corpora.make_corpus(10_000)
    assert 40_000 * 0.98 <= corpora.size_of(corpus) <= 40_000 * 1.1
    files = [file.relative_to(corpus) for file in corpora.files_of(corpus)]
    assert {file.suffix for file in files} == {".py", ".rst"}
    assert not any("build" in file.parts for file in files), "a walk would leave these out"
    assert corpora.make_corpus(10_000) == corpus
    larger = corpora.make_corpus(14_000)
    assert set(files) <= {file.relative_to(larger) for file in corpora.files_of(larger)}


def test_a_machine_without_enough_text_is_told(corpora: ModuleType) -> None:
    with pytest.raises(SystemExit, match="on this machine"):
        corpora.make_corpus(1_000_000)


def test_questions_are_prose_and_names_and_the_same_every_time(corpora: ModuleType) -> None:
    corpus = corpora.make_corpus(10_000)
    asked = corpora.queries(corpus, 30)
    assert asked == corpora.queries(corpus, 30)
    assert all(1 <= len(question.split()) <= 3 for question in asked[::3])
    assert all(6 <= len(question.split()) <= 12 for number, question in enumerate(asked) if number % 3)


@pytest.mark.parametrize(("share", "value"), [(0.5, 50), (0.95, 95), (0.951, 96), (1.0, 100), (0.0, 1)])
def test_percentiles_are_by_nearest_rank(share: float, value: int) -> None:
    assert load("measure").percentile([float(number) for number in range(100, 0, -1)], share) == value


def test_a_missed_figure_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    table = load("measure").Table()
    table.add("one", "1", ">= 1", True)
    table.add("two", "2")
    assert not table.failed
    table.add("three", "3", "<= 2", False)
    assert table.failed
    table.show()
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()[2:]] == ["yes", "2", "NO"]


def test_a_piece_of_work_has_a_process_and_memory_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(FOLDER)!r})\n"
        "import measure\n"
        "measure.run_piece({'fill': lambda size, *, answer: {'answer': answer, 'size': len(b'x' * size)}})\n"
    )
    measure = load("measure")
    little = measure.in_child(str(script), "fill", 1, answer="a")
    much = measure.in_child(str(script), "fill", 64_000_000, answer="b")
    assert (little["answer"], much["answer"], much["size"]) == ("a", "b", 64_000_000)
    assert 50 < much["rss"] - little["rss"] < 80


def test_identifiers_are_drawn_from_definitions_that_stand_in_the_text() -> None:
    identifiers = load("identifiers")
    texts = {
        "net/client.py": "HTTPS_PORT = 443\nclass HTTPClient:\n def get_name(self): pass\n def getName(self): pass\n",
        "use.py": "from net import client\nclient.HTTPClient().get_name_of()\n",
    }
    assert identifiers.drawn(texts, 5, seed=1) == {
        "snake": ["get_name"],
        "camel": ["getName"],
        "constant": ["HTTPS_PORT"],
        "dotted": ["client.HTTPClient"],
    }
    assert identifiers.whole("get_name").search("a.get_name()")
    assert not identifiers.whole("get_name").search("get_names and forget_name")
