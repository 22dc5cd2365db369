"""The bench task ``needle``: is one sentence found again that was hidden in a large text?

Made-up facts of many kinds stand at stated depths of natural text, each once, and each is asked for in an ordinary
question that shares its words. With distractors, every fact has neighbours that differ only in the end of the name
and in the answer. A needle is found where a retrieved passage contains the whole of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from gw_core.bench import metrics, planting, tokens
from gw_core.errors import UsageError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Subject, Task
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Outcome
from gw_plugins.tasks import hiding
from gw_plugins.tasks.hiding import Corpus, Hidden, Portion
from gw_plugins.tasks.needle_wording import MOST, Fact, distractors, facts

VERSION = "1"


class Needle:
    """Facts in natural text: one cell for each size of ``context``.

    The needles are at most 5 % of a haystack; where there are more, they are hidden in several haystacks of that size.
    ``distractors`` do not count for that.
    """

    examples = (
        "gw bench needle --context 64k,256k,1m,3m --needles 200",
        "gw bench needle --distractors 128 --haystack docs/",
        "gw bench needle --fail-under recall@5=.99 --report report.html",
    )

    def __init__(
        self,
        *,
        context: hiding.Context = ("64k", "256k", "1m"),
        needles: Annotated[int | None, Range(1, MOST), Help("facts to hide and to ask for, in each cell")] = None,
        distractors: Annotated[int, Range(0, MOST), Help("sentences beside each needle that are nearly like it")] = 0,
        ask: Annotated[bool, Help("have the questions answered, too, and score the answers")] = False,
    ) -> None:
        if needles is not None and not 1 <= needles <= MOST:
            raise ValueError(f"needles must be between 1 and {MOST}, not {needles}")
        if not 0 <= distractors <= MOST:
            raise ValueError(f"distractors must be between 0 and {MOST}, not {distractors}")
        self._sizes = hiding.sizes_of(context)
        self._needles = needles
        self._distractors = distractors
        self._ask = ask
        settings = {
            "context": tuple(map(tokens.name_of, self._sizes)),
            "needles": needles,
            "distractors": distractors,
            "ask": ask,
        }
        self.identity = Identity("needle", VERSION, settings)

    def run(self, bench: Bench) -> Iterator[Cell]:
        number = bench.needles if self._needles is None else self._needles
        if not 1 <= number <= MOST:
            raise UsageError(f"needles must be between 1 and {MOST}, not {number}")
        made = facts(number, str(bench.seed))
        depths = planting.depths(number, planting.seeded(bench.seed, "depths"))
        corpora = hiding.hide_all(self._sizes, made, depths, partial(self._hide, bench))
        for size in self._sizes:
            yield hiding.cell(
                bench,
                size,
                corpora[size],
                partial(self._outcome, bench),
                facts={"distractors": self._distractors * number},
                notes=hiding.few_notes(number, "needles"),
            )

    def _hide(self, bench: Bench, portion: Portion[Fact]) -> Corpus[Fact]:
        key = {
            **portion.key("needle", VERSION),
            "needles": [fact.id for fact in portion.needles],
            "distractors": self._distractors,
        }
        names = {fact.word for fact in portion.needles}
        return hiding.hide(
            bench,
            key,
            portion,
            check=lambda texts: hiding.check_names(texts, names),
            beside=lambda: self._beside(bench.seed, portion),
        )

    def _beside(self, seed: int, portion: Portion[Fact]) -> Iterator[tuple[str, float]]:
        """The distractors, each with its depth."""
        for fact in portion.needles:
            choose = planting.seeded(seed, "depths of distractors", fact.id)
            for sentence in distractors(fact, self._distractors, str(seed)):
                yield sentence, choose.random()

    def _outcome(self, bench: Bench, subject: Subject, hidden: Hidden[Fact]) -> Outcome:
        fact = hidden.needle
        outcome = hiding.search_for(subject, bench.ks, hidden, {}, {"kind": fact.kind})
        if not self._ask:
            return outcome
        answered, said = _asked(subject, fact)
        return replace(outcome, values={**outcome.values, **answered}, detail={**outcome.detail, "said": said})


def _asked(subject: Subject, fact: Fact) -> tuple[dict[str, float], dict[str, Any]]:
    """What an answer scores, and the answer itself. One that was refused is no answer."""
    answer = subject.ask(fact.question)
    short = "" if answer.abstained else answer.value or answer.text
    text = "" if answer.abstained else answer.text
    values = {
        "answered": float(not answer.abstained),
        "answer_contains": metrics.answer_contains(text, [fact.answer]),
        "answer_exact": metrics.answer_exact(short, [fact.answer]),
        "answer_f1": metrics.answer_f1(short, [fact.answer]),
    }
    rates = metrics.verdict_rates(answer.verdicts)
    if not answer.abstained and rates:
        values["citations_verified"] = rates["citations_verified"]
    return values, {"text": text, "value": answer.value, "abstained": answer.abstained, "grounding": answer.grounding}


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "needle", "gw_plugins.tasks.needle:Needle", help="single facts hidden in natural text, asked for in their words"
    )
