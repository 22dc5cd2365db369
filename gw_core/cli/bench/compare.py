"""``gw bench compare``"""

from __future__ import annotations

from pathlib import Path

import click

from gw_core.bench.compare import compare, regressions
from gw_core.bench.saved import read_report
from gw_core.cli.bench.render import write_comparison
from gw_core.cli.bench.running import MISSED, tell_regressions
from gw_core.cli.options import Session, gw_command


@gw_command(
    "compare",
    examples=(
        "gw bench needle --json > before.json",
        "gw bench compare before.json after.json",
        "gw bench compare main.json branch.json --fail-on-regression",
    ),
)
@click.argument("baseline", type=click.Path(dir_okay=False, path_type=Path), metavar="BASELINE")
@click.argument("other", type=click.Path(dir_okay=False, path_type=Path), metavar="OTHER")
@click.option("--fail-on-regression", is_flag=True, help="Exit 4 if OTHER is worse in something.")
def command(session: Session, baseline: Path, other: Path, fail_on_regression: bool) -> int:
    """Compare two reports (of --json) on the questions that both asked, and say whether OTHER is better or worse.

    A difference counts only if its interval, over the questions, leaves out zero.
    """
    before, after = read_report(baseline), read_report(other)
    comparison = compare(after, before, name=str(baseline))
    if session.console.format == "json":
        session.console.item({"schema": "gw.bench-compare/1", "other": str(other), **comparison})
    else:
        write_comparison(session.console, comparison)
    worse = regressions(comparison)
    if fail_on_regression and worse:
        tell_regressions(session.console, worse)
        return MISSED
    return 0
