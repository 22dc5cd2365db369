"""Files as they are found in the wild.

=====================================  ==================================================================
row                                    tests
=====================================  ==================================================================
one bad byte in a tree of hundreds     test_one_bad_byte_in_a_tree_of_hundreds
encodings and byte order marks         test_every_encoding_is_cited_and_verified, test_a_byte_order_mark_is_no_text
line ends, separators, form feeds      test_line_ends_of_every_kind_are_exact, test_rewritten_line_ends_drift_or_move
endless lines, minified, no spaces     test_text_without_end_is_chunked_within_bounds, test_time_is_linear,
                                       test_memory_is_flat
NUL, images, .pyc, FIFO, devices       test_what_is_no_text_is_skipped_with_its_reason,
                                       test_what_is_no_file_is_skipped_in_no_time, test_a_huge_file_is_skipped_unread
links                                  test_links_bring_each_file_once_and_nothing_from_outside, test_a_farm_of_links
ignore rules and secrets               test_git_decides_and_secrets_stay_out
nothing readable, no such path         test_nothing_readable_says_why, test_a_path_that_is_not_there_is_exit_2
names                                  test_any_name_is_valid_json_and_leads_back_to_its_file
notebooks, HTML, PDF                   test_documents_give_their_text_only, test_a_broken_document_never_stops_the_run
files that change while they are read  test_files_that_change_under_our_hands
=====================================  ==================================================================
"""

from __future__ import annotations

import base64
import codecs
import json
import os
import py_compile
import resource
import socket
import subprocess
import sys
import threading
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gw_core

HARBOUR = "The harbour is closed in winter.\n"


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[gw_core.Workspace]:
    monkeypatch.chdir(tmp_path)
    with gw_core.open(tmp_path, env={"GW_CONFIG": ""}) as workspace:
        yield workspace


def skipped(ran: Any) -> dict[str, str]:
    """Paths with their reasons, without the index itself."""
    found = {one["path"].rstrip("/"): one["reason"] for one in ran.json["skipped"]}
    found.pop(".gw", None)
    return found


# -- encodings --------------------------------------------------------------------------------------------------------


def test_one_bad_byte_in_a_tree_of_hundreds(gw: Any, write: Any) -> None:
    for number in range(300):
        write(f"tree/{number // 20}/{number}.txt", f"Ship number {number} left the harbour.\n")
    write("tree/7/bad.txt", b"The lighthouse caf\xe9 opens at nine.\n")
    write("tree/8/worse.txt", "Маяк открыт. ".encode() * 9 + b"\xff\xfe\xfd" + "Маяк закрыт. ".encode() * 9)
    write("tree/9/worst.txt", bytes(range(256)) * 4)
    ran = gw("ingest", "tree", "--json")
    assert ran.code == 0
    assert len(ran.json["added"]) == 302
    assert skipped(ran) == {"tree/9/worst.txt": "binary"}
    assert gw("search", "lighthouse café", "--json").paths[0] == "tree/7/bad.txt"
    assert gw("search", "маяк закрыт", "--json").paths[0] == "tree/8/worse.txt"
    assert gw("verify", "--all").code == 0


GERMAN = "Straße über die Brücke — „Öl“ für 5 €.\n"
JAPANESE = "港は冬の間、閉鎖されています。灯台は九時に開きます。メール〜終わり。\n"


@pytest.mark.parametrize(
    ("encoding", "mark", "text", "query"),
    [
        ("utf-8", codecs.BOM_UTF8, GERMAN, "Brücke"),
        ("utf-16-le", codecs.BOM_UTF16_LE, GERMAN, "Brücke"),
        ("utf-16-be", codecs.BOM_UTF16_BE, JAPANESE, "灯台"),
        ("utf-16-le", b"", GERMAN, "Brücke"),
        ("utf-16-be", b"", JAPANESE, "灯台"),
        ("utf-32-le", codecs.BOM_UTF32_LE, GERMAN + "🚀", "Brücke"),
        ("utf-32-be", codecs.BOM_UTF32_BE, JAPANESE, "灯台"),
        ("cp1252", b"", GERMAN, "Brücke"),
        ("shift_jis", b"", JAPANESE, "灯台"),
        ("euc_jp", b"", JAPANESE, "灯台"),
        ("gb18030", b"", "港口在冬季关闭。灯塔九点开门，游客可以参观。\n", "灯塔"),
        ("koi8-r", b"", "Гавань закрыта зимой. Маяк открывается в девять часов утра.\n", "маяк"),
        ("cp1251", b"", "Гавань закрыта зимой. Маяк открывается в девять часов утра.\n", "маяк"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_encoding_is_cited_and_verified(
    gw: Any, write: Any, encoding: str, mark: bytes, text: str, query: str, end: str
) -> None:
    whole = (text * 30 + "\n" + text.replace("\n", "") + " (last)").replace("\n", end)
    write("a.txt", mark + whole.encode(encoding))
    ran = gw("search", query, "a.txt", "--json")
    hit = ran.json["hits"][0]
    assert whole[hit["start"] : hit["end"]] == hit["text"]
    assert hit["verdict"] == "verified"
    # With no index, from the raw bytes alone; and the place is the same when counted by hand.
    assert gw("verify", hit["citation"], "--index", "nowhere").code == 0
    assert query.casefold() in hit["text"].casefold()
    assert gw("show", hit["citation"]).code == 0
    assert gw("verify", "--all").code == 0


def test_a_byte_order_mark_is_no_text(gw: Any, write: Any) -> None:
    write("a.txt", codecs.BOM_UTF8 + b"harbour first")
    write("b.txt", "in the middle \ufeff of harbour")
    write("c.txt", codecs.BOM_UTF8)
    write("d.txt", codecs.BOM_UTF16_LE)
    write("q.txt", codecs.BOM_UTF8 + b"harbour\n")
    hits = {
        hit["path"]: hit for hit in gw("search", "harbour", "a.txt", "b.txt", "c.txt", "d.txt", "--json").json["hits"]
    }
    assert (hits["a.txt"]["start"], hits["a.txt"]["text"]) == (0, "harbour first")
    assert hits["b.txt"]["text"] == "in the middle \ufeff of harbour"
    assert gw("search", "-", stdin="\ufeffharbour\n").code == 0


SEPARATORS = ["\n", "\r\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\n\r", "\r\r\n", " "]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_line_ends_of_every_kind_are_exact(gw: Any, write: Any, separator: str) -> None:
    text = separator.join(f"Ship number {number} left the harbour." for number in range(200))
    write("a.txt", text)
    hits = gw("search", "ship number 177 left", "a.txt", "--json").json["hits"]
    assert "number 177 " in hits[0]["text"]
    for hit in hits:
        assert hit["text"] == text[hit["start"] : hit["end"]]
        assert hit["verdict"] == "verified"
    (counted,) = gw("verify", "--all", "--json").lines
    assert counted["counts"]["verified"] == counted["total"] > 1
    shown = gw("show", hits[0]["citation"], "-C", "1", "--json")
    assert shown.code == 0


@pytest.mark.parametrize(("old", "new"), [("\n", "\r\n"), ("\r\n", "\n"), ("\r", "\n"), ("\n", "\r")])
def test_rewritten_line_ends_drift_or_move(ws: gw_core.Workspace, write: Any, old: str, new: str) -> None:
    from gw_core.citation import cite_text  # noqa: PLC0415

    lines = [f"Ship number {number} left the harbour." for number in range(60)]
    before, after = old.join(lines), new.join(lines)
    write("a.txt", after)
    inside = before.index("number 30")
    within = cite_text("a.txt", before, inside, inside + len("number 30 left"))
    across = cite_text("a.txt", before, inside, before.index("number 32"))
    verdicts = [one.verdict.value for one in ws.verify([within, across])]
    # As long as the ends are of one length, what holds none stands where it stood.
    assert verdicts == ["verified" if len(old) == len(new) else "moved", "drifted"]


# -- text without end -------------------------------------------------------------------------------------------------

ENDLESS: dict[str, Callable[[int], str]] = {
    "one line": lambda n: "The harbour is closed in winter, and so it was before. " * (n // 56),
    "one word": lambda n: "word " * (n // 5),
    "no spaces": lambda n: "x" * n,
    "no spaces, other signs": lambda n: "ab-cd_ef/" * (n // 9),
    "base64": lambda n: base64.b64encode(b"harbour" * (n // 10)).decode(),
    "json": lambda n: json.dumps([{"name": f"ship{i}", "tons": i, "gone": None} for i in range(n // 48)]),
    "minified": lambda n: 'function a(b){return b?c(d[0]):"e"+f;};' * (n // 40),
    "chinese": lambda n: "港口在冬季关闭灯塔九点开门" * (n // 13),
    "chinese with stops": lambda n: "港口在冬季关闭。灯塔九点开门。" * (n // 15),
    "thai": lambda n: "มนุษย์ทั้งหลายเกิดมามีอิสระ" * (n // 27),
    "combining": lambda n: "a" + "\u0301" * n,
    "joiners": lambda n: "\u200d" * n + "harbour",
    "emoji": lambda n: "👩‍👩‍👧" * (n // 5),
    "blank lines": lambda n: "\n" * n + "harbour",
    "blanks": lambda n: " " * n + "harbour",
    "tabs": lambda n: "a\t" * (n // 2),
    "open brackets": lambda n: "(" * n,
    "quotes": lambda n: "'s " * (n // 3),
    "numbers": lambda n: "1," * (n // 2),
    "thousands": lambda n: "1,000" + ",000" * (n // 4),
    "stops": lambda n: "." * n,
    "sentences": lambda n: "A. " * (n // 3),
    "abbreviations": lambda n: "e.g. " * (n // 5),
    "camel": lambda n: "aB" * (n // 2),
    "carriage returns": lambda n: "\r" * n + "harbour",
    "separators": lambda n: "a\u2028" * (n // 2),
    "form feeds": lambda n: "a\f" * (n // 2),
}
MARKED: dict[str, Callable[[int], str]] = {
    "headings": lambda n: "# a\n" * (n // 4),
    "hashes": lambda n: "#" * n,
    "deep lists": lambda n: "".join(" " * (i % 300) + "- a\n" for i in range(n // 150)),
    "one list item": lambda n: "- " + "word " * (n // 5),
    "one table row": lambda n: "|a|b|\n|-|-|\n|" + "cell|" * (n // 5),
    "table": lambda n: "|a|b|\n|-|-|\n" + "|c|d|\n" * (n // 6),
    "open fence": lambda n: "```\n" + "code\n" * (n // 5),
    "fences": lambda n: "```\n" * (n // 4),
    "quotes": lambda n: ">" * n,
    "rules": lambda n: "---\n" * (n // 4),
    "heading without end": lambda n: "# " + "word " * (n // 5) + "\n\ntext\n",
}
CASES = (
    [("a.txt", name) for name in ENDLESS] + [("a.md", name) for name in (*ENDLESS, *MARKED)] + [("a.js", "minified")]
)


def _made(path: str, name: str, length: int) -> str:
    make = MARKED.get(name) if path.endswith(".md") else None
    return (make or ENDLESS[name])(length)


@pytest.mark.parametrize(("path", "name"), CASES)
def test_text_without_end_is_chunked_within_bounds(ws: gw_core.Workspace, write: Any, path: str, name: str) -> None:
    text = _made(path, name, 60_000)
    write(path, text)
    report = ws.ingest([path])
    assert report.added == [path]
    chunks = list(ws._open_catalogue().all_chunks())
    assert max((len(chunk.text) for chunk in chunks), default=0) <= 8_000
    assert sum(len(chunk.text) for chunk in chunks) <= 2 * len(text)
    assert set(ws.verify_all().counts) <= {"verified"}
    if "harbour" in text:
        assert ws.search("harbour").evidence


def _cpu(path: str, name: str, length: int, tmp_path: Path) -> float:
    """CPU seconds of an ingest and a search, the least of two."""
    text = _made(path, name, length)
    times = []
    for turn in range(2):
        root = tmp_path / f"{length}-{turn}"
        root.mkdir()
        (root / path).write_text(text, encoding="utf-8", newline="")
        with gw_core.open(root, env={"GW_CONFIG": ""}) as workspace:
            began = time.process_time()
            workspace.ingest([root])
            workspace.search("word harbour 1000 港口")
            times.append(time.process_time() - began)
    return min(times)


QUICK = {"one word", "no spaces", "json", "combining", "stops", "headings", "one table row", "open fence", "thai"}


@pytest.mark.parametrize(
    ("path", "name"), [pytest.param(*case, marks=() if case[1] in QUICK else pytest.mark.slow) for case in CASES]
)
def test_time_is_linear(tmp_path: Path, path: str, name: str) -> None:
    small, large = (_cpu(path, name, length, tmp_path) for length in (50_000, 200_000))
    assert large < 8 * small + 0.05, (small, large)


_PEAK = """
import gw_core, resource, sys
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with gw_core.open(sys.argv[1], env={"GW_CONFIG": ""}) as ws:
    ws.ingest([sys.argv[1]])
    ws.search("word")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_is_flat(tmp_path: Path) -> None:
    """Ten files of a megabyte on one line take hardly more than one."""
    peaks = []
    for count in (1, 10):
        root = tmp_path / str(count)
        root.mkdir()
        for number in range(count):
            (root / f"{number}.txt").write_text("word " * 200_000)
        done = subprocess.run([sys.executable, "-c", _PEAK, str(root)], capture_output=True, check=True)
        peaks.append(int(done.stdout))  # KB
    assert peaks[1] < 2.5 * peaks[0] + 20_000, peaks
    assert peaks[1] < 170_000, peaks


# -- what is no text --------------------------------------------------------------------------------------------------


def test_what_is_no_text_is_skipped_with_its_reason(gw: Any, write: Any, tmp_path: Path) -> None:
    write("ok.txt", HARBOUR)
    write("module.py", "x = 1\n")
    py_compile.compile(str(tmp_path / "module.py"), cfile=str(tmp_path / "module.pyc"))
    binary = {
        "picture.png": b"\x89PNG\r\n\x1a\n" + zlib.compress(bytes(range(256)) * 9),
        "named.txt": b"harbour" + bytes(100) + b"harbour",
        "cycle.txt": b"\0\1\2\3" * 100,
        "padded.txt": b"harbour\0\1\2\3" * 100,
        "strings.bin": b"harbour\0closed\0winter\0" * 50,
        "packed.txt": zlib.compress(b"harbour" * 999),
        "archive.md": b"PK\x03\x04" + bytes(100),
        "database.txt": b"SQLite format 3\0" + bytes(84),
        "nul.txt": b"\0",
        "late.txt": b"harbour " * 20_000 + b"\0" + b"harbour " * 9,
    }
    for name, data in binary.items():
        write(name, data)
    ran = gw("ingest", ".", "--json")
    assert ran.code == 0
    reasons = skipped(ran)
    assert reasons == dict.fromkeys([*binary, "module.pyc"], "binary")
    assert sorted(ran.json["added"]) == ["module.py", "ok.txt"]
    assert gw("search", "harbour", "--json").paths == ["ok.txt"]
    assert skipped(gw("ingest", ".", "--json")) == reasons


def test_what_is_no_file_is_skipped_in_no_time(gw: Any, write: Any, tmp_path: Path) -> None:
    write("ok.txt", HARBOUR)
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    (tmp_path / "tty.md").symlink_to("/dev/tty")
    (tmp_path / "self.txt").symlink_to("self.txt")
    (tmp_path / "gone.txt").symlink_to("nowhere.txt")
    (tmp_path / "status.txt").symlink_to("/proc/self/status")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket.txt"))
        began = time.process_time()
        ran = gw("ingest", ".", "--json")
        assert time.process_time() - began < 5
    assert ran.json["added"] == ["ok.txt"]
    assert skipped(ran) == {
        "gone.txt": "link-broken",
        "pipe.txt": "not-a-file",
        "self.txt": "link-loop",
        "socket.txt": "not-a-file",
        "status.txt": "link-outside",
        "tty.md": "link-outside",
        "zero.txt": "link-outside",
    }
    for name in ("pipe.txt", "zero.txt", "self.txt"):
        named = gw("search", "harbour", name)
        assert named.code in (1, 2), (name, named)
        assert named.failure


def test_a_huge_file_is_skipped_unread(gw: Any, write: Any, tmp_path: Path) -> None:
    write("ok.txt", HARBOUR)
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(3_000_000_000)
    ran = gw("ingest", ".", "--json")
    assert ran.json["added"] == ["ok.txt"]
    assert skipped(ran) == {"huge.txt": "too-large"}
    assert ran.json["bytes_read"] == len(HARBOUR)
    named = gw("ingest", "huge.txt", "--json")
    assert named.code == 1
    assert "too-large" in named.failure


# -- links ------------------------------------------------------------------------------------------------------------


def test_links_bring_each_file_once_and_nothing_from_outside(gw: Any, write: Any, tmp_path: Path) -> None:
    outside = write("outside/secret.txt", "The lighthouse is outside.\n")
    write("root/docs/a.txt", HARBOUR)
    root = tmp_path / "root"
    (root / "loop").symlink_to(".")
    (root / "docs/up").symlink_to("..")
    (root / "again.txt").symlink_to("docs/a.txt")
    (root / "docs2").symlink_to("docs")
    (root / "out.txt").symlink_to(outside)
    (root / "outdir").symlink_to("../outside")
    (root / "abs").symlink_to("/etc")
    ran = gw("ingest", "root", "--root", "root", "--json")
    assert ran.json["added"] == ["docs/a.txt"]
    reasons = skipped(ran)
    assert reasons.pop("loop") == reasons.pop("docs/up") == "link-loop"
    assert reasons == {
        "abs": "link-outside",
        "again.txt": "duplicate-link",
        "docs2": "duplicate-link",
        "out.txt": "link-outside",
        "outdir": "link-outside",
    }
    assert gw("search", "lighthouse", "--root", "root").code == 3
    refused = gw("ingest", "root/out.txt", "--root", "root")
    assert refused.code == 2
    assert "--root" in refused.failure


def test_a_farm_of_links(gw: Any, write: Any, tmp_path: Path) -> None:
    """Ten folders that each link to all the others: walked naively, ten factorial paths."""
    for number in range(10):
        write(f"{number}/a.txt", f"Ship number {number} left the harbour.\n")
    for number in range(10):
        for other in range(10):
            (tmp_path / str(number) / f"to{other}").symlink_to(f"../{other}")
    ran = gw("ingest", ".", "--json")
    assert sorted(ran.json["added"]) == [f"{number}/a.txt" for number in range(10)]
    assert len(skipped(ran)) == 100


# -- rules ------------------------------------------------------------------------------------------------------------


def test_git_decides_and_secrets_stay_out(gw: Any, write: Any, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    write(".gitignore", b"\xef\xbb\xbfignored.txt\r\n*.tmp\r\n!kept.tmp\r\n")
    write("sub/.gitignore", "/only-here.txt\n!again.tmp\n")
    inside = [
        "a.txt",
        "kept.tmp",
        "sub/again.tmp",
        "sub/deep/only-here.txt",
        ".editorconfig",
        ".gitignore",
        "sub/.gitignore",
    ]
    ignored = ["ignored.txt", "b.tmp", "sub/only-here.txt", "sub/ignored.txt"]
    secret = [
        ".env",
        ".env.local",
        "id_rsa",
        "sub/id_ed25519",
        "server.pem",
        ".netrc",
        "credentials.json",
        ".ssh/config",
    ]
    excluded = ["node_modules/x.js", "sub/__pycache__/x.py", "target/x.txt", "lib-linked/x.js"]
    for path in (*inside, *ignored, *secret, *excluded):
        if not path.endswith(".gitignore"):
            write(path, f"The harbour of {path}.\n")
    (tmp_path / "sub/node_modules").symlink_to("../lib-linked")
    write("other/.git", "gitdir: elsewhere\n")
    write("other/ignored.txt", "Another repository has its own rules.\n")
    ran = gw("ingest", ".", "--json")
    assert sorted(ran.json["added"]) == sorted([*inside, "lib-linked/x.js", "other/ignored.txt"])
    reasons = skipped(ran)
    assert {path for path, reason in reasons.items() if reason == "ignored"} == set(ignored)
    assert {path for path, reason in reasons.items() if reason == "secret"} >= set(secret) - {".ssh/config"}
    assert {".git", "node_modules", "sub/node_modules", "target", "sub/__pycache__"} <= set(reasons)
    # By hand a secret does not get in either, and says why.
    assert gw("ingest", ".env", "--json").json["skipped_by_reason"] == {"secret": 1}


def test_nothing_readable_says_why(gw: Any, write: Any, tmp_path: Path) -> None:
    write("dir/a.png", b"\x89PNG\r\n\x1a\n\0")
    write("dir/.env", "X=1\n")
    os.mkfifo(tmp_path / "dir/pipe")
    for arguments in (["ingest", "dir"], ["search", "harbour", "dir"], ["ask", "harbour?", "dir"]):
        ran = gw(*arguments)
        assert ran.code == 1
        for said in ("1 binary", "1 secret", "1 not-a-file"):
            assert said in ran.err
    (tmp_path / "empty").mkdir()
    assert gw("ingest", "empty").code == 1
    assert gw("ingest", "empty").failure


@pytest.mark.parametrize(
    "path", ["nowhere", "nowhere/", "a.txt/b", "a.txt/", "./nowhere/../x", "x" * 5000, "~nobody", ""]
)
def test_a_path_that_is_not_there_is_exit_2(gw: Any, write: Any, path: str) -> None:
    write("a.txt", HARBOUR)
    for arguments in (["ingest", path], ["search", "harbour", path], ["ask", "harbour?", path]):
        ran = gw(*arguments)
        assert ran.code == 2, ran
        assert ran.failure
    assert not Path(".gw").exists()


# -- names ------------------------------------------------------------------------------------------------------------

NAMES = [
    b"with space.txt", b" leading.txt", b"trailing.txt ", b'"quoted".txt', b"it's.txt", b"new\nline.txt", b"tab\t.txt",
    b"cr\r.txt", b"caf\xe9.txt", b"\xff\xfe.txt", b"\xed\xa0\x80.txt", "café.txt".encode(), "cafe\u0301.txt".encode(),
    "東京.txt".encode(), b"hash#c0-5.deadbeef.txt", b"percent%41%.txt", b"question?.txt", b"back\\slash.txt",
    b"-dash.txt",
    b"--json", b"*.txt", b"[a].txt", b"{b}.txt", b"\x1b[31mred.txt", b"\x7f.txt", b"!bang.txt", b"$(touch x).txt",
    b"`id`.txt", b";rm.txt", b"a:b.txt", b"#.txt", b"...", b"a" * 255, "\u202e.txt".encode(), "\u2028.txt".encode(),
    b"folder\n\xff/inner \xfe.txt",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_any_name_is_valid_json_and_leads_back_to_its_file(gw: Any, tmp_path: Path, name: bytes) -> None:
    place = tmp_path / os.fsdecode(name)
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(HARBOUR.encode())
    shown = name.decode("utf-8", "surrogateescape")
    assert gw("ingest", ".", "--json").json["added"] == [shown]
    assert gw("ingest", "--json", "--", shown).json["unchanged"] == 1
    (hit,) = gw("search", "harbour", "--json").json["hits"]
    assert hit["path"] == shown
    (line,) = gw("search", "harbour", "--jsonl").out.splitlines()
    citation = json.loads(line)["citation"]
    assert citation.isascii()
    assert not set(citation) & set("\n\r\t\x1b \"'")
    assert gw("verify", "-", "--json", stdin=f"{citation}\n").json["counts"]["verified"] == 1
    assert gw("show", "--", citation).code == 0
    for command in (
        ["search", "harbour"],
        ["ask", "Is the harbour closed in winter?"],
        ["status"],
        ["verify", "--all"],
    ):
        ran = gw(*command)
        assert ran.code in (0, 3)
        assert not set(ran.out) & set("\x1b\r\x7f\u202e"), ran.out
    (tmp_path / "elsewhere").mkdir()
    assert gw("ask", "Is the harbour closed in winter?", "--json").json["citations"][0]["path"] == shown
    place.unlink()
    ran = gw("ingest", ".", "--json")
    assert ran.json["removed"] == [shown]


def test_names_that_look_alike_are_two_files(gw: Any, tmp_path: Path) -> None:
    for form in ("NFC", "NFD"):
        (tmp_path / unicodedata.normalize(form, "crème.txt")).write_text(f"The harbour in {form}.\n")
    (tmp_path / "Harbour.TXT").write_text("The harbour in capitals.\n")
    (tmp_path / "harbour.txt").write_text("The harbour in small letters.\n")
    ran = gw("ingest", ".", "--json")
    assert len(ran.json["added"]) == len(list(tmp_path.glob("*.[tT]*")))
    assert gw("verify", "--all").code == 0


# -- documents --------------------------------------------------------------------------------------------------------

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Harbour\n", "The ferry leaves at noon."]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "source": "print('lighthouse')",
            "outputs": [
                {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo" * 5000}},
                {"output_type": "stream", "name": "stdout", "text": ["lighthouse\n"]},
            ],
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PAGE = (
    "<!DOCTYPE html><html><head><title>Harbour</title><style>p{color:zebra}</style>"
    "<script>var walrus = 'tracking';</script></head><body><nav></nav>"
    "<h1>Harbour</h1><p>The ferry leaves at noon &amp; returns at&nbsp;six.</p>"
    "<script type='application/json'>{\"walrus\": 1}</script><!-- walrus --></body></html>"
)


def test_documents_give_their_text_only(gw: Any, write: Any) -> None:
    pytest.importorskip("selectolax")
    write("a.ipynb", json.dumps(NOTEBOOK))
    write("a.html", PAGE)
    assert sorted(gw("ingest", ".", "--json").json["added"]) == ["a.html", "a.ipynb"]
    assert set(gw("search", "ferry noon", "--json").paths) == {"a.html", "a.ipynb"}
    assert gw("search", "lighthouse", "--json").paths == ["a.ipynb"]
    for noise in ("iVBORw0KGgo", "walrus", "zebra"):
        assert gw("search", noise).code == 3, noise
    assert gw("verify", "--all").code == 0
    citation = gw("search", "ferry returns", "a.html", "--json").json["hits"][0]["citation"]
    assert ".html@" in citation
    assert gw("verify", citation).code == 0


BROKEN = {
    "cut.ipynb": json.dumps(NOTEBOOK)[:500].encode(),
    "deep.ipynb": b"[" * 100_000,
    "list.ipynb": b"[]",
    "number.ipynb": b"7",
    "odd.ipynb": b'{"cells": {"a": 1}}',
    "odder.ipynb": b'{"cells": [null, 3, {"source": 7}, {"cell_type": "code", "source": null}]}',
    "nan.ipynb": b'{"cells": [{"cell_type": "markdown", "source": "ship \\ud800 \\u0000"}], "x": NaN}',
    "bad.html": b"\x00\xff<p>ship" * 50,
    "deep.html": b"<div>" * 10_000 + b"ship",
    "tags.html": b"<" * 100_000,
    "entity.html": b"<p>&#0;&#xD800;&#99999999;ship &bogus; " * 9,
    "empty.html": b"",
    "cut.pdf": b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog",
    "not.pdf": b"this is no PDF",
    "empty.pdf": b"",
    "random.pdf": b"%PDF-1.4\n" + zlib.compress(bytes(range(256)) * 99),
    "not.docx": b"this is no archive",
    "cut.docx": b"PK\x03\x04" + bytes(200),
    "empty.docx": b"",
}


def test_a_broken_document_never_stops_the_run(gw: Any, write: Any) -> None:
    write("ok.txt", HARBOUR)
    for name, data in BROKEN.items():
        write(name, data)
    ran = gw("ingest", ".", "--json")
    assert ran.code == 0, ran.err
    result = ran.json
    assert "ok.txt" in result["added"]
    told = {*result["added"], *skipped(ran)}
    assert told == {"ok.txt", *BROKEN}
    assert all(one["detail"] or one["reason"] for one in result["skipped"])
    assert all("\n" not in one["detail"] for one in result["skipped"])
    assert gw("search", "harbour winter", "--json").paths[0] == "ok.txt"
    assert gw("verify", "--all").code == 0
    again = gw("ingest", ".", "--json").json
    assert again["added"] == []


# -- while it runs ----------------------------------------------------------------------------------------------------


def test_files_that_change_under_our_hands(tmp_path: Path, process: Any) -> None:
    """Files come, grow, shrink, turn into folders and go, all the while they are ingested."""
    folder = tmp_path / "moving"
    folder.mkdir()
    stop = threading.Event()

    def stir() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            place = folder / f"{turn % 30}.txt"
            try:
                if turn % 7 == 0:
                    place.unlink(missing_ok=True)
                elif turn % 11 == 0:
                    place.unlink(missing_ok=True)
                    place.symlink_to("/dev/zero")
                else:
                    place.unlink(missing_ok=True)
                    place.write_text(f"The harbour at turn {turn}.\n" * (turn % 400))
            except OSError:
                continue

    stirring = threading.Thread(target=stir)
    stirring.start()
    try:
        for _ in range(4):
            with process("ingest", "moving", "--json") as running:
                out, err = running.communicate(timeout=60)
            assert running.returncode in (0, 1), err
            json.loads(out)
            assert b"Traceback" not in err
    finally:
        stop.set()
        stirring.join()
    with process("ingest", "moving", "--json") as final:
        final.communicate(timeout=60)
        assert final.returncode in (0, 1)
    with process("verify", "--all", "--json") as checked:
        out, err = checked.communicate(timeout=60)
        assert checked.returncode == 0, (out, err)


def test_open_files_do_not_add_up(ws: gw_core.Workspace, write: Any) -> None:
    for number in range(400):
        write(f"{number}.txt", HARBOUR)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 40, hard))
    try:
        assert len(ws.ingest(["."]).added) == 400
        assert ws.search("harbour").evidence[0].verified
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
