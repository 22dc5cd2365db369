"""GPU memory of attention, against figures that others have worked out."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gw_core.errors import NotFoundError, UnknownNameError, UsageError
from gw_core.kvcache import CACHE_TYPES
from gw_core.trial import Cell
from gw_plugins.tasks.memory import GIB, Memory, gpus_for
from gw_plugins.tasks.shapes import BITS, GPUS, SHAPES


class Quiet:
    """Of a bench all that this task needs."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []

    def step(self, stage: str, done: int, total: int) -> None:
        self.steps.append((done, total))


def cells(**settings: Any) -> dict[str, Cell]:
    return {cell.name: cell for cell in Memory(**settings).run(Quiet())}  # type: ignore[arg-type]


def one(**settings: Any) -> Cell:
    (cell,) = cells(**settings).values()
    return cell


def gib(cell: Cell, figure: str) -> float:
    assert (cell.figures[figure].unit, cell.figures[figure].machine) == ("GiB", False)
    return cell.figures[figure].value


@pytest.mark.parametrize(
    ("model", "context", "kv", "expected"),
    [
        ("llama-2-7b", "4096", "f16", 2.0),  # 0.5 MiB a token
        ("llama-2-13b", "4096", "f16", 3.125),
        ("llama-3.1-8b", "131072", "f16", 16.0),  # 128 KiB a token
        ("llama-3.1-8b", "131072", "f32", 32.0),
        ("llama-3.1-8b", "131072", "q8_0", 8.5),
        ("llama-3.1-8b", "131072", "q4_0", 4.5),
        ("llama-3.1-70b", "131072", "bf16", 40.0),
        ("llama-3.1-405b", "131072", "f16", 63.0),
        ("qwen2.5-7b", "131072", "f16", 7.0),  # 56 KiB a token
        ("mistral-7b-v0.3", "32768", "f16", 4.0),
        ("mistral-7b-v0.1", "32768", "f16", 0.5),  # no more than its window of 4,096
        ("gemma-2-9b", "8192", "f16", 21 * (8192 + 4096) * 2 * 8 * 256 * 2 / GIB),
        ("gemma-3-27b", "131072", "f16", (10 * 131072 + 52 * 1024) * 2 * 16 * 128 * 2 / GIB),
        ("deepseek-v3", "131072", "f16", 61 * 576 * 2 * 131072 / GIB),  # 68.6 KiB a token
    ],
)
def test_keys_and_values_of_known_models(model: str, context: str, kv: str, expected: float) -> None:
    cell = one(model=(model,), context=(context,), kv=kv)
    (figure,) = (name for name in cell.figures if name.startswith("kv_cache@"))
    assert gib(cell, figure) == pytest.approx(expected, rel=1e-12)


def test_weights_are_parameters_times_bits() -> None:
    at16 = one(model=("llama-3.1-8b",), context=("8k",), weights="f16")
    assert gib(at16, "weights") == pytest.approx(14.96, abs=0.005)
    at4 = one(model=("llama-3.1-8b",), context=("8k",))
    assert gib(at4, "weights") == pytest.approx(4.58, abs=0.005)
    assert gib(at4, "total@8k") == pytest.approx(gib(at4, "weights") + 8000 * 131072 / GIB)


def test_with_retrieval_the_memory_does_not_grow_with_the_corpus() -> None:
    cell = one(model=("qwen2.5-7b",), context=("2k", "128k", "1m"))
    assert cell.name == "qwen2.5-7b"
    assert gib(cell, "kv_cache_with_retrieval") == 4000 * 56 * 1024 / GIB
    assert gib(cell, "total_with_retrieval") == gib(cell, "weights") + gib(cell, "kv_cache_with_retrieval")
    assert gib(cell, "total@1m") == gib(cell, "weights") + 1_000_000 * 56 * 1024 / GIB
    small, middle, large = cell.facts["gpus"]
    assert [row["context"] for row in cell.facts["gpus"]] == ["2k", "128k", "1m"]
    assert middle["with retrieval"] == large["with retrieval"] == "4.6 GiB"
    assert small["with retrieval"] == small["full attention"] == "4.4 GiB", "no more than the corpus"
    assert large["full attention"] == "57.7 GiB"
    assert large["cards"] == "1 x 80 GB (A100 80 GB, H100)"
    assert large["cards with retrieval"] == "1 x 8 GB (RTX 3070, RTX 4060)"
    assert cell.facts["bytes"]["weights"] == int(SHAPES["qwen2.5-7b"].parameters * 4.8944 / 8)
    assert cell.facts["bytes"]["kv_cache@1m"] == 57_344_000_000
    assert any("1m: more than the 131,072 tokens that" in note for note in cell.notes)


def test_a_window_that_slides_is_told() -> None:
    told = "gemma-3-4b keeps in 29 of its layers the last 1024 tokens only"
    assert any(told in note for note in one(model=("gemma-3-4b",), context=("1k", "8k")).notes)
    assert not any("keeps in" in note for note in one(model=("gemma-3-4b",), context=("1k",)).notes)


def test_the_smallest_card_that_holds_it_or_how_many_of_the_largest() -> None:
    assert gpus_for(7 * GIB, 1.0).startswith("1 x 8 GB")
    assert gpus_for(7 * GIB + 1, 1.0).startswith("1 x 12 GB")
    assert gpus_for(8 * GIB, 0.0).startswith("1 x 8 GB")
    assert gpus_for(191 * GIB, 1.0).startswith("1 x 192 GB")
    assert gpus_for(191 * GIB + 1, 1.0).startswith("2 x 192 GB")
    assert gpus_for(382 * GIB, 1.0).startswith("2 x 192 GB")
    assert gpus_for(382 * GIB + 1, 1.0).startswith("3 x 192 GB")
    assert [memory for memory, _ in GPUS] == sorted(memory for memory, _ in GPUS)


def test_every_shape_is_whole() -> None:
    assert len(SHAPES) >= 25
    for name, shape in SHAPES.items():
        assert name == shape.name == name.lower()
        assert shape.source.count("/") == 1
        assert shape.most >= 2048
        assert 1e8 < shape.parameters < 1e12
        assert all(kind.count > 0 and kind.keys > 0 for kind in shape.layers)
        assert sum(kind.count for kind in shape.layers) <= 126
    assert set(BITS) >= set(CACHE_TYPES) - {"q4_0"}


# parameters from hidden size, feed-forward size, vocabulary and heads, of some models of the plain Llama form
@pytest.mark.parametrize(
    ("name", "hidden", "inner", "vocabulary", "heads", "head", "tied", "bias"),
    [
        ("llama-2-7b", 4096, 11008, 32000, 32, 128, False, False),
        ("llama-3.1-8b", 4096, 14336, 128256, 32, 128, False, False),
        ("llama-3.2-1b", 2048, 8192, 128256, 32, 64, True, False),
        ("qwen2.5-7b", 3584, 18944, 152064, 28, 128, False, True),
        ("qwen2.5-0.5b", 896, 4864, 151936, 14, 64, True, True),
        ("mistral-nemo-12b", 5120, 14336, 131072, 32, 128, False, False),
        ("mistral-small-24b", 5120, 32768, 131072, 32, 128, False, False),
        ("phi-4", 5120, 17920, 100352, 40, 128, False, False),
        ("yi-34b", 7168, 20480, 64000, 56, 128, False, False),
        ("smollm2-135m", 576, 1536, 49152, 9, 64, True, False),
    ],
)
def test_parameters_and_heads_agree_with_each_other(
    name: str, hidden: int, inner: int, vocabulary: int, heads: int, head: int, tied: bool, bias: bool
) -> None:
    (layers,) = SHAPES[name].layers
    projected = heads * head + layers.keys + layers.values
    attention = hidden * projected + heads * head * hidden + (projected if bias else 0)
    each = attention + 3 * hidden * inner + 2 * hidden
    total = vocabulary * hidden * (1 if tied else 2) + layers.count * each + hidden
    assert SHAPES[name].parameters == total


# -- GGUF files -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """The writer of small GGUF files."""
    file = Path(__file__).parents[2] / "core" / "test_gguf.py"
    spec = importlib.util.spec_from_file_location("gguf_writer", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_has_weights_and_a_shape_of_its_own(tmp_path: Path, made: ModuleType) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Tiny.Q4.gguf").write_bytes(made.gguf())
    files = tuple(str(tmp_path / folder / "Tiny.Q4.gguf") for folder in ("one", "two"))
    found = cells(model=files, context=("1000", "8k"), weights="f32")
    assert list(found) == ["Tiny.Q4", "Tiny.Q4 (2)"]
    cell = found["Tiny.Q4"]
    assert cell.facts["bytes"]["weights"] == 64 * 602 // 32 * 18 + 64 * 4
    assert cell.facts["bytes"]["kv_cache@1k"] == 1000 * 2 * (16 + 16) * 2
    assert cell.facts["weights"] == "q4_0"
    assert any("8k: more than the 4,096 tokens that" in note for note in cell.notes)


def test_a_part_of_a_model_is_refused(tmp_path: Path, made: ModuleType) -> None:
    file = tmp_path / "part.gguf"
    file.write_bytes(made.gguf({**made.LLAMA, "split.count": ("u32", 3)}))
    with pytest.raises(UsageError, match="3 parts"):
        cells(model=(str(file),))


def test_a_damaged_or_missing_file_is_the_calls_mistake(tmp_path: Path, made: ModuleType) -> None:
    file = tmp_path / "broken.GGUF"
    file.write_bytes(made.gguf()[:100])
    with pytest.raises(UsageError, match="damaged"):
        cells(model=(str(file),))
    with pytest.raises(NotFoundError):
        cells(model=(str(tmp_path / "none.gguf"),))


def test_an_unknown_model_is_told_what_it_may_have_meant() -> None:
    with pytest.raises(UnknownNameError) as caught:
        cells(model=("llama-3.1-7b",))
    assert caught.value.hint.startswith("did you mean 'llama-3.1-")
    assert caught.value.hint.endswith("or a .gguf file")
    with pytest.raises(UnknownNameError, match=r"known: deepseek-r1, .*or a \.gguf file"):
        cells(model=("",))
    assert one(model=("Meta/Llama-3.1-8B",), context=("1k",)).name == "llama-3.1-8b"


@pytest.mark.parametrize(
    "settings", [{"model": ()}, {"context": ()}, {"context": ("no",)}, {"context": ("0",)}, {"window": "many"}]
)
def test_a_setting_that_is_none_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Memory(**settings)


def test_the_same_model_or_context_twice_is_one() -> None:
    bench = Quiet()
    (cell,) = Memory(model=("yi-6b", "yi-6b"), context=("1k", "1000")).run(bench)  # type: ignore[arg-type]
    assert len(cell.facts["gpus"]) == 1
    assert bench.steps == [(0, 1), (1, 1)]
