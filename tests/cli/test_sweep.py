"""``gw sweep``: exact figures, what was not read said, the same again after an edit, and bad input in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LOG = "".join(
    f"ticket {n} status: {s} owner {o} took {h} h\n"
    for n, s, o, h in [
        (1, "alpha", "ann", "1.5"),
        (2, "beta", "bob", "2"),
        (3, "alpha", "ann", "2.25"),
        (4, "gamma", "bob", "1"),
        (5, "alpha", "eve", "4"),
        (6, "gamma", "ann", "3"),
    ]
)
MATCH = r"ticket (?P<id>\d+) status: (?P<status>\w+) owner (?P<owner>\w+)"
RECIPE = f"""\
question: Which status is least common?
match: '{MATCH}'
fields:
  hours: {{pattern: 'took ([\\d.]+) h', number: true, unit: h}}
reduce: [{{least: status}}, {{sum: hours, by: owner}}, count]
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log").write_text(LOG)
    (folder / "b.log").write_bytes(LOG.replace("\n", "\r\n").encode()[:-2])
    (folder / "pic.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    return folder


def test_the_least_common_is_counted_over_everything(gw: Any, logs: Path) -> None:
    ran = gw("sweep", "logs", "--match", MATCH, "--reduce", "least status")
    assert (ran.code, ran.out) == (0, "The least common status is beta: 2 of 12 records.\n")
    assert "1 binary" in ran.err
    assert "12 records" in ran.err


def test_a_recipe_and_its_json(gw: Any, logs: Path, checked: Any) -> None:
    ran = gw("sweep", "--recipe", "recipe.yaml", "logs", "--json")
    assert ran.code == 0
    found = checked(ran.json)["result"]
    assert found["results"]["least status"]["rows"] == [{"value": "beta", "count": 2}]
    by_owner = {row["by"]: row["value"] for row in found["results"]["sum hours by owner"]["rows"]}
    assert by_owner == {"ann": "13.50", "bob": 6, "eve": 8}
    assert found["results"]["count"]["total"] == 12
    assert found["coverage"]["complete"]
    assert found["coverage"]["files"]["skipped"] == {"binary": ["logs/pic.png"]}


def test_the_result_is_the_same_every_time(gw: Any, logs: Path) -> None:
    first, second, fresh = (
        gw("sweep", "--recipe", "recipe.yaml", "logs", "--json", *more).json
        for more in ((), ("--resume",), ("--fresh",))
    )
    assert first["result"] == second["result"] == fresh["result"]


def test_of_several_records_with_one_key_the_last_counts(gw: Any, logs: Path) -> None:
    (logs / "c.log").write_text("ticket 2 status: alpha owner bob took 2 h\nno ticket here\n")
    ran = gw(
        "sweep", "logs", "--match", MATCH, "--when", "ticket \\d", "--key", "id", "--reduce", "tally status", "--json"
    )
    assert ran.code == 0
    rows = ran.json["result"]["results"]["tally status"]["rows"]
    assert rows == [{"value": "alpha", "count": 4}, {"value": "gamma", "count": 2}]
    records = ran.json["result"]["coverage"]["records"]
    assert (records["found"], records["duplicates"], records["conflicts"]) == (13, 6, 1)


def test_records_are_written_with_the_places_of_their_values(gw: Any, logs: Path) -> None:
    assert gw("sweep", "logs", "--recipe", "recipe.yaml", "--records", "out.jsonl").code == 0
    rows = [json.loads(line) for line in (logs.parent / "out.jsonl").read_text().splitlines()]
    assert len(rows) == 12
    for row in rows:
        text = (logs.parent / row["path"]).read_bytes().decode()
        assert text[row["start"] : row["end"]].startswith("ticket")
        for name, (start, end) in row["spans"].items():
            assert text[start:end] in (str(row["fields"][name]), "2", "4", "1", "3")
    again = gw("sweep", "logs", "--recipe", "recipe.yaml", "--records", "out.jsonl")
    assert (again.code, "--force" in again.err) == (2, True)


def test_what_was_chosen_and_cannot_be_read_makes_every_count_a_lower_bound(gw: Any, logs: Path) -> None:
    (logs / "bad.docx").write_bytes(b"PK\x03\x04 no document")
    ran = gw("sweep", "logs", "--match", MATCH, "--reduce", "count")
    assert (ran.code, ran.out) == (3, "There are at least 12 records.\n")
    assert "bad.docx" in ran.err
    assert gw("sweep", "logs", "--match", MATCH, "--reduce", "count", "--allow-partial").code == 0


def test_values_that_are_not_what_they_should_be_are_kept_apart(gw: Any, logs: Path) -> None:
    (logs / "c.log").write_text("ticket 7 status: alpha owner bob took 1.2.3 h\n")
    ran = gw("sweep", "--recipe", "recipe.yaml", "logs", "--json")
    assert ran.code == 3
    assert ran.json["result"]["results"]["count"]["total"] == 12
    assert ran.json["result"]["coverage"]["records"]["unsupported"] == 1
    allowed = gw("sweep", "--recipe", "recipe.yaml", "logs", "--json", "--allow-unsupported")
    assert (allowed.code, allowed.json["result"]["results"]["count"]["total"]) == (0, 13)


def test_csv_and_json_lines_need_no_pattern(gw: Any, logs: Path) -> None:
    (logs.parent / "t.csv").write_text('id,hours,note\n1,2.5,"a\nb"\n2,1,c\n')
    ran = gw(
        "sweep", "t.csv", "--split", "csv", "--field", "hours: {column: hours, number: true}", "--reduce", "sum hours"
    )
    assert (ran.code, ran.out) == (0, "The sum of hours is 3.5, of 2 records.\n")
    (logs.parent / "t.jsonl").write_text('{"a": {"b": "x"}}\n{"a": {"b": "y"}}\n{"a": {"b": "x"}}\n')
    ran = gw("sweep", "t.jsonl", "--split", "jsonl", "--field", "b: {path: a.b}", "--reduce", "most b")
    assert (ran.code, ran.out) == (0, "The most common b is x: 2 of 3 records.\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "--recipe"),
        (["--match", "(?P<a>x"], "--match: not a regular expression"),
        (["--match", "(?P<a>x)", "--reduce", "lest a"], "did you mean 'least'"),
        (["--match", "(?P<a>x)", "--reduce", "least b"], "'b'"),
        (["--match", "(?P<a>x)", "--split", "lines", "--reduce", "count"], "line"),
        (["--recipe", "none.yaml"], "none.yaml"),
        (["nowhere", "--match", "x", "--reduce", "count"], "nowhere"),
        (["--field", "s: {choice: [a, b]}", "--reduce", "tally s"], "--reader"),
        (["--match", "(?P<a>x)", "--key", "b", "--reduce", "count"], "'b'"),
        (["--match", "x", "--reduce", "count", "--records", "no/where.jsonl"], "no/where.jsonl"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(gw: Any, logs: Path, arguments: list[str], says: str) -> None:
    ran = gw("sweep", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_an_empty_corpus_has_no_records_and_a_pattern_that_never_ends_names_its_record(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = gw("sweep", "empty", "--match", "x", "--reduce", "count")
    assert (ran.code, ran.out) == (0, "There are 0 records.\n")
    (tmp_path / "evil.log").write_text("aaa\n" + "a" * 40 + "!\n")
    ran = gw("sweep", "evil.log", "--match", r"^(?P<x>(a+)+)$", "--reduce", "count", "--json")
    assert ran.code == 3
    assert ran.json["result"]["coverage"]["records"]["unsupported"] == 1


def test_paths_outside_the_root_are_swept_from_the_folder_that_they_share(gw: Any, logs: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    ran = gw(
        "--root", str(here), "sweep", str(logs / "a.log"), str(logs / "b.log"), "--recipe", "recipe.yaml", "--json"
    )
    assert ran.code == 0
    assert ran.json["result"]["results"]["count"]["total"] == 12
    assert not (logs / ".gw").exists()
    assert (here / ".gw" / "sweeps").is_dir()
