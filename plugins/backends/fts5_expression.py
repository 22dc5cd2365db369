"""What a query becomes for FTS5: an OR of quoted terms, prefixes and phrases. No user text is ever read as syntax."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from gw_core.query import Query
from gw_core.text.stem import stems

MOST_CLAUSES = 192
"""Distinct clauses in one expression; a longer query keeps its rarest."""
MOST_REPEATS = 16
"""How often a repeated word is counted again: the time that FTS5 takes grows faster than its expression."""
RARE = 8
"""A word in at most this many chunks may be a compound that most texts write apart."""
MOST_TYPED = 8
"""Of the words that were typed with signs or capitals in them, how many are looked for as phrases."""
MOST_PARTS = 4
MOST_TRIED, MOST_KEPT = 8, 2
"""Of the ways to write a compound apart, how many are looked up and how many are searched for."""
_UNSAFE = re.compile('["\x00\ud800-\udfff]')
_SPLITTABLE = re.compile("[a-z][a-z0-9]{3,30}[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Clause:
    """One way for a chunk to match: an FTS5 phrase or prefix, and the folded query terms that it speaks for."""

    match: str
    terms: tuple[str, ...]
    weight: int = 1
    """How often the query says it: a repeated word counts again."""


def quoted(tokens: Iterable[str], *, prefix: bool = False) -> str:
    """Tokens that must stand side by side, as FTS5 syntax. Folded tokens are always safe; any other text is, too."""
    phrase = _UNSAFE.sub(" ", " ".join(tokens))
    return f'"{phrase}"*' if prefix else f'"{phrase}"'


def form_match(form: str) -> str:
    """What matches one of :attr:`Query.forms`: a folded term by its stem, or ``beginning*``."""
    if form.endswith("*"):
        return quoted((form[:-1],), prefix=True)
    return quoted((form,))


class Planner:
    """Turns queries into clauses, with what the index knows of words.

    ``count`` says in how many chunks an FTS5 expression matches, ``known`` which of some stems the index has.
    """

    def __init__(self, count: Callable[[str], int], known: Callable[[Iterable[str]], set[str]]) -> None:
        self._count = count
        self._known = known

    def clauses(self, query: Query, budget: float | None = None) -> list[Clause]:
        """What to look for, in order of first use.

        With a ``budget``, only the rarest clauses, as long as they match no more chunks than that taken together.
        """
        found = self._of_terms(query) + self._typed(query) + self._joined(query) + self._split(query)
        if budget is not None or len(found) > MOST_CLAUSES:
            found = self._rarest(found, math.inf if budget is None else budget)
        return found

    def expressions(self, form: str) -> list[str]:
        """All that counts as an occurrence of one of :attr:`Query.forms`: its stem or beginning, or the parts of a
        compound side by side."""
        return [form_match(form), *self._phrases(form)]

    def _of_terms(self, query: Query) -> list[Clause]:
        words = Counter(query.content)
        forms = query.forms
        found: dict[str, Clause] = {}
        for word, repeats in words.items():
            match = form_match(forms[word])
            known = found.get(match)
            terms, weight = (known.terms, known.weight) if known else ((), 0)
            found[match] = Clause(match, (*terms, word), min(weight + repeats, MOST_REPEATS))
        return list(found.values())

    def _typed(self, query: Query) -> list[Clause]:
        """``https port``, side by side, for HTTPS_PORT: among many chunks that have both words somewhere it is lost."""
        phrases = {quoted(parts): parts for parts in islice(query.typed.values(), MOST_TYPED)}
        return [Clause(phrase, parts) for phrase, parts in phrases.items()]

    def _joined(self, query: Query) -> list[Clause]:
        """``getusername`` for getUserName, ``username`` for user name: where the index has such a word."""
        words = query.joined
        if not words:
            return []
        joined_stems = stems(list(words))
        known = self._known(joined_stems)
        return [
            Clause(quoted((word,)), parts)
            for (word, parts), stem in zip(words.items(), joined_stems, strict=True)
            if stem in known
        ]

    def _split(self, query: Query) -> list[Clause]:
        """``get user name``, side by side, for a getusername that is unknown or rare."""
        return [Clause(phrase, (term,)) for term in dict.fromkeys(query.content) for phrase in self._phrases(term)]

    def _phrases(self, term: str) -> list[str]:
        if not _SPLITTABLE.fullmatch(term) or self._count(quoted((term,))) > RARE:
            return []
        pieces = {term[at:end] for at in range(len(term) - 1) for end in range(at + 2, len(term) + 1)} - {term} | {
            term[0]
        }
        listed = list(pieces)
        piece_stems = dict(zip(listed, stems(listed), strict=True))
        known = self._known(set(piece_stems.values()))
        words = {piece for piece, stem in piece_stems.items() if stem in known}
        phrases = (quoted(parts) for parts in islice(segmentations(term, words), MOST_TRIED))
        return list(islice((phrase for phrase in phrases if self._count(phrase)), MOST_KEPT))

    def _rarest(self, found: list[Clause], budget: float) -> list[Clause]:
        counts = [self._count(clause.match) for clause in found]
        kept: set[int] = set()
        spent = 0
        for at in sorted(range(len(found)), key=lambda at: counts[at]):
            if counts[at] and kept and (spent + counts[at] > budget or len(kept) >= MOST_CLAUSES):
                break
            if counts[at]:
                kept.add(at)
                spent += counts[at]
        return [found[at] for at in sorted(kept)]


def segmentations(word: str, known: set[str]) -> Iterator[tuple[str, ...]]:
    """Ways to write ``word`` as two to :data:`MOST_PARTS` known words, few and even ones first."""
    for count in range(2, MOST_PARTS + 1):
        found = _parted(word, known, count)
        yield from sorted(found, key=lambda parts: (-min(map(len, parts)), parts))


def _parted(word: str, known: set[str], count: int) -> list[tuple[str, ...]]:
    # Parts have two letters or more, but for the first of two: e-mail, x-ray.
    if count == 1:
        return [(word,)] if word in known else []
    return [
        (word[:at], *rest)
        for at in range(1 if count == 2 else 2, len(word) - 1)
        if word[:at] in known
        for rest in _parted(word[at:], known, count - 1)
    ]
