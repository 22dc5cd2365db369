"""The bench task ``multihop``: questions whose answer stands at the end of a chain of facts.

A chain is hidden link by link in a haystack. Each link is one planted sentence that says where to go on, in one of many
phrasings; the last one states a value. The question names only where the chain begins. What one search finds of a chain
is what this measures: whether the last link was among the top k, and what share of all links.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any

from gw_core.bench import metrics, planting, stats, tokens
from gw_core.errors import UsageError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Subject, Task
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Outcome, Place, SourceText
from gw_plugins.tasks import hiding
from gw_plugins.tasks.chains import Draft, Names, depths, draw, name, texts_of

VERSION = "1"

_LEAST = planting.size_of(["x"])  # of a link


@dataclass(frozen=True, slots=True)
class Plan:
    """One cell before anything is made: its chains, and which of them go into which haystack."""

    hops: int
    context: int
    drafts: tuple[Draft, ...]
    shares: tuple[range, ...]
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.hops}@{tokens.name_of(self.context)}"


class Multihop:
    """Chains of facts in natural text: one cell for each number of ``hops`` at each size of haystack.

    ``hops`` counts the links of a chain, the one that states the value included. Without ``chains`` there are as many
    as a cell has questions, or as many as there is text for. ``branches`` are dead ends that leave each chain.
    """

    examples = (
        "gw bench multihop --hops 3,8,30",
        "gw bench multihop --hops 8 --branches 4 --backend fts5",
    )

    def __init__(
        self,
        *,
        hops: Annotated[tuple[int, ...], Help("links of a chain, one cell for each number")] = (3, 8, 30),
        context: Annotated[tuple[str, ...], Help("sizes of a haystack, in tokens")] = ("256k",),
        chains: Annotated[int | None, Range(1), Help("chains of a cell, one question each")] = None,
        branches: Annotated[int, Range(0), Help("dead ends of each chain")] = 0,
    ) -> None:
        if not hops or min(hops) < 1:
            raise ValueError(f"hops must be 1 or more, not {', '.join(map(str, hops)) or 'none at all'}")
        if chains is not None and chains < 1:
            raise ValueError(f"chains must be 1 or more, not {chains}")
        if branches < 0:
            raise ValueError(f"branches must be 0 or more, not {branches}")
        self._hops = tuple(dict.fromkeys(hops))
        self._sizes = hiding.sizes_of(context)
        self._chains = chains
        self._branches = branches
        sizes = tuple(map(tokens.name_of, self._sizes))
        settings = {"hops": self._hops, "context": sizes, "chains": chains, "branches": branches}
        self.identity = Identity("multihop", VERSION, settings)

    def run(self, bench: Bench) -> Iterator[Cell]:
        plans = [self._plan(bench, hops, size) for size in self._sizes for hops in self._hops]
        for plan in plans:
            yield self._cell(bench, plan)

    # -- planning -----------------------------------------------------------------------------------------------

    def _plan(self, bench: Bench, hops: int, size: int) -> Plan:
        """Chains for one cell, dealt out to as many haystacks as they need: no haystack is given more than its share.

        Raises UsageError where not one chain fits, or where there is not text enough for the chains asked for.
        """
        wanted = bench.needles if self._chains is None else self._chains
        most = int(size * planting.MOST)
        least = (hops + self._branches) * _LEAST
        if least > most:
            raise _too_long(hops, least, size)
        there = self._available(bench, hops, size, -(-wanted * least // most))
        number = min(wanted, there * most // least)  # no more than could be, before any is drawn
        drafts = [
            draw(planting.seeded("multihop", bench.seed, hops, self._branches, at), hops, self._branches)
            for at in range(number)
        ]
        haystacks = deal([planting.size_of(texts_of(draft)) for draft in drafts], hops, size)
        there = self._available(bench, hops, size, len(haystacks))
        kept = tuple(haystacks[:there])
        asked = sum(map(len, kept))
        notes = []
        if asked < wanted:
            notes.append(f"{asked} chains instead of {wanted}: there is text for {there} haystacks of this size")
        return Plan(hops, size, tuple(drafts), kept, (*notes, *hiding.few_notes(asked, "questions")))

    def _available(self, bench: Bench, hops: int, size: int, needed: int) -> int:
        """How many haystacks of ``size`` there is text for, ``needed`` at most. Raises UsageError where there is none,
        or not enough for the chains that were asked for."""
        try:
            bench.texts(size, needed - 1)
        except UsageError as error:
            if self._chains is not None and needed > 1:
                what = f"{self._chains} chains of {hops} hops need {needed} haystacks"
                raise UsageError(f"{what}: {error.message}", hint=error.hint) from error
            if needed == 1:
                raise
        else:
            return needed
        for number in range(needed - 1):
            try:
                bench.texts(size, number)
            except UsageError:
                if number == 0:
                    raise
                return number
        return needed - 1

    # -- measuring ----------------------------------------------------------------------------------------------

    def _cell(self, bench: Bench, plan: Plan) -> Cell:
        ks = cutoffs(bench.ks, plan.hops)
        corpora = [self._corpus(bench, plan, number, share) for number, share in enumerate(plan.shares)]
        questions = [
            (folder, [(f"{plan.name}-{at}", chain) for at, chain in zip(share, truth["chains"], strict=True)])
            for share, (folder, truth) in zip(plan.shares, corpora, strict=True)
        ]
        asked = hiding.ask_all(bench, plan.name, questions, partial(_outcome, ks, bench.ks, plan.hops))
        total = len(asked.outcomes)
        truths = [truth for _, truth in corpora]
        return Cell(
            plan.name,
            outcomes=asked.outcomes,
            chance=hiding.mean_chance([_chance(passages, ks, bench.ks) for passages in asked.candidates]),
            size=plan.context,
            facts={
                "tokens": sum(truth["tokens"] for truth in truths),
                "haystacks": len(plan.shares),
                "chains": total,
                "hops": plan.hops,
                "links": total * plan.hops,
                "dead_ends": self._branches * total,
                "planted_tokens": sum(truth["planted"] for truth in truths),
                "passages": sum(asked.passages),
            },
            notes=tuple(plan.notes),
        )

    def _corpus(self, bench: Bench, plan: Plan, number: int, share: range) -> tuple[Path, Any]:
        key = {
            "task": "multihop",
            "version": VERSION,
            "hops": plan.hops,
            "context": plan.context,
            "branches": self._branches,
            "haystack": number,
            "chains": [share.start, share.stop, share.step],
        }

        def build() -> tuple[list[SourceText], Any]:
            texts = bench.texts(plan.context, number)
            return hide(planting.seeded(bench.seed, *key.values()), texts, [plan.drafts[at] for at in share])

        return bench.corpus(key, build)


def deal(costs: Sequence[int], hops: int, size: int) -> list[range]:
    """Which chains go into which haystack of ``size`` tokens, as few haystacks as do, about as many chains in each.

    ``costs`` are the tokens that each chain takes. Raises UsageError where one chain is more than a haystack's share.
    """
    most = int(size * planting.MOST)
    if max(costs) > most:
        raise _too_long(hops, max(costs), size)
    number = -(-sum(costs) // most)
    while True:
        dealt = [range(first, len(costs), number) for first in range(number)]
        if all(sum(costs[at] for at in share) <= most for share in dealt):
            return dealt
        number += 1


def _too_long(hops: int, cost: int, size: int) -> UsageError:
    return UsageError(
        f"a chain of {hops} hops takes {cost:,} tokens or more, which is more than {planting.MOST:.0%} of a haystack of"
        f" {tokens.name_of(size)}",
        hint="ask for fewer hops, or for a larger --context",
    )


def cutoffs(ks: Sequence[int], hops: int) -> list[int]:
    """Where coverage is cut off: at ``ks``, and at a k that could hold the whole chain twice over."""
    return sorted({*ks, max(*ks, 2 * hops)})


def hide(random: Random, texts: Sequence[SourceText], drafts: Sequence[Draft]) -> tuple[list[SourceText], Any]:
    """Name the chains, hide them in ``texts``, and say where each link went."""
    names = Names(random, (part for one in texts for part in (one.path, one.text)))
    chains = [name(draft, names.own) for draft in drafts]
    at = depths(random, chains)
    needles = [
        (link.text, depth)
        for chain, own in zip(chains, at, strict=True)
        for link, depth in zip(chain.planted, own, strict=True)
    ]
    files, places = planting.plant(texts, needles)
    truth = []
    done = 0
    for chain, own in zip(chains, at, strict=True):
        found = zip(chain.links, own, places[done:], strict=False)
        links = [
            {**asdict(place), "text": link.text, "phrasing": link.phrasing, "depth": round(depth, 4)}
            for link, depth, place in found
        ]
        truth.append({"question": chain.question, "value": chain.value, "links": links})
        done += len(chain.planted)
    return files, {
        "chains": truth,
        "planted": planting.size_of([text for text, _ in needles]),
        "tokens": hiding.tokens_in(files),
    }


def _outcome(
    ks: Sequence[int], wanted: Sequence[int], hops: int, subject: Subject, asked: tuple[str, Mapping[str, Any]]
) -> Outcome:
    ident, chain = asked
    links = chain["links"]
    places = [Place(one["path"], one["start"], one["end"]) for one in links]
    found = subject.search(chain["question"], max(*ks, hiding.DEPTH))
    whole = metrics.place_values(found.places, places, ks, hiding.DEPTH)
    final = hiding.values_of(found.places, places[-1], wanted)
    kept = final.keys() | {f"coverage@{k}" for k in ks}
    values = {name: value for name, value in {**whole, **final}.items() if name in kept}
    return Outcome(
        ident,
        chain["question"],
        values,
        seconds=found.seconds,
        group={"hops": hops},
        detail={
            "value": chain["value"],
            "ranks": metrics.first_ranks(found.places, places),
            "depths": [one["depth"] for one in links],
            "phrasings": [one["phrasing"] for one in links],
            "links": [one["text"] for one in links],
            "paths": [one["path"] for one in links],
        },
    )


def _chance(passages: int, ks: Sequence[int], wanted: Sequence[int]) -> dict[str, float]:
    """What passages drawn blindly reach, with each link in one of them."""
    return hiding.chance_of_one(wanted, passages) | {f"coverage@{k}": stats.chance_of_coverage(passages, k) for k in ks}


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "multihop",
        "gw_plugins.tasks.multihop:Multihop",
        help="chains of facts hidden in natural text: is the end of a chain found from its beginning",
    )
