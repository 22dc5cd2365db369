"""What tests of tasks share: a bench of their own, other systems to put to the test, and haystacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench.harness import BenchOptions, Harness
from gw_core.config import Config
from gw_core.plugins import Plugins
from gw_core.protocols import Subject


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Harness]:
    """``harness(seed=8)``: a bench with nobody's settings. The tests of a module share a cache, or name their own."""
    cache = tmp_path_factory.mktemp("cache")

    def make(**options: Any) -> Harness:
        return Harness(Config.load(None, env={}), Plugins(), BenchOptions(**{"cache": cache, **options}))

    return make


class Wrapped:
    """A bench whose subject is another one, made from gw's own and the folder of the corpus.

    ``opened`` are the folders so far, and ``truths`` what was said about the corpora.
    """

    def __init__(self, bench: Harness, wrap: Callable[[Subject, Path], Any]) -> None:
        self._bench = bench
        self._wrap = wrap
        self.opened: list[Path] = []
        self.truths: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench, name)

    def corpus(self, key: Mapping[str, Any], build: Any) -> tuple[Path, Any]:
        folder, truth = self._bench.corpus(key, build)
        self.truths.append(truth)
        return folder, truth

    @contextmanager
    def open(self, corpus: Path, paths: Sequence[Path] = ()) -> Iterator[Any]:
        self.opened.append(corpus)
        with self._bench.open(corpus, paths) as subject:
            yield self._wrap(subject, corpus)


@pytest.fixture(scope="session")
def wrapped() -> type[Wrapped]:
    """``wrapped(bench, lambda subject, corpus: other)``: a bench that puts another system to the test."""
    return Wrapped


@pytest.fixture(scope="session")
def texts_of() -> Callable[[Path], dict[str, str]]:
    """``texts_of(corpus)``: what stands in its files, by path."""
    return lambda corpus: {
        file.relative_to(corpus).as_posix(): file.read_text("utf-8") for file in corpus.rglob("*") if file.is_file()
    }


@pytest.fixture
def haystack(tmp_path: Path) -> Callable[..., Path]:
    """``haystack(3_000)``: a folder with a text of so many paragraphs, no two alike, of 14 tokens each. What is
    ``planted`` stands behind the tenth of them."""

    def make(paragraphs: int, planted: Sequence[str] = ()) -> Path:
        lines = [f"Line {number} of a text that says nothing much about {number * 7}." for number in range(paragraphs)]
        lines[10:10] = planted
        folder = tmp_path / "haystack"
        folder.mkdir()
        (folder / "text.txt").write_text("\n\n".join(lines), "utf-8")
        return folder

    return make
