"""A reader without a model: the one line of the passages that shares most words with the question."""

from __future__ import annotations

from collections.abc import Sequence

from gw_core.model import Identity, Passage, Quote, Reading
from gw_core.text.fold import fold


class Lines:
    """``longest`` is the length in characters above which a line is no answer any more."""

    window = 1_000_000
    max_parallel = 1

    def __init__(self, *, longest: int = 300) -> None:
        self.identity = Identity("lines", "1", {"longest": longest})
        self._longest = longest

    def count_tokens(self, text: str) -> int:
        return len(fold(text).split())

    def answer(self, question: str, passages: Sequence[Passage]) -> Reading:
        wanted = set(fold(question).split())
        best, most = None, 0
        for number, passage in enumerate(passages):
            start = 0
            for line in passage.text.splitlines(keepends=True):
                text = line.strip()
                shared = len(wanted & set(fold(text).split()))
                if shared > most and len(text) <= self._longest:
                    begin = start + line.index(text)
                    # A quote says where it stands in its passage; the core turns that into a citation and checks it.
                    best, most = Quote(number, text, begin, begin + len(text)), shared
                start += len(line)
        if best is None:
            return Reading("", abstained=True, reason="no line shares a word with the question")
        return Reading(best.text, quotes=(best,), trace={"shared words": most})
