"""Second stage of lexical search: BM25 over the few chunks a backend found, with credit for exact forms and nearness.

The index knows only stems, and in other languages than English only prefixes. Here, over some fifty chunks, the words
themselves count: a term is credited 1 for the same form, less for another form of the stem or a common beginning
(:data:`SAME_STEM`, :data:`SAME_PREFIX`), and neighbours in the query that are neighbours in the text add to the score.

BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with idf ``ln(1 + (N-n+.5)/(n+.5))``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any

from gw_core.model import Chunk, Match
from gw_core.query import MOST_SIGNS, Query, has_prefix, prefix_length
from gw_core.text.fold import fold_all
from gw_core.text.stem import stems

SAME_STEM = 0.8
SAME_PREFIX = 0.64
FUNCTION_SHARE = 0.3
"""What a function word's idf counts for beside that of a content word."""
NEARNESS = 0.6
"""What a pair of neighbours in the query adds where it stands near in the text, as a share of the lesser idf."""
NEAR = 2
"""They are near if the second stands at most this many tokens after the first."""
LEAD, LEAD_TOKENS = 1.5, 16
"""What a token counts for at the head of a chunk: a heading, a definition, the first words of a paragraph."""
JOINED = 0.9
"""Credit for words written as one where the query has them apart, and the reverse."""
SHORTEST_COMPOUND = 5
TYPED = 2.4
"""What a word typed as one (``HTTPS_PORT``) adds where the text has it, as a share of what its parts are worth."""
SIDE_BY_SIDE, AS_ONE = 0.3, 0.6
"""What such a word counts for whose parts only stand side by side, or are one word in other letters or signs."""
MOST_TYPED = 8
LONG = 1.0
"""Of code that is longer than the mean by so much, the best part of mean length counts if it is worth more than all of
it. Code is cut into blocks, not to a length: what it says in one place is not thinned out by what else is there."""
K1, B = 1.2, 0.75
GRAM_K1, GRAM_B = 0.8, 0.9

# What may stand within a word between its parts.
_CONNECTED = rf"(?:_|[^\w\s]){{0,{MOST_SIGNS}}}"

_Relation = tuple[int, float]
"""Which term a token stands for, and the credit for it."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk's id, its refined score, and why: ``terms`` (matched, as folded), ``bm25`` and ``nearness``,
    which add up to the score."""

    chunk_id: int
    score: float
    why: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rescored:
    """``ranked`` is best first, ties by ascending chunk id.

    ``idf`` has every distinct term of the query, function words and unknown ones (n = 0) included, unweighted;
    ``bm25`` is that of the best chunk for content terms only, without nearness.
    """

    ranked: tuple[Scored, ...]
    idf: Mapping[str, float]
    bm25: float


BACKGROUND = 240
"""An index of fewer chunks counts as if it were filled up to this many, and each term stood in one of those."""


def idf(total: int, containing: int) -> float:
    """BM25's inverse document frequency, never negative.

    Over a handful of chunks the raw value says nothing of how rare a word is: in one of two chunks it is next to none.
    """
    missing = max(0, BACKGROUND - total) / BACKGROUND
    containing = min(containing, total)
    return math.log1p((max(total, BACKGROUND) - containing - missing + 0.5) / (containing + missing + 0.5))


def searchable(chunk: Chunk) -> str:
    """What is indexed and scored of a chunk: its text, after those parts of its label that do not stand in it."""
    missing = [part for part in chunk.label.split(" > ") if part and part not in chunk.text]
    return "\n".join((*missing, chunk.text))


def rescore(
    query: Query,
    chunks: Sequence[Chunk],
    matches: Sequence[Match],
    df: Mapping[str, int],
    total: int,
    mean_length: float | None = None,
) -> Rescored:
    """Score ``chunks``, the ones that ``matches`` name, in any order.

    ``df`` gives, for each distinct term of the query, in how many of the index's ``total`` chunks it occurs in the form
    that :attr:`Query.forms` names; a term that is missing counts as unknown. ``mean_length`` is the mean length of all
    chunks in tokens, by default that of these.
    """
    terms = _Terms(query, df, total)
    sources = list(map(searchable, chunks))
    texts = [text.split() for text in fold_all(sources)]
    if mean_length is None:
        mean_length = sum(map(len, texts)) / max(len(texts), 1) or 1.0
    terms.relate(set().union(*texts))
    first = {match.chunk_id: match.why for match in matches}
    typed = _typed_words(query, terms)
    scored: list[Scored] = []
    best = 0.0
    for chunk, tokens, source in zip(chunks, texts, sources, strict=True):
        parts = terms.score(tokens, mean_length, in_parts=chunk.kind == "code")
        for word in typed:
            count, credit = word.found(tokens, source)
            if count:
                parts.nearness += credit * word.worth * terms.saturated(count, len(tokens), mean_length)
        best = max(best, parts.content)
        scored.append(parts.scored(chunk.id, terms, first.get(chunk.id, {})))
    scored.sort(key=lambda one: (-one.score, one.chunk_id))
    return Rescored(tuple(scored), dict(zip(terms.texts, terms.idf, strict=True)), best)


@dataclass(slots=True)
class _Parts:
    """What one chunk's score is made of; ``counts`` is the credited frequency of each term."""

    counts: list[float]
    content: float = 0.0
    function: float = 0.0
    nearness: float = 0.0

    def scored(self, chunk_id: int, terms: _Terms, first: Mapping[str, Any]) -> Scored:
        """``first`` is what the backend said of the chunk; what is said here takes its place."""
        matched = [text for text, count in zip(terms.texts, self.counts, strict=True) if count]
        bm25 = self.content + self.function
        why = {**first, "terms": matched, "bm25": round(bm25, 4), "nearness": round(self.nearness, 4)}
        return Scored(chunk_id, bm25 + self.nearness, why)


class _Terms:
    """The distinct terms of a query, what each is worth, and which tokens of a text stand for them."""

    def __init__(self, query: Query, df: Mapping[str, int], total: int) -> None:
        repeats = Counter(query.terms)
        content = frozenset(query.content)
        self.texts = list(repeats)
        self.idf = [idf(total, df.get(term, 0)) for term in self.texts]
        self._is_content = [term in content for term in self.texts]
        self._worth = [
            value * (1.0 if is_content else FUNCTION_SHARE)
            for value, is_content in zip(self.idf, self._is_content, strict=True)
        ]
        self._repeats = [repeats[term] for term in self.texts]
        self._grams = query.grams
        self._k1, self._b = (GRAM_K1, GRAM_B) if self._grams else (K1, B)
        places = {term: at for at, term in enumerate(self.texts)}
        self._pairs = (
            frozenset()
            if query.grams
            else frozenset(
                (places[first], places[second]) for first, second in zip(query.terms, query.terms[1:], strict=False)
            )
        )
        self._compounds = [term for term in self.texts if term in content and len(term) >= SHORTEST_COMPOUND]
        self._places = places
        self._relations: dict[str, tuple[_Relation, ...]] = {}
        self._by_stem: dict[str, list[int]] = {}
        self._by_joined: dict[str, list[int]] = {}
        self._prefixes: dict[str, list[int]] = {}
        self._relate(query)

    def _relate(self, query: Query) -> None:
        """Fill in what stands for which terms: a word for itself and for all of its stem, without English for all that
        begin alike, and a compound for its parts."""
        for at, (term, stem) in enumerate(zip(self.texts, stems(self.texts), strict=True)):
            self._by_stem.setdefault(stem, []).append(at)
            if not query.english and has_prefix(term, stem):
                self._prefixes.setdefault(stem[: prefix_length(stem)], []).append(at)
        for word, parts in query.joined.items():
            self._by_joined[stems([word])[0]] = [self._places[part] for part in dict.fromkeys(parts)]

    def score(self, tokens: Sequence[str], mean_length: float, *, in_parts: bool) -> _Parts:
        counts = [0.0] * len(self.texts)
        found: list[tuple[int, int]] = []
        credited: list[tuple[int, int, float]] = []
        relations = self._relations
        for place, token in [(place, token) for place, token in enumerate(tokens) if token in relations]:
            for at, credit in relations[token]:
                counts[at] += credit * LEAD if place < LEAD_TOKENS else credit
                found.append((place, at))
                credited.append((place, at, credit))
        self._count_compounds(tokens, counts)
        parts = _Parts(counts)
        parts.content, parts.function = self._worths(counts, len(tokens), mean_length)
        if in_parts and len(tokens) > LONG * mean_length:
            best = self._best_part(credited, mean_length)
            if sum(best) > parts.content + parts.function:
                parts.content, parts.function = best
        for first, second in self._near(found):
            parts.nearness += NEARNESS * min(self._worth[first], self._worth[second])
        return parts

    def _worths(self, counts: Sequence[float], length: int, mean_length: float) -> tuple[float, float]:
        """BM25 of the content terms, and of the function words, in a text of ``length`` tokens."""
        content = function = 0.0
        for at, count in enumerate(counts):
            if count:
                value = self._repeats[at] * self._worth[at] * self.saturated(count, length, mean_length)
                if self._is_content[at]:
                    content += value
                else:
                    function += value
        return content, function

    def _best_part(self, credited: Sequence[tuple[int, int, float]], mean_length: float) -> tuple[float, float]:
        """The same for the part of mean length that is worth most; ``credited`` holds place, term and credit of the
        tokens that stand for terms, in their order."""
        best = (0.0, 0.0)
        counts = [0.0] * len(self.texts)
        first = 0
        for last, (place, at, credit) in enumerate(credited):
            counts[at] += credit
            while place - credited[first][0] >= mean_length:
                counts[credited[first][1]] -= credited[first][2]
                first += 1
            if last + 1 < len(credited) and credited[last + 1][0] - credited[first][0] < mean_length:
                continue  # the next one fits in, too
            best = max(best, self._worths([max(one, 0.0) for one in counts], round(mean_length), mean_length), key=sum)
        return best

    def worth(self, term: str) -> float:
        """Its idf, or a share of it if it is a function word."""
        return self._worth[self._places[term]]

    def saturated(self, count: float, length: int, mean_length: float) -> float:
        """BM25's share of a term's worth that so many occurrences in a text of ``length`` tokens give."""
        damping = self._k1 * (1 - self._b + self._b * length / mean_length)
        return count * (self._k1 + 1) / (count + damping)

    def relate(self, tokens: Iterable[str]) -> None:
        """Find out which of these distinct tokens stand for a term."""
        # Stemming changes endings only.
        initials = {key[:1] for keys in (self._by_stem, self._by_joined, self._prefixes) for key in keys}
        new = [token for token in tokens if token[:1] in initials and token not in self._relations]
        if self._grams:
            # An n-gram stands for nothing but itself.
            new = [token for token in new if token.isascii() or token in self._places]
        lengths = sorted({len(prefix) for prefix in self._prefixes})
        for token, stem in zip(new, stems(new), strict=True):
            found: dict[int, float] = dict.fromkeys(self._by_joined.get(stem, ()), JOINED)
            for length in lengths:
                found.update(dict.fromkeys(self._prefixes.get(stem[:length], ()), SAME_PREFIX))
            for at in self._by_stem.get(stem, ()):
                found[at] = 1.0 if self.texts[at] == token else SAME_STEM
            if found:
                self._relations[token] = tuple(found.items())

    def _near(self, found: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
        """The neighbours of the query that stand near each other, in their order."""
        near: set[tuple[int, int]] = set()
        if not self._pairs:
            return near
        for number, (place, first) in enumerate(found, 1):
            for later, second in islice(found, number, None):
                if later - place > NEAR:
                    break
                if later > place and (first, second) in self._pairs:
                    near.add((first, second))
        return near

    def _count_compounds(self, tokens: Sequence[str], counts: list[float]) -> None:
        """Credit a term such as ``getusername`` that the text writes apart, from token edge to token edge."""
        missing = [term for term in self._compounds if not counts[self._places[term]]]
        if not missing:
            return
        joined = "".join(tokens)
        edges: set[int] | None = None
        for term in missing:
            start = joined.find(term)
            while start >= 0:
                if edges is None:
                    edges = {0, *accumulate(map(len, tokens))}
                if start in edges and start + len(term) in edges:
                    counts[self._places[term]] += JOINED
                start = joined.find(term, start + 1)


class _TypedWord:
    """A word that the query has as one and the index in parts."""

    def __init__(self, word: str, parts: Sequence[str], worth: float) -> None:
        self.worth = worth
        self._phrase = f" {' '.join(parts)} "
        self._as_one = re.compile(rf"(?<![^\W_]){_CONNECTED.join(map(re.escape, parts))}(?![^\W_])", re.IGNORECASE)
        self._verbatim = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")

    def found(self, tokens: Sequence[str], source: str) -> tuple[int, float]:
        """How often its parts stand side by side in a text, and the credit for how they are written there at best."""
        beside = f" {' '.join(tokens)} ".count(self._phrase)
        if not beside:
            return 0, 0.0
        if self._verbatim.search(source):
            return beside, 1.0
        return beside, AS_ONE if self._as_one.search(source) else SIDE_BY_SIDE


def _typed_words(query: Query, terms: _Terms) -> list[_TypedWord]:
    return [
        _TypedWord(word, parts, TYPED * sum(map(terms.worth, set(parts))))
        for word, parts in islice(query.typed.items(), MOST_TYPED)
    ]
