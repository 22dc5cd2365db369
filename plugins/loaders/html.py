"""HTML: what a reader of the page sees, as lines; needs the extra ``docs``.

Blocks are separated by a blank line, headings begin with as many ``#`` as their level, items of lists with ``- ``, the
cells of a table's row are joined by `` | ``, and preformatted text stands between fences. Scripts, styles, templates
and what the page hides are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from gw_core.errors import LoadError
from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Loaded
from gw_core.protocols import Loader
from gw_core.text.decode import ENCODINGS, Decoded, decode
from gw_plugins.loaders.fence import fence_for
from gw_plugins.loaders.isolated import LIMITS, Isolated

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SKIPPED = frozenset(
    "script style template head svg math canvas object iframe audio video select datalist textarea button".split()
)
_MARKS = {"li": "- ", **{f"h{level}": "#" * level + " " for level in range(1, 7)}}
_BLOCKS = frozenset(
    """address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer
    form header hgroup hr legend li main menu nav ol optgroup option p pre search section summary table tbody tfoot
    thead tr ul caption""".split()
).union(_MARKS)
_TIGHT = frozenset("li tr dt dd option".split())  # one line each, with no blank line between
_CELLS = frozenset(("td", "th"))
_LAID_OUT = _BLOCKS | _CELLS | {"br", "pre"}
SECONDS = 10.0  # a page of some megabytes takes one
_MAX_DEPTH = 5_000
"""Elements in one another. The parser looks through all that are open at each tag: time grows with the square."""
_NESTING = re.compile(
    r"<(/?)(?:article|aside|blockquote|center|details|dir|div|dl|fieldset|figure|footer|form|header|main|menu|nav|ol"
    r"|section|table|ul)[\s/>]",
    re.I,
)
_HIDDEN = "[hidden], [style*='display:none'], [style*='display: none']"
_SPACE = re.compile(r"[ \t\r\n\f]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_DECLARED = re.compile(
    rb"""<(?:meta\s[^>]{0,200}?charset|\?xml\s[^>]{0,100}?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I
)
# Browsers read these labels as the wider encoding, and pages are written for browsers.
_LABELS = {
    "utf8": "utf-8", "unicode-1-1-utf-8": "utf-8", "ascii": "cp1252", "us-ascii": "cp1252", "iso-8859-1": "cp1252",
    "latin1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "shift-jis": "shift_jis",
    "x-sjis": "shift_jis", "windows-31j": "cp932", "euc-jp": "euc_jp", "euc-kr": "euc_kr", "ks_c_5601-1987": "cp949",
    "iso-8859-11": "cp874", "windows-874": "cp874", "iso-8859-9": "cp1254", "big5-hkscs": "big5hkscs",
}  # fmt: skip


class Html:
    """``seconds``: how long the extraction of one file may take."""

    name = "html"
    version = "1"
    extracts = True
    suffixes: Sequence[str] = (".html", ".htm", ".xhtml", ".xht", ".shtml")

    def __init__(self, seconds: Annotated[float, LIMITS] = SECONDS) -> None:
        self._extract = Isolated("gw_plugins.loaders.html:extract", seconds)

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:  # noqa: ARG002
        text, found = self._extract(data)
        return Loaded(text, found, "html")


def extract(data: bytes) -> tuple[str, str]:
    """The text of a page. Runs in a process of its own."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  an extra, and only where it is used

    decoded = _decoded(data)
    _check_depth(decoded.text)
    tree = LexborHTMLParser(decoded.text)
    lines = _Lines()
    title = tree.css_first("head > title")
    if title is not None:
        lines.text(title.text())
        lines.end_block()
    if tree.body is not None:
        _read(tree.body, lines, {node.mem_id for node in tree.css(_HIDDEN)})
    return lines.result(), decoded.encoding


def _check_depth(source: str) -> None:
    depth = 0
    for found in _NESTING.finditer(source):
        depth = max(0, depth - 1) if found[1] else depth + 1
        if depth > _MAX_DEPTH:
            raise LoadError("its elements nest too deeply", reason="damaged")


def _decoded(data: bytes) -> Decoded:
    """As the bytes show where they are Unicode; else as the page says, if that fits; else by detection."""
    found = decode(data)
    declared = _DECLARED.search(data, 0, 2048)
    if declared is None or found.encoding.startswith("utf-"):
        return found
    label = declared[1].decode("ascii", "replace").lower()
    name = _LABELS.get(label, label.replace("windows-", "cp").replace("iso-8859-", "iso8859-"))
    try:
        return decode(data, name) if name in ENCODINGS else found
    except LoadError:
        return found


def _read(body: LexborNode, lines: _Lines, hidden: set[int]) -> None:
    for node, opens in _events(body, hidden):
        tag = node.tag or ""
        if tag == "-text":
            lines.text(node.text_content or "")
        elif tag == "br":
            lines.line_break()
        elif tag in _CELLS:
            lines.cell(opens, one_line=opens and _is_one_line(node))
        elif tag == "pre":
            lines.preformatted(opens)
        elif tag in _BLOCKS:
            lines.end_block(tight=tag in _TIGHT or (node.parent is not None and node.parent.tag == "li"))
            if tag in _MARKS:
                lines.mark(_MARKS[tag] if opens else "")


def _events(top: LexborNode, hidden: set[int]) -> Iterator[tuple[LexborNode, bool]]:
    """Texts and elements when they open, and elements that matter when they close; no recursion, as pages may nest
    without end."""
    stack: list[tuple[LexborNode, bool]] = [(top, True)]
    while stack:
        node, opens = stack.pop()
        if not opens:
            yield node, False
            continue
        if (sibling := node.next) is not None and node is not top:
            stack.append((sibling, True))
        tag = node.tag or ""
        if tag == "-text":
            yield node, True
        elif tag not in _SKIPPED and not tag.startswith(("-", "!")) and not (hidden and node.mem_id in hidden):
            if tag in _LAID_OUT:
                yield node, True
                stack.append((node, False))
            if (child := node.first_child) is not None:
                stack.append((child, True))


def _is_one_line(cell: LexborNode) -> bool:
    """Whether a table's cell is data; pages of old are laid out with tables, and those cells hold many blocks."""
    child, blocks = cell.first_child, 0
    while child is not None and blocks < 2:
        blocks += 2 if child.tag == "pre" else child.tag in _BLOCKS
        child = child.next
    return blocks < 2


class _Lines:
    """Puts runs of text together to lines, the way a browser lays them out."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._line: list[str] = []
        self._mark = ""
        self._verbatim = 0
        self._cells: list[bool] = []  # the cells that are open: is each to be one line?

    def text(self, text: str) -> None:
        self._line.append(text if self._verbatim else _SPACE.sub(" ", text))

    def mark(self, mark: str) -> None:
        """What the next line begins with."""
        self._mark = mark

    def cell(self, opens: bool, *, one_line: bool) -> None:
        if opens:
            if self._line and not "".join(self._line).isspace():
                self._line.append(" | ")
            self._cells.append(one_line)
        else:
            self._cells.pop()

    def line_break(self) -> None:
        if self._verbatim:
            self._line.append("\n")
        elif self._cells and self._cells[-1]:
            self._line.append(" ")
        else:
            self._flush()

    def preformatted(self, opens: bool) -> None:
        if self._cells and self._cells[-1]:
            return
        if opens:
            self.end_block()
            self._verbatim += 1
            return
        self._verbatim -= 1
        text = _CONTROLS.sub("", "".join(self._line).replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
        self._line.clear()
        if text.strip():
            fence = fence_for(text)
            self._done += [fence, text, fence, ""]

    def end_block(self, *, tight: bool = False) -> None:
        if self._cells and self._cells[-1]:
            self._line.append(" ")
            return
        self._flush()
        if not tight and self._done and self._done[-1]:
            self._done.append("")

    def _flush(self) -> None:
        text = _SPACE.sub(" ", _CONTROLS.sub("", "".join(self._line))).strip()
        self._line.clear()
        if text:
            self._done.append(self._mark + text)
            self._mark = ""

    def result(self) -> str:
        self._flush()
        return "\n".join(self._done).strip("\n") + "\n" if self._done else ""


@hookimpl
def gw_register_loaders(register: Register[Loader]) -> None:
    register("html", "gw_plugins.loaders.html:Html", help="the text of web pages", requires=("gw-toolkit[docs]",))
