"""GGUF headers: small files that are written here, read back; and the same files cut, bent and lied in."""

from __future__ import annotations

import os
import struct
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gw_core.errors import GwError, NotFoundError
from gw_core.gguf import FILE_TYPES, MAX_ELEMENTS, TENSOR_TYPES, Header, LongValue, read_header
from gw_core.kvcache import Layers, shape_of

CODES = {"u8": (0, "B"), "u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"), "bool": (7, "?"), "u64": (10, "Q")}
LLAMA = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.file_type": ("u32", 2),
    "llama.block_count": ("u32", 2),
    "llama.context_length": ("u32", 4096),
    "llama.embedding_length": ("u32", 64),
    "llama.attention.head_count": ("u32", 8),
    "llama.attention.head_count_kv": ("u32", 2),
    "llama.rope.freq_base": ("f32", 10000.0),
    "tokenizer.ggml.tokens": ["<s>", "é", *(f"token{number}" for number in range(600))],
    "tokenizer.ggml.scores": ("f32", [float(number) for number in range(5000)]),
}
TENSORS = [("token_embd.weight", (64, 602), 2), ("output_norm.weight", (64,), 0)]


def text(value: str, order: str) -> bytes:
    raw = value.encode()
    return struct.pack(order + "Q", len(raw)) + raw


def value_of(value: Any, order: str) -> bytes:
    """A type and a value: text, a list of texts, or ``(code, number or list of numbers)``."""
    if isinstance(value, str):
        return struct.pack(order + "I", 8) + text(value, order)
    if isinstance(value, list):
        return struct.pack(order + "IIQ", 9, 8, len(value)) + b"".join(text(one, order) for one in value)
    number, code = CODES[value[0]]
    if isinstance(value[1], list):
        return struct.pack(f"{order}IIQ{len(value[1])}{code}", 9, number, len(value[1]), *value[1])
    return struct.pack(f"{order}I{code}", number, value[1])


def gguf(
    metadata: dict[str, Any] = LLAMA, tensors: list[Any] = TENSORS, order: str = "<", version: int = 3, end: int = 0
) -> bytes:
    """A whole file, with weights that are all zero; ``end`` bytes fewer or more of them."""
    parts = [b"GGUF", struct.pack(order + "IQQ", version, len(tensors), len(metadata))]
    for key, value in metadata.items():
        parts += [text(key, order), value_of(value, order)]
    offset = 0
    for name, shape, kind in tensors:
        parts += [text(name, order), struct.pack(f"{order}I{len(shape)}Q", len(shape), *shape)]
        parts.append(struct.pack(order + "IQ", kind, offset))
        numbers = 1
        for extent in shape:
            numbers *= extent
        offset += -(-TENSOR_TYPES[kind].bytes_of(numbers) // 32) * 32
    header = b"".join(parts)
    return header + bytes(-len(header) % 32 + offset + end)


def written(tmp_path: Path, data: bytes) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(data)
    return file


def header_of(tmp_path: Path, **changes: Any) -> Header:
    """The header of the small llama with other metadata; None takes an entry away."""
    metadata = {**LLAMA, **changes}
    return read_header(written(tmp_path, gguf({key: one for key, one in metadata.items() if one is not None})))


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [2, 3])
def test_a_model_is_read_in_either_byte_order(tmp_path: Path, order: str, version: int) -> None:
    header = read_header(written(tmp_path, gguf(order=order, version=version)))
    assert (header.version, header.big_endian) == (version, order == ">")
    assert (header.architecture, header.name, header.file_type, header.parts) == ("llama", "Tiny", "q4_0", 1)
    assert header.parameters == 64 * 602 + 64
    assert header.weight_bytes == 64 * 602 // 32 * 18 + 64 * 4
    assert [(one.name, one.shape, one.type.name) for one in header.tensors] == [
        ("token_embd.weight", (64, 602), "q4_0"),
        ("output_norm.weight", (64,), "f32"),
    ]
    assert header.metadata["llama.rope.freq_base"] == 10000.0
    assert header.data % 32 == 0
    assert shape_of(header).layers == (Layers(2, 16, 16),)


def test_long_values_stay_in_the_file(tmp_path: Path) -> None:
    header = header_of(
        tmp_path, **{"general.languages": ["en", "de"], "note": "x" * 70_000, "llama.x": ("i32", [1, -2])}
    )
    assert header.metadata["tokenizer.ggml.tokens"] == LongValue(602)
    assert header.metadata["tokenizer.ggml.scores"] == LongValue(5000)
    assert header.metadata["note"] == LongValue(70_000)
    assert header.metadata["general.languages"] == ("en", "de")
    assert header.metadata["llama.x"] == (1, -2)


def test_a_vocabulary_of_any_size_is_walked_over(tmp_path: Path) -> None:
    long = ["", "a" * 100_000, *("bc" * (number % 40) for number in range(30_000)), "d" * 65_528]
    header = header_of(tmp_path, **{"tokenizer.ggml.tokens": long, "last": ("u64", 7)})
    assert header.metadata["tokenizer.ggml.tokens"] == LongValue(30_003)
    assert header.metadata["last"] == 7


def test_block_sizes_are_those_of_ggml() -> None:
    bits = {one.name: 8 * one.size / one.block for one in TENSOR_TYPES.values()}
    known = {"f16": 16, "q4_0": 4.5, "q4_1": 5, "q8_0": 8.5, "q2_k": 2.625, "q3_k": 3.4375, "q4_k": 4.5, "q5_k": 5.5}
    known |= {"q6_k": 6.5625, "iq4_xs": 4.25, "iq2_xxs": 2.0625, "iq1_s": 1.5625, "tq1_0": 1.6875, "mxfp4": 4.25}
    assert {name: bits[name] for name in known} == known
    assert (FILE_TYPES[1], FILE_TYPES[15], FILE_TYPES[18], FILE_TYPES[32]) == ("f16", "q4_k_m", "q6_k", "bf16")


def test_without_a_stated_type_it_is_what_most_bytes_are_in(tmp_path: Path) -> None:
    assert header_of(tmp_path, **{"general.file_type": None}).file_type == "q4_0"
    assert header_of(tmp_path, **{"general.file_type": ("u32", 1024 + 15)}).file_type == "q4_k_m", "it was guessed"
    assert header_of(tmp_path, **{"general.file_type": ("u32", 900)}).file_type == "q4_0", "not known"
    assert header_of(tmp_path, **{"general.name": None}).name == "model"


# -- shapes -----------------------------------------------------------------------------------------------------------


def test_heads_may_differ_by_layer_and_lengths_may_be_stated(tmp_path: Path) -> None:
    changes = {"llama.attention.head_count_kv": ("i32", [4, 0]), "llama.attention.key_length": ("u32", 32)}
    shape = shape_of(header_of(tmp_path, **changes, **{"llama.attention.value_length": ("u32", 16)}))
    assert shape.layers == (Layers(1, 128, 64), Layers(1, 0, 0))
    assert shape.cache_bytes(10) == 10 * (128 + 64) * 2
    none_stated = shape_of(header_of(tmp_path, **{"llama.attention.head_count_kv": None}))
    assert none_stated.layers == (Layers(2, 64, 64),)


@pytest.mark.parametrize(
    ("architecture", "pattern", "layers"),
    [
        ("gemma3", None, (Layers(10, 16, 16, 512), Layers(2, 16, 16))),
        ("gemma2", None, (Layers(6, 16, 16, 512), Layers(6, 16, 16))),
        ("other", ("bool", [True] * 3 + [False] * 9), (Layers(3, 16, 16, 512), Layers(9, 16, 16))),
        ("other", ("u32", 4), (Layers(9, 16, 16, 512), Layers(3, 16, 16))),
        ("other", None, (Layers(12, 16, 16),)),
    ],
)
def test_layers_with_a_sliding_window_keep_no_more(
    tmp_path: Path, architecture: str, pattern: Any, layers: tuple[Layers, ...]
) -> None:
    metadata = {key.replace("llama.", f"{architecture}."): one for key, one in LLAMA.items()}
    metadata["general.architecture"] = architecture
    metadata[f"{architecture}.block_count"] = ("u32", 12)
    metadata[f"{architecture}.attention.sliding_window"] = ("u32", 512)
    if pattern:
        metadata[f"{architecture}.attention.sliding_window_pattern"] = pattern
    shape = shape_of(read_header(written(tmp_path, gguf(metadata))))
    assert shape.layers == layers
    assert bool(shape.notes) == (layers == (Layers(12, 16, 16),))
    assert shape.cache_bytes(512) == 12 * 512 * 64
    assert shape.cache_bytes(600) == 64 * sum(one.count * (512 if one.window else 600) for one in layers)


def test_latent_attention_keeps_one_vector_and_the_position(tmp_path: Path) -> None:
    changes = {"llama.attention.kv_lora_rank": ("u32", 512), "llama.rope.dimension_count": ("u32", 64)}
    assert shape_of(header_of(tmp_path, **changes)).cache_bytes(1000) == 2 * 1000 * (512 + 64) * 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"llama.block_count": None}, "how many layers"),
        ({"llama.block_count": ("u32", 2_000_000_000)}, "how many layers"),
        ({"llama.block_count": ("f32", 2.0)}, "no size"),
        ({"llama.attention.head_count": None, "llama.attention.head_count_kv": None}, "how many heads"),
        ({"llama.attention.head_count_kv": ("u32", [1, 2, 3])}, "2 sizes"),
        ({"llama.embedding_length": None}, "embedding_length"),
        ({"general.architecture": None}, "how many layers"),
    ],
)
def test_a_model_of_unknown_shape_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    header = header_of(tmp_path, **changes)
    with pytest.raises(GwError, match=message):
        shape_of(header)


# -- files that are not what they claim -------------------------------------------------------------------------------


def refused(file: Path) -> str:
    """The one line that a file is refused with, at no cost of time or memory."""
    began = time.process_time()
    with pytest.raises(GwError):
        read_header(file)
    assert time.process_time() - began < 1
    tracemalloc.start()
    try:
        with pytest.raises(GwError) as caught:
            read_header(file)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def start(*more: bytes, tensors: int = 0, entries: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries) + b"".join(more)


HUGE = struct.pack("<Q", 1 << 62)
KEY = text("key", "<")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a GGUF"),
        (b"GGU", "not a GGUF"),
        (b"PK\3\4" + bytes(100), "not a GGUF"),
        (b"GGUF", "ends within"),
        (start(version=1), "version 1 of"),
        (start(version=4), "version 4 of"),
        (start(version=0), "version 0 of"),
        (b"GGUF" + struct.pack(">IQQ", 1, 0, 0), "version 1 of"),
        (start(tensors=1 << 60), "claims"),
        (start(bytes(5000), entries=1 << 60), "claims"),
        (start(bytes(5000), entries=5000), "claims 5,000 metadata"),
        (start(HUGE, bytes(50), entries=1), "does not fit"),
        (start(text("", "<"), bytes(50), entries=1), "0 bytes long"),
        (start(KEY, struct.pack("<I", 8), HUGE, bytes(50), entries=1), "does not fit"),
        (start(KEY, struct.pack("<II", 9, 8), HUGE, bytes(50), entries=1), "strings is more"),
        (start(KEY, struct.pack("<II", 9, 4), HUGE, bytes(50), entries=1), "does not fit"),
        (start(KEY, struct.pack("<IIQ", 9, 9, 1), bytes(50), entries=1), "unknown type, 9"),
        (start(KEY, struct.pack("<I", 99), bytes(50), entries=1), "unknown type, 99"),
        (start(KEY, value_of("a", "<"), KEY, value_of("b", "<"), entries=2), "twice"),
        (gguf({"general.alignment": ("u32", 0)}), "alignment is 0"),
        (gguf({"general.alignment": ("u32", 33)}), "alignment is 33"),
        (gguf(end=-1), "before its weights do"),
        (gguf(tensors=[("t", (32, 1), 2)] * 2), "twice"),
        (start(text("t", "<"), struct.pack("<I", 5), bytes(50), tensors=1), "5 dimensions"),
        (start(text("t", "<"), struct.pack("<IQIQ", 1, 32, 4, 0), bytes(50), tensors=1), "type that is not known, 4"),
        (start(text("t", "<"), struct.pack("<IQIQ", 1, 33, 2, 0), bytes(50), tensors=1), "whole blocks"),
        (start(text("t", "<"), struct.pack("<I4QIQ", 4, *[1 << 63] * 4, 0, 0), bytes(9), tensors=1), "larger than the"),
        (start(text("t", "<"), struct.pack("<IQIQ", 1, 1, 0, 1 << 63), bytes(50), tensors=1), "before its weights do"),
    ],
)
def test_a_file_that_claims_too_much_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    assert message in refused(written(tmp_path, data))


def test_claims_that_a_hole_in_the_file_would_cover_are_refused_too(tmp_path: Path) -> None:
    strings = written(tmp_path, start(KEY, struct.pack("<IIQ", 9, 8, 1 << 30), entries=1))
    os.truncate(strings, 1 << 40)
    assert "strings is more" in refused(strings)
    many = tmp_path / "many.gguf"
    many.write_bytes(start(KEY, struct.pack("<IIQ", 9, 8, MAX_ELEMENTS >> 5), entries=2))
    os.truncate(many, 1 << 40)
    assert "0 bytes long" in refused(many)
    numbers = tmp_path / "numbers.gguf"
    numbers.write_bytes(start(KEY, struct.pack("<IIQ", 9, 10, 1 << 36), entries=2))
    os.truncate(numbers, 1 << 40)
    assert "0 bytes long" in refused(numbers)


def test_names_and_settings_without_end_are_refused(tmp_path: Path) -> None:
    metadata = {f"key{number}": "x" * 65_000 for number in range(140)}
    file = written(tmp_path, gguf(metadata))
    with pytest.raises(GwError, match="more than 8 MiB of names"):
        read_header(file)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_header(tmp_path / "none.gguf")
    assert "not a file" in refused(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "not a file" in refused(tmp_path / "pipe")
    with pytest.raises(GwError, match="cannot be read"):
        read_header(Path("a\0b"))


WHOLE = gguf()
HEADER = len(WHOLE) - sum(TENSOR_TYPES[kind].bytes_of(602 * 64 if kind else 64) for _, _, kind in TENSORS) - 64


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, len(WHOLE) - 40))
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, length: int) -> None:
    file = written(tmp_path, WHOLE[:length])
    with pytest.raises(GwError):
        read_header(file)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.integers(0, HEADER), st.integers(1, 255)), min_size=1, max_size=6))
def test_whatever_is_bent_in_a_file_it_is_read_or_refused(tmp_path: Path, flips: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for place, mask in flips:
        data[place] ^= mask
    file, message = written(tmp_path, bytes(data)), ""
    try:
        shape_of(read_header(file))
    except GwError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 400 + len(str(file))
