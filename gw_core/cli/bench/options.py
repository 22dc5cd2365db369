"""The options that all of ``gw bench`` shares, checked before anything is measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gw_core.cli.options import comma_list
from gw_core.errors import UsageError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _ks(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    parts = comma_list(ctx, param, value)
    if parts is None:
        return None
    if not all(part.isdecimal() and len(part) < 10 and int(part) > 0 for part in parts):
        raise click.BadParameter(f"whole numbers from 1 on, separated by commas, not {value!r}", ctx, param)
    return tuple(int(part) for part in parts)


def _options() -> list[Decorator]:
    file: dict[str, Any] = {"type": click.Path(dir_okay=False, path_type=Path), "metavar": "FILE"}
    return [
        click.option("--backend", metavar="NAME", help="The backend to measure; else [retrieve] backend."),
        click.option(
            "--rerank",
            callback=comma_list,
            metavar="NAME,...",
            help="Rerankers, in this order; else [retrieve] rerank.",
        ),
        click.option("--reader", metavar="NAME", help="The reader to measure, where a task asks for answers."),
        click.option("-k", "ks", callback=_ks, metavar="K,...", help="The cut-offs of recall@k; 1,5,10 unless said."),
        click.option("--seed", type=int, metavar="N", help="Another draw of the same task; 7 unless said."),
        click.option(
            "--haystack",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="FOLDER",
            help="Text to hide facts in; else this Python's standard library.",
        ),
        click.option(
            "--fail-under",
            multiple=True,
            metavar="METRIC=VALUE",
            help="Exit 4 if any cell is below: recall@5=.99, or needle/3m/recall@5=.99 for one. May be repeated.",
        ),
        click.option("--baseline", **file, help="A report (--json) of another run to compare with, by question."),
        click.option("--fail-on-regression", is_flag=True, help="Exit 4 if something is worse than --baseline."),
        click.option("--report", **file, help="Write the report as one HTML page."),
        click.option("--junit", **file, help="Write gates and comparison as JUnit XML."),
        click.option("--markdown", **file, help="Write the report as Markdown, for a CI summary."),
        click.option("--force", is_flag=True, help="Overwrite files that exist."),
        click.option(
            "--cache",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="FOLDER",
            help="Where corpora and indexes are kept for the next run; else GW_BENCH_CACHE, or gw/bench in your cache "
            "folder.",
        ),
    ]


NAMES = (
    "backend", "rerank", "reader", "ks", "seed", "haystack", "fail_under", "baseline", "fail_on_regression",
    "report", "junit", "markdown", "force", "cache",
)  # fmt: skip


def bench_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hands them over as the keyword arguments :data:`NAMES`; see :class:`Call`."""
    for option in reversed(_options()):
        function = option(function)
    return function


def folder_of(path: Path) -> Path:
    """The folder itself, or that of a file."""
    try:
        return path if path.is_dir() else path.parent
    except (OSError, ValueError):  # a name that no file can have: said when it is opened
        return path.parent


def shared_options() -> list[click.Parameter]:
    """The options of :func:`bench_options`, for a page that lists them once."""
    return click.command()(bench_options(lambda **_: None)).params


@dataclass(frozen=True, slots=True)
class Call:
    """The shared options of one run, as they were given; None: not given."""

    backend: str | None
    rerank: tuple[str, ...] | None
    reader: str | None
    ks: tuple[int, ...] | None
    seed: int | None
    haystack: Path | None
    fail_under: tuple[str, ...]
    baseline: Path | None
    fail_on_regression: bool
    report: Path | None
    junit: Path | None
    markdown: Path | None
    force: bool
    cache: Path | None
    named: tuple[Path, ...] = ()
    """Folders that arguments name, beside the root."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Call:
        return cls(**{name: options[name] for name in NAMES})

    @classmethod
    def searching(cls, backend: str | None, cache: Path | None) -> Call:
        """Nothing said but where to search."""
        unsaid: dict[str, Any] = dict.fromkeys(NAMES)
        said = {"backend": backend, "cache": cache, "fail_under": (), "fail_on_regression": False, "force": False}
        return cls(**{**unsaid, **said})

    @property
    def files(self) -> dict[str, Path]:
        """The files to be written, by form."""
        named = {"html": self.report, "junit": self.junit, "markdown": self.markdown}
        return {form: path for form, path in named.items() if path is not None}

    def check(self) -> None:
        """Raise UsageError for what would fail after minutes of measuring."""
        if self.fail_on_regression and self.baseline is None:
            raise UsageError("--fail-on-regression needs something to compare with", hint="--baseline FILE")
        paths = list(self.files.values())
        if len({os.path.realpath(path) for path in paths}) < len(paths):
            raise UsageError("two reports would be written to one file")
        for path in paths:
            if os.path.lexists(path) and not self.force:
                raise UsageError(f"there is a file {path} already", hint="--force overwrites it")
            if not path.absolute().parent.is_dir():
                raise UsageError(f"there is no folder {path.absolute().parent}")
        if self.report is not None:
            from gw_core.bench.outputs.html import require  # noqa: PLC0415

            require()
