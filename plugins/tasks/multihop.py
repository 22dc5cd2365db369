"""The bench task ``multihop``: questions whose answer stands at the end of a chain of facts.

A chain is hidden link by link in a haystack. Each link is one planted sentence that says where to go on, in one of many
phrasings; the last one states a value. The question names only where the chain begins. What one search finds of a chain
is what this measures: whether the last link was among the top k, and what share of all links.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Annotated, Any

from gw_core.bench import metrics, planting, stats, tokens
from gw_core.errors import UsageError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Identity
from gw_core.protocols import Bench, Subject, Task
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Outcome, Place, SourceText
from gw_plugins.tasks.chains import Draft, Names, depths, draw, name, texts_of

VERSION = "1"
FEW = 100
"""Fewer questions than this are said to be few."""

_MRR = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """One cell before anything is made: the drafts of each haystack."""

    hops: int
    context: int
    haystacks: tuple[tuple[Draft, ...], ...]
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.hops}@{tokens.name_of(self.context)}"


class Multihop:
    """Chains of facts in natural text: one cell for each number of ``hops`` at each size of haystack.

    ``hops`` counts the links of a chain, the one that states the value included. Without ``chains`` there are as many
    as a cell has questions, or as many as there is text for. ``branches`` are dead ends that leave each chain.
    """

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
        if not context:
            raise ValueError("context needs a size, such as 256k")
        if chains is not None and chains < 1:
            raise ValueError(f"chains must be 1 or more, not {chains}")
        if branches < 0:
            raise ValueError(f"branches must be 0 or more, not {branches}")
        self._hops = tuple(dict.fromkeys(hops))
        self._sizes = tuple(dict.fromkeys(tokens.parse_tokens(one) for one in context))
        self._chains = chains
        self._branches = branches
        settings = {"hops": self._hops, "context": self._sizes, "chains": chains, "branches": branches}
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
        drafts = [draw(seeded(bench, hops, self._branches, number), hops, self._branches) for number in range(wanted)]
        haystacks = deal([planting.size_of(texts_of(draft)) for draft in drafts], hops, size)
        there = self._available(bench, hops, size, len(haystacks))
        kept = tuple(tuple(drafts[at] for at in share) for share in haystacks[:there])
        asked = sum(map(len, kept))
        notes = []
        if asked < wanted:
            notes.append(f"{asked} chains instead of {wanted}: there is text for {there} haystacks of this size")
        if asked < FEW:
            notes.append(f"{asked} questions are few: mind the intervals")
        return Plan(hops, size, kept, tuple(notes))

    def _available(self, bench: Bench, hops: int, size: int, needed: int) -> int:
        """How many haystacks of ``size`` there is text for, ``needed`` at most."""
        for number in range(needed - 1, -1, -1):
            try:
                bench.texts(size, number)
            except UsageError as error:
                if not number or self._chains is not None:
                    what = f"{self._chains} chains of {hops} hops need {needed} haystacks: " if needed > 1 else ""
                    raise UsageError(f"{what}{error.message}", hint=error.hint) from error
            else:
                return number + 1
        return 0

    # -- measuring ----------------------------------------------------------------------------------------------

    def _cell(self, bench: Bench, plan: Plan) -> Cell:
        ks = cutoffs(bench.ks, plan.hops)
        outcomes: list[Outcome] = []
        chances: list[Mapping[str, float]] = []
        sizes: list[int] = []
        total = sum(map(len, plan.haystacks))
        planted = 0
        passages = 0
        for number, drafts in enumerate(plan.haystacks):
            folder, truth = self._corpus(bench, plan, number, drafts)
            planted += truth["planted"]
            sizes.append(truth["tokens"])
            with bench.open(folder) as subject:
                passages += subject.passages
                for chain in truth["chains"]:
                    bench.step(f"asking {plan.name}", len(outcomes), total)
                    outcomes.append(_outcome(subject, chain, f"{plan.name}-{len(outcomes)}", ks, bench.ks, plan.hops))
                    chances.append(_chance(subject.passages, ks, bench.ks))
        bench.step(f"asking {plan.name}", total, total)
        return Cell(
            plan.name,
            outcomes=tuple(outcomes),
            chance={metric: sum(one[metric] for one in chances) / total for metric in chances[0]},
            size=plan.context,
            facts={
                "tokens": sum(sizes),
                "haystacks": len(plan.haystacks),
                "chains": total,
                "hops": plan.hops,
                "links": total * plan.hops,
                "dead_ends": self._branches * total,
                "planted_tokens": planted,
                "passages": passages,
            },
            notes=plan.notes,
        )

    def _corpus(self, bench: Bench, plan: Plan, number: int, drafts: Sequence[Draft]) -> tuple[Any, Any]:
        key = {
            "task": "multihop",
            "version": VERSION,
            "hops": plan.hops,
            "context": plan.context,
            "branches": self._branches,
            "haystack": number,
            "chains": len(drafts),
        }

        def build() -> tuple[list[SourceText], Any]:
            texts = bench.texts(plan.context, number)
            return hide(seeded(bench, *key.values()), texts, drafts)

        return bench.corpus(key, build)


def seeded(bench: Bench, *what: object) -> Random:
    """Random numbers that are the same for the same seed and the same ``what``."""
    return Random(f"multihop {bench.seed} {what}")  # noqa: S311 - repeatable, not secret


def deal(costs: Sequence[int], hops: int, size: int) -> list[range]:
    """Which chains go into which haystack of ``size`` tokens, as few haystacks as do, about as many chains in each.

    ``costs`` are the tokens that each chain takes. Raises UsageError where one chain is more than a haystack's share.
    """
    most = int(size * planting.MOST)
    if max(costs) > most:
        raise UsageError(
            f"a chain of {hops} hops takes {max(costs):,} tokens, and more than {planting.MOST:.0%} of a haystack of"
            f" {tokens.name_of(size)} may not be planted",
            hint=f"fewer hops, or a context of {max(costs) / planting.MOST:,.0f} tokens or more",
        )
    number = -(-sum(costs) // most)
    while True:
        dealt = [range(first, len(costs), number) for first in range(number)]
        if all(sum(costs[at] for at in share) <= most for share in dealt):
            return dealt
        number += 1


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
        "tokens": sum(tokens.count(one.text) for one in files),
    }


def _outcome(
    subject: Subject, chain: Mapping[str, Any], ident: str, ks: Sequence[int], wanted: Sequence[int], hops: int
) -> Outcome:
    links = chain["links"]
    places = [Place(one["path"], one["start"], one["end"]) for one in links]
    found = subject.search(chain["question"], max(*ks, _MRR))
    final = metrics.place_values(found.places, places[-1:], wanted, _MRR)
    whole = metrics.place_values(found.places, places, ks, _MRR)
    values = {f"recall@{k}": final[f"recall@{k}"] for k in wanted}
    values |= {f"coverage@{k}": whole[f"coverage@{k}"] for k in ks}
    values[f"mrr@{_MRR}"] = final[f"mrr@{_MRR}"]
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
    chance = {f"recall@{k}": stats.chance_of_hit(1, passages, k) for k in wanted}
    chance |= {f"coverage@{k}": stats.chance_of_coverage(passages, k) for k in ks}
    chance[f"mrr@{_MRR}"] = sum(1 / rank for rank in range(1, min(_MRR, passages) + 1)) / passages
    return chance


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "multihop",
        "gw_plugins.tasks.multihop:Multihop",
        help="chains of facts hidden in natural text: is the end of a chain found from its beginning",
    )
