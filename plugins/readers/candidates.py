"""Short spans of a sentence that could be the answer, and what each one looks like.

A sentence is cut where the kind of its words changes: at function words, at punctuation, where capitals, figures or
identifiers begin or end. A candidate is any run of at most :data:`MOST_TOKENS` tokens from cut to cut that neither
begins nor ends with a function word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from gw_core.model import Span
from gw_core.text.fold import Token
from gw_plugins.readers.question import Kind

MOST_TOKENS = 10

_NUMBER_WORDS = frozenset(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
    million millions billion billions trillion dozen dozens half third quarter twice once zwei drei vier
    fünf sechs sieben acht neun zehn elf zwölf hundert tausend million millionen""".split()
)
_UNITS = frozenset(
    """percent per cent year years day days hour hours minute minutes second seconds ms month months week weeks mile
    miles km kilometer kilometers kilometre kilometres meter meters metre metres m cm mm feet foot ft inches inch
    acres ha hectares kg kilograms pounds lb tons tonnes dollars euros people degrees kb mb gb tb bytes kib mib gib
    mph prozent jahre tage stunden minuten sekunden meter kilometer""".split()
)
_MONTHS = frozenset(
    """january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember""".split()
)
_DATE_WORDS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter century centuries decade bc
    ad bce ce early late mid mid- ago today""".split()
)
_CURRENCIES = frozenset(
    """EUR USD GBP CHF JPY CNY RMB INR AUD CAD NZD SEK NOK DKK PLN CZK HUF RUB BRL MXN ZAR KRW SGD HKD TRY Rs Fr
    US$ A$ C$ R$ kr""".split()
)
_TITLES = frozenset(
    "dr mr mrs ms mx prof st ste rev hon gen col maj capt lt sgt gov sen sr sra dra mme mlle dott hr fr".split()
)
_YEAR = re.compile(r"(?:1\d|20|[3-9])\d\d(?:s|er)?|\d{1,2}(?:st|nd|rd|th)")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?")
_THOUSANDS = re.compile(r"\d{1,3}(?!\d)")
_QUOTE_MARKS = frozenset("\"“”„‘’'`«»‹›「」『』")
_CODE = re.compile(r"[a-z0-9]_|_[A-Za-z0-9]|[a-z][A-Z]|\w\.\w+\(?|\w\(\)|^--?\w|^[A-Z][A-Z0-9]*_[A-Z0-9_]+$|^\w+/\w")
_PARTING = frozenset("/()[]{}|—–=<>,;:…")
_BARRIER = re.compile(r"[=|\[\]{};<>]|[\"']\s*:|\"\s*,\s*\"")  # the last two: between keys and values of JSON
_JOINING_FIGURES = frozenset(":–,/")
_BEFORE = frozenset("$£€¥₹#@~±−+")
_OPTION = re.compile(r"(?<![\w-])--?\Z")
_AFTER = frozenset("%‰°½¼¾⅓⅔²³")


@dataclass(frozen=True, slots=True)
class Word:
    """One written word or figure of a sentence: the tokens from ``first`` to ``last`` (inclusive) make it up."""

    start: int
    end: int
    first: int
    last: int
    text: str
    function: bool
    shape: str
    """``d`` holds a digit or is a number word, ``C`` begins with a capital, ``c`` anything else."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span of the passage's text that covers ``words``: of the sentence's words the ``first`` to the ``last``."""

    start: int
    end: int
    first: int
    last: int
    words: tuple[Word, ...]
    quoted: bool = False


def words(text: str, tokens: Sequence[Token], function_words: Set[str]) -> list[Word]:
    """Tokens (of ``text``, in order) grouped to words as they are written: ``camelCase``, ``max_bytes``, ``$1.5``."""
    out: list[Word] = []
    at = 0
    while at < len(tokens):
        last, end = at, tokens[at].end
        while last + 1 < len(tokens) and _one_word(text, end, tokens[last + 1].start):
            last += 1
            end = max(end, tokens[last].end)
        grammar = all(token.text in function_words for token in tokens[at : last + 1])
        out.append(_word(text, Span(tokens[at].start, end), (at, last), grammar))
        at = last + 1
    return out


def _one_word(text: str, end: int, start: int) -> bool:
    """Whether what stands from ``end`` to ``start`` joins two tokens: nothing, or one sign that does not part words."""
    if start <= end:
        return True
    sign = text[end]
    if start - end > 1 or sign.isspace():
        return False
    if sign not in _PARTING:
        return True
    if sign not in _JOINING_FIGURES or not (text[end - 1].isdigit() and text[start].isdigit()):
        return False
    # 24,601 and 3,14159 are one figure, the 4410,2015 of a row of values are two.
    return sign != "," or not text[max(end - 2, 0)].isdigit() or _THOUSANDS.match(text, start) is not None


def _word(text: str, span: Span, places: tuple[int, int], grammar: bool) -> Word:
    start, end = span.start, span.end
    while start > 0 and text[start - 1] in _BEFORE:
        start -= 1
    dashes = _OPTION.search(text, max(0, start - 2), start)
    if dashes:
        start = dashes.start()
    while end < len(text) and text[end] in _AFTER:
        end += 1
    written = text[start:end]
    if any(map(str.isdigit, written)) or not _NUMBER_WORDS.isdisjoint((written.lower(), written.lower().split("-")[0])):
        shape = "d"
    else:
        shape = "C" if written[:1].isupper() else "c"
    return Word(start, end, *places, written, grammar and shape != "d", shape)


def candidates(text: str, spans: Sequence[Word]) -> list[Candidate]:
    """All candidates of one sentence, given its :func:`words`, in order of their start, then of their length."""
    cuts = _cuts(text, spans)
    starts = [at for at in range(len(spans)) if cuts[at] and not spans[at].function]
    ends = [at for at in range(1, len(spans) + 1) if cuts[at] and not spans[at - 1].function]
    reach = _reach(text, spans)
    out = []
    for first in starts:
        for last in ends:
            if last <= first:
                continue
            if last > reach[first]:
                break
            if spans[last - 1].last - spans[first].first >= MOST_TOKENS:
                break
            start, end = spans[first].start, spans[last - 1].end
            out.append(Candidate(start, end, first, last - 1, tuple(spans[first:last]), _quoted(text, start, end)))
    return out


def _reach(text: str, spans: Sequence[Word]) -> list[int]:
    """For each word, behind which word the next sign stands that no answer goes across."""
    out = [len(spans)] * len(spans)
    for at in range(len(spans) - 2, -1, -1):
        apart = _BARRIER.search(text, spans[at].end, spans[at + 1].start)
        out[at] = at + 1 if apart else out[at + 1]
    return out


def _cuts(text: str, spans: Sequence[Word]) -> list[bool]:
    """Whether a candidate may begin or end before word ``i``; one more entry for the sentence's end."""
    cuts = [True]
    for left, right in pairwise(spans):
        cuts.append(
            left.function != right.function
            or (left.shape != right.shape and not _is_one_figure(left, right))
            or is_code((left,)) != is_code((right,))
            or not is_space(text, left, right)
        )
    return [*cuts, True] if spans else cuts


def is_space(text: str, left: Word, right: Word) -> bool:
    """Whether only white space stands between two words, and the full stop of an abbreviation such as ``Dr.``."""
    gap = text[left.end : right.start]
    return gap.isspace() or (gap[:1] == "." and gap[1:].isspace() and left.text.lower() in _TITLES)


def _is_one_figure(left: Word, right: Word) -> bool:
    """A currency and its amount, a month and its day or year."""
    if right.shape == "d" and (left.text in _CURRENCIES or left.text.lower() in _MONTHS):
        return True
    return left.shape == "d" and right.shape == "C" and right.text.lower() in _MONTHS


def _quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and end < len(text) and text[start - 1] in _QUOTE_MARKS and text[end] in _QUOTE_MARKS


def is_number(span: Sequence[Word]) -> bool:
    """A figure or a number word, first or second in its span."""
    return any(word.shape == "d" for word in span[:2])


def is_date(span: Sequence[Word]) -> bool:
    """Holds a year, a day of a month, a month's name, a weekday, a time of day, or a word of eras."""
    return any(_date_word(word) for word in span)


def _date_word(word: Word) -> bool:
    lower = word.text.lower()
    if word.shape == "d":
        return bool(_CLOCK.fullmatch(lower)) or any(_YEAR.fullmatch(part) for part in re.split(r"[^\w]", lower))
    return (lower in _MONTHS and word.shape == "C") or lower in _DATE_WORDS


def is_name(span: Sequence[Word]) -> bool:
    """Begins and ends with a capital and holds no figure: a person, a place, a title. A month alone is none."""
    shapes = [word.shape for word in span if not word.function]
    if len(span) == 1 and _date_word(span[0]):
        return False
    return bool(shapes) and shapes[0] == shapes[-1] == "C" and "d" not in shapes


def is_code(span: Sequence[Word]) -> bool:
    """One word written like an identifier, an option, a path or a call."""
    text = span[0].text
    return len(span) == 1 and _CODE.search(text) is not None and any(map(str.isalpha, text))


def has_unit(span: Sequence[Word]) -> bool:
    """Ends with a unit of measure."""
    return span[-1].text.lower() in _UNITS or span[-1].text[-1:] in _AFTER


SHAPES: Mapping[Kind, Callable[[Sequence[Word]], bool]] = {
    Kind.NUMBER: is_number,
    Kind.DATE: is_date,
    Kind.WHO: is_name,
    Kind.WHERE: is_name,
    Kind.VALUE: is_number,
    Kind.IDENTIFIER: is_code,
}
"""The shape of an answer, for the kinds of question that have one."""
