"""``gw sweep`` over a stranger's files, with a stranger's recipe, in a stranger's index: one line, no hang, no false
figure, and nothing read or written elsewhere."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
LOG = "status: open user=ann n=1\nstatus: shut user=bob n=2.5\n"
MATCH = ("--match", r"status: (?P<status>\w+)")


def swept(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert "Traceback" not in ran.stderr
    assert "internal error" not in ran.stderr, ran.stderr
    return json.loads(ran.stdout)["result"]  # type: ignore[no-any-return]


def one_line(ran: subprocess.CompletedProcess[str], code: int | tuple[int, ...] = (1, 2)) -> str:
    codes = (code,) if isinstance(code, int) else code
    assert ran.returncode in codes, (ran.returncode, ran.stderr[:2000])
    assert ran.stderr.startswith("gw: error: "), ran.stderr[:2000]
    assert "internal error" not in ran.stderr, ran.stderr[:2000]
    assert ran.stderr.count("\n") <= 2, ran.stderr[:2000]
    assert len(ran.stderr) < 2_000
    return ran.stderr


def tally(result: dict[str, Any], text: str = "tally status") -> dict[str, int]:
    return {row["value"]: row["count"] for row in result["results"][text]["rows"]}


@pytest.fixture
def data(folder: Path) -> Path:
    made = folder / "data"
    made.mkdir()
    (made / "a.log").write_text(LOG)
    return made


# -- recipes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "recipe",
    [
        b"\x00\x01\x02",
        b"\xff\xfe\x00",
        b"",
        b"[" * 100_000,
        b"{a: " * 50_000,
        b"- " * 50_000,
        b"a: &a [*a]\n",
        b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nreduce: *c\n",
        b"reduce: !!python/object/apply:os.system ['touch pwned']\n",
        b"match: '(?P<status>'\nreduce: count\n",
        b"match: '(?P<a>x)(?P<a>y)'\nreduce: count\n",
        b"match: '" + b"(" * 50_000 + b"'\nreduce: count\n",
        b"match: '(?P<status>(?:x{1,60000}){1,60000})'\nreduce: [tally status]\n",
        b"fields: {" + b"x" * 1_000_000 + b": {text: true}}\nreduce: count\n",
        b"split: {window: 99999999999999999999}\nreduce: count\n",
        b"split: {window: 0}\nreduce: count\n",
        b"split: {window: -5}\nreduce: count\n",
        b"split: nonsense\nreduce: count\n",
        b"reduce: [top 99999999999999999999999 status]\n",
        b"reduce: [" + b"count, " * 20_000 + b"count]\n",
        b"fields: {../../x: {text: true}}\nreduce: count\n",
        b"fields: {a: {choice: []}}\nreduce: count\n",
        b"fields: {when: {column: x, format: '%Q%'}}\nsplit: csv\nreduce: count\n",
        b"reduce: count\nreduce: count\n",
        b"key: nothing\nreduce: count\n",
        b"reduce: [{tally: {field: status, folder: /etc}}]\n",
        b"match: '(?P<status>\\ud800)'\nreduce: count\n",
        b'question: "\\ud800"\nmatch: "(?P<status>x)"\nreduce: count\n',
        b"when: [1, 2]\nreduce: count\n",
        b"reduce: 5\n",
        b"reduce: {}\n",
        b"null\n",
        b"--- 1\n--- 2\n",
    ],
)
def test_a_hostile_recipe_is_one_line(gw: Run, folder: Path, data: Path, recipe: bytes) -> None:
    (folder / "recipe.yaml").write_bytes(recipe)
    ran = gw("sweep", "--recipe", "recipe.yaml", str(data))
    if ran.returncode == 0:  # harmless after all
        assert "Traceback" not in ran.stderr
    else:
        one_line(ran)
    assert not (folder / "pwned").exists()
    assert not (data / "pwned").exists()


def test_a_recipe_that_is_no_regular_file(gw: Run, folder: Path, data: Path) -> None:
    os.mkfifo(folder / "recipe.yaml")
    one_line(gw("sweep", "--recipe", "recipe.yaml", str(data), timeout=20))
    one_line(gw("sweep", "--recipe", "/dev/zero", str(data), timeout=20))


@pytest.mark.slow
def test_patterns_that_never_end_are_stopped_and_said(gw: Run, data: Path) -> None:
    (data / "b.log").write_text("a" * 40 + "!\n" + "aaab\n")
    ran = gw("sweep", str(data), "--match", r"(?P<x>(?:a+)+)$", "--reduce", "count", "--json")
    assert ran.returncode == 3
    records = swept(ran)["coverage"]["records"]
    assert records["unsupported"] == 1
    ran = gw("sweep", str(data), "--when", r"^(?:a|aa)+$", "--reduce", "count", "--json")
    assert swept(ran)["coverage"]["records"]["unsupported"] >= 1


# -- files ----------------------------------------------------------------------------------------------------------


def test_links_secrets_and_what_is_no_file_are_not_read(gw: Run, folder: Path, data: Path) -> None:
    outside = folder.parent / "outside.txt"
    outside.write_text("status: stolen\n")
    (data / "link.log").symlink_to(outside)
    (data / "up").symlink_to(folder.parent, target_is_directory=True)
    (data / "loop").symlink_to(data, target_is_directory=True)
    (data / ".env").write_text("status: secret\n")
    (data / "id_rsa").write_text("status: secret\n")
    os.mkfifo(data / "pipe.log")
    ran = gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json", timeout=20)
    result = swept(ran)
    assert tally(result) == {"open": 1, "shut": 1}
    skipped = result["coverage"]["files"]["skipped"]
    assert {"link-outside", "secret", "not-a-file"} <= set(skipped)


@pytest.mark.parametrize("cut", [b"\x00", b"\xff\xfe\xfd", b"\xc3("])
def test_what_is_no_text_far_into_a_large_file_is_a_failure(gw: Run, data: Path, cut: bytes) -> None:
    """It is not as if the file had never been chosen: its beginning is counted, and the rest is said to be missing."""
    half = LOG.encode() * 60_000
    (data / "big.log").write_bytes(half + cut + b"\n" + half)
    ran = gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json")
    result = swept(ran)
    if not result["coverage"]["complete"]:
        assert ran.returncode == 3
        assert list(result["coverage"]["files"]["failed"]) == ["data/big.log"]
        assert 2 <= sum(tally(result).values()) <= 120_002
    else:  # NUL is a character like any other here
        assert sum(tally(result).values()) == 240_002


@pytest.mark.parametrize("codec", ["latin-1", "utf-16", "utf-8-sig"])
def test_large_files_in_other_encodings_are_counted(gw: Run, data: Path, codec: str) -> None:
    lines = "caf\u00e9 status: open\n" * 220_000
    (data / "big.log").write_bytes(lines.encode(codec))
    result = swept(gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json"))
    assert tally(result) == {"open": 220_001, "shut": 1}
    assert result["coverage"]["complete"]


@pytest.mark.slow
def test_one_line_of_80_mb_is_a_failure_that_is_said(gw: Run, data: Path) -> None:
    (data / "big.log").write_bytes(b"status: open " * 6_200_000)
    ran = gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json")
    assert ran.returncode == 3
    result = swept(ran)
    assert "32,000,000" in result["coverage"]["files"]["failed"]["data/big.log"]
    assert tally(result) == {"open": 1, "shut": 1}


def test_csv_with_semicolons_has_its_columns(gw: Run, data: Path) -> None:
    (data / "a.log").write_text('"a;1";b\n1;2\n3;4\n')
    ran = gw(
        "sweep", "data", "--split", "csv", "--field", "b: {column: b, number: true}", "--reduce", "sum b", "--json"
    )
    assert swept(ran)["results"]["sum b"]["rows"] == [{"value": 6, "count": 2}]


@pytest.mark.parametrize("split", ["csv", "jsonl", "paragraph", "heading", "blank-line"])
def test_long_cells_and_deep_nesting(gw: Run, data: Path, split: str) -> None:
    (data / "a.log").unlink()
    (data / "cell.txt").write_text('a,b\n"' + "x" * 300_000 + '",2\n1,"' + "y" * 10_000)
    (data / "head.txt").write_text("h" * 300_000 + ",b\n1,2\n")
    (data / "deep.txt").write_text("[" * 100_000 + "\n" + '{"a":' * 100_000 + "\n")
    (data / "num.txt").write_text('{"b": ' + "9" * 1_000_000 + '}\n{"b": 1e999999}\n{"b": -0}\n{"b": NaN}\n')
    (data / "half.txt").write_text('{"b": "\\ud800", "\\udfff": 1}\n{"b": "\\u00005"}\n')
    field = "b: {path: b}" if split == "jsonl" else "b: {column: b}" if split == "csv" else "b: {pattern: '(.)'}"
    ran = gw("sweep", "data", "--split", split, "--field", field, "--key", "b", "--reduce", "count", "--json")
    assert ran.returncode in (0, 3), ran.stderr
    swept(ran)


def test_numbers_and_dates_that_nobody_means(gw: Run, data: Path, folder: Path) -> None:
    rows = ["n,d", f"{'9' * 1_000_000},0000-00-00", "1e999999,0000-01-01", "1e999,9999-12-31", "-0,0001-01-01"]
    rows += ["NaN,2020-02-30", "Infinity,x", "1_000,2020-1-1", "\u0661,2021-01-01", "1.5,2021-01-01"]
    (data / "a.log").write_text("\n".join(rows))
    reductions = ["sum n", "mean n", "median n", "min n", "max n", "first d", "last d", "tally d", "tally n"]
    fields = ["n: {column: n, number: true}", "d: {column: d, date: '%Y-%m-%d'}"]
    arguments = [part for one in fields for part in ("--field", one)]
    arguments += [part for one in reductions for part in ("--reduce", one)]
    ran = gw("sweep", "data", "--split", "csv", *arguments, "--records", "r.jsonl", "--json", "--allow-unsupported")
    assert ran.returncode == 0, ran.stderr
    result = swept(ran)
    assert result["coverage"]["records"]["found"] == 9
    assert result["results"]["first d"]["rows"][0]["value"] == "9999-12-31"
    assert len((folder / "r.jsonl").read_text().splitlines()) == 9
    texts = ["--field", "n: {column: n}", "--reduce", "sum n", "--reduce", "mean n", "--reduce", "max n"]
    swept(gw("sweep", "data", "--split", "csv", *texts, "--json"))


def test_keys_of_a_megabyte(gw: Run, data: Path) -> None:
    (data / "a.log").write_text("".join(f"k{'x' * 1_000_000}{n % 2}\n" for n in range(6)))
    ran = gw("sweep", "data", "--match", "(?P<k>k.*)", "--key", "k", "--reduce", "count", "--json")
    assert swept(ran)["results"]["count"]["total"] == 2


def test_a_key_that_looks_like_none_takes_no_record_away(gw: Run, data: Path) -> None:
    (data / "a.log").write_text('{"x": 1}\n{"id": "\\u00001"}\n{"id": "\\u00003"}\n{"x": 2}\n')
    ran = gw(
        "sweep", "data", "--split", "jsonl", "--field", "id: {path: id}", "--key", "id", "--reduce", "count", "--json"
    )
    assert swept(ran)["results"]["count"]["total"] == 4


def test_names_that_are_no_utf8_and_control_characters(gw: Run, folder: Path, data: Path) -> None:
    name = os.fsdecode(b"data/caf\xe9\x1b[2J\n.log")
    (folder / name).write_text("status: \x1b[31mred\x07\n status: open\n")
    match = ("--match", r"status: (?P<status>.*)")
    ran = gw("sweep", "data", *match, "--reduce", "tally status", "--json", "--records", "r.jsonl")
    result = swept(ran)
    assert sum(tally(result).values()) == 4
    for line in (folder / "r.jsonl").read_bytes().splitlines():
        json.loads(line.decode("utf-8"))
    ran = gw("sweep", "data", *match, "--reduce", "tally status", "--reduce", "list status", "-v")
    assert not [one for one in ran.stdout + ran.stderr if ord(one) < 32 and one != "\n"]
    (folder / name).write_bytes(LOG.encode() * 100_000 + b"\xff\n")
    ran = gw("sweep", "data", *match, "--reduce", "tally status")
    assert ran.returncode == 3
    assert not [one for one in ran.stdout + ran.stderr if ord(one) < 32 and one != "\n"]


# -- files that change ----------------------------------------------------------------------------------------------


def test_files_that_change_and_vanish_while_they_are_swept(gw: Run, data: Path) -> None:
    for number in range(40):
        (data / f"{number:02}.log").write_text(LOG * 2_000)
    (data / "zz.log").write_text(LOG * 100_000)
    over = threading.Event()

    def change() -> None:
        number = 39
        while not over.wait(0.005) and number > 1:
            (data / f"{number:02}.log").unlink(missing_ok=True)
            (data / f"{number - 1:02}.log").write_text("short\n")
            (data / "zz.log").write_text(LOG)
            number -= 2

    thread = threading.Thread(target=change)
    thread.start()
    try:
        ran = gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json")
    finally:
        over.set()
        thread.join()
    assert ran.returncode in (0, 3), ran.stderr
    swept(ran)


def test_a_large_file_that_vanishes_is_named(data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gw_core  # noqa: PLC0415
    from gw_core.sweep import documents  # noqa: PLC0415
    from gw_core.sweep.recipe import recipe_from_options  # noqa: PLC0415

    (data / "big.log").write_text(LOG * 100_000)
    streamed = documents._streamed

    def vanish(*arguments: Any) -> Any:
        opened = streamed(*arguments)
        (data / "big.log").unlink()
        return opened

    monkeypatch.setattr(documents, "_streamed", vanish)
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws:
        recipe = recipe_from_options(ws.plugins.registry("reducers").resolve, reduce=("count",))
        coverage = ws.sweep(recipe, [data]).coverage
    assert list(coverage.failed) == ["data/big.log"]
    assert not coverage.complete


@pytest.mark.slow
def test_a_file_that_grows_as_it_is_swept_comes_to_an_end(gw: Run, folder: Path, data: Path) -> None:
    """The file of the records may lie among those that are swept: each line read would write another one."""
    for number in range(8):
        (data / f"{number}.log").write_text(LOG * 20_000)
    ran = gw("sweep", "data", "--reduce", "count", "--match", "(?P<all>.*)", "--records", "data/z.jsonl", timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert len((data / "z.jsonl").read_bytes()) < 300_000_000


# -- the journal ----------------------------------------------------------------------------------------------------


@pytest.fixture
def journal(gw: Run, folder: Path, data: Path) -> Path:
    swept(gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json"))
    return folder / ".gw" / "sweeps" / "journal.db"


def test_a_journal_of_a_stranger_changes_no_figure_of_patterns(gw: Run, journal: Path) -> None:
    """What code fills is read from the files, whatever the journal says."""
    connection = apsw.Connection(str(journal))
    connection.execute("UPDATE results SET records = 99, said = x'00', spans = x'00', sum = 0")
    connection.close()
    ran = gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json")
    assert tally(swept(ran)) == {"open": 1, "shut": 1}


@pytest.mark.parametrize("name", ["journal.db", "journal.db-wal", "journal.db-shm", "open.lock"])
def test_a_file_of_the_journal_that_is_a_link_is_not_followed(
    gw: Run, folder: Path, journal: Path, tmp_path: Path, name: str
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    place = journal.with_name(name)
    place.unlink(missing_ok=True)
    place.symlink_to(precious)
    one_line(gw("sweep", "data", *MATCH, "--reduce", "count"))
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("linked", [".gw", ".gw/sweeps"])
def test_a_folder_of_the_journal_that_is_a_link_is_not_followed(
    gw: Run, folder: Path, data: Path, tmp_path: Path, linked: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / linked).parent.mkdir(exist_ok=True)
    (folder / linked).symlink_to(elsewhere)
    one_line(gw("sweep", "data", *MATCH, "--reduce", "count"))
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"no database" * 1000, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_journal_that_is_none(gw: Run, journal: Path, content: bytes) -> None:
    for one in journal.parent.iterdir():
        one.unlink()
    journal.write_bytes(content)
    ran = gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json")
    if ran.returncode == 0:
        assert tally(swept(ran)) == {"open": 1, "shut": 1}
    else:
        assert "Traceback" not in ran.stderr
        assert "internal" not in ran.stderr + ran.stdout
    assert tally(swept(gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json", "--fresh"))) == {
        "open": 1,
        "shut": 1,
    }


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM runs; SELECT load_extension('/tmp/x'); END",
        "CREATE VIEW v AS SELECT 1; DROP TABLE sources",
        "DROP TABLE results; CREATE VIEW results AS SELECT 1 AS id",
        "ALTER TABLE results RENAME COLUMN said TO other",
    ],
)
def test_a_journal_with_another_schema(gw: Run, journal: Path, statement: str) -> None:
    connection = apsw.Connection(str(journal))
    connection.execute(statement)
    connection.close()
    ran = gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json")
    assert "Traceback" not in ran.stderr
    assert "internal" not in ran.stderr + ran.stdout
    if ran.returncode == 0:
        assert tally(swept(ran)) == {"open": 1, "shut": 1}


def test_two_sweeps_at_once(gw: Run, data: Path) -> None:
    (data / "b.log").write_text(LOG * 200_000)
    found: list[dict[str, int]] = []

    def sweep() -> None:
        found.append(tally(swept(gw("sweep", "data", *MATCH, "--reduce", "tally status", "--json"))))

    threads = [threading.Thread(target=sweep) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [{"open": 200_001, "shut": 200_001}] * 3


# -- disks and outputs ----------------------------------------------------------------------------------------------


def limited_to(size: int) -> Callable[[], None]:
    def limit() -> None:
        import signal  # noqa: PLC0415

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("more", [("--key", "n"), ("--reduce", "distinct n"), ("--records", "r.jsonl")])
def test_a_disk_that_is_full_is_one_line(
    gw: Run, data: Path, environment: dict[str, str], tmp_path: Path, more: tuple[str, ...]
) -> None:
    (data / "b.log").write_text("".join(f"line {n} and more\n" for n in range(150_000)))
    own = tmp_path / "own"
    own.mkdir()
    ran = gw(
        *("sweep", "data", "--match", r"(?P<n>\d+)", "--reduce", "tally n", *more),
        preexec_fn=limited_to(1_000_000),
        env={**environment, "TMPDIR": str(own)},
    )
    one_line(ran)
    assert list(own.iterdir()) == []


def test_records_go_to_no_link_and_over_no_file(gw: Run, folder: Path, data: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (folder / "link.jsonl").symlink_to(precious)
    (folder / "dangling.jsonl").symlink_to(tmp_path / "made")
    (folder / "file.jsonl").write_text("mine")
    for name in ("link.jsonl", "dangling.jsonl", "file.jsonl"):
        one_line(gw("sweep", "data", *MATCH, "--reduce", "count", "--records", name))
    assert (precious.read_text(), (folder / "file.jsonl").read_text()) == ("precious", "mine")
    assert not (tmp_path / "made").exists()
    one_line(gw("sweep", "data", *MATCH, "--reduce", "count", "--records", "no/such/folder.jsonl"))
    os.mkfifo(folder / "pipe")
    one_line(gw("sweep", "data", *MATCH, "--reduce", "count", "--records", "pipe", timeout=20))
