from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pytest

from gw_core.errors import LoadError
from gw_core.protocols import Loader
from gw_core.testing.loaders import LoaderConformance
from gw_plugins.loaders.html import Html

pytest.importorskip("selectolax", reason="needs the extra docs")


@cache
def _loader() -> Html:
    return Html()


class TestConformance(LoaderConformance):
    def make(self) -> Loader:
        return _loader()

    def samples(self) -> Iterable[tuple[str, bytes, str]]:
        yield "a.html", b"<!doctype html><title>T</title><h1>Head</h1><p>Some <b>bold</b> text.", "Some bold text."
        yield "old.htm", b"<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0", "Привет, мир"


def _text(page: str | bytes) -> str:
    return _loader().load(page if isinstance(page, bytes) else page.encode(), "a.html").text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<title>A &amp; B</title><p>one<p>two", "A & B\n\none\n\ntwo\n"),
        ("<h1>Big <em>er</em></h1>under<h3>Small</h3>it", "# Big er\n\nunder\n\n### Small\n\nit\n"),
        ("<p>a\n  b\t c<br>d", "a b c\nd\n"),
        ("<p>a<!-- no --><script>no()</script><style>no{}</style><template>no</template>b", "ab\n"),
        ("<noscript>shown</noscript><p hidden>no</p><p style='display: none'>no</p>", "shown\n"),
        ("<ul><li></li><li><h2>Head</h2><p>a<p>b</ul>c", "## Head\na\nb\n\nc\n"),
        ("<ul><li>one<li><p>two</p><ul><li>in</ul><li>three</ul>after", "- one\n- two\n- in\n- three\n\nafter\n"),
        ("<table><tr><th>Name<th>Age<tr><td><p>Bob</p><td>42</table>", "Name | Age\nBob | 42\n"),
        ("<table><tr><td><h1>Head</h1><p>layout<p>of old</td></tr></table>", "# Head\n\nlayout\n\nof old\n"),
        ("<pre>\ndef f():\n    return '&lt;'\n</pre>", "```\ndef f():\n    return '<'\n```\n"),
        ("<table><td><pre>a\nb</pre></table>", "```\na\nb\n```\n"),
        ("<pre>```\nx</pre>", "````\n```\nx\n````\n"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc\n"),
        ("<p>un<b>bro</b>ken", "unbroken\n"),
        ("a&nbsp;b &copy; &#x4e2d;&eacute;", "a\u00a0b © 中é\n"),
        ("<dl><dt>Term<dd>What it is<dt>Other<dd>Else</dl>", "Term\nWhat it is\nOther\nElse\n"),
        ("", ""),
        ("<script>only()</script>", ""),
        ("no markup at all", "no markup at all\n"),
    ],
)
def test_the_text_is_what_a_reader_sees(page: str, text: str) -> None:
    assert _text(page) == text


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ("<p>Größe".encode(), "utf-8"),
        (b"\xef\xbb\xbf" + "<p>Größe".encode(), "utf-8"),
        ("\ufeff<p>Größe".encode("utf-16-le"), "utf-16-le"),
        ("<meta charset='ISO-8859-1'><p>Größe”".encode("cp1252"), "cp1252"),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'><p>Größe".encode("iso8859-2"),
            "iso8859-2",
        ),
        ("<?xml version='1.0' encoding='windows-1250'?><p>Größe".encode("cp1250"), "cp1250"),
        ("<meta charset=no-such-thing><p>Größe".encode("cp1252"), "cp1252"),
        ("<meta charset=shift_jis><p>Größe".encode("cp1252"), "cp1252"),
        ("<meta charset=iso-8859-1><p>Größe".encode(), "utf-8"),
    ],
)
def test_the_encoding_is_what_fits(page: bytes, encoding: str) -> None:
    loaded = _loader().load(page, "a.html")
    assert "Größe" in loaded.text
    assert loaded.encoding == encoding


@pytest.mark.parametrize(
    "page",
    ["<div>" * 3000 + "deep", "<b>" * 3000 + "deep", "<!--" * 50_000, "<" * 50_000, "<table>" * 2000, "&" * 50_000],
)
def test_hostile_pages_are_read_or_refused(page: str) -> None:
    text = _text(page)
    assert "deep" in text or "deep" not in page


def test_a_page_that_takes_too_long_is_refused() -> None:
    with pytest.raises(LoadError) as caught:
        Html(seconds=0.2).load(b"<p>x" * 2_000_000, "a.html")
    assert caught.value.reason == "timeout"


@pytest.mark.parametrize("page", ["<div>" * 100_000, "<table><tr><td>" * 30_000, "<UL><LI>" * 30_000])
def test_elements_that_nest_without_end_are_refused_at_once(page: str) -> None:
    with pytest.raises(LoadError) as caught:
        Html(seconds=5).load(page.encode(), "a.html")
    assert caught.value.reason == "damaged"


def test_blocks_side_by_side_are_no_nesting() -> None:
    assert _text("<div>x</div >" * 20_000).count("x") == 20_000


def test_binary_data_is_refused() -> None:
    with pytest.raises(LoadError) as caught:
        _text(b"\x7fELF\x00\x00\x00\x01" * 20)
    assert caught.value.reason == "binary"
