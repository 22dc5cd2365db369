"""A corpus of code and docs made of what Python installations hold, the same every time on the same machine.

Sizes are told in tokens by one rule: a token is four bytes of UTF-8, so that 10M tokens are 40 MB.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import sysconfig
import tempfile
from pathlib import Path

from gw_core.bench.phrases import phrases

BYTES_A_TOKEN = 4
CODE, DOCS = {".py"}, {".md", ".rst", ".txt"}
DOCS_SHARE = 0.2
SMALLEST, LARGEST = 200, 400_000
# A walk leaves folders of these names out; here their files are wanted.
RENAMED = {"build", "dist", "vendor", "target", "venv", "node_modules", "__pycache__"}


def bench_folder() -> Path:
    """Where corpora and indexes are written: $GW_BENCH_DIR, or gw-bench in the system's folder for such things."""
    folder = Path(os.environ.get("GW_BENCH_DIR") or Path(tempfile.gettempdir(), "gw-bench"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def make_corpus(tokens: int) -> Path:
    """The folder of a corpus of so many tokens; made if it isn't there. A smaller one is part of a larger one."""
    folder = bench_folder() / f"corpus-{tokens}"
    done = folder / ".complete"
    if done.exists():
        return folder
    wanted = tokens * BYTES_A_TOKEN
    docs = sorted_sources(DOCS)
    taken, size = [], 0
    for source, limit in ((docs, int(wanted * DOCS_SHARE)), (sorted_sources(CODE), wanted)):
        for _, name, file in source:
            if size >= limit:
                break
            taken.append((name, file))
            size += file.stat().st_size
    if size < wanted * 0.98:
        sys.exit(f"only {size / 1e6:.0f} MB of code and docs on this machine; {wanted / 1e6:.0f} MB were wanted")
    for name, file in taken:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    done.write_text(f"{size}\n")
    return folder


def sorted_sources(suffixes: set[str]) -> list[tuple[str, str, Path]]:
    """Files of these kinds below Python's library folders, without copies, in an order that follows no name."""
    roots = {Path(path).resolve() for path in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))}
    seen: set[bytes] = set()
    found = []
    for root in sorted(roots):
        for file in sorted(root.rglob("*")):
            if file.suffix not in suffixes or file.is_symlink() or not file.is_file():
                continue
            if not SMALLEST <= file.stat().st_size <= LARGEST:
                continue
            data = file.read_bytes()
            digest = hashlib.sha256(data).digest()
            if digest in seen or b"\0" in data or not _is_utf8(data):
                continue
            seen.add(digest)
            parts = file.relative_to(root).parts
            name = "/".join(part + "_" if part in RENAMED else part for part in parts)
            found.append((hashlib.sha256(name.encode()).hexdigest(), name, file))
    return sorted(found)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def files_of(corpus: Path) -> list[Path]:
    """The files of a corpus, without what else has come to lie beside them, such as an index."""
    found = (file for file in corpus.rglob("*") if not file.relative_to(corpus).parts[0].startswith("."))
    return sorted(file for file in found if file.is_file())


def size_of(corpus: Path) -> int:
    """Bytes of text in a corpus."""
    return sum(file.stat().st_size for file in files_of(corpus))


def queries(corpus: Path, count: int = 240, seed: int = 7) -> list[str]:
    """Questions in the corpus's own words; see :func:`gw_core.bench.phrases.phrases`."""
    texts = [functools.partial(file.read_text, "utf-8", "replace") for file in files_of(corpus)]
    return phrases(texts, count, seed)
