from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import PluginError, UsageError
from gw_core.records import Reduction
from gw_core.registry import Owner, Registry
from gw_core.schema import TRUSTED_ONLY, FieldOf, Range, signature_of
from gw_core.sweep.recipe import parse_recipe, recipe_from_options
from gw_core.sweep.reductions import usage
from gw_core.sweep.words import canonical

FIELDS = """
fields:
  status: {choice: [alpha, beta, in progress, "5"]}
  owner: {pattern: 'owner (\\w+)'}
  hours: {number: true}
  time: {date: '%Y-%m-%d'}
  note: text
  by: {pattern: b}
reduce:
"""


class Made:
    def __init__(self, *fields: str | None) -> None:
        self.fields = [one for one in fields if one]


def tally(
    field: str, by: str | None = None, where: str | None = None, of: tuple[str, ...] = (), limit: int = 1_000
) -> Made:
    return Made(field, by)


def top(
    field: str, n: Annotated[int, Range(1)] = 10, by: str | None = None, where: str | None = None, limit: int = 9
) -> Made:
    return Made(field, by)


def count(by: str | None = None, where: str | None = None) -> Made:
    return Made(by)


def total(field: Annotated[str, FieldOf(("number",))], by: str | None = None, where: str | None = None) -> Made:
    return Made(field, by)


def timeline(field: str, per: Literal["day", "hour"] = "day", by: str | None = None, where: str | None = None) -> Made:
    return Made(field, by)


def join(field: str, other: str) -> Made:
    return Made(field, other)


def percentile(
    field: str,
    p: float = 50.0,
    exact: bool = False,
    weight: Annotated[str | None, FieldOf(("number",))] = None,
    names: Sequence[str] = (),
    label: str = "",
    hook: Annotated[str, TRUSTED_ONLY] = "",
) -> Made:
    if not 0 <= p <= 100:
        raise ValueError("p is not between 0 and 100")
    return Made(field)


def together(fields: list[str], **settings: Any) -> Made:
    return Made(*fields)


def broken(field: str) -> Made:
    raise KeyError(field)


def secretive(where: str | None = None) -> Made:
    return Made("nowhere")


REDUCERS: dict[str, Callable[..., Any]] = {
    "tally": tally,
    "least": tally,
    "top": top,
    "count": count,
    "sum": total,
    "timeline": timeline,
    "join": join,
    "percentile": percentile,
    "together": together,
    "broken": broken,
    "secretive": secretive,
}


def registry() -> Registry[Any]:
    known: Registry[Any] = Registry("reducers")
    for name, factory in REDUCERS.items():
        known.add(name, factory, owner=Owner("tests"))
    return known


RESOLVE = registry().resolve


def parsed(reduction: str) -> Reduction:
    """A reduction as it stands in YAML."""
    (one,) = parse_recipe(f"{FIELDS}  - {reduction}\n", Path("r.yaml"), RESOLVE).reduce
    return one


def settings(reduction: str) -> dict[str, Any]:
    found = dict(parsed(reduction).settings)
    found.pop("of", None)
    return found


@pytest.mark.parametrize(
    ("written", "wanted", "canonical"),
    [
        ("tally status", {"field": "status"}, "tally status"),
        ("{tally: status}", {"field": "status"}, "tally status"),
        ("top 5 owner", {"n": 5, "field": "owner"}, "top 5 owner"),
        ("top owner n=5", {"n": 5, "field": "owner"}, "top 5 owner"),
        ("{top: owner, n: 5}", {"n": 5, "field": "owner"}, "top 5 owner"),
        ("{n: 5, top: owner}", {"n": 5, "field": "owner"}, "top 5 owner"),
        ("{top: 5 owner}", {"n": 5, "field": "owner"}, "top 5 owner"),
        ("sum hours by owner", {"field": "hours", "by": "owner"}, "sum hours by owner"),
        ("{by: owner, sum: hours}", {"field": "hours", "by": "owner"}, "sum hours by owner"),
        ("sum hours by by", {"field": "hours", "by": "by"}, "sum hours by 'by'"),
        ("""tally "by" """, {"field": "by"}, "tally 'by'"),
        ("{tally: [by]}", {"field": "by"}, "tally 'by'"),
        ("count", {}, "count"),
        ("{count: }", {}, "count"),
        ("count status=beta", {"where": "status=beta"}, "count where status=beta"),
        ("count where status=beta", {"where": "status=beta"}, "count where status=beta"),
        ("{count: status=beta}", {"where": "status=beta"}, "count where status=beta"),
        ("{count: , where: {status: beta}}", {"where": "status=beta"}, "count where status=beta"),
        ("{count: , where: status=beta}", {"where": "status=beta"}, "count where status=beta"),
        ("count where status='in progress'", {"where": "status=in progress"}, "count where status='in progress'"),
        ("{count: , where: {status: 5}}", {"where": "status=5"}, "count where status=5"),
        ("timeline time by hour", {"field": "time", "per": "hour"}, "timeline time per hour"),
        ("{timeline: time, by: hour}", {"field": "time", "per": "hour"}, "timeline time per hour"),
        (
            "timeline time by owner by hour",
            {"field": "time", "by": "owner", "per": "hour"},
            "timeline time by owner per hour",
        ),
        ("join status owner", {"field": "status", "other": "owner"}, "join status owner"),
        ("{join: [status, owner]}", {"field": "status", "other": "owner"}, "join status owner"),
        ("percentile hours p=95", {"field": "hours", "p": 95.0}, "percentile hours p=95.0"),
        ("{percentile: hours, p: 95, exact: yes}", {"field": "hours", "p": 95.0, "exact": True}, None),
        ("percentile hours label=5", {"field": "hours", "label": "5"}, None),
        ("percentile hours names=a,b", {"field": "hours", "names": ["a", "b"]}, None),
        ("{percentile: hours, names: [a, 'b,c']}", {"field": "hours", "names": ["a", "b,c"]}, None),
        ("together owner status depth=2", {"fields": ["owner", "status"], "depth": 2}, "together owner status depth=2"),
        ("tests:count", {}, "tests:count"),
    ],
)
def test_both_forms_say_the_same_in_one_spelling(written: str, wanted: dict[str, Any], canonical: str | None) -> None:
    assert settings(written) == wanted
    text = parsed(written).text
    assert canonical in (None, text)
    (again,) = recipe_from_options(RESOLVE, fields=FIELD_OPTIONS, reduce=[text]).reduce
    assert again.text == text
    assert dict(again.settings) == dict(parsed(written).settings)


FIELD_OPTIONS = [
    "status: {choice: [alpha, beta, in progress, '5']}",
    "{owner: {pattern: o}, hours: number, time: {date: '%Y-%m-%d'}, note: text, by: {pattern: b}}",
]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("taly status", "unknown reducer 'taly' (did you mean 'tally'? known: broken"),
        ("{by: owner, sun: hours}", "unknown reducer 'by'"),
        ("tally stats", "there is no field 'stats' (did you mean 'status'? known: by, hours"),
        ("sum hours by ownr", "there is no field 'ownr' (did you mean 'owner'?"),
        ("sum note", "sum needs a number, and note is a text"),
        ("sum status", "sum needs a number, and status is a text"),
        ("sum time", "sum needs a number, and time is a date"),
        ("percentile hours weight=note", "percentile needs a number, and note is a text"),
        ("percentile hours weight=nope", "there is no field 'nope'"),
        ("tally", "tally needs field (the form is: tally FIELD [by FIELD] [limit=VALUE] [of=VALUE] [where"),
        ("tally status owner", "'owner' is a word too many"),
        ("count status", "'status' is a word too many (the form is: count [by FIELD] [where FIELD=VALUE])"),
        ("tally status by", "nothing follows 'by'"),
        ("tally status by owner by hours", "by stands there twice"),
        ("{tally: status by owner, by: hours}", "by stands there twice"),
        ("tally status per day", "tally takes no per"),
        ("join status owner by hours", "join takes no by"),
        ("top 0 owner", "top.n must be 1 or more, not 0"),
        ("{top: owner, n: many}", "top.n must be a whole number, not 'many'"),
        ("{top: owner, n: }", "n has no value"),
        ("{top: owner, m: 3}", "top takes no m"),
        ("top 3 4 owner", "'owner' is a word too many"),
        ("timeline time by fortnight", "timeline.per must be one of 'day', 'hour', not 'fortnight'"),
        ("tally status of='a", "a quotation mark is not closed"),
        ("count where status", "where needs FIELD=VALUE, not 'status'"),
        ("count stats=beta", "no field and no setting 'stats' (did you mean 'status'?"),
        ("count where stats=beta", "there is no field 'stats'"),
        ("count status=bta", "status is never 'bta' (did you mean 'beta'?"),
        ("count status=", "nothing follows status="),
        ("count hours=many", "hours is a number, and 'many' is none"),
        ("count time=May", "time is a date, and 'May' is none"),
        ("percentile hours p=101", "'percentile hours p=101': p is not between 0 and 100"),
        ("percentile hours hook=x", "a recipe's file cannot set hook (give the reduction on the command line"),
        ("secretive", "there is no field 'nowhere'"),
        ("[tally, status]", "a reduction is text or a mapping"),
        ("{}", "a reduction is text or a mapping"),
        ("''", "must be text"),
        ('"tally\\u2028status"', "must be one line"),
    ],
)
def test_a_mistake_is_said_with_file_line_and_the_way_out(written: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(written)
    assert str(caught.value).startswith("r.yaml:10: ")
    assert message.replace("p=101", "p=101.0") in str(caught.value)


def test_a_mistake_in_an_option_names_the_option() -> None:
    with pytest.raises(UsageError, match=r"^--reduce: there is no field 'x' \(known: status\)$"):
        recipe_from_options(RESOLVE, match=r"(?P<status>\w+)", reduce=["tally x"])
    with pytest.raises(UsageError, match=r"^--reduce: top.n must be 1 or more, not 0$"):
        recipe_from_options(RESOLVE, match=r"(?P<status>\w+)", reduce=["top 0 status"])


def test_whoever_calls_gw_may_set_what_a_file_may_not() -> None:
    recipe = recipe_from_options(RESOLVE, match="(?P<ms>.)", reduce=["percentile ms hook=x"])
    assert recipe.reduce[0].settings["hook"] == "x"


def test_a_reducer_that_cannot_be_made_is_named() -> None:
    with pytest.raises(PluginError, match="reducer 'broken' cannot be made: KeyError"):
        parsed("broken owner")


def test_a_reducer_that_knows_of_allowed_values_is_told_them() -> None:
    allowed = ("alpha", "beta", "in progress", "5")
    assert parsed("least status").settings["of"] == allowed
    assert "of" not in parsed("least owner").settings
    assert parsed("least status of=alpha").settings["of"] == ("alpha",)
    assert "of" not in parsed("top status").settings


def test_text_that_was_taken_in_code_may_be_a_number() -> None:
    assert settings("sum owner") == {"field": "owner"}


def test_the_form_of_a_reduction_is_told() -> None:
    assert usage("timeline", timeline) == "timeline FIELD [by FIELD] [per UNIT] [where FIELD=VALUE]"
    assert usage("together", together) == "together FIELD ..."


ONE_LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), max_size=30).map(
    str.strip
)


@given(
    label=ONE_LINE,
    names=st.lists(ONE_LINE, max_size=3),
    p=st.floats(0, 100),
    exact=st.booleans(),
)
def test_whatever_a_setting_holds_its_canonical_text_says_it(
    label: str, names: list[str], p: float, exact: bool
) -> None:
    wanted = {"field": "hours", "label": label, "names": names, "p": p, "exact": exact}
    text = canonical("percentile", wanted, signature_of(percentile))
    (again,) = recipe_from_options(RESOLVE, fields=["hours: number"], reduce=[text]).reduce
    assert (dict(again.settings), again.text) == (wanted, text)


@given(value=ONE_LINE.filter(bool))
def test_whatever_value_is_wanted_its_canonical_text_says_it(value: str) -> None:
    text = canonical("count", {"where": f"owner={value}"}, signature_of(count))
    (again,) = recipe_from_options(RESOLVE, match="(?P<owner>.)", reduce=[text]).reduce
    assert (dict(again.settings), again.text) == ({"where": f"owner={value}"}, text)


@given(text=st.text(max_size=40))
def test_any_text_is_a_reduction_or_a_mistake(text: str) -> None:
    try:
        (one,) = recipe_from_options(RESOLVE, match="(?P<owner>.)", reduce=[text]).reduce
    except UsageError:
        return
    (again,) = recipe_from_options(RESOLVE, match="(?P<owner>.)", reduce=[one.text]).reduce
    assert again == one


@given(
    words=st.lists(
        st.sampled_from(
            [
                "tally",
                "count",
                "top",
                "together",
                "5",
                "owner",
                "ms",
                "by",
                "per",
                "where",
                "ms=5",
                "n=3",
                "'by'",
                "a=b",
            ]
        ),
        min_size=1,
        max_size=6,
    )
)
def test_any_words_are_a_reduction_or_a_mistake(words: list[str]) -> None:
    match = "(?P<owner>.)(?P<ms>.)"
    try:
        (one,) = recipe_from_options(RESOLVE, match=match, reduce=[" ".join(words)]).reduce
    except UsageError:
        return
    (again,) = recipe_from_options(RESOLVE, match=match, reduce=[one.text]).reduce
    assert again == one


BUILT_IN = {
    "tally": "tally:Tally",
    "top": "tally:Top",
    "sum": "total:Sum",
    "count": "count:Count",
    "timeline": "timeline:Timeline",
    "join": "join:Join",
    "median": "median:Median",
}


@pytest.mark.parametrize(
    "text",
    [
        "tally status",
        "top 5 owner by status",
        "sum hours by owner where status=beta",
        "count",
        "count owner",
        "timeline time per hour",
        "join status owner limit=3",
        "median hours",
    ],
)
def test_the_built_in_reducers_take_what_the_language_says(text: str) -> None:
    known: Registry[Any] = Registry("reducers")
    for name, target in BUILT_IN.items():
        known.add(name, f"gw_plugins.reducers.{target}", owner=Owner("gw-toolkit"))
    (one,) = recipe_from_options(known.resolve, fields=FIELD_OPTIONS, reduce=[text]).reduce
    assert one.text == text
    wrong = "sum note" if text.startswith("sum") else "median time" if text.startswith("median") else "timeline hours"
    with pytest.raises(UsageError, match="needs a"):
        recipe_from_options(known.resolve, fields=FIELD_OPTIONS, reduce=[wrong])
