from __future__ import annotations

import pytest

from gw_plugins.loaders.fence import fence_for


@pytest.mark.parametrize(
    ("text", "length"), [("", 3), ("``", 3), ("```", 4), ("``` `````\n````", 6), ("`" * 5_000_000, 5_000_001)]
)
def test_a_fence_is_longer_than_any_row_inside(text: str, length: int) -> None:
    assert fence_for(text) == "`" * length
