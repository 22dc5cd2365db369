"""Needles in code: the facts and the haystack of ``gw bench needle``, laid out for every system.

A document is a file of the standard library of this Python with facts hidden in it, and what a question wants is the
file that states its fact. Distractors are sentences anywhere that are like a fact's but for the end of the name and the
answer.
"""

from __future__ import annotations

from pathlib import Path

from gw_core.bench import planting
from gw_core.bench.haystack import open_haystack
from gw_core.bench.tokens import name_of
from gw_plugins.tasks.needle_wording import distractors, facts
from peers.corpora import Corpus, write

NUMBER = 200
SEED = "7"


def of_haystack(tokens: int, folder: Path, most: int | None = None, beside: int = 0) -> Corpus:
    """Facts in so many tokens of code and its docs, ``beside`` distractors to each.

    :data:`NUMBER` of them, or ``most``, or as many as make up 5 % of the haystack.
    """
    made = facts(min(NUMBER, most or NUMBER), SEED)
    # Where all would be too much for one haystack, those that the first one takes are asked for.
    made = [made[at] for at in planting.shares([fact.needle for fact in made], tokens)[0]]
    spread = planting.depths(len(made), planting.seeded(SEED, "depths"))
    hidden = [(fact.needle, depth) for fact, depth in zip(made, spread, strict=True)]
    for fact in made:
        choose = planting.seeded(SEED, "depths of distractors", fact.id)
        hidden += [(sentence, choose.random()) for sentence in distractors(fact, beside, SEED)]
    texts, places = planting.plant(open_haystack().take(tokens), hidden)
    return write(
        folder,
        f"needles {name_of(tokens)}" + (f" +{beside}" if beside else ""),
        {one.path: one.text for one in texts},
        {fact.id: fact.question for fact in made},
        {fact.id: {place.path: 1} for fact, place in zip(made, places, strict=False)},
        cut=True,
    )
