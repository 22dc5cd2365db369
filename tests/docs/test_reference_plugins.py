"""The pages about configuration, components and hooks are what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gw_core import protocols
from gw_core.config import Config
from gw_core.layers import COMPONENT_KINDS
from gw_core.registry import KINDS
from gw_core.settings import SECTIONS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.fixture(scope="module")
def generator(script):
    return script("reference/generate_plugins.py")


@pytest.mark.parametrize("page", ["config.md", "components.md", "hooks.md", "protocols.md"])
def test_pages_are_up_to_date(generator, page):
    written = (REFERENCE / page).read_text(encoding="utf-8")
    assert written == generator.PAGES[page](), "run python docs/reference/generate_plugins.py"


def test_every_key_kind_and_hook_is_there():
    config = (REFERENCE / "config.md").read_text(encoding="utf-8")
    for section, made_of in SECTIONS.items():
        assert f"## [{section}]" in config
        assert [key for key in made_of.__dataclass_fields__ if f"| `{key}` |" not in config] == []
    assert [kind for kind in COMPONENT_KINDS if f"`[{kind}.NAME]`" not in config] == []
    page = (REFERENCE / "protocols.md").read_text(encoding="utf-8")
    assert [
        name for name in vars(protocols) if name[0].isupper() and _is_protocol(name) and f"## {name}\n" not in page
    ] == []
    hooks = (REFERENCE / "hooks.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"## gw_register_{kind}\n" not in hooks] == []


def _is_protocol(name: str) -> bool:
    thing = getattr(protocols, name)
    return isinstance(thing, type) and thing.__module__ == protocols.__name__


def test_the_examples_of_the_pages_are_valid(tmp_path):
    [example] = re.findall(r"```toml\n(.*?)```", (REFERENCE / "components.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "gw.toml").write_text(example)
    config = Config.load(tmp_path, env={"GW_CONFIG": ""})
    component = config.component("chunkers", config.ingest.chunker)
    assert (component.use, component.settings["target"].value) == ("text", 600)
