"""A limit of CPU time for what may never end, and nothing left behind by it."""

from __future__ import annotations

import re
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from gw_core.timed import ExpiredError, can_limit, limited


def test_what_takes_too_long_is_stopped_and_the_clock_is_let_go() -> None:
    assert can_limit()
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(ExpiredError):
        limited(lambda: re.search(r"^(a+)+$", "a" * 60 + "!"), 0.05)
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_results_and_errors_pass() -> None:
    assert limited(lambda: 7, 5) == 7
    with pytest.raises(ZeroDivisionError):
        limited(lambda: 1 // 0, 5)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_on_another_thread_there_is_no_limit() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(can_limit).result() is False
        assert pool.submit(limited, lambda: 7, 1e-9).result() == 7
