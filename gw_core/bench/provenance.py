"""Where figures come from: versions, revision, machine, configuration."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import stat
import sys
from pathlib import Path
from typing import Any

from gw_core.config import Config
from gw_core.plain import plain
from gw_core.version import __version__

_PACKAGES = ("apsw", "click", "isal", "pluggy", "PyYAML")
_SECRET = re.compile(r"(?:^|[._-])(?:api_?)?(?:key|token|secret|password|passwd|credentials?|auth)$", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def provenance(root: Path, config: Config) -> dict[str, Any]:
    """Versions, machine, git revision of ``root``, and every setting that is not the default."""
    return {
        "gw": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": machine(),
        "packages": packages(),
        "git": revision(root),
        "config": {
            one.key: _told(one.key, plain(one.value)) for one in config.sources() if one.origin.layer != "default"
        },
    }


def _told(key: str, value: Any) -> Any:
    """A setting as a report may tell it, which is published: not what opens a door, nor where somebody lives."""
    if _SECRET.search(key) and value is not None:
        return "(not told)"
    if isinstance(value, list):
        return [_told(key, one) for one in value]
    home = os.environ.get("HOME", "").rstrip("/")
    if home and isinstance(value, str) and value.startswith(f"{home}/"):
        return "~" + value[len(home) :]
    return value


def packages() -> dict[str, str]:
    """The versions of what gw stands on, as far as it is installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    import apsw  # noqa: PLC0415

    found = {"sqlite": apsw.sqlite_lib_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Processor, usable cores and memory; ``id`` is the same for machines alike in these, and names none."""
    cpu, memory = _cpu(), _memory()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    told = f"{cpu}\0{cores}\0{round(memory / 2**30)}\0{sys.platform}\0{platform.machine()}"
    return {
        "cpu": cpu,
        "cores": cores,
        "memory_bytes": memory,
        "id": hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:12],
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model"):
                return value.strip()
    return platform.processor() or platform.machine()


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0


def revision(root: Path) -> dict[str, Any] | None:
    """The commit that is checked out at ``root`` or above, with its branch; None outside a repository.

    Read from git's own files: to run git in a folder that may come from a stranger would run what its configuration
    names. Whether files differ from the commit is therefore not told.
    """
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_dir():
            return _head(git)
        if git.is_file():  # a worktree or a submodule
            named = _text(git).removeprefix("gitdir:").strip()
            return _head(folder / named) if named else None
    return None


def _head(git: Path) -> dict[str, Any] | None:
    head = _text(git / "HEAD").strip()
    if _HEX.fullmatch(head):
        return {"revision": head, "branch": None}
    name = head.removeprefix("ref:").strip()
    if not head.startswith("ref:") or not re.fullmatch(r"refs/[\w./+@-]+", name) or ".." in name:
        return None
    common = _text(git / "commondir").strip()
    for folder in dict.fromkeys((git, git / common if common else git)):
        found = _text(folder / name).strip()
        if not _HEX.fullmatch(found):
            lines = (line.split(" ", 1) for line in _text(folder / "packed-refs").splitlines())
            packed = {line[1]: line[0] for line in lines if len(line) == 2}
            found = packed.get(name, "")
        if _HEX.fullmatch(found):
            return {"revision": found, "branch": name.removeprefix("refs/heads/")}
    return None


def _text(file: Path) -> str:
    """The text of a small file; nothing where there is none. A pipe is none: its reader would wait for ever."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return ""
            return opened.read(4_000_000).decode("utf-8", "replace")
    except (OSError, ValueError):  # a name with a null in it, too
        return ""
