"""Reports as Markdown: read back with a Markdown parser, whatever texts are in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gw_core.bench.outputs.markdown import markdown, table, text

Report = dict[str, Any]
OWN_HTML = ("<details>", "</details>", "<summary>", "</summary>", "<br>")


def parsed(source: str) -> list[Token]:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(source)


def flat(tokens: list[Token]) -> Iterator[Token]:
    for one in tokens:
        yield one
        yield from flat(one.children or [])


def tables(source: str) -> list[list[list[str]]]:
    """Each table as rows of cells of shown text."""
    found: list[list[list[str]]] = []
    inside = False
    for one in parsed(source):
        if one.type in ("table_open", "table_close"):
            inside = one.type == "table_open"
            if inside:
                found.append([])
        elif one.type == "tr_open":
            found[-1].append([])
        elif one.type == "inline" and inside:
            found[-1][-1].append("".join(said.content for said in one.children or []))
    return found


def html_in(source: str) -> list[str]:
    return [one.content for one in flat(parsed(source)) if one.type in ("html_inline", "html_block")]


def test_what_failed_stands_first(sample: Report) -> None:
    source = markdown(sample)
    gates, comparison, needle = tables(source)[:3]
    assert source.startswith("# gw bench: failed\n\n3 of 5 gates missed; 1 of 5 metrics worse than the baseline.")
    assert [row[0] for row in gates[1:]] == ["❌ missed"] * 3 + ["✅ passed"] * 2
    assert gates[1][1:] == [
        "recall@5=0.99",
        "needle/256k",
        "0.950 [0.863, 0.983]",
        "recall@5 is 0.95, at least 0.99 is wanted",
    ]
    assert comparison[1] == ["❌ worse", "needle/1m", "recall@5", "0.877", "0.767", "-0.110 [-0.160, -0.060]", "60"]
    assert needle[0][:4] == ["cell", "n", "recall@1", "recall@5"]


def test_a_cell_tells_value_interval_chance_and_its_own_n(sample: Report) -> None:
    found = tables(markdown(sample))
    assert found[2][1][:4] == [
        "8k",
        "60",
        "0.633 [0.507, 0.744]<br>chance 0.125",
        "1.000 [0.940, 1.000]<br>chance 0.625",
    ]
    unanswerable = next(one for one in found if "abstention_precision" in one[0])
    assert unanswerable[1] == ["stdlib", "60", "0.867 [0.758, 0.931]", "1.000 [0.931, 1.000]<br>n 52"]


def test_the_heat_map_is_a_table_of_depths_and_cells(sample: Report) -> None:
    heat_map = next(one for one in tables(markdown(sample)) if one[0][0] == "depth")
    assert heat_map[0] == ["depth", "8k", "64k", "256k", "1m", "3m"]
    assert [row[0] for row in heat_map[1:]] == [f"{at}-{at + 10} %" for at in range(0, 100, 10)]
    assert heat_map[5] == ["40-50 %", "1.000 (n 6)", "1.000 (n 6)", "1.000 (n 6)", "0.333 (n 6)", "0.833 (n 6)"]


def test_figures_latencies_and_provenance_are_told(sample: Report) -> None:
    found = tables(markdown(sample))
    assert ["ingest", "21.30 MB/s", "21.30 MB/s"] in next(one for one in found if one[0] == ["figure", "1m", "10m"])
    assert next(one for one in found if one[0][:2] == ["cell", "timed"])[0][2:] == ["p50, ms", "p95, ms", "p99, ms"]
    gpus = next(one for one in found if one[0][0] == "context")
    assert gpus[2] == ["1m", "15.2", "57.3", "1 x 80 GB"]
    provenance = dict(row for row in found[-1][1:])
    assert provenance["git.revision"] == sample["provenance"]["git"]["revision"]
    assert provenance["config.retrieve.backend"] == "fts5"
    assert provenance["time"] == "ingesting 38.2 s, asking 21.4 s, harness 3.1 s"


def test_a_report_without_gates_comparison_or_questions(sample: Report) -> None:
    sample.update(gates=[], comparison=None, tasks=sample["tasks"][-1:], notes=[])
    source = markdown(sample)
    assert source.startswith("# gw bench: measured\n\nno gate was set and nothing was compared.")
    assert "## Gates" not in source


def test_texts_of_strangers_stay_text(sample: Report, hostile: tuple[str, ...]) -> None:
    tidy = [[len(row) for row in one] for one in tables(markdown(sample))]
    for value in hostile:
        sample["gates"][0].update(gate=value, reason=value)
        sample["notes"] = [value]
        sample["comparison"].update(baseline=value, notes=[value])
        task = sample["tasks"][3]
        task.update(name=value, identity=value)
        task["cells"][0].update(name=value, notes=[value])
        task["cells"][0]["groups"]["category"][0]["group"] = value
        sample["provenance"]["haystack"]["name"] = value
        source = markdown(sample)
        assert [[len(row) for row in one] for one in tables(source)] == tidy
        assert {one.type for one in flat(parsed(source))} & {"link_open", "image", "fence", "code_block"} == set()
        own = "".join(html_in(source))
        for tag in OWN_HTML:
            own = own.replace(tag, "")
        assert "<" not in own
        source.encode("utf-8")


@given(st.text(st.characters(), max_size=60))
def test_any_text_in_a_table_is_one_cell_of_text(value: str) -> None:
    source = "\n".join(table(["a", "b"], [[text(value), "end"]]))
    (found,) = tables(source)
    assert [len(row) for row in found] == [2, 2]
    assert found[1][1] == "end"
    assert {one.type for one in flat(parsed(source))} <= {
        *("table_open", "thead_open", "tr_open", "th_open", "inline", "th_close", "tr_close", "thead_close"),
        *("tbody_open", "td_open", "td_close", "tbody_close", "table_close", "text", "text_special"),
    }


@given(st.text(st.characters(exclude_categories=("C", "Z")), max_size=60))
def test_visible_text_is_read_back_as_it_was(value: str) -> None:
    ((_, row),) = tables("\n".join(table(["a", "b"], [[text(value), "end"]])))
    assert row[0] == value


@pytest.mark.parametrize(
    ("value", "escaped"),
    [
        ("recall@5", "recall@5"),
        ("@someone", "&#64;someone"),
        ("09:30", "09:30"),
        ("a://b", "a&#58;//b"),
        ("- x", "\\- x"),
    ],
)
def test_what_a_renderer_would_make_a_link_of_is_escaped(value: str, escaped: str) -> None:
    assert text(value) == escaped
