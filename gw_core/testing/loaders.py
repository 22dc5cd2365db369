"""Conformance of loaders; see :class:`gw_core.protocols.Loader`."""

from __future__ import annotations

import codecs
import random
from collections.abc import Iterable

import pytest

from gw_core.errors import LoadError
from gw_core.model import Loaded
from gw_core.protocols import Loader

_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class LoaderConformance:
    """Subclass it, implement :meth:`make` and :meth:`samples`."""

    def make(self) -> Loader:
        raise NotImplementedError

    def samples(self) -> Iterable[tuple[str, bytes, str]]:
        """``(file name, bytes, a text that must come out)``, at least one of each kind of file that it takes."""
        raise NotImplementedError

    def test_it_is_a_loader(self) -> None:
        loader = self.make()
        assert isinstance(loader, Loader)
        assert loader.name
        assert loader.version
        assert not {"@", "#", "/"} & set(f"{loader.name}{loader.version}"), "both stand in citations"
        assert (loader.name, loader.version) == (self.make().name, self.make().version)

    def test_its_suffixes_are_lower_case_endings(self) -> None:
        for suffix in self.make().suffixes:
            assert suffix.startswith(".")
            assert suffix == suffix.lower()

    def test_its_samples_come_out(self) -> None:
        for name, data, expected in self.samples():
            loaded = self.make().load(data, name)
            assert isinstance(loaded, Loaded)
            assert expected in loaded.text, name
            assert loaded.kind
            assert not loaded.text.startswith("\ufeff"), "a byte order mark is never part of the text"

    def test_the_text_can_be_stored(self) -> None:
        for name, data, _ in self.samples():
            self.make().load(data, name).text.encode("utf-8")

    def test_loading_again_gives_the_same_offsets(self) -> None:
        for name, data, _ in self.samples():
            first = self.make().load(data, name)
            assert self.make().load(data, name) == first
            assert self.make().load(data, name, first.encoding).text == first.text

    def test_decoded_text_is_the_bytes_and_nothing_else(self) -> None:
        loader = self.make()
        if loader.extracts:
            pytest.skip("this loader extracts")
        for name, data, _ in self.samples():
            loaded = loader.load(data, name)
            bare = next((data[len(bom) :] for bom in _BOMS if data.startswith(bom)), data)
            assert bare.decode(loaded.encoding) == loaded.text

    def test_damaged_files_are_read_or_refused(self) -> None:
        numbers = random.Random(0)  # noqa: S311 - repeatable, not secret
        for name, data, _ in self.samples():
            damaged = [b"", data[: len(data) // 2], data[:-1], data[1:], b"\x00" * 64, numbers.randbytes(500)]
            for _ in range(20):
                broken = bytearray(data)
                for at in numbers.sample(range(len(data)), min(5, len(data))):
                    broken[at] = numbers.randrange(256)
                damaged.append(bytes(broken))
            for candidate in damaged:
                self._reads_or_refuses(candidate, name)

    def _reads_or_refuses(self, data: bytes, name: str) -> None:
        try:
            loaded = self.make().load(data, name)
        except LoadError:
            return
        assert isinstance(loaded, Loaded)
