"""Texts and queries that break careless components, shared by the conformance classes."""

from __future__ import annotations

import random
from collections.abc import Iterator

RAW_QUERIES = (
    "don't use agents",
    "C++",
    "node.js",
    "BENCH-100821",
    "foo:bar",
    r"C:\Users\x",
    "50%",
    '"unclosed',
    "'",
    "NEAR(",
    "NEAR(a b, 3)",
    "AND",
    "a OR",
    "NOT NOT",
    "-foo",
    "^x",
    "x*",
    "a + b",
    "{a b}: c",
    "(((((",
    "*",
    "%_",
    "[a-z]{3}(",
    "\\",
    "a; DROP TABLE x; --",
    "",
    " ",
    "\t\n",
    "...",
    "\x00",
    "a\x00b",
    "\ud800",
    "東京都の首都",
    "ภาษาไทย",
    "🙂🙂",
    "e\u0301",
    "\u202eabc",
    "of the and",
    "word " * 2_000,
    "x" * 100_000,
)
"""Queries that a query language would trip over. None may raise."""

SCRIPTS = (
    "the quick brown fox jumps over the lazy dog",
    "съешь же ещё этих мягких французских булок",
    "ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "東京都の首都機能について調べる",
    "北京是中华人民共和国的首都",
    "다람쥐 헌 쳇바퀴에 타고파",
    "ภาษาไทยเป็นภาษาที่มีระดับเสียง",
    "صباح الخير يا عالم جميل",
    "नमस्ते दुनिया यह हिन्दी है",
    "שלום עולם זה טקסט בעברית",
    "Tiếng Việt có dấu thanh điệu",
    "Zażółć gęślą jaźń",
)
"""One line each in scripts with and without spaces, right-to-left ones among them."""

ODD_TEXTS = (
    "",
    " ",
    "\n",
    "\r\n\r\n",
    "...",
    "🙂",
    "e\u0301" * 50,
    "a\x00b",
    "\u2028\u2029\x85\x0b\x0c",
    "one line without an end",
    "CRLF\r\nline ends\r\n\r\nand a second paragraph.\r\n",
    "CR only\rline ends\r\rand more\r",
    "| a | b |\n|---|---|\n| 1 | 2 |\n" * 40,
    "```\ncode that never ends\n" * 3,
    "- item\n" * 500,
    "# Heading\n\n" * 100,
    "word " * 20_000,
    "x" * 200_000,
    "東" * 20_000,
    "{" * 5_000 + "}" * 5_000,
    "Dr. Smith paid 3.14 to e.g. Mr. X. " * 200,
)
"""Documents that are hard to cut."""

_ALPHABETS = (
    "abc DEF 012",
    " \n\t\r",
    "\"'*^:-+()[]{}\\/%_~&|!<>=;,.?@#$`",
    "äöüßŁøñç",
    "日本語テキスト한국어ภาษาไทย",
    "\u0301\u0308\u200b\u200d\ufeff\u202e",
    "🙂👩\u200d👩\u200d👧",
)


def random_texts(count: int, longest: int, seed: int = 0) -> Iterator[str]:
    """The same made-up texts at every call: mixes of letters, punctuation, scripts and control characters."""
    numbers = random.Random(seed)  # noqa: S311 - repeatable, not secret
    for _ in range(count):
        alphabet = "".join(numbers.sample(_ALPHABETS, numbers.randint(1, len(_ALPHABETS))))
        yield "".join(numbers.choices(alphabet, k=numbers.randint(1, longest)))
