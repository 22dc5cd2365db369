"""What a question asks for, told from its own words: a number, a date, a person, a place, a setting's value, a name.

The tables hold question words of a few languages. A question in any other is of kind OTHER, which costs the reader its
bonus for a fitting candidate and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from gw_core.text.fold import fold, tokens
from gw_plugins.readers.function_words import function_words
from gw_plugins.readers.terms import Terms


class Kind(str, Enum):
    """What sort of thing would answer."""

    NUMBER = "number"
    DATE = "date"
    WHO = "who"
    WHERE = "where"
    VALUE = "value"
    """What a setting, constant or option is set to."""
    IDENTIFIER = "identifier"
    """The name of a function, class, option, file, ..."""
    YESNO = "yesno"
    EXPLANATION = "explanation"
    """Why, how to, or what something does: no short span answers that, nor a question to be answered yes or no."""
    OTHER = "other"


_TIMES = "year|date|day|month|century|decade|season|weekday|era|period|time"
_AMOUNTS = (
    "number|percentage|percent|amount|proportion|fraction|age|temperature|population|score|distance|height|depth|"
    "weight|length|width|speed|rate|price|cost|size|ratio|quantity|share|attendance|capacity|area|radius|limit"
)
_PEOPLE = (
    "person|people|man|woman|player|author|king|queen|emperor|president|scientist|mathematician|physicist|chemist|"
    "actor|actress|singer|musician|poet|writer|engineer|inventor|architect|philosopher|explorer|leader|minister|"
    "general|pope|bishop|ruler|khan|monarch|coach|quarterback|producer|composer|painter|director|historian|"
    "astronomer|economist|biologist|governor|theologian|company|team|organization|group"
)
_PLACES = (
    "city|country|state|town|place|region|continent|river|mountain|island|village|province|county|district|street|"
    "location|area|ocean|sea|lake|nation|capital|university|building|stadium|hotel"
)
_NAMES_IN_CODE = (
    "function|method|class|module|package|command|subcommand|option|flag|switch|parameter|argument|setting|variable|"
    "constant|attribute|property|field|key|hook|decorator|exception|error|identifier|file|directory|folder|script|"
    "endpoint|header|column|keyword|plugin|library"
)
_HOW = "many|much|old|long|far|tall|big|large|fast|high|deep|often|heavy|wide|hot|cold|few|small|thick|strong|quickly"


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# The first pattern that fits decides. Within one language the narrow ones stand before the wide ones.
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.EXPLANATION,
        _words(
            r"^\W*why\b|\bhow (?:(?:do|can|could|should|would|may|must) (?:i|we|you|one)\b|to\b)"
            r"|^\W*what (?:do|does) \S+(?: \w+)? do\W*$"
        ),
    ),
    (Kind.VALUE, _words(r"\bdefault\b|\b(?:what|which)\b.{0,20}\bvalue\b|\bset to\b|\bequal to\b")),
    (
        Kind.DATE,
        _words(
            rf"(?:^|[,;:]|\b(?:in|since|until|from|by))\W*when\b(?!.*\bw(?:hat|ho)\b)|\b(?:what|which)"
            rf"(?: \w+)? (?:{_TIMES})\b|"
            r"\bhow long ago\b"
        ),
    ),
    (
        Kind.NUMBER,
        _words(rf"\bhow (?:{_HOW})\b|\b(?:what|which)(?: is| was| are| were)?(?: the| an?)?(?: \w+)? (?:{_AMOUNTS})\b"),
    ),
    (Kind.WHO, _words(rf"\b(?:who|whom|whose)\b|\b(?:what|which)(?: \w+)? (?:{_PEOPLE})\b")),
    (Kind.WHERE, _words(rf"\bwhere\b|\b(?:what|which)(?: \w+)? (?:{_PLACES})\b")),
    (Kind.IDENTIFIER, _words(rf"\b(?:what|which)(?: \w+)? (?:{_NAMES_IN_CODE})s?\b")),
    (
        Kind.YESNO,
        _words(
            r"^\W*(?:is|are|were|do|does|did|can|could|has|have|had|will|would|should|may|must|"
            r"was(?= (?:the|an?|it|he|she|they|there|this|that|his|her|its|their|any|all)\b))\b"
        ),
    ),
    # German
    (Kind.NUMBER, _words(r"\bwie ?(?:viele?n?|lange|alt|hoch|weit|groß|oft|schnell|tief|schwer|breit)\b")),
    (Kind.NUMBER, _words(r"\bwelche[rsnm]? (?:\w+ )?(?:anzahl|zahl|prozentsatz|höhe|länge|temperatur|anteil|menge)\b")),
    (Kind.DATE, _words(r"\bwann\b|\bwelche[rsnm]? (?:jahr|datum|tag|monat|jahrhundert|jahrzehnt|zeit)(?:e?s|en|e)?\b")),
    (
        Kind.EXPLANATION,
        _words(r"^\W*(?:warum|weshalb|wieso|pourquoi|por qu[eé])\b|\bwie (?:kann|muss|soll) (?:ich|man)\b"),
    ),
    (Kind.WHO, _words(r"\b(?:wer|wen|wem|wessen)\b|\bwelche[rs]? (?:person|spieler|könig|kaiser|präsident)\w*\b")),
    (Kind.WHERE, _words(r"\b(?:wo|wohin|woher)\b|\bwelche[rsnm]? (?:stadt|land|ort|staat|region|fluss)\b")),
    # French, Spanish
    (
        Kind.NUMBER,
        _words(r"\bcombien\b|\bquel(?:le)? (?:nombre|pourcentage|âge)\b|¿\W*cu[aá]nt[oa]s?\b|\bcu[aá]nt[oa]s?\b"),
    ),
    (Kind.DATE, _words(r"\bquand\b|\bquelle (?:année|date)\b|\bcu[aá]ndo\b|\b(?:qu[eé]|cu[aá]l) (?:año|fecha)\b")),
    (Kind.WHO, _words(r"¿\W*(?:a |de )?qui[eé]n(?:es)?\b|\bqui [aeéf]\w*|\bqui[eé]n(?:es)?\b")),
    (Kind.WHERE, _words(r"\boù\b|\bd[oó]nde\b")),
    # Chinese, Japanese, Thai, Russian: no word boundary is to be had, or case endings follow
    (
        Kind.DATE,
        re.compile(
            "什么时候|什麼時候|何时|何時|哪一?年|哪一?天|几月|几年|哪个世纪|いつ|何年|何月|"
            "เมื่อไหร่|เมื่อไร|เมื่อใด|ปีใด|ปีไหน|ปีอะไร|วันที่เท่าไ|[Кк]огда|каком году"
        ),
    ),
    (
        Kind.NUMBER,
        re.compile(
            "多少|几[个位次名人种座条岁]|多[大长高远久深快]|百分之几|いくつ|いくら|何[人個回本歳]|เท่าไ|เท่าใด|กี่|[Сс]колько"
        ),
    ),
    (Kind.WHO, re.compile("谁|誰|哪位|哪个人|だれ|ใคร|ผู้ใด|\\b[Кк]то\\b|\\b[Кк]ого\\b|\\b[Кк]ем\\b")),
    (
        Kind.WHERE,
        re.compile(
            "哪里|哪裡|哪儿|何处|哪个(?:城市|国家|地方|州)|どこ|ที่ไหน|ที่ใด|เมืองใด|ประเทศใด|\\b[Гг]де\\b|\\b[Кк]уда\\b"
        ),
    ),
)

_VAGUE = "other|specific|exact|main|first|second|last|name|type|kind|sort|form|part|term|word|number|percentage|amount"
_HEAD = re.compile(
    r"\b(?:what|which|how (?:many|much))\s+"
    r"(?:(?:is|are|was|were|did|does|do)\s+)?(?:the\s+|an?\s+)?"
    rf"(?:(?:{_VAGUE})s?\b *(?:of\s+(?:the\s+|an?\s+)?)?)*"
    r"(?P<head>[^\W\d_][\w-]*)",
    re.IGNORECASE,
)
_NOT_HEADS = frozenset(
    """is are was were did does do has have had can could will would should of in on at by for to from with the a an
    many much it they he she this that these those you we i be been being""".split()
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    ``head`` is the noun that the question word stands before, folded (``"points"`` of "how many points"), or empty.
    ``function_words`` are those of its language.
    """

    text: str
    kind: Kind
    head: str
    terms: Terms
    function_words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Question:
        folded = [token.text for token in tokens(text)]
        grammar = function_words(folded)
        return cls(text, kind_of(text), head_of(text), Terms.of(folded, grammar), grammar)


def kind_of(question: str) -> Kind:
    """What sort of thing ``question`` asks for."""
    return next((kind for kind, pattern in _KINDS if pattern.search(question)), Kind.OTHER)


def head_of(question: str) -> str:
    """The noun that "what", "which" or "how many" stands before, folded, or empty."""
    match = _HEAD.search(question)
    if match is None or match["head"].lower() in _NOT_HEADS:
        return ""
    return fold(match["head"]).strip()
