"""bench.yaml says which tasks run; what is wrong in it is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gw_core.bench.suite import Suite, default_suite, read_suite
from gw_core.errors import ConfigError, UsageError


def read(tmp_path: Path, text: str) -> Suite:
    file = tmp_path / "bench.yaml"
    file.write_text(text)
    return read_suite(file)


def test_the_ways_to_name_a_task(tmp_path: Path) -> None:
    suite = read(
        tmp_path,
        "backend: fts5\nk: [1, 5]\nseed: 3\nhaystack: texts\nfail_under: recall@5=.9\n"
        "tasks:\n  - needle\n  - multihop: {hops: [3, 8], branches: 1_0}\n  - speed:\n"
        "  - use: needle\n    name: lookalikes\n    distractors: 128\n    ask: yes\n",
    )
    assert [(one.name, one.use) for one in suite.specs] == [
        ("needle", "needle"),
        ("multihop", "multihop"),
        ("speed", "speed"),
        ("lookalikes", "needle"),
    ]
    assert {key: one.value for key, one in suite.specs[1].settings.items()} == {"hops": [3, 8], "branches": 10}
    assert {key: one.value for key, one in suite.specs[3].settings.items()} == {"distractors": 128, "ask": True}
    assert suite.specs[3].settings["ask"].origin.line == 13
    assert suite.options == {
        "backend": "fts5",
        "k": (1, 5),
        "seed": 3,
        "haystack": tmp_path / "texts",
        "fail_under": ("recall@5=.9",),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "bench.yaml:1: not a suite"),
        ("- needle\n", "bench.yaml:1: not a suite"),
        ("task: [needle]\n", "bench.yaml:1: unknown key 'task'"),
        ("seed: 1\ntasks: []\n", "bench.yaml:2: tasks: must be a list"),
        ("seed: 1\n", "tasks: must be a list"),
        ("tasks:\n- needle\n- needle\n", "bench.yaml:3: two tasks are called 'needle'"),
        ("tasks:\n- needle:\n  needles: 3\n", "bench.yaml:3: 'needles' stands beside the task 'needle'"),
        ("tasks:\n- needle: 5\n", "bench.yaml:2: the settings of 'needle' are no mapping"),
        ("tasks:\n- [needle]\n", "bench.yaml:2: a task is its name"),
        ("tasks:\n- {use: needle, name: a/b}\n", "bench.yaml:2: name: must be a name without '/'"),
        ("tasks:\n- null\n", "bench.yaml:2: a task is its name"),
        ("seed: many\ntasks: [needle]\n", "bench.yaml:1: seed must be a whole number, not 'many'"),
        ("k: [1, x]\ntasks: [needle]\n", "bench.yaml:1: k must be a list of whole numbers"),
        ("tasks: [needle\n", "not YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises((UsageError, ConfigError)) as caught:
        read(tmp_path, text)
    assert says in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read_suite(tmp_path / "none.yaml")


def test_the_default_suite_names_each_task_once() -> None:
    names = [one.name for one in default_suite().specs]
    assert len(set(names)) == len(names) >= 5
