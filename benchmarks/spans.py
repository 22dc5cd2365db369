"""Exact spans: every answer span of the four xquad collections, cited, and verified against the file on disk.

40 paragraphs a file, joined by line feeds. The same again for every rewrite of a file that its encoding can express,
cited from the rewritten file; a paragraph that a legacy encoding cannot express is left out of that rewrite. At last
the line ends of files that were cited before are rewritten: a span that holds one must drift, every other one move, or
stay verified where nothing before it has changed.

    GW_TEST_DATA=... python benchmarks/spans.py

Ends with 1 if any span is not as it must be, or if an encoding is detected that gives another text.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gw_core.citation import Citation, cite
from gw_core.model import Document, Span, Verdict
from gw_core.text.decode import decode
from gw_core.verify import SourceReader

PARAGRAPHS_A_FILE = 40
LANGUAGES = ("en", "de", "zh", "th")
EXPECTED_SPANS = 4760

JAPANESE = """\
灯台は一九二四年に岬の先端に建てられ、地元の石工たちが三年をかけて完成させた。
光は四十キロメートル先の船からも見え、霧の深い夜には〜ポーッという汽笛が十五秒ごとに鳴った。
最後の灯台守であった山田さんは、毎朝五時に起きてレンズを磨き、日誌に風向きと波の高さを記した。
現在は無人になり、カメラとセンサーが「安全」を見守っている。訪れる人は夏に多い（入場は無料）。
"""
JAPANESE_ANSWERS = (
    "一九二四年 三年 四十キロメートル 〜ポーッという汽笛 十五秒ごと 山田さん 毎朝五時 "
    "風向きと波の高さ カメラとセンサー 「安全」 夏 無料"
).split()


@dataclass(frozen=True)
class Part:
    """A file to be: paragraphs, and spans in each of them."""

    name: str
    paragraphs: list[tuple[str, list[Span]]]

    def expressible(self, encoding: str) -> Part:
        kept = [(text, spans) for text, spans in self.paragraphs if _expressible(text, encoding)]
        return Part(self.name, kept)

    def text(self, line_end: str = "\n") -> str:
        return line_end.join(text.replace("\n", line_end) for text, _ in self.paragraphs)

    def spans(self, line_end: str = "\n") -> Iterator[Span]:
        """The spans in :meth:`text`."""
        at = 0
        for text, spans in self.paragraphs:
            for span in spans:
                start = at + len(text[: span.start].replace("\n", line_end))
                yield Span(start, start + len(span.of(text).replace("\n", line_end)))
            at += len(text.replace("\n", line_end)) + len(line_end)


def _expressible(text: str, encoding: str) -> bool:
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


@dataclass(frozen=True)
class Rewrite:
    name: str
    encoding: str = "utf-8"
    bom: bytes = b""
    line_end: str = "\n"
    languages: tuple[str, ...] = (*LANGUAGES, "ja")

    def bytes_of(self, text: str) -> bytes:
        return self.bom + text.encode(self.encoding)


REWRITES = (
    Rewrite("as it is"),
    Rewrite("CRLF", line_end="\r\n"),
    Rewrite("CR", line_end="\r"),
    Rewrite("UTF-8 with BOM", bom=codecs.BOM_UTF8),
    Rewrite("UTF-8 with BOM, CRLF", bom=codecs.BOM_UTF8, line_end="\r\n"),
    Rewrite("UTF-16-LE with BOM", "utf-16-le", codecs.BOM_UTF16_LE),
    Rewrite("UTF-16-BE with BOM", "utf-16-be", codecs.BOM_UTF16_BE),
    Rewrite("UTF-16-LE", "utf-16-le"),
    Rewrite("UTF-16-BE", "utf-16-be"),
    Rewrite("UTF-16-LE with BOM, CRLF", "utf-16-le", codecs.BOM_UTF16_LE, "\r\n"),
    Rewrite("UTF-32-LE with BOM", "utf-32-le", codecs.BOM_UTF32_LE),
    Rewrite("Windows-1252", "cp1252", languages=("en", "de")),
    Rewrite("Windows-1252, CRLF", "cp1252", line_end="\r\n", languages=("en", "de")),
    Rewrite("GB18030", "gb18030", languages=("zh",)),
    Rewrite("TIS-620", "tis-620", languages=("th",)),
    Rewrite("Shift-JIS", "shift_jis", languages=("ja",)),
    Rewrite("EUC-JP", "euc_jp", languages=("ja",)),
)


@dataclass
class Result:
    """``undetected``: files that were decoded to another text than was encoded."""

    name: str
    verdicts: Counter[str] = field(default_factory=Counter)
    files: int = 0
    wrong: int = 0
    undetected: int = 0
    encodings: Counter[str] = field(default_factory=Counter)
    cpu_s: float = 0.0

    @property
    def spans(self) -> int:
        return sum(self.verdicts.values())

    def __str__(self) -> str:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.most_common())
        return (
            f"{self.name:<26} {self.files:3} files  {verdicts}; {self.wrong} wrong; read as "
            f"{', '.join(self.encodings)}; {self.undetected} read wrongly; {self.cpu_s:.2f} s"
        )


def parts(data: Path) -> Iterator[tuple[str, Part]]:
    """``(language, part)`` for all of xquad, and one part of Japanese."""
    for language in LANGUAGES:
        folder = data / f"xquad-{language}"
        answers: dict[str, list[Span]] = {}
        for line in (folder / "spans.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            answers.setdefault(row["corpus-id"], []).append(Span(row["start"], row["end"]))
        rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").split("\n") if line]
        paragraphs = [(row["text"], answers.get(row["_id"], [])) for row in rows]
        for first in range(0, len(paragraphs), PARAGRAPHS_A_FILE):
            yield language, Part(f"{language}-{first:03}.txt", paragraphs[first : first + PARAGRAPHS_A_FILE])
    yield "ja", japanese()


def japanese() -> Part:
    places = [(JAPANESE.index(answer), answer) for answer in JAPANESE_ANSWERS]
    return Part("ja.txt", [(JAPANESE, [Span(start, start + len(answer)) for start, answer in places])])


def check_rewrite(rewrite: Rewrite, whole: list[tuple[str, Part]], root: Path) -> Result:
    """Write the files as rewritten, cite every span of what is read of them, and verify from the citations alone."""
    result = Result(rewrite.name)
    lines: list[tuple[str, str]] = []
    began = time.process_time()
    for language, part in whole:
        if language not in rewrite.languages:
            continue
        kept = part.expressible(rewrite.encoding)
        text = kept.text(rewrite.line_end)
        data = rewrite.bytes_of(text)
        (root / part.name).write_bytes(data)
        decoded = decode(data)
        result.files += 1
        result.encodings[decoded.encoding] += 1
        result.undetected += decoded.text != text
        document = Document(part.name, decoded.text, "", len(data), decoded.encoding)
        for span in kept.spans(rewrite.line_end):
            lines.append((str(cite(document, span)), span.of(text)))
    reader = SourceReader(root)
    for line, expected in lines:
        found = reader.verify(Citation.parse(line))
        result.verdicts[found.verdict.value] += 1
        result.wrong += found.verdict is not Verdict.VERIFIED or found.text != expected
    result.cpu_s = time.process_time() - began
    return result


def check_rewritten_line_ends(line_end: str, whole: list[tuple[str, Part]], root: Path) -> Result:
    """Cite first, rewrite the line ends then. The joints of the paragraphs are cited too, as spans that hold one."""
    result = Result(f"rewritten to {line_end!r}")
    began = time.process_time()
    for _, part in whole:
        text = part.text()
        document = Document(part.name, text, "", 0)
        spans = [*part.spans(), *_joints(part)]
        citations = [str(cite(document, span)) for span in spans]
        (root / part.name).write_bytes(part.text(line_end).encode())
        reader = SourceReader(root)
        result.files += 1
        for span, line in zip(spans, citations, strict=True):
            found = reader.verify(Citation.parse(line))
            result.verdicts[found.verdict.value] += 1
            result.wrong += found.verdict is not _must_be(span, text, line_end)
            result.wrong += found.verdict is Verdict.MOVED and found.text != span.of(text)
    result.encodings["utf-8"] = result.files
    result.cpu_s = time.process_time() - began
    return result


def _joints(part: Part) -> Iterator[Span]:
    at = 0
    for text, _ in part.paragraphs[:-1]:
        at += len(text) + 1
        yield Span(at - 6, at + 5)


def _must_be(span: Span, text: str, line_end: str) -> Verdict:
    if "\n" in span.of(text):
        return Verdict.DRIFTED
    return Verdict.VERIFIED if len(line_end) == 1 or "\n" not in text[: span.end] else Verdict.MOVED


def run(data: Path, report: Callable[[Result], None] = lambda _: None) -> list[Result]:
    whole = list(parts(data))
    found = []
    for rewrite in REWRITES:
        with tempfile.TemporaryDirectory() as root:
            found.append(check_rewrite(rewrite, whole, Path(root)))
            report(found[-1])
    for line_end in ("\r\n", "\r"):
        with tempfile.TemporaryDirectory() as root:
            found.append(check_rewritten_line_ends(line_end, whole, Path(root)))
            report(found[-1])
    return found


def main() -> int:
    folder = os.environ.get("GW_TEST_DATA")
    if not folder:
        print("GW_TEST_DATA names no folder with the xquad collections", file=sys.stderr)
        return 2
    results = run(Path(folder), print)
    spans = results[0].spans - len(JAPANESE_ANSWERS)
    print(
        f"{spans} spans of xquad, {len(JAPANESE_ANSWERS)} of Japanese; {sum(one.wrong for one in results)} wrong in all"
    )
    good = spans == EXPECTED_SPANS and not any(one.wrong or one.undetected for one in results)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
