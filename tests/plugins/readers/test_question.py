from __future__ import annotations

import pytest

from gw_plugins.readers.question import Kind, head_of, kind_of


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many points did they score?", Kind.NUMBER),
        ("What percentage of people agreed?", Kind.NUMBER),
        ("how long are logs kept?", Kind.NUMBER),
        ("When was it built?", Kind.DATE),
        ("In what year did it open?", Kind.DATE),
        ("How long ago was that?", Kind.DATE),
        ("Who wrote it?", Kind.WHO),
        ("Which player scored?", Kind.WHO),
        ("Where is it?", Kind.WHERE),
        ("In which county does it lie?", Kind.WHERE),
        ("what is the default of max_bytes?", Kind.VALUE),
        ("which function registers a backend?", Kind.IDENTIFIER),
        ("Is it raining?", Kind.YESNO),
        ("why is the sky blue?", Kind.EXPLANATION),
        ("how do I register a backend?", Kind.EXPLANATION),
        ("What happens when the disk is full?", Kind.OTHER),
        ("What did Doctor Who call it?", Kind.WHO),
        ("Wie viele Punkte gab es?", Kind.NUMBER),
        ("Was ist ein Ausdruck?", Kind.OTHER),
        ("Wann wurde es gebaut?", Kind.DATE),
        ("Combien de pages ?", Kind.NUMBER),
        ("¿Dónde está?", Kind.WHERE),
        ("他什么时候出生？", Kind.DATE),
        ("有多少人？", Kind.NUMBER),
        ("谁写的？", Kind.WHO),
        ("ใครเป็นผู้เขียน", Kind.WHO),
        ("เท่าไร", Kind.NUMBER),
        ("Сколько стоит?", Kind.NUMBER),
        ("", Kind.OTHER),
    ],
)
def test_the_kind_of_a_question(question: str, kind: Kind) -> None:
    assert kind_of(question) is kind


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("How many points did they score?", "points"),
        ("What color was it?", "color"),
        ("What is the name of the river?", "river"),
        ("What type of school was it?", "school"),
        ("How much of it is gone?", ""),
        ("Who was it?", ""),
        ("What did they do?", ""),
    ],
)
def test_the_noun_that_the_question_word_stands_before(question: str, head: str) -> None:
    assert head_of(question) == head
