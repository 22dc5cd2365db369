"""Streams, colours, progress and tables."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gw_core.cli.console import LINE_EVERY, PROGRESS_AFTER, Console, one_line, progress_line, size_text


class Stream(io.StringIO):
    def __init__(self, terminal: bool = False) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def step(done: int, total: int, stage: str = "reading", bytes_done: int = 0, bytes_total: int = 0) -> Any:
    return SimpleNamespace(stage=stage, done=done, total=total, bytes_done=bytes_done, bytes_total=bytes_total)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_only_terminals_are_coloured_and_not_against_their_will() -> None:
    assert Console(Stream(), Stream(), {}).styled("x", "bold") == "x"
    assert Console(Stream(True), Stream(), {}).styled("x", "bold") == "\x1b[1mx\x1b[0m"
    assert Console(Stream(True), Stream(), {"NO_COLOR": "1"}).styled("x", "bold") == "x"
    assert Console(Stream(True), Stream(), {"NO_COLOR": ""}).styled("x", "bold") != "x"
    assert Console(Stream(True), Stream(), {"TERM": "dumb"}).styled("x", "bold") == "x"


def test_quiet_leaves_errors_and_verbose_adds_details() -> None:
    err = Stream()
    console = Console(Stream(), err, {})
    console.detail("hidden")
    console.verbose = True
    console.detail("shown")
    console.quiet = True
    for talk in (console.say, console.warn, console.detail):
        talk("hidden")
    console.error("broken\nin two")
    assert err.getvalue() == "shown\ngw: error: broken in two\n"


def test_messages_are_coloured_on_a_terminal_and_cannot_colour_themselves() -> None:
    err = Stream(True)
    console = Console(Stream(), err, {})
    console.warn("odd \x1b[5mname")
    console.say("odd \x1b[5mname")
    assert err.getvalue() == "gw: \x1b[33mwarning\x1b[0m: odd \\x1b[5mname\nodd \\x1b[5mname\n"


def test_a_pipe_that_closes_ends_the_result_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as out:
        console = Console(out, Stream(), {})
        console.item({"a": 1})
        assert console.closed
        console.line("more")
        console.flush()


def test_an_item_can_be_read_at_once() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "w") as out, os.fdopen(read) as reader:
        Console(out, Stream(), {}).item({"a": 1})
        assert reader.readline() == '{"a": 1}\n'


def test_without_a_terminal_progress_is_a_line_now_and_then(clock: Clock) -> None:
    err = Stream()
    console = Console(Stream(), err, {}, clock)
    with console.progress() as tell:
        tell(step(1, 9))
        clock.now += LINE_EVERY
        tell(step(2, 9, bytes_done=1_500_000, bytes_total=9_000_000))
        tell(step(3, 9))
    assert err.getvalue() == "gw: reading: 2 of 9 (1.5 of 9.0 MB), 5 s\n"


def test_quiet_work_shows_no_progress(clock: Clock) -> None:
    err = Stream()
    console = Console(Stream(), err, {}, clock)
    console.quiet = True
    with console.progress() as tell:
        clock.now += 100
        tell(step(2, 9))
    assert err.getvalue() == ""


def test_short_work_on_a_terminal_shows_nothing_and_imports_nothing(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    err = Stream(True)
    with Console(Stream(), err, {}, clock).progress() as tell:
        tell(step(1, 2))
    assert err.getvalue() == ""


def test_long_work_on_a_terminal_shows_a_bar_that_makes_way_for_remarks(clock: Clock) -> None:
    err = Stream(True)
    console = Console(Stream(True), err, {"TERM": "xterm"}, clock)
    with console.progress() as tell:
        clock.now += PROGRESS_AFTER
        tell(step(1_000, 2_000))
        console.say("a remark")
        tell(step(2_000, 2_000))
    shown = err.getvalue()
    assert "1,000 of 2,000" in shown
    assert "a remark\n" in shown


def test_a_table_is_tabs_in_a_pipe_and_columns_on_a_terminal() -> None:
    rows = [("k", "8\nx"), ("long key", "value")]
    out = Stream()
    Console(out, Stream(), {}).table(("key", "value"), rows)
    assert out.getvalue() == "k\t8 x\nlong key\tvalue\n"
    out = Stream(True)
    Console(out, Stream(), {"NO_COLOR": "1"}).table(("key", "value"), [("[bold]k", "1"), ("b", "2\x1b[2J")])
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines == ["key      value", "[bold]k  1", "b        2\\x1b[2J"]


def test_messages_are_one_line_without_control_characters() -> None:
    assert one_line("a\r\nb\tc\x1b[0m ") == "a  b c\\x1b[0m"


def test_progress_without_bytes_counts_things() -> None:
    assert progress_line(step(1_200, 9_000, "verifying documents")) == "verifying documents: 1,200 of 9,000"


def test_closed_streams_are_no_terminals_and_no_trouble() -> None:
    with Path(os.devnull).open("w") as closed:
        console = Console(closed, Stream(), {})
    assert not console.is_terminal


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 kB"), (1, "0.1 kB"), (531, "0.5 kB"), (999_949, "999.9 kB"),
        (1_000_000, "1.0 MB"), (17_130_000, "17.1 MB"), (2_345_600_000, "2,345.6 MB"),
    ],
)  # fmt: skip
def test_a_size_is_never_nothing_where_there_is_something(size: int, text: str) -> None:
    assert size_text(size) == text
