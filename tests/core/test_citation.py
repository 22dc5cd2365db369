from __future__ import annotations

import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.citation import Citation, cite, cite_text, side_after, side_before
from gw_core.errors import CitationError
from gw_core.model import Document, Span

HASH = "0123456789abcdef" + "0a1b" + "2c3d"


def _document(text: str, path: str = "a.txt", **more: object) -> Document:
    return Document(path=path, text=text, sha256="", size=0, **more)  # type: ignore[arg-type]


def test_the_hash_is_made_as_documented() -> None:
    text = "x" * 40 + "\r\nbefore the cited words after" + "y" * 40
    start = text.index("the")
    citation = cite(_document(text), Span(start, start + 15))

    def sha(part: str) -> str:
        return hashlib.sha256(part.encode()).hexdigest()

    assert citation.digest == sha("the cited words")[:16]
    assert citation.sha256 == sha("the cited words")
    assert citation.before == sha("x" * 25 + "before ")[:4]
    assert citation.after == sha(" after" + "y" * 26)[:4]
    assert str(citation) == f"a.txt#c{start}-{start + 15}.{citation.digest}{citation.before}{citation.after}"


def test_sides_leave_out_line_ends_and_stop_at_the_edges() -> None:
    text = "ab" + "\r\n" * 500 + "cd" + "\n" * 500 + "ef"
    place = text.index("cd")
    assert side_before(text, place) == "ab"
    assert side_after(text, place + 2) == "ef"
    assert side_before(text, 0) == side_after(text, len(text)) == ""


@pytest.mark.parametrize(
    ("encoding", "extracted", "decoder"),
    [("utf-8", False, ""), ("cp1252", False, "cp1252"), ("utf-8", True, "pdf@1.2")],
)
def test_the_decoder_is_named_unless_it_is_utf8(encoding: str, extracted: bool, decoder: str) -> None:
    document = _document("text", encoding=encoding, extracted=extracted, loader="pdf", loader_version="1.2")
    line = str(cite(document, Span(0, 4)))
    assert line.endswith("." + decoder) if decoder else line.count(".") == 2
    assert Citation.parse(line).decoder == decoder


@pytest.mark.parametrize(
    ("path", "quoted"),
    [
        ("a b.txt", "a%20b.txt"),
        ("50%#c1-2.md", "50%25%23c1-2.md"),
        ("q\"'\n.md", "q%22%27%0A.md"),
        ("é/ü.md", "%C3%A9/%C3%BC.md"),
        (os.fsdecode(b"caf\xe9.txt"), "caf%E9.txt"),
        ("a/-._~B9", "a/-._~B9"),
    ],
)
def test_paths_are_percent_encoded(path: str, quoted: str) -> None:
    citation = Citation(path, 0, 1, HASH[:16], HASH[16:20], HASH[20:])
    assert str(citation) == f"{quoted}#c0-1.{HASH}"
    assert Citation.parse(str(citation)) == citation


def test_a_path_may_be_typed_as_it_is() -> None:
    assert Citation.parse(f"  my #1 café.md#c0-1.{HASH}\n").path == "my #1 café.md"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "a.txt",
        f"#c0-1.{HASH}",
        "a.txt#c0-1",
        "a.txt#c0-1.",
        f"a.txt#0-1.{HASH}",
        f"a.txt#c0-0.{HASH}",
        f"a.txt#c2-1.{HASH}",
        f"a.txt#c-1-1.{HASH}",
        f"a.txt#c0-{'9' * 5000}.{HASH}",
        f"a.txt#c٠-١.{HASH}",
        f"a.txt#c0-1.{HASH[:-1]}",
        f"a.txt#c0-1.{HASH}0",
        f"a.txt#c0-1.{HASH.upper()}",
        f"a.txt#c0-1.{HASH}.",
        f"a.txt#c0-1.{HASH}.utf 16",
        f"a.txt#c0-1.{HASH}.a/b",
        f"a.txt#c0-1.{HASH}.{'x' * 200}",
        f"a%zz.txt#c0-1.{HASH}",
        f"a%4#c0-1.{HASH}",
        f"a%#c0-1.{HASH}",
        f"a%+1#c0-1.{HASH}",
        f"a% 1#c0-1.{HASH}",
        f"a%00#c0-1.{HASH}",
        f"\ud800#c0-1.{HASH}",
        "x" * 100_000,
    ],
)
def test_what_is_no_citation_is_refused_in_one_line(line: str) -> None:
    with pytest.raises(CitationError) as caught:
        Citation.parse(line)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize("span", [(0, 0), (3, 3), (2, 4), (4, 5)])
def test_an_empty_span_and_one_outside_the_text_cannot_be_cited(span: tuple[int, int]) -> None:
    with pytest.raises(CitationError):
        cite(_document("abc"), Span(*span))


def test_the_whole_hash_is_compared_where_it_is_known() -> None:
    citation = cite(_document("abc"), Span(0, 3))
    assert citation.sha256 is not None
    other = citation.digest + "0" * 48
    assert not citation.fits(other)
    parsed = Citation.parse(str(citation))
    assert parsed == citation
    assert parsed.fits(other)
    assert parsed.fits(citation.sha256)


_NAMES = st.binary(min_size=1, max_size=40).filter(lambda raw: b"\0" not in raw).map(os.fsdecode)


@given(_NAMES, st.text(st.characters(), min_size=1, max_size=80), st.data())
def test_parse_reads_what_str_wrote(path: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    decoder = data.draw(st.sampled_from(["", "utf-16-le", "gb18030", "pdf@1", "html@2.0-rc.1"]))
    citation = cite_text(path, text, start, end, decoder)
    line = str(citation)
    assert line.isascii()
    assert line.isprintable()
    assert Citation.parse(line) == citation
