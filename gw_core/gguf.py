"""The header of a GGUF file: what model it holds, and how large its parts are. Weights are never read.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, in either byte order. A file
from a stranger may claim anything: no length that it states is believed before so many bytes are there, nothing is set
aside for it beforehand, and what is kept is bounded. What is wrong is said in one line.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gw_core.errors import GwError, NotFoundError

MAX_TENSORS = 1 << 17
MAX_ENTRIES = 1 << 16
MAX_ELEMENTS = 1 << 21
"""Of all arrays of strings in a file together: some ten times the largest vocabulary with its merges."""
MAX_NAME = (1 << 16) - 1
"""Bytes of a key or a tensor's name; the format's own limit for keys."""
KEPT_STRING = 1 << 16
KEPT_ARRAY = 1 << 12
KEPT_BYTES = 1 << 23
MAX_DIMENSIONS = 4
DEFAULT_ALIGNMENT = 32
_BLOCK = 1 << 16

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class TensorType:
    """How numbers are stored: ``size`` bytes for each block of ``block`` of them."""

    name: str
    block: int
    size: int

    def bytes_of(self, numbers: int) -> int:
        """What so many numbers take, in bytes; a block that isn't full takes as much as one that is.

        >>> TensorType("q8_0", 32, 34).bytes_of(64)
        68
        """
        return -(-numbers // self.block) * self.size


TENSOR_TYPES = {
    number: TensorType(name, block, size)
    for number, name, block, size in (
        (0, "f32", 1, 4),
        (1, "f16", 1, 2),
        (2, "q4_0", 32, 18),
        (3, "q4_1", 32, 20),
        (6, "q5_0", 32, 22),
        (7, "q5_1", 32, 24),
        (8, "q8_0", 32, 34),
        (9, "q8_1", 32, 36),
        (10, "q2_k", 256, 84),
        (11, "q3_k", 256, 110),
        (12, "q4_k", 256, 144),
        (13, "q5_k", 256, 176),
        (14, "q6_k", 256, 210),
        (15, "q8_k", 256, 292),
        (16, "iq2_xxs", 256, 66),
        (17, "iq2_xs", 256, 74),
        (18, "iq3_xxs", 256, 98),
        (19, "iq1_s", 256, 50),
        (20, "iq4_nl", 32, 18),
        (21, "iq3_s", 256, 110),
        (22, "iq2_s", 256, 82),
        (23, "iq4_xs", 256, 136),
        (24, "i8", 1, 1),
        (25, "i16", 1, 2),
        (26, "i32", 1, 4),
        (27, "i64", 1, 8),
        (28, "f64", 1, 8),
        (29, "iq1_m", 256, 56),
        (30, "bf16", 1, 2),
        (34, "tq1_0", 256, 54),
        (35, "tq2_0", 256, 66),
        (39, "mxfp4", 32, 17),
        (40, "nvfp4", 64, 36),
        (41, "q1_0", 128, 18),
    )
}
"""By their number in a file: ``enum ggml_type`` and the block sizes of ggml. Numbers that are missing were removed."""

FILE_TYPES = dict(
    enumerate(
        "f32 f16 q4_0 q4_1 - - - q8_0 q5_0 q5_1 q2_k q3_k_s q3_k_m q3_k_l q4_k_s q4_k_m q5_k_s q5_k_m q6_k iq2_xxs"
        " iq2_xs q2_k_s iq3_xs iq3_xxs iq1_s iq4_nl iq3_s iq3_m iq2_s iq2_m iq4_xs iq1_m bf16 - - - tq1_0 tq2_0"
        " mxfp4_moe nvfp4 q1_0".split()
    )
)
"""``general.file_type`` by number: ``enum llama_ftype``; ``-`` for those that were removed."""


@dataclass(frozen=True, slots=True)
class LongValue:
    """A string or an array that was left in the file, such as a vocabulary: only its ``length`` is known."""

    length: int


Value = int | float | bool | str | tuple[int | float | bool | str, ...] | LongValue


@dataclass(frozen=True, slots=True)
class Tensor:
    """``shape`` in the file's order, the fastest dimension first; ``offset`` in bytes from where the weights begin."""

    name: str
    shape: tuple[int, ...]
    type: TensorType
    offset: int

    @property
    def numbers(self) -> int:
        product = 1
        for extent in self.shape:
            product *= extent
        return product

    @property
    def size(self) -> int:
        """Bytes, without the padding behind it."""
        return self.type.bytes_of(self.numbers)


@dataclass(frozen=True)
class Header:
    """What a GGUF file says about itself. ``data`` is where in the file its weights begin."""

    path: Path
    version: int
    big_endian: bool
    metadata: Mapping[str, Value]
    tensors: tuple[Tensor, ...]
    data: int
    file_size: int

    @cached_property
    def parameters(self) -> int:
        return sum(tensor.numbers for tensor in self.tensors)

    @cached_property
    def weight_bytes(self) -> int:
        return sum(tensor.size for tensor in self.tensors)

    @property
    def architecture(self) -> str:
        return self._text("general.architecture")

    @property
    def name(self) -> str:
        """The model's name, or else the file's."""
        return self._text("general.name") or self.path.stem

    @property
    def file_type(self) -> str:
        """The mix of types that its maker chose, such as ``q4_k_m``; else the type that most bytes are in."""
        number = self.metadata.get("general.file_type")
        # 1024 is added to a type that was guessed.
        known = FILE_TYPES.get(number & ~1024, "-") if isinstance(number, int) else "-"
        if known != "-" or not self.tensors:
            return known if known != "-" else ""
        sizes: dict[str, int] = {}
        for tensor in self.tensors:
            sizes[tensor.type.name] = sizes.get(tensor.type.name, 0) + tensor.size
        return max(sizes, key=lambda one: (sizes[one], one))

    @property
    def parts(self) -> int:
        """In how many files the model lies; this one holds a part of its weights only if it's more than one."""
        return self.integer("split.count") or 1

    def value(self, key: str) -> Value | None:
        """A value of the model's own architecture: ``block_count`` is ``llama.block_count`` in a llama."""
        return self.metadata.get(f"{self.architecture}.{key}")

    def integer(self, key: str) -> int | None:
        """A whole number, of the architecture's own or by its full key; None where there is none.

        Raises :class:`GwError` for anything else: a size that isn't one, or one that no model has.
        """
        value = self.metadata.get(key, self.value(key))
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
            raise GwError(f"{self.path}: {key} is no size: {_shown(value)}")
        return value

    def per_layer(self, key: str, layers: int) -> tuple[int, ...] | None:
        """A size for each layer: the file has one for all of them, or a list. None where it has neither.

        Raises :class:`GwError` where a list isn't of so many sizes.
        """
        value = self.value(key)
        if isinstance(value, tuple):
            sizes = tuple(int(one) for one in value if isinstance(one, int) and 0 <= one < 1 << 31)
            if len(sizes) != layers or len(value) != layers:
                raise GwError(f"{self.path}: {key} should hold {layers} sizes, one for each layer")
            return sizes
        one = self.integer(key)
        return None if one is None else (one,) * layers

    def _text(self, key: str) -> str:
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""


def read_header(path: Path) -> Header:
    """Read the header of the GGUF file at ``path``.

    Raises :class:`NotFoundError` where there is no such file, and :class:`GwError` where it cannot be read, is of
    another format or version, is damaged, or ends before its weights do.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {path}") from error
    except (OSError, ValueError) as error:
        raise GwError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise GwError(f"{path} is not a file")
        return _Reader(descriptor, path, status.st_size).header()
    except OSError as error:
        raise GwError(f"{path} cannot be read: {error.strerror or error}") from error
    finally:
        os.close(descriptor)


class _Reader:
    """Reads forward through a file, a block at a time; what is skipped is not read."""

    def __init__(self, descriptor: int, path: Path, size: int) -> None:
        self._descriptor = descriptor
        self._path = path
        self._size = size
        self._block = b""
        self._at = 0
        self._behind = 0
        """Where in the file the block ends."""
        self._order = "<"
        self._kept = 0
        self._elements = 0

    def header(self) -> Header:
        if self._size < 4 or self._bytes(4) != b"GGUF":
            raise GwError(f"{self._path} is not a GGUF file")
        version = self._version()
        tensor_count = self._count("tensors", MAX_TENSORS, least=24)
        entry_count = self._count("metadata entries", MAX_ENTRIES, least=13)
        metadata: dict[str, Value] = {}
        for _ in range(entry_count):
            key = self._name("a metadata key")
            if key in metadata:
                raise self._damaged(f"metadata key {_shown(key)} stands in it twice")
            metadata[key] = self._value(self._number("I"))
        tensors: dict[str, Tensor] = {}
        for _ in range(tensor_count):
            tensor = self._tensor()
            if tensor.name in tensors:
                raise self._damaged(f"tensor {_shown(tensor.name)} stands in it twice")
            tensors[tensor.name] = tensor
        alignment = metadata.get("general.alignment", DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20 or alignment & (alignment - 1):
            raise self._damaged(f"its alignment is {_shown(alignment)}")
        data = -(-self._place // alignment) * alignment
        end = data + max((tensor.offset + tensor.size for tensor in tensors.values()), default=0)
        if tensors and end > self._size:
            raise GwError(
                f"{self._path} ends at byte {self._size:,}, before its weights do, at {end:,}",
                hint="the download broke off, or the file is damaged",
            )
        ordered = tuple(tensors.values())
        return Header(self._path, version, self._order == ">", metadata, ordered, data, self._size)

    def _version(self) -> int:
        version = int(self._number("I"))
        # A version is small: one that is huge was written in the other byte order.
        if version and not version & 0xFFFF:
            self._order = ">"
            version = int.from_bytes(version.to_bytes(4, "little"), "big")
        if version == 1:
            raise GwError(f"{self._path} is of version 1 of GGUF", hint="convert the model again: 2 and 3 are read")
        if version not in (2, 3):
            raise GwError(f"{self._path} is of version {version} of GGUF", hint="versions 2 and 3 are read")
        return version

    def _tensor(self) -> Tensor:
        name = self._name("a tensor's name")
        dimensions = int(self._number("I"))
        if dimensions > MAX_DIMENSIONS:
            raise self._damaged(f"tensor {_shown(name)} has {dimensions:,} dimensions")
        shape = tuple(int(self._number("Q")) for _ in range(dimensions))
        number = int(self._number("I"))
        offset = int(self._number("Q"))
        if number not in TENSOR_TYPES:
            raise GwError(f"{self._path}: tensor {_shown(name)} is of a type that is not known, {number}")
        tensor = Tensor(name, shape, TENSOR_TYPES[number], offset)
        if shape and shape[0] % tensor.type.block:
            raise self._damaged(f"tensor {_shown(name)} has {shape[0]:,} columns, not whole blocks")
        if tensor.size > self._size:
            raise self._damaged(f"tensor {_shown(name)} is larger than the file")
        return tensor

    # -- values -------------------------------------------------------------------------------------------------------

    def _value(self, kind: float) -> Value:
        if kind == _STRING:
            length = self._length()
            if length > KEPT_STRING:
                self._skip(length)
                return LongValue(length)
            return self._text(length)
        if kind != _ARRAY:
            return self._number(self._scalar(kind))
        kind, length = self._number("I"), int(self._number("Q"))
        if kind == _STRING:
            return self._strings(length)
        code = self._scalar(kind)
        size = struct.calcsize(self._order + code)
        if length * size > self._left:
            raise self._damaged(f"an array of {length:,} elements does not fit into it")
        if length > KEPT_ARRAY:
            self._skip(length * size)
            return LongValue(length)
        self._keep(length * size)
        return tuple(struct.unpack(f"{self._order}{length}{code}", self._bytes(length * size)))

    def _scalar(self, kind: float) -> str:
        code = _SCALARS.get(int(kind))
        if code is None:
            raise self._damaged(f"a value is of an unknown type, {int(kind)}")
        return code

    def _strings(self, length: int) -> Value:
        """An array of strings. A long one is a vocabulary: walked over, not kept."""
        self._elements += length
        if length * 8 > self._left or self._elements > MAX_ELEMENTS:
            raise self._damaged(f"an array of {length:,} strings is more than it can hold")
        if length <= KEPT_ARRAY // 16:
            texts = []
            for _ in range(length):
                size = self._length()
                if size > KEPT_STRING:
                    raise self._damaged(f"an array holds a string of {size:,} bytes")
                texts.append(self._text(size))
            return tuple(texts)
        unpack = struct.Struct(self._order + "Q").unpack_from
        walked = 0
        while walked < length:
            block, at = self._block, self._at
            last = len(block) - 8
            while walked < length and at <= last:
                (size,) = unpack(block, at)
                at += 8 + size
                walked += 1
            skipped, self._at = at - len(block), min(at, len(block))
            if skipped > 0:
                self._skip(skipped)
            elif walked < length:
                self._fill(8)
        return LongValue(length)

    def _number(self, code: str) -> int | float:
        size = struct.calcsize("<" + code)
        value: int | float = struct.unpack(self._order + code, self._bytes(size))[0]
        return value

    def _count(self, what: str, most: int, least: int) -> int:
        """How many there are of something that takes ``least`` bytes each."""
        count = int(self._number("Q"))
        if count > most or count * least > self._left + 8:
            raise self._damaged(f"it claims {count:,} {what}")
        return count

    def _length(self) -> int:
        length = int(self._number("Q"))
        if length > self._left:
            raise self._damaged(f"a string of {length:,} bytes does not fit into it")
        return length

    def _name(self, what: str) -> str:
        length = self._length()
        if not 0 < length <= MAX_NAME:
            raise self._damaged(f"{what} is {length:,} bytes long")
        return self._text(length)

    def _text(self, length: int) -> str:
        self._keep(length)
        return self._bytes(length).decode("utf-8", "replace")

    def _keep(self, size: int) -> None:
        self._kept += size
        if self._kept > KEPT_BYTES:
            raise GwError(f"{self._path} has more than {KEPT_BYTES >> 20} MiB of names and settings in its header")

    # -- bytes --------------------------------------------------------------------------------------------------------

    @property
    def _place(self) -> int:
        return self._behind - len(self._block) + self._at

    @property
    def _left(self) -> int:
        return self._size - self._place

    def _bytes(self, size: int) -> bytes:
        if len(self._block) - self._at < size:
            self._fill(size)
        start = self._at
        self._at += size
        return self._block[start : self._at]

    def _fill(self, size: int) -> None:
        """Have at least ``size`` bytes at hand."""
        if size > self._left:
            raise self._damaged("it ends within its header")
        rest = [self._block[self._at :]]
        have = len(rest[0])
        while have < size:
            read = os.read(self._descriptor, max(_BLOCK, size - have))
            if not read:
                raise self._damaged("it ends within its header")
            rest.append(read)
            have += len(read)
            self._behind += len(read)
        self._block, self._at = b"".join(rest), 0

    def _skip(self, size: int) -> None:
        if size > self._left:
            raise self._damaged("it ends within its header")
        if size <= len(self._block) - self._at:
            self._at += size
            return
        self._behind = os.lseek(self._descriptor, self._place + size, os.SEEK_SET)
        self._block, self._at = b"", 0

    def _damaged(self, how: str) -> GwError:
        return GwError(f"{self._path} is damaged: {how}", hint="download or convert the model again")


def _shown(value: object) -> str:
    """A value out of the file for one line of a message."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
