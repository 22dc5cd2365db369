from __future__ import annotations

import json
import math
import os
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.bench.metrics import (
    abstention_values,
    answer_contains,
    answer_exact,
    answer_f1,
    answer_words,
    coverage_at,
    dcg,
    first_ranks,
    ndcg_at,
    place_values,
    ranking_values,
    recall_at,
    reciprocal_rank,
    verdict_rates,
)
from gw_core.text.fold import fold
from gw_core.trial import Place

DATA = os.environ.get("GW_TEST_DATA", "")


class TestWorkedExamples:
    def test_coverage_is_recall_of_introduction_to_information_retrieval_exercise_8_9(self) -> None:
        # Six relevant ones among 20, eight in the whole collection.
        ranked = [f"{flag}{at}" for at, flag in enumerate("RRNNNNNNRNRNNNRNNNNR")]
        relevant = {one for one in ranked if one[0] == "R"} | {"elsewhere", "nowhere"}
        assert coverage_at(ranked, relevant, 20) == 6 / 8
        assert coverage_at(ranked, relevant, 2) == 2 / 8

    def test_dcg_of_jarvelin_and_kekalainen(self) -> None:
        # G' = <3, 2, 3, 0, 0, 1, 2, 2, 3, 0>, b = 2: DCG' = <3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61>.
        # Their discount begins one rank later, so that the first gain stands beside our sum over the others.
        gains = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
        theirs = [round(gains[0] + dcg(gains[1:k]), 2) for k in range(1, 11)]
        assert theirs == [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]

    def test_ndcg_of_six_ranked_and_eight_judged_documents(self) -> None:
        # Wikipedia, Discounted cumulative gain: DCG 6.861 of 8.740 that could be had.
        grades = {"D1": 3, "D2": 2, "D3": 3, "D4": 0, "D5": 1, "D6": 2, "D7": 3, "D8": 2}
        assert ndcg_at(["D1", "D2", "D3", "D4", "D5", "D6"], grades, 6) == pytest.approx(0.785, abs=5e-4)

    def test_mean_reciprocal_rank_of_three_questions(self) -> None:
        # Voorhees scores a question by the rank of the first right one among five, and 0 without one.
        ranks = [reciprocal_rank("abcdef", {right}, 5) for right in ("c", "b", "a", "f")]
        assert ranks == [1 / 3, 1 / 2, 1, 0]

    def test_squad(self) -> None:
        # Of its paper, section 5 and 6.1: articles and punctuation do not count.
        assert answer_words("The Denver Broncos, a  team.") == ["denver", "broncos", "team"]
        assert answer_exact("denver broncos", ["Carolina Panthers", "the Denver Broncos"]) == 1
        # Two of three words are right, two of four are found.
        assert answer_f1("gold and silver", ["gold, silver, copper, tin"]) == pytest.approx(2 * (2 / 3 * 0.5) / (7 / 6))


class TestRankings:
    def test_a_hit_is_any_relevant_one_and_coverage_counts_them(self) -> None:
        assert [recall_at("abc", {"b", "z"}, k) for k in (1, 2, 3)] == [0, 1, 1]
        assert [coverage_at("abc", {"b", "z"}, k) for k in (1, 2, 3)] == [0, 0.5, 0.5]

    def test_an_identifier_that_comes_again_counts_once_and_those_behind_it_move_up(self) -> None:
        assert recall_at(["a", "a", "b"], {"b"}, 2) == 1
        assert reciprocal_rank(["a", "a", "b"], {"b"}) == 1 / 2
        assert ndcg_at(["b", "b"], {"b": 1, "c": 1}) == ndcg_at(["b"], {"b": 1, "c": 1})

    @pytest.mark.parametrize("one", [7, "7", ("doc", 7), Place("a", 0, 7), frozenset({7}), "zähler/七"])
    def test_identifiers_have_any_form(self, one: Any) -> None:
        values = ranking_values(["other", one], {one: 2}, (1, 2))
        assert values == {
            "recall@1": 0, "recall@2": 1, "coverage@1": 0, "coverage@2": 1,
            "ndcg@10": pytest.approx(1 / math.log2(3)), "mrr@10": 0.5,
        }  # fmt: skip

    def test_grades_of_0_and_less_are_not_relevant(self) -> None:
        grades = {"a": 0, "b": -2, "c": 1}
        assert recall_at("ab", grades, 2) == reciprocal_rank("ab", grades) == ndcg_at("ab", grades) == 0
        assert coverage_at("abc", grades, 3) == 1
        assert ndcg_at("abc", grades) == 0.5

    def test_a_higher_grade_counts_more(self) -> None:
        assert ndcg_at("ab", {"a": 1, "b": 3}) < ndcg_at("ba", {"a": 1, "b": 3}) == 1

    def test_nothing_relevant_is_0_and_so_is_nothing_found(self) -> None:
        assert set(ranking_values("ab", (), (1, 5)).values()) == {0}
        assert set(ranking_values((), {"a"}, (1, 5)).values()) == {0}

    def test_a_cut_off_below_1_is_refused(self) -> None:
        with pytest.raises(ValueError, match="cut off at 1 or more, not at 0"):
            recall_at("ab", {"a"}, 0)

    @given(st.lists(st.integers(0, 20)), st.sets(st.integers(0, 20), min_size=1), st.integers(1, 25))
    def test_all_lie_between_0_and_1_and_grow_with_k(self, ranked: list[int], relevant: set[int], k: int) -> None:
        for metric in (recall_at, coverage_at, reciprocal_rank):
            assert 0 <= metric(ranked, relevant, k) <= metric(ranked, relevant, k + 1) <= 1
        assert coverage_at(ranked, relevant, k) <= recall_at(ranked, relevant, k)
        assert 0 <= ndcg_at(ranked, relevant, k) <= 1


class TestPlaces:
    def test_a_place_is_found_where_one_contains_it_whole(self) -> None:
        wanted = [Place("a", 10, 20), Place("b", 0, 5), Place("c", 0, 5)]
        places = [Place("a", 11, 30), Place("x", 0, 99), Place("a", 10, 20), Place("b", 0, 9)]
        assert first_ranks(places, wanted) == [3, 4, None]
        values = place_values(places, wanted, (1, 3, 5))
        assert [values[f"recall@{k}"] for k in (1, 3, 5)] == [0, 1, 1]
        assert [values[f"coverage@{k}"] for k in (1, 3, 5)] == [0, 1 / 3, 2 / 3]
        assert values["mrr@10"] == 1 / 3

    def test_several_in_one_place_cannot_beat_the_best_order(self) -> None:
        wanted = [Place("a", 0, 5), Place("a", 5, 9), Place("a", 9, 12)]
        assert set(place_values([Place("a", 0, 20)], wanted, (1, 5)).values()) == {1}
        late = place_values([Place("b", 0, 20)] * 3 + [Place("a", 0, 20)], wanted, (1, 5))
        assert late["mrr@10"] == 1 / 2, "the same place again counts once"
        assert late["ndcg@10"] == pytest.approx(3 / math.log2(3) / dcg([1, 1, 1]))

    @given(st.lists(st.integers(0, 9), unique=True), st.sets(st.integers(0, 9)))
    def test_places_of_their_own_are_scored_as_identifiers(self, ranked: list[int], wanted: set[int]) -> None:
        def place(one: int) -> Place:
            return Place(str(one), 0, 1)

        values = place_values([place(one) for one in ranked], [place(one) for one in wanted], (1, 5))
        assert values == pytest.approx(ranking_values(ranked, wanted, (1, 5)))


class TestTrecEval:
    """Agreement with trec_eval, to four digits."""

    @staticmethod
    def theirs(grades: dict[str, dict[str, int]], rankings: dict[str, list[str]]) -> dict[str, dict[str, float]]:
        pytrec_eval = pytest.importorskip("pytrec_eval")
        run = {query: {one: 1.0 / at for at, one in enumerate(some, 1)} for query, some in rankings.items()}
        found: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(
            grades, {"ndcg_cut.10", "recall.10", "success.10", "recip_rank"}
        ).evaluate(run)
        return found

    def check(self, grades: dict[str, dict[str, int]], rankings: dict[str, list[str]]) -> None:
        theirs = self.theirs(grades, rankings)
        assert theirs.keys() == rankings.keys()
        for query, expected in theirs.items():
            ours = {
                "ndcg_cut_10": ndcg_at(rankings[query], grades[query], 10),
                "recall_10": coverage_at(rankings[query], grades[query], 10),
                "success_10": recall_at(rankings[query], grades[query], 10),
                "recip_rank": reciprocal_rank(rankings[query], grades[query], len(rankings[query])),
            }
            assert ours == pytest.approx(expected, abs=5e-5), query

    @given(
        st.dictionaries(st.sampled_from("abcdefghijklmnopqrst"), st.integers(-1, 4), min_size=1),
        st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), unique=True, min_size=1),
    )
    def test_on_random_graded_rankings(self, grades: dict[str, int], ranked: list[str]) -> None:
        self.check({"q": grades}, {"q": ranked})

    @pytest.mark.skipif(not DATA, reason="GW_TEST_DATA names no folder with the cranfield collection")
    def test_on_every_query_of_cranfield(self) -> None:
        grades, rankings = _cranfield(Path(DATA) / "cranfield")
        assert len(grades) == 225
        self.check(grades, rankings)
        means = [
            math.fsum(ndcg_at(rankings[one], grades[one]) for one in grades) / len(grades),
            math.fsum(one["ndcg_cut_10"] for one in self.theirs(grades, rankings).values()) / len(grades),
        ]
        assert round(means[0], 4) == round(means[1], 4)
        assert 0.3 < means[0] < 0.9, "a ranking that finds something, and that graded judgments take to pieces"


def _cranfield(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Judgments and 100 ranked documents for each query, by BM25.

    The collection's judgments are yes or no. To be graded, every third relevant document is worth 3 and every third 2.
    """
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade) * (1 + int(document) % 3)
    postings: dict[str, dict[str, int]] = {}
    lengths: dict[str, int] = {}
    for row in map(json.loads, (folder / "corpus.jsonl").read_text("utf-8").splitlines()):
        counts = Counter(fold(row["text"]).split())
        lengths[row["_id"]] = counts.total()
        for term, count in counts.items():
            postings.setdefault(term, {})[row["_id"]] = count
    mean = sum(lengths.values()) / len(lengths)
    rankings = {}
    for row in map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines()):
        scores: Counter[str] = Counter()
        for term in set(fold(row["text"]).split()):
            found = postings.get(term, {})
            idf = math.log(1 + (len(lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for document, count in found.items():
                scores[document] += idf * 2.2 * count / (count + 1.2 * (0.25 + 0.75 * lengths[document] / mean))
        rankings[row["_id"]] = [one for one, _ in scores.most_common(100)]
    return grades, rankings


class TestAnswers:
    @given(st.text(st.sampled_from("aAtThHeEnN 5.,-'\"$%()")), st.text(st.sampled_from("aAtThHeEnN 5.,-'\"$%()")))
    def test_ascii_is_normalised_as_squad_does(self, said: str, gold: str) -> None:
        words = [_squad(one).split() for one in (said, gold)]
        if all(words):  # of nothing theirs makes an answer that equals every other nothing
            assert [answer_words(said), answer_words(gold)] == words
            assert answer_exact(said, [gold]) == (words[0] == words[1])
            common = (Counter(words[0]) & Counter(words[1])).total()
            expected = 2 * common / (len(words[0]) + len(words[1]))
            assert answer_f1(said, [gold]) == pytest.approx(expected)

    def test_an_answer_that_is_an_article_or_a_sign_is_one(self) -> None:
        assert answer_exact("the", ["A"]) == answer_f1("?", ["A"]) == answer_exact("", ["A"]) == 0
        assert answer_exact("a", ["A"]) == answer_f1(":=", [":="]) == 1

    def test_scripts_without_spaces_are_compared_by_characters(self) -> None:
        assert answer_words("在2015年，") == ["在", "2015", "年"]
        assert answer_f1("北京市", ["北京"]) == pytest.approx(0.8)
        assert answer_exact("2015 年", ["２０１５年。"]) == 1
        # A Thai vowel sign or tone mark stands on its consonant.
        assert answer_words("ที่นี่") == ["ที่", "นี่"]
        assert answer_contains("เมืองหลวงคือกรุงเทพมหานคร", ["กรุงเทพ"]) == 1

    def test_korean_is_written_with_spaces(self) -> None:
        assert answer_words("서울에서 부산") == ["서울에서", "부산"]

    def test_composed_and_decomposed_letters_are_one(self) -> None:
        assert answer_exact("cafe\u0301", ["CAFÉ"]) == 1

    @pytest.mark.parametrize("said", ["founded in 2015", "3.5 percent", "15", "x5", "5th", "5_000"])
    def test_5_does_not_stand_in(self, said: str) -> None:
        assert answer_contains(said, ["5"]) == 0

    @pytest.mark.parametrize("said", ["5", "about 5.", "(5)", "2:5", "5 %", "1-5", "5年", "The answer is\n5"])
    def test_5_stands_in(self, said: str) -> None:
        assert answer_contains(said, ["5"]) == 1

    def test_words_are_contained_whole_in_order_and_whatever_their_case_and_signs(self) -> None:
        said = "It was the U.S. Army (see Denver Broncos)."
        assert (
            answer_contains(said, ["us army"]) == answer_contains(said, ["The Denver-Broncos", "denver broncos"]) == 1
        )
        assert answer_contains(said, ["army us"]) == answer_contains(said, ["Denver Bronco"]) == 0

    def test_the_best_of_several_gold_answers_counts_and_without_one_nothing_is_right(self) -> None:
        assert answer_f1("a b c", ["x", "b c", "b"]) == 1
        assert answer_contains("b", ["x", "b"]) == 1
        assert answer_f1("b", []) == answer_exact("b", []) == answer_contains("b", []) == 0

    @given(st.text(max_size=12), st.text(min_size=1, max_size=12))
    def test_what_is_exact_is_contained_and_has_an_f1_of_1(self, said: str, gold: str) -> None:
        assert answer_exact(gold, [gold]) == answer_f1(gold, [gold]) == 1
        f1 = answer_f1(said, [gold])
        assert 0 <= f1 <= 1
        assert f1 == pytest.approx(answer_f1(gold, [said]))
        if answer_exact(said, [gold]):
            assert f1 == 1
            assert answer_contains(said, [gold]) == bool(answer_words(gold))

    @pytest.mark.skipif(not DATA, reason="GW_TEST_DATA names no folder with the xquad collections")
    @pytest.mark.parametrize("language", ["en", "de", "zh", "th"])
    def test_every_gold_answer_of_xquad_is_contained_in_its_paragraph(self, language: str) -> None:
        folder = Path(DATA) / f"xquad-{language}"
        rows = {
            name: [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
            for name in ("corpus", "spans")
        }
        texts = {row["_id"]: row["text"] for row in rows["corpus"]}
        kept = [row for row in rows["spans"] if row["exact"]][::4]
        missed = [row["answer"] for row in kept if not answer_contains(texts[row["corpus-id"]], [row["answer"]])]
        # A few gold answers begin or end inside a word or a number.
        assert len(missed) <= len(kept) / 100, missed


def _squad(text: str) -> str:
    """normalize_answer of SQuAD's evaluate-v1.1.py, step by step."""
    text = "".join(char for char in text.lower() if char not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


class TestRates:
    def test_refusing_says_what_it_can(self) -> None:
        assert abstention_values(answerable=False, refused=True) == {"abstention_recall": 1, "abstention_precision": 1}
        assert abstention_values(answerable=False, refused=False) == {"abstention_recall": 0}
        assert abstention_values(answerable=True, refused=True) == {"answered": 0, "abstention_precision": 0}
        assert abstention_values(answerable=True, refused=False) == {"answered": 1}

    def test_verdicts_are_shares_of_the_citations(self) -> None:
        rates = verdict_rates(["verified", "verified", "drifted", "missing"])
        assert rates["citations_verified"] == 0.5
        assert math.fsum(rates.values()) == 1
        assert verdict_rates([]) == {}
        with pytest.raises(ValueError, match="invented"):
            verdict_rates(["invented"])
