"""How the links of a chain are worded, what the things that they join are called, and how is asked for the end.

A question shares no content word with any link, and no word of a name is in a question but the first entity's own:
what leads from one link to the next is nothing but the entity that both name.
"""

from __future__ import annotations

from dataclasses import dataclass

CODE = ("snake", "constant", "dotted")
THINGS = (*CODE, "file", "service", "place")
KINDS = (*THINGS, "section")
"""The kinds of entities. A section is named by its number, every other by a made-up word of its own."""

CODE_SPAN = frozenset((*CODE, "file", "service"))
"""What prose may set in backticks."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One manner of saying where to go on: from an entity of one of ``sources`` to one of ``targets``.

    ``wordings`` have ``{a}`` for the entity they come from and ``{b}`` for the one they lead to. ``code``: they are
    lines of code, in which nothing is set in backticks.
    """

    name: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    wordings: tuple[str, ...]
    code: bool = False


PHRASINGS = (
    Phrasing(
        "assignment in code",
        ("snake", "constant"),
        CODE,
        ("{a} = {b}", "let {a} = {b};", "{a} := {b}", "{a}: {b}", "set({a}, {b})"),
        code=True,
    ),
    Phrasing(
        "assignment in prose",
        CODE,
        CODE,
        (
            "The variable {a} takes over whatever {b} contains.",
            "At boot {a} is assigned {b} as it is.",
            "{a} equals {b}, always.",
        ),
    ),
    Phrasing(
        "stored in",
        (*CODE, "service", "place"),
        ("file", "place", "dotted", "snake"),
        (
            "{a} is stored in {b}.",
            "The contents of {a} are kept in {b}.",
            "All that concerns {a} is filed under {b}.",
        ),
    ),
    Phrasing(
        "see section",
        THINGS,
        ("section",),
        ("For {a}, see {b}.", "{a} is covered in {b}.", "The details of {a} are laid out in {b}."),
    ),
    Phrasing(
        "section",
        ("section",),
        THINGS,
        (
            "{a} (Retention): what applies here is written in {b}.",
            "{a} (Handover): this part was taken out and is now in {b}.",
            "{a}, Scope. The rules are those of {b}.",
        ),
    ),
    Phrasing(
        "alias",
        (*CODE, "service", "place"),
        (*CODE, "service", "place"),
        (
            "{a} is an alias of {b}.",
            "{a} is also known as {b}.",
            "What older notes call {a} is the same thing as {b}.",
            "{a} goes by the name of {b} today.",
        ),
    ),
    Phrasing(
        "defined in",
        (*CODE, "service"),
        ("file", "dotted", "service"),
        ("{a} is defined in {b}.", "The definition of {a} sits in {b}.", "{a} is declared by {b} and nowhere else."),
    ),
    Phrasing(
        "points to",
        THINGS,
        THINGS,
        ("{a} points to {b}.", "{a} is a link to {b}.", "Whoever opens {a} is sent on to {b}.", "{a} -> {b}"),
    ),
    Phrasing(
        "moved to",
        ("file", "service", "place"),
        ("file", "service", "place"),
        ("{a} was moved to {b}.", "{a} has moved and lives at {b} now.", "In the spring {a} was merged into {b}."),
    ),
)

FINAL: dict[str, tuple[str, ...]] = {
    "code": ("{a} bears the code {b}.", "The code kept under {a} is {b}.", "{a} is marked {b}."),
    "number": ("{a} amounts to {b} units.", "The figure written down for {a} is {b}.", "{a} counts {b}."),
    "date": ("{a} expires on {b}.", "The date set for {a} is {b}.", "{a} was sealed on {b}."),
    "name": ("{a} was signed by {b}.", "{a} is in the hands of {b}.", "The keeper of {a} is {b}."),
}
"""The last link, by the kind of value that it states in place of ``{b}``."""

QUESTIONS = (
    "What does {a} resolve to in the end?",
    "Follow {a} from one mention to the next: what does the chain end with?",
    "Starting from {a}, hop after hop, which value do you reach?",
    "If every hop from {a} is followed, what is the result?",
    "Trace {a} to the very end. What do you find?",
)

NOUNS = """archive batch beacon binder bucket buffer bundle cache channel config counter cursor digest folder gauge
    gateway handle header index journal ledger limit locker manifest mirror module packet parcel pool profile queue
    quota register relay roster router schedule shelf signal silo slot socket spool switch table ticket timer token
    tray vault worker""".split()
PLACES = "Annex Bridge Court Depot Dock Gate Hall Harbour Mill Quay Quarter Station Terrace Tower Wharf Yard".split()
SUFFIXES = "toml yaml json md txt ini csv cfg conf".split()
FIRST_NAMES = """Ada Amir Beatriz Bo Chidi Clara Dariusz Edda Farid Greta Hana Ines Jonas Kofi Leila Maren Nadia Orla
    Paolo Rahel Selma Tomas Uma Viktor Wanda Yusuf Zora""".split()

PATTERNS: dict[str, tuple[str, ...]] = {
    "snake": ("{}_{noun}", "{noun}_{}", "{}_{noun}_{other}"),
    "constant": ("{}_{noun}", "{noun}_{}", "{}_{noun}_{other}"),
    "dotted": ("{}.{noun}", "{noun}.{}", "{noun}.{}.{other}"),
    "file": ("{}.{suffix}", "{}-{noun}.{suffix}", "{noun}/{}.{suffix}"),
    "service": ("{}-{noun}", "{noun}-{}"),
    "place": ("{} {place}", "{place} {}"),
    "section": ("Section {}",),
}
"""How the entities of a kind are written around what is their own (``{}``). Constants are in capitals, places in title
case."""
