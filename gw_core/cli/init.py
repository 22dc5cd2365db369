"""``gw init``"""

from __future__ import annotations

from pathlib import Path

import click

from gw_core.cli.options import Session, gw_command
from gw_core.errors import NotFoundError, UsageError


@gw_command("init", examples=("gw init", "gw init --root ~/notes", "gw init --force"))
@click.option("--force", is_flag=True, help="Overwrite a gw.toml that is there.")
def command(session: Session, force: bool) -> None:
    """Write a gw.toml in which every setting stands with its default and a comment.

    It is written to the working directory, or to --root. Nothing needs it: gw works without one.
    """
    from gw_core.config import FILE_NAME, Config  # noqa: PLC0415

    folder = Path(session.root) if session.root is not None else Path.cwd()
    if not folder.is_dir():
        raise NotFoundError(f"--root: {session.root!r} is not a folder")
    path = folder / FILE_NAME
    existed = path.exists() or path.is_symlink()
    if existed and not force:
        raise UsageError(f"{path} is there already", hint="--force overwrites it")
    write_text(path, Config.template())
    if session.console.format == "json":
        session.console.item({"schema": "gw.init/1", "path": str(path.absolute()), "overwritten": existed})
    else:
        session.console.line(f"wrote {path}")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    import os  # noqa: PLC0415

    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
