"""The HTML report as a text: one file, nothing loaded, nothing run but its own scripts."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gw_core.bench.outputs.html import html, require
from gw_core.bench.outputs.html_figures import charts
from gw_core.errors import MissingExtraError

plotly = pytest.importorskip("plotly", reason="the extra [report] is not installed")

Report = dict[str, Any]

VOID = {"meta", "input", "br", "img", "link"}


class Read(HTMLParser):
    """Elements with their attributes, their scripts' texts, and what is shown as text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.shown: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            attributes, text = self.scripts.pop()
            self.scripts.append((attributes, text + data))
        elif self._open and self._open[-1] != "style":
            self.shown.append(data)


@pytest.fixture(scope="module")
def page(make_report: Callable[..., Report]) -> str:
    return html(make_report())


def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    source = re.sub(r'(<script type="text/plain" id="plotly">)[^<]*', r"\1", page)
    assert re.findall(r"https?://|//\w+\.\w+/|@import|url\(", source) == []
    read = Read(page)
    assert {tag for tag, _ in read.elements} & {"link", "img", "iframe", "object", "embed", "base", "form"} == set()
    loading = [(tag, given) for tag, given in read.elements if given.keys() & {"src", "srcset", "action", "data"}]
    assert loading == []
    assert all((given["href"] or "").startswith("#") for _, given in read.elements if "href" in given)
    assert [given for _, given in read.elements if any(name.startswith("on") for name in given)] == []


def test_the_policy_lets_only_the_two_scripts_of_the_page_run(page: str) -> None:
    read = Read(page)
    policy = next(given["content"] for _, given in read.elements if given.get("http-equiv")) or ""
    own = [text for given, text in read.scripts if not given]
    assert len(own) == 1
    allowed = {
        f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'"
        for one in (*own, plotly.offline.get_plotlyjs())
    }
    parts = dict(one.strip().split(" ", 1) for one in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert set(parts["script-src"].split()) == allowed
    assert {given.get("type") for given, _ in read.scripts if given} == {"application/json", "text/plain"}


def test_the_page_is_fit_for_a_phone_dark_mode_and_those_who_cannot_see_it(page: str, sample: Report) -> None:
    read = Read(page)
    metas = {given.get("name"): given.get("content") for tag, given in read.elements if tag == "meta"}
    assert metas["viewport"] == "width=device-width, initial-scale=1"
    assert metas["color-scheme"] == "light dark"
    assert "prefers-color-scheme: dark" in page
    assert read.elements[0] == ("html", {"lang": "en"})
    tags = [tag for tag, _ in read.elements]
    assert tags.count("table") == tags.count("caption") > 10
    drawn = [given for _, given in read.elements if given.get("class") == "chart"]
    assert len(drawn) == sum(len(list(charts(task))) for task in sample["tasks"]) >= 6
    assert drawn[0]["role"] == "img"
    assert drawn[0]["aria-label"] == (
        "Heat map of recall@5, 10 depths by 5 sizes; the lowest is 0.333 at 40-50 % of 1m."
    )


def test_every_chart_is_a_figure_that_plotly_accepts(sample: Report) -> None:
    found = [one for task in sample["tasks"] for one in charts(task)]
    assert [one.title for one in found] == [
        *("recall@5 by depth and size", "recall against corpus size", "latency against corpus size"),
        *("recall by cell", "coverage by cell", "latency by cell"),
    ]
    for one in found:
        plotly.graph_objects.Figure(one.figure)


def test_a_heat_map_has_depths_downwards_sizes_across_and_their_recall(sample: Report) -> None:
    chart = next(charts(sample["tasks"][0]))
    (trace,) = chart.figure["data"]
    cells = sample["tasks"][0]["cells"]
    assert chart.figure["layout"]["xaxis"]["ticktext"] == [one["name"] for one in cells]
    assert chart.figure["layout"]["yaxis"]["ticktext"][4] == "40-50 %"
    assert trace["z"][4] == [one["groups"]["depth"][4]["metrics"]["recall@5"]["value"] for one in cells]
    assert trace["text"][4] == ["1", "1", "1", "0.33", "0.83"]


def test_a_depth_that_one_size_lacks_is_left_empty(sample: Report) -> None:
    del sample["tasks"][0]["cells"][0]["groups"]["depth"][0]
    (trace,) = next(charts(sample["tasks"][0])).figure["data"]
    assert trace["z"][0][0] is None
    assert trace["text"][0][0] == ""
    assert "depth" in html(sample)


def test_a_single_cell_has_tables_and_no_charts(sample: Report) -> None:
    needle = sample["tasks"][0]
    needle["cells"] = needle["cells"][:1]
    assert list(charts(needle)) == []
    assert "40-50 %" in " ".join(Read(html(sample)).shown)


def test_a_report_without_charts_leaves_plotly_out(sample: Report) -> None:
    sample.update(tasks=sample["tasks"][-2:], gates=[], comparison=None, notes=[])
    page = html(sample)
    assert len(page) < 60_000
    shown = " ".join(Read(page).shown)
    assert "Measured" in shown
    assert "21.30 MB/s" in shown
    assert "1 x 80 GB" in shown


def test_the_same_report_makes_the_same_page(page: str, sample: Report) -> None:
    before = copy.deepcopy(sample)
    assert html(sample) == page
    assert sample == before
    assert len(page) < 2_600_000


def test_without_plotly_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    require()
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'gw-toolkit\[report\]'"):
        require()


def test_texts_of_strangers_stay_text(sample: Report, hostile: tuple[str, ...]) -> None:
    sample["tasks"] = sample["tasks"][3:4]
    tidy = [tag for tag, _ in Read(html(_spoiled(sample, "plain"))).elements]
    for value in hostile:
        read = Read(html(_spoiled(sample, value)))
        assert [tag for tag, _ in read.elements] == tidy
        assert [given for _, given in read.elements if any(name.startswith("on") for name in given)] == []


@settings(max_examples=40)
@given(value=st.text(st.characters(), max_size=40))
def test_questions_are_read_back_as_they_were(make_report: Callable[..., Report], value: str) -> None:
    report = make_report(4)
    report["tasks"] = report["tasks"][3:4]
    read = Read(html(_spoiled(report, value)))
    island = next(text for given, text in read.scripts if given.get("id") == "questions-0")
    assert not set("<>&") & set(island)
    first = json.loads(island)[0]
    if value.isprintable():
        assert (first["question"], first["cell"]) == (value, value)


def _spoiled(sample: Report, value: str) -> Report:
    report = copy.deepcopy(sample)
    report["gates"][0].update(gate=value, task=value, cell=value, metric=value, reason=value)
    report["comparison"].update(baseline=value, notes=[value] * 2)
    report["comparison"]["rows"][0].update(metric=value, task=value)
    report["notes"] = [value]
    (task,) = report["tasks"]
    task.update(name=value, identity=value)
    cell = task["cells"][0]
    cell.update(name=value, facts={"x": value}, notes=[value])
    cell["metrics"][value] = cell["metrics"].pop("abstention_precision")
    cell["groups"]["category"][0]["group"] = value
    cell["questions"][0].update(question=value, id=value, detail={"answer": value}, group={value: value})
    report["provenance"].update(platform=value, config={value: value})
    return report
