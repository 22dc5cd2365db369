"""Words that a full stop follows without ending a sentence, in the languages that write with full stops.

All lower case, without the last stop. The lists name what is frequent in manuals, articles and encyclopedias; a word
that is also an ordinary word ("no", "min") is listed by what must follow it.
"""

from __future__ import annotations


def _words(*lists: str) -> frozenset[str]:
    return frozenset(" ".join(lists).split())


ALWAYS = _words(
    # titles and names
    " dr mr mrs ms mx messrs prof assoc asst hon rev st ste mt gen col maj capt cpt cmdr lt sgt cpl pvt gov sen",
    "rep pres  supt det insp amb",
    # English and Latin
    " e.g eg i.e ie cf viz vs v approx resp incl excl esp eds fig figs eqs chap chaps vol vols pp para paras  jan",
    "feb aug sept oct nov dec univ inst assn bros",
    # German
    " bzw z.b d.h u.a u.ä o.ä s.o s.u z.t i.d.r vgl ggf evtl bspw sog zzgl abzgl inkl exkl abb nr hr fr dipl ing",
    "mio mrd geb gest verh hrsg aufl ausg insb allg österr dt engl frz griech",
    # French, Spanish, Italian, Dutch
    " mme mlle mgr p.ex p.ej éd sra srta dña pág págs núm aprox sig sigg dott avv pag a.c d.c bijv blz dhr mevr",
    "drs",
    # Scandinavian, Slavic
    " bl.a t.ex f.eks tzn tzw inż tzv např т.е т.к т.н им ул",
)
"""Followed by what they belong to, whatever its case."""

BEFORE_NUMBER = _words("no nos nrs n p s bd art § sec sect ch ll ln eq tab ref ver ca c")
"""Joined to a number ("No. 5", "S. 12"); otherwise an ordinary end ("I said no.")."""

MAY_END = _words(
    " al et.al inc ltd co corp llc plc gmbh ag jr sr esq bc ad ph.d b.sc m.sc ave blvd rd dept ft lb lbs hrs mins",
    "min max avg num est ext ed trans repr ser mon tue wed thu fri mar apr jun jul tab ref refs app ex av env cap",
    "kap str jh jhd usw u.s.w т.д т.п г гг",
)
"""May stand at the end of a sentence too: there, when the next word is one that begins sentences."""

STARTERS = _words(
    " the a an this that these those it its he she they we you i his her their our your my there here in on at by",
    "from  for to with of as and but or so yet if when while where after before since because although though",
    "however  moreover furthermore therefore thus then what who why how which both each all some many most one",
    "two no not  is are was were do does did can could may will would should once until during under over",
    "according also use see  der die das ein eine einer es er sie wir ihr ich man im am auf aus bei mit nach von",
    "vor zu zum zur für durch  und aber oder doch wenn als während da weil obwohl nachdem bevor seit diese dieser",
    "dieses seine ihre  le la les un une il elle ils elles nous vous je ce cette ces dans en sur par pour avec",
    "mais et ou si  el los las una él ella ellos su sus este esta estos pero y o cuando como lo gli uno",
)
"""Lower-case words that, capitalised, usually begin a sentence and seldom a name."""

ORDINAL_BEFORE = _words(
    " am der die das dem den des im vom zum zur beim ins ab bis seit und dieser diese dieses jeder jedes jedem",
    "jeden ein  eine einen einem einer seinem seinen seiner ihrem ihren ihrer",
)
"""What stands before a number that is an ordinal ("am 3. Oktober", "im 19. Jahrhundert")."""

ORDINAL_AFTER = _words(
    " januar jänner februar märz april mai juni juli august september oktober november dezember jahrhundert",
    "jahrhunderts  jh jahrtausend jahrtausends jahrestag geburtstag klasse auflage etage stock weltkrieg",
    "weltkriegs  jan feb mär apr jun jul aug sep okt nov dez januari februari juni juli augusti",
)
"""What follows an ordinal number, whatever stands before it."""
