"""Whether what was found is about the question at all: a score from the words alone, and one threshold for it.

A search always finds something; common words stand everywhere. Two things tell evidence from coincidence: how much of
the question's rarity the best chunk covers, and how much that is beside what any chunk of an index of this size would
offer. With ``bm25`` of the best chunk for content terms, ``N`` chunks (a small index counts as
:data:`~gw_core.rescore.BACKGROUND`), and the idf of ALL content terms, unknown ones included::

    coverage = bm25 / ((1 + k1) * sum of idf)          # 1: every term, often
    score    = coverage * ln(1 + 2 bm25 / ln(1 + N))

What it cannot see is a fact that is missing from a text about the very thing asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gw_core.query import Query, is_gram
from gw_core.rescore import BACKGROUND, GRAM_K1, K1
from gw_core.rescore import idf as inverse_df
from gw_core.text.fold import tokens

THRESHOLD = 0.41
"""Loses 4.5 % of the answerable questions of XQuAD-en, and refuses 90 % of those whose article is not there."""

HEAVIEST = 12
"""A request of several sentences never finds all its words in one chunk: only this many, the rarest, are asked for."""

GRAMS_A_WORD = 4
"""How many n-grams stand for one word of a script that does not part words, roughly."""
GRAM_OVERLAP = 2
"""How often one letter counts there: each stands in two n-grams or three, which say the same thing again."""

_DEGREES = frozenset("many much long often far old big large small tall high deep fast quickly soon late".split())
_QUESTION_WORDS = _DEGREES | frozenset(
    """what which who whom whose when where why how wie wieviel wieviele viel viele wann wer wen wem wessen wo wohin
    woher was welche welchem welchen welcher welches warum weshalb wieso combien quel quelle quels quelles qui que quoi
    quand comment ou pourquoi cuanto cuanta cuantos cuantas cual cuales quien quienes cuando donde como quanto quanti
    quale quali chi dove quando perche hoeveel welk welke wie waar wanneer""".split()
)
_ASKING = re.compile("多少|[什甚][么麼]|[谁誰]|哪[里裡儿些个個一]?|几|幾|怎[么麼样樣]*|如何|何[时時处處]|吗|嗎|呢|是")
"""What asks, folded. That the index has none of them says nothing of it."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """``enough`` says whether the evidence is worth an answer; ``reason`` says why not, in one line for the user.

    ``terms`` are the content terms that were looked at, ``unknown`` those of them that the index has never seen.
    """

    score: float
    threshold: float
    enough: bool
    reason: str = ""
    terms: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def confidence(
    query: Query, idf: Mapping[str, float], bm25: float, chunks: int, threshold: float = THRESHOLD
) -> Confidence:
    """How far the best chunk of an index of ``chunks`` can be trusted to be about ``query``.

    ``idf`` holds every term of the query (a missing one counts as unknown); ``bm25`` is the best chunk's, for content
    terms only, without any other bonus.
    """
    nowhere = inverse_df(chunks, 0)
    worth = {term: idf.get(term, nowhere) for term in query.content}
    for word in _degrees(query):
        if worth.get(word, 0.0) >= nowhere and len(worth) > 1:
            del worth[word]
    for gram in _asking_grams(query):
        if len(worth) > 1 and worth.get(gram, 0.0) >= nowhere:
            del worth[gram]
    unknown = tuple(term for term, value in worth.items() if value >= nowhere)
    terms = tuple(worth)
    if not worth or len(unknown) == len(worth) or bm25 <= 0 or chunks < 1:
        return Confidence(0.0, threshold, False, "no word of the question is in the index", terms, unknown)
    wanted, overlap, k1 = (HEAVIEST * GRAMS_A_WORD, GRAM_OVERLAP, GRAM_K1) if query.grams else (HEAVIEST, 1, K1)
    most = (1 + k1) * sum(sorted(worth.values(), reverse=True)[:wanted])
    beyond_chance = 2 * bm25 / overlap / math.log1p(max(chunks, BACKGROUND))
    score = min(bm25 / most, 1.0) * math.log1p(beyond_chance)
    if score >= threshold:
        return Confidence(score, threshold, True, "", terms, unknown)
    reason = "the best passage shares too little with the question"
    missing = [term for term in unknown if term not in _QUESTION_WORDS and not is_gram(term)]
    if missing:
        reason += f", and the index has no {_list(missing)}"
    return Confidence(score, threshold, False, reason, terms, unknown)


def _degrees(query: Query) -> set[str]:
    """The ``long`` of "how long does it take": it asks, and need not stand in the answer."""
    return {word for how, word in pairwise(query.terms) if how == "how" and word in _DEGREES}


def _asking_grams(query: Query) -> set[str]:
    """The n-grams that hold a part of a question word, wherever they stand: the index has them by chance only."""
    asking = [match.span() for match in _ASKING.finditer(query.text)] if query.grams else []
    if not asking:
        return set()
    inside: dict[str, bool] = {}
    for token in tokens(query.text):
        touches = any(start < token.end and token.start < end for start, end in asking)
        inside[token.text] = touches and inside.get(token.text, True)
    return {gram for gram, touches in inside.items() if touches}


def _list(words: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(repr(word) for word in words[:most])
    return shown if len(words) <= most else f"{shown} (and {len(words) - most} more)"
