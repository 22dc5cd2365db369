"""docs/how-to/write-a-plugin.md: its code works, and it names every hook and every conformance class."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import gw_core.testing
from gw_core.config import Config
from gw_core.plugins import EntryPoint, Plugins
from gw_core.registry import KINDS
from gw_core.testing import RerankerConformance, TaskConformance

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-plugin.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The files of the page, each named in its first line, on the path."""
    folder = tmp_path_factory.mktemp("written")
    for block in blocks("python") + blocks("toml"):
        name, _, source = block.partition("\n")
        file = folder / name.removeprefix("# ")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == "my_package"]:
        del sys.modules[name]


class TestTheWrittenReranker(RerankerConformance):
    @pytest.fixture(autouse=True)
    def _on_the_path(self, written):
        pass

    def make(self):
        from my_package.shout import Shout  # noqa: PLC0415 - written by the fixture

        return Shout()


def test_the_plugin_registers_and_takes_the_settings_shown(written):
    [(name, value)] = re.findall(r'"(.+)" = "(.+)"', (written / "pyproject.toml").read_text())
    plugins = Plugins([EntryPoint(name, value, "my-package", "1")])
    config = Config.load(written, env={"GW_CONFIG": ""})
    component = config.component("rerankers", config.retrieve.rerank[0])
    registration = plugins.registry("rerankers").get(component.use)
    reranker = registration.build(**config.settings_of(component, registration.load()))
    assert plugins.problems == []
    assert reranker.identity.settings == {"least": 0.9}


def test_the_page_names_every_kind_and_conformance_class():
    text = PAGE.read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []
    assert [name for name in gw_core.testing.__all__ if name.endswith("Conformance") and name not in text] == []


class TestTheWrittenTask(TaskConformance):
    @pytest.fixture(autouse=True)
    def _on_the_path(self, written):
        pass

    def make(self, folder):
        from my_package.kettle import Kettle  # noqa: PLC0415 - written by the fixture

        return Kettle(pages=3)

    def test_it_finds_the_page(self, tmp_path):
        [cell] = self.cells(tmp_path)
        assert cell.outcomes[0].values["recall@1"] == 1.0
