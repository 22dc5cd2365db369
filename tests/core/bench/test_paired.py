from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.paired import Difference, paired_difference, paired_proportions, sign_flips


def lost(count: int, n: int) -> Difference:
    return paired_difference([1.0] * n, [0.0] * count + [1.0] * (n - count), "seed")


class TestVerdicts:
    def test_one_question_lost_of_60_is_noise_and_10_are_not(self) -> None:
        one, ten = lost(1, 60), lost(10, 60)
        assert (one.difference, one.shown) == (-1 / 60, False)
        assert ten.difference == pytest.approx(-1 / 6)
        assert ten.low < ten.difference < ten.high < 0

    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
    def test_five_questions_or_fewer_show_nothing(self, n: int) -> None:
        assert not lost(n, n).shown
        assert not paired_difference([0.9] * n, [0.1 + at / 100 for at in range(n)], 1).shown

    @pytest.mark.parametrize("n", [6, 60, 1000])
    def test_six_lost_and_none_gained_are_the_fewest_that_show_anything(self, n: int) -> None:
        assert not lost(5, n).shown
        assert lost(6, n).shown

    def test_few_graded_differences_are_judged_as_few_lost_questions_are(self) -> None:
        # The bootstrap alone is taken in: it hardly ever draws a sample with none of the four.
        before, after = [1.0] * 60, [0.5, 0.4, 0.5, 0.45] + [1.0] * 56
        found = paired_difference(before, after, 1)
        assert (found.high, found.shown) == (0, False)
        assert paired_difference(before, [0.5, 0.4] * 5 + [1.0] * 50, 1).shown

    @pytest.mark.parametrize("values", [[1.0, 0.0], [0.3, 0.7]])
    def test_no_difference_has_an_interval_all_the_same(self, values: list[float]) -> None:
        found = paired_difference(values * 30, values * 30, 1)
        assert found.difference == 0
        assert -0.1 < found.low < -0.03 < 0.03 < found.high < 0.1

    @given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=25), st.integers())
    def test_swapping_the_sides_turns_the_sign(self, pairs: list[tuple[float, float]], seed: int) -> None:
        before, after = [one for one, _ in pairs], [two for _, two in pairs]
        there = paired_difference(before, after, seed, resamples=100)
        back = paired_difference(after, before, seed, resamples=100)
        assert there.low - 1e-9 <= there.difference <= there.high + 1e-9
        assert there.difference == pytest.approx(-back.difference)
        assert -1 <= there.low <= there.high <= 1

    def test_unlike_sequences_and_none_are_refused(self) -> None:
        for before, after in (([], []), ([1.0], [1.0, 0.0])):
            with pytest.raises(ValueError, match="not pairs"):
                paired_difference(before, after, 1)


def _yes_or_no(rng: random.Random) -> float:
    return float(rng.random() < 0.8)


def _coverage(rng: random.Random) -> float:
    return rng.choice((0, 0.5, 0.5, 1, 1))


def _ndcg(rng: random.Random) -> float:
    return rng.random() ** 2


def _mostly_right(rng: random.Random) -> float:
    return 1.0 if rng.random() < 0.9 else rng.random()


@pytest.mark.parametrize("draw", [_yes_or_no, _coverage, _ndcg, _mostly_right])
@pytest.mark.parametrize("n", [6, 20, 60])
def test_equal_systems_are_told_apart_one_time_in_20_at_most(draw: Callable[[random.Random], float], n: int) -> None:
    # Both answer by chance, all questions anew. 2,000 trials of each kind gave 0.0 to 3.3 % for 6 questions, 0.4 to
    # 4.3 % for 20 and 2.9 to 4.5 % for 60; half of these are called worse.
    rng, trials = random.Random(f"{n}"), 200
    alarms = 0
    for trial in range(trials):
        before, after = ([draw(rng) for _ in range(n)] for _ in range(2))
        alarms += paired_difference(before, after, trial, resamples=200).shown
    assert alarms / trials <= 0.09  # 5 %, and 2.6 standard errors


class TestPairedProportions:
    def test_agresti_approval_ratings(self) -> None:
        # Agresti, Categorical Data Analysis, 2002, section 10.1.1: of 1,600, 150 disapproved later and 86 earlier only;
        # Wald's interval is .04 +- 1.96 * .0095, and one more pair on each side hardly moves it.
        assert paired_proportions(150, 86, 1600) == pytest.approx((0.021, 0.059), abs=5e-4)

    @given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60))
    def test_it_is_walds_interval_with_a_pair_more_on_each_side(self, gained: int, lost: int, equal: int) -> None:
        if not gained + lost + equal:
            return
        values = [1] * (gained + 1) + [-1] * (lost + 1) + [0] * equal
        mean = sum(values) / len(values)
        error = math.sqrt(sum((one - mean) ** 2 for one in values)) / len(values)
        low, high = paired_proportions(gained, lost, gained + lost + equal)
        assert low == pytest.approx(max(-1, mean - 1.959964 * error), abs=1e-6)
        assert high == pytest.approx(min(1, mean + 1.959964 * error), abs=1e-6)

    def test_it_leaves_out_zero_wherever_the_exact_test_does(self) -> None:
        for n in range(1, 61):
            for gained, lost in product(range(n + 1), range(min(n, 8) + 1)):
                if gained + lost <= n and sign_flips([1] * gained + [-1] * lost) <= 0.05:
                    low, high = paired_proportions(gained, lost, n)
                    assert low > 0 if gained > lost else high < 0


class TestSignFlips:
    def test_it_is_mcnemars_exact_test_where_all_are_of_one_size(self) -> None:
        # Two-sided binomial: 1 of 10 is 2 * (1 + 10) / 1024.
        assert sign_flips([1] + [-1] * 9 + [0] * 40) == pytest.approx(22 / 1024)
        assert sign_flips([0.25] * 6) == 2 / 64
        assert sign_flips([1, -1]) == sign_flips([0, 0]) == sign_flips([]) == 1

    @given(st.lists(st.floats(-1, 1).filter(lambda one: abs(one) > 1e-3), min_size=2, max_size=8))
    def test_it_counts_the_signs_that_reach_as_far(self, differences: list[float]) -> None:
        reached = abs(math.fsum(differences)) * (1 - 1e-9)
        ways = [abs(math.fsum(one)) >= reached for one in product(*((one, -one) for one in differences))]
        assert sign_flips(differences) == pytest.approx(sum(ways) / len(ways))

    def test_many_are_judged_nearly_as_if_all_signs_were_tried(self) -> None:
        rng = random.Random(3)
        differences = [rng.uniform(-0.5, 0.8) for _ in range(16)]
        reached = abs(math.fsum(differences))
        sums = {0.0: 1}
        for one in differences:
            grown: dict[float, int] = {}
            for total, count in sums.items():
                for signed in (total + one, total - one):
                    grown[signed] = grown.get(signed, 0) + count
            sums = grown
        exact = sum(count for total, count in sums.items() if abs(total) >= reached - 1e-9) / 2**16
        assert sign_flips(differences) == pytest.approx(exact, abs=0.02)
