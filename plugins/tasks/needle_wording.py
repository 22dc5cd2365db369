"""Facts to hide: sentences about things with made-up names, the question that each answers, and its neighbours.

A fact and its question share the words that somebody would ask with, the name above all. Names are put together from
syllables, so that no text holds them that was not made here; which fact is the how-manieth depends on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from gw_core.bench.planting import seeded

_FIRST = (
    "Brav Dorf Felk Gand Hulm Isk Jorv Kest Lund Marg Nald Osk Pelv Quor Rusk Sulv Tamb Ulv Velg Wroth Yarv Zand Crel "
    "Drov Fosk Grel Harv Jask Krel Lorv"
).split()
_MIDDLE = "ab ack ad al am an ar as av ed eg el em en er esk ib il im in ir ob od ol om or ul um un ur".split()
_LAST = "wick ford mere stow holt combe den gate rick vane thorp beck mont dale fell garth haugh lock ness rath".split()
MOST = len(_FIRST) * len(_MIDDLE) * len(_LAST) // 2
"""How many facts, or distractors of one, there may be, so that a name not yet taken is soon found."""

_COLOURS = "ochre teal maroon indigo turquoise crimson olive violet amber scarlet".split()
_SHADES = "dark pale dull bright deep faded".split()
_MATERIALS = "slate copper cedar thatch zinc bamboo turf larch basalt canvas".split()
_TREATMENTS = "hammered tarred polished smoked glazed pressed woven gilded".split()
_ANIMALS = "goats ferrets geese donkeys tortoises llamas otters snails ponies ducks".split()
_COUNTS = "two three four five six seven eight nine ten eleven twelve twenty".split()
_THINGS = "lanterns anchors pears thimbles kettles feathers bells ladders candles spoons".split()
_GIVEN = "Anselm Beatrix Cornelis Dagny Edmund Fenna Gregor Hedda Ivo Jorunn Klaus Lisbet Marius Nella".split()
_MONTHS = "January February March April May June July August September October November December".split()


def _word(choose: Random) -> str:
    return choose.choice(_FIRST) + choose.choice(_MIDDLE) + choose.choice(_LAST)


def _free_word(taken: Collection[str], choose: Random) -> str:
    while True:
        word = _word(choose)
        if word not in taken:
            return word


def _code(choose: Random) -> str:
    letters = "".join(choose.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(3))
    return f"{letters}-{choose.randrange(1000, 10000)}"


def _price(choose: Random) -> str:
    return f"{choose.randrange(2, 90)},{choose.randrange(100, 1000)} crowns"


def _date(choose: Random) -> str:
    return f"{choose.randrange(1, 29)} {choose.choice(_MONTHS)} {choose.randrange(1820, 1990)}"


def _time(choose: Random) -> str:
    return f"{choose.randrange(0, 24):02}:{choose.randrange(1, 60):02}"


def _person(choose: Random) -> str:
    return f"{choose.choice(_GIVEN)} {_word(choose)}"


def _number(least: int, most: int, unit: str) -> Callable[[Random], str]:
    return lambda choose: f"{choose.randrange(least, most)} {unit}".strip()


def _pair(*lists: Sequence[str]) -> Callable[[Random], str]:
    return lambda choose: " ".join(choose.choice(words) for words in lists)


@dataclass(frozen=True, slots=True)
class Template:
    """``statement`` has a place for the name and one for the answer, ``question`` one for the name.

    ``numbered``: the thing is called by a word and a number; else by two words.
    """

    kind: str
    statement: str
    question: str
    answer: Callable[[Random], str]
    numbered: bool


TEMPLATES = (
    Template(
        "code",
        "The maintenance key for station {name} is {answer}.",
        "What is the maintenance key for station {name}?",
        _code,
        True,
    ),
    Template(
        "price",
        "A yearly berth at the marina of {name} costs {answer}.",
        "How much does a yearly berth at the marina of {name} cost?",
        _price,
        False,
    ),
    Template(
        "date",
        "The suspension bridge at {name} was opened to traffic on {answer}.",
        "When was the suspension bridge at {name} opened to traffic?",
        _date,
        False,
    ),
    Template(
        "place",
        "The diaries of the {name} expedition are kept in the town of {answer}.",
        "In which town are the diaries of the {name} expedition kept?",
        _word,
        False,
    ),
    Template(
        "person",
        "The walled orchard of {name} was planted by {answer}.",
        "Who planted the walled orchard of {name}?",
        _person,
        False,
    ),
    Template(
        "setting",
        "On relay {name} the reconnect timeout is set to {answer}.",
        "What is the reconnect timeout set to on relay {name}?",
        _number(200, 9000, "milliseconds"),
        True,
    ),
    Template(
        "temperature",
        "Porcelain in kiln {name} is fired at {answer}.",
        "At what temperature is porcelain in kiln {name} fired?",
        _number(800, 1400, "degrees"),
        True,
    ),
    Template(
        "time",
        "The night ferry to {name} leaves the eastern pier at {answer}.",
        "At what time does the night ferry to {name} leave the eastern pier?",
        _time,
        False,
    ),
    Template(
        "count",
        "The lending library in {name} owns {answer}.",
        "How many gramophone records does the lending library in {name} own?",
        _number(150, 9900, "gramophone records"),
        False,
    ),
    Template(
        "colour",
        "The pipes of cooling circuit {name} are painted {answer}.",
        "What colour are the pipes of cooling circuit {name} painted?",
        _pair(_SHADES, _COLOURS),
        True,
    ),
    Template(
        "distance",
        "From the village of {name} to the nearest weather mast it is {answer}.",
        "How far is it from the village of {name} to the nearest weather mast?",
        _number(3, 190, "kilometres"),
        False,
    ),
    Template(
        "password",
        "The guards at the gate of {name} let in whoever says {answer}.",
        "What must one say to the guards at the gate of {name} to be let in?",
        _pair(_COUNTS, _SHADES, _THINGS),
        False,
    ),
    Template(
        "weight",
        "The bronze bell in the tower of {name} weighs {answer}.",
        "How much does the bronze bell in the tower of {name} weigh?",
        _number(300, 7000, "kilograms"),
        False,
    ),
    Template(
        "material",
        "The roof of observatory {name} is covered with {answer}.",
        "What is the roof of observatory {name} covered with?",
        _pair(_TREATMENTS, _MATERIALS),
        True,
    ),
    Template(
        "port",
        "The telemetry daemon of probe {name} listens on {answer}.",
        "On which port does the telemetry daemon of probe {name} listen?",
        lambda choose: f"port {choose.randrange(2000, 60000)}",
        True,
    ),
    Template(
        "custom",
        "The harvest festival in {name} ends with a race of {answer}.",
        "What race does the harvest festival in {name} end with?",
        _pair(_COUNTS, _ANIMALS),
        False,
    ),
)


@dataclass(frozen=True, slots=True)
class Fact:
    """``needle`` states it and holds ``answer`` once; ``name`` is what it is about, whose first word no other has."""

    id: str
    kind: str
    name: str
    needle: str
    question: str
    answer: str

    @property
    def word(self) -> str:
        """The made-up word that it and its neighbours have alone."""
        return self.name.replace("-", " ").split()[0]


def facts(number: int, seed: str) -> list[Fact]:
    """So many facts of all kinds in turn, each about something else; fewer for the same seed are the first of them.

    Raises ValueError for more than :data:`MOST`.
    """
    if number > MOST:
        raise ValueError(f"{number} needles are more than there are names for: {MOST} at most")
    taken: set[str] = set()
    made = []
    for at in range(number):
        choose = seeded(seed, "fact", at)
        taken.add(word := _free_word(taken, choose))
        template = TEMPLATES[at % len(TEMPLATES)]
        if template.numbered:
            name = f"{word}-{choose.randrange(100, 1000)}"
        else:
            taken.add(second := _free_word(taken, choose))
            name = f"{word} {second}"
        needle, answer = _stated(template, name, choose)
        question = template.question.format(name=name)
        made.append(Fact(f"{template.kind}-{at:04}", template.kind, name, needle, question, answer))
    return made


def distractors(fact: Fact, number: int, seed: str) -> list[str]:
    """So many sentences like the fact's, word for word but for the end of the name and for the answer: about station
    Harvalstow-418 and Harvalstow-41 where the fact is about Harvalstow-417. None of them answers its question, and none
    comes twice. ``number`` is :data:`MOST` at most."""
    template = next(one for one in TEMPLATES if one.kind == fact.kind)
    choose = seeded(seed, "distractors", fact.id)
    names = _near_numbers(fact.name) if template.numbered else _near_words(fact.name, choose)
    made: list[str] = []
    while len(made) < number:
        sentence, _ = _stated(template, next(names), choose)
        if fact.answer not in sentence:
            made.append(sentence)
    return made


def _stated(template: Template, name: str, choose: Random) -> tuple[str, str]:
    """A sentence of this template, and the answer in it, which stands there once."""
    while True:
        answer = template.answer(choose)
        sentence = template.statement.format(name=name, answer=answer)
        if sentence.count(answer) == 1:
            return sentence, answer


def _near_numbers(name: str) -> Iterator[str]:
    """Names whose number begins as that of ``name`` does, or is near to it; no end of them."""
    word, _, digits = name.partition("-")
    own = int(digits)
    near = [own // 10, *range(own * 10, own * 10 + 10), own // 100]
    yield from (f"{word}-{number}" for number in near)
    for step in count(1):
        yield from (f"{word}-{number}" for number in (own + step, own - step) if number > 0 and number not in near)


def _near_words(name: str, choose: Random) -> Iterator[str]:
    """Names with the same first word and others behind it, each once."""
    first, second = name.split()
    taken = {second}
    while True:
        taken.add(word := _free_word(taken, choose))
        yield f"{first} {word}"
