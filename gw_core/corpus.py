"""Walking a corpus: which files below a root are its text, in a fixed order, and why the others are not.

Inside, paths are bytes: the order of a walk is the order of the bytes of the paths, and git's patterns match bytes.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import basename, dirname

from gw_core.errors import NOT_TEXT, NotFoundError, OutsideRootError
from gw_core.files import path_bytes, path_str
from gw_core.gitrules import Chain, GitRules
from gw_core.ignore import Rules
from gw_core.secrets import is_secret
from gw_core.settings import CorpusSettings

INDEX_FOLDER = ".gw"
CONFIG_FILE = "gw.toml"
DEFAULT_EXCLUDES = (
    ".git",
    ".gw",
    "node_modules/",
    "__pycache__/",
    ".venv/",
    "venv/",
    "target/",
    "dist/",
    "build/",
    "vendor/",
    ".mypy_cache/",
    ".pytest_cache/",
)
"""In git's syntax; the slash at the end limits a pattern to folders (and links to folders)."""

REASONS = {
    "ignored": "git ignores it",
    "excluded": "left out by default or by [corpus] excludes",
    "secret": "its name says that it holds secrets",
    "binary": NOT_TEXT,
    "too-large": "larger than [corpus] max_bytes",
    "link-outside": "a link that leads out of the root",
    "link-loop": "a link that leads back to where it stands",
    "link-broken": "a link that leads nowhere",
    "duplicate-link": "a link to what is read under its own name",
    "not-a-file": "a FIFO, a socket or a device",
    "unreadable": "the system refuses to read it",
}
"""Every reason for which a file is skipped, with what it means. The words are stable; ``binary`` is for whoever reads
the file, as a walk opens none."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read: ``path`` relative to the root, and its status when the walk passed. ``mtime_ns`` is in
    nanoseconds, ``inode`` and ``device`` are those of the file that a link leads to."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is not read: a path (a folder ends with ``/`` and stands for all that is in it), one of :data:`REASONS`,
    and what exactly decided."""

    path: str
    reason: str
    detail: str = ""


def find_root(start: Path, explicit: Path | None = None, environ: Mapping[str, str] | None = None) -> Path:
    """The root of a corpus, absolute and without links: ``explicit``, else ``GW_ROOT`` in ``environ``, else the
    nearest folder at or above ``start`` with a gw.toml or a .gw folder, else ``start``.

    Raises :class:`NotFoundError` if the root that was asked for is not a folder.
    """
    named = explicit or (environ or {}).get("GW_ROOT") or None
    if named is not None:
        root = Path(start, named)
        if not root.is_dir():
            what = "--root" if explicit else "GW_ROOT"
            raise NotFoundError(f"{what}: {os.fspath(named)!r} is not a folder")
        return root.resolve()
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIG_FILE).is_file() or (folder / INDEX_FOLDER).is_dir():
            return folder
    return start


def relative_path(root: Path, path: str | os.PathLike[str], *, must_exist: bool = True) -> str:
    """``path``, as the user gave it, relative to the root and without links: ``""`` is the root itself.

    A relative ``path`` counts from the working directory. Raises :class:`NotFoundError` and, also where a link leads
    out, :class:`OutsideRootError`.
    """
    raw = os.fsencode(path)
    if not raw or b"\0" in raw:  # the empty path is a variable that was never set, not the working directory
        raise NotFoundError(f"{os.fspath(path)!r} does not exist")
    top = os.path.realpath(os.fsencode(root))
    try:
        real = os.path.realpath(raw, strict=must_exist)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotFoundError(f"{os.fspath(path)!r} is a link that leads to itself") from error
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
            raise NotFoundError(f"{os.fspath(path)!r} cannot be reached: {error.strerror}") from error
        raise NotFoundError(f"{os.fspath(path)!r} does not exist") from error
    if must_exist and raw.endswith(b"/") and not os.path.isdir(real):  # noqa: PTH112 (bytes)
        raise NotFoundError(f"{os.fspath(path)!r} is not a folder")
    if real == top:
        return ""
    if not real.startswith(top.rstrip(b"/") + b"/"):
        raise OutsideRootError(
            f"{os.fspath(path)!r} is outside the root {os.fsdecode(top)!r}",
            hint="a PATH counts from the working directory; --root names a root that holds it",
        )
    return path_str(real[len(top.rstrip(b"/")) + 1 :])


def walk(
    root: Path,
    paths: Iterable[str | os.PathLike[str]] = (),
    settings: CorpusSettings | None = None,
    environ: Mapping[str, str] | None = None,
) -> Iterator[Found | Skipped]:
    """Every file below ``paths``, or below the root if there are none, each once.

    Relative paths count from the root, as :func:`relative_path` gives them; one that is gone has no files.
    Real files come in the order of their paths' bytes, and after them what only links lead to, under the links'
    names. A path that is named is taken even if git ignores it or the settings exclude it, unless it is a secret;
    what lies below it is sifted as usual. ``environ`` (HOME, XDG_CONFIG_HOME) says where git keeps the user's own
    ignore file. No file is opened but .gitignore and git's configuration.

    Raises :class:`OutsideRootError` before anything is walked.
    """
    top = os.path.realpath(os.fsencode(root))
    below = (path_bytes(relative_path(root, Path(root, path), must_exist=False)) for path in paths)
    starts = sorted(set(below)) or [b""]
    return _Walk(top, settings or CorpusSettings(), environ if environ is not None else os.environ).run(starts)


_Dropped = tuple[str, str]
"""A reason and its detail."""


@dataclass(slots=True)
class _Task:
    """One step of a walk: ``real`` is an absolute path, ``shown`` the path under which it is reported."""

    real: bytes
    shown: bytes
    chain: Chain
    status: os.stat_result | None = None


class _Walk:
    def __init__(self, top: bytes, settings: CorpusSettings, environ: Mapping[str, str]) -> None:
        self._top = top.rstrip(b"/")
        self._settings = settings
        self._git = GitRules(top, environ) if settings.gitignore else None
        self._default = Rules((pattern.encode() for pattern in DEFAULT_EXCLUDES), self._top, "default")
        excludes = (pattern.encode("utf-8", "surrogateescape") for pattern in settings.excludes)
        self._excludes = Rules(excludes, self._top, "[corpus] excludes")
        self._begun: set[bytes] = set()
        """Real paths that were walked, or taken, in their own right or through a link; what is below belongs to it."""
        self._links: list[_Task] = []
        self._verdicts: dict[bytes, _Dropped | None] = {}

    def run(self, starts: Sequence[bytes]) -> Iterator[Found | Skipped]:
        named = {self._real(start) for start in starts}
        for start in starts:
            real = self._real(start)
            if self._is_begun(real) and self._verdict(real) is None:
                continue
            yield from self._start(real, start, named)
        # Links wait until all real files are known; following some may bring up more.
        while self._links:
            links, self._links = sorted(self._links, key=lambda task: task.shown), []
            for link in links:
                yield from self._follow(link)

    def _start(self, real: bytes, shown: bytes, named: set[bytes]) -> Iterator[Found | Skipped]:
        self._begun.add(real)
        try:
            status = os.stat(real)  # noqa: PTH116 (bytes)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                yield Skipped(path_str(shown), "unreadable", error.strerror or "")
            return
        folder = stat.S_ISDIR(status.st_mode)
        if not folder and is_secret(basename(real), False, basename(dirname(real))):
            yield Skipped(path_str(shown), "secret", "named, but secrets are never read")
        elif folder:
            yield from self._folder(_Task(real, shown, self._chain_above(real)), named)
        else:
            yield self._file(shown, status)

    def _folder(self, first: _Task, named: Collection[bytes] = ()) -> Iterator[Found | Skipped]:
        """Walk one folder. A stack, not recursion: trees may be deeper than Python's stack."""
        pending: list[_Task | Skipped] = [first]
        while pending:
            task = pending.pop()
            if isinstance(task, Skipped):
                yield task
            elif task.status is not None:
                yield self._file(task.shown, task.status)
            else:
                pending.extend(reversed(self._entries(task, named)))

    def _entries(self, task: _Task, named: Collection[bytes]) -> list[_Task | Skipped]:
        """What stands in one folder, in the order of the paths' bytes; links are put aside."""
        try:
            with os.scandir(task.real or b"/") as scan:
                entries = list(scan)
        except OSError as error:
            return [Skipped(path_str(task.shown) + "/", "unreadable", error.strerror or "")]
        chain = task.chain
        if self._git:
            chain = self._git.enter(chain, task.real, {entry.name for entry in entries})
        parent = basename(task.real)
        prefix = task.shown + b"/" if task.shown else b""
        keyed: list[tuple[bytes, _Task | Skipped]] = []
        for entry in entries:
            link = entry.is_symlink()
            folder = _is_folder(entry)
            here = _Task(task.real + b"/" + entry.name, prefix + entry.name, chain)
            dropped = self._drop(here.real, entry.name, parent, folder, chain)
            if dropped is None and link:
                self._links.append(here)
            elif dropped is None or here.real not in named:
                key = entry.name + b"/" if folder and not link else entry.name
                keyed.append((key, self._entry(entry, here, folder, dropped)))
        keyed.sort(key=lambda item: item[0])
        return [item for _, item in keyed]

    def _entry(self, entry: os.DirEntry[bytes], here: _Task, folder: bool, dropped: _Dropped | None) -> _Task | Skipped:
        if dropped is None and here.real in self._begun:
            dropped = "duplicate-link", "read under its own name"
        if dropped is not None:
            return Skipped(path_str(here.shown) + ("/" if folder else ""), *dropped)
        if not folder:
            try:
                here.status = entry.stat(follow_symlinks=False)
            except OSError as error:  # gone, or not ours to look at
                return Skipped(path_str(here.shown), "unreadable", error.strerror or "")
        return here

    def _file(self, shown: bytes, status: os.stat_result) -> Found | Skipped:
        path = path_str(shown)
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, "not-a-file", _kind(status.st_mode))
        if status.st_size > self._settings.max_bytes:
            return Skipped(path, "too-large", f"{status.st_size} bytes")
        return Found(path, status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev)

    def _follow(self, link: _Task) -> Iterator[Found | Skipped]:
        path = path_str(link.shown)
        try:
            real = os.path.realpath(link.real, strict=True)
            status = os.stat(real)  # noqa: PTH116 (bytes)
        except OSError as error:
            yield Skipped(path, "link-loop" if error.errno == errno.ELOOP else "link-broken", error.strerror or "")
            return
        if not real.startswith(self._top + b"/") and real != self._top:
            yield Skipped(path, "link-outside", f"to {path_str(real)!r}")
            return
        folder = stat.S_ISDIR(status.st_mode)
        target = path_str(real[len(self._top) + 1 :])
        dropped = self._verdict(real)
        if folder and (link.real + b"/").startswith(real + b"/"):
            yield Skipped(path, "link-loop", f"to {target or '.'!r}")
        elif dropped is not None:
            yield Skipped(path, dropped[0], f"a link to {target!r}")
        elif self._is_begun(real):
            yield Skipped(path, "duplicate-link", f"to {target!r}")
        else:
            self._begun.add(real)
            if folder:
                yield from self._folder(_Task(real, link.shown, self._chain_above(real)))
            else:
                yield self._file(link.shown, status)

    def _drop(self, real: bytes, name: bytes, parent: bytes, folder: bool, chain: Chain) -> _Dropped | None:
        """Why an entry is left out, whatever it is, or None."""
        rule = self._excludes.match(real, name, folder) or self._default.match(real, name, folder)
        if rule is not None and not rule.keeps:
            return "excluded", str(rule)
        if is_secret(name, folder, parent):
            return "secret", ""
        for rules in chain:
            rule = rules.match(real, name, folder)
            if rule is not None:
                return None if rule.keeps else ("ignored", str(rule))
        return None

    def _verdict(self, real: bytes) -> _Dropped | None:
        """Why a walk from the root would not come to ``real``, or None: some folder above it, or it, is left out."""
        end = len(self._top)
        parent = basename(self._top)
        while end < len(real):
            end = real.find(b"/", end + 1)
            end = len(real) if end < 0 else end
            at = real[:end]
            name = basename(at)
            if at not in self._verdicts:
                folder = end < len(real) or os.path.isdir(at)  # noqa: PTH112 (bytes)
                self._verdicts[at] = self._drop(at, name, parent, folder, self._chain_above(at))
            if self._verdicts[at] is not None:
                return self._verdicts[at]
            parent = name
        return None

    def _chain_above(self, real: bytes) -> Chain:
        return self._git.above(real) if self._git else ()

    def _is_begun(self, real: bytes) -> bool:
        while len(real) > len(self._top):
            if real in self._begun:
                return True
            real = dirname(real)
        return self._top in self._begun

    def _real(self, start: bytes) -> bytes:
        return self._top + b"/" + start if start else self._top


def _is_folder(entry: os.DirEntry[bytes]) -> bool:
    """Also for a link to a folder, so that ``node_modules/`` holds for both."""
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself, say
        return False


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for test, name in kinds if test(mode)), "")
