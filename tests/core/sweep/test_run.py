"""Sweeps with a reader: the same result whatever is read at once, nothing asked twice, and failures said."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import gw_core
import gw_core.sweep.run
from gw_core.errors import GwError, UsageError
from gw_core.model import Identity
from gw_core.output import sweep_result
from gw_core.records import Batch, Extracted, Extraction, Recipe, Unit
from gw_core.sweep.recipe import read_recipe
from gw_core.sweep.run import SweepOptions, SweepResult, plain_result

RECIPE = """\
question: Who is worst off?
split: line
fields:
  status: {choice: [open, shut]}
  hours: {number: true, describe: how long it took, unit: h}
reduce: [tally status, sum hours by status, count]
"""
TARGET = 2_000

Rule = Callable[[Sequence[Unit]], None]


class Rules:
    """A reader by rules. ``before`` is called with the units of each call, and may wait or raise; ``spoil`` changes
    what is returned."""

    identity = Identity("rules", "1")
    window = 100_000

    def __init__(self, before: Rule | None = None, spoil: Callable[[Extraction], Any] | None = None) -> None:
        self.max_parallel = 64
        self.calls: list[str] = []
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()
        self._before = before
        self._spoil = spoil

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def extract(self, units: Sequence[Unit], recipe: Recipe) -> Extraction:
        with self._lock:
            self.calls.append(units[0].text)
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            if self._before is not None:
                self._before(units)
            found = Extraction(
                tuple(self._record(index, one.text) for index, one in enumerate(units)),
                raw=f"{len(units)} records",
                prompt_tokens=sum(self.count_tokens(one.text) for one in units),
                completion_tokens=len(units),
            )
            return self._spoil(found) if self._spoil else found
        finally:
            with self._lock:
                self._now -= 1

    @staticmethod
    def _record(index: int, text: str) -> Extracted:
        words = re.search(r"is (\w+)", text)
        hours = re.search(r"took ([\d.]+) h", text)
        values = {"status": words and words[1], "hours": hours and hours[1]}
        evidence = {"status": words[0] if words else "", "hours": hours[0] if hours else ""}
        return Extracted(index, values, evidence)


def line(number: int) -> str:
    status = "open" if number % 3 else "shut"
    return f"ticket {number} is {status} and took {number % 7}.5 h\n"


class Swept:
    """A folder of tickets, and sweeps of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "recipe.yaml").write_text(RECIPE)
        self.data = folder / "data"
        self.data.mkdir()
        for name, first in (("a", 0), ("b", 1_000), ("c", 2_000)):
            (self.data / f"{name}.txt").write_text("".join(map(line, range(first, first + 500))))

    def sweep(
        self, reader: Any, *, concurrency: int = 4, index: str = "index", **more: Any
    ) -> tuple[SweepResult, dict[str, Any]]:
        options = {name: more.pop(name) for name in ("fresh", "allow_unsupported") if name in more}
        with gw_core.open(self.folder, env={"GW_CONFIG": ""}) as ws:
            recipe = read_recipe(self.folder / "recipe.yaml", ws.plugins.registry("reducers").resolve)
            result = gw_core.sweep.run.sweep(
                ws.pipeline,
                recipe,
                ["data"],
                self.folder / index,
                SweepOptions(concurrency, target=TARGET, **options),
                reader=("rules", reader),
                **more,
            )
        return result, sweep_result(result, ())


@pytest.fixture
def swept(tmp_path: Path) -> Swept:
    return Swept(tmp_path)


def of_status(document: dict[str, Any]) -> dict[str, int]:
    return {row["value"]: row["count"] for row in document["result"]["results"]["tally status"]["rows"]}


# -- order and concurrency ------------------------------------------------------------------------------------------


@contextmanager
def out_of_order(parties: int) -> Iterator[Rule]:
    """Of each few calls that come together the first one in is the last one out."""
    turn = threading.Condition()
    inside: list[int] = []

    def before(units: Sequence[Unit]) -> None:
        with turn:
            mine = len(inside)
            inside.append(mine)
            turn.notify_all()
            # Waits for later calls to have begun, as far as there are any: never for the clock alone.
            turn.wait_for(lambda: len(inside) >= min(mine + parties, 40), timeout=0.02)

    yield before


@pytest.mark.parametrize("concurrency", [2, 7, 32])
def test_the_result_is_the_same_whatever_is_read_at_once(swept: Swept, concurrency: int) -> None:
    _, expected = swept.sweep(Rules(), concurrency=1, index="one")
    with out_of_order(concurrency) as before:
        reader = Rules(before)
        _, found = swept.sweep(reader, concurrency=concurrency, index="many")
    assert json.dumps(found["result"]) == json.dumps(expected["result"])
    assert 1 < reader.most <= concurrency
    assert of_status(found) == {"open": 1_000, "shut": 500}
    assert found["result"]["coverage"]["complete"]


def test_no_more_is_read_at_once_than_the_reader_says(swept: Swept) -> None:
    with out_of_order(8) as before:
        reader = Rules(before)
        reader.max_parallel = 2
        swept.sweep(reader, concurrency=32)
    assert reader.most == 2


def test_records_are_handed_on_in_their_order(swept: Swept) -> None:
    seen: list[tuple[str, int]] = []

    def on_batch(batch: Batch) -> None:
        seen.extend((batch.path, start) for start in batch.starts)

    with out_of_order(8) as before:
        swept.sweep(Rules(before), concurrency=8, on_batch=on_batch)
    assert len(seen) == 1_500
    assert seen == sorted(seen)


# -- the journal ----------------------------------------------------------------------------------------------------


def test_nothing_is_asked_twice(swept: Swept) -> None:
    first, expected = swept.sweep(Rules())
    reader = Rules()
    second, found = swept.sweep(reader)
    assert reader.calls == []
    assert (second.coverage.calls, second.coverage.from_journal) == (0, first.coverage.segments)
    assert found["result"] == expected["result"]


def test_after_an_edit_only_what_it_touched_is_asked_again(swept: Swept) -> None:
    first, _ = swept.sweep(Rules())
    assert first.coverage.segments > 25
    text = (swept.data / "b.txt").read_text().splitlines(keepends=True)
    text.insert(250, "ticket 9999 is shut and took 100 h\n")
    (swept.data / "b.txt").write_text("".join(text))
    reader = Rules()
    _, found = swept.sweep(reader)
    assert 1 <= len(reader.calls) <= 3
    assert of_status(found) == {"open": 1_000, "shut": 501}
    _, anew = swept.sweep(Rules(), index="anew")
    assert found["result"] == anew["result"]


def test_what_moved_to_another_file_is_known(swept: Swept) -> None:
    swept.sweep(Rules())
    (swept.data / "a.txt").rename(swept.data / "z.txt")
    reader = Rules()
    _, found = swept.sweep(reader)
    assert reader.calls == []
    assert of_status(found) == {"open": 1_000, "shut": 500}


def test_fresh_asks_again(swept: Swept) -> None:
    first, expected = swept.sweep(Rules())
    reader = Rules()
    _, found = swept.sweep(reader, fresh=True)
    assert len(reader.calls) == first.coverage.segments
    assert found["result"] == expected["result"]


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("concurrency", [1, 32])
def test_the_same_content_is_asked_about_once(swept: Swept, concurrency: int, fresh: bool) -> None:
    for copy in "xyz":
        (swept.data / f"{copy}.txt").write_bytes((swept.data / "a.txt").read_bytes())
    reader = Rules()
    result, found = swept.sweep(reader, concurrency=concurrency, fresh=fresh)
    assert len(reader.calls) == len(set(reader.calls))
    assert result.coverage.calls == len(reader.calls) < result.coverage.segments
    assert of_status(found) == {"open": 1_999, "shut": 1_001}


def test_what_came_before_an_error_is_journalled(swept: Swept) -> None:
    """Also what came out of turn: the first segment is still with the reader when the sweep breaks off."""
    begun, go_on = threading.Semaphore(0), threading.Event()

    def before(units: Sequence[Unit]) -> None:
        if units[0].text.startswith("ticket 0 "):
            for _ in range(5):
                begun.acquire()
            go_on.wait(10)
        begun.release()

    def on_batch(_: Batch) -> None:
        raise KeyboardInterrupt

    reader = Rules(before)
    timer = threading.Timer(0.3, go_on.set)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        swept.sweep(reader, concurrency=4, on_batch=on_batch)
    timer.join()
    again = Rules()
    swept.sweep(again)
    assert len(set(reader.calls) & set(again.calls)) <= 4  # those that were in flight


# -- failures -------------------------------------------------------------------------------------------------------


def failing(error: Exception) -> Rule:
    def before(units: Sequence[Unit]) -> None:
        if any(one.text.startswith("ticket 1100 ") for one in units):
            raise error

    return before


@pytest.mark.parametrize(
    "error", [RuntimeError("no more memory"), GwError("no more memory"), ValueError("no more memory")]
)
def test_a_segment_that_fails_is_named_and_asked_again_next_time(swept: Swept, error: Exception) -> None:
    result, found = swept.sweep(Rules(failing(error)))
    coverage = found["result"]["coverage"]
    assert not coverage["complete"]
    [missing] = coverage["segments"]["missing"]
    assert missing["path"] == "data/b.txt"
    assert "no more memory" in missing["reason"]
    text = (swept.data / "b.txt").read_text()
    lost = text[missing["start"] : missing["end"]].splitlines()
    assert len(lost) == missing["records"]
    assert any(one.startswith("ticket 1100 ") for one in lost)
    assert sum(of_status(found).values()) == 1_500 - len(lost)
    assert coverage["chars"]["all"] - coverage["chars"]["read"] == missing["end"] - missing["start"]
    assert coverage["bytes"]["read"] < coverage["bytes"]["all"]
    assert "at least" in result.answer

    reader = Rules()
    _, repaired = swept.sweep(reader)
    assert len(reader.calls) == 1
    assert repaired["result"]["coverage"]["complete"]
    _, expected = swept.sweep(Rules(), index="other")
    assert repaired["result"] == expected["result"]


def test_a_reader_that_fails_always_reads_nothing(swept: Swept) -> None:
    def never(_: Sequence[Unit]) -> None:
        raise RuntimeError("gone")

    result, found = swept.sweep(Rules(never))
    coverage = found["result"]["coverage"]
    assert coverage["segments"]["ok"] == 0
    assert coverage["segments"]["failed"] == coverage["segments"]["planned"] == len(result.coverage.missing)
    assert coverage["share_read"] == 0
    assert not any(of_status(found).values())


def test_what_was_cut_off_does_not_count(swept: Swept) -> None:
    def cut(found: Extraction) -> Extraction:
        return replace(found, truncated=found.prompt_tokens is not None and found.prompt_tokens % 3 == 0)

    _, found = swept.sweep(Rules(spoil=cut))
    coverage = found["result"]["coverage"]
    assert coverage["segments"]["truncated"] == len(coverage["segments"]["missing"]) > 0
    assert all(one["truncated"] for one in coverage["segments"]["missing"])
    assert sum(of_status(found).values()) == coverage["records"]["found"] < 1_500


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: None,
        lambda _: [],
        lambda found: replace(found, records=(1, 2)),
        lambda found: replace(found, records=None),
        lambda found: replace(found, raw=b"bytes"),
        lambda found: replace(found, prompt_tokens="many"),
        lambda found: replace(found, prompt_tokens=1 << 80),
        lambda found: replace(found, completion_tokens=-1),
        lambda found: replace(found, records=(Extracted("0", {}),)),  # type: ignore[arg-type]
        lambda found: replace(found, records=(Extracted(0, {"hours": 5}),)),  # type: ignore[dict-item]
        lambda found: replace(found, records=(Extracted(0, {"hours": "5"}, {"hours": None}),)),  # type: ignore[dict-item]
        lambda found: replace(found, records=(Extracted(0, [("hours", "5")]),)),  # type: ignore[arg-type]
        lambda found: replace(found, records=(Extracted(0, {1: "5"}),)),  # type: ignore[dict-item]
    ],
)
def test_a_reader_that_breaks_its_contract_is_named(swept: Swept, spoil: Any) -> None:
    _, found = swept.sweep(Rules(spoil=spoil))
    coverage = found["result"]["coverage"]
    assert coverage["segments"]["ok"] == 0
    assert all("'rules'" in one["reason"] for one in coverage["segments"]["missing"])


# -- support --------------------------------------------------------------------------------------------------------


def only(change: Callable[[Extracted], Extracted]) -> Callable[[Extraction], Extraction]:
    """Change what is said of the fifth record of each segment."""

    def spoil(found: Extraction) -> Extraction:
        return replace(found, records=tuple(change(one) if one.unit == 4 else one for one in found.records))

    return spoil


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda one: replace(one, values={**one.values, "hours": "77"}),
            "'…' does not stand in the evidence for hours",
        ),
        (lambda one: replace(one, values={**one.values, "status": "lost"}), "is no one of open, shut"),
        (lambda one: replace(one, evidence={"status": "was said"}), "the evidence for status does not stand"),
        (lambda one: replace(one, unit=10_000), "the reader says nothing of it"),
        (lambda one: replace(one, unit=-1), "the reader says nothing of it"),
        (lambda one: replace(one, unit=3), "the reader says two things of it"),
        (lambda one: replace(one, values={**one.values, "hours": "NaN"}), "is no number"),
        (lambda one: replace(one, values={**one.values, "hours": "1e999999"}), "is no number"),
        (lambda one: replace(one, values={**one.values, "hours": "9" * 100_000}), "does not stand"),
        (lambda one: replace(one, values={**one.values, "hours": "\ud800"}), "is no number"),
        (lambda one: replace(one, evidence={"status": "open " * 30_000}), "does not stand"),
    ],
)
def test_what_is_not_supported_is_kept_apart(swept: Swept, change: Any, reason: str) -> None:
    seen: list[int] = []
    _, found = swept.sweep(Rules(spoil=only(change)), on_batch=lambda batch: seen.append(len(batch)))
    coverage = found["result"]["coverage"]
    records, segments = coverage["records"], coverage["segments"]["planned"]
    assert coverage["complete"]
    assert records["found"] == 1_500
    assert segments <= records["unsupported"] <= 2 * segments
    assert any(reason in one for one in records["unsupported_by_reason"])
    assert sum(seen) == sum(of_status(found).values()) == records["supported"] == 1_500 - records["unsupported"]
    json.dumps(found, ensure_ascii=False).encode()
    _, again = swept.sweep(Rules())
    assert again["result"] == found["result"]  # from the journal: judged again, to the same end


def test_unsupported_records_can_be_asked_for(swept: Swept) -> None:
    change = only(lambda one: replace(one, values={**one.values, "hours": "77"}))
    _, found = swept.sweep(Rules(spoil=change), allow_unsupported=True)
    assert sum(of_status(found).values()) == 1_500
    assert found["result"]["coverage"]["records"]["unsupported"] > 0


def test_a_reader_that_does_not_extract_is_refused(swept: Swept) -> None:
    with pytest.raises(UsageError, match="a reader that extracts"):
        swept.sweep(object())


@pytest.mark.parametrize(
    ("number", "said"),
    [("1.50", "1.50"), ("-0", 0), ("1e3", 1000), ("9007199254740992", "9007199254740992"), ("0.1e-2", "0.001")],
)
def test_numbers_in_json_are_exact(number: str, said: Any) -> None:
    assert plain_result(Decimal(number)) == said


def test_a_number_of_a_million_digits_is_written_out() -> None:
    assert plain_result({"value": [Decimal("9" * 1_000_001)]}) == {"value": ["9" * 1_000_001]}
