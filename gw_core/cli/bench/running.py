"""Running tasks for the command line: measure, compare, judge, write, and end with the right exit code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gw_core.bench.compare import compare, regressions
from gw_core.bench.gates import Gate, check_gates, foresee, parse_gates
from gw_core.bench.harness import KS, SEED, BenchOptions, Harness, Trial
from gw_core.bench.metrics import names
from gw_core.bench.provenance import provenance
from gw_core.bench.report import report
from gw_core.bench.saved import read_report
from gw_core.bench.subject import Asking
from gw_core.bench.suite import Spec
from gw_core.cli.bench.options import Call
from gw_core.cli.bench.render import write_report
from gw_core.cli.options import Session
from gw_core.errors import UsageError

if TYPE_CHECKING:
    from gw_core.cli.console import Console
    from gw_core.workspace import Workspace

MISSED = 4
BROKEN = 2


def run_specs(session: Session, specs: Sequence[Spec], call: Call) -> int:
    """Measure, show and write; returns the exit code."""
    call.check()
    gates = parse_gates(call.fail_under)
    baseline = None if call.baseline is None else read_report(call.baseline)
    with session.workspace() as workspace:
        result = _measure(session, workspace, specs, call, gates)
    if call.baseline is not None and baseline is not None:
        # Not its folder, which may be a home: reports are published.
        result["comparison"] = compare(result, baseline, name=call.baseline.name)
    problem = _judge(result, gates)
    unwritten = _write_files(result, call.files, force=call.force)
    write_report(session.console, result)
    problem = problem or unwritten
    if problem is not None:
        if session.console.format == "json":
            session.console.error(str(problem))
            return problem.exit_code
        raise problem
    return _exit_code(session, result, call)


def run_check(session: Session, spec: Spec, call: Call) -> int:
    """Look for broken judgments only. Exit 2 if there are any."""
    console = session.console
    with session.workspace() as workspace:
        harness = make_harness(session, workspace, call, lambda _: None)
        task: Any = harness.task(spec.use, spec.settings)
        problems = list(task.check(harness))
    if console.format == "json":
        console.item({"schema": "gw.bench-check/1", "task": spec.name, "problems": [one.plain() for one in problems]})
    else:
        for one in problems:
            console.line(str(one))
        if not problems:
            console.say("gw: every judgment holds")
    return BROKEN if any(one.level == "error" for one in problems) else 0


def _measure(
    session: Session, workspace: Workspace, specs: Sequence[Spec], call: Call, gates: Sequence[Gate]
) -> dict[str, Any]:
    began = datetime.now(timezone.utc)
    with session.console.progress() as on_progress:
        harness = make_harness(session, workspace, call, on_progress)
        # All are made before one runs: what is wrong with the last is not said after minutes.
        trials = [Trial(spec.name, spec.use, harness.task(spec.use, spec.settings)) for spec in specs]
        if all(type(trial.task).__module__.startswith("gw_plugins.") for trial in trials):
            foresee(gates, [trial.name for trial in trials], names(harness.ks))
        measured = [(trial, harness.run(trial)) for trial in trials]
    result = report(provenance(workspace.root, harness.config), harness, measured, began)
    with suppress(OSError):
        harness.cache.prune()
    return result


def make_harness(session: Session, workspace: Workspace, call: Call, on_progress: Callable[[Any], None]) -> Harness:
    """A harness as the shared options say; notes go to stderr."""
    return Harness(
        workspace.config,
        workspace.plugins,
        BenchOptions(
            asking=Asking(call.backend, call.rerank, call.reader),
            ks=call.ks or KS,
            seed=SEED if call.seed is None else call.seed,
            haystack=call.haystack,
            cache=call.cache,
            named=call.named,
        ),
        on_progress=on_progress,
        on_note=lambda text: session.console.say(f"gw: {text}"),
    )


def _judge(result: dict[str, Any], gates: Sequence[Gate]) -> UsageError | None:
    """Fill in the gates. What is wrong with one is returned, so that what was measured is shown before it is said."""
    try:
        result["gates"] = check_gates(result, gates)
    except UsageError as error:
        return error
    return None


def _write_files(result: Mapping[str, Any], files: Mapping[str, Path], *, force: bool) -> UsageError | None:
    """Write them. The first one that cannot be is returned, so that what was measured is shown before it is said.

    Without ``force`` a file is made, or it is an error: what came to be there while the tasks ran is not overwritten,
    nor is what a link names.
    """
    problem = None
    for form, path in files.items():
        text = _rendered(form, result)
        try:
            with path.open("w" if force else "x", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except FileExistsError:
            problem = problem or UsageError(f"there is a file {path} already", hint="--force overwrites it")
        except OSError as error:
            problem = problem or UsageError(f"{path}: cannot be written: {error.strerror or error}")
    return problem


def _rendered(form: str, result: Mapping[str, Any]) -> str:
    if form == "html":
        from gw_core.bench.outputs.html import html  # noqa: PLC0415

        return html(result)
    if form == "junit":
        from gw_core.bench.outputs.junit import junit  # noqa: PLC0415

        return junit(result)
    from gw_core.bench.outputs.markdown import markdown  # noqa: PLC0415

    return markdown(result)


def _exit_code(session: Session, result: Mapping[str, Any], call: Call) -> int:
    """4 if a threshold was missed, each named on stderr."""
    missed = [one for one in result["gates"] if not one["passed"]]
    for one in missed:
        place = f"{one['task']}/{one['cell']}/{one['metric']}"
        session.console.error(f"{place} is {one['value']:.4g}; {one['wanted']:.4g} was wanted")
    worse = regressions(result["comparison"]) if call.fail_on_regression else []
    tell_regressions(session.console, worse)
    return MISSED if missed or worse else 0


def tell_regressions(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """One line of error for each row of a comparison that is worse."""
    for one in rows:
        console.error(
            f"{one['task']}/{one['cell']}/{one['metric']} fell from {one['baseline']:.4g} to {one['value']:.4g} "
            f"(difference {one['difference']:+.4g}, 95 % interval {one['low']:+.4g} to {one['high']:+.4g}, "
            f"n = {one['n']})"
        )
