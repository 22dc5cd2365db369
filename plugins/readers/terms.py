"""The words of a question, what each is worth, and which words of a text stand for them."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from gw_core.query import prefix_length
from gw_core.rescore import SAME_PREFIX, SAME_STEM
from gw_core.text.fold import Token
from gw_core.text.stem import stems

SAME_WORD = 1.0
_SHORTEST_PREFIX = 4

Relation = tuple[int, float]
"""Index of a term, and how well a token stands for it: 1 for the word itself, less for a relative."""


def inverse_frequency(total: int, containing: float) -> float:
    """BM25's idf: ``ln(1 + (N - n + 0.5) / (n + 0.5))``."""
    return math.log1p((total - containing + 0.5) / (containing + 0.5))


@dataclass(slots=True)
class Terms:
    """The question's distinct content terms; ``sequence`` holds, for each token of the question in order, the index of
    its term, or None for a function word. ``idf`` is parallel to ``texts``."""

    texts: list[str]
    sequence: list[int | None]
    idf: list[float]
    asked: tuple[str, ...] = ()
    """The question's folded tokens, function words too."""
    _known: dict[str, Relation | None] = field(default_factory=dict)
    _stems: dict[str, int] = field(default_factory=dict)
    _prefixes: list[tuple[str, int]] = field(default_factory=list)

    @classmethod
    def of(cls, folded: Sequence[str], function_words: Set[str]) -> Terms:
        """Terms of a question's folded tokens, each of idf 1 until :meth:`weigh` is called."""
        order: dict[str, int] = {}
        sequence: list[int | None] = []
        for text in folded:
            sequence.append(None if text in function_words else order.setdefault(text, len(order)))
        terms = cls(list(order), sequence, [1.0] * len(order), tuple(folded))
        for (text, index), root in zip(order.items(), stems(list(order)), strict=True):
            terms._known[text] = index, SAME_WORD
            terms._stems.setdefault(root, index)
            if root.isalpha() and len(root) > _SHORTEST_PREFIX:
                terms._prefixes.append((root[: prefix_length(root)], index))
        return terms

    def relations(self, text_tokens: Sequence[Token]) -> list[Relation | None]:
        """For each token the term that it stands for, if any."""
        known = self._known
        new = list({token.text for token in text_tokens} - known.keys())
        for text, root in zip(new, stems(new), strict=True):
            known[text] = self._relative(text, root)
        return [known[token.text] for token in text_tokens]

    def _relative(self, text: str, root: str) -> Relation | None:
        at = self._stems.get(root)
        if at is not None:
            return at, SAME_STEM
        return next(((index, SAME_PREFIX) for prefix, index in self._prefixes if text.startswith(prefix)), None)

    @property
    def total(self) -> float:
        return sum(self.idf)

    def weigh(self, texts: Sequence[Sequence[Relation | None]]) -> None:
        """Set idf by how many of these texts hold each term.

        The texts are the sentences read, not the collection: all passages are about the question's rare words, and
        what tells their sentences apart are the terms that few of them hold.
        """
        holding = [0] * len(self.texts)
        for text in texts:
            for index in {relation[0] for relation in text if relation}:
                holding[index] += 1
        self.idf = [inverse_frequency(len(texts), count) for count in holding]
