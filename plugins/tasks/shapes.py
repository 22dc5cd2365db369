"""Published shapes of models, and the memory of graphics cards: data.

The shapes are those of the ``config.json`` that a model's maker published: layers, key-value heads, head dimension,
longest context (``max_position_embeddings``) and sliding window; parameters are all of the weights, counted from the
same file, with the experts that a token does not use. Of models that see images too, those of the text part.
"""

from __future__ import annotations

from gw_core.kvcache import Layers, Shape


def _same(name: str, source: str, parameters: int, layers: int, heads: int, dim: int, most: int) -> Shape:
    """All layers see the whole context."""
    return Shape(name, parameters, (Layers(layers, heads * dim, heads * dim),), most, source)


def _sliding(
    name: str, source: str, parameters: int, near: int, window: int, far: int, heads: int, dim: int, most: int
) -> Shape:
    """``near`` layers see ``window`` tokens, ``far`` layers all of them."""
    kinds = ((near, window), (far, None))
    layers = tuple(Layers(count, heads * dim, heads * dim, back) for count, back in kinds if count)
    return Shape(name, parameters, layers, most, source)


def _latent(name: str, source: str, parameters: int, layers: int, rank: int, rotary: int, most: int) -> Shape:
    """Keys and values together are one vector of ``rank`` numbers, with ``rotary`` for the position."""
    return Shape(name, parameters, (Layers(layers, rank + rotary, 0),), most, source)


SHAPES: dict[str, Shape] = {
    one.name: one
    for one in (
        # name, published at huggingface.co, parameters, layers, key-value heads, head dimension, longest context
        _same("llama-2-7b", "meta-llama/Llama-2-7b-hf", 6_738_415_616, 32, 32, 128, 4_096),
        _same("llama-2-13b", "meta-llama/Llama-2-13b-hf", 13_015_864_320, 40, 40, 128, 4_096),
        _same("llama-2-70b", "meta-llama/Llama-2-70b-hf", 68_976_648_192, 80, 8, 128, 4_096),
        _same("llama-3-8b", "meta-llama/Meta-Llama-3-8B", 8_030_261_248, 32, 8, 128, 8_192),
        _same("llama-3-70b", "meta-llama/Meta-Llama-3-70B", 70_553_706_496, 80, 8, 128, 8_192),
        _same("llama-3.1-8b", "meta-llama/Llama-3.1-8B", 8_030_261_248, 32, 8, 128, 131_072),
        _same("llama-3.1-70b", "meta-llama/Llama-3.1-70B", 70_553_706_496, 80, 8, 128, 131_072),
        _same("llama-3.1-405b", "meta-llama/Llama-3.1-405B", 405_853_388_800, 126, 8, 128, 131_072),
        _same("llama-3.2-1b", "meta-llama/Llama-3.2-1B", 1_235_814_400, 16, 8, 64, 131_072),
        _same("llama-3.2-3b", "meta-llama/Llama-3.2-3B", 3_212_749_824, 28, 8, 128, 131_072),
        _same("llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct", 70_553_706_496, 80, 8, 128, 131_072),
        _same("qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B", 494_032_768, 24, 2, 64, 32_768),
        _same("qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B", 1_543_714_304, 28, 2, 128, 131_072),
        _same("qwen2.5-3b", "Qwen/Qwen2.5-3B", 3_085_938_688, 36, 2, 128, 32_768),
        _same("qwen2.5-7b", "Qwen/Qwen2.5-7B", 7_615_616_512, 28, 4, 128, 131_072),
        _same("qwen2.5-14b", "Qwen/Qwen2.5-14B", 14_770_033_664, 48, 8, 128, 131_072),
        _same("qwen2.5-32b", "Qwen/Qwen2.5-32B", 32_763_876_352, 64, 8, 128, 131_072),
        _same("qwen2.5-72b", "Qwen/Qwen2.5-72B", 72_706_203_648, 80, 8, 128, 131_072),
        _same("qwen2.5-7b-1m", "Qwen/Qwen2.5-7B-Instruct-1M", 7_615_616_512, 28, 4, 128, 1_010_000),
        _same("qwen2.5-14b-1m", "Qwen/Qwen2.5-14B-Instruct-1M", 14_770_033_664, 48, 8, 128, 1_010_000),
        _same("qwen3-0.6b", "Qwen/Qwen3-0.6B", 596_049_920, 28, 8, 128, 40_960),
        _same("qwen3-1.7b", "Qwen/Qwen3-1.7B", 1_720_574_976, 28, 8, 128, 40_960),
        _same("qwen3-4b", "Qwen/Qwen3-4B", 4_022_468_096, 36, 8, 128, 40_960),
        _same("qwen3-8b", "Qwen/Qwen3-8B", 8_190_735_360, 36, 8, 128, 40_960),
        _same("qwen3-14b", "Qwen/Qwen3-14B", 14_768_307_200, 40, 8, 128, 40_960),
        _same("qwen3-32b", "Qwen/Qwen3-32B", 32_762_123_264, 64, 8, 128, 40_960),
        _same("qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B", 30_532_122_624, 48, 4, 128, 40_960),
        _same("qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B", 235_093_634_560, 94, 4, 128, 40_960),
        _sliding("mistral-7b-v0.1", "mistralai/Mistral-7B-v0.1", 7_241_732_096, 32, 4_096, 0, 8, 128, 32_768),
        _same("mistral-7b-v0.2", "mistralai/Mistral-7B-Instruct-v0.2", 7_241_732_096, 32, 8, 128, 32_768),
        _same("mistral-7b-v0.3", "mistralai/Mistral-7B-v0.3", 7_248_023_552, 32, 8, 128, 32_768),
        _same("mistral-nemo-12b", "mistralai/Mistral-Nemo-Base-2407", 12_247_782_400, 40, 8, 128, 128_000),
        _same("mistral-small-24b", "mistralai/Mistral-Small-24B-Base-2501", 23_572_403_200, 40, 8, 128, 32_768),
        _same("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1", 46_702_792_704, 32, 8, 128, 32_768),
        _same("mixtral-8x22b", "mistralai/Mixtral-8x22B-v0.1", 140_630_071_296, 56, 8, 128, 65_536),
        _sliding("gemma-2-2b", "google/gemma-2-2b", 2_614_341_888, 13, 4_096, 13, 4, 256, 8_192),
        _sliding("gemma-2-9b", "google/gemma-2-9b", 9_241_705_984, 21, 4_096, 21, 8, 256, 8_192),
        _sliding("gemma-2-27b", "google/gemma-2-27b", 27_227_128_320, 23, 4_096, 23, 16, 128, 8_192),
        _sliding("gemma-3-1b", "google/gemma-3-1b-it", 999_885_952, 22, 512, 4, 1, 256, 32_768),
        _sliding("gemma-3-4b", "google/gemma-3-4b-it", 3_880_099_328, 29, 1_024, 5, 4, 256, 131_072),
        _sliding("gemma-3-12b", "google/gemma-3-12b-it", 11_765_788_416, 40, 1_024, 8, 8, 256, 131_072),
        _sliding("gemma-3-27b", "google/gemma-3-27b-it", 27_009_002_240, 52, 1_024, 10, 16, 128, 131_072),
        _same("phi-3-mini-128k", "microsoft/Phi-3-mini-128k-instruct", 3_821_079_552, 32, 32, 96, 131_072),
        _same("phi-4", "microsoft/phi-4", 14_659_507_200, 40, 10, 128, 16_384),
        _same("phi-4-mini", "microsoft/Phi-4-mini-instruct", 3_836_021_760, 32, 8, 128, 131_072),
        _sliding("gpt-oss-20b", "openai/gpt-oss-20b", 20_914_757_184, 12, 128, 12, 8, 64, 131_072),
        _sliding("gpt-oss-120b", "openai/gpt-oss-120b", 116_829_156_672, 18, 128, 18, 8, 64, 131_072),
        # Without the module that predicts a second token, which inference can do without.
        _latent("deepseek-v3", "deepseek-ai/DeepSeek-V3", 671_026_419_200, 61, 512, 64, 163_840),
        _latent("deepseek-r1", "deepseek-ai/DeepSeek-R1", 671_026_419_200, 61, 512, 64, 163_840),
        _same("yi-6b", "01-ai/Yi-6B", 6_061_035_520, 32, 4, 128, 4_096),
        _same("yi-34b", "01-ai/Yi-34B", 34_388_917_248, 60, 8, 128, 4_096),
        _same("tinyllama-1.1b", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", 1_100_048_384, 22, 4, 64, 2_048),
        _same("smollm2-135m", "HuggingFaceTB/SmolLM2-135M", 134_515_008, 30, 3, 64, 8_192),
        _same("smollm2-360m", "HuggingFaceTB/SmolLM2-360M", 361_821_120, 32, 5, 64, 8_192),
        _same("smollm2-1.7b", "HuggingFaceTB/SmolLM2-1.7B", 1_711_376_384, 24, 32, 64, 8_192),
    )
}

BITS: dict[str, float] = {
    "f32": 32,
    "bf16": 16,
    "f16": 16,
    "fp8": 8,
    "q8_0": 8.5,
    "q6_k": 6.5633,
    "q5_k_m": 5.7036,
    "q4_k_m": 4.8944,
    "q2_k": 3.1593,
}
"""Bits for each parameter. Those of ``q6_k`` and below are mixes of types that differ a little from model to model;
here, what llama.cpp's own table measures for Llama-3.1-8B (tools/quantize/README.md)."""

GPUS: tuple[tuple[int, str], ...] = (
    (8, "RTX 3070, RTX 4060"),
    (12, "RTX 3060, RTX 4070"),
    (16, "T4, RTX 4080"),
    (24, "RTX 3090, RTX 4090, L4"),
    (32, "RTX 5090, V100 32 GB"),
    (40, "A100 40 GB"),
    (48, "A40, L40S, RTX 6000 Ada"),
    (80, "A100 80 GB, H100"),
    (96, "RTX PRO 6000 Blackwell"),
    (141, "H200"),
    (192, "B200, MI300X"),
)
"""Memory and examples. The figure that a card is sold with counts units of 2**30 bytes."""
