"""Results as text for people. Everything that comes from a file is shown so that it cannot steer a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gw_core.cli.console import Console, one_line, size_text
from gw_core.cli.snippets import matched_places, snippet, wrapped
from gw_core.errors import GwError
from gw_core.plain import file_name, printable

if TYPE_CHECKING:
    from gw_core.ask import Answer
    from gw_core.corpus import Skipped
    from gw_core.evidence import Evidence
    from gw_core.ingest import IngestReport
    from gw_core.model import Verdict
    from gw_core.retrieve import SearchResult
    from gw_core.verify import Verification

_VERDICT_STYLES = {"verified": "green", "moved": "yellow", "drifted": "red", "missing": "red", "unresolvable": "red"}
_INDENT = "    "
_SNIPPET_LINES = 6
# Reasons for which most corpora have many files to leave out; they are counted, and named with -v.
_USUAL_REASONS = frozenset({"binary", "duplicate-link", "excluded", "ignored", "secret"})
_NAMED_FILES = 10


def verdict_text(console: Console, verdict: Verdict) -> str:
    return console.styled(verdict.value, _VERDICT_STYLES[verdict.value])


def place(path: str, lines: tuple[int, int] | None) -> str:
    """``docs/a.md:12-30``, ``docs/a.md:12``, or the bare path where the lines are not known."""
    name = file_name(path)
    if lines is None:
        return name
    first, last = lines
    return f"{name}:{first}" if first == last else f"{name}:{first}-{last}"


# -- search -------------------------------------------------------------------------------------------------------


def write_hits(console: Console, result: SearchResult, explain: bool) -> None:
    terms = result.query.content
    for rank, one in enumerate(result.evidence, 1):
        if rank > 1:
            console.line()
        _write_header(console, one, f"{rank}.", f"{one.passage.score:.2f}")
        console.line(_INDENT + console.styled(str(one.citation), "dim"))
        write_excerpt(console, one.passage.text, terms)
        if explain:
            for line in explanation(one):
                console.line(_INDENT + line)


def _write_header(console: Console, one: Evidence, number: str, score: str = "") -> None:
    parts = [number, console.styled(place(one.passage.path, one.verification.lines), "bold")]
    if one.passage.label:
        parts.append(console.styled(one_line(one.passage.label), "cyan"))
    if score:
        parts.append(f"({score})")
    parts.append(verdict_text(console, one.verification.verdict))
    console.line(" ".join(parts))


def write_excerpt(console: Console, text: str, terms: Sequence[str]) -> None:
    """The lines of a passage around the words that matched: wrapped and with these words marked on a terminal."""
    places = matched_places(text, terms)
    start, end = snippet(text, places, _SNIPPET_LINES)
    shown = text[start:end]
    if not console.is_terminal:
        for plain_line in shown.split("\n"):
            console.line(_INDENT + printable(plain_line.rstrip("\r")))
        return
    width = console.width - len(_INDENT)
    marks = [(max(a, start) - start, min(b, end) - start) for a, b in places if a < end and b > start]
    for line in wrapped(shown, marks, width, _SNIPPET_LINES + 2):
        console.line(_INDENT + "".join(console.styled(part, "match") if hit else part for part, hit in line))


def explanation(one: Evidence) -> list[str]:
    """One line for each chunk of a passage: how it scored and why."""
    lines = []
    for hit in one.passage.hits:
        why = "; ".join(f"{key} {_reason(value)}" for key, value in hit.why.items())
        lines.append(f"chunk {hit.chunk.start}-{hit.chunk.end}: rank {hit.rank}, score {hit.score:.4f}; {why}")
    return [one_line(line) for line in lines]


def _reason(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} {_reason(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return "[" + ", ".join(_reason(one) for one in value) + "]"
    return str(value)


def looked_at_text(looked_at: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in looked_at.items())


def changed_files(evidence: Sequence[Evidence]) -> str:
    """The files of passages that are not verified, in the order of their names; empty if there are none."""
    return ", ".join(map(file_name, sorted({one.passage.path for one in evidence if not one.verified})))


# -- ask ----------------------------------------------------------------------------------------------------------


def write_answer(console: Console, answer: Answer) -> None:
    if answer.abstained:
        _write_abstention(console, answer)
        return
    if answer.guess:
        console.line(console.styled("A guess: the evidence is weak.", "yellow"))
    _write_prose(console, answer.text)
    if answer.value is not None and answer.value != answer.text:
        console.line(f"Value: {console.styled(one_line(answer.value), 'bold')}")
    console.line()
    for number, one in enumerate(answer.citations, 1):
        _write_header(console, one, f"[{number}]")
        console.line(_INDENT + console.styled(str(one.citation), "dim"))
    for text in answer.unsupported:
        console.line(console.styled(f"Not supported by any source: {one_line(text)}", "red"))
    for check in answer.checks:
        if check.score < 1:
            console.line(f"{check.verifier}: {check.score:.2f} {one_line(check.reason)}")
    console.line(f"Grounding: {answer.grounding.value}; reader: {answer.reader}")


def _write_prose(console: Console, text: str) -> None:
    if not console.is_terminal:
        console.line(printable(text))
        return
    for line in wrapped(text, [], console.width, None):
        console.line("".join(part for part, _ in line))


def _write_abstention(console: Console, answer: Answer) -> None:
    console.line(f"No answer: {one_line(answer.reason)}.")
    console.line(f"Looked at {looked_at_text(answer.looked_at)}.")
    if answer.evidence:
        console.line("The closest passages:")
        for number, one in enumerate(answer.evidence[:3], 1):
            _write_header(console, one, f"[{number}]", f"{one.passage.score:.2f}")
            console.line(_INDENT + console.styled(str(one.citation), "dim"))


# -- verify -------------------------------------------------------------------------------------------------------


def write_verification(console: Console, one: Verification) -> None:
    """One line a citation; where it moved or drifted, indented lines say where to."""
    where = place(one.path, one.lines) if one.lines is not None else file_name(one.path)
    console.line(f"{verdict_text(console, one.verdict)}\t{one.citation}\t{where}")
    if one.moved_to is not None:
        console.line(f"{_INDENT}now {one.moved_to}")
    elif one.reason:
        console.line(_INDENT + one_line(one.reason))
    if one.occurrences and one.moved_to is None:
        spans = ", ".join(f"{span.start}-{span.end}" for span in one.occurrences[:5])
        more = len(one.occurrences) - 5
        console.line(f"{_INDENT}the same text stands at {spans}" + (f" and {more} more places" if more > 0 else ""))


# -- ingest -------------------------------------------------------------------------------------------------------


def ingest_lines(report: IngestReport) -> list[str]:
    """What an ingest did, in one line or two."""
    parts = [
        f"{len(files):,} {what}"
        for what, files in (
            ("added", report.added),
            ("changed", report.changed),
            ("removed", report.removed),
            ("renamed", report.renamed),
            ("chunked again", report.rechunked),
        )
        if files
    ]
    parts.append(f"{report.unchanged:,} unchanged")
    lines = [f"{', '.join(parts)}; {size_text(report.bytes_read)} read in {report.seconds:.1f} s"]
    if report.skipped:
        lines.append(skipped_line(report))
    return lines


def did_something(report: IngestReport) -> bool:
    """The index is not what it was before."""
    return bool(report.added or report.changed or report.removed or report.renamed or report.rechunked)


def unusually_skipped(report: IngestReport) -> list[Skipped]:
    """What was skipped for a reason that one would not expect."""
    return [one for one in report.skipped if one.reason not in _USUAL_REASONS]


def skipped_line(report: IngestReport) -> str:
    counts = ", ".join(f"{count:,} {reason}" for reason, count in report.skipped_by_reason().items())
    return f"{len(report.skipped):,} skipped: {counts}"


def tell_skipped(console: Console, report: IngestReport) -> None:
    """Name on stderr what was skipped: the unexpected always, up to a number, and everything with -v."""
    unusual = unusually_skipped(report)
    named = report.skipped if console.verbose else unusual[:_NAMED_FILES]
    for one in named:
        detail = f": {one_line(one.detail)}" if one.detail else ""
        console.say(f"gw: skipped {file_name(one.path)}: {one.reason}{detail}")
    if not console.verbose and len(unusual) > len(named):
        console.say(f"gw: skipped {len(unusual) - len(named):,} more; -v names them")
    for note in report.notes:
        console.say(f"gw: {one_line(note)}")


class NothingReadableError(GwError):
    """None of the files that were named could be read."""

    code = "nothing-readable"


def nothing_readable(report: IngestReport, paths: Sequence[str]) -> NothingReadableError | None:
    """The failure of an ingest that found no file to read, if it was one."""
    if report.readable or report.removed:
        return None
    where = ", ".join(repr(path) for path in paths) or "what was ingested before"
    if report.skipped:
        return NothingReadableError(f"nothing in {where} can be read: {skipped_line(report)}", hint="-v names them")
    return NothingReadableError(f"there is no file in {where}")
