"""Conformance of backends; see :class:`gw_core.protocols.Backend`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest

from gw_core.model import Chunk, Match
from gw_core.protocols import Backend
from gw_core.query import parse
from gw_core.seams import checked_matches
from gw_core.testing.index import Ranges, TemporaryIndex, make_chunks, temporary_index
from gw_core.testing.samples import ODD_TEXTS, RAW_QUERIES, SCRIPTS, random_texts

FACTS = (
    "logs are kept for thirty days and then deleted",
    "the gearbox needs new oil every second winter",
    "penguins breed on the ice shelf in complete darkness",
    "a violin has four strings tuned in fifths",
    "the parser reports a syntax error with its column",
)
FOLDED = (
    ("a cafe\u0301 in the rue de la cre\u0301merie", "crèmerie café"),
    ("Die Straße ist gesperrt", "STRASSE"),
    ("wir fahren nach Łódź", "lodz"),
    ("class HTTPServer: pass", "http server"),
    ("the fields of a record", "field"),
    ("a field of wheat", "fields"),
    ("prisoner 24,601 was released", "24601"),
)


class BackendConformance:
    """Subclass it, implement :meth:`make`, and pytest finds the tests.

    Set ``folds = False`` for a backend that matches exact forms only, ``exact = False`` for one whose order may depend
    on ``k`` (an approximate index), and ``transactional = False`` for one that keeps files in ``index.folder``.
    """

    folds = True
    exact = True
    transactional = True

    def make(self, index: TemporaryIndex) -> Backend:
        """The backend under test, on this index. Called again for the same index, it must find what was added."""
        raise NotImplementedError

    @pytest.fixture
    def index(self) -> Iterator[TemporaryIndex]:
        with temporary_index() as index:
            yield index

    def filled(self, index: TemporaryIndex, texts: Iterable[str]) -> Backend:
        backend = self.make(index)
        self.write(index, backend, make_chunks(texts))
        return backend

    def write(self, index: TemporaryIndex, backend: Backend, chunks: Sequence[Chunk]) -> None:
        index.put(chunks)
        with index.connection:
            backend.add(iter(chunks))

    def ask(self, backend: Backend, text: str, k: int = 10, scope: Ranges | None = None) -> list[Match]:
        query = parse(text)
        return checked_matches(backend.identity.name, backend.search(query, k, scope), k, scope=scope)

    def found(self, backend: Backend, text: str, k: int = 10, scope: Ranges | None = None) -> list[int]:
        return [match.chunk_id for match in self.ask(backend, text, k, scope)]

    def lexical(self, backend: Backend) -> None:
        if not backend.lexical:
            pytest.skip("only for backends that match words")

    # -- what it is ---------------------------------------------------------------------------------------------

    def test_it_is_a_backend_with_a_stable_identity(self, index: TemporaryIndex) -> None:
        backend = self.make(index)
        assert isinstance(backend, Backend)
        assert isinstance(backend.lexical, bool)
        assert backend.identity.name
        assert backend.identity.version
        assert str(backend.identity) == str(self.make(index).identity)

    # -- finding ------------------------------------------------------------------------------------------------

    def test_an_empty_index_finds_nothing(self, index: TemporaryIndex) -> None:
        backend = self.make(index)
        assert self.ask(backend, "anything at all") == []
        if backend.lexical:
            assert backend.df(["anything", "all"]) == [0, 0]

    def test_each_text_is_the_first_hit_for_its_own_words(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        for number, text in enumerate(FACTS, 1):
            assert self.found(backend, text)[0] == number

    def test_words_of_every_script_are_found(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, [*SCRIPTS, *FACTS])
        self.lexical(backend)
        for number, text in enumerate(SCRIPTS, 1):
            assert self.found(backend, text)[:1] == [number], text

    def test_case_accents_and_spelling_do_not_hide_a_word(self, index: TemporaryIndex) -> None:
        if not self.folds:
            pytest.skip("this backend matches exact forms only")
        backend = self.filled(index, [text for text, _ in FOLDED] + list(FACTS))
        self.lexical(backend)
        for number, (text, query) in enumerate(FOLDED, 1):
            assert number in self.found(backend, query), (text, query)

    def test_a_word_that_is_nowhere_finds_nothing(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        self.lexical(backend)
        assert self.ask(backend, "qzjxkw") == []

    def test_no_query_raises_or_breaks_the_contract(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, [*FACTS, *SCRIPTS])
        for text in [*RAW_QUERIES, *random_texts(200, 30)]:
            self.ask(backend, text)

    def test_odd_texts_can_be_indexed_and_removed(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, [*ODD_TEXTS, *FACTS])
        expected = len(ODD_TEXTS) + 1
        assert self.found(backend, FACTS[0])[0] == expected
        with index.connection:
            backend.remove(range(1, expected))
        assert self.found(backend, FACTS[0])[0] == expected

    # -- how many, and in which order ---------------------------------------------------------------------------

    def test_k_bounds_the_matches(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, [f"common words number {number}" for number in range(1, 31)])
        assert self.ask(backend, "common words", k=0) == []
        assert len(self.ask(backend, "common words", k=1)) == 1
        assert len(self.ask(backend, "common words", k=30)) == 30
        assert len(self.ask(backend, "common words", k=10**12)) == 30

    def test_a_larger_k_only_adds_matches(self, index: TemporaryIndex) -> None:
        if not self.exact:
            pytest.skip("an approximate index")
        backend = self.filled(index, [f"common words {'and more ' * number}" for number in range(20)])
        every = self.found(backend, "common words", k=20)
        assert [self.found(backend, "common words", k=k) for k in (1, 5, 19)] == [every[:1], every[:5], every[:19]]

    def test_ties_come_by_ascending_id_however_they_were_added(self, index: TemporaryIndex) -> None:
        backend = self.make(index)
        chunks = make_chunks(["the very same sentence"] * 12)
        self.write(index, backend, chunks[6:][::-1])
        self.write(index, backend, chunks[:6])
        matches = self.ask(backend, "same sentence", k=5)
        assert [match.chunk_id for match in matches] == [1, 2, 3, 4, 5]
        assert len({match.score for match in matches}) == 1

    def test_the_same_search_gives_the_same_matches(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, [*FACTS, *SCRIPTS] * 3)
        first = [(one.chunk_id, one.score) for one in self.ask(backend, "the gearbox and the parser")]
        assert [(one.chunk_id, one.score) for one in self.ask(backend, "the gearbox and the parser")] == first

    # -- scope --------------------------------------------------------------------------------------------------

    def test_scope_limits_the_search_and_not_its_result(self, index: TemporaryIndex) -> None:
        strong = ["gearbox oil gearbox oil"] * 20
        backend = self.filled(index, [*strong, "a gearbox among many other words about winter", *FACTS])
        weak = len(strong) + 1
        assert self.found(backend, "gearbox oil", k=1, scope=Ranges((weak, weak))) == [weak]
        assert set(self.found(backend, "gearbox oil", k=50, scope=Ranges((3, 5), (9, 9)))) == {3, 4, 5, 9}
        assert self.found(backend, "gearbox oil", scope=Ranges()) == []
        assert self.found(backend, "gearbox oil", scope=Ranges((10**6, 10**9))) == []

    # -- changing -----------------------------------------------------------------------------------------------

    def test_an_id_that_is_added_again_is_replaced(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        for _ in range(3):
            self.write(index, backend, make_chunks(["a zeppelin crossed the fjord"]))
        assert self.found(backend, "zeppelin fjord")[:1] == [1]
        if backend.lexical:
            assert 1 not in self.found(backend, "thirty deleted")
            assert backend.df(["zeppelin", "thirty"]) == [1, 0]

    def test_removed_chunks_are_gone(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        with index.connection:
            backend.remove([2, 4, 999])
            backend.remove([2])
            backend.remove([])
        assert not {2, 4} & set(self.found(backend, " ".join(FACTS), k=100))
        self.write(index, backend, make_chunks([FACTS[1]], first=2))
        assert self.found(backend, FACTS[1])[0] == 2

    def test_clear_forgets_everything(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        with index.connection:
            backend.clear()
        assert self.ask(backend, " ".join(FACTS)) == []
        self.write(index, backend, make_chunks(FACTS))
        assert self.found(backend, FACTS[3])[0] == 4

    def test_adding_nothing_is_fine(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        with index.connection:
            backend.add([])
        assert self.found(backend, FACTS[0])[0] == 1

    def test_maintenance_changes_no_result(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, [*FACTS, *SCRIPTS])
        before = [self.found(backend, text) for text in FACTS]
        for purge in (False, True):
            with index.connection:
                backend.maintain(purge=purge)
            assert [self.found(backend, text) for text in FACTS] == before

    # -- document frequencies -----------------------------------------------------------------------------------

    def test_df_counts_chunks(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, ["apple apple apple", "apple banana", "cherry"])
        self.lexical(backend)
        assert backend.df(["apple", "banana", "cherry", "qzjxkw", "apple"]) == [2, 1, 1, 0, 2]
        assert backend.df([]) == []
        with index.connection:
            backend.remove([1])
        assert backend.df(["apple"]) == [1]

    def test_df_takes_any_term(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        self.lexical(backend)
        terms = [term for text in RAW_QUERIES for term in (text, *parse(text).terms[:3])]
        assert all(isinstance(count, int) and 0 <= count <= len(FACTS) for count in backend.df(terms))

    # -- storage ------------------------------------------------------------------------------------------------

    def test_what_was_added_is_there_in_the_next_process(self, index: TemporaryIndex) -> None:
        before = [(one.chunk_id, one.score) for one in self.ask(self.filled(index, FACTS), FACTS[2])]
        again = self.make(index.reopen())
        assert [(one.chunk_id, one.score) for one in self.ask(again, FACTS[2])] == before
        read_only = self.make(index.reopen(writable=False))
        assert [(one.chunk_id, one.score) for one in self.ask(read_only, FACTS[2])] == before

    def test_it_keeps_to_its_own_tables(self, index: TemporaryIndex) -> None:
        other = self.filled(index.sibling("testing_other_"), ["a zeppelin crossed the fjord"])
        before = index.tables()
        backend = self.filled(index, FACTS)
        assert all(name.startswith(index.prefix) for name in index.tables() - before)
        assert self.found(other, "zeppelin") == [1]
        with index.connection:
            backend.clear()
        assert self.found(other, "zeppelin") == [1]

    def test_it_neither_commits_nor_rolls_back(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, FACTS)
        with pytest.raises(_StopError), index.connection:  # noqa: PT012 - the transaction is what is tested
            backend.add(make_chunks(["a zeppelin crossed the fjord"], first=100))
            backend.remove([1])
            backend.maintain()
            assert index.connection.in_transaction
            raise _StopError
        if self.transactional:
            again = self.make(index.reopen())
            assert 100 not in self.found(again, "zeppelin fjord", k=100)
            assert self.found(again, FACTS[0])[0] == 1

    def test_purging_leaves_nothing_of_what_was_removed(self, index: TemporaryIndex) -> None:
        backend = self.filled(index, [*FACTS, "the password is qzjxkwvb"])
        removed = len(FACTS) + 1
        with index.connection:
            backend.remove([removed])
            backend.maintain(purge=True)
        index.drop([removed])
        assert b"qzjxkwvb" not in index.raw()


class _StopError(Exception):
    """Ends a transaction."""
