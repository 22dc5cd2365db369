"""Patterns against git itself: what it leaves out of a tree, we leave out, and nothing else."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.corpus import CorpusSettings, Found, walk
from gw_core.ignore import Rules, _compile, _tokens, automaton

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
NO_DEFAULTS = CorpusSettings(
    excludes=["!build/", "!dist/", "!target/", "!vendor/", "!venv/", "!.venv/", "!node_modules/", "!__pycache__/"]
)


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def git_files(root: Path, home: Path) -> set[str]:
    call = ["git", "-C", str(root), "ls-files", "-coz", "--exclude-standard"]
    out = subprocess.run(call, env=environment(home), check=True, capture_output=True).stdout
    return {path.decode("utf-8", "surrogateescape") for path in out.split(b"\0") if path}


def our_files(root: Path, home: Path) -> set[str]:
    return {
        item.path for item in walk(root, settings=NO_DEFAULTS, environ=environment(home)) if isinstance(item, Found)
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], env=environment(tmp_path), check=True)
    return root


def grow(root: Path, choose: random.Random) -> None:
    """A few dozen files with short names over few letters, so that random patterns meet them."""
    names = [b"a", b"b", b"ab", b"a.b", b"b.a", b"a b", b"ab.txt", b"A", b"[a]", b"a*", b"-", b"caf\xe9", "é".encode()]
    for _ in range(40):
        parts = [choose.choice(names) for _ in range(choose.randint(1, 4))]
        file = root.joinpath(*(os.fsdecode(part) for part in parts))
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(exist_ok=False)
        except OSError:
            continue  # a file stands where a folder should, or the other way round


PIECES = [
    b"a",
    b"b",
    b"ab",
    b"*",
    b"**",
    b"?",
    b"/",
    b"/",
    b".",
    b"[ab]",
    b"[!a]",
    b"[^b]",
    b"[a-c]",
    b"[]a]",
    b"[a",
    b"\\a",
]
PIECES += [
    b"\\*",
    b"[[:alpha:]]",
    b"[[:foo:]]",
    b"[[:a]",
    b"[a-]",
    b"[--b]",
    b"[\\a]",
    b"[b-\\c]",
    b" ",
    b"\\ ",
    b"!",
    b"#",
    b"\\",
]
PIECES += [b"**/", b"/**", b"/**/", b"caf\xe9", b"caf?", "é".encode(), b"[", b"]", b"-", b"A"]


def random_rules(choose: random.Random) -> bytes:
    lines = []
    for _ in range(choose.randint(1, 5)):
        negation = b"!" if choose.random() < 0.3 else b""
        folder = b"/" if choose.random() < 0.2 else b""
        lines.append(negation + b"".join(choose.choice(PIECES) for _ in range(choose.randint(1, 5))) + folder)
    ending = choose.choice([b"\n", b"\r\n"])
    start = choose.choice([b"", b"", b"\xef\xbb\xbf"])
    return start + ending.join(lines) + choose.choice([b"", ending])


@needs_git
@pytest.mark.parametrize("seed", range(int(os.environ.get("GW_TEST_SEEDS", "25"))))
def test_random_rules_over_random_trees_agree_with_git(repository: Path, tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    grow(repository, choose)
    folders = [Path(base) for base, _, _ in os.walk(repository) if "/.git" not in base]
    for _ in range(8):
        for folder in folders:
            (folder / ".gitignore").unlink(missing_ok=True)
        for folder in [repository, *choose.sample(folders, min(2, len(folders)))]:
            (folder / ".gitignore").write_bytes(random_rules(choose))
        (repository / ".git/info/exclude").write_bytes(random_rules(choose) if choose.random() < 0.3 else b"")
        expected = git_files(repository, tmp_path)
        ours = our_files(repository, tmp_path)
        rules = {str(file): file.read_bytes() for file in repository.rglob(".gitignore")}
        assert ours == expected, (sorted(ours ^ expected), rules, (repository / ".git/info/exclude").read_bytes())


@needs_git
@pytest.mark.parametrize(
    "rules",
    [
        b"\xef\xbb\xbfone.txt\n",  # a byte order mark
        b"one.txt\r\nsub/\r\n",  # carriage returns
        b"one.txt   \n",  # spaces at the end are not part of it
        b"one.txt\\ \n",  # ... unless held
        b"one.txt\t\n",  # a tab is
        b"*.txt\n!one.txt\n",
        b"sub/\n!sub/two.txt\n",  # what is below an ignored folder can't be taken back
        b"sub/*\n!sub/two.txt\n",
        b"/one.txt\n",
        b"sub/**\n",
        b"**/two.txt\n",
        b"s**b/two.txt\n",
        b"su**/two.txt\n",
        b"su**\n",
        b"\\#x\n#x\n\\!y\n",
        b"\n\n   \n/\n!\n!/\n//\n",
        b"one.txt",
        b"sub/deep/\n",
        b"deep\n",
        b"sub/deep",
        b"*/deep/\n",
        b"o*e.*t\n",
        b"*o*n*e*.*t*x*t*\n",
        b"[!o]*.txt\n",
    ],
)
def test_one_rule_file_agrees_with_git(repository: Path, tmp_path: Path, rules: bytes) -> None:
    (repository / "sub/deep").mkdir(parents=True)
    for path in ("one.txt", "one.txt ", "sub/two.txt", "sub/one.txt", "sub/deep/one.txt", "subx", "#x", "!y", "deep"):
        (repository / path).touch()
    (repository / ".gitignore").write_bytes(rules)
    assert our_files(repository, tmp_path) == git_files(repository, tmp_path)


@needs_git
def test_the_users_own_list_and_the_repositorys_agree_with_git(repository: Path, tmp_path: Path) -> None:
    for path in ("a.swp", "b.log", "c.tmp", "d.txt", "e.orig"):
        (repository / path).touch()
    (tmp_path / ".config/git").mkdir(parents=True)
    (tmp_path / ".config/git/ignore").write_text("*.swp\n")
    (repository / ".git/info/exclude").write_text("*.log\n!b.tmp\n")
    assert our_files(repository, tmp_path) == git_files(repository, tmp_path) == {"c.tmp", "d.txt", "e.orig"}
    (tmp_path / ".gitconfig").write_text('[user]\n\texcludesFile = /no\n[core]\n\tExcludesFile = "~/mine"\n')
    (tmp_path / "mine").write_text("*.tmp\n")
    assert our_files(repository, tmp_path) == git_files(repository, tmp_path) == {"a.swp", "d.txt", "e.orig"}
    with (repository / ".git/config").open("a") as config:
        config.write(f"[core] excludesfile = {tmp_path}/theirs\n")
    (tmp_path / "theirs").write_text("*.orig\n!b.log\n")
    assert our_files(repository, tmp_path) == git_files(repository, tmp_path) == {"a.swp", "c.tmp", "d.txt"}


@needs_git
def test_a_second_working_tree_uses_the_first_ones_list(repository: Path, tmp_path: Path) -> None:
    run = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "x"], env=environment(tmp_path), check=True)
    subprocess.run([*run, "worktree", "add", "-q", str(tmp_path / "second")], env=environment(tmp_path), check=True)
    (repository / ".git/info/exclude").write_text("*.log\n")
    for path in ("a.log", "b.txt"):
        (tmp_path / "second" / path).touch()
    second = tmp_path / "second"
    assert our_files(second, tmp_path) == git_files(second, tmp_path) == {"b.txt"}


@needs_git
def test_rules_above_the_root_count_up_to_the_repositorys_top(repository: Path, tmp_path: Path) -> None:
    (repository / "a/b").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.txt\n")  # above the repository: not a rule of it
    (repository / ".gitignore").write_text("/a/b/one.log\n*.tmp\n")
    (repository / "a/.gitignore").write_text("!keep.tmp\n/b/two.log\n")
    for name in ("one.log", "two.log", "x.tmp", "keep.tmp", "y.txt"):
        (repository / "a/b" / name).touch()
    root = repository / "a/b"
    assert our_files(root, tmp_path) == git_files(root, tmp_path) == {"keep.tmp", "y.txt"}


GLOBS = st.lists(st.sampled_from([b"a", b"b", b"*", b"**", b"/", b"?", b"[ab]", b"**/", b"/**"]), max_size=7).map(
    b"".join
)


@given(GLOBS, st.text("ab/", max_size=12).map(str.encode), st.booleans())
def test_the_regular_expression_and_the_automaton_agree(pattern: bytes, name: bytes, whole_path: bool) -> None:
    tokens = _tokens(pattern, whole_path)
    assert tokens is not None
    few = [token for token in tokens if token >= 0 or tokens.count(token) < 2]
    assert bool(_compile(few)(name)) == automaton(few)(name)


def test_many_stars_take_no_time() -> None:
    rules = Rules([b"*a" * 30 + b"b", b"/" + b"*a" * 30 + b"b"], b"/root", "x")
    assert rules.match(b"/root/" + b"a" * 250, b"a" * 250, False) is None
    assert rules.match(b"/root/" + b"a" * 250 + b"b", b"a" * 250 + b"b", False) is not None


def test_the_rule_that_decided_is_named() -> None:
    rules = Rules.from_bytes(b"*.log\n\n!keep.log \n", b"/root", "sub/.gitignore")
    assert str(rules.match(b"/root/x.log", b"x.log", False)) == "sub/.gitignore:1: *.log"
    kept = rules.match(b"/root/keep.log", b"keep.log", False)
    assert kept is not None
    assert (kept.keeps, str(kept)) == (True, "sub/.gitignore:3: !keep.log")
    assert rules.match(b"/root/x.txt", b"x.txt", False) is None
