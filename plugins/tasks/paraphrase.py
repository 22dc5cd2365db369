"""The bench task ``paraphrase``: is a sentence found that answers a question without sharing a word with it?

Pairs written by hand, over many subjects: a needle that states a fact, and a question that it answers. After folding
and stemming they have no word in common, function words included, nor a word that begins like one of the other's.
Whoever knows English sees that the one answers the other; what matches words finds the needle by chance only.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Annotated

from gw_core.bench import planting, tokens
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Subject, Task
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Outcome
from gw_plugins.tasks import hiding
from gw_plugins.tasks.hiding import Corpus, Hidden, Portion

VERSION = "1"
WHAT = (
    "no word of a question, function words included, stands in its needle in any form: a search that matches words "
    "finds a needle here by chance only"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """``needle`` states a fact, ``question`` asks for it in other words, ``answer`` stands verbatim in the needle."""

    id: str
    subject: str
    needle: str
    question: str
    answer: str


@functools.cache
def pairs() -> tuple[Pair, ...]:
    """All pairs, in an order that doesn't change."""
    text = files("gw_plugins.tasks").joinpath("data/paraphrase.jsonl").read_text("utf-8")
    return tuple(Pair(**json.loads(line)) for line in text.splitlines())


class Paraphrase:
    """Needles in natural text whose questions share no word with them: one cell for each size of ``context``.

    The needles are at most 5 % of a haystack; where there are more, they are hidden in several haystacks of that size.
    """

    examples = (
        "gw bench paraphrase",
        "gw bench paraphrase --context 64k -k 10 --json > paraphrase.json",
    )

    def __init__(
        self,
        *,
        context: hiding.Context = ("64k", "256k", "1m"),
        needles: Annotated[
            int | None, Range(1), Help("pairs to hide and to ask for, in each cell; all unless said")
        ] = None,
    ) -> None:
        most = len(pairs())
        if needles is not None and not 1 <= needles <= most:
            raise ValueError(f"needles must be between 1 and {most}, which are all pairs that there are, not {needles}")
        self._sizes = hiding.sizes_of(context)
        self._number = most if needles is None else needles
        settings = {"context": tuple(map(tokens.name_of, self._sizes)), "needles": needles}
        self.identity = Identity("paraphrase", VERSION, settings)

    def run(self, bench: Bench) -> Iterator[Cell]:
        drawn = list(pairs())
        planting.seeded(bench.seed, "paraphrase").shuffle(drawn)
        drawn = drawn[: self._number]
        depths = planting.depths(len(drawn), planting.seeded(bench.seed, "paraphrase", "depths"))
        corpora = hiding.hide_all(self._sizes, drawn, depths, partial(_hide, bench))
        for size in self._sizes:
            yield hiding.cell(
                bench,
                size,
                corpora[size],
                partial(_outcome, bench),
                facts={"subjects": len({pair.subject for pair in drawn})},
                notes=(WHAT, *hiding.few_notes(len(drawn), "questions")),
            )


def _hide(bench: Bench, portion: Portion[Pair]) -> Corpus[Pair]:
    sentences = [pair.needle for pair in portion.needles]
    key = {**portion.key("paraphrase", VERSION), "needles": hiding.digest("\n".join(sentences))}
    return hiding.hide(bench, key, portion, check=lambda texts: hiding.check_sentences(texts, sentences))


def _outcome(bench: Bench, subject: Subject, hidden: Hidden[Pair]) -> Outcome:
    return hiding.search_for(subject, bench.ks, hidden, {"subject": hidden.needle.subject}, {})


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "paraphrase",
        "gw_plugins.tasks.paraphrase:Paraphrase",
        help="single facts hidden in natural text, asked for without any of their words",
    )
