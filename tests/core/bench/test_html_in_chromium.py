"""The HTML report as it is rendered: by a headless Chromium, from a file, with no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("plotly", reason="the extra [report] is not installed")
from gw_core.bench.outputs.html import html

pytestmark = pytest.mark.slow

Report = dict[str, Any]
Open = Callable[..., Any]

DRAWN = "document.documentElement.dataset.charts"


def open_page(browser: Any, report: Report, file: Path, **options: Any) -> Any:
    file.write_text(html(report), encoding="utf-8")
    page = browser.open(file, **options)
    assert page.until(DRAWN) == "drawn"
    return page


def closed_quietly(page: Any) -> None:
    """Nothing complained, and nothing was asked for but what is in the file."""
    assert page.complaints() == []
    assert [one for one in page.requests() if not one.startswith(("file:", "data:", "blob:"))] == []
    page.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """``opened(report, width=, height=, dark=)``: the page, its charts drawn."""
    pages = []

    def opening(report: Report, **options: Any) -> Any:
        pages.append(open_page(browser, report, tmp_path / f"report-{len(pages)}.html", **options))
        return pages[-1]

    yield opening
    for page in pages:
        closed_quietly(page)


@pytest.fixture(scope="module")
def page(browser: Any, make_report: Callable[..., Report], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The sample, opened once in a wide window; each test opens details of its own."""
    shared = open_page(browser, make_report(), tmp_path_factory.mktemp("page") / "report.html")
    yield shared
    closed_quietly(shared)


def texts(page: Any, selector: str) -> list[str]:
    found: list[str] = page.evaluate(
        f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.textContent)"
    )
    return found


def brightness(colour: tuple[int, int, int]) -> float:
    return sum(colour) / 3


def test_charts_are_drawn(page: Any, sample: Report) -> None:
    needle = "#task-0 figure:nth-of-type({})"
    depths = sample["tasks"][0]["cells"][3]["groups"]["depth"]
    heat_map = texts(page, f"{needle.format(1)} .heatmap-label")
    assert len(heat_map) == 50
    assert sorted(heat_map)[0] == "0.33" == f"{min(one['metrics']['recall@5']['value'] for one in depths):.2f}"
    assert texts(page, f"{needle.format(1)} .xtick") == ["8k", "64k", "256k", "1m", "3m"]
    tops = f"[...document.querySelectorAll('{needle.format(1)} .ytick')].sort((a, b) => top(a) - top(b))[0].textContent"
    assert page.evaluate(f"(top => {tops})(one => one.getBoundingClientRect().top)") == "0-10 %"
    recall = needle.format(2)
    assert texts(page, f"{recall} .legendtext") == ["recall@1", "recall@5", "recall@10", "chance, recall@5"]
    assert len(texts(page, f"{recall} .js-line")) >= 4
    bands = page.evaluate(f"[...document.querySelectorAll('{recall} .js-fill')].map(one => one.getBBox().height)")
    assert len(bands) == 3
    assert min(bands) > 5
    assert texts(page, f"{needle.format(3)} .legendtext") == ["p50", "p95", "p99"]
    inside = (
        "[...document.querySelectorAll('.chart')].every(one => one.querySelector('svg').clientWidth <= one.clientWidth)"
    )
    assert page.evaluate(inside)


def test_bands_are_where_the_intervals_are(page: Any, sample: Report) -> None:
    trace = page.evaluate(
        "(() => { const of = document.querySelectorAll('#task-0 .chart')[1].data;"
        " return {band: of[0].y, names: of.map(one => one.name)}; })()"
    )
    metrics = [one["metrics"]["recall@1"] for one in sample["tasks"][0]["cells"]]
    assert trace["band"] == [*(one["high"] for one in metrics), *(one["low"] for one in reversed(metrics))]


def test_what_failed_is_said_first(page: Any) -> None:
    assert texts(page, "h1")[0].split() == ["✗", "Failed"]
    assert texts(page, ".failed li")[1] == "needle/1m: recall@5 is 0.767, at least 0.99 is wanted"
    assert texts(page, ".failed li")[-1] == "needle/1m: recall@5 fell from 0.877 to 0.767, which is worse"
    order = page.evaluate("[...document.querySelectorAll('h2')].map(one => one.textContent)")
    assert order[:4] == ["What failed", "Gates", "Against the baseline", "needle"]
    assert order[-1] == "Provenance"


def test_a_phone_shows_the_page_without_sideways_scrolling(opened: Open, sample: Report) -> None:
    sample["tasks"] = [sample["tasks"][at] for at in (0, 3, 4)]
    page = opened(sample, width=390, height=844)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.until("document.querySelectorAll('.list').length == 3")
    page.evaluate("for (const one of document.querySelectorAll('.list details')) one.open = true")
    page.until("document.querySelector('.inside')")
    width = page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth, visualViewport.width]")
    assert width == [390, 390, 390]
    assert page.evaluate("document.querySelector('#task-0 .charts .scroll').clientWidth") > 320
    assert (
        page.evaluate("document.querySelector('#task-2 .scroll').scrollWidth") > 390
    )  # wide tables scroll in their box
    too_wide = (
        "[...document.querySelectorAll('main *')].filter(one => !one.closest('.scroll')"
        " && one.getBoundingClientRect().right > 391).map(one => one.outerHTML.slice(0, 80))"
    )
    assert page.evaluate(too_wide) == []


def test_dark_and_light_follow_the_reader_while_the_page_is_open(page: Any) -> None:
    ink = "document.querySelectorAll('#task-0 .chart')[1].layout.font.color"
    line = "getComputedStyle([...document.querySelectorAll('#task-0 .js-line')].at(-1)).stroke"
    assert brightness(page.pixel(4, 4)) > 230
    light = page.evaluate(f"[{ink}, {line}]")
    page.dark(True)
    page.until(f"{ink} !== {light[0]!r} && {line} !== {light[1]!r}")
    assert brightness(page.pixel(4, 4)) < 40
    page.dark(False)
    page.until(f"{ink} === {light[0]!r} && {line} === {light[1]!r}")
    assert brightness(page.pixel(4, 4)) > 230


def test_a_page_that_is_opened_in_the_dark_is_dark_and_printed_light(opened: Open, sample: Report) -> None:
    sample["tasks"] = sample["tasks"][:1]
    page = opened(sample, dark=True)
    assert brightness(page.pixel(4, 4)) < 40
    x, y = page.evaluate(
        "(() => { document.querySelector('#task-0 .chart').scrollIntoView();"
        " const box = document.querySelector('#task-0 .chart .heatmaplayer image').getBoundingClientRect();"
        " return [Math.round(box.x + 6), Math.round(box.y + 6)]; })()"
    )
    assert brightness(page.pixel(x, y)) < 110  # 1.0 recedes, on a dark page by being dark
    ink = "document.querySelectorAll('#task-0 .chart')[1].layout.font.color"
    dark = page.evaluate(ink)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.until(f"{ink} !== {dark!r}")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.until(f"{ink} === {dark!r}")
    assert len(page.call("Page.printToPDF")["data"]) > 50_000


def test_questions_are_listed_when_they_are_asked_for_and_filtered(page: Any, sample: Report) -> None:
    box = "#task-0 .questions"
    cells = sample["tasks"][0]["cells"]
    below = sum(one["values"]["recall@5"] < 1 for cell in cells for one in cell["questions"])
    assert texts(page, f"{box} > summary") == [f"300 questions, {below} below 1 at recall@5"]
    assert texts(page, f"{box} li") == []
    page.evaluate(f"document.querySelector('{box} > summary').click()")
    page.until(f"document.querySelector('{box} li')")
    assert texts(page, f"{box} .found") == [f"{below} of 300 questions"]
    assert len(texts(page, f"{box} .list > li")) == below

    def choose(label: str, value: str) -> str:
        labels = f"[...document.querySelectorAll('{box} label')].find(one => one.textContent.startsWith({label!r}))"
        put = f"at.value = {value!r}; at.dispatchEvent(new Event('input'))"
        page.evaluate(f"(at => {{ {put} }})({labels}.querySelector('input, select'))")
        return texts(page, f"{box} .found")[0]

    assert choose("Show", "") == "300 of 300 questions"
    assert len(texts(page, f"{box} .list > li")) == 50
    page.evaluate(f"document.querySelector('{box} button').click()")
    assert len(texts(page, f"{box} .list > li")) == 100
    assert choose("Cell", "1m") == "60 of 300 questions"
    assert choose("Text", "NUMBER 17?") == "1 of 300 questions"
    assert choose("Text", "no such text") == "0 of 300 questions"


def test_a_question_opens_with_its_values_places_and_answer(opened: Open, sample: Report) -> None:
    sample["tasks"] = sample["tasks"][:1]
    page = opened(sample)
    page.evaluate("document.querySelector('.questions').open = true")
    page.until("document.querySelector('.list summary')")
    wanted = next(
        one for cell in sample["tasks"][0]["cells"] for one in cell["questions"] if one["values"]["recall@5"] < 1
    )
    assert wanted["question"] in texts(page, ".list summary")[0]
    page.evaluate("document.querySelector('.list summary').click()")
    page.until("document.querySelector('.inside')")
    (inside,) = texts(page, ".inside")
    place = wanted["detail"]["expected"][0]
    for said in ("recall@5 0", f"{place['path']}, {place['start']} to {place['end']}", "4711-B", wanted["id"]):
        assert said in inside


def test_everything_can_be_reached_with_the_keyboard(page: Any) -> None:
    page.evaluate("document.querySelector('#task-1 .questions > summary').focus()")
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    page.until("document.querySelector('#task-1 .list summary')")
    reached = page.evaluate(
        "[...document.querySelectorAll('#task-1 :is(input, select, button, summary, .scroll)')]"
        ".every(one => one.tabIndex === 0 || one.closest('figure'))"
    )
    assert reached


def test_no_text_of_a_report_runs_or_becomes_markup(opened: Open, sample: Report, hostile: tuple[str, ...]) -> None:
    everything = " ".join(hostile)
    sample["gates"][0].update(gate=everything, reason=everything, task=everything)
    sample["notes"] = list(hostile)
    sample["comparison"].update(baseline=everything, notes=list(hostile))
    sample["tasks"] = sample["tasks"][:1]
    (task,) = sample["tasks"]
    task.update(name=everything, identity=everything, settings={everything: everything})
    for cell, value in zip(task["cells"], hostile[:5], strict=True):
        cell["name"] = f"{value}<a href='javascript:window.pwned=1'>x</a>"
        cell["facts"] = {value: [{value: value}]}
        for group in cell["groups"]["depth"]:
            group["group"] += value
        for question, text in zip(cell["questions"], hostile, strict=False):
            question.update(question=text, id=text, detail={text: text, "answer": text, "found": [{"text": text}]})
            question["group"] = {text: text}
    page = opened(sample)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.until("document.querySelector('#task-0 .list details')")
    show = "document.querySelectorAll('#task-0 select')[0]"
    page.evaluate(f"{show}.value = ''; {show}.dispatchEvent(new Event('input'))")
    page.evaluate("for (const one of document.querySelectorAll('.list details')) one.open = true")
    page.until("document.querySelector('#task-0 .inside')")
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.querySelectorAll('main img, main script, main a, main iframe, svg a').length") == 0
    assert "<script>alert(1)</script>" in texts(page, ".notes li")
    assert "</script><script>window.pwned = 1</script>" in " ".join(texts(page, "#task-0 .list summary"))


def test_five_thousand_questions_stay_quick(opened: Open, make_report: Callable[..., Report]) -> None:
    report = make_report(1000)
    report["tasks"] = report["tasks"][:1]
    page = opened(report)
    box = "document.querySelector('.questions')"
    start = page.evaluate(f"{box}.open = true; performance.now()")
    page.until(f"{box}.querySelector('.list')")
    spent = page.evaluate("performance.now()") - start
    assert texts(page, ".found")[0].endswith(" of 5,000 questions")
    assert page.evaluate("document.querySelectorAll('*').length") < 4000
    assert spent < 5000  # tens of milliseconds; what is caught here is drawing all of them


def test_without_scripts_the_figures_are_there(browser: Any, sample: Report, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(html(sample).replace("<script>", "<script type='off'>"), encoding="utf-8")
    page = browser.open(file)
    assert "0.767 0.646 to 0.856" in " ".join(texts(page, "#task-0 td"))
    assert texts(page, "#task-0 details table th[scope=row]")[0] == "0-10 %"
    page.close()
