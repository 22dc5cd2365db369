"""Citations, by strangers and by machines: what they point at is checked, and never more than that is read.

=====================================  ==================================================================
row                                    tests
=====================================  ==================================================================
one character in front                 test_whatever_is_put_in_front_moves
the tree is moved                      test_a_tree_can_be_moved
the text occurs twice                  test_of_copies_the_cited_one_is_meant
``..``, absolute, a link out           test_what_is_outside_is_never_read
a quote that is in no passage          test_a_made_up_quote_is_never_under_a_verified_citation
anything else as a citation            test_anything_else_is_one_line, test_any_text_is_a_citation_or_one_line
=====================================  ==================================================================
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gw_core
from gw_core.citation import cite_text
from gw_core.model import Identity, Quote, Reading
from gw_core.plugins import Plugins

LINES = [f"Ship number {number} left the harbour at {number % 24} o'clock.\n" for number in range(40)]
TEXT = "".join(LINES)


def cite(cited: str, path: str = "a.txt", text: str = TEXT, nth: int = 0) -> str:
    start = -1
    for _ in range(nth + 1):
        start = text.index(cited, start + 1)
    return str(cite_text(path, text, start, start + len(cited)))


@pytest.mark.parametrize(
    "front", ["x", " ", "\n", "\r\n", "é", "🚀", "\u0301", "\0", "Ship number ", TEXT[:30], "x" * 10**5]
)
def test_whatever_is_put_in_front_moves(gw: Any, write: Any, front: str) -> None:
    citation = cite("number 17 left the harbour")
    write("a.txt", front + TEXT)
    ran = gw("verify", citation, "--json")
    (one,) = ran.json["citations"]
    assert ran.code == 3
    assert one["verdict"] == "moved"
    assert one["moved_to"]["start"] == one["start"] + len(front)
    assert gw("verify", citation, "--accept-moved").code == 0
    assert gw("verify", one["moved_to"]["citation"]).code == 0
    assert "number 17 left" in gw("show", citation).out
    # The mark of an encoding is no text: nothing moves.
    write("a.txt", b"\xef\xbb\xbf" + TEXT.encode())
    assert gw("verify", citation).code == 0


def test_a_tree_can_be_moved(gw: Any, write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("here/docs/a.txt", TEXT)
    write("here/docs/ö ü/b.txt", TEXT)
    citations = [
        hit["citation"] for hit in gw("search", "ship number 17", "here", "--root", "here", "--json").json["hits"]
    ]
    (tmp_path / "away").mkdir()
    shutil.move(tmp_path / "here", tmp_path / "away/there")
    assert gw("verify", *citations, "--root", "away/there").code == 0
    monkeypatch.chdir(tmp_path / "away/there/docs")  # the nearest .gw says where the root is
    assert gw("verify", *citations).code == 0
    assert gw("search", "ship number 17", "--json").json["hits"][0]["verdict"] == "verified"
    again = gw("ingest", "--json").json
    assert (again["unchanged"], again["chunks_added"]) == (2, 0)
    shutil.rmtree(tmp_path / "away/there/.gw")
    assert gw("verify", *citations, "--root", "..").code == 0
    assert gw("verify", *citations).code == 3
    # By another name the folder is the same.
    (tmp_path / "link").symlink_to("away/there")
    assert gw("verify", *citations, "--root", tmp_path / "link").code == 0


COPIES = "".join(f"Chapter {n}.\nThe harbour is closed.\nSo says rule {n}.\n\n" for n in range(5))


@pytest.mark.parametrize("cited", range(5))
@pytest.mark.parametrize("edited", range(5))
def test_of_copies_the_cited_one_is_meant(gw: Any, write: Any, cited: int, edited: int) -> None:
    citation = cite("The harbour is closed.", text=COPIES, nth=cited)
    parts = COPIES.split("closed")
    write("a.txt", "closed".join(parts[: edited + 1]) + "opened" + "closed".join(parts[edited + 1 :]))
    (one,) = gw("verify", citation, "--json").json["citations"]
    if cited == edited:
        assert one["verdict"] == "drifted"
        assert one["found"]["text"] == "The harbour is opened."
        assert len(one["occurrences"]) == 4
    else:
        assert one["verdict"] == "verified"
    write("a.txt", "A preface.\n" + COPIES)
    (one,) = gw("verify", citation, "--json").json["citations"]
    assert one["verdict"] == "moved"
    assert one["moved_to"]["start"] == one["start"] + len("A preface.\n")


OUTSIDE = [
    "../outside.txt", "docs/../../outside.txt", "./../outside.txt", "..//outside.txt", "docs/link.txt",
    "docs/up/outside.txt",
    "ABSOLUTE", "/etc/passwd", "//etc/passwd", "../../../../../../../etc/passwd", "docs/dev", "%2e%2e/outside.txt",
    "..%2Foutside.txt", "docs/%2e%2e/%2e%2e/outside.txt", "docs/pipe.txt", "docs", "docs/", ".", "",
]  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
def test_what_is_outside_is_never_read(gw: Any, write: Any, tmp_path: Path, path: str) -> None:
    outside = write("outside.txt", TEXT)
    write("root/docs/a.txt", TEXT)
    docs = tmp_path / "root/docs"
    (docs / "link.txt").symlink_to("../../outside.txt")
    (docs / "up").symlink_to("../..")
    (docs / "dev").symlink_to("/dev/zero")
    os.mkfifo(docs / "pipe.txt")
    tail = cite("number 17 left").partition("#")[2]
    citation = f"{str(outside) if path == 'ABSOLUTE' else path}#{tail}"
    for command in ("verify", "show"):
        ran = gw(command, "--root", "root", "--json", "--", citation)
        assert "left" not in ran.out
        assert "root:" not in ran.out
        if ran.code == 2:
            assert ran.failure
            continue
        assert ran.code == 3, ran
        one = ran.json["citations"][0] if command == "verify" else ran.json
        assert one["verdict"] in ("unresolvable", "missing")
        assert one.get("found") is None
        assert one.get("text") is None
        # What lies outside is not even told to be there or not.
        if "outside" in path or path.startswith("/"):
            assert one["verdict"] == "unresolvable" or "%2" in path


def test_a_path_that_is_percent_encoded_is_its_bytes(gw: Any, write: Any) -> None:
    write("50%41.txt", TEXT)
    write("a#b?.txt", TEXT)
    for name in ("50%41.txt", "a#b?.txt"):
        citation = cite("number 17 left", path=name)
        assert citation.startswith(quote(name))
        assert gw("verify", citation).code == 0


GOOD = cite("number 17 left the harbour")


@pytest.mark.parametrize(
    "citation",
    [
        "", " ", "a.txt", "a.txt#", "a.txt#c", "a.txt#c0-5", "a.txt#c0-5.", "a.txt#c5-0." + "0" * 24,
        "a.txt#c-1-5." + "0" * 24,
        "a.txt#c0-5." + "0" * 23, "a.txt#c0-5." + "g" * 24, "a.txt#c0-5." + "0" * 25, "a.txt#c0x1-5." + "0" * 24,
        "a.txt#c٠-٥." + "0" * 24, "a.txt#c0-" + "9" * 5000 + "." + "0" * 24, "#c0-5." + "0" * 24, GOOD.upper(),
        GOOD + ".", GOOD + ".no such", GOOD + ".utf-8.x", GOOD + " " + GOOD, GOOD + "\n" + GOOD, "%zz" + GOOD,
        "a%00" + GOOD,
        "\udcff", "a" * 10**5, "{}", "null", "http://example.com/a.txt", "-",
    ],
)  # fmt: skip
def test_anything_else_is_one_line(gw: Any, write: Any, citation: str) -> None:
    write("a.txt", TEXT)
    for command in ("verify", "show"):
        ran = gw(command, "--json", "--", citation)
        assert ran.code in (2, 3), ran
        assert "Traceback" not in ran.err
        assert "internal" not in ran.err
        if ran.code == 2:
            assert ran.failure
            assert ran.json["error"]["code"]
    ran = gw("verify", "-", stdin=f"{GOOD}\n{citation}\n")
    assert "internal" not in ran.err


@pytest.mark.parametrize(
    "decoder", ["utf-16-le", "cp1252", "utf-8-replace", "pdf@1", "html@0", "nobody@7", "rot13", "idna", "zlib"]
)
def test_another_decoder_than_the_files_is_said(gw: Any, write: Any, decoder: str) -> None:
    write("a.txt", TEXT)
    ran = gw("verify", f"{GOOD}.{decoder}", "--json")
    if ran.code == 0:  # ASCII reads alike in most encodings
        assert decoder in ("cp1252", "utf-8-replace")
    elif ran.code == 2:
        assert ran.failure
    else:
        assert ran.json["citations"][0]["verdict"] in ("unresolvable", "drifted")


_CITATIONS = st.one_of(
    st.text(max_size=80),
    st.builds(
        "{}#c{}-{}.{}{}".format,
        st.text(max_size=12),
        st.integers(-3, 2**70),
        st.integers(-3, 2**70),
        st.text("0123456789abcdef", min_size=22, max_size=25) | st.just("0" * 24),
        st.sampled_from(["", ".", ".utf-16-le", ".html@1", ".x"]),
    ),
    st.lists(st.sampled_from(list(GOOD)), max_size=60).map("".join),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_CITATIONS.filter(lambda text: "\0" not in text))
def test_any_text_is_a_citation_or_one_line(gw: Any, write: Any, citation: str) -> None:
    write("a.txt", TEXT)
    ran = gw("verify", "--json", "--", citation)
    assert ran.code in (2, 3)
    assert "internal" not in ran.err, ran.err
    assert ran.json


class MadeUp:
    """A reader that quotes what nobody wrote, in every way that it can."""

    identity = Identity("madeup", "1")
    window = 10_000
    max_parallel = 1

    def __init__(self, *, said: str = "", start: int | None = None, end: int | None = None, passage: int = 0) -> None:
        self.quote = Quote(passage, said, start, end)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def answer(self, question: str, passages: Any) -> Reading:
        return Reading(self.quote.text, quotes=(self.quote,))


@pytest.fixture
def liar(tmp_path: Path, write: Any) -> Iterator[Any]:
    write("a.txt", TEXT)
    plugins = Plugins()
    owner = next(iter(plugins.registry("readers"))).owner
    plugins.registry("readers").add("madeup", MadeUp, owner=owner)
    opened = []

    def make(*options: str) -> gw_core.Workspace:
        overrides = ("ask.reader=madeup", *(f"readers.madeup.{one}" for one in options))
        opened.append(gw_core.open(tmp_path, overrides=overrides, env={"GW_CONFIG": ""}, plugins=plugins))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.mark.parametrize(
    "options",
    [
        ["said=Ship number 17 sank."],
        ["said=Ship number 17 sank.", "start=0", "end=20"],
        ["said=Ship number 17 sank.", "start=0", "end=999999"],
        ["said=Ship number 17 sank.", "start=-5", "end=5"],
        ["said=Ship number 17 left the harbour at 18 o'clock."],
        ["said=ship Number 17 LEFT"],
        ["said=number 1", "passage=99"],
        ["said=number 1", "passage=-1"],
        ["said=number 17 left the harbor"],
        ["said=17 left … o'clock"],
        ["said=umber 17 lef"],
    ],
)
def test_a_made_up_quote_is_never_under_a_verified_citation(liar: Any, tmp_path: Path, options: list[str]) -> None:
    ws = liar(*options)
    said = options[0].removeprefix("said=")
    answer = ws.ask("When did ship number 17 leave?", [tmp_path / "a.txt"], abstain=False)
    for one in answer.citations:
        assert one.verified
        assert said in TEXT, "whatever is cited stands there"
        assert one.passage.text in TEXT
    if said not in TEXT:
        assert not answer.trusted
        assert said in answer.unsupported
