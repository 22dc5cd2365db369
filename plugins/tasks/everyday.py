"""Ordinary questions, and which of them a text cannot answer although it has all their words.

The list is ours: questions that anybody might ask about geography, animals, cooking, health, law and the like, each
with the strings that would answer it. A number stands among these with what it counts ("eight legs"): alone it stands
in any text and answers nothing.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from gw_core.query import parse
from gw_core.text.fold import fold, fold_all
from gw_core.text.stem import stems

_BREAK = "|"  # no token


@dataclass(frozen=True, slots=True)
class Question:
    """``answers`` are true ones; where any of them stands, the question may have an answer."""

    id: str
    subject: str
    text: str
    answers: tuple[str, ...]


@functools.cache
def questions() -> tuple[Question, ...]:
    """All questions, in an order that doesn't change."""
    lines = map(json.loads, read_data().splitlines())
    return tuple(Question(one["id"], one["subject"], one["question"], tuple(one["answers"])) for one in lines)


@functools.cache
def read_data() -> str:
    """The list as it is packaged: one JSON object a line."""
    return files("gw_plugins.tasks").joinpath("data/everyday.jsonl").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Sorted:
    """Questions, in the order they came in: ``unanswerable`` ones, those with a word ``unknown`` to the text, and those
    that it may have ``answered``."""

    unanswerable: tuple[Question, ...]
    unknown: tuple[Question, ...]
    answered: tuple[Question, ...]


def sort(asked: Sequence[Question], texts: Sequence[str], beside: Sequence[str] = ()) -> Sorted:
    """Which questions cannot be answered from ``texts`` for another reason than that their words don't occur there.

    A question is unanswerable if every content word of it, folded and stemmed, occurs in the texts, and none of its
    answers does, as a sequence of stems within one text. An answer is looked for in the texts ``beside``, too.
    """
    own, vocabulary = _stemmed(texts)
    other, more = _stemmed(beside)
    kept: list[Question] = []
    unknown: list[Question] = []
    answered: list[Question] = []
    for one in asked:
        if not vocabulary.issuperset(stems(parse(one.text).content)):
            unknown.append(one)
        elif any(_stands(answer, own, vocabulary) or _stands(answer, other, more) for answer in one.answers):
            answered.append(one)
        else:
            kept.append(one)
    return Sorted(tuple(kept), tuple(unknown), tuple(answered))


def _stemmed(texts: Sequence[str]) -> tuple[str, frozenset[str]]:
    """All stems one after another, with a space around each and a break between texts, and the set of them."""
    folded = [text.split() for text in fold_all(texts)] if texts else []
    words = list(set().union(*folded))
    stem_of = dict(zip(words, stems(words), strict=True))
    whole = f" {_BREAK} ".join(" ".join(map(stem_of.__getitem__, text)) for text in folded)
    return f" {whole} ", frozenset(stem_of.values())


def _stands(answer: str, text: str, vocabulary: frozenset[str]) -> bool:
    wanted = stems(fold(answer).split())
    return vocabulary.issuperset(wanted) and f" {' '.join(wanted)} " in text
