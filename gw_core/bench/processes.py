"""The system under test in processes of its own, so that its memory and time hold nothing of what ran before."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gw_core.bench.cache import unfinished
from gw_core.bench.child import Ingest, Piece, Search
from gw_core.bench.subject import Asking
from gw_core.config import Config
from gw_core.errors import GwError, UsageError
from gw_core.trial import Ingested, Searched

SECONDS = 1_800.0
"""How long one piece of work may take before its process is stopped."""

# The path is handed over rather than left to be found: the folder that gw runs in holds files of strangers.
_START = "import sys; sys.path[:] = sys.argv[1:]; from gw_core.bench.child import serve; serve()"


class Processes:
    """Works on the files of ``corpus``. A context manager: its index, made anew by each :meth:`ingest`, lies in
    ``folder`` as long as it is open.

    Each method raises :class:`GwError` where its process fails, or is not done in ``seconds``.
    """

    def __init__(
        self, config: Config, corpus: Path, folder: Path, asking: Asking | None = None, *, seconds: float = SECONDS
    ) -> None:
        self._config = config
        self._corpus = corpus
        self._folder = folder
        self._asking = asking or Asking()
        self._seconds = seconds
        self._place: Path | None = None

    def __enter__(self) -> Processes:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._place = unfinished(self._folder)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._place is not None:
            shutil.rmtree(self._place, ignore_errors=True)
        self._place = None

    def ingest(self) -> Ingested:
        """A fresh ingest of the whole corpus."""
        shutil.rmtree(self._index, ignore_errors=True)
        done = run_piece(Ingest(self._config, self._corpus, self._index), self._seconds)
        return Ingested(
            cpu=done["cpu"],
            wall=done["wall"],
            bytes=done["read"],
            documents=done["documents"],
            passages=done["passages"],
            index_bytes=done["index"],
            peak_memory=done["memory"],
        )

    def search(self, questions: Sequence[str], warm_up: Sequence[str] = ()) -> Searched:
        """One process asks the index of the last :meth:`ingest`, first what warms it up, then ``questions``."""
        asking = self._asking
        piece = Search(
            self._config, self._corpus, self._index, tuple(questions), tuple(warm_up), asking.backend, asking.rerank
        )
        done = run_piece(piece, self._seconds)
        return Searched(tuple(done["cpu"]), tuple(done["wall"]), tuple(done["hits"]), done["memory"])

    def start_up(self, question: str, runs: int = 7) -> Mapping[str, float]:
        """CPU seconds of whole processes: ``python`` that does nothing, ``gw --version``, and a ``gw search`` for
        ``question`` in the corpus.

        They run in turns; of the runs the least counts, as what other processes do to the machine only ever adds.
        ``gw`` runs as the user would call it elsewhere: with their own configuration, not that of a project.
        """
        gw = command()
        index = self._index.with_name("start-up")
        there = ["--root", str(self._corpus), "--index", str(index)]
        if not index.is_dir():
            self._cpu_of([*gw, *there, "ingest", str(self._corpus)])
        commands = {
            "python": [sys.executable, "-c", "pass"],
            "version": [*gw, "--version"],
            "search": [*gw, *there, "search", "--", question],
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(runs + 1):
            for name, call in commands.items():
                seconds = self._cpu_of(call)
                if number:  # the first run warms the page cache
                    took[name].append(seconds)
        return {name: min(seconds) for name, seconds in took.items()}

    @property
    def _index(self) -> Path:
        if self._place is None:
            raise ValueError("not open")
        return self._place / "index"

    def _cpu_of(self, call: Sequence[str]) -> float:
        """CPU seconds of a command, which must end well, or, for a search, without hits."""
        with subprocess.Popen(
            call,
            cwd=self._place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            timer = threading.Timer(self._seconds, _stop, [process])
            timer.daemon = True
            timer.start()
            try:
                said = process.stderr.read() if process.stderr else b""
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            except BaseException:
                _stop(process)
                raise
            finally:
                timer.cancel()
        if process.returncode not in (0, 3):
            raise _failed("gw" if call[0] != sys.executable else "python", process.returncode, said)
        return usage.ru_utime + usage.ru_stime


def run_piece(piece: Piece, seconds: float = SECONDS) -> dict[str, Any]:
    """Do a piece of work in a process of its own: its result, with the peak ``memory`` of the process in bytes.

    Raises what the piece raised (a :class:`UsageError` or :class:`GwError`), and GwError where the process died or was
    not done in time.
    """
    name = type(piece).__name__.lower()
    with subprocess.Popen(
        [sys.executable, "-c", _START, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # an interrupt is for gw, which then stops this
    ) as process:
        try:
            out, said = process.communicate(pickle.dumps(piece), timeout=seconds)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise GwError(f"measuring {name} took longer than {seconds:g} seconds", hint="try fewer tokens") from None
        except BaseException:
            _stop(process)
            raise
    try:
        result: dict[str, Any] = json.loads(out)
    except ValueError:
        raise _failed(f"measuring {name}", process.returncode, said) from None
    if "error" in result:
        kind = UsageError if result["exit_code"] == UsageError.exit_code else GwError
        raise kind(result["error"], hint=result["hint"])
    return result


def command() -> list[str]:
    """How ``gw`` is called: by the script beside this interpreter, or else as a module."""
    script = Path(sys.executable).with_name("gw")
    return [str(script)] if os.access(script, os.X_OK) and script.is_file() else [sys.executable, "-m", "gw_core"]


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and whatever it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _failed(what: str, code: int | None, said: bytes) -> GwError:
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return GwError(f"{what} failed in its process, with code {code}" + (f": {lines[-1][:300]}" if lines else ""))
