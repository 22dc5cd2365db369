"""How often ``gw ask`` with the ``regex`` reader answers XQuAD's questions, end to end over all 240 passages.

One passage a file, ingested and asked through the public library, with no abstention. ``contains``: the sentence holds
the gold answer, both normalised as SQuAD does. ``F1`` and ``exact``: the value against the gold answer, SQuAD's too; a
missing value counts 0. Weights were fitted on the even articles (five passages each), so the odd ones are held out.

    GW_TEST_DATA=... python benchmarks/reader_xquad.py [xquad-en xquad-de xquad-zh xquad-th]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import string
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import gw_core
from gw_plugins.readers.regex import Regex

TO_REACH = {"xquad-en": 0.77, "xquad-de": 0.70, "xquad-zh": 0.72, "xquad-th": 0.50}
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Outcome:
    """What became of one question."""

    article: int
    contains: bool
    found: bool
    """The gold passage is among the passages that were read."""
    words: int
    f1: float
    exact: bool


# Not the rules of gw_core.bench.metrics, which know of more than ASCII and of scripts without spaces, and ask that an
# answer stand in a text as whole words. These are those of SQuAD's own script, so that F1 compares with what others
# publish. By those, .803 of XQuAD-en's sentences hold the answer, and .804 by these; F1 of XQuAD-zh is .041, and .028.
def normalised(text: str) -> str:
    """SQuAD's: lower case, no ASCII punctuation, no articles, single spaces."""
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text.lower().translate(_PUNCTUATION)).split())


def f1(said: str, gold: str) -> float:
    """SQuAD's F1: the harmonic mean of precision and recall over words."""
    left, right = normalised(said).split(), normalised(gold).split()
    common = sum((Counter(left) & Counter(right)).values())
    return 2 * common / (len(left) + len(right)) if common else 0.0


def rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def outcomes(collection: Path) -> tuple[list[Outcome], float]:
    """All questions of a collection, and CPU milliseconds that the reader alone takes for one."""
    questions = {row["_id"]: row["text"] for row in rows(collection / "queries.jsonl")}
    found: list[Outcome] = []
    reader, spent = Regex(), 0.0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(collection / "corpus.jsonl"):
            (Path(folder) / f"{row['_id']}.txt").write_text(row["text"], "utf-8")
        with gw_core.open(folder) as workspace:
            workspace.ingest([folder])
            for row in rows(collection / "spans.jsonl"):
                question, gold, passage = questions[row["query-id"]], row["answer"], row["corpus-id"]
                answer = workspace.ask(question, reader="regex", abstain=False)
                passages = [one.passage for one in answer.evidence]
                began = time.process_time()
                reader.answer(question, passages)
                spent += time.process_time() - began
                value = answer.value or ""
                found.append(
                    Outcome(
                        article=int(passage[1:]) // 5,
                        contains=normalised(gold) in normalised(answer.text),
                        found=any(one.path == f"{passage}.txt" for one in passages),
                        words=len(answer.text.split()),
                        f1=f1(value, gold),
                        exact=bool(value) and normalised(value) == normalised(gold),
                    )
                )
    return found, 1000 * spent / len(found)


def share(values: Sequence[bool]) -> str:
    """A share with the half width of its 95 % interval."""
    mean = sum(values) / len(values)
    return f"{mean:.3f} ±{1.96 * math.sqrt(mean * (1 - mean) / len(values)):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", default=list(TO_REACH))
    parser.add_argument("--data", type=Path, default=os.environ.get("GW_TEST_DATA"))
    options = parser.parse_args()
    if options.data is None:
        parser.error("set GW_TEST_DATA to the folder of the collections")
    print("collection        n  found  contains      to reach  words     F1  exact  ms CPU of the reader")
    for name in options.collections:
        everything, spent = outcomes(Path(options.data) / name)
        parts = [(name, everything)]
        if name == "xquad-en":
            parts += [
                (f"  {half}", [o for o in everything if o.article % 2 == at]) for at, half in enumerate(("even", "odd"))
            ]
        for label, part in parts:
            n = len(part)
            print(
                f"{label:14} {n:4}  {sum(o.found for o in part) / n:.3f}  {share([o.contains for o in part])}"
                f"  {TO_REACH.get(name, math.nan):.2f} {sum(o.words for o in part) / n:9.1f}"
                f"  {sum(o.f1 for o in part) / n:.3f}  {sum(o.exact for o in part) / n:.3f}  {spent:6.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
