from __future__ import annotations

import signal
import sys

import pytest

from gw_core.errors import LoadError, MissingExtraError
from gw_plugins.loaders import isolated
from gw_plugins.loaders.isolated import Isolated

HERE = "gw_plugins_isolated_targets"


@pytest.fixture
def targets(tmp_path, monkeypatch):
    """A module of extractors that misbehave; the process of its own finds it by the path that it is given."""
    (tmp_path / f"{HERE}.py").write_text(
        """
import os, signal, sys, time
calls = []
def upper(data):
    calls.append(data)
    print("noise on stdout", flush=True)
    os.write(1, b"more noise")
    return data.decode().upper() + str(len(calls)), "utf-8"
def crash(data): os.kill(os.getpid(), signal.SIGSEGV)
def leave(data): os._exit(0)
def hang(data): time.sleep(600)
def fail(data): raise ZeroDivisionError("by\\nzero")
def need(data): import no_such_library
def hoard(data): return bytearray(1 << 36), "utf-8"
def halves(data): return "a\\ud800b", "utf-8"
"""
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    made = []

    def make(name: str, seconds: float = 30) -> Isolated:
        made.append(Isolated(f"{HERE}:{name}", seconds))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_one_process_serves_file_after_file(targets) -> None:
    upper = targets("upper")
    assert upper(b"a") == ("A1", "utf-8")
    assert upper(b"x" * 1_000_000) == ("X" * 1_000_000 + "2", "utf-8")


@pytest.mark.parametrize(
    ("name", "reason"), [("crash", "crashed"), ("leave", "crashed"), ("hang", "timeout"), ("fail", "damaged")]
)
def test_what_goes_wrong_is_a_load_error(targets, name: str, reason: str) -> None:
    extract = targets(name, 0.3 if name == "hang" else 30)
    for _ in range(2):  # and the next file gets a process again
        with pytest.raises(LoadError) as caught:
            extract(b"data")
        assert caught.value.reason == reason
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_memory_is_limited(targets) -> None:
    with pytest.raises(LoadError) as caught:
        targets("hoard")(b"")
    assert caught.value.reason == "too-large"


def test_a_missing_library_is_a_missing_extra(targets) -> None:
    with pytest.raises(MissingExtraError) as caught:
        targets("need")(b"")
    assert "no_such_library" in str(caught.value)
    assert "gw-toolkit[docs]" in caught.value.hint


def test_half_a_surrogate_pair_is_no_text(targets) -> None:
    assert targets("halves")(b"") == ("a?b", "utf-8")


def test_the_process_ends_with_its_owner(targets) -> None:
    upper = targets("upper")
    upper(b"a")
    process = upper._process
    assert process is not None
    upper.close()
    assert process.returncode == -signal.SIGKILL


def test_modules_in_the_working_folder_are_not_imported(tmp_path, monkeypatch, targets) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert targets("upper")(b"a") == ("A1", "utf-8")


def test_a_process_that_was_interrupted_is_not_asked_again(targets, monkeypatch) -> None:
    upper = targets("upper")
    upper(b"first")

    def interrupt(pipe):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(isolated, "_receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            upper(b"second")
    assert upper(b"third") == ("THIRD1", "utf-8")
