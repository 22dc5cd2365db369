"""What full attention over a corpus costs in GPU memory, against the same model with a window of retrieved passages.

Nothing is measured: the figures follow from a model's shape. Weights are parameters x bits / 8, or what a GGUF file
holds; keys and values are reckoned in :mod:`gw_core.kvcache`. Activations, compute buffers and what the driver keeps
for itself depend on the program that runs the model: of every card, ``reserve`` GiB stay free for them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from gw_core.bench.tokens import name_of, parse_tokens
from gw_core.errors import GwError, UnknownNameError, UsageError
from gw_core.gguf import read_header
from gw_core.hookspecs import Register, hookimpl
from gw_core.kvcache import Shape, shape_of
from gw_core.model import Identity
from gw_core.protocols import Bench, Task
from gw_core.schema import Help, Range
from gw_core.trial import Cell, Figure
from gw_plugins.tasks.shapes import BITS, GPUS, SHAPES

GIB = 2**30
MOST_TOKENS = 10**12

Cache = Literal["f16", "bf16", "f32", "q8_0", "q4_0"]
Weights = Literal["f32", "bf16", "f16", "fp8", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q2_k"]


class _Model:
    """A shape, and its weights: how many bytes of which type. ``name`` is short, as a file's own may not be."""

    def __init__(self, name: str, shape: Shape, weight_bytes: int, weights: str) -> None:
        self.name = name
        self.shape = shape
        self.weight_bytes = weight_bytes
        self.weights = weights


class Memory:
    """What full attention over a corpus costs in GPU memory, against the same model with retrieval.

    A cell for each model. A context counts the model's own tokens.
    """

    examples = (
        "gw bench memory --model qwen2.5-7b,llama-3.1-8b --context 32k,128k,1m",
        "gw bench memory --model model.gguf --kv q8_0",
    )

    def __init__(
        self,
        *,
        model: Annotated[tuple[str, ...], Help("names of published models, or paths of .gguf files")] = (
            "llama-3.1-8b",
            "qwen2.5-7b",
        ),
        context: Annotated[tuple[str, ...], Help("sizes of the corpus, all of it in the model's context")] = (
            "8k",
            "32k",
            "128k",
            "1m",
        ),
        window: Annotated[str, Help("what the model is shown with retrieval: passages, question, answer")] = "4k",
        kv: Annotated[Cache, Help("how keys and values are kept")] = "f16",
        weights: Annotated[Weights, Help("how weights are kept; a .gguf file has its own")] = "q4_k_m",
        reserve: Annotated[float, Range(0, 7), Help("GiB of every card left for all else")] = 1.0,
    ) -> None:
        if not model or not context:
            raise ValueError("there must be a model and a context")
        self._models = tuple(dict.fromkeys(model))
        self._contexts = tuple(dict.fromkeys(_tokens(one) for one in context))
        self._window = _tokens(window)
        self._kv: str = kv
        self._weights: str = weights
        self._reserve = reserve
        self.identity = Identity(
            "memory",
            "1",
            {
                "model": [Path(one).name if _is_file(one) else one for one in self._models],
                "context": [name_of(one) for one in self._contexts],
                "window": name_of(self._window),
                "kv": kv,
                "weights": weights,
                "reserve": reserve,
            },
        )

    def run(self, bench: Bench) -> Iterator[Cell]:
        models = _named([_model(one, self._weights) for one in self._models])
        for number, (name, model) in enumerate(models):
            bench.step("reckoning", number, len(models))
            yield self._cell(name, model)
        bench.step("reckoning", len(models), len(models))

    def _cell(self, name: str, model: _Model) -> Cell:
        shown = model.shape.cache_bytes(self._window, self._kv)
        figures = {
            "weights": _gib(model.weight_bytes),
            "kv_cache_with_retrieval": _gib(shown),
            "total_with_retrieval": _gib(model.weight_bytes + shown),
        }
        rows = []
        for context in self._contexts:
            cache = model.shape.cache_bytes(context, self._kv)
            figures[f"kv_cache@{name_of(context)}"] = _gib(cache)
            figures[f"total@{name_of(context)}"] = _gib(model.weight_bytes + cache)
            rows.append(self._row(model, context, cache, min(cache, shown)))
        facts: dict[str, Any] = {
            "gpus": rows,
            "parameters": model.shape.parameters,
            "weights": model.weights,
            "kv": self._kv,
            "window": name_of(self._window),
            "longest_context": model.shape.most or None,
            "bytes": {
                "weights": model.weight_bytes,
                "kv_cache_with_retrieval": shown,
                **{
                    f"kv_cache@{name_of(context)}": model.shape.cache_bytes(context, self._kv)
                    for context in self._contexts
                },
            },
            "source": model.shape.source,
        }
        return Cell(name=name, figures=figures, facts=facts, notes=self._notes(name, model.shape))

    def _row(self, model: _Model, context: int, cache: int, shown: int) -> dict[str, str]:
        """One line of the table. A corpus that is smaller than the window needs no more than all of it."""
        whole, with_retrieval = model.weight_bytes + cache, model.weight_bytes + shown
        return {
            "context": name_of(context),
            "full attention": f"{whole / GIB:,.1f} GiB",
            "cards": gpus_for(whole, self._reserve),
            "with retrieval": f"{with_retrieval / GIB:,.1f} GiB",
            "cards with retrieval": gpus_for(with_retrieval, self._reserve),
        }

    def _notes(self, name: str, shape: Shape) -> tuple[str, ...]:
        notes = [
            f"with retrieval a model is shown {name_of(self._window)} tokens, however large the corpus is, and"
            " the index takes no GPU memory",
            f"of every card {self._reserve:g} GiB stay free for activations, buffers and the driver",
            *(f"{name}: {note}" for note in shape.notes),
        ]
        beyond = [name_of(context) for context in self._contexts if 0 < shape.most < context]
        if beyond:
            more = ", ".join(beyond)
            notes.append(f"{more}: more than the {shape.most:,} tokens that {name} was made for")
        windows = [(one.count, one.window) for one in shape.layers if one.window is not None]
        if windows and min(window for _, window in windows) < max(self._contexts):
            near = ", ".join(f"{count} of its layers the last {name_of(window)} tokens" for count, window in windows)
            notes.append(f"{name} keeps in {near} only; a program that makes no use of it needs more")
        return tuple(notes)


def gpus_for(size: int, reserve: float) -> str:
    """The smallest card that holds ``size`` bytes with ``reserve`` GiB to spare, or how many of the largest.

    >>> gpus_for(5 * GIB, 1.0), gpus_for(1000 * GIB, 1.0)
    ('1 x 8 GB (RTX 3070, RTX 4060)', '6 x 192 GB (B200, MI300X)')
    """
    for memory, names in GPUS:
        if size <= (memory - reserve) * GIB:
            return f"1 x {memory} GB ({names})"
    memory, names = GPUS[-1]
    return f"{-int(-size // int((memory - reserve) * GIB))} x {memory} GB ({names})"


def _gib(size: int) -> Figure:
    return Figure(size / GIB, "GiB", better="lower", machine=False)


def _tokens(text: str) -> int:
    tokens = parse_tokens(text)
    if tokens > MOST_TOKENS:
        raise ValueError(f"{text!r}: at most {MOST_TOKENS:,} tokens")
    return tokens


def _is_file(name: str) -> bool:
    return Path(name).suffix.lower() == ".gguf"


def _model(name: str, weights: str) -> _Model:
    """A published model, or the one in a GGUF file."""
    if _is_file(name):
        try:
            header = read_header(Path(name).expanduser())
            shape = shape_of(header)
        except UsageError:
            raise
        except GwError as error:  # what was typed is wrong, not this run
            raise UsageError(error.message, hint=error.hint) from error
        if header.parts > 1:
            raise UsageError(f"{name} is one of {header.parts} parts of a model", hint="gguf-split --merge joins them")
        return _Model(header.path.stem, shape, header.weight_bytes, header.file_type)
    shape = SHAPES.get(name.strip().lower().rsplit("/", 1)[-1]) or _unknown(name)
    return _Model(shape.name, shape, int(shape.parameters * BITS[weights] / 8), weights)


def _unknown(name: str) -> Shape:
    near = difflib.get_close_matches(name.strip().lower(), SHAPES, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(map(repr, near))}" if near else f"known: {', '.join(sorted(SHAPES))}"
    raise UnknownNameError(f"no model of the name {name!r} is known", hint=f"{hint}, or a .gguf file")


def _named(models: Sequence[_Model]) -> list[tuple[str, _Model]]:
    """Models by names that differ, also where two files in two folders are called the same."""
    named: dict[str, _Model] = {}
    for model in models:
        name, number = model.name, 2
        while name in named:
            name, number = f"{model.name} ({number})", number + 1
        named[name] = model
    return list(named.items())


@hookimpl
def gw_register_tasks(register: Register[Task]) -> None:
    register(
        "memory", "gw_plugins.tasks.memory:Memory", help="GPU memory of full attention over a corpus against retrieval"
    )
