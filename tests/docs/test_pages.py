"""Every command, link, public name and decision in the docs exists, and the other way round."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import click
import pytest

import gw_core
from gw_core.cli import COMMANDS, cli
from gw_core.corpus import DEFAULT_EXCLUDES, REASONS

TOP = Path(__file__).parents[2]
DOCS = TOP / "docs"
PARTS = DOCS / "reference" / "parts"
"""What the generated pages of the reference begin with; their links count from those."""
PAGES = sorted([*TOP.glob("*.md"), *DOCS.rglob("*.md"), *(TOP / "benchmarks").glob("*.md")])
PAGES = [page for page in PAGES if page.parent != PARTS]
PAGES += sorted((TOP / "examples").rglob("*.md"))
COMING = frozenset(("sweep", "bench"))
"""Commands that the docs speak of as to come."""
OF_EXAMPLES = frozenset(("wordcount",))
"""Commands that the example distribution adds where it is installed."""

_FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_SHELLS = ("sh", "console", "yaml", "")


def _id(page: Path) -> str:
    return str(page.relative_to(TOP))


def _prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text("utf-8"))


# -- commands -----------------------------------------------------------------------------------------------------


def _lines_with_commands(page: Path) -> Iterator[str]:
    for found in _FENCE.finditer(page.read_text("utf-8")):
        if found[2] not in _SHELLS:
            continue
        for line in found[3].splitlines():
            if found[2] != "console" or line.startswith("$ "):
                yield re.sub(r"^(\$ |\s*- run: )", "", line)
    yield from re.findall(r"(?<!`)`(gw [^`\n]+)`", _prose(page))


def calls(line: str) -> Iterator[list[str]]:
    """The arguments of each call of gw in a line of shell."""
    if not re.search(r"\bgw ", line):
        return
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.commenters = "#"
    call: list[str] = []
    for token in [*lexer, ";"]:
        if not set(token) <= set("|&;()<>"):
            call.append(token)
            continue
        while call and (call[0] in ("if", "then", "!") or re.fullmatch(r"\w+=\S*", call[0])):
            call.pop(0)
        if call and Path(call[0]).name == "gw":
            yield call[1:]
        call = []


def problem(arguments: list[str]) -> str | None:
    """What gw would say of these arguments, without running anything."""
    context = click.Context(cli, info_name="gw")
    try:
        _, rest, _ = cli.make_parser(context).parse_args(list(arguments))
        if not rest or rest[0].isupper():
            return None
        if rest[0] in COMING | OF_EXAMPLES and rest[0] not in COMMANDS:
            return None
        command = cli.get_command(context, rest[0])
        if command is None:
            return f"no command {rest[0]}"
        command.make_parser(click.Context(command, parent=context)).parse_args(rest[1:])
    except click.UsageError as error:
        return error.format_message()
    return None


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_every_command_in_a_page_exists_with_its_options(page: Path) -> None:
    wrong = [
        (line, why) for line in _lines_with_commands(page) for call in calls(line) if (why := problem(call)) is not None
    ]
    assert wrong == []


def test_calls_are_found_and_judged() -> None:
    assert list(calls('if gw ask "a b" | jq .x; then GW_ROOT=. .venv/bin/gw verify - < c.txt; fi  # gw nothing')) == [
        ["ask", "a b"],
        ["verify", "-"],
    ]
    assert problem(["ask", "x", "--json", "-q"]) is None
    assert problem(["-o", "retrieve.k=1", "config"]) is None
    assert problem(["ask", "x", "--jsno"]) is not None
    assert problem(["aks"]) is not None


def test_every_command_is_in_the_readme() -> None:
    readme = (TOP / "README.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"gw {name}" not in readme] == []
    for name in COMING - set(COMMANDS):
        assert re.search(rf"`gw {name}`.*to come", readme)


# -- links --------------------------------------------------------------------------------------------------------


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.+?)\s*$", _prose(page), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("\\", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while (anchor := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(anchor)
    return found


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in _anchors(file)):
            broken.append(target)
    assert broken == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, pending = set(), [TOP / "README.md"]
    while pending:
        page = pending.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in re.findall(r"\]\(([^)#\s]+\.md)", _prose(page)):
            if not re.match(r"\w+:", target):
                pending.append((page.parent / target).resolve())
    assert [_id(page) for page in PAGES if page not in reached and page.is_relative_to(DOCS)] == []


# -- what must not stand in a page --------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_no_page_speaks_of_one_machine_or_of_numbers_in_a_tracker(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.findall(r"(?<![\w.])/(?:work|root|tmp/venv|Users/\w+)\b\S*|\.\./shared\S*", text) == []
    assert re.findall(r"(?<![\w/&])#\d+\b|\bissue \d+", text) == []


def test_the_readme_is_short_and_its_library_example_runs(tmp_path: Path) -> None:
    readme = (TOP / "README.md").read_text("utf-8")
    assert readme.count("\n") < 150
    [example] = [found[3] for found in _FENCE.finditer(readme) if found[2] == "python"]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "one.md").write_text("A writer waits 60 seconds for another one.\n")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# -- what must ----------------------------------------------------------------------------------------------------


def _section(page: str, heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no section {heading}"
    return found[1]


@pytest.mark.parametrize("name", gw_core.__all__)
def test_every_public_name_is_documented_with_all_that_it_has(name: str) -> None:
    page = (DOCS / "reference" / "library.md").read_text("utf-8")
    section = _section(page, "gw_core.`__version__`" if name == "__version__" else f"gw_core.{name}")
    thing: Any = getattr(gw_core, name)
    missing = [one for one in _public(thing, name) if not re.search(rf"`{one}[`(]", section)]
    assert missing == []


def _public(thing: Any, name: str) -> list[str]:
    if is_dataclass(thing):
        own = [one.name for one in fields(thing)] + [
            one for one, value in vars(thing).items() if isinstance(value, property)
        ]
        return [one for one in own if not one.startswith("_")] if name not in ("Config",) else []
    if name == "Workspace":
        return [one for one in vars(thing) if not one.startswith("_")]
    if name == "Verdict":
        return [one.name for one in thing]
    return []


def test_every_decision_is_listed(script: Callable[[str], Any]) -> None:
    written = (DOCS / "decisions" / "README.md").read_text("utf-8")
    assert written == script("decisions/generate.py").page(), "out of date: python docs/decisions/generate.py"


def test_what_is_left_out_by_default_is_said() -> None:
    page = (DOCS / "how-to" / "configure.md").read_text("utf-8")
    assert [name for name in DEFAULT_EXCLUDES if f"`{name.rstrip('/')}`" not in page] == []


def test_every_reason_for_which_a_file_is_skipped_is_said() -> None:
    page = (DOCS / "how-to" / "encodings-and-documents.md").read_text("utf-8")
    assert [reason for reason in REASONS if f"`{reason}`" not in page] == []


def test_every_file_that_an_index_has_is_said(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("Logs are kept for 30 days.\n")
    with gw_core.open(tmp_path, env={}) as ws:
        ws.ingest([tmp_path])
        ws.ingest([tmp_path], rebuild=True)
        ws.search("logs")
        names = {path.name for path in ws.index.iterdir()}
    assert "catalogue.db" in names
    page = _section((DOCS / "security.md").read_text("utf-8"), "What is stored, and who can read it")
    said = re.findall(r"`([\w.-]+)`", page)
    shapes = [
        *(one for one in said if not one.startswith("-")),
        *(f"catalogue.db{one}" for one in said if one[0] == "-"),
    ]
    assert [
        name
        for name in names
        if not any(name == one or (one.endswith("...") and name.startswith(one[:-3])) for one in shapes)
    ] == []


def test_every_table_and_module_is_in_the_architecture() -> None:
    page = (DOCS / "architecture.md").read_text("utf-8")
    store = (TOP / "gw_core" / "store.py").read_text("utf-8")
    assert [name for name in re.findall(r"CREATE TABLE (\w+)", store) if f"| `{name}` |" not in page] == []
    modules = {path.stem for path in (TOP / "gw_core").glob("*.py")} - {"__main__", "version"}
    assert [name for name in modules if not re.search(rf"`(gw_core/)?{name}(\.py)?`", page)] == []
