from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

import pytest

from gw_core.errors import LoadError
from gw_core.protocols import Loader
from gw_core.testing.loaders import LoaderConformance
from gw_plugins.loaders import docx
from gw_plugins.loaders.docx import Docx

_NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_STYLES = f"""<?xml version="1.0"?><w:styles {_NAMESPACES}>
<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:styleId="Standard"><w:name w:val="Normal"/></w:style></w:styles>"""


def _docx(body: str, **parts: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", f"<w:document {_NAMESPACES}><w:body>{body}</w:body></w:document>")
        archive.writestr("word/styles.xml", _STYLES)
        for name, content in parts.items():
            archive.writestr(f"word/{name}.xml", content)
    return buffer.getvalue()


def _p(*runs: str, style: str = "", item: bool = False) -> str:
    properties = f'<w:pStyle w:val="{style}"/>' * bool(style) + "<w:numPr/>" * item
    return f"<w:p><w:pPr>{properties}</w:pPr>" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in runs) + "</w:p>"


def _text(data: bytes) -> str:
    return Docx().load(data, "a.docx").text


class TestConformance(LoaderConformance):
    def make(self) -> Loader:
        return Docx()

    def samples(self) -> Iterable[tuple[str, bytes, str]]:
        yield "a.docx", _docx(_p("Some", " text.")), "Some text."


def test_paragraphs_headings_and_lists() -> None:
    body = (
        _p("The title", style="Titel") + _p("First ", "paragraph.") + _p("") + _p("Part", style="berschrift2")
        + _p("one", item=True) + _p("two", item=True) + _p("After.", style="Standard")
    )  # fmt: skip
    assert _text(_docx(body)) == "# The title\n\nFirst paragraph.\n\n## Part\n\n- one\n- two\n\nAfter.\n"


def test_tables_are_rows_of_cells() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{_p('in')}</w:tc></w:tr></w:tbl>"
    body = (
        _p("before")
        + f"<w:tbl><w:tblPr/><w:tr><w:tc>{_p('Name')}</w:tc><w:tc>{_p('Age')}</w:tc></w:tr>"
        + f"<w:sdt><w:sdtContent><w:tr><w:tc>{_p('Bob')}{_p('B.')}</w:tc><w:tc>{inner}{_p('')}</w:tc></w:tr>"
        + "</w:sdtContent></w:sdt></w:tbl>"
        + _p("after")
    )
    assert _text(_docx(body)) == "before\n\nName | Age\nBob B. | in\n\nafter\n"


def test_what_is_not_shown_is_left_out() -> None:
    body = (
        "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:r><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t><w:noBreakHyphen/><w:instrText>PAGE</w:instrText></w:r></w:p>"
        "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>" + _p("box") + "</w:txbxContent></mc:Choice>"
        "<mc:Fallback><w:txbxContent>" + _p("box") + "</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>"
        "<w:r><w:t>around</w:t></w:r></w:p>"
    )
    assert _text(_docx(body)) == "new\tx\ny-\n\nbox\n\naround\n"


def test_notes_come_at_the_end() -> None:
    notes = f"<w:footnotes {_NAMESPACES}><w:footnote>{_p('A note.')}</w:footnote></w:footnotes>"
    assert _text(_docx(_p("Text."), footnotes=notes)) == "Text.\n\nA note.\n"


_ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(encoding: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        xml = f"{_ENTITIES}<w:document {_NAMESPACES}><w:body><w:p>&b;</w:p></w:body></w:document>"
        archive.writestr("word/document.xml", xml.encode(encoding))
    with pytest.raises(LoadError) as caught:
        _text(buffer.getvalue())
    assert "document type" in str(caught.value)


def test_what_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx, "MAX_UNPACKED", 1 << 20)
    data = _docx(_p("x" * (1 << 21)))
    assert len(data) < 10_000
    with pytest.raises(LoadError) as caught:
        docx.extract(data)
    assert caught.value.reason == "too-large"


def test_elements_without_end_are_refused() -> None:
    for body in ("<w:r>" * 5000 + "</w:r>" * 5000, "<w:tbl>" + "<w:x>" * 5000 + "</w:x>" * 5000 + "</w:tbl>"):
        with pytest.raises(LoadError):
            _text(_docx(f"<w:p>{body}</w:p>{body}"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "encrypted"),
        (b"", "damaged"),
        (b"PK\x03\x04 and nothing else", "damaged"),
        (_docx("<w:p>"), "damaged"),
        (_docx(_p("x"))[:-40], "damaged"),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(LoadError) as caught:
        _text(data)
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)


def test_an_archive_of_something_else_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(LoadError):
        _text(buffer.getvalue())
