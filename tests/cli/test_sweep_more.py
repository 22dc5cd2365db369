"""``gw sweep`` beyond its figures: what it would take, the records behind a figure, and SQL over all records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gw_core
from gw_core.errors import UntrustedResultError, UsageError
from gw_core.model import Identity, Verdict
from gw_core.records import Batch, Extracted, Extraction, Field, Recipe, Unit
from gw_core.sweep.estimate import estimate
from gw_core.sweep.explain import explain
from gw_core.sweep.recipe import recipe_from_options
from gw_core.sweep.run import sweep
from gw_core.sweep.sql import RecordsTable

LINES = [
    ("1", "alpha", "1.5", "2024-03-01 10:00"),
    ("2", "beta", "2", "2024-03-01 23:59"),
    ("3", "alpha", "1.50", "2024-03-02 00:00"),
    ("4", "gamma", "0.1", "2024-03-02 08:00"),
    ("5", "alpha", "0.2", "2024-03-03 12:00"),
]
LOG = "".join(f"ticket {n}: {s}, {h} h, at {t}\n" for n, s, h, t in LINES)
RECIPE = r"""
match: 'ticket (?P<id>\d+): (?P<status>\w+)'
fields:
  hours: {pattern: '([\d.]+) h', number: true, unit: h}
  at: {pattern: 'at (.*)', date: '%Y-%m-%d %H:%M'}
"""
MATCH = r"ticket (?P<id>\d+): (?P<status>\w+)"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log").write_text("an opening\n" + LOG)
    (folder / "b.log").write_bytes(LOG.replace("\n", "\r\n").encode("utf-16"))
    (folder / "pic.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    return folder


# -- what it would take -------------------------------------------------------------------------------------------


def test_the_plan_counts_and_leaves_nothing_behind(gw: Any, logs: Path, checked: Any) -> None:
    arguments = ("sweep", "logs", "--recipe", "recipe.yaml", "--when", "ticket")
    planned = checked(gw(*arguments, "--plan", "--json").json)
    assert (planned["records"], planned["segments"], planned["segments_in_journal"]) == (10, 2, 0)
    assert planned["files"]["swept"] == 2
    assert planned["files"]["skipped"] == {"binary": ["logs/pic.png"]}
    assert (planned["calls"], planned["tokens"]) == (0, 0)
    assert not (logs.parent / ".gw").exists()
    swept = gw(*arguments, "--reduce", "count", "--json").json["result"]
    assert planned["plan_sha256"] == swept["plan_sha256"]
    assert planned["records"] == swept["coverage"]["records"]["found"]
    assert planned["bytes"] == swept["coverage"]["bytes"]["all"]
    assert gw(*arguments, "--plan", "--json").json["segments_in_journal"] == 2
    assert gw(*arguments, "--plan", "--json", "--fresh").json["segments_in_journal"] == 0


def test_the_plan_as_text(gw: Any, logs: Path) -> None:
    ran = gw("sweep", "logs", "--recipe", "recipe.yaml", "--plan")
    assert ran.code == 0
    first, left_out, journal, reader, last = ran.out.splitlines()
    assert first.startswith("11 records in 2 segments: ")
    assert left_out == "left out: 1 binary"
    assert journal == "in the journal: 0 of 2 segments"
    assert reader == "no reader is asked: code fills all fields"
    assert len(last) == len("plan ") + 64


def test_a_plan_for_a_reader_that_does_not_extract_says_so(gw: Any, logs: Path) -> None:
    ran = gw("sweep", "logs", "--field", "mood: {choice: [good, bad]}", "--reader", "regex", "--plan")
    assert ran.code == 0
    assert "2 calls" in ran.out
    assert "reckoned as 4 bytes each" in ran.out
    assert "does not extract" in ran.out


def test_a_plan_writes_no_records_and_a_file_that_lacks_a_column_fails_it(gw: Any, logs: Path) -> None:
    ran = gw("sweep", "logs", "--recipe", "recipe.yaml", "--plan", "--records", "out.jsonl")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    (logs.parent / "t.csv").write_text("a,b\n1,2\n")
    ran = gw("sweep", "t.csv", "--split", "csv", "--field", "x: {column: x}", "--plan")
    assert ran.code == 3
    assert "not read: t.csv" in ran.out


class _Reader:
    """Says what stands after the colon; a token is a word."""

    identity = Identity("colon", "1")
    window = 1_000
    max_parallel = 1

    def __init__(self) -> None:
        self.calls = 0

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def extract(self, units: Sequence[Unit], recipe: Recipe) -> Extraction:
        self.calls += 1
        return Extraction(
            tuple(
                Extracted(number, {"mood": "good" if "alpha" in unit.text else "bad"})
                for number, unit in enumerate(units)
            )
        )


def _recipe(workspace: gw_core.Workspace, **options: Any) -> Recipe:
    return recipe_from_options(workspace.plugins.registry("reducers").resolve, **options)


def test_calls_and_tokens_are_those_that_are_left_to_make(logs: Path) -> None:
    with gw_core.open(logs) as workspace:
        recipe = _recipe(workspace, when="ticket", fields=("mood: {choice: [good, bad]}",), reduce=("tally mood",))
        reader = ("colon", _Reader())

        def planned() -> tuple[int, int, int, bool]:
            found = estimate(workspace.pipeline, recipe, [""], workspace.index, reader=reader)
            return found.calls, found.tokens, found.known, found.tokens_counted

        words = len(LOG.split())
        assert planned() == (2, 2 * words, 0, True)
        assert reader[1].calls == 0
        sweep(workspace.pipeline, recipe, [""], workspace.index, reader=reader)
        assert reader[1].calls == 2
        assert planned() == (0, 0, 2, True)
        for name in ("c.log", "d.log"):  # the same content is asked for once
            (logs / name).write_text("no such thing\n" + LOG + LOG)
        assert planned() == (1, 2 * words, 2, True)
        sweep(workspace.pipeline, recipe, [""], workspace.index, reader=reader)
        assert reader[1].calls == 3


# -- the records behind a figure ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ("status=alpha", "1 3 5"),
        ("status=beta", "2"),
        ("hours=1.50", "1 3"),
        ("hours=2.0 h", "2"),
        ("at=2024-03-01", "1 2"),
        ("at=2024-03-02 00:00", "3"),
        ("at=2024-03-02T00:00:00", "3"),
        ("id=", ""),
    ],
)
def test_all_records_with_a_value_are_cited_and_their_citations_hold(
    gw: Any, logs: Path, checked: Any, wanted: str, ids: str
) -> None:
    ran = gw("sweep", "logs", "--recipe", "recipe.yaml", "--when", "ticket", "--explain", wanted, "--json")
    assert ran.code == (0 if ids else 3)
    found = checked(ran.json)
    assert [one["fields"]["id"] for one in found["records"]] == 2 * ids.split()
    assert found["total"] == len(found["records"])
    for one in found["records"]:
        assert one["verdict"] == "verified"
        assert one["text"].startswith(f"ticket {one['fields']['id']}:")
        first = int(one["fields"]["id"]) + (one["path"] == "logs/a.log")
        assert one["lines"] == [first, first]
    if ids:
        assert gw("verify", "-", stdin="\n".join(one["citation"] for one in found["records"])).code == 0


def test_the_records_as_text_and_those_that_are_not_shown(gw: Any, logs: Path) -> None:
    arguments = ("sweep", "logs", "--recipe", "recipe.yaml", "--explain")
    ran = gw(*arguments, "status=alpha", "-k", "2")
    assert ran.code == 0
    first = ran.out.splitlines()[:3]
    assert first[0] == "1. logs/a.log:2 verified"
    assert first[1].startswith("    logs/a.log#c11-")
    assert first[2] == "    ticket 1: alpha, 1.5 h, at 2024-03-01 10:00"
    assert "2. logs/a.log:4 verified" in ran.out
    assert "3. " not in ran.out
    assert "and 4 more" in ran.err
    none = gw(*arguments, "status=delta")
    assert (none.code, none.out) == (3, "")
    assert "no record has status=delta" in none.err


def test_of_records_with_one_key_only_the_one_that_counts_is_behind_the_figure(gw: Any, logs: Path) -> None:
    ran = gw(
        "sweep", "logs", "--recipe", "recipe.yaml", "--when", "ticket", "--key", "id", "--explain", "id=3", "--json"
    )
    assert [one["path"] for one in ran.json["records"]] == ["logs/b.log"]


def test_what_a_reader_says_is_explained_too(logs: Path) -> None:
    with gw_core.open(logs) as workspace:
        recipe = _recipe(workspace, when="ticket", fields=("mood: {choice: [good, bad]}",), reduce=("tally mood",))
        explained = explain(
            workspace.pipeline, recipe, "mood=GOOD", [""], workspace.index, reader=("colon", _Reader()), most=4
        )
        assert explained.total == 6
        assert [found.text for found, _ in explained.evidence() if found.verdict is Verdict.VERIFIED] == [
            line for line in (*LOG.splitlines(), *LOG.splitlines()) if "alpha" in line
        ][:4]


def test_extracted_text_and_odd_names_are_cited_so_that_they_verify(gw: Any, tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    odd.mkdir()
    (odd / "na me é.txt").write_bytes("status: é\r\nstatus: x\r\n".encode("cp1252"))
    (odd / "p.html").write_text("<html><body><p>status: x</p><p>status: y</p></body></html>")
    ran = gw("sweep", "odd", "--match", r"status: (?P<status>\w+)", "--explain", "status=x", "--json")
    citations = [one["citation"] for one in ran.json["records"]]
    assert [one["verdict"] for one in ran.json["records"]] == ["verified", "verified"]
    assert [".cp1252" in citations[0], ".html@" in citations[1]] == [True, True]
    assert gw("verify", *citations).code == 0


def test_a_file_that_changes_during_the_sweep_is_no_evidence(logs: Path) -> None:
    with gw_core.open(logs) as workspace:
        recipe = _recipe(workspace, match=MATCH)

        def change(_: Any) -> None:
            (logs / "a.log").write_text(LOG + "an end\n")

        explained = workspace.explain_sweep(recipe, "status=beta", [logs / "a.log"], on_batch=change)
        assert explained.total == 1
        with pytest.raises(UntrustedResultError, match=r"a\.log was changed"):
            list(explained.evidence())


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_file_too_large_to_be_held_is_re_read_in_pieces(logs: Path, ends: str) -> None:
    lines = [f"ticket {n}: {'rare' if n % 40_000 == 7 else 'usual'}" for n in range(120_000)]
    (logs / "large.log").write_bytes((ends * 3000 + ends.join(lines)).encode())
    with gw_core.open(logs) as workspace:
        recipe = _recipe(workspace, match=MATCH)
        explained = workspace.explain_sweep(recipe, "status=rare", [logs / "large.log"])
        whole = [found for found, _ in explained.evidence()]
        workspace.pipeline.sources.max_bytes = 1000
        pieces = [found for found, _ in explained.evidence()]
    assert len(whole) == 3
    for one, other in zip(whole, pieces, strict=True):
        assert (str(one.citation), one.lines, one.text, one.verdict, one.sha256) == (
            str(other.citation),
            other.lines,
            other.text,
            other.verdict,
            other.sha256,
        )


# -- SQL ----------------------------------------------------------------------------------------------------------


def _sql(gw: Any, query: str, *more: str) -> Any:
    return gw("sweep", "logs/a.log", "--recipe", "recipe.yaml", "--when", "ticket", "--sql", query, *more)


@pytest.mark.parametrize(
    ("query", "out"),
    [
        ("select status, count(*) n from records group by status order by n desc, status", "alpha\t3|beta\t1|gamma\t1"),
        ("select sum(hours), avg(hours) from records where status in ('gamma', 'alpha')", "3.3\t0.825"),
        ("select sum(hours) from records where id in ('4', '5')", "0.3"),
        ("select id from records where hours > 1 order by hours, id", "1|3|2"),
        ("select id from records where id = 2", "2"),
        ("select count(distinct hours), typeof(max(hours)), typeof(min(hours)) from records", "4\tinteger\treal"),
        ("select sum(hours) over (order by id rows 1 preceding) from records", "1.5|3.5|3.5|1.6|0.3"),
        ('select substr(path, 1, 4), start, "end" - start from records limit 1', f"logs\t11\t{len(LINES[0][1]) + 38}"),
        ("select date(at) d, count(*) from records group by d", "2024-03-01\t2|2024-03-02\t2|2024-03-03\t1"),
        ("with a as (select * from records where status = 'alpha') select count(*) from a;  -- three", "3"),
        ("select sum(hours), total(hours), avg(hours) from records where 0", "\t0\t"),
        ("select id from records where 0", ""),
        ("select end from records where id = 1", "54"),
    ],
)
def test_sql_over_all_records(gw: Any, logs: Path, query: str, out: str) -> None:
    ran = _sql(gw, query)
    assert (ran.code, ran.err.count("error")) == (0, 0)
    assert ran.out == "".join(f"{line}\n" for line in out.split("|") if out)


def test_sql_as_json_as_csv_and_on_a_terminal(gw: Any, logs: Path, checked: Any) -> None:
    query = "select id, hours, null x, x'0aff' y from records where status = 'alpha' order by id"
    found = checked(_sql(gw, query, "--json").json)
    assert found["columns"] == ["id", "hours", "x", "y"]
    assert found["rows"] == [["1", 1.5, None, "0aff"], ["3", 1.5, None, "0aff"], ["5", 0.2, None, "0aff"]]
    assert found["coverage"]["records"]["found"] == 5
    assert _sql(gw, query, "--csv").out == "id,hours,x,y\n1,1.5,,0aff\n3,1.5,,0aff\n5,0.2,,0aff\n"
    drawn = gw("sweep", "logs/a.log", "--recipe", "recipe.yaml", "--sql", query, terminal=True).out
    heading, first, *_ = drawn.splitlines()
    assert all(name in heading for name in ("id", "hours", "x", "y"))
    assert first.split() == ["1", "1.5", "0aff"]


def test_sql_beside_the_records_in_a_file(gw: Any, logs: Path) -> None:
    assert _sql(gw, "select count(*) from records", "--records", "out.jsonl").out == "5\n"
    rows = (logs.parent / "out.jsonl").read_text().splitlines()
    assert len(rows) == 5
    assert json.loads(rows[0])["spans"]["id"] == [18, 19]


def test_fields_may_be_called_as_the_columns_are_and_numbers_keep_all_digits(gw: Any, logs: Path) -> None:
    (logs.parent / "t.jsonl").write_text(
        '{"path": "p1", "n": 9007199254740993}\n{"path": "p2", "n": 1234567890.12345678901}\n{"path": "\\ud800"}\n'
    )
    ran = gw(
        "sweep", "t.jsonl", "--split", "jsonl", "--field", "path: {path: path}", "--field",
        "n: {path: n, number: true}", "--sql", "select path, n, typeof(n) from records order by start",
    )  # fmt: skip
    assert ran.out == ("p1\t9007199254740993\tinteger\np2\t1234567890.12345678901\ttext\n\ufffd\t\tnull\n")
    assert "1 number of more digits" in ran.err


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("select none_such from records", "no such column"),
        ("select count(*) from record", "no such table"),
        ("selec", "syntax error"),
        ("", "not one SELECT"),
        ("-- nothing", "not one SELECT"),
        ("select 1; select 2", "not one SELECT"),
        ("explain select 1", "not one SELECT"),
        ("select ?", "parameters"),
        ("delete from records", "not authorized"),
        ("insert into records (id) values (1)", "not authorized"),
        ("create table t (x)", "not authorized"),
        ("pragma user_version", "not authorized"),
        ("attach 'x.db' as x", "not authorized"),
        ("vacuum into 'x.db'", "not one SELECT"),
        ("select count(*) from sqlite_schema", "not authorized"),
        ("select load_extension('x')", "not authorized"),
        ("select sql from sqlite_schema", "prohibited"),
        ("select * from pragma_database_list", "prohibited"),
        ("select zeroblob(2000000000)", "too big"),
        ("select '\0'", "--sql"),
    ],
)
def test_anything_but_one_select_from_the_records_is_refused_before_anything_is_read(
    gw: Any, logs: Path, query: str, says: str
) -> None:
    ran = _sql(gw, query) if query else gw("sweep", "logs", "--recipe", "recipe.yaml", "--sql", " ")
    assert ran.code == 2, ran.out
    assert says in ran.err
    assert ran.out == ""
    assert not (logs.parent / "x.db").exists()


def test_more_fields_than_a_table_has_columns_are_said() -> None:
    fields = tuple(Field(f"f{number}", "pattern", pattern="x") for number in range(3000))
    with pytest.raises(UsageError, match="too many columns"), RecordsTable.open(Recipe(fields=fields), "select 1"):
        pass


def test_the_temporary_files_are_gone(gw: Any, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = logs.parent / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert _sql(gw, "select count(*) from records").code == 0
    assert _sql(gw, "select none_such from records").code == 2
    assert list(folder.iterdir()) == []


def test_a_query_that_never_ends_is_ended(logs: Path) -> None:
    with gw_core.open(logs) as workspace:
        recipe = _recipe(workspace, match=MATCH)
    query = "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c"
    with RecordsTable.open(recipe, query, seconds=0.05) as table, pytest.raises(UsageError, match="takes longer"):
        list(table.rows())


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**8), max_value=10**8)))
def test_sums_are_those_of_decimals(numbers: list[Decimal]) -> None:
    one = Field("n", "pattern", pattern="x", number=True)
    with RecordsTable.open(Recipe(fields=(one,)), "select sum(n), min(n), max(n) from records") as table:
        places = range(len(numbers))
        table.add(Batch("x", places, places, {"n": numbers}))
        [(total, least, most)] = list(table.rows())
    if not numbers:
        assert (total, least, most) == (None, None, None)
        return
    exact = sum(numbers, Decimal(0))
    assert [Decimal(repr(one)) for one in (total, least, most)] == [exact, min(numbers), max(numbers)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--explain", "status"], "no FIELD=VALUE"),
        (["--explain", "statos=alpha"], "did you mean 'status'"),
        (["--explain", "hours=many"], "no number"),
        (["--explain", "at=soon"], "no date"),
        (["--explain", "status=alpha", "--sql", "select 1"], "exclude each other"),
        (["--plan", "--sql", "select 1"], "exclude each other"),
        (["--reduce", "count", "-k", "3"], "-k"),
        (["--reduce", "count", "--csv"], "--csv"),
        (["--sql", "select 1", "--csv", "--json"], "exclude each other"),
    ],
)
def test_bad_input_is_one_line(gw: Any, logs: Path, arguments: list[str], says: str) -> None:
    ran = gw("sweep", "logs", "--recipe", "recipe.yaml", *arguments)
    assert (ran.code, ran.out) == (2, "") or "--json" in arguments
    assert ran.code == 2
    assert says in ran.err + ran.out
    assert len((ran.err.strip() or ran.out.strip()).splitlines()) == 1
