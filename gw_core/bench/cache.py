"""Corpora that a benchmark made, and the indexes over them, kept so that a second run only asks."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from gw_core.errors import UsageError
from gw_core.plain import plain
from gw_core.trial import SourceText

LIMIT_BYTES = 4_000_000_000
"""What the cache may hold; beyond, what was used longest ago goes."""

_IN_USE_SECONDS = 3_600.0  # another run may be at work on what was touched so lately
_KEY = re.compile("[0-9a-f]{16}")
_UNFINISHED = re.compile(r"\.gw-bench-\w+")
_TRUTH = "truth.json"
_FILES = "files"
_VERSION = 1

Built = tuple[Iterable[SourceText], Any]


def default_folder(env: Mapping[str, str] | None = None) -> Path:
    """``GW_BENCH_CACHE``, else ``gw/bench`` in the user's cache folder."""
    env = os.environ if env is None else env
    if env.get("GW_BENCH_CACHE"):
        return Path(env["GW_BENCH_CACHE"]).expanduser().absolute()
    xdg = Path(env.get("XDG_CACHE_HOME", ""))
    home = Path(env["HOME"]) if env.get("HOME") else Path.home()
    return (xdg if xdg.is_absolute() else home / ".cache") / "gw" / "bench"


def digest(key: Any) -> str:
    """16 hex digits for plain data: the same for the same data."""
    text = json.dumps(plain(key), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@cache
def code_digest(task: type[Any]) -> str:
    """A hash of the code that a corpus of this task is made by: the folder of its module, and this one. So nothing that
    an older version made is taken for what this one would make."""
    folders = {Path(__file__).parent}
    if file := getattr(sys.modules.get(task.__module__), "__file__", None):
        folders.add(Path(file).parent)
    found = hashlib.sha256()
    for folder in sorted(folders):
        for file in sorted(folder.glob("*.py")):
            with suppress(OSError):
                found.update(file.read_bytes())
    return found.hexdigest()[:16]


class Cache:
    """A folder of corpora by key: ``KEY/files`` with ``KEY/truth.json``, and ``KEY/index-...`` for each configuration.

    What was put in it can be thrown away at any time. Whatever else lies there is somebody's own, and stays.
    """

    def __init__(self, folder: Path, limit: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self._limit = limit

    def corpus(self, key: Any, build: Callable[[], Built]) -> tuple[Path, Any]:
        """The folder of the corpus of this key and the truth about it, made by ``build`` if it is not here, or if a
        file of it is not what was written."""
        with self._writing():
            place = self._place(digest({"version": _VERSION, "key": key}))
        kept = _read(place)
        if kept is None:
            texts, truth = build()
            with self._writing():
                self._write(place, texts, truth)
            kept = _read(place)
        if kept is None:
            raise UsageError(
                f"the cache at {self.folder} changes while it is used", hint="name another: --cache FOLDER"
            )
        with self._writing():
            (place / _TRUTH).touch()
        return place / _FILES, kept["truth"]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say of a cache that cannot be written how to have another."""
        try:
            yield
        except OSError as error:
            raise UsageError(
                f"the cache at {self.folder} cannot be written: {error.strerror or error}",
                hint="--cache FOLDER or GW_BENCH_CACHE names another",
            ) from error

    def index(self, corpus: Path, configuration: Any) -> Path:
        """Where the index of a corpus belongs: beside one that was made here, else in a place of its own."""
        name = f"index-{digest(configuration)}"
        if corpus.name == _FILES and corpus.parent.parent == self.folder:
            return corpus.parent / name
        with self._writing():
            place = self._place(digest({"root": os.fspath(corpus)}))
            place.mkdir(parents=True, exist_ok=True)
            (place / _TRUTH).touch()
        return place / name

    def prune(self) -> None:
        """Remove what was used longest ago until the rest is within the limit, and what a killed run left behind."""
        if not self.folder.is_dir():
            return
        now = time.time()
        entries = []
        for place in self.folder.iterdir():
            if not place.is_dir() or place.is_symlink() or not _is_ours(place):
                continue
            used = max(_touched(place), _touched(place / _TRUTH))
            entries.append((used, place, _size(place)))
        total = sum(size for _, _, size in entries)
        for used, place, size in sorted(entries):
            whole = not _UNFINISHED.fullmatch(place.name)
            if now - used < _IN_USE_SECONDS or (total <= self._limit and whole):
                continue
            shutil.rmtree(place, ignore_errors=True)
            total -= size

    def _remove(self, place: Path) -> None:
        """Remove a damaged corpus, or a link that stands for one. It is moved away first: half of one is never seen."""
        aside = unfinished(self.folder)
        try:
            with suppress(FileNotFoundError):
                place.rename(aside / place.name)
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _place(self, name: str) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.folder / name

    def _write(self, place: Path, texts: Iterable[SourceText], truth: Any) -> None:
        """Write the corpus aside and put it in its place whole, so that what is there is complete."""
        made = unfinished(self.folder)
        try:
            for one in texts:
                if Path(one.path).is_absolute() or ".." in Path(one.path).parts:
                    raise ValueError(f"a text is to be written outside its corpus: {one.path!r}")
                target = made / _FILES / one.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(one.text.encode("utf-8"))
            (made / _FILES).mkdir(exist_ok=True)
            record = {"truth": plain(truth), "sha256": _content(made / _FILES)}
            (made / _TRUTH).write_text(json.dumps(record), encoding="utf-8")
            try:
                made.rename(place)
            except OSError:
                if _read(place) is None:  # else another run was quicker, and is at work on it
                    self._remove(place)
                    made.rename(place)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def unfinished(folder: Path) -> Path:
    """A new folder in a cache that :meth:`Cache.prune` takes for left behind when nobody has touched it for long."""
    return Path(tempfile.mkdtemp(prefix=".gw-bench-", dir=folder))


def _is_ours(place: Path) -> bool:
    """The cache may be a folder that the user has for something else, too: nothing there but our own is removed."""
    return bool(_UNFINISHED.fullmatch(place.name) or (_KEY.fullmatch(place.name) and (place / _TRUTH).is_file()))


def _read(place: Path) -> dict[str, Any] | None:
    """What is recorded about a corpus; None where there is none, or its files are not what was written."""
    try:
        record = json.loads((place / _TRUTH).read_text("utf-8"))
        whole = isinstance(record, dict) and "truth" in record and record.get("sha256") == _content(place / _FILES)
    except (OSError, ValueError):
        return None
    return record if whole else None


def _content(folder: Path) -> str:
    """One hash over the names and bytes of all files."""
    found = hashlib.sha256()
    top = os.fspath(folder)
    # Not by pathlib, which takes longer than reading thousands of small files.
    files = (os.path.join(at, name) for at, _, names in os.walk(top) for name in names)  # noqa: PTH118
    for path in sorted(files):
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read()
        found.update(f"{path[len(top) :]}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        found.update(data)
    return found.hexdigest()


def _touched(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
