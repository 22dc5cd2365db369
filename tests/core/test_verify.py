from __future__ import annotations

import codecs
import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gw_core.citation import Citation, cite_text
from gw_core.errors import LoadError, MissingExtraError
from gw_core.model import Loaded, Span, Verdict
from gw_core.text import occurrences
from gw_core.text.decode import decode
from gw_core.verify import SourceReader, Verification, verify

TEXT = (
    "The first line says little.\nThe pump was replaced in 1974 by engineers from Leeds.\nThe last line says nothing.\n"
)
CITED = "replaced in 1974"


def _cite(text: str = TEXT, cited: str = CITED, path: str = "a.txt", decoder: str = "", nth: int = 0) -> Citation:
    start = -1
    for _ in range(nth + 1):
        start = text.index(cited, start + 1)
    return cite_text(path, text, start, start + len(cited), decoder)


def _check(root: Path, citation: Citation, text: str | bytes, **more: object) -> Verification:
    target = root / citation.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    # As a stranger would: from the line alone, with nothing else known.
    return verify(Citation.parse(str(citation)), root, **more)  # type: ignore[arg-type]


def test_verified(tmp_path: Path) -> None:
    found = _check(tmp_path, _cite(path="docs/a b.txt"), TEXT)
    assert (found.verdict, found.text, found.lines, found.path) == (Verdict.VERIFIED, CITED, (2, 2), "docs/a b.txt")
    assert found.sha256 == _cite().sha256
    assert found.reason == ""
    assert found.moved_to is None


def test_moved_when_something_is_put_in_front(tmp_path: Path) -> None:
    citation = _cite()
    for front in ("x", "\n", "x" * 10_000, "a line\n" * 300):
        found = _check(tmp_path, citation, front + TEXT)
        assert found.verdict is Verdict.MOVED
        assert (found.start, found.end) == (citation.start + len(front), citation.end + len(front))
        assert found.text == CITED
        assert found.moved_to == cite_text("a.txt", front + TEXT, found.start, found.end)
        assert verify(found.moved_to, tmp_path).verdict is Verdict.VERIFIED


@pytest.mark.parametrize(("start", "end"), [(0, 5), (0, len(TEXT)), (len(TEXT) - 9, len(TEXT)), (28, 29)])
def test_the_edges_of_a_file_are_a_neighbourhood_too(tmp_path: Path, start: int, end: int) -> None:
    citation = cite_text("a.txt", TEXT, start, end)
    assert _check(tmp_path, citation, TEXT).verdict is Verdict.VERIFIED
    assert _check(tmp_path, citation, "!" + TEXT).verdict is Verdict.MOVED


def test_moved_needs_one_side_only(tmp_path: Path) -> None:
    citation = _cite()
    left = TEXT[: citation.end] + " for good, and that was the end of it all."
    assert _check(tmp_path, citation, "Intro. " + left).verdict is Verdict.MOVED
    right = "Everything that stood here before is gone: " + TEXT[citation.start :]
    assert _check(tmp_path, citation, right).verdict is Verdict.MOVED


def test_drifted_when_the_text_is_edited(tmp_path: Path) -> None:
    found = _check(tmp_path, _cite(), TEXT.replace("1974", "1975"))
    assert (found.verdict, found.text, found.occurrences) == (Verdict.DRIFTED, "replaced in 1975", ())
    assert found.lines == (2, 2)
    assert found.reason


def test_drifted_lists_bare_occurrences_elsewhere(tmp_path: Path) -> None:
    text = "Quite another matter: it was replaced in 1974, says a note.\n" + TEXT.replace("1974", "1975")
    found = _check(tmp_path, _cite(), text)
    assert found.verdict is Verdict.DRIFTED
    assert [span.of(text) for span in found.occurrences] == [CITED]
    assert "other surroundings" in found.reason
    assert verify(_cite(), tmp_path, text=CITED).occurrences == found.occurrences
    assert verify(_cite(), tmp_path, text="not the cited text").occurrences == found.occurrences


def test_of_two_copies_the_cited_one_is_meant(tmp_path: Path) -> None:
    text = "One pump was replaced in 1974 by us.\nAnother part was replaced in 1974 by them.\n"
    for nth in (0, 1):
        citation = _cite(text, nth=nth)
        found = _check(tmp_path, citation, "x" + text)
        assert (found.verdict, found.start) == (Verdict.MOVED, citation.start + 1)
        edited = "x" + text[: citation.start] + "replaced in 1999" + text[citation.end :]
        found = _check(tmp_path, citation, edited)
        assert found.verdict is Verdict.DRIFTED
        assert [span.of(edited) for span in found.occurrences] == [CITED]


def test_two_places_that_fit_equally_are_no_move(tmp_path: Path) -> None:
    found = _check(tmp_path, _cite(), "x" + TEXT + "y" * 40 + "\n" + TEXT)
    # One copy has lost what stood before it, being at the start of the file no longer; both sides beat one.
    assert found.verdict is Verdict.DRIFTED
    assert len(found.occurrences) == 2
    assert "equally" in found.reason


def test_a_copy_that_lands_on_the_place_by_chance_is_not_the_cited_one(tmp_path: Path) -> None:
    text = "It was replaced in 1974, they say. " + "-" * 40 + " Then it was replaced in 1974 again."
    citation = _cite(text, nth=1)
    shift = citation.start - text.index(CITED)
    found = _check(tmp_path, citation, "=" * shift + text)
    assert (found.verdict, found.start) == (Verdict.MOVED, citation.start + shift)


def test_new_surroundings_are_remarked(tmp_path: Path) -> None:
    citation = _cite()
    changed = "#" * citation.start + CITED + "#" * 50
    found = _check(tmp_path, citation, changed)
    assert (found.verdict, found.start) == (Verdict.VERIFIED, citation.start)
    assert "around it" in found.reason


def test_both_sides_beat_one(tmp_path: Path) -> None:
    citation = _cite()
    half = TEXT[: citation.end] + " but nobody remembers it any more at all.\n"
    found = _check(tmp_path, citation, "Intro\n" + TEXT + half)
    assert (found.verdict, found.start) == (Verdict.MOVED, citation.start + 6)


def test_a_file_that_ends_before_the_place(tmp_path: Path) -> None:
    found = _check(tmp_path, _cite(), "short")
    assert (found.verdict, found.start, found.end, found.text) == (Verdict.DRIFTED, 5, 5, "")
    assert "ends before" in found.reason
    assert _check(tmp_path, _cite(), "").verdict is Verdict.DRIFTED


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_rewriting_line_ends(tmp_path: Path, end: str) -> None:
    text = "al\nbeta\n\nc and\ndelta\n"
    rewritten = text.replace("\n", end)
    for start in range(len(text)):
        for stop in range(start + 1, len(text) + 1):
            verdict = _check(tmp_path, cite_text("a.txt", text, start, stop), rewritten).verdict
            if rewritten[start:stop] == text[start:stop]:
                assert verdict is Verdict.VERIFIED
            elif "\n" in text[start:stop]:
                assert verdict is Verdict.DRIFTED
            elif text.count(text[start:stop]) == 1:
                assert verdict is Verdict.MOVED


@pytest.mark.parametrize(
    ("bom", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (b"", "utf-16-be"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (b"", "cp1252"),
    ],
)
def test_every_encoding_is_read_again_as_cited(tmp_path: Path, bom: bytes, encoding: str) -> None:
    text = TEXT.replace("pump", "Pümpchen").replace("\n", "\r\n")
    data = bom + text.encode(encoding)
    decoded = decode(data)
    citation = _cite(decoded.text, decoder="" if decoded.encoding == "utf-8" else decoded.encoding)
    assert _check(tmp_path, citation, data).verdict is Verdict.VERIFIED
    assert _check(tmp_path, citation, bom + ("x" + text).encode(encoding)).verdict is Verdict.MOVED


def test_missing(tmp_path: Path) -> None:
    for path in ("gone.txt", "no/such/folder.txt", "a.txt/inside"):
        (tmp_path / "a.txt").write_text(TEXT)
        found = verify(_cite(path=path), tmp_path)
        assert (found.verdict, found.text, found.lines) == (Verdict.MISSING, None, None)
        assert found.reason


@pytest.mark.parametrize(
    "kind", ["dots", "absolute", "link", "linked folder", "folder", "fifo", "socket", "device", "loop"]
)
def test_what_may_not_be_read_is_unresolvable(tmp_path: Path, kind: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text(TEXT)
    path = "a"
    if kind == "dots":
        path = "../outside/secret.txt"
    elif kind == "absolute":
        path = str(outside / "secret.txt")
    elif kind == "link":
        (root / "a").symlink_to(outside / "secret.txt")
    elif kind == "linked folder":
        (root / "sub").symlink_to(outside)
        path = "sub/secret.txt"
    elif kind == "folder":
        (root / "a").mkdir()
    elif kind == "fifo":
        os.mkfifo(root / "a")
    elif kind == "socket":
        here = Path.cwd()
        os.chdir(root)  # the names of sockets must be short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("a")
        os.chdir(here)
    elif kind == "device":
        (root / "a").symlink_to("/dev/zero")
    elif kind == "loop":
        (root / "a").symlink_to("a")
    found = verify(_cite(path=path), root)
    assert found.verdict is Verdict.UNRESOLVABLE
    assert found.text is None
    assert found.reason
    assert "\n" not in found.reason


def test_a_link_that_stays_inside_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "link.txt").symlink_to("a.txt")
    assert verify(_cite(path="link.txt"), tmp_path).verdict is Verdict.VERIFIED


def test_a_file_that_cannot_be_decoded_as_cited(tmp_path: Path) -> None:
    for decoder, data in (("", b"\xff\xfe\xff"), ("utf-16-le", b"abc"), ("no-such-codec", b"abc"), ("zlib", b"abc")):
        found = _check(tmp_path, _cite(decoder=decoder), data)
        assert found.verdict is Verdict.UNRESOLVABLE
        assert found.reason


def test_a_file_too_large_to_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    assert SourceReader(tmp_path, max_bytes=20).verify(_cite()).verdict is Verdict.UNRESOLVABLE


def test_a_tree_can_be_moved(tmp_path: Path) -> None:
    citation = _cite(path="sub/a.txt")
    _check(tmp_path / "here", citation, TEXT)
    (tmp_path / "here").rename(tmp_path / "there")
    assert verify(citation, tmp_path / "there").verdict is Verdict.VERIFIED


class _Upper:
    name = "upper"
    version = "2"
    extracts = True
    suffixes = (".up",)

    def __init__(self) -> None:
        self.calls = 0

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:
        self.calls += 1
        if data == b"refused":
            raise LoadError("it is encrypted", reason="encrypted")
        if data == b"extra":
            raise MissingExtraError("upper needs an extra")
        if data == b"bug":
            raise ZeroDivisionError
        return Loaded(data.decode().upper(), "utf-8")


def test_extracted_text_is_extracted_again(tmp_path: Path) -> None:
    citation = _cite(TEXT.upper(), CITED.upper(), decoder="upper@2")
    loader = _Upper()
    assert _check(tmp_path, citation, TEXT, loaders={"upper": loader}).verdict is Verdict.VERIFIED
    assert _check(tmp_path, citation, TEXT, loaders=lambda name: loader).verdict is Verdict.VERIFIED
    assert _check(tmp_path, citation, "x" + TEXT, loaders={"upper": loader}).verdict is Verdict.MOVED


def _missing_extra(name: str) -> None:
    raise MissingExtraError(f"{name} needs an extra")


def test_a_loader_that_is_not_here_or_fails(tmp_path: Path) -> None:
    here = {"upper": _Upper()}
    citation = _cite(TEXT.upper(), CITED.upper(), decoder="upper@2")
    for loaders in ({}, None, lambda name: None, _missing_extra):
        found = _check(tmp_path, citation, TEXT, loaders=loaders)
        assert found.verdict is Verdict.UNRESOLVABLE
        assert "upper" in found.reason
    found = _check(tmp_path, _cite(TEXT.upper(), CITED.upper(), decoder="upper@1"), TEXT, loaders=here)
    assert found.verdict is Verdict.UNRESOLVABLE
    assert "upper@2" in found.reason
    for data in (b"refused", b"extra", b"bug"):
        assert _check(tmp_path, citation, data, loaders=here).verdict is Verdict.UNRESOLVABLE


def test_many_citations_of_one_file_read_it_once(tmp_path: Path) -> None:
    path = tmp_path / "a.up"
    path.write_text(TEXT)
    os.utime(path, (1, 1))
    loader = _Upper()
    reader = SourceReader(tmp_path, {"upper": loader})
    for start in range(40):
        citation = cite_text("a.up", TEXT.upper(), start, start + 9, "upper@2")
        assert reader.verify(citation).verdict is Verdict.VERIFIED
    assert loader.calls == 1


def test_a_file_that_changes_between_two_checks_is_read_again(tmp_path: Path) -> None:
    reader = SourceReader(tmp_path)
    path = tmp_path / "a.txt"
    for text, verdict in (
        (TEXT, Verdict.VERIFIED),
        (TEXT.replace("1974", "1975"), Verdict.DRIFTED),  # the same size, and within one tick of many clocks
        ("x" + TEXT, Verdict.MOVED),
    ):
        path.write_text(text)
        assert reader.verify(_cite()).verdict is verdict
    path.unlink()
    assert reader.verify(_cite()).verdict is Verdict.MISSING
    path.symlink_to("/etc/passwd")
    assert reader.verify(_cite()).verdict is Verdict.UNRESOLVABLE


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    reader = SourceReader(tmp_path, cache_bytes=2 * len(TEXT))
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text(TEXT)
        assert reader.verify(_cite(path=f"{number}.txt")).verdict is Verdict.VERIFIED
    assert len(reader._cache) == 2


def test_a_search_that_had_to_stop_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(occurrences, "MAX_HASHED", 20_000)
    monkeypatch.setattr(occurrences, "_BLOCK", 50)
    far = "z" * 3000 + TEXT.replace("The pump was", "Nothing like it at all, of course; it was").replace("by", "  ")
    found = _check(tmp_path, _cite(), far)
    assert found.verdict is Verdict.DRIFTED
    assert "only the part" in found.reason
    # Where the text is known the search is a plain one, and whole.
    assert [span.of(far) for span in verify(_cite(), tmp_path, text=CITED).occurrences] == [CITED]


def test_moves_are_found_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(occurrences, "_BLOCK", 7)
    monkeypatch.setattr(occurrences, "_BLOCKS_SEARCHED", 10_000)
    for front in range(1, 30):
        assert _check(tmp_path, _cite(), "\n-" * front + TEXT).verdict is Verdict.MOVED


def test_repetition_is_not_a_trap(tmp_path: Path) -> None:
    text = "same line\n" * 20_000
    found = _check(tmp_path, cite_text("a.txt", text, 5000, 5009), "x" + text.replace("e", "i", 1))
    assert found.verdict is Verdict.DRIFTED
    assert len(found.occurrences) == 100
    assert "or more" in found.reason


_ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=120)
_NAME = (
    st.binary(min_size=1, max_size=20)
    .filter(lambda raw: not set(b"/\0") & set(raw) and raw not in (b".", b".."))
    .map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_NAME, _ANY_TEXT, st.data())
def test_any_span_of_any_file_is_cited_and_verified(tmp_path: Path, name: str, text: str, data: st.DataObject) -> None:
    text = text.removeprefix("\ufeff") or "x"
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    target = os.fsencode(tmp_path) + b"/" + name.encode("utf-8", "surrogateescape")
    with open(target, "wb") as file:  # noqa: PTH123  the name is bytes
        file.write(text.encode())
    found = verify(Citation.parse(str(cite_text(name, text, start, end))), tmp_path)
    assert (found.verdict, found.text) == (Verdict.VERIFIED, text[start:end])
    os.unlink(target)  # noqa: PTH108


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 10**9), min_size=20, max_size=60, unique=True), _ANY_TEXT, st.data())
def test_insertion_in_front_moves_and_an_edit_inside_drifts(
    tmp_path: Path, numbers: list[int], front: str, data: st.DataObject
) -> None:
    text = " ".join(map(str, numbers)) + "."
    start = data.draw(st.integers(0, len(text) - 12))
    end = data.draw(st.integers(start + 11, len(text)))
    citation = cite_text("a.txt", text, start, end)
    if text.count(text[start:end]) == 1:
        moved = _check(tmp_path, citation, "x" + front + text)
        assert (moved.verdict, moved.start) == (Verdict.MOVED, start + 1 + len(front))
    place = data.draw(st.integers(start, end - 1))
    edited = _check(tmp_path, citation, text[:place] + "#" + text[place + 1 :])
    assert edited.verdict is Verdict.DRIFTED
    assert [Span(start, end)] != list(edited.occurrences)
