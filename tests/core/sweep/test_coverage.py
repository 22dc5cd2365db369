"""The accounting of a sweep: parts add up, nothing that was chosen is missed, and the lines say so."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from gw_core.corpus import REASONS
from gw_core.records import Batch
from gw_core.sweep.coverage import LEFT_OUT, Coverage, Missing

Step = Callable[[Coverage], None]


def batch(count: int, unsupported: dict[int, str]) -> Batch:
    return Batch("a", list(range(count)), list(range(count)), {}, {}, unsupported)


STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(
        lambda path, reason, size: lambda one: one.add_skipped(path, reason, "why", size),
        st.sampled_from("abc"),
        st.sampled_from(sorted([*REASONS, "encoding"])),
        st.integers(0, 9),
    ),
    st.builds(
        lambda chars, more, kept: lambda one: one.add_segment(chars, chars + more, from_journal=kept),
        st.integers(0, 99),
        st.integers(0, 9),
        st.booleans(),
    ),
    st.builds(
        lambda path, start, size, cut: (
            lambda one: one.add_missing(Missing(path, start, start + size, size, "gone", truncated=cut))
        ),
        st.sampled_from("abc"),
        st.integers(0, 9),
        st.integers(1, 9),
        st.booleans(),
    ),
    st.builds(
        lambda count, bad, quoted: (
            lambda one: one.add_records(
                batch(count, {index: why for index, why in bad.items() if index < count}), quoted=quoted
            )
        ),
        st.integers(0, 5),
        st.dictionaries(st.integers(0, 4), st.sampled_from(["no", "'x' is no number", "'y' is no number"])),
        st.booleans(),
    ),
    st.builds(
        lambda tokens, seconds: lambda one: one.add_call(tokens, tokens, seconds / 4),
        st.one_of(st.none(), st.integers(0, 99)),
        st.integers(0, 99),
    ),
)


def counted(steps: list[Step]) -> Coverage:
    coverage = Coverage()
    for step in steps:
        step(coverage)
    return coverage


@given(st.lists(STEPS), st.integers(0, 20))
def test_two_parts_merged_are_the_whole(steps: list[Step], at: int) -> None:
    first, second = counted(steps[:at]), counted(steps[at:])
    before = second.result, second.run
    first.merge(second)
    whole = counted(steps)
    assert first == whole
    assert (first.result, first.run, first.lines()) == (whole.result, whole.run, whole.lines())
    assert (second.result, second.run) == before


@given(st.lists(STEPS))
def test_it_is_complete_exactly_if_nothing_is_missing(steps: list[Step]) -> None:
    coverage = counted(steps)
    assert coverage.complete == (not coverage.failed and not coverage.missing)
    assert 0 <= coverage.share_read <= 1
    assert coverage.complete <= (coverage.share_read == 1)
    assert coverage.lines()[0].startswith("read all of ") == coverage.complete
    records = coverage.result["records"]
    assert records["found"] == records["supported"] + records["unsupported"]
    assert records["unsupported"] == sum(records["unsupported_by_reason"].values())
    segments = coverage.result["segments"]
    assert segments["planned"] == segments["ok"] + segments["failed"] + segments["truncated"]
    json.dumps([coverage.result, coverage.run], allow_nan=False)


def test_what_is_left_out_by_rule_does_not_count_against_it() -> None:
    coverage = Coverage()
    for reason in LEFT_OUT:
        coverage.add_skipped(f"{reason}.txt", reason, size=7)
    assert coverage.complete
    assert coverage.bytes == 0
    assert set(coverage.result["files"]["skipped"]) == LEFT_OUT >= {"ignored", "binary", "secret", "excluded"}


def test_a_chosen_file_that_cannot_be_read_does() -> None:
    for reason in ("unreadable", "too-large", "encoding", "damaged"):
        coverage = Coverage()
        coverage.add_segment(10, 30)
        coverage.add_skipped("a.txt", reason, size=10)
        assert not coverage.complete
        assert coverage.share_read == 0.75
        assert list(coverage.result["files"]["failed"]) == ["a.txt"]


def test_a_chosen_file_of_unknown_size_leaves_it_incomplete() -> None:
    coverage = Coverage()
    coverage.add_skipped("a.pdf", "encrypted", "it is encrypted")
    assert (coverage.complete, coverage.share_read) == (False, 0.0)


def test_nothing_at_all_is_complete() -> None:
    coverage = Coverage()
    assert (coverage.complete, coverage.share_read) == (True, 1.0)
    assert coverage.lines() == ["read all of 0 bytes in 0 files, 0 segments of 0"]


def test_almost_all_is_never_shown_as_all() -> None:
    coverage = Coverage()
    coverage.add_segment(10**9, 10**9)
    coverage.add_missing(Missing("a.log", 0, 1, 1, "the server is gone"))
    assert coverage.share_read < 1
    assert "read 99.9 % of 1,000,000,001 bytes" in coverage.lines()[0]


def test_the_result_says_nothing_of_times_calls_and_the_journal() -> None:
    once, again = Coverage(seconds=1.0), Coverage(seconds=2.0, retries=3)
    once.add_segment(5, 5)
    once.add_call(10, 2, 0.5)
    again.add_segment(5, 5, from_journal=True)
    assert once.result == again.result
    assert once.run != again.run


def test_the_lines_name_what_is_missing() -> None:
    coverage = Coverage(files=2, seconds=3.0)
    coverage.add_segment(100, 100)
    coverage.add_skipped("b.bin", "binary")
    coverage.add_skipped("c\x1b.txt", "encoding", "not utf-8:\nbyte 3")
    coverage.add_missing(Missing("a.log", 100, 150, 50, "timed out", records=1))
    coverage.add_records(batch(4, {0: "'p\"' is no number for hours", 1: "'q' is no number for hours"}), quoted=True)
    coverage.conflicts = 1
    coverage.add_call(1000, 20, 1.25)
    assert coverage.lines() == [
        "read 66.6 % of 150 bytes in 2 files, 1 segment of 2",
        "left out: 1 binary",
        "not read: c\\x1b.txt: not utf-8: byte 3",
        "not read: a.log:100-150 (1 record): timed out",
        "4 records: 0 supported literally, 2 by a quotation, 2 unsupported, 1 conflict",
        "unsupported: 2 because '…' is no number for hours",
        "reader: 1 call (0 again), 1,000 tokens in, 20 out, 1.2 s",
        "took 3.0 s",
    ]
    assert len(coverage.lines(run=False)) == 6


def test_of_many_names_only_the_first_are_shown() -> None:
    coverage = Coverage()
    for number in range(25):
        coverage.add_missing(Missing("a.log", number, number + 1, 1, "gone"))
    assert len(coverage.lines()) == 12
    assert coverage.lines()[-1] == "and 15 more of these"
    assert len(coverage.result["segments"]["missing"]) == 25
