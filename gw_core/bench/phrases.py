"""Questions in a corpus's own words, to measure speed with: what they find is not judged."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from gw_core.errors import UsageError

# Words with a letter or a digit in them: a line of underscores is a drawing.
_NAME = re.compile(r"(?=_*[^\W_])[^\W\d]\w+")
_ANY_WORD = re.compile(r"_*[^\W_]\w*")
_PATIENCE = 500
"""How many lines are drawn for one question before any line with a word in it will do."""


def phrases(texts: Sequence[Callable[[], str]], count: int, seed: int | str) -> list[str]:
    """``count`` questions, of two kinds in turn; ``texts`` read a document each.

    Two in three are 6 to 12 consecutive words of a line of prose, wherever it stands (docs, comments, docstrings),
    common words included, as a question has them. One in three are the 1 to 3 longest words of a line of code. Where a
    corpus has lines of one kind only, or of neither, other lines stand in. Raises UsageError for one without words.
    """
    if not texts:
        raise UsageError("there is no text to take questions from")
    choose = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    lines = _lines(texts, choose)
    found: list[str] = []
    drawn = 0
    for line in lines:
        question = _prose(line, choose) if len(found) % 3 else _code(line, choose)
        drawn += 1
        if question is None and drawn > _PATIENCE:
            question = _anything(line)
        if question is not None:
            found.append(question)
            drawn = 0
        elif drawn > 4 * _PATIENCE:
            raise UsageError("the text has too few words to take questions from")
        if len(found) >= count:
            break
    return found


def _prose(line: str, choose: random.Random) -> str | None:
    words = _NAME.findall(line)
    if not _is_prose(words) or len(" ".join(words)) <= 0.8 * len(line.strip()):
        return None
    length = choose.randint(6, 12)
    start = choose.randrange(max(1, len(words) - length + 1))
    return " ".join(words[start : start + length])


def _code(line: str, choose: random.Random) -> str | None:
    words = _NAME.findall(line)
    if _is_prose(words) or len(words) < 3:
        return None
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return " ".join(longest[: choose.randint(1, 3)])


def _anything(line: str) -> str | None:
    return " ".join(_ANY_WORD.findall(line)[:8])[:200] or None


def _is_prose(words: Sequence[str]) -> bool:
    return len(words) >= 6 and sum(word.islower() and word.isalpha() for word in words) >= 0.8 * len(words)


def _lines(texts: Sequence[Callable[[], str]], choose: random.Random) -> Iterator[str]:
    """Lines of documents, both drawn at random; an empty one for a document without any."""
    while True:
        lines = choose.choice(texts)().splitlines()
        yield choose.choice(lines) if lines else ""
