"""What dropping a query's most frequent words from the first look costs and saves: the final ten hits against those
without any pruning, and the CPU of a search, by budget, over one corpus.

    python benchmarks/pruning.py [--size 10]
"""

from __future__ import annotations

import argparse
import time

from bench_corpus import bench_folder, make_corpus, queries

import gw_core

NEVER = "backends.fts5.prune_above=1000000000"
BUDGETS = (0.4, 0.2, 0.1)
WARM_UP = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10, help="millions of tokens")
    size = parser.parse_args().size
    corpus = make_corpus(size * 1_000_000)
    index = bench_folder() / f"pruning-{size}.index"
    asked = queries(corpus)
    print(f"{size}M tokens, {len(asked) - WARM_UP} queries\n{'budget':>8} {'overlap':>8} {'mean ms':>8} {'p95 ms':>8}")
    unpruned: list[set[int]] = []
    for budget in (None, *BUDGETS):
        setting = NEVER if budget is None else f"backends.fts5.budget={budget}"
        with gw_core.open(corpus, index=index, overrides=["backends.fts5.use=fts5", setting]) as ws:
            ws.ingest([corpus])
            tops, spent = [], []
            for number, query in enumerate(asked):
                began = time.process_time()
                found = ws.search(query, k=10)
                if number >= WARM_UP:
                    spent.append(1000 * (time.process_time() - began))
                    tops.append({hit.chunk.id for one in found.evidence for hit in one.passage.hits})
        unpruned = unpruned or tops
        overlap = sum(len(top & all_) / max(len(all_), 1) for top, all_ in zip(tops, unpruned, strict=True)) / len(tops)
        spent.sort()
        p95 = spent[int(0.95 * len(spent))]
        print(f"{budget or 'none':>8} {overlap:8.3f} {sum(spent) / len(spent):8.1f} {p95:8.1f}", flush=True)


if __name__ == "__main__":
    main()
