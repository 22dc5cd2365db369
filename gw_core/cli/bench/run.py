"""``gw bench run``"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gw_core.bench.suite import Suite, default_suite, read_suite
from gw_core.cli.bench.options import Call, bench_options, folder_of
from gw_core.cli.bench.running import run_specs
from gw_core.cli.options import Session, gw_command


@gw_command(
    "run",
    examples=(
        "gw bench run                                   # the default tasks, within two minutes",
        "gw bench run bench.yaml --json > main.json     # a baseline for later",
        "gw bench run bench.yaml --baseline main.json --fail-under recall@5=.99 --fail-on-regression",
    ),
)
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="[FILE]")
@bench_options
def command(session: Session, file: Path | None, **options: Any) -> int:
    """Run the tasks that FILE (YAML) lists; without one, those that need no input of yours.

    Options given here go before those in FILE.
    """
    suite = default_suite() if file is None else read_suite(file)
    return run_specs(session, suite.specs, _merged(Call.of(options), suite, file))


def _merged(call: Call, suite: Suite, file: Path | None) -> Call:
    said = suite.options
    return replace(
        call,
        named=() if file is None else (folder_of(file),),
        backend=call.backend or said.get("backend"),
        rerank=said.get("rerank") if call.rerank is None else call.rerank,
        reader=call.reader or said.get("reader"),
        ks=call.ks or said.get("k"),
        seed=said.get("seed") if call.seed is None else call.seed,
        haystack=call.haystack or said.get("haystack"),
        fail_under=call.fail_under or said.get("fail_under", ()),
    )
