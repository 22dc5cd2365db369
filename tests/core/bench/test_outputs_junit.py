"""Reports as JUnit XML: parsed back, whatever texts are in them."""

from __future__ import annotations

import copy
import re
import xml.etree.ElementTree as ET
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.outputs.junit import junit

Report = dict[str, Any]

CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "system-out"},
    "property": set(),
    "failure": set(),
    "system-out": set(),
}
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "properties": set(),
    "testcase": {"name", "classname", "time"},
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "system-out": set(),
}


def valid(source: str) -> ET.Element:
    """The parsed file, if it has the structure that the readers of JUnit XML know, and counts what is in it."""
    top = ET.fromstring(source.encode("utf-8"))
    assert top.tag == "testsuites"
    for one in top.iter():
        assert {child.tag for child in one} <= CHILDREN[one.tag]
        assert set(one.attrib) == ATTRIBUTES[one.tag]
        if "time" in one.attrib:
            assert re.fullmatch(r"\d+\.\d{3}", one.attrib["time"])
    for counted in (top, *top.iter("testsuite")):
        assert int(counted.attrib["tests"]) == len(list(counted.iter("testcase")))
        assert int(counted.attrib["failures"]) == len(list(counted.iter("failure")))
    return top


def test_a_suite_a_task_and_a_case_a_cell_gate_or_comparison(sample: Report) -> None:
    top = valid(junit(sample))
    assert [one.attrib["name"] for one in top] == [one["name"] for one in sample["tasks"]]
    needle = top.find("testsuite")
    assert needle is not None
    assert [one.attrib["classname"] for one in needle.iter("testcase")] == [
        *["needle.cells"] * 5,
        *["needle.gates"] * 5,
        *["needle.baseline"] * 5,
    ]
    assert needle.attrib["timestamp"] == "2026-03-14T09:26:53"
    properties = {one.attrib["name"]: one.attrib["value"] for one in needle.iter("property")}
    assert properties["git.branch"] == "main"
    assert properties["machine.cores"] == "2"


def test_a_failure_names_metric_value_interval_and_what_was_wanted(sample: Report) -> None:
    failures = list(valid(junit(sample)).iter("failure"))
    assert [one.attrib["type"] for one in failures] == ["gate"] * 3 + ["regression"]
    messages = [one.attrib["message"] for one in failures]
    assert messages[1] == "needle/1m: recall@5 is 0.767 [0.646, 0.856] over 60 questions, wanted 0.990"
    assert messages[3] == (
        "needle/1m: recall@5 is 0.767, 0.877 in main.json: difference -0.110 [-0.160, -0.060] over 60 questions"
    )


def test_a_cell_tells_what_was_measured_and_how_long_it_took(sample: Report) -> None:
    top = valid(junit(sample))
    case = next(one for one in top.iter("testcase") if one.attrib["name"] == "1m")
    assert "recall@5: 0.767 [0.646, 0.856], n 60, chance 0.005" in (case.findtext("system-out") or "").splitlines()
    seconds = sum(one["ms"] for one in sample["tasks"][0]["cells"][3]["questions"]) / 1000
    assert case.attrib["time"] == f"{seconds:.3f}"


def test_a_gate_of_a_task_that_did_not_run_has_a_suite_too(sample: Report) -> None:
    sample["gates"].append({**sample["gates"][0], "task": "gone", "passed": False, "value": None})
    top = valid(junit(sample))
    assert top[-1].attrib["name"] == "gone"
    assert top[-1].attrib["failures"] == "1"


@given(st.text(st.characters(), max_size=40))
def test_any_text_makes_well_formed_xml(value: str) -> None:
    report = {**_small(), "gates": [{**GATE, "gate": value, "task": value, "reason": value}]}
    report["tasks"][0]["cells"][0].update(name=value, notes=[value], facts={value: value})
    report["provenance"]["haystack"] = {value: value}
    top = valid(junit(report))
    failure = next(top.iter("failure"))
    if value.isprintable():
        assert value in (failure.text or "")


def test_a_forbidden_character_is_made_visible() -> None:
    source = junit({**_small(), "gates": [{**GATE, "gate": "a\x00b\x1bc\ufffed\ud800e"}]})
    assert "64k: a\\x00b\\x1bc\\ufffed\\ud800e" in {one.attrib["name"] for one in valid(source).iter("testcase")}


GATE = {
    "gate": "g",
    "task": "t",
    "cell": "64k",
    "metric": "m",
    "value": 0.5,
    "wanted": 0.9,
    "passed": False,
    "reason": "r",
}


def _small() -> Report:
    cell = {
        "name": "64k",
        "size": None,
        "n": 0,
        "metrics": {},
        "latency": None,
        "figures": {},
        "facts": {},
        "notes": [],
        "groups": {},
        "questions": [],
    }
    task = {"name": "t", "task": "t", "identity": "t@1()", "settings": {}, "cells": [cell]}
    return copy.deepcopy(
        {
            "provenance": {"started": "2026-03-14T09:26:53Z", "seconds": 1.0},
            "tasks": [task],
            "gates": [],
            "comparison": None,
        }
    )
