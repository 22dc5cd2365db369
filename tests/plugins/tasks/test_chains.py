"""Chains of facts: they can be followed by exact matching, in one way only, and nothing else leads to their end."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import UsageError
from gw_core.query import FUNCTION_WORDS
from gw_core.text.fold import fold
from gw_core.text.stem import stems
from gw_plugins.tasks.chains import Chain, Names, depths, draw, name, texts_of
from gw_plugins.tasks.multihop_wording import (
    FINAL,
    FIRST_NAMES,
    KINDS,
    NOUNS,
    PATTERNS,
    PHRASINGS,
    PLACES,
    QUESTIONS,
    SUFFIXES,
)

TEXT = "The relay of Section 318.42 keeps 4817293 tickets.\n\nbevadoni = mirokate"


def chains(seed: int, hops: int, number: int, branches: int = 0, texts: tuple[str, ...] = (TEXT,)) -> list[Chain]:
    random = Random(seed)
    names = Names(random, texts)
    return [name(draw(random, hops, branches), names.own) for _ in range(number)]


def mentions(entity: str, texts: list[str]) -> list[int]:
    """Which texts hold an entity, not as a part of a longer word, number or name."""
    exact = re.compile(rf"(?<![\w.-]){re.escape(entity)}(?![\w-]|\.\w)")
    return [at for at, text in enumerate(texts) if exact.search(text)]


SHAPES = st.tuples(st.integers(), st.integers(1, 40), st.integers(1, 12), st.integers(0, 3))


@given(SHAPES)
def test_each_entity_stands_in_the_two_links_that_it_joins_and_nowhere_else(shape: tuple[int, int, int, int]) -> None:
    seed, hops, number, _ = shape
    made = chains(seed, hops, number)
    texts = [link.text for chain in made for link in chain.links] + [TEXT]
    at = 0
    for chain in made:
        assert len(chain.links) == hops
        assert (chain.links[0].source, chain.links[-1].target) == (chain.first, chain.value)
        assert mentions(chain.first, texts) == [at]
        for place, link in enumerate(chain.links, at):
            assert mentions(link.target, texts) == ([place, place + 1] if link.target != chain.value else [place])
        at += hops


@given(SHAPES)
def test_no_name_is_part_of_another_or_of_the_haystack_in_any_case(shape: tuple[int, int, int, int]) -> None:
    made = chains(*shape)
    names = {one.casefold() for chain in made for link in chain.planted for one in (link.source, link.target)}
    joined = "\n".join(sorted(names))
    assert all(joined.count(one) == 1 for one in names)
    assert not any(one in TEXT.casefold() for one in names)


@given(SHAPES)
def test_a_chain_is_followed_from_its_question_by_nothing_but_exact_matching(shape: tuple[int, int, int, int]) -> None:
    seed, hops, number, branches = shape
    made = chains(seed, hops, number, branches)
    planted = [link for chain in made for link in chain.planted]
    Random(seed).shuffle(planted)
    texts = [link.text for link in planted]
    entities = {one for link in planted for one in (link.source, link.target)}  # none is part of another
    named = [{one for one in entities if one in text} for text in texts]
    beside: dict[str, set[str]] = {one: set() for one in entities}
    for together in named:
        assert len(together) == 2
        for one in together:
            beside[one] |= together - {one}
    for chain in made:
        (first,) = [one for one in entities if one in chain.question]
        assert first == chain.first
        seen, waiting, ends = set(), [first], []
        while waiting:
            here = waiting.pop()
            seen.add(here)
            found = beside[here] - seen
            waiting += found
            ends += [] if found else [here]
        assert chain.value in ends
        assert [one for one in ends if one in {other.value for other in made}] == [chain.value]
        assert len(ends) <= 1 + branches
        assert len(seen) == 1 + len(chain.planted)


@given(SHAPES)
def test_no_text_is_planted_twice_and_none_is_phrased_as_the_one_before(shape: tuple[int, int, int, int]) -> None:
    made = chains(*shape)
    assert max(Counter(link.text for chain in made for link in chain.planted).values()) == 1
    for chain in made:
        names = [link.phrasing for link in chain.links]
        assert all(one != other for one, other in pairwise(names))
        assert all("{" not in link.text and "\n" not in link.text for link in chain.planted)


@given(SHAPES)
def test_the_room_that_a_chain_takes_is_known_before_it_has_names(shape: tuple[int, int, int, int]) -> None:
    seed, hops, _, branches = shape
    draft = draw(Random(seed), hops, branches)
    named = name(draft, Names(Random(seed + 1), [TEXT]).own)
    assert [len(one) for one in texts_of(draft)] == [len(link.text) for link in named.planted]


@given(SHAPES)
def test_dead_ends_leave_from_the_chain_and_state_nothing(shape: tuple[int, int, int, int]) -> None:
    seed, hops, number, branches = shape
    for chain in chains(seed, hops, number, branches):
        known = {link.source for link in chain.links}
        for link in chain.dead_ends:
            assert link.source in known
            assert link.phrasing not in FINAL
            known.add(link.target)
        assert sum(link.source in {one.source for one in chain.links} for link in chain.dead_ends) == branches


def test_a_chain_mixes_phrasings_and_every_one_of_them_is_used() -> None:
    made = chains(1, 30, 40)
    assert min(len({link.phrasing for link in chain.links}) for chain in made) >= 5
    used = {link.phrasing for chain in made for link in chain.links}
    assert used == {one.name for one in PHRASINGS} | set(FINAL)
    assert {len({chain.question.replace(chain.first, "") for chain in made})} != {1}


def test_every_kind_of_entity_leads_on_in_at_least_one_phrasing_whatever_led_to_it() -> None:
    for kind in KINDS:
        assert kind in PATTERNS
        for before in PHRASINGS:
            if kind in before.targets:
                assert [one for one in PHRASINGS if kind in one.sources and one.name != before.name]


def content(texts: list[str]) -> set[str]:
    words = [word for text in texts for word in fold(re.sub(r"\{\w+\}", " ", text)).split()]
    return set(stems([word for word in words if word not in FUNCTION_WORDS]))


def test_a_question_shares_no_content_word_with_any_link_or_name() -> None:
    links = [one for phrasing in PHRASINGS for one in phrasing.wordings]
    links += [one for several in FINAL.values() for one in several]
    names = [*NOUNS, *PLACES, *SUFFIXES, *FIRST_NAMES, "section"]
    assert content(list(QUESTIONS)) & content(links + names) == set()


def test_ordinary_words_in_names_are_in_no_wording() -> None:
    links = [one for phrasing in PHRASINGS for one in phrasing.wordings]
    links += [one for several in FINAL.values() for one in several]
    assert content([*NOUNS, *PLACES, *SUFFIXES]) & content(links) == set()


@given(SHAPES)
def test_only_links_that_name_the_first_entity_share_a_word_with_the_question(shape: tuple[int, int, int, int]) -> None:
    for chain in chains(*shape):
        asked = content([chain.question])
        assert asked & content([chain.links[0].text])
        assert not any(asked & content([link.text]) for link in chain.planted if link.source != chain.first)


def test_words_of_the_haystack_are_not_made_up_again() -> None:
    taken = [one for chain in chains(3, 8, 20) for link in chain.links for one in (link.source, link.target)]
    again = chains(3, 8, 20, texts=(" ".join(taken).upper(),))
    assert not {one for chain in again for link in chain.links for one in (link.source, link.target)} & set(taken)


def test_the_same_seed_makes_the_same_chains() -> None:
    assert chains(7, 8, 5, 2) == chains(7, 8, 5, 2)
    assert chains(7, 8, 5, 2) != chains(8, 8, 5, 2)


def test_names_that_run_out_are_an_error_with_a_way_out() -> None:
    names = Names(Random(0), [" ".join(f"{major}.{minor}" for major in range(100, 1000) for minor in range(10, 100))])
    with pytest.raises(UsageError, match="fewer chains"):
        names.own("section")


@given(SHAPES)
def test_the_links_of_a_chain_lie_equally_far_apart_over_the_whole_haystack(shape: tuple[int, int, int, int]) -> None:
    made = chains(*shape)
    placed = depths(Random(0), made)
    for chain, own in zip(made, placed, strict=True):
        ordered = sorted(own)
        assert len(own) == len(chain.planted)
        assert 0 < ordered[0] < ordered[-1] + 1e-9 < 1 + 1e-9
        assert all(abs(b - a - 1 / len(own)) < 1e-9 for a, b in pairwise(ordered))
