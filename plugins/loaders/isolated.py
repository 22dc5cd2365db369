"""Runs an extractor in a process of its own, with a limit on time and memory.

A file from a stranger can make a C library crash, loop or eat all memory, and nothing inside the same process can stop
that. The process is started at the first file, serves one after another, and is replaced when it had to be killed.

A request is a line of JSON, ``{"target", "size"}``, and ``size`` bytes; so is the reply, ``{"size", "encoding"}`` and
the text in UTF-8, or ``{"error", "reason"}``.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
import weakref
from typing import IO, Any

from gw_core.errors import LoadError, MissingExtraError
from gw_core.schema import Range

SECONDS = 60.0
LIMITS = Range(0.1, 600)
"""Seconds that may be set: a stranger's gw.toml is no way around the limit."""
MEMORY_BYTES = 2 << 30
_EXTRA = "gw-toolkit[docs]"
# The path is handed over rather than left to be found: the folder that gw runs in holds files of strangers.
_START = "import sys; sys.path[:] = sys.argv[1:]; from gw_plugins.loaders.isolated import serve; serve()"


class Isolated:
    """``target`` is ``"module:function"``; the function takes a file's bytes and gives ``(text, encoding)``."""

    def __init__(self, target: str, seconds: float = SECONDS) -> None:
        self._target = target
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stop: weakref.finalize[[subprocess.Popen[bytes]], Isolated] | None = None

    def __call__(self, data: bytes) -> tuple[str, str]:
        """Raises :class:`LoadError` with what the extractor said, or with ``timeout`` or ``crashed``, and
        :class:`MissingExtraError` where the extractor's library is not installed."""
        with self._lock:
            process = self._process or self._started()
            killed = threading.Event()

            def kill() -> None:
                killed.set()
                process.kill()

            timer = threading.Timer(self._seconds, kill)
            timer.daemon = True
            timer.start()
            try:
                reply, body = self._ask(process, data)
            except (OSError, ValueError):
                self.close()
                if killed.is_set():
                    message = f"extracting its text took longer than {self._seconds:g} seconds"
                    raise LoadError(message, reason="timeout") from None
                raise LoadError("extracting its text made the extractor crash", reason="crashed") from None
            except BaseException:  # interrupted half-way: the next file must not get this one's reply
                self.close()
                raise
            finally:
                timer.cancel()
        if "missing" in reply:
            raise MissingExtraError(
                f"reading this kind of file needs a package that is not installed: {reply['missing']}",
                hint=f"pip install '{_EXTRA}'",
            )
        if "error" in reply:
            raise LoadError(reply["error"], reason=reply["reason"])
        return body.decode("utf-8"), reply["encoding"]

    def close(self) -> None:
        """Stop the process, if there is one."""
        if self._stop is not None:
            self._stop()
        self._process = self._stop = None

    def _started(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt is for gw, which then stops this
        )
        self._stop = weakref.finalize(self, _stop, self._process)
        return self._process

    def _ask(self, process: subprocess.Popen[bytes], data: bytes) -> tuple[dict[str, Any], bytes]:
        assert process.stdin is not None  # noqa: S101  for the type checker
        assert process.stdout is not None  # noqa: S101
        _send(process.stdin, {"target": self._target}, data)
        return _receive(process.stdout)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe:
                pipe.close()
    process.wait()


def _send(pipe: IO[bytes], head: dict[str, Any], body: bytes = b"") -> None:
    pipe.write(json.dumps({**head, "size": len(body)}).encode() + b"\n")
    pipe.write(body)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    """Raises :class:`ValueError` at the end of the stream."""
    head = json.loads(pipe.readline())
    body = pipe.read(head["size"])
    if len(body) != head["size"]:
        raise ValueError("the stream ended in the middle of a message")
    return head, body


def serve() -> None:
    """What the process of its own does: extract until its input ends."""
    _limit_memory()
    # The replies have the output to themselves: what a library prints goes nowhere.
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    while True:
        try:
            request, data = _receive(sys.stdin.buffer)
        except ValueError:
            return
        _send(replies, *_extract(request["target"], data))


def _extract(target: str, data: bytes) -> tuple[dict[str, Any], bytes]:
    module, _, function = target.partition(":")
    try:
        text, encoding = getattr(importlib.import_module(module), function)(data)
        # Half a surrogate pair is no character, and could not be stored.
        return {"encoding": encoding}, text.encode("utf-8", "replace")
    except ImportError as error:
        return {"missing": error.name or str(error)}, b""
    except LoadError as error:
        return {"error": str(error), "reason": error.reason}, b""
    except MemoryError:
        return {"error": "extracting its text takes too much memory", "reason": "too-large"}, b""
    except Exception as error:  # noqa: BLE001  whatever a broken file makes a library raise
        message = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return {"error": f"its extractor failed: {message}", "reason": "damaged"}, b""


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415  not everywhere

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (ImportError, OSError, ValueError):
        return  # the limit on time still holds
