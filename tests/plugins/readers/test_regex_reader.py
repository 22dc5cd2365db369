from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import UsageError
from gw_core.model import Passage, Reading
from gw_plugins.readers.regex import Regex


def _passages(*texts: str, kind: str = "text") -> list[Passage]:
    """Passages in order of falling scores."""
    return [Passage(f"{at}.txt", 0, len(text), text, 10.0 - at, kind=kind) for at, text in enumerate(texts)]


def _check_spans(reading: Reading, passages: Sequence[Passage]) -> None:
    """The promise of the reader: everything it returns stands where it says."""
    (quote,) = reading.quotes
    text = passages[quote.passage].text
    assert quote.start is not None
    assert quote.end is not None
    assert text[quote.start : quote.end] == quote.text == reading.text
    span = reading.trace["value_span"]
    if reading.value is None:
        assert span is None
    else:
        assert text[span[0] : span[1]] == reading.value
        assert quote.start <= span[0] < span[1] <= quote.end


NOTES = (
    "The archive was founded in 1987 by Maria Keller in Basel. It keeps logs for 30 days. Twelve people work there. "
    "Visitors come from all over Europe.",
    "Backups are written every night. The default of max_bytes is 64 MB. A failed backup raises DiskFullError.",
    "Old tapes were stored in the cellar. The cellar was flooded in 1994.",
)


@pytest.mark.parametrize(
    ("question", "sentence", "value"),
    [
        ("how long are logs kept?", "It keeps logs for 30 days.", "30 days"),
        ("Who founded the archive?", NOTES[0][:57], "Maria Keller"),
        ("when was the archive founded?", NOTES[0][:57], "1987"),
        ("where was the archive founded?", NOTES[0][:57], "Basel"),
        ("how many people work there?", "Twelve people work there.", "Twelve"),
        ("what is the default of max_bytes?", "The default of max_bytes is 64 MB.", "64 MB"),
        ("which error does a failed backup raise?", "A failed backup raises DiskFullError.", "DiskFullError"),
        ("was the cellar flooded?", "The cellar was flooded in 1994.", None),
        ("why was the cellar flooded?", "The cellar was flooded in 1994.", None),
        ("how do I write backups?", "Backups are written every night.", None),
    ],
)
def test_each_kind_of_question_gets_its_sentence_and_value(question: str, sentence: str, value: str | None) -> None:
    passages = _passages(*NOTES)
    reading = Regex().answer(question, passages)
    assert (reading.text, reading.value) == (sentence, value)
    assert not reading.abstained
    _check_spans(reading, passages)


@pytest.mark.parametrize(
    ("question", "text", "sentence", "value"),
    [
        ("东京是哪国的首都？", "巴黎是法国的首都。东京是日本的首都。", "东京是日本的首都。", None),
        ("公司成立于哪一年？", "公司有许多员工。公司成立于1987年。", "公司成立于1987年。", "1987"),
        ("Wann wurde das Archiv gegründet?", "Es regnet. Das Archiv wurde 1987 gegründet.", None, "1987"),
        ("Кто основал архив?", "Шёл дождь. Архив основал Иван Петров.", "Архив основал Иван Петров.", "Иван Петров"),
        ("متى تأسس الأرشيف؟", "هطل المطر. تأسس الأرشيف عام 1987.", "تأسس الأرشيف عام 1987.", "1987"),
        ("¿Quién fundó el archivo?", "Llueve mucho. María Keller fundó el archivo.", None, "María Keller"),
        ("crème", "Il pleut. La cre\u0300me est froide.", "La cre\u0300me est froide.", None),
    ],
)
def test_other_scripts_and_languages(question: str, text: str, sentence: str | None, value: str | None) -> None:
    passages = _passages(text)
    reading = Regex().answer(question, passages)
    _check_spans(reading, passages)
    if sentence is not None:
        assert reading.text == sentence
    if value is not None:
        assert reading.value == value


def test_a_line_of_code_a_table_row_and_a_list_item_are_answers() -> None:
    code = _passages(
        "import os\n\nMAX_BYTES = 64_000\nRETRIES = 3\n\n\ndef register_backend(name):\n    pass\n", kind="code"
    )
    reading = Regex().answer("what is the value of RETRIES?", code)
    assert (reading.text, reading.value) == ("RETRIES = 3", "3")
    reading = Regex().answer("which function registers a backend?", code)
    assert (reading.text, reading.value) == ("def register_backend(name):", "register_backend")
    table = _passages("| setting | default |\n|---|---|\n| timeout | 30 s |\n| retries | 3 |\n", kind="table")
    assert Regex().answer("what is the default of timeout?", table).text == "| timeout | 30 s |"
    listed = _passages("Steps:\n\n- stop the server\n- copy the archive folder\n- start it again\n")
    assert "copy the archive folder" in Regex().answer("which folder do I copy?", listed).text


def test_a_better_passage_wins_between_equal_sentences() -> None:
    passages = _passages("Logs are kept for a week.", "Logs are kept for a month.")
    assert Regex().answer("how long are logs kept?", passages).text == "Logs are kept for a week."
    other = _passages("Logs are kept for a month.", "Logs are kept for a week.")
    assert Regex().answer("how long are logs kept?", other).text == "Logs are kept for a month."


def test_a_question_that_stands_in_the_text_is_answered_by_what_follows_it() -> None:
    passages = _passages(
        "How do I pay?\n\nBy card.\n\nHow long are logs kept?\n\nThirty days.\n\nWho reads the logs?\n\nNobody.\n"
    )
    assert Regex().answer("how long are logs kept?", passages).text == "Thirty days."
    assert Regex().answer("how do I pay", passages).text == "By card."


def test_a_line_that_repeats_the_question_is_no_answer() -> None:
    text = 'gw ask "how do I register a backend?" docs/   # ingests first\n\nA backend registers itself in a hook.\n'
    reading = Regex().answer("how do I register a backend?", _passages(text))
    assert reading.text == "A backend registers itself in a hook."


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("when did Jonas Weber start?", "Jonas Weber,System administrator,C-017,4555,2019-11-15", "2019-11-15"),
        ("when does the library open?", "The library opens at 9:30 and closes at 19:00 on weekdays.", "9:30"),
        (
            "who writes the report on the fire?",
            "Peter Marsh will write the report on the fire by 30 April.",
            "Peter Marsh",
        ),
    ],
)
def test_times_of_day_and_fields_of_a_row_are_told_apart(question: str, text: str, value: str) -> None:
    assert Regex().answer(question, _passages(text)).value == value


BRANCHES = "Branch | Phone\nCentral | 555-0101\nHarbour | 555-0144"
BRANCHES_MARKED = (
    "# Branches\n\n| Branch | Phone | Opens |\n|---|---|---|\n"
    "| Harbour | 555-0144 | 10:00 |\n| Mill | 555-0199 | 9:30 |"
)
ANNUAL = (
    "Annual report of Halden Shipping\n\nIngrid Solberg has been chief executive since 2019. The board met six times."
)
MINUTES = (
    "Minutes of the board meeting, 4 March 2024\n\n"
    "Present: Anna Weber, Tom Fischer, Lea Brandt\nAbsent: Paul Neumann\n\n"
    "1. The budget of EUR 1.2 million was approved.\n2. Frau Dr. Anna Weber leads the search committee."
)
COMPOSE = "services:\n  web:\n    image: nginx:1.25\n  queue:\n    image: rabbitmq:3.12\n    restart: always"
LIMITER = '''"""Rate limits."""

MAX_RETRIES = 5


class RateLimiter:
    """Allows at most a fixed number of calls per second, by token buckets."""

    def acquire(self) -> None:
        """Blocks until a call is allowed."""
        time.sleep(1 / self.rate)
'''
HOOKS = (
    "# Hooks\n\n## gw_register_backends\n\nA plugin names its stores here.\n\n"
    "## gw_register_readers\n\nThe same for readers."
)
STAFF = "name,title,extension,room\nAda Krause,Head of research,4410,B-201\nLi Wei,Data scientist,4432,B-115"
OPTIONS = "| option | Default |\n|---|---|\n| `--timeout` | 30 s |\n| `--retries` | 3 |"
SETTINGS = "[server]\nhost = db3.internal\nport = 6543\nmax_connections = 250\n\n[client]\nport = 7000"


@pytest.mark.parametrize(
    ("text", "kind", "question", "sentence", "value"),
    [
        (BRANCHES, "section", "What is the phone number of the Harbour branch?", "Harbour | 555-0144", "555-0144"),
        (
            BRANCHES_MARKED,
            "section",
            "What is the phone number of the Harbour branch?",
            "| Harbour | 555-0144 | 10:00 |",
            "555-0144",
        ),
        (BRANCHES_MARKED, "section", "when does the Mill branch open?", "| Mill | 555-0199 | 9:30 |", "9:30"),
        (ANNUAL, "text", "Who is the chief executive of Halden Shipping?", ANNUAL[34:85], "Ingrid Solberg"),
        (MINUTES, "text", "Who was absent at the board meeting?", "Absent: Paul Neumann", "Paul Neumann"),
        (MINUTES, "text", "when was the board meeting?", MINUTES[:42], "4 March 2024"),
        (MINUTES, "text", "what is the budget?", "1. The budget of EUR 1.2 million was approved.", "EUR 1.2 million"),
        (MINUTES, "text", "who leads the search committee?", MINUTES[-50:], "Frau Dr. Anna Weber"),
        (COMPOSE, "code", "which image does the queue use?", "image: rabbitmq:3.12", "rabbitmq:3.12"),
        (COMPOSE, "code", "which image does web use?", "image: nginx:1.25", "nginx:1.25"),
        (LIMITER, "code", "What does RateLimiter do?", LIMITER.splitlines()[6].strip(), None),
        (LIMITER, "code", "what does acquire do?", '"""Blocks until a call is allowed."""', None),
        (LIMITER, "code", "which function blocks until a call is allowed?", "def acquire(self) -> None:", "acquire"),
        (LIMITER, "code", "which class limits the rate of calls?", "class RateLimiter:", "RateLimiter"),
        (LIMITER, "code", "what is max_retries?", "MAX_RETRIES = 5", "5"),
        (
            'def run(name, timeout=30):\n    """Runs it by name."""\n',
            "code",
            "what is the default of timeout?",
            "def run(name, timeout=30):",
            "30",
        ),
        (HOOKS, "section", "how do I register backends?", "A plugin names its stores here.", None),
        (HOOKS, "section", "which hook registers backends?", "## gw_register_backends", "gw_register_backends"),
        (STAFF, "code", "Ada Krause's extension?", "Ada Krause,Head of research,4410,B-201", "4410"),
        (STAFF, "code", "Which room is Li Wei in?", "Li Wei,Data scientist,4432,B-115", "B-115"),
        (STAFF, "code", "who has extension 4432?", "Li Wei,Data scientist,4432,B-115", "Li Wei"),
        (OPTIONS, "table", "What is the default of --timeout?", "| `--timeout` | 30 s |", "30 s"),
        (SETTINGS, "code", "what port does the server use?", "port = 6543", "6543"),
        (SETTINGS, "code", "what port does the client use?", "port = 7000", "7000"),
        (SETTINGS, "code", "what is max_connections?", "max_connections = 250", "250"),
    ],
)
def test_what_only_names_a_thing_leads_to_what_is_said_of_it(
    text: str, kind: str, question: str, sentence: str, value: str | None
) -> None:
    passages = _passages(text, kind=kind)
    reading = Regex().answer(question, passages)
    assert (reading.text, reading.value) == (sentence, value)
    _check_spans(reading, passages)


def test_a_heading_with_nothing_else_to_say_is_still_an_answer() -> None:
    assert Regex().answer("where are backups?", _passages("# Backups\n")).text == "# Backups"


def test_rows_cut_from_their_table_are_read_with_its_header() -> None:
    rows = "| `--timeout` | 30 s | seconds |\n| `--retries` | 3 | times |"
    header = "| option | default | unit |\n|---|---|---|"
    passage = Passage("a.md", 90, 90 + len(rows), rows, 1.0, kind="table", context=(header,))
    assert Regex().answer("what is the default of --timeout?", [passage]).value == "30 s"


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        ('{"port": 8080, "max_connections": 250, "host": "a.b"}', "what is max_connections?", "250"),
        ('"name": "gw-toolkit",', "what is the name?", "gw-toolkit"),
        ("LIMIT: int = 30  # seconds", "what is the limit?", "30"),
        ("export const maxAge = 3600;", "what is maxAge?", "3600"),
        ("level=info port=80 user=ada", "which port?", "80"),
    ],
)
def test_what_follows_the_key_beats_what_stands_near_it(text: str, question: str, value: str) -> None:
    assert Regex().answer(question, _passages(text, kind="code")).value == value


def test_the_number_of_something_is_only_told_by_a_sentence_with_a_number() -> None:
    passages = _passages("Melons are sold at the harbour. It has 18 melons and two crates of pears.")
    reading = Regex().answer("How many melons?", passages)
    assert (reading.text, reading.value) == ("It has 18 melons and two crates of pears.", "18")
    for text in ("Melons are sold at the harbour.", "For 30 days the melons were kept in one cellar."):
        reading = Regex().answer("How many melons?", _passages(text))
        assert reading.abstained
        assert "number" in reading.reason


@pytest.mark.parametrize("line", ["alpha = " * 9_000, "alpha: " * 9_000, "{alpha " * 9_000, '"alpha ' * 9_000])
def test_a_long_line_of_keys_costs_little(line: str) -> None:
    began = time.process_time()
    Regex().answer("what is the default of alpha?", _passages(line, kind="code"))
    assert time.process_time() - began < 5


def test_a_sentence_with_no_likely_value_is_given_without_one() -> None:
    reading = Regex().answer("what is gained by the reform?", _passages("The reform by and large went well, said he."))
    assert (reading.text[:10], reading.value) == ("The reform", None)


def test_a_value_does_not_reach_over_the_signs_of_code_and_tables() -> None:
    code = _passages("limit: Annotated[int, Range(1)] = field(LIMIT)\n", kind="code")
    value = Regex().answer("what is the value of limit?", code).value
    assert value is not None
    assert not set("[]=") & set(value)


def test_it_abstains_when_only_function_words_are_shared() -> None:
    reading = Regex().answer("what is the capital of France?", _passages("It is the end of the list."))
    assert reading.abstained
    assert (reading.text, reading.value, reading.quotes) == ("", None, ())
    assert "function words" in reading.reason


@pytest.mark.parametrize("passages", [[], _passages(""), _passages(" \n\t "), _passages("", "...")])
def test_nothing_to_read_is_an_abstention(passages: list[Passage]) -> None:
    assert Regex().answer("how long are logs kept?", passages).abstained
    assert Regex(pattern=r"\d+ days").answer("how long are logs kept?", passages).abstained


@pytest.mark.parametrize("question", ["", "?", "the of", "\ud800"])
def test_a_question_without_a_word_is_an_abstention(question: str) -> None:
    assert Regex().answer(question, _passages(*NOTES)).abstained


def test_only_the_best_passages_are_read() -> None:
    passages = _passages("Nothing here.", "Logs are kept for a week.")
    assert Regex(passages=1).answer("how long are logs kept?", passages).abstained
    with pytest.raises(UsageError):
        Regex(passages=0)


_PIECES = st.sampled_from(
    [
        *(
            "archive",
            "Keller",
            "1987",
            "64 MB",
            "the",
            "in",
            "by",
            ". ",
            ", ",
            "\n",
            "\r\n",
            "\n\n",
            "(",
            ")",
            '"',
            "-",
            "|",
        ),
        *(
            "东京",
            "สวัสดี",
            "é",
            "e\u0301",
            "ß",
            "\ud800",
            "\x00",
            "𝒜",
            "max_bytes",
            "getName()",
            "3:08",
            "—",
            " ",
            "\u2028",
        ),
    ]
)


@given(st.lists(st.lists(_PIECES, max_size=40).map(" ".join), max_size=4), st.lists(_PIECES, max_size=8).map(" ".join))
def test_every_answer_stands_exactly_where_it_says(texts: list[str], question: str) -> None:
    passages = _passages(*texts)
    for asked in (question, f"who {question}", f"how many {question}", f"when {question}"):
        reading = Regex().answer(asked, passages)
        assert reading == Regex().answer(asked, passages)
        if not reading.abstained:
            _check_spans(reading, passages)


# -- patterns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        (r"(?P<value>\d+ days)", "30 days"),
        (r"for (?P<time>\d+ \w+)", "30 days"),
        (r"(?P<verb>keeps) logs for (?P<value>\d+)", "30"),
        (r"logs for (\d+)", "30"),
        (r"\d+ days", "30 days"),
        (r"(?P<value>never)|(\d+) days", "30"),
    ],
)
def test_a_pattern_names_the_value_by_its_group(pattern: str, value: str) -> None:
    passages = _passages(*NOTES)
    reading = Regex(pattern=pattern).answer("how long are logs kept?", passages)
    assert (reading.text, reading.value) == ("It keeps logs for 30 days.", value)
    _check_spans(reading, passages)


def test_of_several_matches_the_one_in_the_best_sentence_is_taken() -> None:
    passages = _passages("Mail is kept for 10 days. Logs are kept for 30 days. Tapes are kept for 90 days.")
    reading = Regex(pattern=r"\d+ days").answer("how long are tapes kept?", passages)
    assert (reading.text, reading.value) == ("Tapes are kept for 90 days.", "90 days")


def test_a_value_over_several_sentences_is_quoted_with_all_of_them() -> None:
    passages = _passages("One goes. Two stay here. Three come. Four sleep.")
    reading = Regex(pattern=r"stay here\. Three").answer("who stays?", passages)
    assert reading.text == "Two stay here. Three come."
    _check_spans(reading, passages)


def test_a_pattern_needs_no_word_of_the_question_and_goes_to_the_first_passage_that_matches() -> None:
    reading = Regex(pattern=r"\b1994\b").answer("zebra", _passages(*NOTES))
    assert (reading.value, reading.quotes[0].passage) == ("1994", 2)


def test_a_pattern_that_matches_nothing_or_only_emptiness_is_an_abstention() -> None:
    assert "matches in none of the 3 passages" in Regex(pattern="zebra").answer("logs", _passages(*NOTES)).reason
    assert Regex(pattern="x*").answer("logs", _passages("abc. def.")).abstained


@pytest.mark.parametrize(
    ("pattern", "position"), [("(?P<value>a", "position 0"), ("ab[", "position 2"), ("*", "position 0")]
)
def test_a_bad_pattern_is_a_usage_error_that_says_where(pattern: str, position: str) -> None:
    with pytest.raises(UsageError, match=position) as caught:
        Regex(pattern=pattern)
    assert caught.value.hint


def test_a_pattern_that_python_only_warns_of_is_used_in_silence() -> None:
    assert Regex(pattern="[[0-9]+ days").answer("logs", _passages(*NOTES)).value == "30 days"


def test_a_runaway_pattern_is_given_up_and_the_other_passages_are_still_read() -> None:
    passages = _passages("a" * 60 + "!", "So it was aaab.")
    reading = Regex(pattern="(?P<value>(a+)+b)", pattern_seconds=0.05).answer("what was it?", passages)
    assert (reading.value, reading.trace["expired_passages"]) == ("aaab", [0])
    reading = Regex(pattern="(a+)+$", pattern_seconds=0.05).answer("what was it?", passages[:1])
    assert reading.abstained
    assert "took too long on 1 of 1" in reading.reason


def test_a_runaway_pattern_is_given_up_on_another_thread_too() -> None:
    passages = _passages("a" * 60 + "!", "Es war 東京 aaab.")
    found: list[Reading] = []
    reader = Regex(pattern="(?P<value>(a+)+b)", pattern_seconds=0.05)
    thread = threading.Thread(target=lambda: found.append(reader.answer("東京", passages)))
    thread.start()
    thread.join()
    assert (found[0].value, found[0].trace["expired_passages"]) == ("aaab", [0])
    _check_spans(found[0], passages)
