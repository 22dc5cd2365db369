from __future__ import annotations

import pytest

from gw_core.errors import LoadError
from gw_plugins.loaders.markdown import Markdown
from gw_plugins.loaders.text import Text, kind_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/main.rs", "code"),
        ("A.PY", "code"),
        ("deploy/Dockerfile", "code"),
        ("Dockerfile.prod", "code"),
        ("Makefile.am", "code"),
        ("config.h.in", "code"),
        (".gitignore", "code"),
        ("data.jsonl", "code"),
        ("NOTES", "text"),
        ("README.rst", "text"),
        ("chapter.1", "text"),
        ("weird.", "text"),
        ("notes.example", "text"),
    ],
)
def test_the_name_says_what_kind_of_text_it_is(path: str, kind: str) -> None:
    assert kind_of(path) == kind
    assert Text().load(b"x", path).kind == kind


def test_the_stored_encoding_is_repeated_and_not_guessed() -> None:
    data = "naïve café\n".encode("cp1252")
    assert Text().load(data, "a.txt").text == "naïve café\n"
    assert Text().load(data, "a.txt", "iso8859-2").text == data.decode("iso8859-2")
    with pytest.raises(LoadError):
        Text().load(data, "a.txt", "utf-8")


@pytest.mark.parametrize("loader", [Text(), Markdown()])
def test_binary_files_are_refused(loader: Text | Markdown) -> None:
    with pytest.raises(LoadError) as caught:
        loader.load(b"\x7fELF\0\0", "a.md")
    assert caught.value.reason == "binary"


def test_markdown_stays_as_it_stands() -> None:
    loaded = Markdown().load("\ufeff# Überschrift\r\n\r\n* a\r\n".encode(), "a.md")
    assert (loaded.text, loaded.kind, loaded.encoding) == ("# Überschrift\r\n\r\n* a\r\n", "markdown", "utf-8")
