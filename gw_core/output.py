"""Results as plain dictionaries with a named, versioned schema.

A schema's number is raised when a field is taken away or comes to mean something else; new fields may appear at any
time. docs/reference/json.md describes them, docs/reference/schemas holds them as JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gw_core.plain import plain

if TYPE_CHECKING:
    from gw_core.ask import Answer
    from gw_core.config import Source
    from gw_core.evidence import Evidence
    from gw_core.ingest import IngestReport
    from gw_core.model import Hit
    from gw_core.plugins import Plugins
    from gw_core.retrieve import SearchResult
    from gw_core.sweep.estimate import Estimate
    from gw_core.sweep.explain import Explained
    from gw_core.sweep.run import SweepResult
    from gw_core.verify import Verification
    from gw_core.workspace import IndexedFile, Status, Workspace

# -- citations ----------------------------------------------------------------------------------------------------


def verification_result(one: Verification) -> dict[str, Any]:
    """A citation and what re-reading its source said.

    ``start`` and ``end`` are the cited ones. Where the text moved, ``moved_to`` says where to; where it drifted,
    ``found`` is what stands at the cited place now and ``occurrences`` is where the bare text stands elsewhere.
    """
    from gw_core.model import Verdict  # noqa: PLC0415

    citation, verdict = one.citation, one.verdict
    here = verdict is Verdict.VERIFIED
    same_text = here or verdict is Verdict.MOVED
    result: dict[str, Any] = {
        "citation": str(citation),
        "path": citation.path,
        "start": citation.start,
        "end": citation.end,
        "lines": list(one.lines) if here and one.lines else None,
        "text": one.text if same_text else None,
        "sha256": one.sha256 if same_text else citation.sha256,
        "verdict": verdict.value,
        "reason": one.reason,
        "moved_to": None,
        "found": None,
        "occurrences": [{"start": span.start, "end": span.end} for span in one.occurrences],
    }
    if one.moved_to is not None:
        result["moved_to"] = {
            "citation": str(one.moved_to),
            "start": one.start,
            "end": one.end,
            "lines": list(one.lines) if one.lines else None,
        }
    if verdict is Verdict.DRIFTED and one.text is not None:
        result["found"] = {
            "start": one.start,
            "end": one.end,
            "lines": list(one.lines) if one.lines else None,
            "text": one.text,
            "sha256": one.sha256,
        }
    return result


def evidence_result(one: Evidence) -> dict[str, Any]:
    """A passage as it was indexed, with its citation and verdict. The text is the cited text, whatever the verdict."""
    return {
        **verification_result(one.verification),
        "text": one.passage.text,
        "sha256": one.citation.sha256,
        "kind": one.passage.kind,
        "label": one.passage.label,
    }


def hit_result(one: Evidence, rank: int) -> dict[str, Any]:
    """An :func:`evidence_result` with its rank (from 1), its score, and why it was found.

    ``why`` is that of the best chunk in it; ``chunks`` has those of all chunks that it was stitched from.
    """
    chunks = [_chunk(hit) for hit in one.passage.hits]
    best = min(one.passage.hits, key=lambda hit: hit.rank, default=None)
    return {
        "rank": rank,
        "score": one.passage.score,
        **evidence_result(one),
        "why": plain(best.why) if best is not None else {},
        "chunks": chunks,
        "context": list(one.passage.context),
    }


def _chunk(hit: Hit) -> dict[str, Any]:
    chunk = hit.chunk
    return {"start": chunk.start, "end": chunk.end, "rank": hit.rank, "score": hit.score, "why": plain(hit.why)}


# -- one result a command -----------------------------------------------------------------------------------------


def search_result(result: SearchResult, report: IngestReport | None, warnings: Iterable[str]) -> dict[str, Any]:
    """``gw.search/1``. ``report`` is of the ingest that came first, if there was one."""
    return {
        "schema": "gw.search/1",
        "query": result.query.text,
        "hits": [hit_result(one, rank) for rank, one in enumerate(result.evidence, 1)],
        "confidence": plain(result.confidence),
        "backend": result.backend,
        "looked_at": dict(result.looked_at),
        "collapsed": result.collapsed,
        "notes": list(result.notes),
        "warnings": list(warnings),
        "ingest": None if report is None else _ingest(report),
    }


def answer_result(answer: Answer, report: IngestReport | None, warnings: Iterable[str]) -> dict[str, Any]:
    """``gw.ask/1``. ``answer`` is null where gw abstained."""
    said = None if answer.abstained else {"text": answer.text, "value": answer.value}
    return {
        "schema": "gw.ask/1",
        "question": answer.question,
        "answer": said,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "guess": answer.guess,
        "grounding": answer.grounding.value,
        "trusted": answer.trusted,
        "citations": [evidence_result(one) for one in answer.citations],
        "evidence": [hit_result(one, rank) for rank, one in enumerate(answer.evidence, 1)],
        "unsupported": list(answer.unsupported),
        "checks": [plain(check) for check in answer.checks],
        "confidence": plain(answer.confidence),
        "reader": answer.reader,
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "looked_at": dict(answer.looked_at),
        "notes": list(answer.notes),
        "warnings": list(warnings),
        "ingest": None if report is None else _ingest(report),
    }


def ingest_result(report: IngestReport, workspace: Workspace) -> dict[str, Any]:
    """``gw.ingest/1``."""
    return {
        "schema": "gw.ingest/1",
        "root": str(workspace.root),
        "index": str(workspace.index),
        **_ingest(report),
        "warnings": list(workspace.warnings),
    }


def _ingest(report: IngestReport) -> dict[str, Any]:
    return {
        "paths": [path or "." for path in report.paths],
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "renamed": [{"from": old, "to": new} for old, new in report.renamed],
        "rechunked": report.rechunked,
        "unchanged": report.unchanged,
        "skipped": [{"path": one.path, "reason": one.reason, "detail": one.detail} for one in report.skipped],
        "skipped_by_reason": report.skipped_by_reason(),
        "chunks_added": report.chunks_added,
        "chunks_removed": report.chunks_removed,
        "bytes_read": report.bytes_read,
        "seconds": round(report.seconds, 3),
        "notes": report.notes,
    }


def verify_result(results: Sequence[Verification], warnings: Iterable[str]) -> dict[str, Any]:
    """``gw.verify/1`` for citations that were named."""
    counts: dict[str, int] = {}
    for one in results:
        counts[one.verdict.value] = counts.get(one.verdict.value, 0) + 1
    return verified_index_result(counts, results, warnings)


def verified_index_result(
    counts: Mapping[str, int], shown: Sequence[Verification], warnings: Iterable[str]
) -> dict[str, Any]:
    """``gw.verify/1`` with counts of their own: of a whole index only what is not verified is listed."""
    return {
        "schema": "gw.verify/1",
        "citations": [verification_result(one) for one in shown],
        "counts": {verdict: counts.get(verdict, 0) for verdict in _verdicts()},
        "total": sum(counts.values()),
        "warnings": list(warnings),
    }


def _verdicts() -> list[str]:
    from gw_core.model import Verdict  # noqa: PLC0415

    return [one.value for one in Verdict]


def status_result(
    status: Status, warnings: Iterable[str], files: Sequence[IndexedFile] | None = None
) -> dict[str, Any]:
    """``gw.status/1``. ``files`` are listed where they are given."""
    listed = {} if files is None else {"files": plain(files)}
    sources = [path or "." for path in status.sources]
    return {"schema": "gw.status/1", **plain(status), "sources": sources, **listed, "warnings": list(warnings)}


def config_result(workspace: Workspace, key: str | None = None) -> dict[str, Any]:
    """``gw.config/1``. ``key`` picks one setting or one section; an unknown one raises UnknownNameError."""
    values = workspace.config.sources()
    if key is not None:
        picked = [one for one in values if one.key == key or one.key.startswith(f"{key}.")]
        if not picked:
            from gw_core.errors import UnknownNameError  # noqa: PLC0415
            from gw_core.registry import suggestion  # noqa: PLC0415

            raise UnknownNameError(f"unknown setting {key!r}", hint=suggestion(key, [one.key for one in values]))
        values = picked
    return {
        "schema": "gw.config/1",
        "root": str(workspace.root),
        "index": str(workspace.index),
        "files": [str(path) for path in workspace.config.files],
        "values": [_setting(one) for one in values],
        "warnings": list(workspace.warnings),
    }


def _setting(one: Source) -> dict[str, Any]:
    origin = one.origin
    return {
        "key": one.key,
        "value": plain(one.value),
        "origin": {
            "layer": origin.layer,
            "path": None if origin.path is None else str(origin.path),
            "line": origin.line or None,
            "text": origin.text,
        },
    }


def plugins_result(plugins: Plugins, kind: str | None = None) -> dict[str, Any]:
    """``gw.plugins/1``: what is offered, of one kind or all; what is broken; and names that two distributions offer."""
    from gw_core.registry import KINDS  # noqa: PLC0415

    kinds = KINDS if kind is None else (kind,)
    offered = [one for name in kinds for one in plugins.registry(name)]
    return {
        "schema": "gw.plugins/1",
        "components": [
            {
                "kind": one.kind,
                "name": one.name,
                "qualified": one.qualified,
                "help": one.help,
                "distribution": one.owner.distribution,
                "version": one.owner.version,
                "plugin": one.owner.plugin,
                "target": one.target,
                "requires": list(one.requires),
            }
            for one in offered
        ],
        "problems": [
            {"plugin": one.plugin, "distribution": one.distribution, "version": one.version, "message": str(one)}
            for one in plugins.problems
        ],
        "conflicts": [
            {"kind": name, "name": rivals[0].name, "qualified": [one.qualified for one in rivals]}
            for name in kinds
            for rivals in plugins.registry(name).conflicts()
        ],
    }


def sweep_result(result: SweepResult, warnings: Iterable[str]) -> dict[str, Any]:
    """``gw.sweep/1``. ``result`` is the same for the same files, recipe and answers of the reader; what this one run
    took stands apart in ``run``."""
    from gw_core.sweep.canonical import recipe_text  # noqa: PLC0415
    from gw_core.sweep.run import plain_result  # noqa: PLC0415

    return {
        "schema": "gw.sweep/1",
        "recipe": recipe_text(result.recipe),
        "reader": result.reader,
        "result": {
            "answer": result.answer,
            "results": {text: plain(plain_result(one)) for text, one in result.results.items()},
            "coverage": result.coverage.result,
            "plan_sha256": result.plan_sha256,
        },
        "run": result.coverage.run,
        "warnings": list(warnings),
    }


def sweep_plan_result(estimate: Estimate, warnings: Iterable[str]) -> dict[str, Any]:
    """``gw.sweep-plan/1``: what a sweep would take."""
    coverage = estimate.coverage
    return {
        "schema": "gw.sweep-plan/1",
        "reader": estimate.reader,
        "extracts": estimate.extracts,
        "plan_sha256": estimate.plan_sha256,
        "files": coverage.result["files"],
        "bytes": coverage.bytes_read,
        "chars": coverage.chars_read,
        "segments": estimate.segments,
        "segments_in_journal": estimate.known,
        "records": estimate.records,
        "calls": estimate.calls,
        "tokens": estimate.tokens,
        "tokens_counted": estimate.tokens_counted,
        "warnings": list(warnings),
    }


def sweep_explain_result(explained: Explained, warnings: Iterable[str]) -> dict[str, Any]:
    """``gw.sweep-explain/1``: the records behind a figure, re-read from their files."""
    from gw_core.sweep.run import plain_result  # noqa: PLC0415

    return {
        "schema": "gw.sweep-explain/1",
        "field": explained.field,
        "value": explained.value,
        "total": explained.total,
        "records": [
            {**verification_result(found), "fields": plain(plain_result(place.values))}
            for found, place in explained.evidence()
        ],
        "coverage": explained.result.coverage.result,
        "plan_sha256": explained.result.plan_sha256,
        "warnings": list(warnings),
    }


def sweep_sql_result(
    query: str, columns: Sequence[str], as_text: int, result: SweepResult, warnings: Iterable[str]
) -> dict[str, Any]:
    """``gw.sweep-sql/1`` but for its ``rows``, which may be many: whoever writes it writes them last."""
    return {
        "schema": "gw.sweep-sql/1",
        "query": query,
        "columns": list(columns),
        "numbers_as_text": as_text,
        "coverage": result.coverage.result,
        "plan_sha256": result.plan_sha256,
        "warnings": list(warnings),
    }
