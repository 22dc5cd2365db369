"""Matching a regular expression under a time limit, so that a pattern which backtracks for ever can't hang the caller.

``re`` never gives up by itself, but it looks for signals while it works. On the main thread a timer signal that raises
is therefore enough. On any other thread no signal arrives; the same code then runs on the main thread of a child
process, which is why this module needs nothing but the standard library and can be run as a script.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TypeVar

_CHILD_GRACE = 10.0
"""Seconds beyond the texts' own limits before a child that does not answer is killed."""

Group = tuple[int, int]
Found = tuple[Group, Group]
"""The whole match and the value in it, each ``(start, end)``."""


T = TypeVar("T")


class ExpiredError(Exception):
    """What was to be done took longer than it may."""


def can_limit() -> bool:
    """Whether :func:`limited` can keep a limit here: on the main thread of a system that has timer signals."""
    return threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")


def limited(function: Callable[[], T], seconds: float) -> T:
    """The result of ``function``, which may take so many ``seconds`` of CPU. Raises ExpiredError when it takes longer.

    Where :func:`can_limit` is false there is no limit.
    """
    if not can_limit():
        return function()
    armed = True

    def expire(_signal: int, _frame: FrameType | None) -> None:
        if armed:
            raise ExpiredError

    # The timer counts this process's own CPU time: a busy machine must not make a good pattern expire, and SIGALRM
    # stays free for the caller.
    previous = signal.signal(signal.SIGVTALRM, expire)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        result = function()
        armed = False
        return result
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)


def matches(pattern: str, texts: Sequence[str], seconds: float, most: int = 200) -> list[list[Found] | None]:
    """For each text the first ``most`` matches of ``pattern``, or None where ``seconds`` of CPU were not enough.

    ``pattern`` must compile. The value of a match is its group ``value``, else its other named groups, else its
    groups by number, else all of it: the first of them to have taken part. Empty values are left out.
    """
    if can_limit():
        compiled = re.compile(pattern)
        return [_within(compiled, text, seconds, most) for text in texts]
    return _in_child(pattern, texts, seconds, most)


def _within(compiled: re.Pattern[str], text: str, seconds: float, most: int) -> list[Found] | None:
    try:
        return limited(lambda: _find(compiled, text, most), seconds)
    except ExpiredError:
        return None


def _find(compiled: re.Pattern[str], text: str, most: int) -> list[Found]:
    names = sorted(compiled.groupindex, key=lambda name: (name != "value", compiled.groupindex[name]))
    groups: list[int] = [*(compiled.groupindex[name] for name in names), *range(1, compiled.groups + 1), 0]
    found: list[Found] = []
    for match in compiled.finditer(text):
        value = next((match.span(group) for group in groups if match.start(group) >= 0), match.span())
        if value[0] < value[1]:
            found.append((match.span(), value))
            if len(found) == most:
                break
    return found


def _in_child(pattern: str, texts: Sequence[str], seconds: float, most: int) -> list[list[Found] | None]:
    job = json.dumps({"pattern": pattern, "texts": list(texts), "seconds": seconds, "most": most})
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__],
            input=job,
            capture_output=True,
            encoding="ascii",
            timeout=_CHILD_GRACE + 2 * seconds * len(texts),
            check=True,
        )
    except subprocess.TimeoutExpired:
        return [None] * len(texts)
    answer = json.loads(done.stdout)
    return [
        None if found is None else [((m[0], m[1]), (v[0], v[1])) for m, v in found]  # JSON made lists of the tuples
        for found in answer
    ]


def _serve() -> None:
    job = json.load(sys.stdin)
    json.dump(matches(job["pattern"], job["texts"], job["seconds"], job["most"]), sys.stdout)


if __name__ == "__main__":
    _serve()
