"""The library used wrongly: what is said is true, and the index is whole afterwards."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import gw_core
from gw_core.errors import IndexBusyError, UsageError


def test_a_callback_that_raises_or_asks_leaves_the_index_whole(folder: Path) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("mine")

    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws:
        with pytest.raises(RuntimeError, match="mine"):
            ws.ingest([folder], on_progress=fail)
        assert ws.ingest([folder]).readable == 1
        (folder / "b.txt").write_text("The harbour of boats.\n", encoding="utf-8")
        assert ws.ingest([folder], on_progress=lambda _: ws.search("harbour")).added == ["b.txt"]
        (folder / "c.txt").write_text("The harbour of ships.\n", encoding="utf-8")
        with pytest.raises(IndexBusyError):
            ws.ingest([folder], on_progress=lambda _: ws.ingest([folder], wait=0))
        assert ws.ingest([folder]).readable == 3
        assert ws.verify_all().counts == {"verified": 3}


def test_a_workspace_that_was_closed_within_a_callback_is_not_called_damaged(folder: Path) -> None:
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws:
        ws.ingest([folder])
        with pytest.raises(UsageError, match="closed"):
            ws.verify_all(on_progress=lambda *_: ws.close())


def test_threads_that_share_a_workspace_are_told(folder: Path) -> None:
    raised: list[Exception] = []
    with gw_core.open(folder, env={"GW_CONFIG": ""}) as ws:
        ws.ingest([folder])
        ws.search("harbour")

        def search() -> None:
            try:
                for _ in range(20):
                    ws.search("harbour")
            except Exception as error:  # noqa: BLE001
                raised.append(error)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert not [one for one in raised if "damaged" in str(one)]
