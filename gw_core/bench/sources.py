"""Where haystacks come from: the files of a folder, of this Python's standard library, of its installed packages.

A source knows its files without opening any, in an order that follows no name: by the hash of their paths, so that no
module or chapter stands for the whole.
"""

from __future__ import annotations

import hashlib
import os
import re
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from gw_core.corpus import CONFIG_FILE, DEFAULT_EXCLUDES, Found, walk
from gw_core.errors import LoadError, NotFoundError, UsageError
from gw_core.files import location, path_bytes, path_str, read_regular
from gw_core.secrets import is_secret
from gw_core.text.decode import decode

LARGEST = 400_000
"""A file of Python's above this size, in bytes, is a table rather than text, and would stand for all the others."""

_LONGEST_NAME = 250
_TEXT_SUFFIXES = frozenset({".py", ".md", ".rst", ".txt"})
_PACKAGES = frozenset({"site-packages", "dist-packages"})
# What is not there before the first import, and what is made for one machine: neither says which Python it is.
_MADE_LATER = re.compile(r"__pycache__|config-.*|_sysconfigdata.*|sitecustomize\.py|usercustomize\.py")
_EXCLUDED = frozenset(path_bytes(name.rstrip("/")) for name in DEFAULT_EXCLUDES)
# Loaders that extract would read another text out of files of these names than the one that is written there.
_EXTRACTED = re.compile(r"\.(?:[sx]?html?|xht|ipynb|pdf|doc[xm]|dotx|epub|odt|rtf|pptx?|xlsx?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A file: where it is read from, as ``path`` below ``root``, and the ``name`` that it has in a haystack."""

    root: Path
    path: str
    name: str

    def read(self) -> bytes:
        """Its bytes; none where it is gone or cannot be read."""
        try:
            return read_regular(self.root, self.path)[0]
        except LoadError:
            return b""

    def text(self) -> str:
        """Its text, with line feeds for line ends; empty where it is none."""
        try:
            text = decode(self.read()).text
        except LoadError:
            return ""
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class Sources:
    """Files in the order of the hashes of their paths. ``title`` says what they are, for a message; ``name`` is what a
    report says, which others may read."""

    def __init__(
        self, title: str, roots: Iterable[tuple[Path, Iterable[str]]], *, name: str = "", by_size: bool = False
    ) -> None:
        self.title = title
        self.name = name or title
        self._roots = roots
        self._by_size = by_size

    @cached_property
    def files(self) -> list[Source]:
        found: list[tuple[bytes, Source]] = []
        taken: set[str] = set()
        folders: set[str] = set()
        for root, paths in self._roots:
            for path in sorted(paths, key=path_bytes):
                name = safe_name(path)
                above = [os.fspath(one) for one in PurePosixPath(name.casefold()).parents]
                if not taken.isdisjoint(above):  # a file has got the name of its folder
                    continue
                name = _free_name(name, taken, folders)
                folders.update(above)
                found.append((hashlib.sha256(path_bytes(name)).digest(), Source(root, path, name)))
        return [source for _, source in sorted(found, key=lambda one: one[0])]

    @cached_property
    def sha256(self) -> str:
        """One hash over names and bytes of all files; where there are too many of these, over names and sizes."""
        whole = hashlib.sha256()
        for source in self.files:
            whole.update(path_bytes(source.name) + b"\0")
            if self._by_size:
                whole.update(b"%d\n" % os.stat(location(source.root, source.path)).st_size)  # noqa: PTH116 (bytes)
            else:
                whole.update(hashlib.sha256(source.read()).digest())
        return whole.hexdigest()

    def facts(self) -> dict[str, Any]:
        return {"name": self.name, "sha256": self.sha256, "files": len(self.files)}


def folder(path: Path) -> Sources:
    """The text files below a folder of the user's, as an ingest would walk it.

    Raises :class:`NotFoundError` where it isn't there, and UsageError where it is no folder.
    """
    if not path.exists():
        raise NotFoundError(f"{os.fspath(path)!r} does not exist", hint="--haystack names a folder with text files")
    if not path.is_dir():
        raise UsageError(f"{os.fspath(path)!r} is not a folder", hint="--haystack names a folder with text files")
    root = path.resolve()
    found = (one.path for one in walk(root) if isinstance(one, Found))
    return Sources(os.fspath(path), [(root, found)], name=root.name)


def standard_library() -> Sources:
    """Code, comments and docstrings of the Python that runs this, and the texts that come with it."""
    version = ".".join(map(str, sys.version_info[:3]))
    root = Path(sysconfig.get_path("stdlib")).resolve()
    return Sources(f"the standard library of Python {version}", [(root, _text_files(root))])


def installed_packages() -> Sources:
    """The same of all packages that are installed: larger, and different on every machine."""
    known = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    roots = dict.fromkeys(Path(one).resolve() for one in known)
    return Sources("installed packages", [(root, _text_files(root)) for root in roots], by_size=True)


def _text_files(root: Path) -> Iterator[str]:
    """Files of code and docs below ``root`` that are not too large, as paths relative to it; no link is followed."""
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            entries = list(os.scandir(root / prefix))
        except OSError:
            continue
        for entry in entries:
            if _MADE_LATER.fullmatch(entry.name) or entry.name in _PACKAGES or entry.is_symlink():
                continue
            if entry.is_dir():
                pending.append(f"{prefix}{entry.name}/")
            elif Path(entry.name).suffix in _TEXT_SUFFIXES and entry.stat().st_size <= LARGEST:
                yield prefix + entry.name


def safe_name(path: str) -> str:
    """A path under which an ingest takes the file for the plain text that it is: with an underscore where a name would
    be left out by default, hide rules for other files, or be taken for something to extract text from.

    >>> safe_name("distutils/command/build/x.py"), safe_name("a/.gitignore"), safe_name("doc/index.html")
    ('distutils/command/_build/x.py', 'a/_.gitignore', 'doc/index.html.txt')
    """
    *folders, name = path.split("/")
    above = ["", *folders]
    safe = [_safe_part(part, folder=True, parent=parent) for part, parent in zip(folders, above, strict=False)]
    last = _safe_part(name, folder=False, parent=above[-1])
    last += ".txt" if _EXTRACTED.fullmatch("." + name.rpartition(".")[2]) else ""
    return "/".join(map(_short_part, [*safe, last]))


def _short_part(part: str) -> str:
    """A name that is not too long for a file, also with an underscore more."""
    raw = path_bytes(part)
    return part if len(raw) <= _LONGEST_NAME else "_" + path_str(raw[1 - _LONGEST_NAME :])


def _safe_part(part: str, *, folder: bool, parent: str) -> str:
    raw, raw_parent = path_bytes(part), path_bytes(parent)
    if not (part.startswith(".") or part == CONFIG_FILE or raw in _EXCLUDED or is_secret(raw, folder, raw_parent)):
        return part
    part = "_" + part
    return part.replace(".", "_") if is_secret(path_bytes(part), folder, raw_parent) else part


def _free_name(name: str, taken: set[str], folders: set[str]) -> str:
    """``name``, or with underscores if a file or a folder has it, also on a file system that knows no case."""
    stem, dot, suffix = name.rpartition(".")
    while name.casefold() in taken or name.casefold() in folders:
        stem = (stem or suffix) + "_"
        name = f"{stem}{dot}{suffix}" if dot else stem
    taken.add(name.casefold())
    return name
