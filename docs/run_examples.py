"""Runs the examples of the docs and compares what they print with what the pages say.

    python docs/run_examples.py                       compare every page; exit 1 if one says something else
    python docs/run_examples.py --write [PAGE...]     put what was printed into the pages

A block of ``sh`` is run as it stands, and one of ``python`` that begins with a file's name in a comment becomes that
file. In a block of ``console``, lines that begin with ``$ `` are commands, and what follows each is what it prints,
stdout and stderr as a terminal shows them. All blocks of a page run one after another, in one shell, in a temporary
folder. A test does the same.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DOCS = Path(__file__).parent
TOP = DOCS.parent
README = TOP / "README.md"
TUTORIAL = DOCS / "tutorial.md"

_BLOCK = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# ([\w.-]+)\n")
_END = "\x1e"


@dataclass
class Example:
    """One command; ``shown`` is what the page says that it prints, None where the page doesn't say."""

    command: str
    shown: str | None = None
    printed: str = field(default="", compare=False)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """``(language, content)`` of each fenced block."""
    for found in _BLOCK.finditer(text):
        yield found[2], found[3]


def examples(text: str, *, scripts: bool = True) -> list[Example]:
    """The commands of a page, in order; without ``scripts``, those of ``console`` blocks only."""
    found: list[Example] = []
    for language, content in blocks(text):
        if language == "sh" and scripts:
            found.append(Example(content))
        elif language == "console":
            found += _session(content)
    return found


def _session(content: str) -> Iterator[Example]:
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield Example(command, shown.rstrip("\n"))


def pages() -> list[Path]:
    """The pages with examples that are run."""
    return [
        page
        for page in (README, *sorted(DOCS.rglob("*.md")))
        if any(language == "console" for language, _ in blocks(page.read_text("utf-8")))
    ]


def run(page: Path) -> list[Example]:
    """The examples of ``page``, with what they print now."""
    text = page.read_text("utf-8")
    found = examples(text, scripts=page != README)
    with tempfile.TemporaryDirectory(prefix="gw-docs-") as name:
        folder = Path(name).resolve()
        if page == README:  # its examples ask the documentation
            shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("__pycache__", ".*"))
        elif page != TUTORIAL:  # all others use the files that the tutorial makes
            _shell([examples(TUTORIAL.read_text("utf-8"))[0].command], folder)
            for file in (folder / "handbook").iterdir():  # not of this moment, so that gw may trust its stamp
                os.utime(file, (1_700_000_000, 1_700_000_000))
        for language, content in blocks(text):
            if language == "python" and (named := _FILE.match(content)):
                (folder / named[1]).write_text(content, encoding="utf-8")
        outputs = _shell([one.command for one in found], folder)
    for example, output in zip(found, outputs, strict=True):
        example.printed = output.replace(str(folder), "/home/you").rstrip("\n")
    return found


def _shell(commands: list[str], folder: Path) -> list[str]:
    """What each command prints; they share one shell and each sees the exit code of the one before."""
    lines = ["exec 2>&1", "rc=0"]
    for command in commands:
        lines += ['(exit "$rc")', command, "rc=$?", r"printf '\036'"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GW_")}
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=folder,
        env={**kept, "PATH": path, "HOME": str(folder), "GW_CONFIG": "", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
        encoding="utf-8",
    )
    outputs = done.stdout.split(_END)
    if len(outputs) != len(commands) + 1:
        raise RuntimeError(f"the shell ended early: {done.stdout[-2000:]}")
    return outputs[:-1]


def normalised(text: str, page: Path) -> str:
    """Without what may vary from run to run and from one measurement to the next: times, scores, sizes."""
    text = re.sub(r"\b\d+\.\d+\b(?! %)", "N", text)
    if page == README:  # asks pages that change: places and counts vary, answers don't
        text = re.sub(r"#c\d+-\d+\.[0-9a-f]{24}", "#cN-N.H", text)
        text = re.sub(r"\b\d+(?= (added|documents|chunks|unchanged|verified))", "N", text)
        text = re.sub(r"(?<=:)\d+(-\d+)?", "N", text)
    return text


def different(page: Path) -> list[Example]:
    return [
        one
        for one in run(page)
        if one.shown is not None and normalised(one.shown, page) != normalised(one.printed, page)
    ]


def write(page: Path) -> None:
    printed = iter([one.printed for one in run(page) if one.shown is not None])

    def with_output(found: re.Match[str]) -> str:
        if found[2] != "console":
            return found[0]
        lines = []
        for one in _session(found[3]):
            lines += [f"$ {one.command}", next(printed)]
        return "\n".join([f"{found[1]}console", *filter(None, lines), found[1]])

    page.write_text(_BLOCK.sub(with_output, page.read_text("utf-8")), encoding="utf-8")


def main(arguments: list[str]) -> int:
    rewrite = "--write" in arguments
    chosen = [Path(one).resolve() for one in arguments if one != "--write"] or pages()
    failed = False
    for page in chosen:
        if rewrite:
            write(page)
        for one in different(page):
            failed = True
            sys.stderr.write(f"{page}: $ {one.command}\n--- the page says\n{one.shown}\n--- it is\n{one.printed}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
