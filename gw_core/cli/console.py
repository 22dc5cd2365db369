"""Where output goes: stdout carries the result, stderr the talk. Commands are handed a Console and never print.

Nothing here is imported from rich before a progress bar or a table is really shown on a terminal.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TextIO

from gw_core.plain import dumps, printable

# Work that is over sooner than this shows no progress at all.
PROGRESS_AFTER = 0.5
# How often a line tells of long work where there is no terminal to draw a bar on.
LINE_EVERY = 5.0

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36", "match": "1;33"}


class Step(Protocol):
    """How far some work is, as library functions tell it."""

    @property
    def stage(self) -> str: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def bytes_done(self) -> int: ...
    @property
    def bytes_total(self) -> int: ...


class Console:
    """``format`` is ``text``, ``json`` or ``jsonl``. ``out`` and ``err`` are written as UTF-8, whatever the locale."""

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = sys.stdout if out is None else out
        self._err = sys.stderr if err is None else err
        self._env = os.environ if env is None else env
        self._clock = clock
        self.format = "text"
        self.quiet = False
        self.verbose = False
        self.closed = False
        """Nobody reads the result any more (``| head`` has seen enough): writing goes nowhere, quietly."""
        self._bar: _Bar | None = None

    # -- the result ---------------------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Part of the result, exactly as it is."""
        if self.closed or self._out is None:
            return
        self._safely(self._out.write, text)

    def line(self, text: str = "") -> None:
        self.write(text + "\n")

    def item(self, value: Mapping[str, Any]) -> None:
        """One JSON object on one line; a reader at the other end of a pipe gets it at once."""
        self.write(dumps(value) + "\n")
        self.flush()

    def flush(self) -> None:
        if self.closed or self._out is None:
            return
        self._safely(self._out.flush)

    def _safely(self, action: Callable[..., object], *arguments: str) -> None:
        try:
            action(*arguments)
        except BrokenPipeError:
            self.hang_up()
        except OSError:
            self.hang_up()
            raise

    def hang_up(self) -> None:
        """Write no more of the result."""
        self.closed = True
        # The interpreter flushes stdout once more at its end and would complain.
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._out.fileno())
            os.close(null)

    # -- the talk -----------------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """A remark that nobody needs: silent with ``-q``."""
        if not self.quiet:
            self._tell(printable(text))

    def detail(self, text: str) -> None:
        """A remark for ``-v``."""
        if self.verbose and not self.quiet:
            self._tell(printable(text))

    def warn(self, text: str) -> None:
        """Something that may make the result other than expected, in one line."""
        if not self.quiet:
            self._tell(f"gw: {self.styled('warning', 'yellow', self._err)}: {one_line(text)}")

    def error(self, text: str) -> None:
        self._tell(f"gw: {self.styled('error', 'red', self._err)}: {one_line(text)}")

    def end_with(self, text: str) -> None:
        """The last line of a run that was cut short by a signal; shown with ``-q`` too."""
        self._tell(f"gw: {text}")

    def trace(self, text: str) -> None:
        """A traceback, as it is."""
        self._tell(printable(text.rstrip("\n")))

    def _tell(self, text: str) -> None:
        if self._err is None:
            return
        self.flush()
        if self._bar is not None:
            self._bar.stop()
        with suppress(OSError):
            self._err.write(text + "\n")
            self._err.flush()

    # -- terminals ----------------------------------------------------------------------------------------------

    @property
    def is_terminal(self) -> bool:
        """The result is read by a person."""
        return _is_terminal(self._out)

    @property
    def width(self) -> int:
        """Columns of the terminal, at least 20."""
        import shutil  # noqa: PLC0415

        return max(20, shutil.get_terminal_size().columns)

    def styled(self, text: str, style: str, stream: TextIO | None = None) -> str:
        """``text`` in colour, where ``stream`` (stdout) is a terminal that may be coloured."""
        if not text or not self._may_colour(self._out if stream is None else stream):
            return text
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"

    def _may_colour(self, stream: TextIO) -> bool:
        plain = self._env.get("NO_COLOR") or self._env.get("TERM") == "dumb"
        return not plain and _is_terminal(stream)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table on a terminal; elsewhere one line a row, fields separated by tabs, without headings."""
        if not self.is_terminal:
            for row in rows:
                self.line("\t".join(one_line(cell) for cell in row))
            return
        from rich.console import Console as RichConsole  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        colour = self._may_colour(self._out)
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold" if colour else "", show_edge=False)
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console = RichConsole(file=self._out, width=self.width, no_color=not colour, highlight=False)
        with console.capture() as captured:
            console.print(table)
        self.write(captured.get())

    @contextmanager
    def progress(self) -> Iterator[Callable[[Step], None]]:
        """A function to tell steps of long work to: a bar on a terminal, now and then a line elsewhere."""
        if self.quiet:
            yield lambda _: None
        elif _is_terminal(self._err) and self._env.get("TERM") != "dumb":
            self._bar = _Bar(self._err, self._clock, no_color=not self._may_colour(self._err))
            try:
                yield self._bar.step
            finally:
                self._bar.stop()
                self._bar = None
        else:
            began = last = self._clock()

            def step(one: Step) -> None:
                nonlocal last
                now = self._clock()
                if now - last >= LINE_EVERY:
                    last = now
                    self._tell(f"gw: {progress_line(one)}, {now - began:.0f} s")

            yield step


class _Bar:
    """rich's progress bar, made only when the work turns out to be long."""

    def __init__(self, err: TextIO, clock: Callable[[], float], no_color: bool) -> None:
        self._err = err
        self._clock = clock
        self._began = clock()
        self._no_color = no_color
        self._progress: Any = None
        self._tasks: dict[str, Any] = {}

    def step(self, one: Step) -> None:
        if self._progress is None:
            if self._clock() - self._began < PROGRESS_AFTER:
                return
            self._start()
        by_bytes = one.bytes_total > 0
        done, total = (one.bytes_done, one.bytes_total) if by_bytes else (one.done, one.total)
        if one.stage not in self._tasks:
            self._forget_finished()
            self._tasks[one.stage] = self._progress.add_task(one.stage, total=total, count="")
        count = f"{one.done:,} of {one.total:,}"
        self._progress.update(self._tasks[one.stage], completed=done, total=total, count=count)

    def _forget_finished(self) -> None:
        """A stage that is over makes room for the next one."""
        for task in list(self._progress.tasks):
            if task.finished:
                self._progress.remove_task(task.id)
                self._tasks = {stage: known for stage, known in self._tasks.items() if known != task.id}

    def _start(self) -> None:
        from rich.console import Console as RichConsole  # noqa: PLC0415
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeRemainingColumn(),
            console=RichConsole(file=self._err, no_color=self._no_color),
            transient=True,
        )
        self._progress.start()

    def stop(self) -> None:
        """Wipe the bar away, until the next step draws it again."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
            self._tasks.clear()


def progress_line(one: Step) -> str:
    """``reading: 1,200 of 9,000 (12.3 of 64.0 MB)``"""
    line = f"{one.stage}: {one.done:,} of {one.total:,}"
    if one.bytes_total > 0:
        line += f" ({one.bytes_done / 1e6:.1f} of {one.bytes_total / 1e6:.1f} MB)"
    return line


def size_text(size: int) -> str:
    """``0 kB``, ``0.4 kB``, ``12.3 MB``: bytes, in thousands or millions of them. What is there is never 0.0."""
    if size < 1_000_000:
        return f"{max(size / 1e3, 0.1):.1f} kB" if size else "0 kB"
    return f"{size / 1e6:,.1f} MB"


def one_line(text: str) -> str:
    """``text`` without line ends or anything else that would move a terminal's cursor."""
    return printable(" ".join(text.split("\n")).replace("\r", " ").replace("\t", " ")).strip()


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # a closed stream
        return False
