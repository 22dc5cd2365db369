"""The commands on real files: what they print, as text and as JSON, and their exit codes."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from gw_core.errors import LoadError
from gw_core.store import Catalogue

# -- ingest -------------------------------------------------------------------------------------------------------


def test_ingest_says_what_it_did_and_names_what_it_skipped(gw: Any, corpus: Path) -> None:
    os.mkfifo(corpus / "pipe.txt")
    ran = gw("ingest", "docs")
    assert ran.code == 0
    assert ran.out.startswith("2 added, 0 unchanged; ")
    assert "2 skipped: 1 binary, 1 not-a-file" in ran.out
    assert ran.err.startswith("gw: skipped docs/pipe.txt: not-a-file")
    assert ran.err.count("\n") == 1
    assert "gw: skipped docs/picture.png: binary" in gw("ingest", "docs", "-v").err
    assert gw("ingest", "docs").out.startswith("2 unchanged; ")


def test_ingest_as_json(gw: Any, checked: Any, corpus: Path) -> None:
    gw("ingest", "docs")
    (corpus / "new.txt").write_text("Something new.")
    (corpus / "notes.txt").write_text("Something else.")
    (corpus / "manual.md").rename(corpus / "handbook.md")
    result = checked(gw("ingest", "docs", "--json").json)
    assert result["added"] == ["docs/new.txt"]
    assert result["changed"] == ["docs/notes.txt"]
    assert result["renamed"] == [{"from": "docs/manual.md", "to": "docs/handbook.md"}]
    assert [(one["path"], one["reason"]) for one in result["skipped"]] == [("docs/picture.png", "binary")]


def test_ingest_without_a_path_goes_over_what_was_ingested(gw: Any, corpus: Path) -> None:
    ran = gw("ingest", "--json")
    assert ran.code == 2
    assert "gw ingest PATH" in ran.json["error"]["hint"]
    gw("ingest", "docs")
    (corpus / "notes.txt").unlink()
    assert gw("ingest", "--json").json["removed"] == ["docs/notes.txt"]


def test_ingest_of_nothing_readable_is_exit_1_with_the_reasons(gw: Any, checked: Any, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "a.bin").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    ran = gw("ingest", "bin", "--json")
    assert ran.code == 1
    result = checked(ran.json)
    assert result["error"]["code"] == "nothing-readable"
    assert result["skipped_by_reason"] == {"binary": 1}
    assert "1 binary" in ran.err.splitlines()[-1]
    (tmp_path / "empty").mkdir()
    assert gw("ingest", "empty").code == 1


@pytest.mark.parametrize("command", [["ingest"], ["search", "x"], ["ask", "where is x"]])
def test_a_path_that_does_not_exist_or_is_outside_is_exit_2(gw: Any, corpus: Path, command: list[str]) -> None:
    ran = gw(*command, "nowhere")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "'nowhere' does not exist" in ran.err
    ran = gw("--root", "docs", *command, ".")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "--root" in ran.err


def test_what_an_ingest_on_the_way_did_is_said(gw: Any, corpus: Path) -> None:
    ran = gw("search", "ferry", "docs")
    assert "gw: 2 added, 0 unchanged;" in ran.err
    assert "gw: 1 skipped: 1 binary" in ran.err
    assert gw("search", "ferry", "docs").err == ""
    os.mkfifo(corpus / "pipe.txt")
    assert "gw: skipped docs/pipe.txt: not-a-file" in gw("search", "ferry", "docs").err
    assert gw("search", "ferry", "docs", "-q").err == ""


def test_a_question_to_nothing_readable_is_exit_1(gw: Any, corpus: Path) -> None:
    (corpus / "manual.md").unlink()
    (corpus / "notes.txt").unlink()
    ran = gw("ask", "when does the ferry leave?", "docs", "--json")
    assert ran.code == 1
    assert ran.json["error"]["code"] == "nothing-readable"
    assert "1 binary" in ran.json["error"]["message"]


def test_a_writer_in_the_way_is_named(gw: Any, corpus: Path) -> None:
    gw("ingest", "docs")
    with Catalogue.open(corpus.parent / ".gw", write=True):
        ran = gw("ingest", "docs", "--wait", "0", "--json")
        assert gw("search", "ferry").code == 0
    assert ran.code == 1
    assert ran.json["error"]["code"] == "index-busy"


def test_files_that_are_usually_left_out_are_counted_and_named_with_v(gw: Any, corpus: Path) -> None:
    (corpus / "node_modules").mkdir()
    (corpus / "node_modules" / "x.txt").write_text("left out")
    ran = gw("ingest", "docs")
    assert "1 excluded" in ran.out
    assert "node_modules" not in ran.err
    assert "gw: skipped docs/node_modules/: excluded" in gw("ingest", "-v", "docs").err


# -- search -------------------------------------------------------------------------------------------------------


def test_search_shows_where_and_why(gw: Any, corpus: Path) -> None:
    ran = gw("search", "access logs kept", "docs", "--explain")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("1. docs/manual.md:")
    assert lines[0].endswith(" verified")
    assert "Operations manual > Logs" in lines[0]
    assert "Access logs are kept for 90 days" in ran.out
    assert "\x1b" not in ran.out
    assert any(line.strip().startswith("chunk ") and "score" in line for line in lines)


def test_search_as_json(gw: Any, checked: Any, corpus: Path) -> None:
    result = checked(gw("search", "access logs kept", "docs", "--json").json)
    best = result["hits"][0]
    text = (corpus / "manual.md").read_text("utf-8")
    assert best["rank"] == 1
    assert text[best["start"] : best["end"]] == best["text"]
    assert best["verdict"] == "verified"
    assert best["citation"].startswith(f"docs/manual.md#c{best['start']}-{best['end']}.{best['sha256'][:16]}")
    assert best["why"]
    assert result["ingest"]["added"] == ["docs/manual.md", "docs/notes.txt"]
    first, last = best["lines"]
    assert text.splitlines()[first - 1] in best["text"] or best["text"].startswith(text.splitlines()[first - 1][:1])
    assert first <= last


def test_search_as_json_lines(gw: Any, checked: Any, corpus: Path) -> None:
    ran = gw("search", "port OR ferry", "docs", "--jsonl", "-k", "2")
    hits = [checked(one) for one in ran.lines]
    assert [one["rank"] for one in hits] == [1, 2]
    assert {one["schema"] for one in hits} == {"gw.hit/1"}
    piped = gw("verify", "-", stdin="\n".join(one["citation"] for one in hits))
    assert piped.code == 0


def test_search_without_hits_is_exit_3(gw: Any, checked: Any, corpus: Path) -> None:
    ran = gw("search", "zyzzyva", "docs", "--json")
    assert ran.code == 3
    assert checked(ran.json)["hits"] == []
    ran = gw("search", "zyzzyva", "--jsonl")
    assert (ran.code, ran.out) == (3, "")
    assert "nothing found; looked at 2 documents" in ran.err


def test_weak_evidence_is_said_on_stderr(gw: Any, corpus: Path) -> None:
    ran = gw("search", "what is the capital of the port of France", "docs")
    assert ran.code == 0
    assert "gw: low confidence: " in ran.err


def test_search_without_an_index_names_the_way_out(gw: Any) -> None:
    ran = gw("search", "x")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "gw ingest PATH" in ran.err


@pytest.mark.parametrize("question", ["", "  ", "?!", '"', "...", "\udcff"])
def test_a_question_without_a_word_is_one_line_and_makes_no_index(gw: Any, corpus: Path, question: str) -> None:
    for command in ("search", "ask"):
        ran = gw(command, question, "docs")
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert "no word" in ran.err
    assert not (corpus.parent / ".gw").exists()


@pytest.mark.parametrize(
    "question", ["don't", "C++", "node.js", '"logs', "NEAR(logs", "AND logs", "x*", "a\udcffb logs"]
)
def test_nothing_in_a_question_is_an_operator(gw: Any, corpus: Path, question: str) -> None:
    assert gw("search", question, "docs").code in (0, 3)
    assert gw("search", "-foo logs").code == 2
    assert gw("search", "--", "-foo logs").code == 0


def test_a_question_from_standard_input(gw: Any, corpus: Path) -> None:
    assert "notes.txt" in gw("search", "-", "docs", stdin="\ufeffferry\n").out
    assert gw("search", "-", "docs", stdin=b"caf\xe9 ferry").code == 0


def test_a_huge_k_returns_what_there_is(gw: Any, corpus: Path) -> None:
    assert gw("search", "logs", "docs", "-k", str(10**12)).code == 0


def test_search_names_the_files_that_have_changed(gw: Any, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(f"The harbour {name} is closed.\n")
    gw("ingest", ".")
    assert gw("search", "harbour").err == ""
    (tmp_path / "b.txt").write_text("Nothing is here.\n")
    (tmp_path / "c.txt").unlink()
    ran = gw("search", "harbour")
    assert "gw: changed since they were indexed (run gw ingest): b.txt, c.txt\n" in ran.err
    assert ran.out.count("verified") == 1
    gw("ingest")
    assert gw("search", "harbour").err == ""


def test_paths_and_scope_limit_the_search(gw: Any, checked: Any, corpus: Path) -> None:
    gw("ingest", "docs")
    assert "manual" not in gw("search", "ferry logs", "docs/notes.txt").out
    assert "manual" not in gw("search", "ferry logs", "--scope", "*.txt, *.rst").out
    assert gw("search", "logs", "--scope", "src/**").code == 3


def test_matched_words_are_marked_on_a_terminal_only(gw: Any, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gw("ingest", "docs")
    shown = gw("search", "kept logs", terminal=True)
    assert "\x1b[1;33mkept\x1b[0m" in shown.out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in gw("search", "kept logs", terminal=True).out


def test_a_text_cannot_steer_the_terminal(gw: Any, corpus: Path) -> None:
    (corpus / "evil.txt").write_text("A needle \x1b[2J here.\n")
    out = gw("search", "needle", "docs").out
    assert "\\x1b[2J" in out
    assert "\x1b" not in out


# -- ask ----------------------------------------------------------------------------------------------------------


def test_ask_answers_with_a_checked_citation(gw: Any, corpus: Path) -> None:
    ran = gw("ask", "how long are access logs kept?", "docs")
    assert ran.code == 0
    assert ran.out.startswith("Access logs are kept for 90 days on the archive volume")
    [value] = [line.removeprefix("Value: ") for line in ran.out.splitlines() if line.startswith("Value: ")]
    assert "90" in value
    assert value in ran.out.splitlines()[0]
    assert "[1] docs/manual.md:5 " in ran.out
    assert " verified" in ran.out
    assert "Grounding: grounded; reader: regex" in ran.out


def test_ask_as_json(gw: Any, checked: Any, corpus: Path) -> None:
    ran = gw("ask", "how long are access logs kept?", "docs", "--json")
    result = checked(ran.json)
    assert "90" in result["answer"]["value"]
    [cited] = result["citations"]
    text = (corpus / "manual.md").read_text("utf-8")
    assert text[cited["start"] : cited["end"]] == cited["text"] == result["answer"]["text"]
    assert result["trusted"] is True
    assert "id" not in result
    assert gw("verify", cited["citation"]).code == 0


def test_ask_abstains_and_says_what_was_looked_at(gw: Any, checked: Any, corpus: Path) -> None:
    ran = gw("ask", "what is the capital of France?", "docs")
    assert ran.code == 3
    assert ran.out.startswith("No answer: ")
    assert "Looked at 2 documents" in ran.out
    result = checked(gw("ask", "what is the capital of France?", "--json").json)
    assert (result["answer"], result["abstained"]) == (None, True)


def test_no_abstain_shows_a_guess_marked_so(gw: Any, checked: Any, corpus: Path) -> None:
    question = "what is the capital of the archive volume of France?"
    assert gw("ask", question, "docs").code == 3
    ran = gw("ask", question, "--no-abstain", "--json")
    assert ran.code == 3
    result = checked(ran.json)
    assert (result["guess"], result["abstained"], result["trusted"]) == (True, False, False)
    assert gw("ask", question, "--no-abstain").out.startswith("A guess: ")


def test_a_pattern_finds_the_value(gw: Any, checked: Any, corpus: Path) -> None:
    ran = gw("ask", "metrics exporter port", "docs", "--pattern", r"exporter listens on port (?P<value>\d+)", "--json")
    assert ran.code == 0
    assert checked(ran.json)["answer"]["value"] == "9187"
    ran = gw("ask", "metrics exporter port", "--pattern", "(unclosed")
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_many_questions_carry_their_ids(gw: Any, checked: Any, corpus: Path, tmp_path: Path) -> None:
    questions = [
        {"id": 7, "question": "how long are access logs kept?"},
        {"id": None, "question": "what is the capital of France?"},
        {"id": ["x"], "question": "when does the ferry leave?"},
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    ran = gw("ask", "--questions", "q.jsonl", "docs", "--jsonl")
    assert ran.code == 3
    answers = [checked(one) for one in ran.lines]
    assert [one["id"] for one in answers] == [7, None, ["x"]]
    assert [one["abstained"] for one in answers] == [False, True, False]
    assert answers[0]["ingest"]["added"]
    assert answers[1]["ingest"] is None
    whole = checked(gw("ask", "--questions", "q.jsonl", "--json").json)
    assert [one["question"] for one in whole["answers"]] == [one["question"] for one in questions]
    text = gw("ask", "--questions", "-", stdin=json.dumps(questions[0]))
    assert text.code == 0
    assert text.out.startswith("7: how long are access logs kept?\n")


def test_many_questions_stay_in_the_paths(gw: Any, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "when does the ferry leave?"}\n' * 2)
    gw("ingest", "docs")
    ran = gw("ask", "--questions", "q.jsonl", "docs/manual.md", "--jsonl")
    assert [one["abstained"] for one in ran.lines] == [True, True]


def test_a_bad_line_stops_before_any_question_is_asked(gw: Any, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "when does the ferry leave?"}\nnonsense\n')
    ran = gw("ask", "--questions", "q.jsonl", "docs", "--jsonl")
    assert ran.code == 2
    assert "q.jsonl:2: not JSON" in ran.json["error"]["message"]
    assert not (tmp_path / ".gw").exists()


def test_the_prompt_holds_passages_and_question(gw: Any, checked: Any, corpus: Path, tmp_path: Path) -> None:
    ran = gw("ask", "--print-prompt", "how long are access logs kept?", "docs")
    assert ran.code == 0
    assert "[1] docs/manual.md#c" in ran.out
    assert ran.out.endswith("Question: how long are access logs kept?\n")
    result = checked(gw("ask", "--print-prompt", "how long are access logs kept?", "--json").json)
    assert result["prompt"] == ran.out
    (tmp_path / "q.jsonl").write_text('{"id": 1, "question": "when does the ferry leave?"}\n')
    assert checked(gw("ask", "--print-prompt", "--questions", "q.jsonl", "--json").json)["prompts"][0]["id"] == 1


# -- verify and show ----------------------------------------------------------------------------------------------


@pytest.fixture
def citation(gw: Any, corpus: Path) -> str:
    found: str = gw("ask", "how long are access logs kept?", "docs", "--json").json["citations"][0]["citation"]
    return found


def test_verify_needs_no_index(gw: Any, checked: Any, citation: str, tmp_path: Path) -> None:
    (tmp_path / ".gw").rename(tmp_path / "away")
    ran = gw("verify", citation, "--json")
    assert ran.code == 0
    result = checked(ran.json)
    assert result["counts"]["verified"] == result["total"] == 1
    assert result["citations"][0]["lines"] == [5, 5]
    assert not (tmp_path / ".gw").exists()


def test_moved_text_is_exit_3_unless_accepted(gw: Any, checked: Any, citation: str, corpus: Path) -> None:
    path = corpus / "manual.md"
    path.write_text("# Preface\n" + path.read_text())
    ran = gw("verify", citation, "--jsonl")
    assert ran.code == 3
    [one] = map(checked, ran.lines)
    assert one["verdict"] == "moved"
    assert one["moved_to"]["lines"] == [6, 6]
    assert gw("verify", one["moved_to"]["citation"]).code == 0
    ran = gw("verify", citation, "--accept-moved")
    assert ran.code == 0
    assert one["moved_to"]["citation"] in ran.out


def test_drifted_text_shows_what_stands_there(gw: Any, checked: Any, citation: str, corpus: Path) -> None:
    path = corpus / "manual.md"
    path.write_text(path.read_text().replace("90 days", "30 days"))
    ran = gw("verify", citation, "--json", "--accept-moved")
    assert ran.code == 3
    [one] = checked(ran.json)["citations"]
    assert (one["verdict"], one["text"]) == ("drifted", None)
    assert "30 days" in one["found"]["text"]
    shown = gw("show", citation, "--json")
    assert shown.code == 3
    assert "30 days" in checked(shown.json)["shown"][0]["text"]


def test_what_is_missing_or_outside_is_never_read(gw: Any, checked: Any, citation: str, corpus: Path) -> None:
    (corpus / "manual.md").unlink()
    assert checked(gw("verify", citation, "--json").json)["citations"][0]["verdict"] == "missing"
    tail = citation.partition("#")[2]
    for path in ("../../etc/passwd", "/etc/passwd", "docs/../../x"):
        ran = gw("show", f"{path}#{tail}", "--json")
        assert ran.code == 3
        assert checked(ran.json)["verdict"] == "unresolvable"
        assert ran.json["shown"] == []


def test_a_malformed_citation_is_named_with_its_line(gw: Any, citation: str) -> None:
    assert gw("verify", "manual.md").code == 2
    ran = gw("verify", "-", "--json", stdin=f"{citation}\n\nnonsense\n")
    assert ran.code == 2
    assert ran.json["error"]["message"].startswith("line 3: not a citation")
    ran = gw("verify", "-", stdin="\n")
    assert (ran.code, ran.err) == (2, "gw: error: there is no citation on standard input\n")


def test_verify_all_counts_chunks_and_lists_what_is_not_verified(
    gw: Any, checked: Any, citation: str, corpus: Path
) -> None:
    ran = gw("verify", "--all")
    assert ran.code == 0
    assert "chunks checked" in ran.out
    (corpus / "notes.txt").write_text("All is new here.")
    ran = gw("verify", "--all", "--json")
    assert ran.code == 3
    result = checked(ran.json)
    assert {one["path"] for one in result["citations"]} == {"docs/notes.txt"}
    assert result["total"] == sum(result["counts"].values())
    assert result["counts"]["verified"] > 0


def test_show_prints_lines_with_context(gw: Any, checked: Any, citation: str, tmp_path: Path) -> None:
    (tmp_path / ".gw").rename(tmp_path / "away")
    ran = gw("show", citation, "-C", "2")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("verified\t")
    assert [line[:4] for line in lines[1:]] == ["  3 ", "  4 ", "> 5 ", "  6 ", "  7 "]
    shown = checked(gw("show", citation, "--context", "1000", "--json").json)["shown"]
    assert (shown[0]["line"], shown[-1]["text"]) == (1, "Marie Curie designed the backup schedule in 1911.")


def test_a_name_that_is_not_utf_8_survives_the_whole_way(gw: Any, checked: Any, corpus: Path) -> None:
    raw = os.fsencode(corpus) + b"/caf\xe9 \n'quoted'.txt"
    with open(raw, "w") as out:  # noqa: PTH123 - a name of bytes
        out.write("The umbrella stand is made of walnut.\n")
    ran = gw("search", "umbrella walnut", "docs", "--jsonl")
    [hit] = map(checked, ran.lines)
    assert "\\udce9" in ran.out
    assert hit["path"] == "docs/caf\udce9 \n'quoted'.txt"
    assert hit["citation"].startswith("docs/caf%E9%20%0A%27quoted%27.txt#c0-")
    assert gw("verify", hit["citation"]).code == 0
    text = gw("search", "umbrella walnut").out
    assert text.startswith("1. docs/caf\\udce9 \\n'quoted'.txt:1 ")


# -- the rest -----------------------------------------------------------------------------------------------------


def test_forget_removes_and_says_so(gw: Any, checked: Any, corpus: Path) -> None:
    gw("ingest", "docs")
    result = checked(gw("forget", "docs/notes.txt", "--json").json)
    assert result["forgotten"] == ["docs/notes.txt"]
    assert gw("search", "ferry").code == 3
    ran = gw("forget", "docs/notes.txt")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert gw("forget", "docs").out == "1 forgotten\n"


def test_status_says_what_is_indexed(gw: Any, checked: Any, corpus: Path) -> None:
    ran = gw("status", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (2, "index-missing")
    gw("ingest", "docs")
    result = checked(gw("status", "--json").json)
    assert (result["documents"], result["sources"], result["skipped"]) == (2, ["docs"], 1)
    assert result["backends"][0] == {"name": "fts5", "identity": result["backends"][0]["identity"], "complete": True}
    assert "documents\t2" in gw("status").out


def test_config_names_where_a_value_comes_from(gw: Any, checked: Any, tmp_path: Path) -> None:
    (tmp_path / "gw.toml").write_text("[retrieve]\nk = 5\n")
    result = checked(gw("config", "retrieve.k", "--json").json)
    [one] = result["values"]
    assert (one["value"], one["origin"]["layer"], one["origin"]["line"]) == (5, "project", 2)
    assert gw("config", "retrieve.k").out == f"retrieve.k\t5\t{tmp_path / 'gw.toml'}:2\n"
    assert "did you mean 'retrieve.k'" in gw("config", "retrieve.kk").err
    assert gw("-o", "retrieve.k=6", "config", "retrieve.k").out == "retrieve.k\t6\t-o retrieve.k=6\n"


def test_a_wrong_config_is_one_line_with_file_and_line(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "gw.toml").write_text("[retrieve]\nkk = 5\n")
    ran = gw("search", "x", "--json")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.json["error"]["code"] == "config"
    assert f"{tmp_path / 'gw.toml'}:2" in ran.json["error"]["message"]
    assert gw("plugins").code == 0


def test_a_file_of_ones_own_settings_can_be_named(gw: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[retrieve]\nk = 4\n")
    assert gw("config", "retrieve.k", "--config", "mine.toml").out.startswith("retrieve.k\t4\t")


def test_plugins_lists_what_is_installed(gw: Any, checked: Any) -> None:
    result = checked(gw("plugins", "--json").json)
    assert {"fts5", "regex"} <= {one["name"] for one in result["components"]}
    result = checked(gw("plugins", "backends", "--json").json)
    assert {one["kind"] for one in result["components"]} == {"backends"}
    assert "did you mean 'backends'" in gw("plugins", "backend").err
    assert "fts5" in gw("plugins", terminal=True).out


def test_init_writes_once(gw: Any, checked: Any, tmp_path: Path) -> None:
    result = checked(gw("init", "--json").json)
    assert result == {"schema": "gw.init/1", "path": str(tmp_path / "gw.toml"), "overwritten": False}
    written = (tmp_path / "gw.toml").read_text()
    (tmp_path / "gw.toml").write_text("mine")
    ran = gw("init")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert (tmp_path / "gw.toml").read_text() == "mine"
    assert gw("init", "--force").code == 0
    assert (tmp_path / "gw.toml").read_text() == written
    assert gw("config").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["gw.toml"]


def test_init_names_the_file_that_it_cannot_write(gw: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: Any, **__: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "write_text", refuse)
    ran = gw("init")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"gw: error: Permission denied: '{tmp_path / 'gw.toml'}'\n"


def test_a_message_of_several_lines_becomes_one(gw: Any) -> None:
    ran = gw("completion")
    assert ran.code == 2
    assert "Choose from: bash, zsh, fish (see gw completion --help)" in ran.err


def test_a_question_without_words_is_named_so_by_every_command(gw: Any, corpus: Path) -> None:
    gw("ingest", "docs")
    for command in ("ask", "search"):
        ran = gw(command, "?!")
        assert (ran.code, ran.err) == (
            2, "gw: error: there is no word to search for (a question needs a letter or a digit)\n"
        )  # fmt: skip


def test_an_unreadable_path_is_said_in_the_words_of_gw(
    gw: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").write_text("The harbour is closed.\n")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)  # as for a file of another user; root may read all
    assert gw("ingest", "closed").code == 0
    assert gw("ask", "harbour", "closed").code == 0
    assert gw("ask", "closed").code == 0  # a question that is the name of a file


def test_errors_are_json_too(gw: Any, checked: Any) -> None:
    for arguments in (["search", "x"], ["verify", "x"], ["show", "x"], ["forget", "x"], ["config", "x"], ["nope"]):
        ran = gw(*arguments, "--json")
        assert ran.code == 2
        assert checked(ran.json)["error"]["message"]


def test_a_question_that_fails_half_way_ends_the_lines_with_the_error(
    gw: Any, checked: Any, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "when does the ferry leave?"}\n' * 2)
    gw("ingest", "docs")
    from gw_core.workspace import Workspace  # noqa: PLC0415

    ask, calls = Workspace.ask, []

    def once(self: Workspace, *arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        if len(calls) > 1:
            raise LoadError("the disk is gone")
        return ask(self, *arguments, **options)

    monkeypatch.setattr(Workspace, "ask", once)
    ran = gw("ask", "--questions", "q.jsonl", "--jsonl")
    assert ran.code == 1
    assert [one["schema"] for one in map(checked, ran.lines)] == ["gw.ask/1", "gw.error/1"]
