"""Sentences and chunks: speed, how often a known answer is torn, and how far an edit reaches.

    GW_TEST_DATA=... python benchmarks/chunking.py

Speed is MB of UTF-8 per CPU second, the best of three. "Torn" counts the answers of the xquad collections that no
single sentence holds. "Changed" counts the chunks of a standard library file that are new after a line was put into it.
"""

from __future__ import annotations

import json
import os
import random
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

from gw_core.model import Document
from gw_core.text.sentences import bounds
from gw_plugins.chunkers.text import Text

COLLECTIONS = ("cranfield", "cisi", "xquad-en", "xquad-de", "xquad-zh", "xquad-th")
INSERTED = "An inserted line of text, to see what then changes.\n"


def document(text: str, kind: str = "text") -> Document:
    return Document("a", text, "", 0, kind=kind)


def speed(text: str, work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return len(text.encode("utf-8", "replace")) / 1e6 / min(seconds)


def standard_library() -> list[str]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    return [path.read_text("utf-8", "replace") for path in sorted(folder.glob("*.py"))]


def measure_speed(name: str, text: str, kind: str) -> None:
    chunker = Text()
    chunks = list(chunker.spans(document(text, kind)))
    sentences = "" if kind == "code" else f"sentences {speed(text, lambda: bounds(text, kind)):6.1f} MB/s"
    chunked = speed(text, lambda: list(chunker.spans(document(text, kind))))
    repeated = sum(map(len, chunks)) / len(text)
    print(
        f"{name:24} chunks {chunked:6.1f} MB/s, {len(text) / len(chunks):5.0f} characters, x{repeated:.3f}  {sentences}"
    )


def measure_torn(folder: Path) -> None:
    texts = {row["_id"]: row["text"] for row in _rows(folder / "corpus.jsonl")}
    units = {key: bounds(text) for key, text in texts.items()}
    answers = [row for row in _rows(folder / "spans.jsonl") if row["exact"]]
    torn = 0
    for row in answers:
        start, end = row["start"], row["end"]
        torn += not any(first <= start and end <= last for first, last in units[row["corpus-id"]])
    lengths = [end - start for pairs in units.values() for start, end in pairs]
    print(f"{folder.name:24} torn {torn} of {len(answers)}; {len(lengths)} sentences, {mean(lengths):.0f} characters")


def measure_reach(texts: list[str]) -> None:
    chunker, draw = Text(), random.Random(1)
    changed = []
    for text in texts:
        if len(text) > 20_000:
            at = text.find("\n", draw.randrange(len(text))) + 1
            after = text[:at] + INSERTED + text[at:]
            old, new = ({span.of(each) for span in chunker.spans(document(each, "code"))} for each in (text, after))
            changed.append(len(new - old))
    numbers = f"median {median(changed)}, mean {mean(changed):.1f}, most {max(changed)}"
    print(f"chunks changed by a line: {numbers} ({len(changed)} files)")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def main() -> None:
    library = standard_library()
    measure_speed("standard library", "".join(library), "code")
    measure_reach(library)
    data = Path(os.environ["GW_TEST_DATA"])
    for name in COLLECTIONS:
        texts = [row["text"] for row in _rows(data / name / "corpus.jsonl")]
        measure_speed(f"{name}, blank lines", "\n\n".join(texts), "text")
        measure_speed(f"{name}, one a line", "\n".join(texts), "text")
        measure_speed(f"{name}, all one line", " ".join(texts), "text")
    for name in COLLECTIONS[2:]:
        measure_torn(data / name)


if __name__ == "__main__":
    main()
