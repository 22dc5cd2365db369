from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import NotFoundError, UnknownNameError, UsageError
from gw_core.records import Field, Recipe, Split
from gw_core.sweep.canonical import recipe_plain, recipe_text
from gw_core.sweep.recipe import parse_recipe, read_recipe, recipe_from_options

TICKETS = r"""question: Which status is least common?
split: line
when: 'ticket'
fields:
  id:     {pattern: 'ticket (?P<id>\d+)'}
  status: {choice: [alpha, beta, gamma, delta], describe: the ticket's status}
  owner:  {pattern: 'owner (?P<owner>\w+)'}
  hours:  {number: true, unit: h}
key: id
reduce: [{tally: status}, {least: status}, {sum: hours, by: owner}]
"""


class Reducer:
    def __init__(self, field: str | None = None, by: str | None = None, where: str | None = None) -> None:
        self.fields = [one for one in (field, by) if one]


def resolve(name: str) -> type[Reducer]:
    if name not in ("tally", "least", "sum", "count"):
        raise UnknownNameError(f"unknown reducer {name!r}", hint="known: count, least, sum, tally")
    return Reducer


def recipe_of(text: str) -> Recipe:
    return parse_recipe(text, Path("r.yaml"), resolve)


def without_lines(recipe: Recipe) -> Recipe:
    return replace(
        recipe,
        fields=tuple(replace(one, line=0) for one in recipe.fields),
        reduce=tuple(replace(one, line=0) for one in recipe.reduce),
    )


def test_a_recipe_is_read_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "tickets.yaml"
    file.write_text(TICKETS)
    recipe = read_recipe(file, resolve)
    assert recipe.question == "Which status is least common?"
    assert (recipe.split, recipe.when, recipe.match, recipe.key) == (Split("line"), "ticket", "", "id")
    assert recipe.fields == (
        Field("id", "pattern", pattern=r"ticket (?P<id>\d+)", line=5),
        Field(
            "status",
            "choice",
            choices=("alpha", "beta", "gamma", "delta"),
            describe="the ticket's status",
            support="quoted",
            line=6,
        ),
        Field("owner", "pattern", pattern=r"owner (?P<owner>\w+)", line=7),
        Field("hours", "number", unit="h", line=8),
    )
    assert [one.text for one in recipe.reduce] == ["tally status", "least status", "sum hours by owner"]
    assert recipe.needs_reader
    assert len(recipe.sha256) == 64


@pytest.mark.parametrize(
    ("written", "split"),
    [
        ("line", Split("line")),
        ("blank-line", Split("blank-line")),
        ("{regex: '^\\d'}", Split("regex", pattern="^\\d")),
        ("'regex: ^a: b'", Split("regex", pattern="^a: b")),
        ("{window: 2000}", Split("window", size=2000)),
        ("window:2_000", Split("window", size=2000)),
        ("'window: 2000'", Split("window", size=2000)),
    ],
)
def test_a_text_is_split_in_one_of_the_known_ways(written: str, split: Split) -> None:
    assert recipe_of(f"split: {written}").split == split


@pytest.mark.parametrize(
    ("entry", "split", "wanted"),
    [
        ("number", "line", Field("x", "number")),
        ("{number: true}", "line", Field("x", "number")),
        ("text", "line", Field("x", "text")),
        ("{text: yes, describe: why}", "line", Field("x", "text", describe="why")),
        ("{text: true, support: quoted}", "line", Field("x", "text", support="quoted")),
        ("{choice: [yes, 1, 2024-01-01]}", "line", Field("x", "choice", choices=("yes", "1", "2024-01-01"))),
        ("{choice: [a], support: literal}", "line", Field("x", "choice", choices=("a",))),
        ("{date: '%d.%m.%Y'}", "line", Field("x", "date", format="%d.%m.%Y")),
        ("{date: true, format: '%b %d %H:%M:%S'}", "line", Field("x", "date", format="%b %d %H:%M:%S")),
        ("{date: '%Y-%m-%dT%H:%M:%S%z'}", "line", Field("x", "date", format="%Y-%m-%dT%H:%M:%S%z")),
        ("{pattern: '\\d+', number: true}", "line", Field("x", "pattern", pattern="\\d+", number=True)),
        ("{pattern: '\\S+', date: '%Y'}", "line", Field("x", "pattern", pattern="\\S+", format="%Y")),
        ("{pattern: ' '}", "line", Field("x", "pattern", pattern=" ")),
        ("{column: Working hours, number: true, unit: h}", "csv", Field("x", "column", unit="h", number=True)),
        ("{path: 'items[0].id'}", "jsonl", Field("x", "path", path="items[0].id")),
        ("{path: '[1]'}", "jsonl", Field("x", "path", path="[1]")),
    ],
)
def test_a_field_is_filled_in_one_of_the_known_ways(entry: str, split: str, wanted: Field) -> None:
    (field,) = recipe_of(f"split: {split}\nfields:\n  x: {entry}\n").fields
    column = "Working hours" if wanted.kind == "column" else ""
    support = field.support if wanted.kind == "choice" else wanted.support
    assert field == replace(wanted, line=3, column=column, support=support)


def test_a_choice_is_a_judgement_and_anything_else_stands_there() -> None:
    recipe = recipe_of("fields: {a: {choice: [x]}, b: text, c: {choice: [x], support: literal}}")
    assert [one.support for one in recipe.fields] == ["quoted", "literal", "literal"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", 1, "not a recipe"),
        ("- a", 1, "not a recipe"),
        ("a: [}", 1, "not YAML"),
        ("split: line\nquestions: x", 2, "unknown key 'questions' (did you mean 'question'?"),
        ("question: [a]", 1, "question: must be text"),
        ("question: ' '", 1, "question: must be text"),
        ("split: lines", 1, "unknown split 'lines' (did you mean 'line'? known: blank-line, csv"),
        ("split: [line]", 1, "split: must be one word"),
        ("split: {line: 5}", 1, "split: line takes nothing more"),
        ("split: window", 1, "split: window needs its size"),
        ("split: {window: 0}", 1, "split: window needs its size"),
        ("split: {window: many}", 1, "split: window needs its size"),
        ("split: regex", 1, "split: regex needs the pattern"),
        ("split: {regex: ''}", 1, "split: the pattern is empty"),
        ("split: {regex: 'a*'}", 1, "split: the pattern matches nothing at all"),
        ("split: {regex: '('}", 1, "split: not a regular expression: missing ), unterminated subpattern (at character"),
        ("when: '['", 1, "when: not a regular expression: unterminated character set (at character 1)"),
        ("when: ''", 1, "when: the pattern is empty"),
        ("when: 'a{99999999999}'", 1, "when: not a regular expression: "),
        ("match: '(?P<a>x)(?P<a>y)'", 1, "match: not a regular expression: redefinition of group name 'a'"),
        ("fields: [a]", 1, "fields: must be a mapping of names"),
        ("fields: {}", 1, "fields: must be a mapping of names"),
        ("fields:\n  a b: text", 2, "not a name for a field: 'a b'"),
        ("fields:\n  2nd: text", 2, "not a name for a field: '2nd'"),
        ("fields:\n  a: text\n  A: text", 3, "the fields 'a' and 'A' differ in nothing but case"),
        ("fields:\n  a: text\n  a: number", 3, "the key 'a' stands here a second time"),
        ("fields:\n  a:", 2, "a: there is no way to fill the field"),
        ("fields:\n  a: {}", 2, "a: there is no way to fill the field"),
        ("fields:\n  a: {describe: it}", 2, "a: there is no way to fill the field"),
        ("fields:\n  a: words", 2, "a: must say how the field is filled"),
        ("fields:\n  a: choice", 2, "a: choice needs more than its name"),
        ("fields:\n  a: {patern: x}", 2, "a: unknown key 'patern' (did you mean 'pattern'?"),
        ("fields:\n  a: {pattern: x, column: y}", 2, "a: two kinds in one field: pattern and column"),
        ("fields:\n  a: {choice: [x], number: true}", 2, "a: two kinds in one field: choice and number"),
        ("fields:\n  a: {pattern: x, choice: [x]}", 2, "a: two kinds in one field: pattern and choice"),
        ("fields:\n  a: {number: true, date: '%Y'}", 2, "a: two kinds in one field: number and date"),
        ("fields:\n  a: {pattern: ''}", 2, "a.pattern: the pattern is empty"),
        ("fields:\n  a: {pattern: 'x('}", 2, "a.pattern: not a regular expression"),
        ("fields:\n  a:\n    pattern: [x]", 3, "a.pattern: must be text"),
        ("fields:\n  a: {choice: []}", 2, "a.choice: the list of choices is empty"),
        ("fields:\n  a: {choice: x}", 2, "a.choice: must be a list"),
        ("fields:\n  a:\n    choice:\n    - x\n    - x", 5, "a.choice: 'x' stands there twice"),
        ("fields:\n  a: {choice: [x, X]}", 2, "a.choice: 'X' stands there twice, but for its case: 'x'"),
        ("fields:\n  a: {choice: [x, ]}\n  b: {choice: ['']}", 3, "b.choice: must be text"),
        ("fields:\n  a: {number: false}", 2, "a.number: must be true"),
        ("fields:\n  a: {number: 5}", 2, "a.number: must be true"),
        ("fields:\n  a: {date: true}", 2, "a: a date without its format (as of strptime"),
        ("fields:\n  a: {date: }", 2, "a: a date without its format"),
        ("fields:\n  a: {date: date}", 2, "a: not a format of dates: there is no % in 'date'"),
        ("fields:\n  a: {date: '100%%'}", 2, "a: not a format of dates: there is no % in '100%%'"),
        ("fields:\n  a: {date: '%Y-%Q'}", 2, "a: not a format of dates: "),
        ("fields:\n  a: {date: '%Y%Y'}", 2, "a: not a format of dates: "),
        ("fields:\n  a: {date: '%Y', format: '%Y'}", 2, "a: the format of the date stands there twice"),
        ("fields:\n  a: {text: true, format: '%Y'}", 2, "a: format without date"),
        ("fields:\n  a: {text: true, unit: h}", 2, "a: unit without number"),
        ("fields:\n  a: {text: true, support: loose}", 2, "a: unknown support 'loose' (known: literal, quoted)"),
        ("fields:\n  a: {pattern: x, support: quoted}", 2, "a: support is asked of a reader"),
        ("fields:\n  a: {column: x}", 2, "a: a column needs split: csv, not line"),
        ("split: csv\nfields:\n  a: {path: x}", 3, "a: a path needs split: jsonl, not csv"),
        ("split: jsonl\nfields:\n  a: {path: 'x..y'}", 3, "a: not a path: 'x..y'"),
        ("match: '(?P<a>x)'\nfields:\n  a: {pattern: y}", 3, "a: pattern stands beside the group of the same name"),
        ("fields: {a: text}\nkey: b", 2, "key: there is no field 'b' (known: a)"),
        ("when: x\nkey: b", 2, "key: there is no field 'b' (the recipe has no fields)"),
        ("granularity: records", 1, "unknown granularity 'records' (did you mean 'record'?"),
        ("reduce: []", 1, "reduce: there is no reduction"),
        ("reduce:", 1, "reduce: there is no reduction"),
        ("fields: {a: text}\nreduce:\n- tally a\n- {tally: a}", 4, "reduce: 'tally a' stands there twice"),
        ("fields: {a: text}\nreduce:\n- nope a", 3, "unknown reducer 'nope' (known: count"),
        ("a: &x [1]\nb: *x", 2, "an alias (*x)"),
    ],
)
def test_a_mistake_is_said_with_file_and_line(text: str, place: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        recipe_of(text)
    assert str(caught.value).startswith(f"r.yaml:{place}: {message}")
    assert "\n" not in str(caught.value)


def test_a_recipe_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_recipe(tmp_path / "none.yaml", resolve)


def test_the_named_groups_of_one_match_are_fields() -> None:
    match = r"(?P<id>\d+) (?P<status>\w+) (x)"
    recipe = recipe_from_options(resolve, match=match, reduce=["least status"])
    assert recipe.match == match
    assert recipe.fields == (Field("id", "pattern", pattern=match), Field("status", "pattern", pattern=match))
    assert not recipe.needs_reader


def test_a_match_without_named_groups_is_one_field() -> None:
    assert [one.name for one in recipe_from_options(resolve, match=r"status: (\w+)").fields] == ["value"]


def test_what_a_group_of_match_is_can_be_said() -> None:
    recipe = recipe_from_options(
        resolve,
        match=r"(?P<day>\S+) (?P<hours>\d+) h",
        fields=["hours: {number: true, unit: h}", "day: {date: '%Y-%m-%d'}", "note: text"],
    )
    assert [(one.name, one.kind, one.number, one.format) for one in recipe.fields] == [
        ("day", "pattern", False, "%Y-%m-%d"),
        ("hours", "pattern", True, ""),
        ("note", "text", False, ""),
    ]
    assert recipe_plain(recipe)["fields"]["hours"] == {"number": True, "unit": "h"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match": "("}, "--match: not a regular expression"),
        ({"match": ""}, "--match: the pattern is empty"),
        ({"match": "\udcff"}, "--match: holds half a character"),
        ({"when": "["}, "--when: not a regular expression"),
        ({"split": "lines"}, "--split: unknown split 'lines'"),
        ({"split": "window"}, "--split: window needs its size"),
        ({"key": "id"}, "--key: there is no field 'id'"),
        ({"fields": ["id"]}, "--field: must be a name and how the field is filled, not 'id'"),
        ({"fields": ["id: ["]}, "--field: not YAML"),
        ({"fields": ["id: {patern: x}"]}, "--field: id: unknown key 'patern'"),
        ({"match": "(?P<a>.)(?P<A>.)"}, "--match: the fields 'a' and 'A' differ"),
        ({"granularity": "x"}, "--granularity: unknown granularity 'x'"),
        ({"question": ""}, "--question: must be text"),
    ],
)
def test_a_mistake_in_an_option_names_it(options: Mapping[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        recipe_from_options(resolve, **options)
    assert str(caught.value).startswith(message)


def test_options_win_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "tickets.yaml"
    file.write_text(TICKETS)
    recipe = recipe_from_options(
        resolve,
        path=file,
        split="paragraph",
        when="bug",
        match=r"is (?P<status>\w+)",
        fields=["hours: {pattern: '\\d+', number: true}"],
        key="owner",
        reduce=["count"],
        question="How many?",
    )
    assert (recipe.split.kind, recipe.when, recipe.key, recipe.question) == ("paragraph", "bug", "owner", "How many?")
    kinds = {one.name: one.kind for one in recipe.fields}
    assert kinds == {"status": "pattern", "id": "pattern", "owner": "pattern", "hours": "pattern"}
    assert [one.text for one in recipe.reduce] == ["count"]
    unchanged = recipe_from_options(resolve, path=file)
    assert unchanged == read_recipe(file, resolve)


def test_a_reduction_of_the_file_that_an_option_leaves_without_its_field_is_named(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text("match: '(?P<a>.)'\nreduce: tally a\n")
    with pytest.raises(UsageError, match=r"r.yaml:2: reduce: there is no field 'a' \(known: b\)"):
        recipe_from_options(resolve, path=file, match="(?P<b>.)")


def test_the_hash_is_of_what_records_depend_on() -> None:
    plain = recipe_of(TICKETS)
    same = [
        TICKETS.replace("Which status", "How often which status"),
        TICKETS.replace("key: id\n", ""),
        TICKETS.replace("{tally: status}, ", ""),
        TICKETS.replace("split: line\n", ""),
        TICKETS.replace(
            "{pattern: 'owner (?P<owner>\\w+)'}", "\n    pattern: owner (?P<owner>\\w+)\n    describe: who"
        ),
        TICKETS.replace("[alpha, beta, gamma, delta]", "[alpha, beta, 'gamma', delta], support: quoted"),
    ]
    assert {recipe_of(text).sha256 for text in same} == {plain.sha256}
    different = [
        TICKETS.replace("split: line", "split: paragraph"),
        TICKETS.replace("when: 'ticket'", "when: 'tickets'"),
        TICKETS.replace("delta]", "delta, epsilon]"),
        TICKETS.replace("the ticket's status", "a status"),
        TICKETS.replace("number: true, unit: h", "number: true"),
        TICKETS.replace("number: true, unit: h", "number: true, unit: h, support: quoted"),
        TICKETS.replace("owner:  {pattern: 'owner", "owner:  {pattern: 'Owner"),
        TICKETS + "granularity: record\n",
    ]
    hashes = {recipe_of(text).sha256 for text in different}
    assert len(hashes) == len(different)
    assert plain.sha256 not in hashes


def test_the_order_of_fields_that_no_reader_sees_does_not_count() -> None:
    one = recipe_of("fields: {a: {pattern: x}, b: {pattern: y}}")
    other = recipe_of("fields: {b: {pattern: y}, a: {pattern: x}}")
    assert one.sha256 == other.sha256
    assert recipe_of("fields: {a: text, b: text}").sha256 != recipe_of("fields: {b: text, a: text}").sha256


def test_a_pattern_that_equals_match_is_still_written_out() -> None:
    recipe = recipe_of("match: '(?P<a>.)'\nfields: {b: {pattern: '(?P<a>.)'}}")
    assert without_lines(recipe_of(recipe_text(recipe))) == without_lines(recipe)


def test_a_recipe_is_written_in_one_spelling() -> None:
    recipe = recipe_of(TICKETS)
    text = recipe_text(recipe)
    assert without_lines(recipe_of(text)) == without_lines(recipe)
    assert recipe_text(recipe_of(text)) == text


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(lambda one: bool(one.strip()))
WORD = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=12).filter(
    lambda one: bool(one.strip())
)
PATTERN = st.sampled_from(
    [
        "a",
        "yes",
        "5",
        "~",
        "a: b",
        "# x",
        "\\d+\t",
        "'",
        '"',
        "é\n",
        "(?P<v>x)",
        " ",
        "[^\x85]",
        "\u2028",
        "a  b\n",
        "\ufeff",
    ]
)
ENTRY = st.one_of(
    PATTERN.map(lambda one: {"pattern": one}),
    st.builds(lambda one, unit: {"pattern": one, "number": True, "unit": unit}, PATTERN, WORD),
    st.lists(WORD, min_size=1, max_size=4, unique_by=lambda one: " ".join(one.split()).casefold()).map(
        lambda ones: {"choice": ones}
    ),
    st.builds(lambda one: {"text": True, "describe": one, "support": "quoted"}, TEXT),
    st.just({"number": True}),
    st.just({"date": "%Y-%m-%d"}),
)


@given(
    fields=st.dictionaries(st.sampled_from(["a", "b", "yes", "null", "日", "v"]), ENTRY, min_size=1),
    question=st.none() | TEXT,
    when=st.none() | PATTERN,
    match=st.none() | st.sampled_from(["(?P<x>.)(?P<y>.)", "z", "(?P<x>\\d)"]),
    split=st.sampled_from(["line", {"regex": "^- "}, {"window": 7}]),
)
def test_whatever_a_recipe_says_its_text_reads_back(
    fields: dict[str, Any], question: str | None, when: str | None, match: str | None, split: Any
) -> None:
    import yaml  # noqa: PLC0415

    fields = {name: dict(entry) for name, entry in fields.items()}  # no aliases in the YAML
    said = {"fields": fields, "question": question, "when": when, "match": match, "split": split}
    recipe = recipe_of(yaml.safe_dump({key: one for key, one in said.items() if one is not None}))
    text = recipe_text(recipe)
    again = recipe_of(text)
    assert without_lines(again) == without_lines(recipe)
    assert recipe_text(again) == text


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_is_a_recipe_or_a_mistake(text: str) -> None:
    for source in (text, f"fields: {{a: {text}}}", f"split: {text}", f"fields:\n  a: {{date: {text!r}}}"):
        try:
            recipe_of(source)
        except UsageError as error:
            assert "\n" not in str(error)  # noqa: PT017
