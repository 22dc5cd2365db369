from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from gw_core.text.fold import tokens
from gw_plugins.readers.candidates import (
    MOST_TOKENS,
    Candidate,
    Word,
    candidates,
    has_unit,
    is_code,
    is_date,
    is_name,
    is_number,
    words,
)
from gw_plugins.readers.function_words import ENGLISH, GERMAN, function_words


def _words(text: str) -> list[Word]:
    return words(text, tokens(text), ENGLISH)


def _candidates(text: str) -> list[Candidate]:
    return candidates(text, _words(text))


def _texts(text: str) -> list[str]:
    return [text[one.start : one.end] for one in _candidates(text)]


def test_what_is_written_as_one_word_is_one_word() -> None:
    text = "use max_bytes=64 or getUserName() for $1.5 at 3:08, 23–16 and 24,601 of 40% today"
    written = [word.text for word in _words(text)]
    for one in ("max_bytes", "64", "getUserName", "$1.5", "3:08", "23–16", "24,601", "40%"):
        assert one in written


def test_a_comma_joins_the_parts_of_a_figure_and_parts_the_fields_of_a_row() -> None:
    written = [word.text for word in _words("24,601 1,5 3,14159 0,0001 B-204,4410,2015-03-01")]
    assert written == ["24,601", "1,5", "3,14159", "0,0001", "B-204", "4410", "2015-03-01"]


def test_names_figures_and_what_function_words_enclose_are_candidates() -> None:
    found = _texts("The archive was founded by Maria Keller in 1987 with twelve people of the University of Basel.")
    for one in ("Maria Keller", "1987", "twelve people", "University of Basel", "twelve"):
        assert one in found
    assert not any(one.lower().startswith(("the ", "of ", "by ")) for one in found)
    assert "Maria" not in found


def test_no_candidate_goes_from_a_key_of_json_to_its_value_or_the_next() -> None:
    found = _texts('{"log level": "dark red", "place": "db3.internal", "port": 5433}')
    assert {"log level", "dark red", "db3.internal", "5433"} <= set(found)
    assert not any('"' in one for one in found)


def test_the_shapes_of_answers() -> None:
    assert is_number(_words("30 days"))
    assert has_unit(_words("30 days"))
    assert is_number(_words("twelve people"))
    assert is_date(_words("28 May 1987"))
    assert is_date(_words("in the 1990s"))
    assert is_date(_words("19:30"))
    assert not is_date(_words("12345"))
    assert not is_date(_words("1:250"))
    assert is_name(_words("Maria Keller"))
    assert is_name(_words("University of Basel"))
    assert is_name(_words("April Keller"))
    assert not is_name(_words("April"))
    assert not is_name(_words("Room 12"))
    assert all(is_code(_words(one)) for one in ("max_bytes", "getUserName", "os.path", "--force", "MAX_SIZE"))
    assert not is_code(_words("people"))


def test_the_language_of_a_question_decides_what_its_function_words_are() -> None:
    assert function_words("wie viele punkte gab die verteidigung der panthers ab".split()) == GERMAN
    assert function_words("how many points did the defense give".split()) == ENGLISH
    assert function_words([]) == ENGLISH


@given(st.text(max_size=120))
@example("a%%a")  # two words and nothing between them
def test_candidates_are_exact_short_and_made_of_words(text: str) -> None:
    for one in _candidates(text):
        assert 0 <= one.start < one.end <= len(text)
        assert one.start == one.words[0].start
        assert one.end == one.words[-1].end
        assert one.words[-1].last - one.words[0].first < MOST_TOKENS or len(one.words) == 1
        assert not one.words[0].function
        assert not one.words[-1].function
