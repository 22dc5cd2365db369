import sys
import zlib
from importlib import reload

import pytest

from gw_core import compression


@pytest.mark.parametrize("data", [b"", b"x", "Tokio 東京 ".encode() * 5000])
def test_what_is_packed_is_read_by_any_zlib(data: bytes) -> None:
    packed = compression.compress(data)
    assert zlib.decompress(packed) == data
    assert compression.decompress(packed, len(data)) == data


@pytest.mark.parametrize(
    "damaged", [b"", b"x", compression.compress(b"text" * 99)[:-3], b"x" + compression.compress(b"")]
)
def test_what_is_not_whole_is_an_error_of_one_kind(damaged: bytes) -> None:
    with pytest.raises(ValueError):
        compression.decompress(damaged, 1000)


def test_without_isal_the_standard_library_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)
    try:
        plain = reload(compression)
        assert plain.compress(b"text" * 99) == zlib.compress(b"text" * 99, 1)
    finally:
        monkeypatch.undo()
        reload(compression)
