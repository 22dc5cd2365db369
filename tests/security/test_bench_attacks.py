"""``gw bench`` with files of strangers, with a folder that is not its own, and with files that appear meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench.cache import Cache
from gw_core.bench.golden_entry import MAX_TEXT
from gw_core.bench.harness import BenchOptions, Harness, Trial
from gw_core.bench.haystack import open_haystack
from gw_core.bench.provenance import provenance, revision
from gw_core.bench.saved import read_report
from gw_core.cli.bench import running
from gw_core.config import Config
from gw_core.errors import PluginError, UsageError
from gw_core.model import Identity
from gw_core.plugins import Plugins
from gw_core.trial import Cell, Figure, Outcome, SourceText

GOLDEN = "corpus: .\nquestions:\n  - {question: When is the harbour closed?, documents: [a.txt]}\n"


@pytest.fixture
def golden(folder: Path) -> Path:
    file = folder / "golden.yaml"
    file.write_text(GOLDEN, encoding="utf-8")
    return file


@pytest.fixture
def bench(gw: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    return lambda *arguments, **options: gw("bench", *arguments, "--cache", str(tmp_path / "cache"), **options)


def _old(place: Path) -> None:
    os.utime(place, (time.time() - 90_000,) * 2)


@pytest.mark.parametrize("name", ["new-project", "0123456789abcdef", "thesis", ".gw-bench"])
def test_a_cache_in_a_folder_of_the_users_removes_nothing_of_theirs(tmp_path: Path, name: str) -> None:
    kept = tmp_path / name / "work.txt"
    kept.parent.mkdir()
    kept.write_text("years of it", encoding="utf-8")
    _old(kept.parent)
    Cache(tmp_path, limit=1).prune()
    assert kept.exists()


def test_a_report_does_not_overwrite_what_a_link_names_or_make_it(
    bench: Callable[..., Any], folder: Path, golden: Path
) -> None:
    (folder / "r.md").symlink_to(folder / "elsewhere.md")
    done = bench("golden", str(golden), "--markdown", "r.md")
    assert (done.returncode, (folder / "elsewhere.md").exists()) == (2, False)
    assert "there is a file r.md already" in done.stderr


def test_a_file_that_appears_while_tasks_run_is_not_overwritten(tmp_path: Path, sample_result: dict[str, Any]) -> None:
    file = tmp_path / "r.md"
    file.write_text("mine", encoding="utf-8")
    problem = running._write_files(sample_result, {"markdown": file}, force=False)
    assert "already" in str(problem)
    assert file.read_text("utf-8") == "mine"
    assert running._write_files(sample_result, {"markdown": file}, force=True) is None
    assert file.read_text("utf-8") != "mine"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_figures_are_shown_though_no_file_can_be_written(bench: Callable[..., Any], golden: Path) -> None:
    done = bench("golden", str(golden), "--markdown", "/dev/full", "--force", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["schema"] == "gw.bench/1"
    assert "/dev/full: cannot be written" in done.stderr


def test_two_names_of_one_file_are_one(bench: Callable[..., Any], folder: Path, golden: Path) -> None:
    (folder / "sub").mkdir()
    done = bench("golden", str(golden), "--markdown", "sub/../r", "--junit", "r", "--force")
    assert (done.returncode, done.stdout) == (2, "")
    assert "one file" in done.stderr


@pytest.fixture(scope="session")
def sample_result() -> dict[str, Any]:
    cell = {
        "name": "c", "size": None, "n": 1, "metrics": {"recall@1": {"value": 1.0, "low": 0.2, "high": 1.0, "n": 1,
        "interval": "wilson", "chance": None}}, "latency": None, "figures": {}, "facts": {}, "notes": [], "groups": {},
        "questions": [{"id": "q", "question": "?", "values": {"recall@1": 1.0}, "ms": None, "group": {}, "detail": {}}],
    }  # fmt: skip
    task = {"name": "t", "task": "t", "identity": "t@1", "settings": {}, "cells": [cell]}
    overhead = {"asking": 0.0, "ingesting": 0.0, "harness": 0.0, "unit": "s"}
    run = {"gw": "0", "python": "3", "platform": "x", "machine": {"cpu": "", "cores": 1, "memory_bytes": 0, "id": "m"},
           "packages": {}, "git": None, "seed": 7, "started": "2026-01-01T00:00:00Z", "seconds": 1.0, "config": {},
           "haystack": None, "token_rule": ""}  # fmt: skip
    return {"schema": "gw.bench/1", "provenance": run, "ks": [1], "tasks": [task], "overhead": overhead,
            "comparison": None, "gates": [], "notes": []}  # fmt: skip


def _cell(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = report["tasks"][0]["cells"][0]
    return found


@pytest.mark.parametrize(
    "damage",
    [
        lambda one: _cell(one)["metrics"]["recall@1"].update(value=10**400),
        lambda one: _cell(one)["questions"][0]["values"].update({"recall@1": 10**400}),
        lambda one: _cell(one).update(latency=[1, 2]),
        lambda one: one["provenance"].update(haystack="x"),
    ],
)
def test_a_damaged_baseline_is_said_to_be_one(
    tmp_path: Path, sample_result: dict[str, Any], damage: Callable[[dict[str, Any]], None]
) -> None:
    report = json.loads(json.dumps(sample_result))
    file = tmp_path / "baseline.json"
    file.write_text(json.dumps(report), encoding="utf-8")
    assert read_report(file) == report
    damage(report)
    file.write_text(json.dumps(report), encoding="utf-8")
    with pytest.raises(UsageError, match="damaged"):
        read_report(file)


def test_a_baseline_without_end_is_not_read_to_it() -> None:
    with pytest.raises(UsageError, match="larger than"):
        read_report(Path("/dev/zero"))


@pytest.mark.parametrize("place", ["HEAD", "commondir"])
def test_a_repository_of_pipes_is_not_waited_for(
    bench: Callable[..., Any], folder: Path, golden: Path, place: str
) -> None:
    git = folder / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (git / place).unlink(missing_ok=True)
    os.mkfifo(git / place)
    assert bench("golden", str(golden), timeout=20).returncode == 0


def test_a_null_in_the_files_of_a_repository_is_no_error(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    git.write_bytes(b"gitdir: a\0b\n")
    assert revision(tmp_path) is None
    git.unlink()
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (git / "commondir").write_bytes(b"a\0b")
    assert revision(tmp_path) is None


@pytest.mark.parametrize("row", ['{"question": "a harbour", "%s": 1}', '{"%s": 1, "%s": 2}'])
def test_a_message_does_not_hold_a_key_of_megabytes(bench: Callable[..., Any], folder: Path, row: str) -> None:
    (folder / "g.jsonl").write_text(row.replace("%s", "k" * 1_000_000), encoding="utf-8")
    done = bench("golden", "g.jsonl")
    assert (done.returncode, len(done.stderr) < 1_000) == (2, True)


def test_a_question_of_a_million_words_is_refused_at_once(bench: Callable[..., Any], golden: Path) -> None:
    words = " ".join(f"w{number}" for number in range(1_000_000))
    golden.write_text(GOLDEN.replace("When is the harbour closed?", words), encoding="utf-8")
    done = bench("golden", str(golden), timeout=20)
    assert (done.returncode, f"longer than {MAX_TEXT:,}" in done.stderr) == (2, True)


def test_a_cutoff_of_thousands_of_digits_is_no_number(bench: Callable[..., Any], golden: Path) -> None:
    done = bench("golden", str(golden), "-k", "9" * 5_000)
    assert (done.returncode, "internal" in done.stderr) == (2, False)


def test_no_report_names_the_users_folders(bench: Callable[..., Any], folder: Path, golden: Path) -> None:
    golden.write_text(GOLDEN.replace("documents: [a.txt]", "quotes: [{document: a.txt, quote: closed}], answer: no"))
    text = folder / "text"
    text.mkdir()
    for number in range(300):
        words = " ".join(f"w{number}x{word}" for word in range(40))
        (text / f"{number}.txt").write_text(words + "\n", encoding="utf-8")
    before = bench("golden", str(golden), "--json")
    (folder / "before.json").write_text(before.stdout, encoding="utf-8")
    after = bench("golden", str(golden), "--json", "--baseline", str(folder / "before.json"))
    needle = bench("needle", "--context", "8k", "--needles", "5", "--haystack", str(text), "--json")
    assert "judgments look wrong" in after.stdout
    assert json.loads(after.stdout)["comparison"]["baseline"] == "before.json"
    assert json.loads(needle.stdout)["provenance"]["haystack"]["name"] == "text"
    assert str(folder) not in before.stdout + after.stdout + needle.stdout


def test_a_haystack_of_names_that_clash_or_are_as_long_as_can_be(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "gw.toml").mkdir(parents=True)
    names = ["gw.toml/b.txt", "_gw.toml", f"{'x' * 250}.html", f"{'é' * 125}.html"]
    for at, name in enumerate(names):
        words = "\n".join(" ".join(f"w{at}x{line}x{word}" for word in range(9)) for line in range(200))
        (source / name).write_text(words, encoding="utf-8")
    haystack = open_haystack(source)
    texts = haystack.take(haystack.tokens() - 10)
    folder, _ = Cache(tmp_path / "cache").corpus("key", lambda: (texts, None))
    assert len([file for file in folder.rglob("*") if file.is_file()]) == len(texts) >= 3


class _Task:
    """A task of a plugin that is not careful."""

    identity = Identity("careless", "1", {})

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self._run = run

    def run(self, bench: Any) -> Iterator[Any]:
        yield self._run(bench)


def _asked(**changed: Any) -> Cell:
    return Cell("c", (Outcome(**{"id": "1", "question": "?", "values": {"recall@1": 1.0}, **changed}),))


@pytest.mark.parametrize(
    "run",
    [
        lambda _: sys.exit(0),
        lambda _: Cell("c", figures={"size": Figure(float("nan"))}),
        lambda _: Cell("c", figures={"size": Figure("large")}),  # type: ignore[arg-type]
        lambda _: Cell("c", chance={"recall@1": float("inf")}),
        lambda _: Cell(5),  # type: ignore[arg-type]
        lambda _: _asked(values={"cost": 1e308}),
        lambda _: _asked(values={"cost": 10**400}),
        lambda _: _asked(seconds="long"),
        lambda _: _asked(group={"depth": "deep"}),
        lambda _: _asked(group={"depth": float("nan")}),
        lambda bench: bench.corpus({}, lambda: ([SourceText("../../../out.txt", "x")], None)),
        lambda bench: bench.corpus({}, lambda: ([SourceText("/tmp/out.txt", "x")], None)),
    ],
)
def test_what_is_wrong_with_a_task_is_said_of_it(tmp_path: Path, run: Callable[[Any], Any]) -> None:
    source = tmp_path / "source"
    source.mkdir()
    options = BenchOptions(haystack=source, cache=tmp_path / "a" / "b" / "cache")
    harness = Harness(Config.load(tmp_path, env={"GW_CONFIG": ""}), Plugins(), options)
    with pytest.raises(PluginError, match="careless"):
        harness.run(Trial("careless", "careless", _Task(run)))
    assert not list(tmp_path.rglob("out.txt"))


def test_a_corpus_that_another_run_has_just_made_is_not_replaced(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    texts = [SourceText("a.txt", "The harbour.\n")]

    def build() -> tuple[list[SourceText], None]:
        folder, _ = Cache(tmp_path).corpus("key", lambda: (texts, None))
        (folder.parent / "index-1").write_text("at work", encoding="utf-8")
        return texts, None

    folder, _ = cache.corpus("key", build)
    assert (folder.parent / "index-1").exists()
    assert [path for path in tmp_path.iterdir() if path != folder.parent] == []


def test_a_link_in_the_place_of_a_corpus_is_replaced_and_what_it_names_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    texts = [SourceText("a.txt", "The harbour.\n")]
    place = cache.corpus("key", lambda: (texts, None))[0].parent
    named = tmp_path / "named"
    place.rename(named)
    (named / "files" / "mine.txt").write_text("mine", encoding="utf-8")
    place.symlink_to(named)
    folder, _ = cache.corpus("key", lambda: (texts, None))
    assert [path.name for path in folder.iterdir()] == ["a.txt"]
    assert (named / "files" / "mine.txt").exists()


def test_what_many_add_at_once_is_all_there(folder: Path, golden: Path, environment: dict[str, str]) -> None:
    def started(number: int) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "gw_core",
            "bench",
            "add",
            str(golden),
            f"what is number {number}",
            "--abstain",
        ]
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)

    running_ones = [started(number) for number in range(6)]
    assert [one.wait(timeout=60) for one in running_ones] == [0] * 6
    assert golden.read_text("utf-8").count("question:") == 7


def test_a_report_tells_no_secret_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = {"api_key": "x1", "auth-token": "x2", "PASSWORD": "x3", "cache": f"{tmp_path}/c", "max_tokens": "5"}
    text = "[readers.mine]\nuse = 'regex'\n" + "".join(f"{key} = '{value}'\n" for key, value in settings.items())
    (tmp_path / "gw.toml").write_text(text, encoding="utf-8")
    told = provenance(tmp_path, Config.load(tmp_path, env={"GW_CONFIG": ""}))["config"]
    mine = {key.removeprefix("readers.mine."): value for key, value in told.items()}
    hidden = "(not told)"
    wanted = {"api_key": hidden, "auth-token": hidden, "PASSWORD": hidden, "cache": "~/c", "max_tokens": "5"}
    assert mine == {"use": "regex", **wanted}


def test_a_golden_file_has_no_corpus_read_that_is_outside_the_root_and_its_own_folder(
    bench: Callable[..., Any], tmp_path: Path
) -> None:
    theirs, private, here = (tmp_path / name for name in ("theirs", "private", "here"))
    for one in (theirs, private, here):
        one.mkdir()
    (private / "notes.md").write_text("The code of the safe is 7741.\n", encoding="utf-8")
    file = theirs / "golden.yaml"
    question = "{question: Which code does the safe have?, quotes: [{document: notes.md, quote: '7741'}]}"
    file.write_text(f"corpus: {private}\nquestions:\n- {question}\n", encoding="utf-8")
    calls = (["golden", str(file)], ["golden", str(file), "--check"], ["add", str(file), "safe code", "--hit", "1"])
    for arguments in calls:
        ran = bench(*arguments, "--root", str(here))
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "outside the root" in ran.stderr
        assert "7741" not in ran.stderr
    assert bench("golden", str(file), "--root", str(tmp_path)).returncode == 0
