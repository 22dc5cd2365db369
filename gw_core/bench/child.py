"""Pieces of work that are measured in a process of their own; this is what that process runs.

It is handed one pickled piece on its input, by :mod:`gw_core.bench.processes`, and prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gw_core.config import Config
from gw_core.errors import GwError
from gw_core.plugins import Plugins
from gw_core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Ingest:
    """Ingest all of ``root`` into ``index``, which is not there yet."""

    config: Config
    root: Path
    index: Path

    def run(self) -> dict[str, Any]:
        with Workspace(self.root, self.index, self.config, Plugins()) as workspace:
            cpu, wall = _cpu(), time.perf_counter()
            report = workspace.ingest([self.root])
            cpu, wall = _cpu() - cpu, time.perf_counter() - wall
            status = workspace.status()
        return {
            "cpu": cpu,
            "wall": wall,
            "read": report.bytes_read,
            "documents": status.documents,
            "passages": status.chunks,
            "index": status.index_bytes,
        }


@dataclass(frozen=True, slots=True)
class Search:
    """Ask ``questions`` one after another, after the ``warm_up`` ones, which are not measured."""

    config: Config
    root: Path
    index: Path
    questions: Sequence[str]
    warm_up: Sequence[str] = ()
    backend: str | None = None
    rerank: tuple[str, ...] | None = None

    def run(self) -> dict[str, Any]:
        cpu, wall, hits = [], [], []
        with Workspace(self.root, self.index, self.config, Plugins()) as workspace:
            for question in self.warm_up:
                workspace.search(question, backend=self.backend, rerank=self.rerank)
            for question in self.questions:
                began_cpu, began = _cpu(), time.perf_counter()
                result = workspace.search(question, backend=self.backend, rerank=self.rerank)
                wall.append(time.perf_counter() - began)
                cpu.append(_cpu() - began_cpu)
                hits.append(len(result.evidence))
        return {"cpu": cpu, "wall": wall, "hits": hits}


Piece = Ingest | Search


def serve() -> None:
    """Do the piece of work on the input. What a library prints on the way goes nowhere."""
    reply = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Nobody but the process that started this one can write here.
    piece: Piece = pickle.load(sys.stdin.buffer)  # noqa: S301
    try:
        result = {**piece.run(), "memory": peak_memory()}
    except GwError as error:
        result = {"error": error.message, "hint": error.hint, "exit_code": error.exit_code}
    with reply:
        reply.write(json.dumps(result) + "\n")


def peak_memory() -> int:
    """The most memory that this process had at any moment, in bytes. Not ``ru_maxrss`` where it can be avoided: that
    one starts with what the parent had."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(one for one in status.read_text("ascii", "replace").splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _cpu() -> float:
    """CPU seconds of this process and of those that it has started and seen end."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
