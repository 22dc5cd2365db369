"""Copies among hits: one stays, and says where the others are.

Two hits are copies when their texts are the same but for case, white space and, in prose, markup; or, in prose only,
when nearly all they say is the same (see :data:`SIMILAR`) and nothing that tells records apart differs: no number, no
identifier, no name, no negation, and no word that was asked for. When in doubt they are different: a copy too many
costs a line, a merged record costs an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gw_core.model import Hit
from gw_core.text.fold import fold

SIMILAR = 0.9
"""Jaccard similarity of the sets of three words in a row, from which on two texts may be near copies. Counting
shingles rather than words: Broder, "On the resemblance and containment of documents", 1997."""

MAX_NEAR = 100
"""Only the first so many hits are compared for near copies; exact copies are found among all."""

_PROSE = frozenset({"text", "section", "list"})
_MARKUP = re.compile(r"(?<!\w)[*_`]+(?=\w)|(?<=[\w.,;:!?)])[*_`]+(?!\w)|^[ \t]*(?:#{1,6}|>)[ \t]", re.MULTILINE)
_MARKUP_SIGNS = "*_`#>"
_TELLING = re.compile(r"[\d_@/\\A-ZÀ-ÖØ-ÞΑ-ΩА-Я]|\w[.:=-]\w")
_OUTLINE = re.compile(r"[0-9A-Z_@/\\]\S*")
_ENDS = ".,;:!?()[]{}<>\"'“”‘’*_`"
_UNSPACED = 16  # characters per word on average, from which on a text is taken to be written without spaces
_NEGATIONS = frozenset(
    "not no never none nor neither without except unless cannot t nicht kein keine nie ohne ne pas jamais sans sin "
    "nunca non не нет без".split()
)


def collapse(hits: Sequence[Hit], terms: Collection[str] = ()) -> list[Hit]:
    """``hits`` (best first) without copies, ranks counted anew from 1.

    Of hits that are copies the best stays, of equally good ones the one whose path and start come first; its
    ``why["copies"]`` lists the others as ``{"path", "start", "end", "near"}``, in order of path and start. ``terms``
    are the folded terms of the query: near copies that differ in one of them stay apart.
    """
    asked = frozenset(terms)
    groups: list[list[_Text]] = []
    exact: dict[str, int] = {}
    candidates = _Candidates()
    texts = [_Text(hit) for hit in hits]
    outlines = Counter(text.outline for text in texts[:MAX_NEAR] if text.prose)
    for position, text in enumerate(texts):
        group = exact.get(text.key)
        if group is None and text.prose and position < MAX_NEAR and outlines[text.outline] > 1:
            near = (number for number in candidates.of(text) if text.nearly(groups[number][0], asked))
            group = min(near, default=None)
            if group is None:
                candidates.add(text, len(groups))
        if group is None:
            group = len(groups)
            groups.append([])
        exact.setdefault(text.key, group)
        groups[group].append(text)
    return [_kept(group, rank) for rank, group in enumerate(groups, start=1)]


def _kept(group: list[_Text], rank: int) -> Hit:
    if len(group) == 1:
        return replace(group[0].hit, rank=rank)
    best = min((each for each in group if each.hit.score == group[0].hit.score), key=_place)
    copies = [
        {
            "path": each.hit.chunk.path,
            "start": each.hit.chunk.start,
            "end": each.hit.chunk.end,
            "near": each.key != best.key,
        }
        for each in sorted(group, key=_place)
        if each is not best
    ]
    return replace(best.hit, rank=rank, why={**best.hit.why, "copies": copies})


def _place(text: _Text) -> tuple[str, int, int]:
    return text.hit.chunk.path, text.hit.chunk.start, text.hit.chunk.end


@dataclass(frozen=True)
class _Text:
    """A hit's text in the forms in which it is compared, each made when first asked for."""

    hit: Hit

    @property
    def prose(self) -> bool:
        return self.hit.chunk.kind in _PROSE

    @cached_property
    def key(self) -> str:
        """Equal for exact copies: white space and, in prose, markup and case put aside."""
        text = self.hit.chunk.text
        if not self.prose:
            return "=" + " ".join(text.split())
        if any(sign in text for sign in _MARKUP_SIGNS):
            text = _MARKUP.sub("", text)
        return "~" + " ".join(text.split()).casefold()

    @cached_property
    def words(self) -> list[str]:
        words = self.key[1:].split()
        return words if _UNSPACED * len(words) > len(self.key) else list(self.key[1:])

    @cached_property
    def shingles(self) -> frozenset[int]:
        words = self.words
        return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))

    @cached_property
    def outline(self) -> tuple[str, ...]:
        """Much cheaper than ``telling``: only texts that agree in it are looked at any further."""
        return tuple(_OUTLINE.findall(self.hit.chunk.text))

    @cached_property
    def telling(self) -> list[str]:
        """Numbers, identifiers and whatever has a capital, in order."""
        return [word.strip(_ENDS) for word in self.hit.chunk.text.split() if _TELLING.search(word)]

    def nearly(self, other: _Text, asked: frozenset[str]) -> bool:
        common = len(self.shingles & other.shingles)
        if common < SIMILAR * (len(self.shingles) + len(other.shingles) - common) or self.telling != other.telling:
            return False
        different = set(fold(" ".join(set(self.words) ^ set(other.words))).split())
        return different.isdisjoint(asked) and different.isdisjoint(_NEGATIONS)


class _Candidates:
    """Which texts could be similar enough to another one, without comparing it with each.

    Two sets with a Jaccard similarity of at least ``s`` share an element among the first ``n - ceil(s n) + 1`` of each,
    in any fixed order of all elements (prefix filtering: Chaudhuri, Ganti and Kaushik, 2006).
    """

    def __init__(self) -> None:
        self._holders: dict[int, list[int]] = {}

    def add(self, text: _Text, number: int) -> None:
        for each in self._prefix(text):
            self._holders.setdefault(each, []).append(number)

    def of(self, text: _Text) -> Iterable[int]:
        return {number for each in self._prefix(text) for number in self._holders.get(each, ())}

    @staticmethod
    def _prefix(text: _Text) -> list[int]:
        ordered = sorted(text.shingles)
        return ordered[: len(ordered) - int(SIMILAR * len(ordered)) + 1]
