"""What commands say where there is nothing to do, nothing to trust, or a place is not what it should be."""

import pytest

from gw_core.cli import COMMANDS

# -- search that finds nothing to trust ---------------------------------------------------------------------------


def test_a_search_ends_with_3_if_no_hit_stands_in_its_file_any_more(gw, corpus):
    assert gw("search", "admin console port", "docs").code == 0
    (corpus / "manual.md").write_text("Something else by now.\n")
    ran = gw("search", "admin console port")
    assert ran.code == 3
    assert "drifted" in ran.out
    assert "run gw ingest" in ran.err
    (corpus / "manual.md").unlink()
    assert gw("search", "admin console port", "--json").code == 3


def test_one_verified_hit_is_enough(gw, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"The ferry of {name} leaves at noon.\n")
    assert gw("ingest", ".").code == 0
    (tmp_path / "a.txt").write_text("The train leaves at ten.\n")
    ran = gw("search", "ferry", "--json")
    assert sorted(one["verdict"] for one in ran.json["hits"]) == ["drifted", "verified"]
    assert ran.code == 0


@pytest.mark.parametrize("verb", ["search", "ask"])
def test_an_empty_index_is_said_to_be_empty(gw, corpus, verb):
    gw("ingest", "docs")
    gw("forget", "docs")
    ran = gw(verb, "ferry", "--json")
    assert ran.code == 3
    assert "the index is empty: gw ingest PATH fills it" in ran.err
    assert any("the index is empty" in note for note in ran.json["notes"])
    gw("ingest", "docs")
    assert "empty" not in gw(verb, "ferry").err


# -- places -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest", "docs"],
        ["search", "x"],
        ["ask", "x"],
        ["status"],
        ["forget", "docs"],
        ["verify", "--all"],
        ["config"],
    ],
)
def test_an_index_that_is_a_file_is_a_wrong_call_in_every_command(gw, corpus, tmp_path, arguments):
    file = tmp_path / "index.db"
    file.write_text("mine")
    ran = gw("--index", "index.db", *arguments)
    assert ran.code == 2
    assert ran.err == f"gw: error: {file} is not a folder, as an index is (name another place with --index)\n"
    assert file.read_text() == "mine"


def test_a_path_outside_the_root_is_told_where_paths_count_from(gw, corpus, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    ran = gw("--root", "elsewhere", "ingest", ".")
    assert ran.code == 2
    assert "a PATH counts from the working directory" in ran.err


def test_a_folder_that_is_gone_and_of_which_nothing_is_indexed_does_not_exist(gw, tmp_path):
    folder = tmp_path / "drafts"
    folder.mkdir()
    gw("ingest", "drafts")
    folder.rmdir()
    for _ in range(2):
        ran = gw("ingest", "drafts")
        assert (ran.code, ran.err) == (2, "gw: error: 'drafts' does not exist\n")


def test_a_folder_that_is_gone_is_still_removed_once(gw, corpus):
    gw("ingest", "docs")
    for file in corpus.iterdir():
        file.unlink()
    corpus.rmdir()
    assert "2 removed" in gw("ingest", "docs").out
    assert "does not exist" in gw("ingest", "docs").err


# -- status and forget --------------------------------------------------------------------------------------------


def test_status_lists_the_files(gw, corpus, checked):
    gw("ingest", "docs")
    assert gw("status", "--files").out == "docs/manual.md\ndocs/notes.txt\n"
    files = checked(gw("status", "--files", "--json").json)["files"]
    assert [one["path"] for one in files] == ["docs/manual.md", "docs/notes.txt"]
    assert files[1] == {
        "path": "docs/notes.txt",
        "kind": "text",
        "size": (corpus / "notes.txt").stat().st_size,
        "encoding": "utf-8",
        "chunks": 1,
    }
    assert "files" not in checked(gw("status", "--json").json)


def test_status_leaves_out_what_lies_in_what_was_ingested(gw, corpus, tmp_path):
    (tmp_path / "docs2.txt").write_text("Another text.\n")
    for path in ("docs/notes.txt", "docs", "docs2.txt"):
        gw("ingest", path)
    assert gw("status", "--json").json["sources"] == ["docs", "docs2.txt"]
    gw("ingest", ".")
    assert gw("status", "--json").json["sources"] == ["."]


def test_what_is_not_indexed_cannot_be_forgotten(gw, corpus):
    gw("ingest", "docs")
    ran = gw("forget", "other")
    assert ran.code == 2
    assert "gw status --files shows what is" in ran.err


def test_what_was_ingested_and_is_empty_can_be_forgotten(gw, corpus, tmp_path):
    (tmp_path / "drafts" / "old").mkdir(parents=True)
    for path in ("docs", "drafts/old"):
        gw("ingest", path)
    assert gw("forget", "drafts").out == "0 forgotten\n"
    assert gw("status", "--json").json["sources"] == ["docs"]
    assert gw("forget", "drafts").code == 2


@pytest.mark.parametrize("source", [".", "docs"])
def test_an_empty_index_has_forgotten_everything_alike(gw, corpus, source):
    gw("ingest", source)
    gw("forget", "docs")
    for path in ("docs", ".", "other"):
        ran = gw("forget", path)
        assert (ran.code, ran.out) == (0, "0 forgotten\n"), path


# -- words --------------------------------------------------------------------------------------------------------


def test_every_binary_file_is_called_the_same(gw, tmp_path):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (tmp_path / "large.bin").write_bytes(bytes(range(256)) * 4096)
    (tmp_path / "nul.txt").write_bytes(b"text\0text")
    (tmp_path / "text.txt").write_text("Some text.\n")
    skipped = gw("ingest", "picture.png", "large.bin", "nul.txt", "text.txt", "--json").json["skipped"]
    assert len(skipped) == 3
    assert {(one["reason"], one["detail"]) for one in skipped} == {("binary", "not text")}


def test_help_shows_what_the_option_shows(gw):
    assert gw("help").out == gw("--help").out
    for name in COMMANDS:
        ran = gw("help", name)
        assert ran.code == 0
        assert ran.out == gw(name, "--help").out
    ran = gw("help", "serch")
    assert ran.code == 2
    assert "search" in ran.err


def test_a_text_setting_takes_what_looks_like_a_number(gw, corpus):
    def value(option, key):
        [one] = gw("config", key, "-o", option, "--json").json["values"]
        return one["value"]

    assert value("ask.reader=2", "ask.reader") == "2"
    assert value("ask.reader=1.50", "ask.reader") == "1.50"
    assert value("ingest.backends=2", "ingest.backends") == ["2"]
    assert value("readers.mine.use=2", "readers.mine.use") == "2"
    assert value("retrieve.k=2", "retrieve.k") == 2
    assert "must be a whole number" in gw("config", "-o", "retrieve.k=true").err


def test_a_text_setting_in_a_file_takes_text_only(gw, tmp_path):
    (tmp_path / "gw.toml").write_text("[ask]\nreader = 2\n")
    ran = gw("config")
    assert ran.code == 2
    assert "ask.reader must be text" in ran.err
