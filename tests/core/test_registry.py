"""Names, lazy targets, and errors that say the way out."""

from __future__ import annotations

import collections

import pytest

from gw_core.errors import LoadError, MissingExtraError, PluginError, UnknownNameError, UsageError
from gw_core.registry import Owner, Registry, suggestion

OURS = Owner("gw-toolkit", "0.1", "fts5")
THEIRS = Owner("Some_Dist", "2.0", "other")


def made(**settings: object) -> dict[str, object]:
    return settings


@pytest.fixture
def registry() -> Registry[dict[str, object]]:
    registry: Registry[dict[str, object]] = Registry("backends")
    registry.add("fts5", made, owner=OURS, help="words")
    registry.add("dense", "collections:OrderedDict", owner=OURS)
    return registry


def test_a_callable_and_a_lazy_target_resolve(registry):
    assert registry.resolve("fts5") is made
    assert registry.resolve("dense") is collections.OrderedDict
    assert registry.build("fts5", k=3) == {"k": 3}


def test_a_nested_attribute_resolves(registry):
    registry.add("nested", "pathlib:Path.cwd", owner=OURS)
    assert callable(registry.resolve("nested"))


def test_registering_imports_nothing(registry):
    registry.add("never", "no_such_module_anywhere:Thing", owner=OURS)
    assert "never" in registry
    assert registry.get("never").target == "no_such_module_anywhere:Thing"


def test_an_unknown_name_suggests_the_nearest_and_lists_the_known(registry):
    with pytest.raises(UnknownNameError) as caught:
        registry.resolve("ftf5")
    assert caught.value.exit_code == 2
    assert caught.value.message == "unknown backend 'ftf5'"
    assert caught.value.hint == "did you mean 'fts5'? known: dense, fts5"


def test_the_suggestion_ignores_case_and_keeps_quiet_about_strangers():
    assert suggestion("FTS5", ["fts5"]) == "did you mean 'fts5'? known: fts5"
    assert suggestion("zebra", ["fts5"]) == "known: fts5"
    assert suggestion("zebra", []) == "none is installed"


def test_two_owners_of_one_name_are_both_named_and_either_can_be_picked(registry):
    registry.add("fts5", dict, owner=THEIRS)
    with pytest.raises(UsageError) as caught:
        registry.get("fts5")
    assert caught.value.exit_code == 2
    assert "gw-toolkit 0.1" in str(caught.value)
    assert "Some_Dist 2.0" in str(caught.value)
    assert "Some_Dist:fts5" in caught.value.hint
    assert registry.resolve("gw-toolkit:fts5") is made
    assert registry.resolve("some-dist:fts5") is dict, "distributions are named as installers name them"
    assert registry.resolve("Some_Dist:fts5") is dict
    assert registry.resolve("dense"), "other names are not touched"
    assert [[one.owner for one in group] for group in registry.conflicts()] == [[OURS, THEIRS]]


def test_an_unknown_distribution_lists_the_qualified_names(registry):
    with pytest.raises(UnknownNameError, match="gw-toolkit:fts5"):
        registry.get("gw-tolkit:fts5")


def test_one_distribution_cannot_offer_a_name_twice(registry):
    with pytest.raises(ValueError, match="twice"):
        registry.add("fts5", dict, owner=Owner("gw_toolkit", "0.1", "another entry point"))


@pytest.mark.parametrize("name", ["", " ", "a b", "a:b", "-a", ".a", "a/b", "é", "a\n", None, 3])
def test_malformed_names_are_refused(registry, name):
    with pytest.raises(ValueError, match="not a name"):
        registry.add(name, dict, owner=OURS)


@pytest.mark.parametrize(
    "target", ["", "module", "module:", ":attr", "a.b.c", "mod ule:attr", "module:attr()", 7, None]
)
def test_malformed_targets_are_refused(registry, target):
    with pytest.raises(ValueError, match="target"):
        registry.add("new", target, owner=OURS)


def test_a_missing_extra_says_what_to_install(registry):
    registry.add("pdf", "no_such_module_anywhere:Pdf", owner=OURS, requires=("gw-toolkit[docs]",))
    with pytest.raises(MissingExtraError) as caught:
        registry.resolve("pdf")
    assert caught.value.exit_code == 2
    assert caught.value.hint == "pip install 'gw-toolkit[docs]'"
    assert "no_such_module_anywhere" in caught.value.message


def test_an_import_error_without_a_remedy_names_the_owner(registry):
    registry.add("pdf", "no_such_module_anywhere:Pdf", owner=THEIRS)
    with pytest.raises(PluginError, match=r"backend 'pdf' of Some_Dist 2\.0 cannot be imported"):
        registry.resolve("pdf")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("def (", "SyntaxError"),
        ("", "no attribute"),
    ],
)
def test_whatever_a_target_raises_names_the_owner(registry, tmp_path, monkeypatch, source, told):
    module = f"raising_target_{abs(hash(source))}"
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    registry.add("broken", f"{module}:Thing", owner=THEIRS, requires=("x",))
    with pytest.raises(PluginError, match=told) as caught:
        registry.resolve("broken")
    assert "Some_Dist 2.0" in caught.value.message


def test_a_target_that_cannot_be_called_is_refused(registry):
    registry.add("constant", "math:pi", owner=THEIRS)
    with pytest.raises(PluginError, match="not callable"):
        registry.resolve("constant")


def test_a_value_error_of_a_factory_is_the_users_to_mend(registry):
    def picky(k: int) -> None:
        raise ValueError("k must be odd")

    registry.add("picky", picky, owner=OURS)
    with pytest.raises(UsageError, match="backend 'picky': k must be odd") as caught:
        registry.build("picky", k=2)
    assert caught.value.exit_code == 2


def test_errors_of_gw_pass_and_others_name_the_owner(registry):
    def refusing() -> None:
        raise LoadError("no")

    def failing() -> None:
        raise KeyError("x")

    def lacking() -> None:
        raise ImportError("no module named numpy")

    registry.add("refusing", refusing, owner=THEIRS)
    registry.add("failing", failing, owner=THEIRS)
    registry.add("lacking", lacking, owner=THEIRS, requires=["numpy"])
    with pytest.raises(LoadError):
        registry.build("refusing")
    with pytest.raises(PluginError, match="Some_Dist"):
        registry.build("failing")
    with pytest.raises(MissingExtraError, match="pip install 'numpy'"):
        registry.build("lacking")


def test_iterating_is_sorted(registry):
    registry.add("fts5", dict, owner=THEIRS)
    assert [(one.name, one.owner.distribution) for one in registry] == [
        ("dense", "gw-toolkit"),
        ("fts5", "Some_Dist"),
        ("fts5", "gw-toolkit"),
    ]
    assert len(registry) == 3
    assert registry.names() == ["dense", "fts5"]
