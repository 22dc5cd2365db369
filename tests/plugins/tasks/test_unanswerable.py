"""The task unanswerable: its questions, which of them suit a text, and what is measured with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gw_core.bench import planting
from gw_core.bench.harness import Harness
from gw_core.errors import UsageError
from gw_core.query import parse
from gw_core.text.fold import fold
from gw_core.text.stem import stems
from gw_core.trial import Answered, Cell, Place, SourceText
from gw_plugins.tasks.everyday import Question, questions, sort
from gw_plugins.tasks.unanswerable import WHAT, Unanswerable


def _phrase(text: str) -> str:
    return f" {' '.join(stems(fold(text).split()))} "


# -- the questions ----------------------------------------------------------------------------------------------------


def test_there_are_enough_questions_of_many_kinds() -> None:
    assert len(questions()) >= 250
    for field in ("id", "text"):
        assert len({getattr(one, field) for one in questions()}) == len(questions()), field
    assert len({frozenset(stems(parse(one.text).content)) for one in questions()}) >= 0.97 * len(questions())
    subjects = Counter(one.subject for one in questions())
    assert len(subjects) >= 15
    assert max(subjects.values()) <= len(questions()) / 5
    begins = Counter(one.text.split()[0] for one in questions())
    assert {"Who", "What", "When", "Where", "Which", "Why", "How", "Can", "Is"} <= begins.keys()


@pytest.mark.parametrize("one", questions(), ids=lambda one: one.id)
def test_a_question_can_be_asked_and_has_true_answers_that_it_does_not_give_away(one: Question) -> None:
    assert one.text == " ".join(one.text.split())
    assert one.text.endswith("?")
    assert parse(one.text).content
    assert one.answers
    for answer in one.answers:
        assert fold(answer).split()
        assert not fold(answer).isdecimal() or len(answer) > 2, "a small number stands in every text"
        assert _phrase(answer) not in _phrase(one.text)


# -- which of them suit a text ----------------------------------------------------------------------------------------

ASKED = (
    Question("1", "animals", "How many legs does a spider have?", ("eight legs", "8 legs")),
    Question("2", "science", "Who discovered gravity?", ("Newton",)),
    Question("3", "music", "Who composed the Ring cycle?", ("Richard Wagner",)),
)


def _ids(found: Sequence[Question]) -> list[str]:
    return [one.id for one in found]


def test_a_question_suits_a_text_with_all_its_words_in_any_form_and_no_answer() -> None:
    text = "A spider crawled over many leg rests. Composers cycle the rings."
    found = sort(ASKED, [text])
    assert (_ids(found.unanswerable), _ids(found.unknown), found.answered) == (["1", "3"], ["2"], ())


def test_its_words_may_stand_in_different_texts_but_an_answer_stands_in_one() -> None:
    found = sort(ASKED[2:], ["composing Richard", "Wagner cycles", "a ring"])
    assert _ids(found.unanswerable) == ["3"]
    found = sort(ASKED[2:], ["composing for Richard Wagner", "cycles", "a ring"])
    assert _ids(found.answered) == ["3"]


def test_an_answer_counts_in_other_forms_and_beside_the_text_but_a_word_only_in_it() -> None:
    text = "many spider legs"
    assert _ids(sort(ASKED[:1], [text, "It moved an EIGHT-LEG thing."]).answered) == ["1"]
    assert _ids(sort(ASKED[:1], [text], ["eight legs"]).answered) == ["1"]
    assert _ids(sort(ASKED[:1], [text], ["eighty legs"]).unanswerable) == ["1"]
    assert _ids(sort(ASKED[:1], ["many legs"], ["spider"]).unknown) == ["1"]


def test_no_text_suits_no_question() -> None:
    assert len(sort(questions(), []).unknown) == len(questions())


# -- the task ---------------------------------------------------------------------------------------------------------


def _cells(bench: Any, **settings: Any) -> list[Cell]:
    return list(Unanswerable(**settings).run(bench))


def _values(cell: Cell, category: str, metric: str) -> list[float]:
    return [one.values[metric] for one in cell.outcomes if one.group["category"] == category and metric in one.values]


def test_many_questions_suit_the_standard_library(harness: Callable[..., Harness]) -> None:
    texts: Sequence[SourceText] = harness().texts(1_000_000)
    assert len(sort(questions(), [one.text for one in texts]).unanswerable) >= 250


@pytest.fixture(scope="module")
def measured(harness: Callable[..., Harness]) -> Cell:
    (cell,) = _cells(harness(), context=("256k",), needles=40)
    return cell


def test_gw_answers_what_it_can_and_refuses_more_than_it_would_by_chance(measured: Cell) -> None:
    assert (measured.name, measured.size, len(measured.outcomes)) == ("256k", 256_000, 80)
    assert measured.notes == (WHAT,)
    assert sum(_values(measured, "answerable", "answered")) >= 36
    assert sum(_values(measured, "answerable", "answer_contains")) >= 36
    refused = _values(measured, "unanswerable", "abstention_recall")
    assert len(refused) == 40
    assert sum(refused) / 40 >= 0.3
    precision = [
        one.values["abstention_precision"] for one in measured.outcomes if "abstention_precision" in one.values
    ]
    assert sum(precision) / len(precision) >= 0.8
    facts = measured.facts
    assert facts["questions"] == len(questions())
    assert facts["suitable"] + facts["left_out_unknown_word"] + facts["left_out_answer_there"] == len(questions())
    assert facts["answerable"] == facts["unanswerable"] == 40


def test_a_wrong_answer_is_kept_with_its_place(measured: Cell) -> None:
    wrong = [one for one in measured.outcomes if one.values.get("abstention_recall") == 0]
    assert wrong
    for one in wrong:
        assert one.detail["said"]
        assert {"path", "start", "end"} == one.detail["cited"][0].keys()
        assert one.detail["true_answers"]
        assert one.detail["abstained"] is False
        assert "abstention_precision" not in one.values


class Stubborn:
    """Says the same to every question."""

    facts: Mapping[str, Any] = {}
    passages = 10

    def __init__(self, abstained: bool) -> None:
        self._abstained = abstained
        self.asked: list[str] = []

    def ask(self, question: str) -> Answered:
        self.asked.append(question)
        return Answered("42", "42", self._abstained, "grounded", ("verified",), (Place("a.py", 1, 3),), 0.001)


@pytest.fixture
def put_to_the_test(harness: Callable[..., Harness], wrapped: Callable[..., Any]) -> Callable[..., Any]:
    """``put_to_the_test(subject, seed=8)``: a bench of it."""
    return lambda subject, **options: wrapped(harness(**options), lambda *_: subject)


@pytest.mark.parametrize(("abstained", "recall", "precision", "answered"), [(True, 1, [0.5], 0), (False, 0, [], 1)])
def test_what_is_always_or_never_refused_scores_as_it_should(
    put_to_the_test: Callable[..., Any], abstained: bool, recall: float, precision: list[float], answered: float
) -> None:
    (cell,) = _cells(put_to_the_test(Stubborn(abstained)), context=("256k",), needles=30)
    assert set(_values(cell, "unanswerable", "abstention_recall")) == {recall}
    assert set(_values(cell, "answerable", "answered")) == {answered}
    assert set(_values(cell, "answerable", "answer_contains")) == {0}
    found = [one.values["abstention_precision"] for one in cell.outcomes if "abstention_precision" in one.values]
    assert [sum(found) / len(found)] == precision if precision else found == []
    assert cell.chance == {"abstention_precision": 0.5}


def test_no_answer_of_a_question_stands_in_what_is_searched(
    put_to_the_test: Callable[..., Any], texts_of: Callable[[Path], dict[str, str]]
) -> None:
    bench = put_to_the_test(Stubborn(True))
    (cell,) = _cells(bench, context=("256k",))
    texts = [*texts_of(bench.opened[-1]).values()]
    by_id = {one.id: one for one in questions()}
    asked = [by_id[one.id] for one in cell.outcomes if one.group["category"] == "unanswerable"]
    assert len(asked) == cell.facts["suitable"] >= 80
    assert sort(asked, texts).unanswerable == tuple(asked)
    whole = "\n".join(texts)
    assert all(
        one.detail["expected"]["text"] in whole for one in cell.outcomes if one.group["category"] == "answerable"
    )
    assert f"{len(asked)} questions of each kind instead of 200: no more suit this haystack" in cell.notes


def test_the_same_seed_asks_the_same(put_to_the_test: Callable[..., Any]) -> None:
    asked = []
    for seed in (7, 7, 8):
        subject = Stubborn(True)
        _cells(put_to_the_test(subject, seed=seed), context=("64k",), needles=10)
        asked.append(subject.asked)
    assert asked[0] == asked[1] != asked[2]


def test_few_questions_are_said_to_be_few(put_to_the_test: Callable[..., Any]) -> None:
    (cell,) = _cells(put_to_the_test(Stubborn(True)), context=("64k",), needles=10)
    assert "10 questions of each kind are few: mind the intervals" in cell.notes


def test_a_haystack_that_no_question_suits_is_refused(
    harness: Callable[..., Harness], haystack: Callable[..., Path]
) -> None:
    with pytest.raises(
        UsageError, match=f"none of {len(questions())} questions suits this haystack of 8k tokens"
    ) as no:
        _cells(harness(haystack=haystack(3000)), context=("8k",))
    assert no.value.hint


def test_a_haystack_too_small_for_one_fact_is_refused(harness: Callable[..., Harness]) -> None:
    with pytest.raises(UsageError, match="too small for a needle"):
        _cells(harness(), context=("300",))


def test_the_facts_are_no_more_than_their_share(
    put_to_the_test: Callable[..., Any], haystack: Callable[..., Path]
) -> None:
    lines = [f"Line {number} asks: {questions()[number % len(questions())].text}" for number in range(3000)]
    (cell,) = _cells(put_to_the_test(Stubborn(True), haystack=haystack(0, lines)), context=("8k",))
    number = cell.facts["answerable"]
    assert 5 <= number <= 20 < cell.facts["suitable"]
    facts = [one.detail["expected"]["text"] for one in cell.outcomes if one.group["category"] == "answerable"]
    assert planting.size_of(facts) <= 400  # 5 % of 8,000 tokens
    assert cell.notes[1].startswith(f"{number} questions of each kind instead of 200: the sentences that answer")


@pytest.mark.parametrize("needles", [0, -1, 10_000])
def test_only_as_many_questions_as_there_are(needles: int) -> None:
    with pytest.raises(ValueError, match=f"between 1 and {len(questions())}"):
        Unanswerable(needles=needles)
