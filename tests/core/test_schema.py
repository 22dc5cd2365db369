"""Settings, checked by the annotations of the factory that takes them."""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, Union

import pytest

from gw_core.errors import ConfigError, PluginError
from gw_core.protocols import Backend, Index
from gw_core.schema import INDEX, TRUSTED_ONLY, Origin, Range, Setting, check_settings, components_of, signature_of

if TYPE_CHECKING:
    from gw_core.protocols import Encoder

FILE = Origin("user", Path("/conf/gw.toml"), 7)
PROJECT = Origin("project", Path("/repo/gw.toml"), 3)
FLAG = Origin("flag", text="-o x.y=z")


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Everything:
    def __init__(
        self,
        index: Index,
        *,
        text: str = "",
        whole: int = 0,
        number: float = 0.0,
        switch: bool = False,
        path: Path | None = None,
        names: list[str] | None = None,
        pair: tuple[int, str] = (0, ""),
        many: tuple[int, ...] = (),
        unique: frozenset[str] = frozenset(),
        choice: Literal["a", "b", 3] = "a",
        mode: Mode = Mode.FAST,
        table: dict[str, int] | None = None,
        either: Union[int, str] = 0,  # noqa: UP007 - plugins are written in both ways
        maybe: Optional[float] = None,  # noqa: UP045
        anything: Any = None,
        bounded: Annotated[int, Range(1, 10)] = 1,
        unannotated=None,
    ) -> None:
        pass


def check(factory, /, origin=FILE, **values):
    return check_settings(factory, {key: Setting(value, origin) for key, value in values.items()}, section="kind.name")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("text", "x", "x"),
        ("whole", 3, 3),
        ("number", 3, 3.0),
        ("number", 2.5, 2.5),
        ("switch", True, True),
        ("path", "models/x", Path("/conf/models/x")),
        ("path", "/abs", Path("/abs")),
        ("names", ["a"], ["a"]),
        ("pair", [1, "x"], (1, "x")),
        ("many", [1, 2], (1, 2)),
        ("unique", ["a", "a"], frozenset("a")),
        ("choice", "b", "b"),
        ("choice", 3, 3),
        ("mode", "slow", Mode.SLOW),
        ("table", {"a": 1}, {"a": 1}),
        ("either", "x", "x"),
        ("either", 3, 3),
        ("maybe", 3, 3.0),
        ("anything", {"a": [1]}, {"a": [1]}),
        ("bounded", 10, 10),
        ("unannotated", "x", "x"),
    ],
)
def test_a_value_becomes_what_the_annotation_says(key, value, expected):
    result = check(Everything, **{key: value})
    assert result == {key: expected}
    assert type(result[key]) is type(expected)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("text", 3, "must be text, not 3"),
        ("whole", "3", "must be a whole number, not '3'"),
        ("whole", True, "must be a whole number, not True"),
        ("whole", 3.0, "must be a whole number"),
        ("number", "x", "must be a number"),
        ("number", True, "must be a number"),
        ("switch", 1, "must be true or false"),
        ("path", 3, "must be a path"),
        ("path", "", "must be a path"),
        ("names", "a", "must be a list of text, not 'a'"),
        ("names", [1], "must be a list of text, not 1"),
        ("pair", [1], "not 1 of them"),
        ("choice", "c", "must be one of 'a', 'b', 3, not 'c'"),
        ("choice", 3.0, "must be one of"),
        ("mode", "FAST", "must be one of 'fast', 'slow'"),
        ("table", {"a": "x"}, "must be a table"),
        ("table", [], "must be a table"),
        ("either", 1.5, "must be a whole number or text"),
        ("bounded", 0, "must be between 1 and 10, not 0"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_its_place(key, value, told):
    with pytest.raises(ConfigError) as caught:
        check(Everything, **{key: value})
    assert caught.value.message.startswith(f"/conf/gw.toml:7: kind.name.{key} ")
    assert told in caught.value.message
    assert caught.value.exit_code == 2


def test_an_unknown_key_suggests_the_nearest():
    with pytest.raises(ConfigError, match=r"/conf/gw\.toml:7: unknown key 'witch' in \[kind\.name\].*mean 'switch'"):
        check(Everything, witch=True)


def test_the_index_is_no_setting():
    with pytest.raises(ConfigError, match="unknown key 'index'"):
        check(Everything, index="x")


def test_a_required_setting_that_is_missing_is_told():
    def factory(*, model: Path, n: int = 3) -> None: ...

    with pytest.raises(ConfigError, match=r"\[readers\.local\] needs the setting 'model' \(model = a path\)"):
        check_settings(factory, {}, section="readers.local", origin=FILE)


def test_a_flag_may_write_a_list_with_commas():
    assert check(Everything, FLAG, names="a, b,", many=[1])["names"] == ["a", "b"]
    assert check(Everything, FLAG, many="1,2", unique="1,2") == {"many": (1, 2), "unique": frozenset("12")}
    with pytest.raises(ConfigError, match=r"-o x\.y=z: kind\.name\.many must be a list of whole numbers, not 'b'"):
        check(Everything, FLAG, many="1,b")
    with pytest.raises(ConfigError, match="must be a list of text"):
        check(Everything, FILE, names="a,b")


def test_paths_of_a_flag_are_relative_to_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    assert check(Everything, FLAG, path="x")["path"] == tmp_path / "x"
    assert check(Everything, FLAG, path="~/x")["path"] == Path("/home/me/x")


def test_components_are_named_and_told_apart_from_settings():
    class Hybrid:
        def __init__(
            self,
            index: Index,
            of: list[Backend],
            first: Backend,
            others: Sequence[Backend] = (),
            encoder: Encoder | None = None,
            weights: Mapping[str, float] | None = None,
        ) -> None: ...

    wanted = {name: (one.component, one.many) for name, one in components_of(Hybrid).items()}
    assert wanted == {
        "index": (INDEX, False),
        "of": ("backends", True),
        "first": ("backends", False),
        "others": ("backends", True),
        "encoder": ("encoders", False),
    }
    assert check(Hybrid, of=["a", "b"], first="a", encoder="e") == {"of": ["a", "b"], "first": "a", "encoder": "e"}
    with pytest.raises(ConfigError, match=r"of must be a list of names of backends, not 'a'"):
        check(Hybrid, of="a", first="a")
    with pytest.raises(ConfigError, match=r"needs the setting 'first' \(first = the name of one of the backends\)"):
        check(Hybrid, of=["a"])
    assert check(Hybrid, FLAG, of="a,b", first="a")["of"] == ["a", "b"]


def test_functions_partials_dataclasses_and_callables_are_factories():
    @dataclass
    class Data:
        k: int = 3

    def function(k: int = 3) -> None: ...

    class Callable:
        def __call__(self, k: int = 3) -> None: ...

    class Plain:
        pass

    for factory in (Data, function, functools.partial(function), Callable()):
        assert check(factory, k=4) == {"k": 4}, factory
        with pytest.raises(ConfigError):
            check(factory, k="4")
    assert check(Plain) == {}
    assert check(functools.partial(function, k=9)) == {}


def test_a_factory_with_open_keywords_takes_anything():
    def factory(k: int = 3, **options: object) -> None: ...

    assert check(factory, k=1, other=[1, {}]) == {"k": 1, "other": [1, {}]}
    assert signature_of(factory).open


def test_annotations_that_cannot_be_told_name_the_factory():
    def factory(k: NoSuchName = 3) -> None: ...  # noqa: F821

    with pytest.raises(PluginError, match=r"factory.*NoSuchName"):
        check(factory, k=3)


def test_an_annotation_that_no_toml_value_fits_is_the_plugins_fault():
    def factory(lock: complex = 0j) -> None: ...

    assert check(factory) == {}
    with pytest.raises(PluginError, match=r"kind\.name\.lock cannot be set"):
        check(factory, lock=1)


def test_what_a_projects_file_may_not_set_is_left_out_with_a_warning():
    def factory(
        command: Annotated[list[str] | None, TRUSTED_ONLY] = None,
        module: Annotated[str, TRUSTED_ONLY] | None = None,
        api_key_env: str = "",
        k: int = 1,
    ) -> None: ...

    warnings: list[str] = []
    given = {"command": ["rm"], "module": "os", "api_key_env": "HOME", "k": 2}
    for origin, expected in ((PROJECT, {"k": 2}), (FILE, given), (FLAG, given)):
        settings = {key: Setting(value, origin) for key, value in given.items()}
        assert check_settings(factory, settings, section="readers.x", warn=warnings.append) == expected
    assert [warning.split(" is ignored")[0] for warning in warnings] == [
        "/repo/gw.toml:3: readers.x.command",
        "/repo/gw.toml:3: readers.x.module",
        "/repo/gw.toml:3: readers.x.api_key_env",
    ]
