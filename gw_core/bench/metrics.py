"""Metrics of one question: pure functions from a ranking or an answer, and the truth, to numbers in [0, 1].

Rankings are best first and hold identifiers of any hashable form. An identifier that comes again counts where it
stands first, and those behind it move up. ``relevant`` is a collection of identifiers, or a mapping from identifier to
grade, of which those above 0 are relevant. Where nothing is relevant every metric of a ranking is 0, as in trec_eval:
leave such questions out of a mean.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

from gw_core.ask import stands_in
from gw_core.model import Verdict
from gw_core.trial import Place

Relevant = Collection[Hashable] | Mapping[Any, float]

DEPTH = 10
"""Where nDCG and the reciprocal rank are cut off, unless somebody says otherwise."""


def names(ks: Iterable[int]) -> list[str]:
    """The metrics that the built-in tasks measure; ``coverage@`` and memory at any cut-off."""
    cut = [f"recall@{k}" for k in ks]
    rates = ["answered", "answer_contains", "answer_exact", "answer_f1", "citations_verified"]
    figures = ["weights", "kv_cache@", "total@", "kv_cache_with_retrieval", "total_with_retrieval"]
    abstention = ["abstention_recall", "abstention_precision"]
    return [*cut, "coverage@", f"ndcg@{DEPTH}", f"mrr@{DEPTH}", *rates, *abstention, *figures]


def recall_at(ranked: Iterable[Hashable], relevant: Relevant, k: int) -> float:
    """Whether any relevant one is among the first ``k``: the hit rate, as "recall@k" is used where one passage answers.

    "Accuracy at n" of Voorhees, The TREC-8 Question Answering Track Report, 1999. For the share that was found see
    :func:`coverage_at`.

    >>> recall_at(["a", "b", "c"], {"c"}, 2), recall_at(["a", "b", "c"], {"c"}, 3)
    (0.0, 1.0)
    """
    return float(not _grades(relevant).keys().isdisjoint(_top(ranked, k)))


def coverage_at(ranked: Iterable[Hashable], relevant: Relevant, k: int) -> float:
    """The share of the relevant ones that is among the first ``k``.

    Recall at k of Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, section 8.4.

    >>> coverage_at(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    """
    wanted = _grades(relevant)
    return len(wanted.keys() & set(_top(ranked, k))) / len(wanted) if wanted else 0.0


def reciprocal_rank(ranked: Iterable[Hashable], relevant: Relevant, k: int = DEPTH) -> float:
    """One over the rank of the first relevant one among the first ``k``, 0 without one.

    Its mean over questions is MRR (Voorhees, The TREC-8 Question Answering Track Report, 1999, with k = 5).

    >>> reciprocal_rank(["a", "b", "c"], {"b", "c"})
    0.5
    """
    wanted = _grades(relevant)
    return next((1 / rank for rank, one in enumerate(_top(ranked, k), 1) if one in wanted), 0.0)


def dcg(gains: Iterable[float]) -> float:
    """Discounted cumulated gain: the sum of ``gain / log2(rank + 1)``, ranks from 1.

    Jarvelin and Kekalainen, Cumulated gain-based evaluation of IR techniques, TOIS 2002, with the discount of
    trec_eval, which holds from the first rank on (theirs divides by ``log2(rank)`` from the second on).

    >>> round(dcg([3, 2, 3, 0, 1, 2]), 3)
    6.861
    """
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg_at(ranked: Iterable[Hashable], relevant: Relevant, k: int = DEPTH) -> float:
    """:func:`dcg` of the first ``k``, divided by that of the best order of all that is judged.

    The gain is the grade, and a negative grade is 0: trec_eval's ``ndcg_cut``.

    >>> ndcg_at(["a", "b"], {"b": 2, "a": 1, "c": -1}) < ndcg_at(["b", "a"], {"b": 2, "a": 1, "c": -1}) == 1
    True
    """
    grades = _grades(relevant)
    top = _top(ranked, k)
    if not grades:
        return 0.0
    return dcg(grades.get(one, 0.0) for one in top) / dcg(sorted(grades.values(), reverse=True)[:k])


def ranking_values(
    ranked: Iterable[Hashable], relevant: Relevant, ks: Sequence[int], depth: int = DEPTH
) -> dict[str, float]:
    """All metrics of a ranking by name: ``recall@k`` and ``coverage@k`` for each of ``ks``, ``ndcg@10``, ``mrr@10``."""
    found = list(ranked)
    values = {f"recall@{k}": recall_at(found, relevant, k) for k in ks}
    values.update({f"coverage@{k}": coverage_at(found, relevant, k) for k in ks})
    values[f"ndcg@{depth}"] = ndcg_at(found, relevant, depth)
    values[f"mrr@{depth}"] = reciprocal_rank(found, relevant, depth)
    return values


def first_ranks(places: Sequence[Place], wanted: Sequence[Place]) -> list[int | None]:
    """For each wanted place the rank, from 1, of the first of ``places`` that contains it whole; None without one."""
    return [next((rank for rank, one in enumerate(places, 1) if one.contains(place)), None) for place in wanted]


def place_values(
    places: Sequence[Place], wanted: Sequence[Place], ks: Sequence[int], depth: int = DEPTH
) -> dict[str, float]:
    """What :func:`ranking_values` says, of retrieved places: a wanted place is found where one contains it whole.

    A place that contains several wanted ones finds them all, at its rank. nDCG's gain is the number that a place finds
    first, and the best order one place after another; whatever beats that is 1, too. The same place twice counts once.
    """
    distinct = list(dict.fromkeys(places))
    ranks = first_ranks(distinct, list(dict.fromkeys(wanted)))
    found = sorted(rank for rank in ranks if rank is not None)
    values = {f"recall@{k}": float(bool(found) and found[0] <= _depth(k)) for k in ks}
    values.update({f"coverage@{k}": sum(rank <= k for rank in found) / len(ranks) if ranks else 0.0 for k in ks})
    gains = [found.count(rank) for rank in range(1, _depth(depth) + 1)]
    values[f"ndcg@{depth}"] = min(1.0, dcg(gains) / dcg([1] * min(depth, len(ranks)))) if ranks else 0.0
    values[f"mrr@{depth}"] = 1 / found[0] if found and found[0] <= depth else 0.0
    return values


def abstention_values(answerable: bool, refused: bool) -> dict[str, float]:
    """What one question says about refusing, by metric.

    ``abstention_recall``: of those that cannot be answered, the refused; ``abstention_precision``: of the refused,
    those that cannot be answered; ``answered``: of those that can be answered, the ones that were not refused.

    >>> abstention_values(answerable=True, refused=True)
    {'answered': 0.0, 'abstention_precision': 0.0}
    """
    values = {"answered": float(not refused)} if answerable else {"abstention_recall": float(refused)}
    if refused:
        values["abstention_precision"] = float(not answerable)
    return values


def verdict_rates(verdicts: Iterable[str]) -> dict[str, float]:
    """The share of citations with each verdict, as ``citations_verified``, ``citations_moved``, ...; empty for none.

    >>> verdict_rates(["verified", "moved"])["citations_verified"]
    0.5
    """
    counts = Counter(Verdict(one) for one in verdicts)
    return {f"citations_{one.value}": counts[one] / counts.total() for one in Verdict} if counts else {}


# Han, kana, Thai, Lao, Myanmar and Khmer: scripts that put no space between words. Korean does.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_DECIMAL = re.compile(r"(?<![\d.])(\d+)\.(\d+)(?!\.?\d)")


def answer_words(text: str) -> list[str]:
    """An answer as the words that are compared.

    The rules of SQuAD's evaluation script (Rajpurkar et al., EMNLP 2016): lower case, no punctuation, no English
    article, parted at white space. Beyond ASCII, punctuation is Unicode's, letters are in form NFKC, and in scripts
    that put no space between words every character, with the marks on it, is a word of its own (as in Lewis et al.,
    MLQA, ACL 2020). A text of which these rules leave nothing stays as it is, in lower case: ``A`` is an answer, and
    not that of ``?``.

    >>> answer_words("The Denver Broncos!"), answer_words("在 2015年")
    (['denver', 'broncos'], ['在', '2015', '年'])
    """
    text = unicodedata.normalize("NFKC", text).lower()
    bare = "".join(char for char in text if not _is_punctuation(char))
    words = _parted(_ARTICLES.sub(" ", bare))
    return words or _parted(bare) or text.split()


def answer_exact(said: str, golds: Iterable[str]) -> float:
    """Whether an answer has the words of one of the gold answers, in their order: SQuAD's exact match.

    >>> answer_exact("the Eiffel Tower.", ["Paris", "Eiffel tower"])
    1.0
    """
    words = answer_words(said)
    return float(any(words == answer_words(gold) for gold in golds))


def answer_f1(said: str, golds: Iterable[str]) -> float:
    """The harmonic mean of precision and recall over words, for the gold answer where it is highest: SQuAD's F1.

    >>> round(answer_f1("in the city of Paris", ["Paris", "city of Paris"]), 3)
    0.857
    """
    words = answer_words(said)
    return max((_f1(words, answer_words(gold)) for gold in golds), default=0.0)


def answer_contains(said: str, golds: Iterable[str]) -> float:
    """Whether one of the gold answers stands in an answer, whatever the case, not as part of a word or number.

    Either as it is written, or with its :func:`answer_words` in one piece, so that whatever is exact is contained, too.

    >>> answer_contains("Founded in 2015, it grew by 3.5 %.", ["5"]), answer_contains("By 5%.", ["5"])
    (0.0, 1.0)
    """
    text, words = _plain(said), answer_words(said)
    return float(any(stands_in(_plain(gold), text) or _holds(words, answer_words(gold)) for gold in golds))


def _grades(relevant: Relevant) -> dict[Hashable, float]:
    """The relevant identifiers with their grades, 1 where there are none."""
    if isinstance(relevant, Mapping):
        return {one: float(grade) for one, grade in relevant.items() if grade > 0}
    return dict.fromkeys(relevant, 1.0)


def _top(ranked: Iterable[Hashable], k: int) -> list[Hashable]:
    return list(dict.fromkeys(ranked))[: _depth(k)]


def _depth(k: int) -> int:
    if k < 1:
        raise ValueError(f"a ranking is cut off at 1 or more, not at {k}")
    return k


def _is_punctuation(char: str) -> bool:
    # SQuAD's are all of ASCII that is neither letter nor digit nor space, which Unicode calls symbols in part.
    return "!" <= char <= "~" and not char.isalnum() if char.isascii() else unicodedata.category(char)[0] == "P"


def _parted(text: str) -> list[str]:
    """Words at white space, characters with their marks where there is none."""
    words: list[str] = []
    for run in text.split():
        if not _UNSPACED.search(run):
            words.append(run)
            continue
        joins = False
        for at, char in enumerate(run):
            is_spaced = _UNSPACED.match(char) is None
            if (joins and is_spaced) or (at and unicodedata.category(char)[0] == "M"):
                words[-1] += char
            else:
                words.append(char)
                joins = is_spaced
    return words


def _f1(left: list[str], right: list[str]) -> float:
    common = (Counter(left) & Counter(right)).total()
    if not left and not right:
        return 1.0
    return 2 * common / (len(left) + len(right))


def _holds(words: list[str], piece: list[str]) -> bool:
    size = len(piece)
    return bool(piece) and any(words[at : at + size] == piece for at in range(len(words) - size + 1))


def _plain(text: str) -> str:
    """In lower case and form NFKC, with decimal numbers in one piece for :func:`gw_core.ask.stands_in`."""
    return _DECIMAL.sub(r"\1_\2", unicodedata.normalize("NFKC", text).lower())
