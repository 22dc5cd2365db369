"""A query: the user's own words, and the folded terms that the index knows."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from gw_core.text.fold import Token, fold, tokens
from gw_core.text.stem import stems

FUNCTION_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below between
    both but by can could did do does doing don down during each few for from further had has have having he her here
    hers him his how i if in into is it its itself just me more most much my no nor not of off on once one only or
    other our out over own re s same she should so some such t than that the their them then there these they this
    those through to too under until up upon us very was we were what when where whether which while who whom whose
    why will with within without would you your d ll m ve isn doesn didn wasn weren aren won wouldn couldn shouldn
    hasn haven hadn may might must shall""".split()
)
"""English words that say how a sentence is built and not what it is about, folded."""

# More of these than of the words below make a query English.
_ENGLISH = frozenset(
    """a an and any are as at be been between but by can could did do does for from has have how if in into is it its
    not of on or such than that the their then there these they this to were what when where which who whom whose why
    will with would should isn doesn didn""".split()
)
# What other languages in Latin letters build sentences with, folded.
_OTHER_LANGUAGES = frozenset(
    """der die das und ist wie welche welcher welches wer wo ein eine einen dem den des im von zu mit fur nicht auf bei
    le la les du est et que qui dans pour sur el los las un una y en por para con como il gli di della nel per het een
    van op och att som ett av os da em""".split()
)

# Scripts that are cut into n-grams: their terms are pieces of words.
_GRAM = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff"
    "\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_APOSTROPHE = re.compile("['\u2019\u02bc]")
_PROSE = re.compile("[-/\u2010-\u2015\u201c\u201d](?!>)")
_LONGEST_JOINED = 48
MOST_SIGNS = 3
"""Two words with at most so many signs between them are typed as one: ``a.b``, ``a::b``, ``a.__b``."""


@dataclass(frozen=True, slots=True)
class Query:
    """``text`` as typed; ``terms`` folded, in order, repeated words kept.

    Without terms there is nothing to search for: blank, or only punctuation.
    """

    text: str
    terms: tuple[str, ...]
    english: bool = False
    """Its function words say that it is English: words match by stem, and function words find nothing of their own."""
    compounds: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of ``terms`` that were typed as one word: ``getUserName``, ``user-name``, ``node.js``."""

    @property
    def typed(self) -> dict[str, tuple[str, ...]]:
        """The names among its compounds, as they were typed, with their parts: ``HTTPS_PORT``, ``__init__.py``.

        ``don't`` is none, nor ``e.g``; ``user-name`` is one where no word stands beside it. Among other words a hyphen
        or a stroke is how prose writes a pair of words: whether the text does so, too, says nothing.
        """
        found: dict[str, tuple[str, ...]] = {}
        placed = tokens(self.text) if self.compounds else []
        alone = sum(end - start for start, end in self.compounds) == len(self.terms)
        for first, end in self.compounds:
            start, stop = placed[first].start, placed[end - 1].end
            while start and self.text[start - 1] == "_":
                start -= 1
            while self.text[stop : stop + 1] == "_":
                stop += 1
            word = self.text[start:stop]
            parts = self.terms[first:end]
            is_prose = _PROSE.search(word) is not None and not alone
            if not is_prose and not _APOSTROPHE.search(word) and any(len(part) > 1 for part in parts):
                found[word] = parts
        return found

    @property
    def content(self) -> tuple[str, ...]:
        """The terms that say what it is about: all but function words, or all where there is nothing else."""
        if not self.english:
            return self.terms
        return tuple(term for term in self.terms if term not in FUNCTION_WORDS) or self.terms

    @property
    def forms(self) -> dict[str, str]:
        """For each distinct term what to count chunks of: the term, or ``prefix*`` where the query isn't English and
        every word that begins so may be another form of it."""
        words = tuple(dict.fromkeys(self.terms))
        if self.english:
            return {word: word for word in words}
        return {
            word: stem[: prefix_length(stem)] + "*" if has_prefix(word, stem) else word + "*" * is_short_gram(word)
            for word, stem in zip(words, stems(words), strict=True)
        }

    @property
    def grams(self) -> bool:
        """Most of its terms are n-grams of a script that does not part words."""
        return 2 * sum(map(is_gram, self.terms)) > len(self.terms)

    @property
    def joined(self) -> dict[str, tuple[str, ...]]:
        """Other ways to write its compounds and its pairs of words, in one, with their parts: ``getusername``,
        ``username``."""
        parts = [self.terms[start:end] for start, end in self.compounds]
        parts += [pair for pair in zip(self.terms, self.terms[1:], strict=False) if all(map(_joinable, pair))]
        content = frozenset(self.content)
        return {
            word: terms
            for terms in parts
            if len(word := "".join(terms)) <= _LONGEST_JOINED and content.issuperset(terms)
        }


def is_gram(term: str) -> bool:
    """Whether a folded term is an n-gram of an unspaced script, not a word."""
    return not term.isascii() and _GRAM.match(term) is not None


def is_short_gram(term: str) -> bool:
    """A Thai, Lao, Khmer or Myanmar word too short to make a 3-gram."""
    return is_gram(term) and ("\u0e00" <= term[0] < "\u1100" or "\u1780" <= term[0] < "\u1800") and len(term) < 3


def has_prefix(term: str, stem: str) -> bool:
    """Whether other forms of a word can be told by its beginning: long enough, no number, no n-gram."""
    return len(stem) > 3 and stem.isalpha() and not is_gram(term)


def prefix_length(stem: str) -> int:
    """How many letters of a stem its other forms share with it."""
    return max(4, math.ceil(0.65 * len(stem)))


def parse(text: str) -> Query:
    """What the user typed, as a query. Never raises; nothing in the text is an operator."""
    terms = tuple(fold(text).split())
    return Query(text=text, terms=terms, english=_is_english(terms), compounds=_compounds(text))


def _is_english(terms: tuple[str, ...]) -> bool:
    english = sum(term in _ENGLISH for term in terms)
    return english > sum(term in _OTHER_LANGUAGES for term in terms)


def _joinable(term: str) -> bool:
    return term.isalpha() and not is_gram(term)


def _compounds(text: str) -> tuple[tuple[int, int], ...]:
    """Ranges of at least two tokens with no white space between them, at least one of which is a word of letters."""
    found: list[tuple[int, int]] = []
    placed = tokens(text)
    start = 0
    for at in range(1, len(placed) + 1):
        if at < len(placed) and _typed_together(text, placed[at - 1], placed[at]):
            continue
        if at - start > 1 and any(not token.text.isdecimal() for token in placed[start:at]):
            found.append((start, at))
        start = at
    return tuple(found)


def _typed_together(text: str, first: Token, second: Token) -> bool:
    if second.start < first.end or is_gram(first.text) or is_gram(second.text):
        return False
    between = text[first.end : second.start]
    return len(between) <= MOST_SIGNS and not any(map(str.isspace, between))
