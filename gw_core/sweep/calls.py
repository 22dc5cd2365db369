"""Calls of a reader on threads of their own, that nobody has to wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Calls:
    """Runs functions on at most ``most`` threads, in the order in which they were handed over.

    Unlike those of a ThreadPoolExecutor, the threads end with the program: a call that hangs can't keep a sweep that
    was interrupted from ending.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._threads = 0
        self._closed = False
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, function: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._waiting.put((future, function))
        if self._threads < self._most:
            self._threads += 1
            threading.Thread(target=self._work, name=f"{self._name}-{self._threads}", daemon=True).start()
        return future

    def close(self) -> None:
        """Begin no more calls; those that run are left to themselves."""
        self._closed = True
        try:
            while (call := self._waiting.get_nowait()) is not None:
                call[0].cancel()
        except Empty:
            pass
        for _ in range(self._threads):
            self._waiting.put(None)

    def _work(self) -> None:
        while (call := self._waiting.get()) is not None:
            future, function = call
            if self._closed or not future.set_running_or_notify_cancel():
                continue
            try:
                result = function()
            except BaseException as error:  # noqa: BLE001 - it is for whoever waits
                future.set_exception(error)
            else:
                future.set_result(result)
