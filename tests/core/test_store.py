from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.database import APPLICATION_ID
from gw_core.errors import (
    GwIndexError,
    IndexBusyError,
    IndexForeignError,
    IndexMissingError,
    IndexVersionError,
)
from gw_core.model import ChunkSpan, Document, Span
from gw_core.rows import ChunkRanges, FileStamp, SkippedRow
from gw_core.store import BLOCK, FILE_NAME, Catalogue

STAMP = FileStamp(10, 20, 30, 10**12)


def document(path: str, text: str, **more: object) -> Document:
    return Document(path, text, "ab" * 32, len(text), **more)  # type: ignore[arg-type]


def put(catalogue: Catalogue, path: str, text: str, *spans: ChunkSpan) -> list[int]:
    with catalogue.transaction():
        return [one.id for one in catalogue.put(document(path, text), spans, "c@1()", STAMP)]


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    with Catalogue.open(tmp_path / ".gw", write=True) as opened:
        yield opened


def test_chunks_come_back_exactly_in_the_order_asked_for(catalogue: Catalogue) -> None:
    text = "".join(chr(0x4E00 + i % 500) + "a\r\n" for i in range(BLOCK))
    spans = [ChunkSpan(0, 9), ChunkSpan(5, 3 * BLOCK + 7, "code", "A > B", (Span(1, 3), Span(4, 5)))]
    first, second = put(catalogue, "a.txt", text, *spans)
    got = catalogue.chunks([second, 99, first])
    assert [one.id for one in got] == [second, first]
    assert got[0].text == text[5 : 3 * BLOCK + 7]
    assert (got[0].kind, got[0].label, got[0].context) == ("code", "A > B", (Span(1, 3), Span(4, 5)))
    assert (got[1].kind, got[1].label, got[1].context) == ("text", "", ())


def test_many_documents_at_once_are_stored_as_one_by_one(catalogue: Catalogue) -> None:
    put(catalogue, "gone.txt", "gone", ChunkSpan(0, 4))
    row = catalogue.document("gone.txt")
    assert row is not None
    with catalogue.transaction():
        catalogue.remove(row)
        found = [
            (document(f"{name}.txt", name * (BLOCK + 1)), [ChunkSpan(0, 2), ChunkSpan(1, BLOCK + 1)], "c@1()", STAMP)
            for name in "ab"
        ]
        found.insert(1, (document("empty.txt", ""), [], "c@1()", STAMP))
        chunks = catalogue.put_all(found)
    assert [(one.id, one.path, one.start) for one in chunks] == [
        (2, "a.txt", 0), (3, "a.txt", 1), (4, "b.txt", 0), (5, "b.txt", 1),
    ]  # fmt: skip
    rows = list(catalogue.documents())
    assert [(one.path, one.first_chunk, one.last_chunk) for one in rows] == [
        ("a.txt", 2, 3), ("b.txt", 4, 5), ("empty.txt", 4, 3),
    ]  # fmt: skip
    assert min(one.id for one in rows) > row.id  # no number is used again
    assert [catalogue.text(one) for one in rows] == ["a" * (BLOCK + 1), "b" * (BLOCK + 1), ""]
    assert [chunk for one in rows for chunk in catalogue.chunks_of(one)] == chunks


def test_a_span_of_text_is_read_without_the_rest(catalogue: Catalogue) -> None:
    text = "x" * (3 * BLOCK) + "end"
    put(catalogue, "a.txt", text)
    row = catalogue.document("a.txt")
    assert row is not None
    catalogue.connection.execute("DELETE FROM blocks WHERE id = ?", ((row.id << 24) + 1,))
    assert catalogue.text(row, 3 * BLOCK - 1) == "xend"


def test_chunk_ids_are_never_used_again(catalogue: Catalogue) -> None:
    old = put(catalogue, "a.txt", "one two", ChunkSpan(0, 3), ChunkSpan(4, 7))
    row = catalogue.document("a.txt")
    assert row is not None
    with catalogue.transaction():
        assert list(catalogue.remove(row)) == old
    assert catalogue.document("a.txt") is None
    assert catalogue.chunks(old) == []
    assert not set(put(catalogue, "a.txt", "one", ChunkSpan(0, 3))) & set(old)


def test_a_document_without_text_has_no_chunks(catalogue: Catalogue) -> None:
    assert put(catalogue, "empty.txt", "") == []
    row = catalogue.document("empty.txt")
    assert row is not None
    assert list(row.chunk_ids) == []
    assert catalogue.text(row) == ""


def test_names_that_are_not_utf8_are_names_like_others(catalogue: Catalogue) -> None:
    put(catalogue, "caf\udce9/a\nb.txt", "text", ChunkSpan(0, 4))
    assert [row.path for row in catalogue.documents(["caf\udce9"])] == ["caf\udce9/a\nb.txt"]


def test_below_a_path_means_that_file_or_what_is_in_that_folder(catalogue: Catalogue) -> None:
    for path in ("a", "a.txt", "a/b", "a/c/d", "a0", "b"):
        put(catalogue, path, "x", ChunkSpan(0, 1))
    assert [row.path for row in catalogue.documents(["a"])] == ["a", "a/b", "a/c/d"]
    assert [row.path for row in catalogue.documents(["a/c", "b"])] == ["a/c/d", "b"]
    assert len(list(catalogue.documents([""]))) == 6
    assert list(catalogue.documents([])) == []


def test_a_reader_sees_one_state_while_a_writer_goes_on(catalogue: Catalogue) -> None:
    ids = put(catalogue, "a.txt", "one", ChunkSpan(0, 3))
    with Catalogue.open(catalogue.folder) as reader:
        with reader.snapshot():
            assert reader.counts()["documents"] == 1
            row = catalogue.document("a.txt")
            assert row is not None
            with catalogue.transaction():
                catalogue.remove(row)
            assert [one.text for one in reader.chunks(ids)] == ["one"]
        assert reader.chunks(ids) == []


def test_what_is_interrupted_leaves_nothing(catalogue: Catalogue) -> None:
    put(catalogue, "a.txt", "one", ChunkSpan(0, 3))

    def interrupted() -> None:
        with catalogue.transaction():
            catalogue.put(document("b.txt", "two"), [ChunkSpan(0, 3)], "c@1()", STAMP)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [row.path for row in catalogue.documents()] == ["a.txt"]
    put(catalogue, "b.txt", "two", ChunkSpan(0, 3))
    assert catalogue.counts()["chunks"] == 2


def test_it_closes_while_a_statement_is_half_read(tmp_path: Path) -> None:
    catalogue = Catalogue.open(tmp_path / ".gw", write=True)
    for number in range(3):
        put(catalogue, f"{number}.txt", "one", ChunkSpan(0, 3))
    rows = catalogue.documents()
    next(rows)
    catalogue.close()
    with Catalogue.open(tmp_path / ".gw", write=True) as again:
        assert again.counts()["documents"] == 3


def test_a_full_disk_is_an_error_and_leaves_the_index_as_it_was(catalogue: Catalogue) -> None:
    put(catalogue, "a.txt", "one", ChunkSpan(0, 3))
    pages = catalogue.connection.execute("PRAGMA page_count").get
    catalogue.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(GwIndexError, match="disk is full"):
        put(catalogue, "b.txt", os.urandom(200_000).hex(), ChunkSpan(0, 3))
    assert [row.path for row in catalogue.documents()] == ["a.txt"]


def test_one_writer_at_a_time_and_the_other_is_told_who(catalogue: Catalogue) -> None:
    told: list[str] = []
    with pytest.raises(IndexBusyError, match=str(os.getpid())):
        Catalogue.open(catalogue.folder, write=True, wait=0.0, on_wait=told.append)
    with Catalogue.open(catalogue.folder) as reader:
        assert not reader.writable


def test_a_writer_that_waits_is_told_once(catalogue: Catalogue) -> None:
    told: list[str] = []
    with pytest.raises(IndexBusyError):
        Catalogue.open(catalogue.folder, write=True, wait=0.12, on_wait=told.append)
    assert len(told) == 1


@pytest.mark.parametrize("wait", [0.0, -1.0, float("nan")])
def test_a_wait_that_is_no_time_is_over_at_once(catalogue: Catalogue, wait: float) -> None:
    with pytest.raises(IndexBusyError):
        Catalogue.open(catalogue.folder, write=True, wait=wait)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE chunks SET start = -1",
        "UPDATE chunks SET end = 1.5",
        "UPDATE chunks SET end = 9000000000000000000",
        "UPDATE chunks SET start = 'x'",
        "UPDATE documents SET chars = -1",
        "UPDATE documents SET first_chunk = 9000000000000000000",
        "UPDATE documents SET last_chunk = 'x'",
        "UPDATE documents SET id = 9000000000000000000",
        "UPDATE documents SET path = 'text'",
        "UPDATE documents SET size = -5",
        "UPDATE documents SET kind = x'00'",
        "UPDATE blocks SET data = 7",
        "UPDATE backends SET built_to = ''",
        "UPDATE meta SET value = 'x'",
        "UPDATE sources SET path = -1",
        "UPDATE skipped SET path = 'x'",
        "UPDATE skipped SET size = 'x'",
    ],
)
def test_numbers_that_cannot_be_are_damage(catalogue: Catalogue, change: str) -> None:
    put(catalogue, "a.txt", "The harbour is closed.", ChunkSpan(0, 22))
    with catalogue.transaction():
        catalogue.set_backend("fts5", "fts5@1()", None)
        catalogue.add_source("a.txt")
        catalogue.put_skipped(SkippedRow("b.txt", FileStamp(1, 2, 3, 4), "binary", "", "text@1"))
    with catalogue.transaction():
        catalogue.connection.execute(change)
    with pytest.raises(IndexForeignError, match="--rebuild"):
        _read_everything(catalogue)


def _read_everything(catalogue: Catalogue) -> None:
    with catalogue.snapshot():
        catalogue.counts()
        catalogue.kinds()
        for row in catalogue.documents():
            catalogue.spans_of(row)
            catalogue.chunks_of(row)
        catalogue.chunks([1])
        catalogue.backends()
        catalogue.sources()
        list(catalogue.skipped())
        catalogue.scope(lambda _: True)
        catalogue._take_ids(1)


def test_there_is_no_index_where_none_was_made(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="gw ingest"):
        Catalogue.open(tmp_path / ".gw")
    assert not (tmp_path / ".gw").exists()


def test_a_new_index_is_its_owners_alone_and_out_of_gits_sight(catalogue: Catalogue) -> None:
    folder = catalogue.folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600


def test_the_permissions_of_a_folder_that_was_there_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    Catalogue.open(folder, write=True).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600


def foreign_files() -> dict[str, bytes]:
    return {"text": b"these are my notes\n" * 500, "noise": bytes(range(256)) * 64, "header": b"SQLite format 3\0"}


@pytest.mark.parametrize("content", foreign_files().values(), ids=foreign_files())
@pytest.mark.parametrize("write", [True, False])
def test_a_file_of_somebody_else_is_refused_and_not_touched(tmp_path: Path, content: bytes, write: bool) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    with pytest.raises(IndexForeignError, match="--rebuild"):
        Catalogue.open(tmp_path, write=write)
    assert path.read_bytes() == content
    assert not (tmp_path / (FILE_NAME + "-wal")).exists()


def test_another_programs_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(IndexForeignError, match="not an index of gw"):
        Catalogue.open(tmp_path, write=True)
    assert path.read_bytes() == before


def test_rebuilding_sets_the_old_file_aside(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"these are my notes")
    with Catalogue.open(tmp_path, write=True, rebuild=True) as catalogue:
        assert catalogue.counts()["documents"] == 0
    with Catalogue.open(tmp_path, write=True, rebuild=True):
        pass
    aside = [one.read_bytes() for one in tmp_path.iterdir() if ".old-" in one.name]
    assert len(aside) == 2
    assert b"these are my notes" in aside


def test_an_index_of_a_newer_gw_is_refused_with_the_way_out(tmp_path: Path) -> None:
    Catalogue.open(tmp_path, write=True).close()
    raw = sqlite3.connect(tmp_path / FILE_NAME)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    for write in (True, False):
        with pytest.raises(IndexVersionError, match=r"newer gw.*upgrade gw"):
            Catalogue.open(tmp_path, write=write)


@given(cut=st.floats(0, 1, exclude_max=True), data=st.data())
def test_a_damaged_file_is_an_error_of_gw_and_never_anything_else(
    tmp_path_factory: pytest.TempPathFactory, cut: float, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("index")
    with Catalogue.open(folder, write=True) as catalogue:
        for number in range(20):
            put(catalogue, f"{number}.txt", f"text {number} " * 50, ChunkSpan(0, 20), ChunkSpan(20, 60))
    path = folder / FILE_NAME
    raw = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        raw = raw[: int(cut * len(raw))]
    else:
        for _ in range(data.draw(st.integers(1, 30))):
            at = data.draw(st.integers(0, len(raw) - 1))
            raw[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(raw)
    try:
        with Catalogue.open(folder) as catalogue, catalogue.snapshot():
            for row in catalogue.documents():
                catalogue.chunks_of(row)
    except GwIndexError:
        pass


def test_what_could_not_be_read_is_remembered_with_its_reason(catalogue: Catalogue) -> None:
    row = SkippedRow("a\udce9.bin", FileStamp(1, 2, 3), "binary", "NUL at 0 of '\udce9'", "text@1")
    with catalogue.transaction():
        catalogue.put_skipped(row)
    (got,) = catalogue.skipped()
    assert (got.path, got.reason, got.loader) == (row.path, "binary", "text@1")
    with catalogue.transaction():
        catalogue.remove_skipped(row.path)
    assert list(catalogue.skipped()) == []


def test_a_file_written_within_the_clocks_tick_is_looked_at_again() -> None:
    seen = FileStamp(5, 1_000_000_000_000, 7)
    assert FileStamp(5, 1_000_000_000_000, 7, 1_010_000_000_000).same_as(seen)
    assert not FileStamp(5, 1_000_000_000_000, 7, 1_000_500_000_000).same_as(seen)
    assert not FileStamp(6, 1_000_000_000_000, 7, 1_010_000_000_000).same_as(seen)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))))
def test_ranges_hold_what_their_pairs_hold(pairs: list[tuple[int, int]]) -> None:
    ranges = ChunkRanges(pairs)
    expected = {number for first, last in pairs for number in range(first, last + 1)}
    assert {number for number in range(70) if number in ranges} == expected
    assert len(ranges) == len(expected)
    assert all(a[1] + 1 < b[0] for a, b in zip(ranges.ranges, ranges.ranges[1:], strict=False))


def test_the_header_names_the_program() -> None:
    assert APPLICATION_ID.to_bytes(4, "big") == b"gw-c"
