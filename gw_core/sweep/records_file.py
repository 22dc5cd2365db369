"""The records of a sweep as a file, one JSON object a line: fields, place, and where each value stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from gw_core.errors import UsageError
from gw_core.plain import dumps
from gw_core.records import Batch
from gw_core.sweep.run import plain_result


class RecordsFile:
    """Made by :meth:`open`."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    @classmethod
    @contextmanager
    def open(cls, path: Path | None, *, force: bool = False) -> Iterator[RecordsFile | None]:
        """A file to write to; None without a path. Raises UsageError for one that exists, unless ``force``."""
        if path is None:
            yield None
            return
        try:
            file = path.open("w" if force else "x", encoding="utf-8", newline="\n")
        except FileExistsError:
            raise UsageError(f"there is a file {path} already", hint="--force overwrites it") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
        with file:
            yield cls(file)

    def write(self, batch: Batch) -> None:
        names = list(batch.columns)
        for index in range(len(batch)):
            self._file.write(dumps(_record(batch, index, names)) + "\n")


def _record(batch: Batch, index: int, names: list[str]) -> dict[str, Any]:
    values = {name: plain_result(batch.columns[name][index]) for name in names}
    spans = {}
    for name in names:
        column = batch.spans.get(name)
        if column is not None and column[index] is not None:
            spans[name] = column[index]
    return {
        "schema": "gw.record/1",
        "path": batch.path,
        "start": batch.starts[index],
        "end": batch.ends[index],
        "fields": values,
        "spans": spans,
    }
