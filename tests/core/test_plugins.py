"""Finding plugins on a path, and keeping broken ones apart."""

from __future__ import annotations

import itertools
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from gw_core import hookspecs
from gw_core.errors import UnknownNameError, UsageError
from gw_core.plugins import EntryPoint, Plugins, find_entry_points
from gw_core.registry import KINDS

_NUMBERS = itertools.count()

GOOD = """
from gw_core.hookspecs import hookimpl

@hookimpl
def gw_register_backends(register):
    register("{name}", "collections:OrderedDict", help="a good one")
"""


def install(
    folder: Path,
    name: str,
    version: str = "1.0",
    entry_points: str = "",
    *,
    modules: Mapping[str, str] | None = None,
    kind: str = "dist-info",
) -> None:
    """What an installer leaves behind of a distribution."""
    spelled = name.replace("-", "_")
    info = folder / (f"{spelled}-{version}.dist-info" if kind == "dist-info" else f"{spelled}.egg-info")
    info.mkdir(parents=True)
    metadata = "METADATA" if kind == "dist-info" else "PKG-INFO"
    (info / metadata).write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: not this\n")
    (info / "entry_points.txt").write_text(entry_points)
    for module, source in (modules or {}).items():
        (folder / f"{module}.py").write_text(source)


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.fixture
def add(site):
    """Installs a distribution with one plugin of this source; returns the entry point's name."""

    def add(distribution: str, source: str) -> str:
        module = f"plugin_under_test_{next(_NUMBERS)}"
        install(site, distribution, "1.5", f"[gw]\n{module} = {module}\n", modules={module: source})
        return module

    return add


def loaded(site: Path) -> Plugins:
    return Plugins(find_entry_points([str(site)]))


# -- finding ----------------------------------------------------------------------------------------------------


def test_entry_points_are_found_with_their_distribution_and_version(tmp_path):
    table = "[console_scripts]\ntool = a:b\n\n[gw]\n# a comment\none = pkg.one\ntwo=pkg.two:plugin\n\n[other]\nx = y\n"
    install(tmp_path, "Some-Dist", "2.1", table)
    install(tmp_path, "unrelated", "1.0", "[console_scripts]\nthing = a:b\n")
    assert find_entry_points([str(tmp_path)]) == [
        EntryPoint("one", "pkg.one", "Some-Dist", "2.1"),
        EntryPoint("two", "pkg.two:plugin", "Some-Dist", "2.1"),
    ]


def test_the_scan_finds_what_importlib_metadata_finds(tmp_path):
    code = """
from importlib.metadata import entry_points
from gw_core.plugins import find_entry_points
expected = sorted((one.name, one.value, one.dist.name, one.dist.version) for one in entry_points(group="gw"))
found = sorted((one.name, one.value, one.distribution, one.version) for one in find_entry_points())
assert found == expected, (found, expected)
print(len(found))
"""
    # In a folder of its own: what a build left in the source tree would count for importlib.metadata.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert int(done.stdout) > 0


def test_a_distribution_counts_once_and_the_first_on_the_path_wins(tmp_path):
    install(tmp_path / "a", "some-dist", "2.0", "[gw]\none = new\n")
    install(tmp_path / "b", "Some_Dist", "1.0", "[gw]\none = old\ntwo = old\n")
    path = [str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "a")]
    assert [one.value for one in find_entry_points(path)] == ["new"]


def test_a_newer_version_without_plugins_hides_an_older_one_with_some(tmp_path):
    install(tmp_path / "a", "some-dist", "2.0", "[console_scripts]\na = b:c\n")
    install(tmp_path / "b", "some-dist", "1.0", "[gw]\none = old\n")
    path = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert find_entry_points(path) == []
    (tmp_path / "a" / "some_dist-2.0.dist-info" / "entry_points.txt").unlink()
    assert find_entry_points(path) == []


def test_what_a_build_left_in_the_source_tree_gives_way_to_the_installed(tmp_path):
    install(tmp_path / "src", "some-dist", "1.0", "[gw]\none = stale\n", kind="egg-info")
    install(tmp_path / "site", "some-dist", "1.0", "[gw]\none = fresh\n")
    install(tmp_path / "src", "only-egg", "3.0", "[gw]\negg = egg\n", kind="egg-info")
    found = find_entry_points([str(tmp_path / "src"), str(tmp_path / "site")])
    assert [(one.value, one.distribution, one.version) for one in found] == [
        ("egg", "only-egg", "3.0"),
        ("fresh", "some-dist", "1.0"),
    ]


def test_an_archive_on_the_path_is_searched(tmp_path):
    install(tmp_path / "x", "zipped", "1.0", "[gw]\none = zipped\n")
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for file in (tmp_path / "x").rglob("*"):
            target.write(file, file.relative_to(tmp_path / "x"))
    assert [(one.value, one.distribution) for one in find_entry_points([str(archive)])] == [("zipped", "zipped")]


def test_odd_places_on_the_path_are_passed_over(tmp_path):
    (tmp_path / "file.txt").write_text("no archive")
    (tmp_path / "broken-1.0.dist-info").mkdir()
    (tmp_path / "binary-1.0.dist-info").mkdir()
    (tmp_path / "binary-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe[gw]\n=\n= x\nno equals\n\xff = y\n")
    (tmp_path / "nofile-1.0.dist-info").write_text("not a folder")
    path = [str(tmp_path / "missing"), str(tmp_path / "file.txt"), str(tmp_path), "", "\x00"]
    assert all(one.distribution for one in find_entry_points(path))


def test_nothing_is_loaded_before_it_is_asked_for(add, site):
    name = add("eager", "raise RuntimeError('imported')")
    Plugins()
    assert name not in sys.modules


# -- loading ----------------------------------------------------------------------------------------------------


def test_a_plugin_registers_lazily_with_its_owner(add, site):
    add("good-dist", GOOD.format(name="good"))
    plugins = loaded(site)
    found = plugins.registry("backends").get("good")
    assert (found.owner.distribution, found.owner.version, found.help) == ("good-dist", "1.5", "a good one")
    assert plugins.problems == []
    [row] = plugins.distributions
    assert row.status == "ok"
    assert row.hooks == ("gw_register_backends",)
    assert [one.name for one in row.registrations] == ["good"]


def test_an_object_in_a_module_can_be_the_plugin(site):
    source = GOOD.replace("@hookimpl", "class Plugin:\n  @hookimpl").replace("def gw", "  def gw").format(name="held")
    source = source.replace("(register)", "(self, register)").replace("    register(", "      register(")
    install(
        site,
        "holder",
        "1.0",
        "[gw]\nheld = object_plugin:plugin\n",
        modules={"object_plugin": f"{source}\nplugin = Plugin()"},
    )
    assert "held" in loaded(site).registry("backends")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raise RuntimeError('no\\n  good')", "RuntimeError: no good"),
        ("import no_such_module_anywhere", "no_such_module_anywhere"),
        ("raise SystemExit(1)", "SystemExit"),
        ("def (", "SyntaxError"),
        ("class Odd(BaseException): pass\nraise Odd", "Odd"),
        ("x = 1", "implements no hook"),
        (GOOD.replace("gw_register_backends", "gw_register_backend"), "did you mean 'gw_register_backends'?"),
        (GOOD.replace("(register)", "(registry)"), "registry"),
        (
            GOOD.replace("register(", "register(1, ", 1).replace(
                "def gw_register_backends(1, ", "def gw_register_backends("
            ),
            "",
        ),
        (GOOD.format(name="not a name"), "not a name"),
        (GOOD.format(name="early") + "    raise KeyError('late')", "KeyError"),
        (GOOD.format(name="early") + "    raise SystemExit", "SystemExit"),
    ],
)
def test_a_broken_plugin_is_named_and_nothing_of_it_stays(add, site, source, told):
    broken = add("broken-dist", source)
    add("good-dist", GOOD.format(name="good"))
    plugins = loaded(site)
    assert [one.name for one in plugins.registry("backends")] == ["good"]
    [problem] = plugins.problems
    assert (problem.distribution, problem.version, problem.plugin) == ("broken-dist", "1.5", broken)
    assert told in problem.message
    assert str(problem).startswith(f"plugin '{broken}' of broken-dist 1.5 was skipped: ")
    assert "\n" not in str(problem)
    assert [row.status for row in plugins.distributions] == ["skipped", "ok"]


def test_an_interrupt_is_not_swallowed(add, site):
    add("interrupted", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        loaded(site).registry("backends")


def test_a_misspelt_hook_takes_the_good_ones_of_its_plugin_with_it(add, site):
    add("half", GOOD.format(name="half") + "\n@hookimpl\ndef gw_register_reader(register):\n    register('r', dict)\n")
    plugins = loaded(site)
    assert len(plugins.registry("backends")) == 0
    assert "gw_register_readers" in plugins.problems[0].message


def test_an_optional_hook_of_a_newer_gw_does_no_harm(add, site):
    extra = "\n@hookimpl(optionalhook=True)\ndef gw_register_telescopes(register):\n    1 / 0\n"
    add("newer", GOOD.format(name="newer") + extra)
    plugins = loaded(site)
    assert "newer" in plugins.registry("backends")
    assert plugins.problems == []


def test_two_plugins_with_one_name_disturb_only_that_name(add, site):
    add("first-dist", GOOD.format(name="same"))
    add("second-dist", GOOD.format(name="same"))
    add("third-dist", GOOD.format(name="other"))
    registry = loaded(site).registry("backends")
    with pytest.raises(UnknownNameError, match=r"first-dist 1\.5, second-dist 1\.5"):
        registry.get("same")
    assert registry.get("second-dist:same").owner.distribution == "second-dist"
    assert registry.get("other")


def test_one_distribution_that_offers_a_name_twice_loses_the_second_plugin_whole(site):
    both = GOOD.format(name="same") + "    register('more', dict)\n"
    table = "[gw]\na = twice_a\nb = twice_b\n"
    install(site, "twice", "1.0", table, modules={"twice_a": GOOD.format(name="same"), "twice_b": both})
    plugins = loaded(site)
    assert plugins.registry("backends").names() == ["same"]
    assert "twice" in plugins.problems[0].message


def test_the_same_module_twice_is_a_problem_of_the_second_only(site):
    install(
        site,
        "again",
        "1.0",
        "[gw]\na = again_plugin\nb = again_plugin\n",
        modules={"again_plugin": GOOD.format(name="x")},
    )
    plugins = loaded(site)
    assert plugins.registry("backends").names() == ["x"]
    assert [row.status for row in plugins.distributions] == ["ok", "skipped"]


def test_what_a_plugin_prints_does_not_reach_the_result(add, site, capsys):
    add("chatty", "print('hello')\n" + GOOD.format(name="chatty"))
    assert "chatty" in loaded(site).registry("backends")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hello" in captured.err


def test_no_plugin_sees_what_another_registers(add, site):
    wrapper = """
from gw_core.hookspecs import hookimpl
seen = []

@hookimpl(wrapper=True, tryfirst=True)
def gw_register_backends(register):
    seen.append(register)
    return (yield)
"""
    name = add("a-wrapper", wrapper)
    add("good-dist", GOOD.format(name="good"))
    assert "good" in loaded(site).registry("backends")
    assert len(sys.modules[name].seen) == 1


def test_there_is_a_hook_for_every_kind_and_an_unknown_kind_is_refused():
    hooks = {name.removeprefix(hookspecs.PREFIX) for name in dir(hookspecs) if name.startswith(hookspecs.PREFIX)}
    assert hooks == set(KINDS)
    for name in hooks:
        assert getattr(hookspecs, hookspecs.PREFIX + name).__doc__
    with pytest.raises(UsageError, match="did you mean 'backends'"):
        Plugins([]).registry("backend")


def test_plugins_are_objects_of_their_own(add, site):
    add("good-dist", GOOD.format(name="good"))
    first, second = loaded(site), loaded(site)
    assert first.registry("backends") is first.registry("backends")
    assert first.registry("backends") is not second.registry("backends")
    assert "good" in second.registry("backends")
    assert "good" not in Plugins([]).registry("backends")


# -- what is built in -------------------------------------------------------------------------------------------


def test_every_built_in_plugin_works_and_says_what_it_is():
    plugins = Plugins([one for one in find_entry_points() if one.distribution == "gw-toolkit"])
    assert plugins.problems == []
    offered = [one for row in plugins.distributions for one in row.registrations]
    assert {"backends", "chunkers", "loaders", "readers"} <= {one.kind for one in offered}
    for one in offered:
        assert one.help, f"{one} has no help"
        assert callable(one.load()), one


def test_finding_and_registering_imports_no_heavy_half():
    code = """
import sys
from gw_core.plugins import Plugins
Plugins().registry("backends")
heavy = {"numpy", "rich", "importlib.metadata", "http.client", "urllib.request", "ssl", "asyncio", "email", "yaml"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- plugins whose names say their kind -------------------------------------------------------------------------


def test_a_plugin_of_another_kind_is_not_imported(site):
    table = "[gw]\nbackends.named = named_backends\nreaders.named = named_readers\nplain = named_plain\n"
    sources = {
        "named_backends": GOOD.format(name="named"),
        "named_readers": GOOD.format(name="named").replace("backends", "readers"),
        "named_plain": GOOD.format(name="plain"),
    }
    install(site, "named", "1.0", table, modules=sources)
    plugins = loaded(site)
    assert plugins.registry("backends").names() == ["named", "plain"]
    assert "named_readers" not in sys.modules
    assert plugins.registry("readers").names() == ["named"]
    assert [row.entry_point.name for row in plugins.distributions] == ["backends.named", "plain", "readers.named"]


def test_a_plugin_that_registers_another_kind_than_its_name_says_is_skipped(site):
    source = GOOD.format(name="lying")
    install(site, "lying", "1.0", "[gw]\nreaders.lying = lying_plugin\n", modules={"lying_plugin": source})
    plugins = loaded(site)
    assert len(plugins.registry("readers")) == 0
    assert "its name says readers, but it implements gw_register_backends" in plugins.problems[0].message
    assert len(plugins.registry("backends")) == 0


def test_a_name_with_a_dot_need_not_be_a_kind(site):
    table = "[gw]\nacme.things = dotted_plugin\n"
    install(site, "dotted", "1.0", table, modules={"dotted_plugin": GOOD.format(name="dotted")})
    assert "dotted" in loaded(site).registry("backends")
