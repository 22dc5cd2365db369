"""Corpora are built once, are whole or not there, and go when there is too much of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gw_core.bench.cache import Built, Cache, default_folder, digest
from gw_core.trial import SourceText


def builder(calls: list[int], text: str = "hello\n") -> Callable[[], Built]:
    def build() -> Built:
        calls.append(1)
        return [SourceText("a/b.txt", text)], {"spans": [[0, 5]]}

    return build


def test_a_corpus_is_built_once_for_its_key(tmp_path: Path) -> None:
    cache, calls = Cache(tmp_path / "cache"), list[int]()
    folder, truth = cache.corpus({"n": 1}, builder(calls))
    again, truth_again = cache.corpus({"n": 1}, builder(calls))
    other, _ = cache.corpus({"n": 2}, builder(calls, "other\n"))
    assert (folder, truth) == (again, truth_again)
    assert (folder / "a/b.txt").read_text() == "hello\n"
    assert truth == {"spans": [[0, 5]]}
    assert other != folder
    assert len(calls) == 2


@pytest.mark.parametrize("damage", ["edit", "delete", "add", "truth"])
def test_a_damaged_corpus_is_built_again(tmp_path: Path, damage: str) -> None:
    cache, calls = Cache(tmp_path / "cache"), list[int]()
    folder, _ = cache.corpus("key", builder(calls))
    if damage == "edit":
        (folder / "a/b.txt").write_text("jello\n")
    elif damage == "delete":
        (folder / "a/b.txt").unlink()
    elif damage == "add":
        (folder / "more.txt").write_text("x")
    else:
        (folder.parent / "truth.json").write_text("{")
    again, _ = cache.corpus("key", builder(calls))
    assert (len(calls), again) == (2, folder)
    assert [path.name for path in again.rglob("*.txt")] == ["b.txt"]
    assert (again / "a/b.txt").read_text() == "hello\n"


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")

    def build() -> Built:
        def texts() -> object:
            yield SourceText("one.txt", "1")
            raise RuntimeError("no more")

        return texts(), None  # type: ignore[return-value]

    with pytest.raises(RuntimeError):
        cache.corpus("key", build)
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_index_lies_beside_a_made_corpus_and_apart_from_the_users(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    made, _ = cache.corpus("key", builder([]))
    mine = tmp_path / "docs"
    mine.mkdir()
    assert cache.index(made, "a").parent == made.parent
    assert cache.index(made, "a") != cache.index(made, "b")
    assert cache.index(mine, "a").is_relative_to(tmp_path / "cache")
    assert list(mine.iterdir()) == []


def test_what_was_used_longest_ago_goes_first_and_what_is_in_use_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", limit=150_000)
    places = {}
    for name, age in (("old", 9_000), ("older", 10_000), ("now", 0)):
        folder, _ = cache.corpus(name, builder([], "x" * 100_000))
        places[name] = folder.parent
        then = time.time() - age
        for path in (folder.parent, folder.parent / "truth.json"):
            os.utime(path, (then, then))
    cache.prune()
    assert {name for name, place in places.items() if place.exists()} == {"now"}


def test_an_unfinished_corpus_of_a_killed_run_goes(tmp_path: Path) -> None:
    left = tmp_path / ".gw-bench-abc"
    left.mkdir()
    os.utime(left, (time.time() - 9_000,) * 2)
    Cache(tmp_path).prune()
    assert not left.exists()


def test_the_folder_is_the_users_choice_or_that_for_caches() -> None:
    assert default_folder({"GW_BENCH_CACHE": "/x/y"}) == Path("/x/y")
    assert default_folder({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/gw/bench")
    assert default_folder({"XDG_CACHE_HOME": "relative", "HOME": "/h"}) == Path("/h/.cache/gw/bench")


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1}) != digest({"a": 1, "b": [3]})
