"""The second stage: exact forms, nearness, heads and compounds decide among what the index found."""

import math

import pytest

from gw_core.model import Chunk, Match
from gw_core.query import parse
from gw_core.rescore import LEAD_TOKENS, idf, rescore, searchable

FILLER = "word " * LEAD_TOKENS
TOTAL = 1000


def ranked(question, *texts, common=()):
    query = parse(question)
    chunks = [Chunk(number, "a.txt", 0, len(text), text) for number, text in enumerate(texts, 1)]
    matches = [Match(chunk.id, 1.0) for chunk in chunks]
    df = {term: TOTAL // 2 if term in common else 10 for term in query.terms}
    return rescore(query, chunks, matches, df, TOTAL)


def order(question, *texts):
    return [one.chunk_id for one in ranked(question, *texts).ranked]


def test_the_exact_form_beats_another_of_its_stem():
    assert order("where is the field", f"{FILLER} fields", f"{FILLER} field") == [2, 1]


def test_outside_english_a_common_beginning_counts_least():
    found = ranked("Verbindung", f"{FILLER} verbindlich", f"{FILLER} verbindung", f"{FILLER} verwandt")
    scores = {one.chunk_id: one.score for one in found.ranked}
    assert scores[2] > scores[1] > scores[3] == 0


def test_neighbours_in_the_query_count_more_where_they_are_neighbours():
    apart, together = f"{FILLER} layer word word word boundary", f"{FILLER} boundary layer word word word"
    assert order("what is a boundary layer", apart, together) == [2, 1]


def test_the_head_of_a_chunk_counts_more():
    assert order("what is a gearbox", f"{FILLER} gearbox", f"gearbox {FILLER}") == [2, 1]


def test_a_compound_is_found_in_its_parts_and_the_reverse():
    whole, camel = f"{FILLER} getusername", f"{FILLER} getUserName"
    for question in ("getusername", "getUserName"):
        scores = {one.chunk_id: one.score for one in ranked(question, whole, camel, f"{FILLER} target user").ranked}
        assert min(scores[1], scores[2]) > scores[3], question
    assert order("getUserName", whole, camel)[0] == 2
    assert order("getusername", camel, whole)[0] == 2


def test_part_of_a_longer_word_is_no_compound():
    assert ranked("getusername", f"{FILLER} widget user named").ranked[0].score == 0


@pytest.mark.parametrize("name", ["getUserName", "HTTPS_PORT", "node.js", "user-name", "foo::bar", "__init__.py"])
def test_a_name_ranks_texts_that_have_it_above_those_that_have_its_parts(name):
    parts = parse(name).terms
    apart = f"{' word '.join(reversed(parts))} word " * 6
    beside, other, verbatim = " ".join(parts), "-/".join(parts).upper(), name
    texts = [f"{text} {FILLER} {FILLER} {FILLER}" for text in (apart, beside, other, verbatim)]
    assert order(name, *texts) == [4, 3, 2, 1]


def test_what_a_name_adds_is_no_sign_of_how_well_the_words_did():
    written = ranked("HTTPS_PORT", f"{FILLER} HTTPS_PORT")
    apart = ranked("HTTPS_PORT", f"{FILLER} port https")
    assert written.bm25 == apart.bm25
    assert written.ranked[0].why["nearness"] > apart.ranked[0].why["nearness"]


def test_a_part_of_a_longer_name_is_not_the_name():
    assert order("user_name", f"{FILLER} super_user_names", f"{FILLER} user_name") == [2, 1]


def test_every_word_of_a_stem_counts_for_all_its_terms():
    once = ranked("the system of systems", f"{FILLER} system")
    assert once.ranked[0].why["terms"] == ["system", "systems"]


def test_function_words_count_less_and_not_as_content():
    common = ("who", "is", "the")
    found = ranked("who is the king", f"{FILLER} who is the", f"{FILLER} king", common=common)
    assert [one.chunk_id for one in found.ranked] == [2, 1]
    only_function_words = ranked("who is the king", f"{FILLER} who is the")
    assert only_function_words.bm25 == 0 < only_function_words.ranked[0].score


def test_a_label_that_is_not_in_the_text_counts():
    chunk = Chunk(1, "a.md", 0, 5, "Text.", label="Guide > Install")
    assert searchable(chunk) == "Guide\nInstall\nText."
    assert searchable(Chunk(1, "a.md", 0, 5, "Guide.", label="Guide")) == "Guide."
    assert rescore(parse("install"), [chunk], [Match(1, 1.0)], {"install": 1}, TOTAL).ranked[0].score > 0


def test_idf_holds_every_term_and_unknown_ones_are_the_rarest():
    query = parse("the known qzjxkw")
    found = rescore(query, [], [], {"the": 900, "known": 10}, TOTAL)
    assert found.ranked == ()
    assert list(found.idf) == ["the", "known", "qzjxkw"]
    assert found.idf["qzjxkw"] == pytest.approx(math.log1p((TOTAL + 0.5) / 0.5))
    assert found.idf["qzjxkw"] > found.idf["known"] > found.idf["the"] > 0


def test_chunks_without_a_token_score_nothing() -> None:
    assert [one.score for one in ranked("harbour", "...", "").ranked] == [0, 0]


def test_idf_is_never_negative():
    assert all(idf(total, containing) >= 0 for total in (0, 1, 5, 10**7) for containing in (0, 1, 5, 10**7, 10**9))


def test_score_parts_add_up_and_ties_come_by_id():
    found = ranked("what is a boundary layer", *["the boundary layer is"] * 3)
    assert [one.chunk_id for one in found.ranked] == [1, 2, 3]
    one = found.ranked[0]
    assert one.score == pytest.approx(one.why["bm25"] + one.why["nearness"], abs=1e-3)


def test_ngrams_are_scored():
    assert order("東京都の首都", f"{FILLER} 大阪", f"{FILLER} 東京都") == [2, 1]


def test_what_a_long_block_of_code_says_in_one_place_is_not_thinned_out():
    near, there = f"{FILLER} the key of harrow 418 is red\n", f"{FILLER} the key of harrow 417 is blue\n"
    filler = "".join(f"other{number} = thing{number}\n" for number in range(200))
    question = "what is the key of harrow 417"
    for kind, best in (("code", 20), ("text", 1)):
        texts = [near] * 19 + [filler + there + filler]
        chunks = [Chunk(number, "a.py", 0, len(text), text, kind) for number, text in enumerate(texts, 1)]
        matches = [Match(chunk.id, 1.0) for chunk in chunks]
        df = {**dict.fromkeys(parse(question).terms, 40), "417": 20}
        found = rescore(parse(question), chunks, matches, df, TOTAL).ranked
        assert found[0].chunk_id == best, kind
        assert found[0].score == pytest.approx(found[0].why["bm25"] + found[0].why["nearness"], abs=1e-3)
