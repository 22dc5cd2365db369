"""Questions taken from a corpus: of two kinds where it has both, and from any text with words in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from gw_core.bench.phrases import phrases
from gw_core.errors import UsageError

PROSE = "these are the words that every reader of the page sees when it is open\n" * 5
CODE = "VALUE_7 = compute_the_value(7, other_argument=None)\n\n" * 5


def readers(*texts: str) -> Sequence[Callable[[], str]]:
    return [lambda text=text: text for text in texts]  # type: ignore[misc]


def test_two_in_three_are_prose_and_one_is_names() -> None:
    asked = phrases(readers(PROSE, CODE, ""), 30, 7)
    assert len(asked) == 30
    assert asked == phrases(readers(PROSE, CODE, ""), 30, 7)
    assert asked != phrases(readers(PROSE, CODE, ""), 30, "another draw")
    assert all("compute_the_value" in question for question in asked[::3])
    assert all(" ".join(question.split()) in PROSE for number, question in enumerate(asked) if number % 3)


@pytest.mark.parametrize(
    "text", [PROSE, CODE, "größer als 東京\n", "__ ____ ___ __ x1\n", "x\n\n\n", "日本語の文章です。\n"]
)
def test_a_corpus_of_one_kind_or_of_another_script_is_asked_too(text: str) -> None:
    asked = phrases(readers(text), 9, 7)
    assert len(asked) == 9
    assert all(question.strip() and len(question) <= 200 for question in asked)
    assert all(word in re.findall(r"\w+", text) for question in asked for word in question.split())


@pytest.mark.parametrize("texts", [(), ("",), ("\n\n", "--- !!! ---\n"), ("__ ____ ___ __ ______\n",)])
def test_text_without_words_is_refused(texts: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        phrases(readers(*texts), 3, 7)
