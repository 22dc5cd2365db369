"""gw.toml and the layers around it."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path

import pytest

from gw_core.config import Config, user_file
from gw_core.errors import ConfigError
from gw_core.layers import COMPONENT_KINDS
from gw_core.protocols import Backend, Index
from gw_core.registry import KINDS
from gw_core.settings import SECTIONS, documented
from gw_core.template import template


@pytest.fixture
def user(tmp_path):
    path = tmp_path / "home" / "gw.toml"
    path.parent.mkdir()
    return path


@pytest.fixture
def load(tmp_path, user):
    """Reads a project's gw.toml, below it a user's file, above it flags and the environment."""
    root = tmp_path / "root"
    root.mkdir()

    def load(project: str = "", *overrides: str, mine: str | None = None, **env: str) -> Config:
        (root / "gw.toml").write_text(project)
        env.setdefault("GW_CONFIG", "")
        if mine is not None:
            user.write_text(mine)
            env["GW_CONFIG"] = str(user)
        return Config.load(root, overrides=overrides, env=env)

    return load


def hybrid(index: Index, of: list[Backend], *, weight: float = 0.5) -> None: ...


# -- layers -----------------------------------------------------------------------------------------------------


def test_without_any_file_there_are_the_defaults(tmp_path):
    config = Config.load(tmp_path, env={"GW_CONFIG": ""})
    assert config == dataclasses.replace(Config(), root=tmp_path)
    assert (config.retrieve.k, config.ask.reader, config.corpus.max_bytes) == (8, "regex", 64_000_000)
    assert {str(source.origin) for source in config.sources()} == {"default"}
    assert Config.load(None, env={"GW_CONFIG": ""}) == Config()


def test_later_layers_win_and_each_value_knows_where_it_is_from(load, tmp_path, user):
    config = load(
        "[retrieve]\nk = 3\npool = 30\n",
        "retrieve.k=5",
        mine="[retrieve]\nk = 1\npool = 10\nbackend = 'mine'\n",
        GW_OPTIONS="retrieve.k=4 retrieve.rerank='[\"a b\"]'",
    )
    assert (config.retrieve.k, config.retrieve.pool, config.retrieve.backend) == (5, 30, "mine")
    assert config.retrieve.rerank == ("a b",)
    origins = {source.key: str(source.origin) for source in config.sources()}
    assert origins["retrieve.k"] == "-o retrieve.k=5"
    assert origins["retrieve.pool"] == f"{tmp_path}/root/gw.toml:3"
    assert origins["retrieve.backend"] == f"{user}:4"
    assert origins["retrieve.rerank"] == 'GW_OPTIONS retrieve.rerank=["a b"]'
    assert origins["ask.reader"] == "default"
    assert config.files == (user, tmp_path / "root" / "gw.toml")


def test_a_components_settings_add_up_over_the_layers(load):
    config = load(
        "[backends.both]\nof = ['a']\n", "backends.both.weight=0.25", mine="[backends.both]\nuse = 'hybrid'\n"
    )
    component = config.component("backends", "both")
    assert (component.use, component.section) == ("hybrid", "backends.both")
    assert config.settings_of(component, hybrid) == {"of": ["a"], "weight": 0.25}


def test_another_component_does_not_inherit_settings(load):
    config = load("[backends.both]\nuse = 'other'\nx = 1\n", mine="[backends.both]\nuse = 'hybrid'\nof = ['a']\n")
    component = config.component("backends", "both")
    assert (component.use, set(component.settings)) == ("other", {"x"})


def test_a_section_without_use_means_the_component_of_its_name(load):
    config = load("[backends.fts5]\nweight = 1\n[readers.empty]\n")
    assert config.component("backends", "fts5").use == "fts5"
    assert config.component("backends", "unheard").use == "unheard"
    assert ("readers", "empty") in config.components


def test_paths_are_relative_to_the_file_that_names_them(load, tmp_path, user):
    def reader(model: Path, other: Path) -> None: ...

    config = load("[readers.x]\nmodel = 'm.gguf'\n", mine="[readers.x]\nother = 'o.gguf'\n")
    settings = config.settings_of(config.component("readers", "x"), reader)
    assert settings == {"model": tmp_path / "root" / "m.gguf", "other": user.parent / "o.gguf"}


# -- the user's file --------------------------------------------------------------------------------------------


def test_where_the_users_file_lies(monkeypatch):
    assert user_file({"GW_CONFIG": "/x/my.toml"}) == Path("/x/my.toml")
    assert user_file({"GW_CONFIG": ""}) is None
    assert user_file({"XDG_CONFIG_HOME": "/xdg", "HOME": "/home/me"}) == Path("/xdg/gw/gw.toml")
    monkeypatch.setattr(sys, "platform", "linux")
    assert user_file({"XDG_CONFIG_HOME": "relative", "HOME": "/home/me"}) == Path("/home/me/.config/gw/gw.toml")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert user_file({"HOME": "/Users/me"}) == Path("/Users/me/Library/Application Support/gw/gw.toml")


def test_a_users_file_that_was_asked_for_must_exist(tmp_path):
    with pytest.raises(ConfigError, match="GW_CONFIG: there is no file"):
        Config.load(None, env={"GW_CONFIG": str(tmp_path / "missing.toml")})
    assert Config.load(None, env={"HOME": str(tmp_path)}) == Config()


def test_a_file_that_is_both_is_the_users(tmp_path):
    path = tmp_path / "gw.toml"
    path.write_text("[network]\nallow_hosts = ['example.org']\n")
    config = Config.load(tmp_path, env={"GW_CONFIG": str(path)})
    assert config.network.allow_hosts == ("example.org",)
    assert config.files == (path,)


# -- trust ------------------------------------------------------------------------------------------------------

ASKING = "[network]\nallow_hosts = ['evil.example']\n[readers.r]\napi_key_env = 'SECRET'\nk = 1\n"


def test_a_projects_file_cannot_let_text_out_or_name_keys(load, tmp_path):
    config = load(ASKING)
    assert config.network.allow_hosts == ()
    assert set(config.component("readers", "r").settings) == {"k"}
    assert [warning.split(" is ignored")[0] for warning in config.warnings] == [
        f"{tmp_path}/root/gw.toml:2: network.allow_hosts",
        f"{tmp_path}/root/gw.toml:4: readers.r.api_key_env",
    ]


def test_tables_within_settings_are_looked_through_as_well(load):
    source = (
        "[readers.r]\noptions = {a = 1, KEY_ENV = 'X', deep = [{key_env = 'X', b = 2}]}\n"
        "[readers.r.more]\nkey_env = 'X'\n"
    )
    settings = load(source).component("readers", "r").settings
    assert {key: setting.value for key, setting in settings.items()} == {
        "options": {"a": 1, "deep": [{"b": 2}]},
        "more": {},
    }
    assert [warning.split(": ")[1].split(" is ignored")[0] for warning in load(source).warnings] == [
        "readers.r.options.KEY_ENV",
        "readers.r.options.deep.key_env",
        "readers.r.more.key_env",
    ]
    assert load(mine=source).component("readers", "r").settings["more"].value == {"key_env": "X"}


def test_it_cannot_take_away_what_the_user_allowed_either(load):
    assert load(ASKING, mine="[network]\nallow_hosts = ['mine']\n").network.allow_hosts == ("mine",)


def test_everybody_else_can(load):
    assert load(mine=ASKING).network.allow_hosts == ("evil.example",)
    assert "api_key_env" in load(mine=ASKING).component("readers", "r").settings
    assert load("", "network.allow_hosts=a,b").network.allow_hosts == ("a", "b")
    assert load("", GW_ALLOW_HOSTS="a, b").network.allow_hosts == ("a", "b")
    assert load("", GW_OPTIONS="network.allow_hosts=a").network.allow_hosts == ("a",)
    assert load("", "readers.r.api_key_env=SECRET").component("readers", "r").settings["api_key_env"].value == "SECRET"
    assert load(mine=ASKING).warnings == []


def test_what_is_only_allowed_once_the_factory_is_known_warns_once(load):
    def reader(k: int = 0, token_env: str = "") -> None: ...

    config = load("[readers.r]\nk = 1\n")
    for _ in range(2):
        config.settings_of(config.component("readers", "r"), reader)
    assert config.warnings == []


# -- errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "line", "told"),
    [
        ("\n[corpsu]\n", 2, "unknown section [corpsu] (did you mean 'corpus'? known: ask, "),
        ("k = 3", 1, "unknown section [k]"),
        ("[corpus]\n\nexclude = []\n", 3, "unknown key 'exclude' in [corpus] (did you mean 'excludes'? known: "),
        ("[retrieve]\nk = 0\n", 2, "retrieve.k must be 1 or more, not 0"),
        ("[retrieve]\nk = '8'\n", 2, "retrieve.k must be a whole number, not '8'"),
        ("[ask]\nthreshold = 1.5\n", 2, "ask.threshold must be between 0 and 1, not 1.5"),
        ("[ingest]\nbackends = 'fts5'\n", 2, "ingest.backends must be a list of text"),
        ("\ncorpus = 3\n", 2, "'corpus' is a section, not a value"),
        ("[[corpus]]\nk = 1\n", 1, "'corpus' is a section, not a value"),
        ("[backends]\nfts5 = 3\n", 2, "[backends] holds named components, not settings"),
        ("[backends.x]\nuse = 3\n", 2, "backends.x.use must be the name of a component, not 3"),
        ("[retrieve\n", 1, "not TOML"),
        ("[corpus.excludes]\nx = 1\n", 1, "corpus.excludes must be a list of text"),
    ],
)
def test_every_error_names_file_and_line(load, tmp_path, source, line, told):
    with pytest.raises(ConfigError) as caught:
        load(source)
    assert str(caught.value).startswith(f"{tmp_path}/root/gw.toml:{line}: ")
    assert told in str(caught.value)
    assert caught.value.exit_code == 2


def test_an_unknown_setting_of_a_component_is_told_when_the_factory_is_known(load, tmp_path):
    config = load("[backends.both]\nuse = 'hybrid'\nof = ['a']\nwieght = 1\n")
    told = rf"^{re.escape(str(tmp_path))}/root/gw\.toml:4: unknown key 'wieght' in \[backends\.both\].*'weight'"
    with pytest.raises(ConfigError, match=told):
        config.settings_of(config.component("backends", "both"), hybrid)


def test_a_missing_setting_points_at_its_section(load, tmp_path):
    config = load("\n[backends.both]\nuse = 'hybrid'\n")
    with pytest.raises(ConfigError, match=r"gw\.toml:3: \[backends\.both\] needs the setting 'of'"):
        config.settings_of(config.component("backends", "both"), hybrid)


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("retrieve.k", "-o retrieve.k: not of the form key=value"),
        ("=3", "is not a key"),
        ("a b=3", "is not a key"),
        ("k=3", "unknown section [k]"),
        ("retrieve=3", "a key here has the form section.key"),
        ("backends.x=3", "a key here has the form backends.NAME.key"),
        ("retreive.k=3", "did you mean 'retrieve'"),
        ("retrieve.l=3", "-o retrieve.l=3: unknown key 'l' in [retrieve]"),
        ("retrieve.k=many", "-o retrieve.k=many: retrieve.k must be a whole number, not 'many'"),
        ("retrieve.k.x=1", "retrieve.k must be a whole number"),
    ],
)
def test_a_flag_has_the_same_checks_and_its_name_in_the_error(load, override, told):
    with pytest.raises(ConfigError) as caught:
        load("", override)
    assert told in str(caught.value)


def test_flags_reach_components_and_tables_in_them(load):
    config = load("", "readers.local.n_ctx=8192", 'readers."a.b".use=x', "readers.local.options.deep.er=1")
    assert config.component("readers", "local").settings["n_ctx"].value == 8192
    assert config.component("readers", "a.b").use == "x"
    assert config.component("readers", "local").settings["options"].value == {"deep": {"er": 1}}


def test_options_in_the_environment_must_be_well_quoted(load):
    with pytest.raises(ConfigError, match="GW_OPTIONS"):
        load("", GW_OPTIONS="retrieve.k='3")


# -- the template -----------------------------------------------------------------------------------------------


def test_the_template_parses_to_the_defaults_as_it_is_and_switched_on(load):
    sections = list(SECTIONS)
    switched_on = re.sub(r"^#(\w+ = )", r"\1", template(), flags=re.MULTILINE)
    assert switched_on != template()
    for source in (template(), switched_on):
        config = load(source)
        assert [getattr(config, name) for name in sections] == [getattr(Config(), name) for name in sections]
    origins = {source.origin.layer for source in load(mine=switched_on).sources()}
    assert origins == {"user"}, "every key stands in the template"


def test_every_key_is_documented():
    for section in SECTIONS:
        assert SECTIONS[section].__doc__
        for key, _, doc in documented(section):
            assert doc, f"{section}.{key}"


def test_every_kind_but_commands_can_be_configured():
    assert set(COMPONENT_KINDS) == set(KINDS) - {"commands"}
