"""``gw wordcount``: how often each word occurs in some files, words folded as gw's index folds them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from gw_core.text.fold import fold


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("-n", "--top", default=10, show_default=True, help="How many words to show.")
def wordcount(paths: tuple[Path, ...], top: int) -> None:
    """Count the words of text files."""
    counts: Counter[str] = Counter()
    for path in paths:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for file in files:
            counts.update(fold(file.read_text(encoding="utf-8", errors="replace")).split())
    for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:top]:
        click.echo(f"{count:8} {word}")
