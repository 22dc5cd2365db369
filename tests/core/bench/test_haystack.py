"""Haystacks: natural text of a stated size, no sentence twice, the same for the same source."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gw_core
from gw_core.bench import sources
from gw_core.bench.haystack import LONGEST, Haystack, is_new, open_haystack, paragraphs
from gw_core.bench.sources import Sources, safe_name
from gw_core.bench.tokens import count
from gw_core.errors import NotFoundError, UsageError
from gw_core.text.decode import decode
from gw_core.trial import SourceText


@pytest.fixture(scope="module")
def library() -> Haystack:
    return open_haystack()


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def sentences(first: int, number: int) -> str:
    """Paragraphs of one sentence each, none of which occurs anywhere else."""
    return "\n\n".join(f"Sentence {at} tells of lantern {at} and nothing else." for at in range(first, first + number))


def size(texts: Iterable[SourceText]) -> int:
    return sum(count(one.text) for one in texts)


def blocks(texts: Iterable[SourceText]) -> list[str]:
    return [block for one in texts for block in one.text.rstrip("\n").split("\n\n")]


# --- the standard library ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [2_000, 8_000, 64_000])
def test_a_piece_has_the_size_asked_for_or_a_paragraph_less(library: Haystack, tokens: int) -> None:
    assert tokens - LONGEST // 4 - 1 <= size(library.take(tokens)) <= tokens


def test_no_line_of_five_words_stands_twice_in_it(library: Haystack) -> None:
    lines = [" ".join(line.split()) for one in library.take(250_000) for line in one.text.split("\n")]
    repeated = [line for line, times in Counter(lines).items() if times > 1 and line.count(" ") >= 4]
    assert len(lines) > 10_000
    assert repeated == []


def test_pieces_of_one_size_are_disjoint_and_follow_one_another(library: Haystack) -> None:
    pieces = [library.take(8_000, number) for number in range(4)]
    together = [block for piece in pieces for block in blocks(piece)]
    assert together[: len(blocks(pieces[0]))] == blocks(pieces[0])
    long = [block for block in together if len(block.split()) >= 5]
    assert len(set(long)) == len(long)
    whole = blocks(library.take(31_000))
    assert together[: len(whole) - 20] == whole[: len(whole) - 20]


def test_its_text_and_its_hash_are_the_same_in_another_process(library: Haystack) -> None:
    script = (
        "from gw_core.bench.haystack import open_haystack; import hashlib; h = open_haystack();"
        "print(h.sha256, hashlib.sha256(repr(h.take(8000, 1)).encode()).hexdigest())"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert said[0].decode().split()[0] == library.sha256


def test_a_small_piece_reads_only_a_part_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    text = sources.Source.text
    monkeypatch.setattr(sources.Source, "text", lambda self: read.append(self.name) or text(self))
    haystack = open_haystack()
    haystack.take(8_000)
    files = len(haystack._sources[0].files)
    assert 0 < len(read) < files / 4


def test_nothing_of_a_piece_is_left_out_by_an_ingest_and_all_is_read_as_it_was_meant(
    library: Haystack, tmp_path: Path
) -> None:
    pieces = library.take(120_000)
    root = write(tmp_path / "root", {one.path: one.text for one in pieces})
    with gw_core.open(root, index=tmp_path / "index", env={"GW_CONFIG": ""}) as ws:
        assert ws.ingest([root]).skipped == []
        assert ws.status().documents == len(pieces)
        assert ws.status().chars == sum(len(one.text) for one in pieces)


def test_packages_that_are_installed_are_nowhere_in_it(library: Haystack) -> None:
    assert not [file.name for file in library._sources[0].files if "site-packages" in file.name or "click" in file.name]


def test_its_provenance_names_the_version_and_the_hash(library: Haystack) -> None:
    provenance = library.provenance
    assert ".".join(map(str, sys.version_info[:3])) in provenance["name"]
    assert (provenance["sha256"], library.key) == (library.sha256, {"haystack": library.sha256})
    assert provenance["files"] > 100


# --- a folder of the user's -------------------------------------------------------------------------------------------


def test_a_folder_is_walked_as_an_ingest_walks_it(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"far.txt": sentences(500, 2)})
    folder = write(
        tmp_path / "in",
        {
            "one.md": sentences(0, 3),
            "deep/two.txt": sentences(10, 3),
            "ignored.log": sentences(20, 3),
            ".gitignore": "*.log\n",
            ".env": "TOKEN = what nobody may ever read here",
            "build/out.txt": sentences(30, 3),
            "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(64),
            "latin.txt": "Der Müller mahlt täglich größere Körner.".encode("cp1252"),
        },
    )
    (folder / "link.txt").symlink_to(outside / "far.txt")
    (folder / ".git").mkdir()
    haystack = open_haystack(folder)
    taken = haystack.take(haystack.tokens())
    assert {one.path for one in taken} == {"one.md", "deep/two.txt", "latin.txt", "_.gitignore"}
    assert "Der Müller mahlt täglich größere Körner.\n" in [one.text for one in taken]


def test_a_paragraph_with_a_sentence_that_has_occurred_is_left_out(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "one.txt": "The kettle boils at noon every day.\n\nQuite another thing is said here. It is short.\n",
            "two.txt": "More is said first.  The kettle\nboils at noon every day.\n\n" + 2 * "Short words here.\n\n",
        },
    )
    haystack = open_haystack(folder)
    kept = blocks(haystack.take(haystack.tokens()))
    assert sum("boils at noon" in block for block in kept) == 1
    assert kept.count("Short words here.") == 2


@given(
    st.lists(st.lists(st.sampled_from(["Aa bb cc dd ee.", "ff gg hh ii jj", "kk ll", "Mm nn oo pp qq! "]), max_size=4))
)
def test_no_sentence_or_line_of_five_words_is_kept_twice(drawn: list[list[str]]) -> None:
    seen: set[str] = set()
    kept = [paragraph for paragraph in ("\n".join(one) for one in drawn) if is_new(paragraph, seen)]
    lines = [" ".join(line.split()) for paragraph in kept for line in paragraph.split("\n")]
    long = [line for line in lines if line.count(" ") >= 4]
    assert len(set(long)) == len(long)


@given(st.text(alphabet="ab \n\t.\x0c", max_size=200))
def test_paragraphs_hold_all_that_is_not_white_space(text: str) -> None:
    found = list(paragraphs(text))
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(block.strip() and "\n\n" not in block for block in found)


def test_a_long_block_is_cut_at_line_ends_and_a_line_without_end_is_left_out() -> None:
    lines = [f"row {at} has nothing but a number" for at in range(1_000)]
    parts = list(paragraphs("\n".join([*lines, "x" * (LONGEST + 1)])))
    assert "\n".join(parts).split("\n") == lines
    assert max(map(len, parts)) <= LONGEST


def test_control_characters_and_marks_of_other_formats_never_begin_a_file(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "a.txt": "A first paragraph of quite ordinary words.\n\nAn escape \x01 in the middle of a line.\n\n"
            + "%PDF-1.4 is how another format begins.\n\n"
            + sentences(0, 30),
        },
    )
    haystack = open_haystack(folder)
    pieces = [one for number in range(20) for one in haystack.take(13, number)]
    assert all(decode(one.text.encode()).text == one.text for one in pieces)
    assert not any("\x01" in one.text or one.text.startswith("%PDF") for one in pieces)


def test_the_whole_of_it_can_be_taken_and_not_a_token_more(tmp_path: Path) -> None:
    haystack = open_haystack(write(tmp_path, {f"{at}.txt": sentences(10 * at, 10) for at in range(5)}))
    there = haystack.tokens()
    assert size(haystack.take(there)) == there
    with pytest.raises(UsageError, match=rf"has {there} tokens, not {there + 1}: ") as caught:
        haystack.take(there + 1)
    assert "--haystack FOLDER" in caught.value.hint
    with pytest.raises(UsageError, match="not 7 times 100"):
        haystack.take(100, 6)


def test_another_text_has_another_hash_and_another_name_too(tmp_path: Path) -> None:
    folders = [
        write(tmp_path / "a", {"one.txt": sentences(0, 3)}),
        write(tmp_path / "b", {"one.txt": sentences(0, 4)}),
        write(tmp_path / "c", {"two.txt": sentences(0, 3)}),
        write(tmp_path / "d", {"one.txt": sentences(0, 3)}),
    ]
    hashes = [open_haystack(folder).sha256 for folder in folders]
    assert hashes[0] == hashes[3]
    assert len(set(hashes)) == 3


def test_what_is_no_folder_with_text_is_refused_in_one_line(tmp_path: Path) -> None:
    write(tmp_path, {"file.txt": "x", "empty/.git/x": "y"})
    with pytest.raises(NotFoundError, match="does not exist"):
        open_haystack(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is not a folder"):
        open_haystack(tmp_path / "file.txt")
    with pytest.raises(UsageError, match="has 0 tokens, not 8k"):
        open_haystack(tmp_path / "empty").take(8_000)


def test_a_size_below_one_paragraph_is_refused(tmp_path: Path) -> None:
    haystack = open_haystack(write(tmp_path, {"one.txt": sentences(0, 9)}))
    with pytest.raises(UsageError, match="smaller than one paragraph"):
        haystack.take(2)


# --- going on with packages -------------------------------------------------------------------------------------------


def test_more_goes_on_where_the_source_ends(tmp_path: Path) -> None:
    base = write(tmp_path / "base", {"one.txt": sentences(0, 10)})
    packages = write(tmp_path / "packages", {"lib/two.py": sentences(5, 20)})
    haystack = Haystack(sources.folder(base), Sources("packages", [(packages.resolve(), ["lib/two.py"])], by_size=True))
    there, wider = haystack.tokens(), haystack.tokens(more=True)
    whole = haystack.take(wider, more=True)
    assert there < wider == size(whole)
    assert len(set(blocks(whole))) == len(blocks(whole)) == 25
    with pytest.raises(UsageError, match="tokens, not"):
        haystack.take(there + 100)
    assert size(haystack.take(there)) == there
    assert haystack.wider_key != haystack.key
    with pytest.raises(UsageError, match="base and packages"):
        haystack.take(wider + 100, more=True)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("distutils/command/build/x.py", "distutils/command/_build/x.py"),
        ("venv/__init__.py", "_venv/__init__.py"),
        ("a/.gitignore", "a/_.gitignore"),
        ("gw.toml", "_gw.toml"),
        ("keys/server.pem", "keys/_server_pem"),
        ("doc/index.html", "doc/index.html.txt"),
        ("plain/README", "plain/README"),
    ],
)
def test_names_are_such_that_an_ingest_takes_them_for_plain_text(path: str, name: str) -> None:
    assert safe_name(path) == name


def test_every_file_of_any_name_survives_an_ingest_of_the_haystack(tmp_path: Path) -> None:
    names = [
        "build",
        "build_",
        "dist/x.txt",
        "id_rsa",
        "SECRETS.json",
        "page.HTML",
        "n.ipynb",
        "a.docx",
        "x/.GIT/y",
        "gw.toml",
    ]
    made = Sources("made", [(tmp_path / "in", names)])
    write(tmp_path / "in", {name: sentences(10 * at, 2) for at, name in enumerate(names)})
    haystack = Haystack(made)
    taken = haystack.take(haystack.tokens())
    assert len({one.path for one in taken}) == len(names)
    root = write(tmp_path / "out", {one.path: one.text for one in taken})
    with gw_core.open(root, index=tmp_path / "index", env={"GW_CONFIG": ""}) as ws:
        assert ws.ingest([root]).skipped == []
        assert ws.status().chars == sum(len(one.text) for one in taken)
