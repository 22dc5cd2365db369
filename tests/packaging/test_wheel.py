"""What is built holds the two trees and nothing else, and starts without what it doesn't need."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TOP = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
TREES = {"gw_core": TOP / "gw_core", "gw_plugins": TOP / "plugins"}


def _packages_on_disk() -> set[str]:
    found = set()
    for name, top in TREES.items():
        for init in top.rglob("__init__.py"):
            found.add(".".join([name, *init.parent.relative_to(top).parts]))
    return found


def test_the_packages_listed_are_those_on_disk() -> None:
    assert set(PYPROJECT["tool"]["setuptools"]["packages"]) == _packages_on_disk()


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for top in TREES.values() for path in top.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_plugin_is_an_entry_point_and_the_reverse() -> None:
    points = PYPROJECT["project"]["entry-points"]["gw"]
    hooked = {
        "gw_plugins." + ".".join(path.relative_to(TOP / "plugins").with_suffix("").parts)
        for path in (TOP / "plugins").rglob("*.py")
        if re.search(r"^@hookimpl", path.read_text("utf-8"), re.MULTILINE)
    }
    assert set(points.values()) == hooked
    assert [name for name, module in points.items() if f"gw_plugins.{name}" != module] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(TOP / name, source / name)
    for top in TREES.values():
        shutil.copytree(top, source / top.name, ignore=shutil.ignore_patterns("__pycache__"))
    # With the tools of this environment, so that no package index is needed.
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [built] = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_the_two_trees_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    version = PYPROJECT["project"]["version"]
    assert tops == {"gw_core", "gw_plugins", f"gw_toolkit-{version}.dist-info"}
    for package, top in TREES.items():
        files = [path for path in top.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
        on_disk = {f"{package}/{path.relative_to(top)}" for path in files}
        assert {name for name in names if name.startswith(package + "/")} == on_disk


@pytest.mark.slow
def test_the_wheel_says_what_it_brings(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [points] = [archive.read(name).decode() for name in archive.namelist() if name.endswith("entry_points.txt")]
        [metadata] = [archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA")]
    assert "gw = gw_core.cli:main" in points
    assert "Requires-Python: >=3.10" in metadata
    for extra in PYPROJECT["project"]["optional-dependencies"]:
        assert f"Provides-Extra: {extra}" in metadata


def _modules_after(code: str) -> set[str]:
    script = f"{code}\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


_VERSION = "import sys, contextlib\nsys.argv = ['gw', '--version']\nfrom gw_core.cli import main\n"
_VERSION += "with contextlib.suppress(SystemExit): main()"


@pytest.mark.parametrize("code", ["import gw_core", _VERSION], ids=["import gw_core", "gw --version"])
def test_nothing_heavy_is_imported_before_it_is_used(code: str) -> None:
    found = _modules_after(code)
    assert "gw_core" in found
    heavy = {"rich", "numpy", "http", "urllib.request", "socket", "asyncio", "apsw", "importlib.metadata", "gw_plugins"}
    assert found & heavy == set()
    assert [name for name in found if name.startswith("gw_plugins")] == []
