"""gw's words of a text, for engines that are fed with them."""

from __future__ import annotations

from collections.abc import Sequence

from gw_core.text.fold import fold, fold_all
from gw_core.text.stem import stems


def words_of_all(texts: Sequence[str]) -> list[list[str]]:
    """Folded and stemmed words of each text, as gw's FTS5 index has them."""
    folded = [text.split() for text in fold_all(texts)]
    known = sorted({word for words in folded for word in words})
    stem = dict(zip(known, stems(known), strict=True))
    return [[stem[word] for word in words] for words in folded]


def words_of(question: str) -> list[str]:
    return stems(fold(question).split())
