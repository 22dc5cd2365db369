"""A report as JUnit XML, in the form that Jenkins, GitLab and GitHub's actions read.

A ``testsuite`` is a task. Its cases are its cells (which only tell what was measured), its gates, and the metrics that
were compared with a baseline; a gate that was missed and a metric that got worse are failures.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import Any

from gw_core.bench.outputs import shown
from gw_core.plain import dumps

Report = Mapping[str, Any]

# What XML 1.0 has no way to hold, not even as a reference to a character.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """Well-formed XML 1.0, whatever texts are in the report; a forbidden character stands as ``\\x00``."""
    top = ET.Element("testsuites", name="gw bench")
    for name, cases in _suites(report).items():
        suite = ET.SubElement(top, "testsuite", name=_text(name))
        suite.set("timestamp", _text(str(report["provenance"]["started"]).removesuffix("Z")))
        _count(suite, cases)
        _properties(suite, report)
        suite.extend(cases)
    suites = list(top)
    for total in ("tests", "failures", "errors", "skipped"):
        top.set(total, str(sum(int(one.get(total, "0")) for one in suites)))
    top.set("time", f"{float(report['provenance']['seconds']):.3f}")
    ET.indent(top)
    body = ET.tostring(top, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suites(report: Report) -> dict[str, list[ET.Element]]:
    """The cases of each task; a gate or comparison may name a task that this run did not have."""
    found: dict[str, list[ET.Element]] = {}
    for task in report["tasks"]:
        found.setdefault(task["name"], []).extend(_cell(task["name"], one) for one in task["cells"])
    for one in report["gates"]:
        found.setdefault(one["task"], []).append(_gate(report, one))
    for one in (report["comparison"] or {}).get("rows", []):
        found.setdefault(one["task"], []).append(_compared(one, report["comparison"]["baseline"]))
    return found


def _case(task: str, part: str, name: str, seconds: float = 0.0) -> ET.Element:
    return ET.Element("testcase", classname=_text(f"{task}.{part}"), name=_text(name), time=f"{seconds:.3f}")


def _fail(case: ET.Element, kind: str, message: str, more: str = "") -> None:
    failure = ET.SubElement(case, "failure", message=_text(message), type=kind)
    failure.text = _text(f"{message}\n{more}" if more else message)


def _cell(task: str, cell: Mapping[str, Any]) -> ET.Element:
    asked = sum(one["ms"] or 0.0 for one in cell["questions"]) / 1000
    case = _case(task, "cells", cell["name"], asked)
    ET.SubElement(case, "system-out").text = _text("\n".join(_told(cell)))
    return case


def _told(cell: Mapping[str, Any]) -> Iterator[str]:
    yield shown.count(cell["n"], "question")
    for name in shown.metric_names([cell]):
        one = cell["metrics"][name]
        chance = "" if one.get("chance") is None else f", chance {shown.number(one['chance'])}"
        yield f"{name}: {shown.measurement(one)}, n {one['n']}{chance}"
    if cell["latency"] is not None:
        latency = cell["latency"]
        yield "latency: " + ", ".join(
            f"{p} {shown.number(latency[p])} {latency['unit']}" for p in ("p50", "p95", "p99")
        )
    for name, one in cell["figures"].items():
        yield f"{name}: {shown.quantity(one)}"
    yield from (f"note: {one}" for one in cell["notes"])


def _gate(report: Report, one: Mapping[str, Any]) -> ET.Element:
    case = _case(one["task"], "gates", f"{one['cell']}: {one['gate']}")
    if not one["passed"]:
        of = shown.measured(report, one)
        value = shown.measurement(of) + (f" over {of['n']} questions" if "n" in of else "")
        message = f"{one['task']}/{one['cell']}: {one['metric']} is {value}, wanted {shown.number(one['wanted'])}"
        _fail(case, "gate", message, one["reason"])
    return case


def _compared(one: Mapping[str, Any], baseline: str) -> ET.Element:
    case = _case(one["task"], "baseline", f"{one['cell']}: {one['metric']} against {baseline}")
    difference = shown.measurement({**one, "value": one["difference"]})
    message = (
        f"{one['task']}/{one['cell']}: {one['metric']} is {shown.number(one['value'])}, "
        f"{shown.number(one['baseline'])} in {baseline}: difference {difference} over {one['n']} questions"
    )
    if one["verdict"] == "worse":
        _fail(case, "regression", message)
    else:
        ET.SubElement(case, "system-out").text = _text(f"{message}: {one['verdict']}")
    return case


def _count(suite: ET.Element, cases: list[ET.Element]) -> None:
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(one.find("failure") is not None for one in cases)))
    suite.set("errors", "0")
    suite.set("skipped", "0")
    suite.set("time", f"{sum(float(one.get('time', '0')) for one in cases):.3f}")


def _properties(suite: ET.Element, report: Report) -> None:
    listed = ET.SubElement(suite, "properties")
    for key, value in shown.facts(report["provenance"]):
        shown_value = value if isinstance(value, str) else dumps(value)
        ET.SubElement(listed, "property", name=_text(key), value=_text(shown_value))


def _text(value: object) -> str:
    return _FORBIDDEN.sub(_named, str(value))


def _named(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
