"""Statistics of a benchmark: intervals of means, paired differences, percentiles, and what chance reaches.

All of it is deterministic: what is drawn is drawn from a seed, in a way that is the same on every Python.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` questions, with the bounds of its interval and how they were found."""

    value: float
    low: float
    high: float
    n: int
    interval: Literal["wilson", "bootstrap"]


def estimate(values: Sequence[float], seed: object, confidence: float = CONFIDENCE) -> Estimate:
    """The mean of a metric over questions: Wilson's interval where all values are 0 or 1, else the bootstrap's.

    Raises ValueError without a value.
    """
    if not values:
        raise ValueError("no values, no mean")
    mean = math.fsum(values) / len(values)
    if is_binary(values):
        low, high = wilson(round(sum(values)), len(values), confidence)
        return Estimate(mean, low, high, len(values), "wilson")
    low, high = bootstrap_mean(values, seed, confidence=confidence)
    return Estimate(mean, low, high, len(values), "bootstrap")


def is_binary(values: Iterable[float]) -> bool:
    return all(value in (0, 1) for value in values)


def wilson(successes: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The score interval of a proportion, (low, high), without a correction for continuity.

    Wilson, Probable inference, the law of succession, and statistical inference, JASA 1927. It holds at 0 and ``n``
    successes, too, where it does not shrink to a point.

    >>> tuple(round(bound, 4) for bound in wilson(0, 20))
    (0.0, 0.1611)
    """
    if not 0 <= successes <= n or n < 1:
        raise ValueError(f"not a proportion: {successes} of {n}")
    z = z_of(confidence)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At the ends the formula gives 0 and 1 exactly, rounding apart.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    return low, 1.0 if successes == n else min(1.0, centre + half)


def bootstrap_mean(
    values: Sequence[float],
    seed: object,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> tuple[float, float]:
    """The percentile bootstrap interval of a mean, (low, high), expanded for small samples.

    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13. The percentiles are moved outwards as
    Hesterberg, What teachers should know about the bootstrap, The American Statistician 2015, section 5.2, does: bare
    ones are too narrow by about ``sqrt((n - 1) / n) * z / t``. The order of the values does not matter.

    Values that are all equal say nothing of how others spread, and resampling them would pretend certainty. A share
    of up to ``u`` may yet be otherwise, where ``u`` is Wilson's upper bound of 0 in ``n``; the interval says that those
    may all be at one of the ``bounds`` of the metric (or at the value, if that is beyond). For values of 0 or 1 this is
    Wilson's interval.

    Raises ValueError without a value.
    """
    n = len(values)
    if n == 0:
        raise ValueError("no values, no mean")
    low, high = min(values), max(values)
    if low == high:
        _, other = wilson(0, n, confidence)
        return low + other * (min(low, bounds[0]) - low), high + other * (max(high, bounds[1]) - high)
    means = _resampled(sorted(values), seed, resamples)
    tail = _expanded_tail(n, confidence)
    return _quantile(means, tail), _quantile(means, 1 - tail)


def _resampled(values: Sequence[float], seed: object, resamples: int) -> list[float]:
    """The means of so many samples with replacement, ascending.

    ``random.choices`` draws a whole sample in one call, and ``math.fsum`` gives the same sum on every Python.
    """
    draw = random.Random(f"bootstrap {seed}").choices  # noqa: S311 - statistics, no secrets
    n = len(values)
    return sorted(math.fsum(draw(values, k=n)) / n for _ in range(resamples))


def _expanded_tail(n: int, confidence: float) -> float:
    """The share of resamples beyond each bound, Hesterberg's: Phi(-sqrt(n / (n - 1)) * t) with n - 1 degrees."""
    return NormalDist().cdf(-math.sqrt(n / (n - 1)) * _t(n - 1, confidence))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between neighbours, from the first value at 0 to the last at 1."""
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


@lru_cache(maxsize=16)
def z_of(confidence: float) -> float:
    """The normal distribution's two-sided quantile: 1.96 for .95."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _t(degrees: int, confidence: float) -> float:
    """Student's t, two-sided, by the expansion in Abramowitz and Stegun, 26.7.5: within 1 % from 4 degrees on."""
    z = z_of(confidence)
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + g1 / degrees + g2 / degrees**2 + g3 / degrees**3


def percentile(values: Sequence[float], percent: float) -> float:
    """By nearest rank: the least value that at least ``percent`` of all are not above. It is always one of the values.

    >>> percentile([15, 20, 35, 40, 50], 30), percentile([15, 20, 35, 40, 50], 100)
    (20, 50)
    """
    if not values or not 0 < percent <= 100:
        raise ValueError(f"no percentile {percent} of {len(values)} values")
    # Rounded, since 99 * 100 / 100 may come out above 99.
    rank = math.ceil(round(percent * len(values) / 100, 9))
    return sorted(values)[max(rank, 1) - 1]


def latencies(seconds: Sequence[float]) -> dict[str, float | int | str]:
    """p50, p95 and p99 of wall times, in milliseconds, as a report has them. Raises ValueError without any."""
    points = {f"p{percent}": 1000 * percentile(seconds, percent) for percent in (50, 95, 99)}
    return {"n": len(seconds), **points, "unit": "ms"}


def chance_of_hit(relevant: int, candidates: int, k: int) -> float:
    """The probability that ``k`` of the ``candidates``, drawn blindly, hold any of the ``relevant``: hypergeometric.

    1 where as many are drawn as there are.

    >>> chance_of_hit(1, 200, 10), round(chance_of_hit(2, 10, 3), 4)
    (0.05, 0.5333)
    """
    _check_draw(relevant, candidates, k)
    if relevant == 0:
        return 0.0
    if k >= candidates:
        return 1.0
    # 1 - C(N - r, k) / C(N, k), as a product, which does not grow with N. One factor for each of the fewer.
    fewer, more = sorted((relevant, k))
    if fewer == 1:
        return more / candidates
    return 1.0 - math.prod(max(0, candidates - more - drawn) / (candidates - drawn) for drawn in range(fewer))


def chance_of_coverage(candidates: int, k: int) -> float:
    """The expected share of what is relevant among ``k`` candidates that are drawn blindly.

    >>> chance_of_coverage(200, 10)
    0.05
    """
    _check_draw(0, candidates, k)
    return min(k, candidates) / candidates


def _check_draw(relevant: int, candidates: int, k: int) -> None:
    if candidates < 1 or k < 1 or not 0 <= relevant <= candidates:
        raise ValueError(f"cannot draw {k} of {candidates} candidates, {relevant} of them relevant")
