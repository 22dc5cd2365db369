"""Which ignore rules of git are in force where: .gitignore files on the way down, and a repository's own lists.

Read here rather than asked of git: it must work where git isn't, and one process per walk costs more than the walk.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Mapping
from posixpath import dirname, join

from gw_core.files import path_str
from gw_core.ignore import Rules

Chain = tuple[Rules, ...]
"""The rules in force in a folder, the first to be asked first."""

_IGNORE_FILE = b".gitignore"
_REPOSITORY = b".git"
_MAX_BYTES = 500_000
"""What is read of one list: a stranger's patterns take up to a thousand times their size in memory."""
_EXCLUDES_FILE = re.compile(r"^\s*excludesfile\s*=\s*(.*?)\s*$", re.IGNORECASE)
_SECTION = re.compile(r"^\s*\[\s*([^\]\s]+)[^\]]*\]")


class GitRules:
    """The rules for the tree below ``top``, an absolute path without links.

    They begin at the repository that holds ``top``, or at ``top`` where there is none. A repository inside another
    begins anew, as it does for git.
    """

    def __init__(self, top: bytes, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._top = _repository_of(top) or top
        self._within: dict[bytes, Chain] = {}

    def above(self, path: bytes) -> Chain:
        """The chain in force for the entry ``path`` itself: that of the folder which it stands in."""
        parent = dirname(path)
        if len(path) <= len(self._top):
            return ()
        if parent not in self._within:
            chain: Chain = ()
            folders = [parent]
            while len(folders[-1]) > len(self._top):
                folders.append(dirname(folders[-1]))
            for folder in reversed(folders):
                if folder not in self._within:
                    here = [name for name in (_IGNORE_FILE, _REPOSITORY) if os.path.lexists(folder + b"/" + name)]
                    self._within[folder] = self.enter(chain, folder, here)
                chain = self._within[folder]
        return self._within[parent]

    def enter(self, chain: Chain, folder: bytes, names: Collection[bytes]) -> Chain:
        """The chain within ``folder``, which holds ``names``, when ``chain`` is in force around it."""
        if _REPOSITORY in names:
            chain = self._repository(folder)
        if _IGNORE_FILE in names:
            source = path_str(folder[len(self._top) + 1 :] + b"/" + _IGNORE_FILE).removeprefix("/")
            # Like git, don't follow a .gitignore that is a link.
            link = os.path.islink(folder + b"/" + _IGNORE_FILE)  # noqa: PTH114 (bytes)
            rules = None if link else _rules(folder + b"/" + _IGNORE_FILE, folder, source)
            chain = (rules, *chain) if rules else chain
        return chain

    def _repository(self, folder: bytes) -> Chain:
        """The lists that hold for a whole repository: its own, then the user's."""
        git = _git_folder(folder)
        lists = [_rules(git + b"/info/exclude", folder, ".git/info/exclude")] if git else []
        users = self._users_list(git)
        if users:
            lists.append(_rules(users, folder, os.fsdecode(users)))
        return tuple(rules for rules in lists if rules)

    def _users_list(self, git: bytes | None) -> bytes | None:
        """core.excludesFile, or its default place. Included configuration files are not followed."""
        home = self._environ.get("HOME", "")
        xdg = self._environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
        files = [f"{xdg}/git/config"] if xdg else []
        files += [f"{home}/.gitconfig"] if home else []
        value: str | None = None
        for file in files:
            value = _excludes_file(os.fsencode(file)) or value
        if git:
            value = _excludes_file(git + b"/config") or value
        if value is None:
            return os.fsencode(f"{xdg}/git/ignore") if xdg else None
        if value.startswith("~/"):
            value = home + value[1:]
        return os.fsencode(value) if value.startswith("/") else None


def _repository_of(folder: bytes) -> bytes | None:
    while True:
        if os.path.lexists(folder + b"/" + _REPOSITORY):
            return folder
        parent = dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _git_folder(folder: bytes) -> bytes | None:
    """Where a repository keeps what all its working trees share. In a submodule or a second working tree .git is a
    file that names the folder."""
    git = folder + b"/" + _REPOSITORY
    if os.path.isdir(git):  # noqa: PTH112 (bytes)
        return git
    pointer = _read(git)
    if not pointer or not pointer.startswith(b"gitdir:"):
        return None
    git = join(folder, pointer[len(b"gitdir:") :].strip())
    common = _read(git + b"/commondir")
    return join(git, common.strip()) if common else git


def _excludes_file(config: bytes) -> str | None:
    section, value = "", None
    for line in (_read(config) or b"").decode("utf-8", "surrogateescape").splitlines():
        head = _SECTION.match(line)
        section = head[1].lower() if head else section
        found = _EXCLUDES_FILE.match(line[head.end() :] if head else line) if section == "core" else None
        value = found[1].strip('"') if found else value
    return value


def _rules(file: bytes, base: bytes, source: str) -> Rules | None:
    data = _read(file)
    return Rules.from_bytes(data, base, source) if data else None


def _read(file: bytes) -> bytes | None:
    """The file's bytes; None for whatever can't be read, as git does, and for what isn't a file."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):  # a name with a NUL in it
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = b""
        while len(data) < _MAX_BYTES and (more := os.read(descriptor, _MAX_BYTES)):
            data += more
        return data
    except OSError:
        return None
    finally:
        os.close(descriptor)
