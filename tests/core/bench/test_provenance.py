"""Provenance: what git has checked out is read from its files, in all the forms that they have."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from gw_core.bench.provenance import machine, provenance, revision
from gw_core.config import Config

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def git(folder: Path, *arguments: str) -> str:
    call = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(folder), *arguments]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


def test_a_branch_loose_and_packed(repository: Path) -> None:
    (repository / "sub").mkdir()
    wanted = {"revision": git(repository, "rev-parse", "HEAD"), "branch": "main"}
    assert revision(repository / "sub") == wanted
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git/refs/heads/main").exists()
    assert revision(repository) == wanted


def test_a_detached_head_and_a_worktree(repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert revision(tmp_path / "tree") == {"revision": commit, "branch": "other"}
    git(repository, "checkout", "-q", "--detach")
    assert revision(repository) == {"revision": commit, "branch": None}


@pytest.mark.parametrize(
    "head", ["", "ref: refs/heads/none\n", "ref: ../../secret\n", "ref: refs/../../x\n", "nonsense", "ref: /etc/passwd"]
)
def test_a_head_that_leads_nowhere_is_none(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text(head)
    (tmp_path / "secret").write_text(COMMIT)
    assert revision(tmp_path) is None


def test_outside_a_repository_there_is_none(tmp_path: Path) -> None:
    assert revision(tmp_path) is None


def test_it_is_plain_data_with_versions_machine_and_what_was_configured(tmp_path: Path) -> None:
    config = Config.load(tmp_path, overrides=["retrieve.k=3"], env={"GW_CONFIG": ""})
    found = provenance(tmp_path, config)
    assert json.loads(json.dumps(found)) == found
    assert found["config"] == {"retrieve.k": 3}
    assert found["packages"]["apsw"]
    assert machine()["id"] == found["machine"]["id"]
    assert found["machine"]["cores"] >= 1
