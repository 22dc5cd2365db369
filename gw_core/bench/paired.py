"""The difference between two systems on the same questions, and whether it is one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from gw_core.bench.stats import CONFIDENCE, RESAMPLES, bootstrap_mean, is_binary, z_of

ENUMERATED = 12
"""Up to so many questions with a difference, all their sign changes are gone through."""


@dataclass(frozen=True, slots=True)
class Difference:
    """``after`` less ``before``, means over ``n`` questions, with the bounds of the difference's interval."""

    n: int
    before: float
    after: float
    difference: float
    low: float
    high: float

    @property
    def shown(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def paired_difference(
    before: Sequence[float],
    after: Sequence[float],
    seed: object,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Difference:
    """How much better ``after`` is than ``before``, question by question; values lie in [0, 1].

    The interval is that of :func:`gw_core.bench.stats.bootstrap_mean` over the questions' differences; where all values
    are 0 or 1 it is that of :func:`paired_proportions`, since resampling a few lost questions leaves them out by chance
    far too rarely or too often.

    Where :func:`sign_flips` does not confirm an interval that leaves out 0, it is drawn out to 0. That keeps a handful
    of questions from showing anything: where fewer than six differ, tossed signs would all agree more often than one
    time in 20, so that five questions, or five lost of a thousand, are no regression.

    Raises ValueError without a pair, and for sequences of unlike length.
    """
    n = len(before)
    if n == 0 or n != len(after):
        raise ValueError(f"not pairs: {n} and {len(after)} values")
    differences = [new - old for old, new in zip(before, after, strict=True)]
    if is_binary(before) and is_binary(after):
        gained, lost = differences.count(1), differences.count(-1)
        low, high = paired_proportions(gained, lost, n, confidence)
    else:
        low, high = bootstrap_mean(differences, seed, resamples, confidence, bounds=(-1.0, 1.0))
    if sign_flips(differences) > 1 - confidence:
        low, high = min(low, 0.0), max(high, 0.0)
    means = (math.fsum(before) / n, math.fsum(after) / n, math.fsum(differences) / n)
    return Difference(n, *means, low, high)


def paired_proportions(gained: int, lost: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of (gained - lost) / n, where so many of ``n`` pairs went from 0 to 1 and from 1 to 0.

    Bonett and Price, Adjusted Wald confidence interval for a difference of binomial proportions based on paired data,
    Journal of Educational and Behavioral Statistics 2012: Wald's interval after one more pair was gained and one lost.
    It does not shrink to a point where no pair differs.
    """
    p, q = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    half = z_of(confidence) * math.sqrt((p + q - (p - q) ** 2) / (n + 2))
    return max(-1.0, p - q - half), min(1.0, p - q + half)


def sign_flips(differences: Sequence[float]) -> float:
    """The two-sided p-value of a mean as far from 0 as this one if every difference had either sign by a coin's toss.

    Fisher's randomization test for pairs, as Smucker, Allan and Carterette, A comparison of statistical significance
    tests for information retrieval evaluation, CIKM 2007, recommend it. Where all differences are of one size it is
    exact by the binomial distribution (McNemar's exact test); of at most :data:`ENUMERATED` that are not 0 all signs
    are tried; for more it is by the normal distribution, which is close by then.
    """
    sizes = [abs(one) for one in differences if one != 0]
    if not sizes:
        return 1.0
    reached = abs(math.fsum(differences)) * (1 - 1e-9)
    if max(sizes) - min(sizes) < 1e-9 * max(sizes):
        fewer = min(sum(one > 0 for one in differences), sum(one < 0 for one in differences))
        tosses = len(sizes)
        tails = 2 * sum(math.comb(tosses, count) for count in range(fewer + 1))
        return min(1.0, tails / (1 << tosses))
    if len(sizes) > ENUMERATED:
        return math.erfc(reached / math.sqrt(2 * math.fsum(size * size for size in sizes)))
    # By symmetry the first may keep its sign.
    rest = product(*((size, -size) for size in sizes[1:]))
    return sum(abs(sizes[0] + sum(one)) >= reached for one in rest) / (1 << len(sizes) - 1)
