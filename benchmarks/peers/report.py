"""From rankings and costs to a report, and from a report to Markdown. Statistics are those of ``gw bench``."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from gw_core.bench.metrics import ranking_values
from gw_core.bench.provenance import machine
from gw_core.bench.stats import bootstrap_mean, chance_of_hit, estimate
from peers.corpora import Corpus
from peers.systems import Variant

SCHEMA = "gw.peers/1"
OURS = "gw"
SHOWN = ("ndcg@10", "recall@5", "recall@10", "coverage@10")
KS = (5, 10)


def of_corpus(corpus: Corpus, rows: Sequence[Mapping[str, Any]], depth: int) -> dict[str, Any]:
    """What was measured on one corpus: rankings become metrics, and differences from gw's on the same questions."""
    size = corpus.size()
    values = {
        row["system"]: {
            question: ranking_values(ranked, corpus.relevant[question], KS, depth)
            for question, ranked in row["search"]["ranked"].items()
        }
        for row in rows
        if row["status"] == "measured" and not row["shares"]
    }
    return {
        "name": corpus.name,
        "language": corpus.language,
        "documents": len(corpus.names()),
        "bytes": size,
        "questions": len(corpus.questions),
        "cut": corpus.cut,
        "chance": {f"recall@{k}": _chance(corpus, k) for k in KS},
        "systems": [_row(row, corpus.name, size, values) for row in rows],
    }


def _chance(corpus: Corpus, k: int) -> float:
    """What drawing documents blindly reaches."""
    wanted = [sum(grade > 0 for grade in relevant.values()) for relevant in corpus.relevant.values()]
    documents = len(corpus.names())
    return fmean(chance_of_hit(number, documents, min(k, documents)) for number in wanted)


def _row(row: Mapping[str, Any], corpus: str, size: int, values: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: row[name] for name in ("system", "versions", "shares", "stores", "status", "error") if row.get(name)}
    if row["status"] != "measured":
        return shown
    search = {name: value for name, value in row["search"].items() if name != "ranked"}
    shown["search"] = search
    if "ingest" in row:
        spent = row["ingest"]
        speed = size / 1e6 / spent["cpu"] if spent["cpu"] else None
        shown["ingest"] = {**spent, "mb_per_cpu_second": speed, "disk_per_byte": spent["disk"] / size}
    if row["shares"]:
        return shown
    shown |= {"metrics": {}, "difference": {}}
    ours, theirs = values.get(OURS), values[row["system"]]
    for metric in SHOWN:
        found = estimate([one[metric] for one in theirs.values()], f"{corpus} {metric}")
        shown["metrics"][metric] = {"value": found.value, "low": found.low, "high": found.high, "n": found.n}
        if ours is not None and row["system"] != OURS:
            pairs = [theirs[question][metric] - ours[question][metric] for question in theirs]
            shown["difference"][metric] = difference(pairs, f"{corpus} {metric}")
    return shown


def difference(pairs: Sequence[float], seed: str) -> dict[str, Any]:
    """The mean of paired differences, its bootstrap interval, and what that says."""
    low, high = bootstrap_mean(pairs, seed) if any(pairs) else (0.0, 0.0)
    verdict = "better than gw" if low > 0 else "worse than gw" if high < 0 else "no difference shown"
    return {"value": sum(pairs) / len(pairs), "low": low, "high": high, "n": len(pairs), "verdict": verdict}


def whole(corpora: Sequence[dict[str, Any]], systems: Iterable[Variant], seconds: float, depth: int, pool: int) -> Any:
    return {
        "schema": SCHEMA,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": machine(),
        "seconds": round(seconds, 1),
        "corpora": list(corpora),
        "systems": {one.label: {"how": one.how, "stores": one.stores, "versions": one.versions()} for one in systems},
        "notes": notes(depth, pool),
    }


def notes(depth: int, pool: int) -> list[str]:
    return [
        f"Every system is given the same documents and questions, and judged by its first {depth} distinct documents; "
        f"of one that returns passages, by those of its best {pool}: a document is as good as its best passage.",
        "nDCG@10 with the grades as gains; recall@k: any relevant document among the first k; coverage@10: the share "
        "of them. Intervals are 95 %: Wilson's for recall, the bootstrap's else. Differences are paired by question; "
        '"no difference shown": their interval holds 0.',
        "Each interval stands alone, and there are hundreds: where nothing differs, one in twenty is marked by chance. "
        "Where few questions differ, the bootstrap's are too narrow.",
        "gw's ranking was chosen by measuring on cranfield, cisi and XQuAD, and nothing of them was held out; the "
        "others run with their defaults, chosen elsewhere. The needles had no part in either.",
        "gw and groundkit read the documents from files, on the clock; the others are handed them as strings that were "
        "in memory before. Writing the index is on the clock of all.",
        'gw and groundwire get no hint of a corpus\' language, nor does groundkit; "stemmed" systems are told it. '
        "Snowball and tantivy have no stemmer for Chinese or Thai: there they get the English one.",
        "Where documents are long (needles), bm25s and tantivy, which bring no chunker, index gw's passages.",
        'Times are of warm searches for 10 passages, CPU that of all threads. "First answer" is the CPU from a Python '
        "that has imported nothing to the first result: import, opening the index, compiling. Memory is the peak of a "
        "process that does nothing else (an empty Python has 10 MB).",
        "bm25s and tantivy keep no text in their indexes here. Only gw cites what it finds and re-reads it.",
    ]


# -- Markdown -------------------------------------------------------------------------------------------------------


def markdown(report: Mapping[str, Any]) -> str:
    cores = report["machine"]["cores"]
    where = f"{report['date']}, Python {report['python']}, {report['machine']['cpu']}, {cores} cores"
    parts = [f"# gw beside other programs\n\n{where}, {report['seconds']:.0f} s.", *_summaries(report)]
    for corpus in report["corpora"]:
        parts += [_heading(corpus), _quality(corpus), _costs(corpus)]
    versions = {name: value for one in report["systems"].values() for name, value in one["versions"].items() if value}
    how = [f"- **{label}**: {one['how']}." for label, one in report["systems"].items()]
    told = ", ".join(f"{name} {value}" for name, value in sorted(versions.items()))
    parts += [
        "## What was given",
        "\n".join([*how, *(f"- {note}" for note in report["notes"]), f"- Versions: {told}."]),
    ]
    return "\n\n".join(parts) + "\n"


def table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _summaries(report: Mapping[str, Any]) -> Iterator[str]:
    """Systems by corpora, a table for each of two metrics; what is shown to be better or worse than gw is marked."""
    for metric, name in (("ndcg@10", "nDCG@10"), ("recall@5", "recall@5")):
        yield f"## {name}"
        yield _summary(report, metric)
    yield "▲ better and ▼ worse than gw, by the paired interval; in brackets the number of questions."


def _summary(report: Mapping[str, Any], metric: str) -> str:
    rows = [["system", *(f"{corpus['name']} ({corpus['questions']})" for corpus in report["corpora"])]]
    for label in report["systems"]:
        found = [next(row for row in corpus["systems"] if row["system"] == label) for corpus in report["corpora"]]
        if any(not row.get("shares") for row in found):
            rows.append([label, *(_marked(row, metric) for row in found)])
    return table(rows)


def _marked(row: Mapping[str, Any], metric: str) -> str:
    if row["status"] != "measured":
        return row["status"]
    verdict = row["difference"].get(metric, {}).get("verdict", "")
    mark = " ▲" if verdict.startswith("better") else " ▼" if verdict.startswith("worse") else ""
    return f"{row['metrics'][metric]['value']:.3f}{mark}"


def _heading(corpus: Mapping[str, Any]) -> str:
    size = f"{corpus['documents']:,} documents, {corpus['bytes'] / 1e6:.2f} MB"
    chance = ", ".join(f"{100 * value:.1f} % for {metric}" for metric, value in corpus["chance"].items())
    questions = f"{corpus['questions']} questions, {corpus['language']}. Blind guessing reaches {chance}."
    return f"## {corpus['name']}\n\n{size}, {questions}"


def _quality(corpus: Mapping[str, Any]) -> str:
    rows = [["system", "nDCG@10", "difference from gw", "recall@5", "recall@10", "coverage@10"]]
    for row in corpus["systems"]:
        if row["status"] != "measured":
            rows.append([row["system"], f"{row['status']}: {_cell(row['error'])}", *[""] * 4])
        elif not row.get("shares"):
            told = [_interval(row["metrics"][metric]) for metric in SHOWN]
            rows.append([row["system"], told[0], _difference(row["difference"].get("ndcg@10")), *told[1:]])
    return table(rows)


def _costs(corpus: Mapping[str, Any]) -> str:
    rows = [
        "system|ingest, CPU s|MB/s|ingest, MB|index / text|stores|first answer, CPU s|p50 ms|p95 ms|wall p50|wall p95|"
        "search, MB".split("|")
    ]
    for row in corpus["systems"]:
        if row["status"] == "measured":
            rows.append([row["system"], *_ingest(row), *_search(row["search"])])
    return table(rows)


def _ingest(row: Mapping[str, Any]) -> list[str]:
    spent = row.get("ingest")
    if spent is None:
        return [f"as {row['shares']}", "", "", "", ""]
    speed = f"{spent['mb_per_cpu_second']:.1f}" if spent["mb_per_cpu_second"] else ""
    disk = f"{spent['disk_per_byte']:.2f}"
    return [f"{spent['cpu']:.2f}", speed, f"{spent['rss']:.0f}", disk, row.get("stores", "")]


def _search(spent: Mapping[str, Any]) -> list[str]:
    times = [f"{1000 * spent[name]:.2f}" for name in ("cpu50", "cpu95", "wall50", "wall95")]
    return [f"{spent['first_cpu']:.2f}", *times, f"{spent['rss']:.0f}"]


def _interval(found: Mapping[str, Any]) -> str:
    return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"


def _difference(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return ""
    return f"{found['value']:+.3f} [{found['low']:+.3f}, {found['high']:+.3f}] {found['verdict']}"


def _cell(text: str) -> str:
    return text.replace("|", "/")[:200]
