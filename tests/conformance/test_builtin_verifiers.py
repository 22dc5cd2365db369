from gw_core.model import Check, Passage, Quote, Reading, Reread, Verdict
from gw_core.testing import VerifierConformance
from gw_plugins.verifiers.source import Source


class TestSource(VerifierConformance):
    def make(self) -> Source:
        return Source()


def check(*quotes: str, verdicts: tuple[Verdict, ...]) -> Check:
    rereads = [Reread("a.txt", at, at + 1, "x", verdict) for at, verdict in enumerate(verdicts)]
    reading = Reading("x", quotes=tuple(Quote(0, quote) for quote in quotes))
    return Source().check("x?", reading, [Passage("a.txt", 0, 9, "x", 1.0)], rereads)


def test_all_quotes_that_stand_are_nothing_to_object_to() -> None:
    assert check("a", "b", verdicts=(Verdict.VERIFIED, Verdict.VERIFIED)) == Check("source", 1.0)


def test_one_quote_given_twice_is_one() -> None:
    assert check("a", "a", verdicts=(Verdict.VERIFIED,)).score == 1


def test_what_does_not_stand_any_more_is_named() -> None:
    found = check("a", "b", verdicts=(Verdict.VERIFIED, Verdict.DRIFTED))
    assert found.score == 0.5
    assert "a.txt:1-2 drifted" in found.reason


def test_quotes_of_no_passage_count_against_it() -> None:
    found = check("a", "b", verdicts=(Verdict.VERIFIED,))
    assert (found.score, found.reason) == (0.5, "1 of 2 quotes stand in no passage")
    assert check(verdicts=()).score == 0
