"""gw by its library, as a fresh ``gw ingest`` and ``gw search`` are configured.

Ingest is ``Workspace.ingest`` of the folder: its clock includes walking, reading, hashing and storing the files, for
which the systems that take strings are not charged. Search is ``Workspace.search``, which cites every passage and
re-reads its source. ``verify=False`` leaves that out: the figure to compare with indexes that verify nothing.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from measure import Timer

import gw_core
from gw_core import retrieve
from peers.corpora import Corpus
from peers.systems import Find


def ingest(corpus: Corpus, index: Path, clock: Timer) -> int:
    with gw_core.open(corpus.files, index=index, env={}) as workspace:
        with clock:
            report = workspace.ingest([corpus.files])
        return report.chunks_added


def opened(corpus: Corpus, index: Path, verify: bool = True) -> Find:
    workspace = gw_core.open(corpus.files, index=index, env={})
    if not verify:
        retrieve.evidence_of = lambda _catalogue, _sources, passage: SimpleNamespace(passage=passage)

    def find(question: str, k: int) -> list[str]:
        return [one.passage.path for one in workspace.search(question, k=k).evidence]

    return find
