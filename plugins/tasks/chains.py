"""Chains of facts, each naming what the next one is about, made of names that occur nowhere else.

A chain is drawn first (:func:`draw`: what kind of entity leads to what kind, in which words) and named later
(:func:`name`), against the text that it will stand in. Every made-up word has the same length, and so has every number:
how long a chain is, is known before its names are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from gw_core.errors import UsageError
from gw_plugins.tasks.multihop_wording import (
    CODE_SPAN,
    FINAL,
    FIRST_NAMES,
    KINDS,
    NOUNS,
    PATTERNS,
    PHRASINGS,
    PLACES,
    QUESTIONS,
    SUFFIXES,
    Phrasing,
)

_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_SHAPES = ("cvccvcvc", "cvcvcvcv", "cvccvccv", "cvcvccvc", "vccvcvcv")
_OWN = 6  # letters that tell a made-up word from all others, so that neither stem nor prefix takes it for another
_TRIES = 2_000
_LONGEST_DEAD_END = 3
_WORD = re.compile(r"[a-z]+")
_FIGURES = re.compile(r"\d[\d.-]*")
_CODE = re.compile(r"[A-Z]{2}-\d{4}-[A-Z]{2}")


@dataclass(frozen=True, slots=True)
class Link:
    """One fact to plant: ``text`` leads from ``source`` to ``target``, the name of an entity or, at the end, the value;
    both stand in it just so."""

    text: str
    source: str
    target: str
    phrasing: str


@dataclass(frozen=True, slots=True)
class Chain:
    """``links`` in the order in which they are followed; ``dead_ends`` leave it somewhere and state no value."""

    question: str
    first: str
    value: str
    links: tuple[Link, ...]
    dead_ends: tuple[Link, ...] = ()

    @property
    def planted(self) -> tuple[Link, ...]:
        return self.links + self.dead_ends


@dataclass(frozen=True, slots=True)
class Entity:
    """What is yet to be named. ``{}`` in ``pattern`` is where its own word, number or code goes."""

    kind: str
    pattern: str

    @property
    def words(self) -> frozenset[str]:
        """The ordinary words in its name."""
        return frozenset(_WORD.findall(self.pattern.lower()))

    def named(self, own: str) -> str:
        if self.kind == "constant":
            return self.pattern.replace("{}", own).upper()
        return self.pattern.replace("{}", own.title() if self.kind in ("place", "name") else own)


@dataclass(frozen=True, slots=True)
class Step:
    """A link between entities, by their places in the list of a draft."""

    wording: str
    source: int
    target: int
    phrasing: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A chain without names. ``entities`` begin with the first one; ``value`` is where the value stands among them."""

    entities: tuple[Entity, ...]
    question: str
    value: int
    steps: tuple[Step, ...]
    dead_ends: tuple[Step, ...]


# -- drawing ---------------------------------------------------------------------------------------------------------


def draw(random: Random, hops: int, branches: int = 0) -> Draft:
    """A chain of ``hops`` links, the last of which states the value, with ``branches`` dead ends of up to three links
    each that begin at the first entity or at a later one. No two links in a row are phrased alike."""
    entities = [_entity(random, random.choice([kind for kind in KINDS if kind != "section"]))]
    steps = _walk(random, entities, 0, hops - 1)
    last = steps[-1].target if steps else 0
    kind = random.choice(sorted(FINAL))
    entities.append(Entity(kind, f"{random.choice(FIRST_NAMES)} {{}}" if kind == "name" else "{}"))
    value = len(entities) - 1
    steps.append(Step(_spelled(random, random.choice(FINAL[kind]), entities[last], None), last, value, kind))
    dead_ends: list[Step] = []
    for _ in range(branches):
        dead_ends += _walk(random, entities, random.randrange(hops), random.randint(1, min(_LONGEST_DEAD_END, hops)))
    question = _spelled(random, random.choice(QUESTIONS), entities[0], None)
    return Draft(tuple(entities), question, value, tuple(steps), tuple(dead_ends))


def _walk(random: Random, entities: list[Entity], start: int, length: int) -> list[Step]:
    """So many links on from one of the entities; those that they lead to are added to the list."""
    steps: list[Step] = []
    at = start
    for _ in range(length):
        source = entities[at]
        before = steps[-1].phrasing if steps else ""
        phrasing = random.choice([one for one in PHRASINGS if source.kind in one.sources and one.name != before])
        target = _entity(random, random.choice(phrasing.targets), entities[0].words)
        entities.append(target)
        wording = _wording(random, phrasing, source, target)
        steps.append(Step(wording, at, len(entities) - 1, phrasing.name))
        at = len(entities) - 1
    return steps


def _entity(random: Random, kind: str, without: frozenset[str] = frozenset()) -> Entity:
    """Anything of that kind, with none of the words ``without`` in its name: those of the first entity stand in the
    question."""
    pattern = random.choice(PATTERNS[kind])
    noun, other = random.sample([word for word in NOUNS if word not in without], 2)
    place = random.choice([word for word in PLACES if word.lower() not in without])
    suffix = random.choice([word for word in SUFFIXES if word not in without])
    return Entity(kind, pattern.format("{}", noun=noun, other=other, place=place, suffix=suffix))


def _wording(random: Random, phrasing: Phrasing, source: Entity, target: Entity) -> str:
    wording = random.choice(phrasing.wordings)
    return wording if phrasing.code else _spelled(random, wording, source, target)


def _spelled(random: Random, wording: str, source: Entity, target: Entity | None) -> str:
    """A wording of prose, with names of code in backticks as often as not."""
    if random.random() < 0.5:
        return wording
    for slot, entity in (("{a}", source), ("{b}", target)):
        if entity is not None and entity.kind in CODE_SPAN:
            wording = wording.replace(slot, f"`{slot}`")
    return wording


# -- naming ----------------------------------------------------------------------------------------------------------


class Names:
    """Made-up words, section numbers and values that occur neither in ``texts`` nor twice.

    No word begins with the same letters as another or as anything in the texts, whatever the case: no stemmer and no
    search by prefix takes one for another.
    """

    def __init__(self, random: Random, texts: Iterable[str]) -> None:
        self._random = random
        words: set[str] = set()
        figures: set[str] = set()
        for text in texts:
            words.update(_WORD.findall(text.lower()))
            figures.update(_FIGURES.findall(text), _CODE.findall(text))
        self._words = " ".join(sorted({*words, *_words_of_ours()}))
        self._figures = " ".join(sorted(figures))
        self._given: set[str] = set()
        self._makers: dict[str, Callable[[], str]] = {
            "section": lambda: f"{self._random.randint(100, 999)}.{self._random.randint(10, 99)}",
            "number": lambda: str(self._random.randint(1_000_000, 9_999_999)),
            "date": self._date,
            "code": self._code,
        }

    def own(self, kind: str) -> str:
        """What is to stand in the pattern of an entity of this kind. Raises UsageError where there is nothing left."""
        make = self._makers.get(kind)
        for _ in range(_TRIES):
            made = self._word() if make is None else make()
            root, known = (made[:_OWN], self._words) if make is None else (made, self._figures)
            if root not in self._given and root not in known:
                self._given.add(root)
                return made
        raise UsageError("there are no more names to make up for so many links", hint="ask for fewer chains or hops")

    def _word(self) -> str:
        shape = self._random.choice(_SHAPES)
        return "".join(self._random.choice(_VOWELS if one == "v" else _CONSONANTS) for one in shape)

    def _date(self) -> str:
        pick = self._random.randint
        return f"{pick(2031, 2099)}-{pick(1, 12):02d}-{pick(1, 28):02d}"

    def _code(self) -> str:
        letters = "".join(self._random.choice(_CONSONANTS.upper()) for _ in range(4))
        return f"{letters[:2]}-{self._random.randint(1_000, 9_999)}-{letters[2:]}"


def _words_of_ours() -> Sequence[str]:
    """What stands in wordings and around names."""
    wordings = [one for phrasing in PHRASINGS for one in phrasing.wordings]
    wordings += [one for several in FINAL.values() for one in several]
    return _WORD.findall(" ".join([*wordings, *QUESTIONS, *NOUNS, *PLACES, *SUFFIXES, *FIRST_NAMES]).lower())


def name(draft: Draft, own: Callable[[str], str]) -> Chain:
    """The chain of a draft; ``own`` (:meth:`Names.own`) says what is to stand in the pattern of each entity."""
    named = [entity.named(own(entity.kind)) for entity in draft.entities]

    def link(step: Step) -> Link:
        source, target = named[step.source], named[step.target]
        return Link(_filled(step.wording, a=source, b=target), source, target, step.phrasing)

    return Chain(
        question=_filled(draft.question, a=named[0]),
        first=named[0],
        value=named[draft.value],
        links=tuple(map(link, draft.steps)),
        dead_ends=tuple(map(link, draft.dead_ends)),
    )


def _filled(wording: str, **names: str) -> str:
    return wording.format(**names)


_SAMPLES = {"section": "000.00", "number": "0000000", "date": "0000-00-00", "code": "XX-0000-XX"}


def texts_of(draft: Draft) -> list[str]:
    """The texts of a draft's links with names of the right length, to reckon how much room they take."""
    chain = name(draft, lambda kind: _SAMPLES.get(kind, "x" * len(_SHAPES[0])))
    return [one.text for one in chain.planted]


# -- placing ---------------------------------------------------------------------------------------------------------


def depths(random: Random, chains: Sequence[Chain]) -> list[list[float]]:
    """Where each planted link of each chain goes, as a share of the haystack in (0, 1).

    The links of a chain lie equally far apart, in an order that says nothing; those of different chains interleave.
    """
    offsets = [(place + 0.5) / len(chains) for place in range(len(chains))]
    random.shuffle(offsets)
    placed = []
    for chain, offset in zip(chains, offsets, strict=True):
        total = len(chain.planted)
        places = list(range(total))
        random.shuffle(places)
        placed.append([(place + offset) / total for place in places])
    return placed
