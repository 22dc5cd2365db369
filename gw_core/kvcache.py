"""The memory that attention over a context takes in a model: for every token and layer, a key and a value.

Sizes are exact, in bytes, by the shape of a model: ``2 x layers x key-value heads x head dimension x context`` numbers,
summed by layer where layers differ. Two kinds of layers take less. One with a sliding window keeps no more tokens than
its window has (https://arxiv.org/abs/2310.06825, section 2). One with latent attention keeps a compressed vector for
key and value together, and the part of the key that holds the position (https://arxiv.org/abs/2405.04434, section 2.1).
"""

from __future__ import annotations

from dataclasses import dataclass

from gw_core.errors import GwError
from gw_core.gguf import TENSOR_TYPES, Header

CACHE_TYPES = {one.name: one for one in TENSOR_TYPES.values() if one.name in ("f32", "f16", "bf16", "q8_0", "q4_0")}
"""How a cache is kept, by name, and what it takes: blocks with a scale are a little more than 8 and 4 bits."""

_WINDOW_PERIODS = {"gemma2": 2, "gemma3": 6, "gpt-oss": 2, "cohere2": 4}
"""By a GGUF file's architecture: of so many layers one, the last, sees the whole context (llama.cpp's
``set_swa_pattern``). The files themselves don't say it."""


@dataclass(frozen=True, slots=True)
class Layers:
    """``count`` layers of one kind. ``keys`` and ``values`` are numbers for each token in one layer; ``window`` is how
    many tokens back the layer sees, None for all of them."""

    count: int
    keys: int
    values: int
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a model what its memory depends on. ``most`` is the longest context it was made for, 0 where it isn't known;
    ``source`` says where the figures come from, ``notes`` what they leave out."""

    name: str
    parameters: int
    layers: tuple[Layers, ...]
    most: int
    source: str
    notes: tuple[str, ...] = ()

    def cache_bytes(self, context: int, kind: str = "f16") -> int:
        """What keys and values of ``context`` tokens take, kept as ``kind`` of :data:`CACHE_TYPES`.

        >>> Shape("llama-2-7b", 0, (Layers(32, 32 * 128, 32 * 128),), 4096, "").cache_bytes(4096) / 2**30
        2.0
        """
        held = CACHE_TYPES[kind]
        total = 0
        for one in self.layers:
            tokens = context if one.window is None else min(context, one.window)
            total += one.count * tokens * (held.bytes_of(one.keys) + held.bytes_of(one.values))
        return total


def shape_of(header: Header) -> Shape:
    """The shape of the model in a GGUF file.

    Raises :class:`GwError` where the file doesn't say what its attention looks like.
    """
    count = header.integer("block_count")
    if not count or count > 10_000:
        raise GwError(f"{header.path} does not say how many layers its model has", hint="it may hold no language model")
    latent = header.integer("attention.kv_lora_rank")
    notes: list[str] = []
    if latent:
        rotary = _needed(header, "rope.dimension_count")
        per_layer: list[tuple[int, int, int | None]] = [(latent + rotary, 0, None)] * count
    else:
        per_layer = _layers(header, count, notes)
    grouped: dict[tuple[int, int, int | None], int] = {}
    for one in per_layer:
        grouped[one] = grouped.get(one, 0) + 1
    layers = tuple(Layers(number, *one) for one, number in grouped.items())
    most = header.integer("context_length") or 0
    return Shape(header.name, header.parameters, layers, most, str(header.path), tuple(notes))


def _layers(header: Header, count: int, notes: list[str]) -> list[tuple[int, int, int | None]]:
    """Keys, values and window of each layer of ordinary attention."""
    heads = header.per_layer("attention.head_count", count)
    pairs = header.per_layer("attention.head_count_kv", count) or heads
    if heads is None or pairs is None:
        raise GwError(f"{header.path} does not say how many heads of attention its model has")
    shared = min(header.integer("attention.shared_kv_layers") or 0, count)
    pairs = pairs[: count - shared] + (0,) * shared
    key = header.integer("attention.key_length")
    if key is None:
        most = max(heads)
        key = _needed(header, "embedding_length") // most if most else 0
    value = header.integer("attention.value_length") or key
    near_key = header.integer("attention.key_length_swa") or key
    near_value = header.integer("attention.value_length_swa") or value
    layers: list[tuple[int, int, int | None]] = []
    for number, window in zip(pairs, _windows(header, count, notes), strict=True):
        sizes = (key, value) if window is None else (near_key, near_value)
        layers.append((number * sizes[0], number * sizes[1], window))
    return layers


def _windows(header: Header, count: int, notes: list[str]) -> list[int | None]:
    """How far each layer sees back."""
    window = header.integer("attention.sliding_window")
    if not window:
        return [None] * count
    pattern = header.value("attention.sliding_window_pattern")
    if isinstance(pattern, tuple) and len(pattern) == count:
        return [window if one else None for one in pattern]
    period = pattern if isinstance(pattern, int) and pattern > 0 else _WINDOW_PERIODS.get(header.architecture)
    if period is None:
        notes.append(f"a sliding window of {window} is stated, but not for which layers: all are counted in full")
        return [None] * count
    return [None if layer % period == period - 1 else window for layer in range(count)]


def _needed(header: Header, key: str) -> int:
    size = header.integer(key)
    if not size:
        raise GwError(f"{header.path} does not say its model's {key}")
    return size
