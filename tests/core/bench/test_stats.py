from __future__ import annotations

import math
import random
import statistics
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.stats import (
    bootstrap_mean,
    chance_of_coverage,
    chance_of_hit,
    estimate,
    latencies,
    percentile,
    wilson,
)

RATES = st.floats(0, 1, allow_nan=False)


class TestWilson:
    @pytest.mark.parametrize(
        ("successes", "n", "low", "high"),
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
    )
    def test_newcombe_1998_table_1(self, successes: int, n: int, low: float, high: float) -> None:
        # Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 1998, method 3.
        assert wilson(successes, n) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))

    @given(st.integers(1, 500), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
    def test_both_bounds_solve_the_score_equation(self, n: int, data: st.DataObject, confidence: float) -> None:
        successes = data.draw(st.integers(0, n))
        low, high = wilson(successes, n, confidence)
        p, z = successes / n, statistics.NormalDist().inv_cdf(0.5 + confidence / 2)
        assert 0 <= low <= p <= high <= 1
        assert low < high
        for bound in (low, high):
            assert (p - bound) ** 2 == pytest.approx(z * z * bound * (1 - bound) / n, abs=1e-9)

    @pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 5), (6, 5)])
    def test_what_is_no_proportion_is_refused(self, successes: int, n: int) -> None:
        with pytest.raises(ValueError, match="not a proportion"):
            wilson(successes, n)


class TestBootstrap:
    @given(st.lists(RATES, min_size=2, max_size=30), st.integers())
    def test_it_holds_the_mean_and_stays_among_the_values(self, values: list[float], seed: int) -> None:
        low, high = bootstrap_mean(values, seed, resamples=200)
        assert low - 1e-9 <= math.fsum(values) / len(values) <= high + 1e-9
        if min(values) < max(values):
            assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9

    def test_it_is_the_same_for_a_seed_whatever_the_order(self) -> None:
        rng = random.Random(1)
        values = [rng.random() for _ in range(50)]
        shuffled = random.Random(2).sample(values, 50)
        assert bootstrap_mean(values, 3) == bootstrap_mean(shuffled, 3) != bootstrap_mean(values, 4)

    def test_it_is_the_same_on_every_python(self) -> None:
        values = [at * at / 400 for at in range(20)]
        assert bootstrap_mean(values, "a seed") == pytest.approx((0.1736550496875, 0.4550949503125), abs=1e-12)

    def test_many_values_have_the_interval_of_the_normal_distribution(self) -> None:
        rng = random.Random(5)
        values = [rng.betavariate(2, 1) for _ in range(400)]
        mean, error = statistics.fmean(values), statistics.stdev(values) / math.sqrt(400)
        assert bootstrap_mean(values, 1) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=0.15 * error)

    def test_19_of_20_intervals_hold_the_truth_with_few_values_too(self) -> None:
        rng = random.Random(11)
        for n in (8, 25):
            draws = [[rng.uniform(0, 1) for _ in range(n)] for _ in range(400)]
            intervals = [bootstrap_mean(values, at, resamples=400) for at, values in enumerate(draws)]
            assert 0.925 <= sum(low <= 0.5 <= high for low, high in intervals) / len(intervals) <= 0.985

    @pytest.mark.parametrize("n", [1, 7, 200])
    def test_equal_values_pretend_no_certainty(self, n: int) -> None:
        assert bootstrap_mean([1.0] * n, 1) == pytest.approx(wilson(n, n))
        assert bootstrap_mean([0.0] * n, 1) == pytest.approx(wilson(0, n))
        low, high = bootstrap_mean([0.5] * n, 1)
        assert low < 0.5 < high
        assert high - low == pytest.approx(wilson(0, n)[1])
        low, high = bootstrap_mean([250.0] * n, 1)
        assert low < high == 250

    def test_200_values_take_less_than_60_ms(self) -> None:
        rng = random.Random(1)
        values = [rng.random() for _ in range(200)]
        spent = []
        for _ in range(5):
            began = time.process_time()
            bootstrap_mean(values, 1)
            spent.append(time.process_time() - began)
        assert min(spent) < 0.06

    def test_no_values_have_no_mean(self) -> None:
        for function in (bootstrap_mean, estimate):
            with pytest.raises(ValueError, match="no values"):
                function([], 1)


def test_an_estimate_of_yes_and_no_is_wilsons_and_any_other_the_bootstraps() -> None:
    rate = estimate([1, 0, 1.0, True], 1)
    assert (rate.value, rate.n, rate.interval, (rate.low, rate.high)) == (0.75, 4, "wilson", wilson(3, 4))
    values = [0.5, 1, 0.25]
    mean = estimate(values, 1)
    assert (mean.value, mean.interval, (mean.low, mean.high)) == (1.75 / 3, "bootstrap", bootstrap_mean(values, 1))


class TestPercentiles:
    def test_nearest_rank_on_the_five_values_of_its_textbook_example(self) -> None:
        # Wikipedia, Percentile, the nearest-rank method.
        assert [percentile([35, 20, 15, 50, 40], one) for one in (5, 30, 40, 50, 100)] == [15, 20, 20, 35, 50]

    def test_of_a_hundred_values_the_99th(self) -> None:
        assert latencies([one / 1000 for one in range(100, 0, -1)]) == {
            "n": 100, "p50": 50, "p95": 95, "p99": 99, "unit": "ms",
        }  # fmt: skip

    @given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 100))
    def test_it_is_the_least_value_that_enough_are_not_above(self, values: list[float], percent: float) -> None:
        found = percentile(values, percent)
        assert found in values
        needed = percent * len(values) / 100
        assert sum(one <= found for one in values) >= needed - 1e-6
        assert sum(one < found for one in values) < needed + 1e-6

    def test_none_of_nothing(self) -> None:
        with pytest.raises(ValueError, match="no percentile"):
            latencies([])


class TestChance:
    @given(st.integers(0, 12), st.integers(1, 40), st.integers(1, 50))
    def test_it_is_the_hypergeometric_probability(self, relevant: int, candidates: int, k: int) -> None:
        relevant = min(relevant, candidates)
        drawn = min(k, candidates)
        none = math.comb(candidates - relevant, drawn) / math.comb(candidates, drawn)
        assert chance_of_hit(relevant, candidates, k) == pytest.approx(1 - none)

    def test_drawing_everything_finds_everything(self) -> None:
        assert chance_of_hit(1, 10, 10) == chance_of_hit(1, 10, 99) == chance_of_coverage(10, 99) == 1
        assert chance_of_hit(0, 10, 99) == 0

    def test_a_big_corpus_is_no_trouble(self) -> None:
        assert chance_of_hit(1, 10_000_000, 10) == 1e-6
        assert chance_of_hit(5000, 10_000_000, 1000) == pytest.approx(0.3935, abs=1e-4)

    @given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 8))
    def test_coverage_is_its_mean_over_all_draws(self, relevant: int, others: int, k: int) -> None:
        candidates = relevant + others
        k = min(k, candidates)
        ways = [math.comb(relevant, hits) * math.comb(others, k - hits) for hits in range(min(relevant, k) + 1)]
        mean = sum(hits * count for hits, count in enumerate(ways)) / math.comb(candidates, k) / relevant
        assert chance_of_coverage(candidates, k) == pytest.approx(mean)

    @pytest.mark.parametrize(("relevant", "candidates", "k"), [(2, 1, 1), (-1, 5, 1), (1, 0, 1), (1, 5, 0)])
    def test_what_cannot_be_drawn_is_refused(self, relevant: int, candidates: int, k: int) -> None:
        with pytest.raises(ValueError, match="cannot draw"):
            chance_of_hit(relevant, candidates, k)
