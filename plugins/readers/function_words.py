"""Words that carry grammar and little else, of a few languages, as the tokenizer folds them.

They say nothing about what a question is about, and a short answer neither begins nor ends with one.
"""

from __future__ import annotations

from gw_core.query import FUNCTION_WORDS

ENGLISH = FUNCTION_WORDS | frozenset(
    """along although among around either else ever every get gets got however its itself let many must myself neither
    onto per quite rather shall since still though thus toward towards upon via whatever within yes yet""".split()
)
GERMAN = frozenset(
    """aber alle allem allen aller alles als also am an auch auf aus bei beim bis da damit dann das dass dem den denen
    denn der deren des dessen die dies diese diesem diesen dieser dieses doch dort durch ein eine einem einen einer
    eines er es etwa fur gegen hat hatte hatten ihm ihn ihr ihre ihrem ihren ihrer im in ins ist ja kann konnen
    konnte man mehr mit nach nicht noch nur ob oder ohne sein seine seinem seinen seiner seit sich sie sind so
    sollte sowie uber um und unter vom von vor wann war waren warum was welche welchem welchen welcher welches wenn
    wer werden wie wird wo wurde wurden zu zum zur zwischen""".split()
)
FRENCH = frozenset(
    """au aux avec ce ces cette comment dans de des du elle elles en est et etait ete il ils je la le les leur leurs
    mais ne nous on ont ou par pas pour quand que quel quelle quelles quels qui quoi sa se ses son sont sur un une
    vous y d l qu""".split()
)
SPANISH = frozenset(
    """al como con cual cuales cuando cuanto cuantos de del donde el ella ellos en entre era es esta este fue ha han
    hay la las le lo los mas no o para pero por que quien quienes se ser si sin sobre son su sus un una unos
    y ya""".split()
)

_BY_LANGUAGE = (ENGLISH, GERMAN, FRENCH, SPANISH)


def function_words(words: list[str]) -> frozenset[str]:
    """The list of the language that most of ``words`` (folded) belong to; English where none does better."""
    return max(_BY_LANGUAGE, key=lambda language: sum(word in language for word in words))
