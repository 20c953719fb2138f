"""Frames and values between the trusted side and a worker. Nothing is ever unpickled.

    magic (4 bytes) · header length (u32) · body length (u64), little-endian · header (JSON) · body (numbers of tensors)

A value is a tree. A plain null, boolean, number or text stands for itself; everything else is an object with one key:

    {"l": [...]} list · {"u": [...]} tuple · {"d": [[key, value], ...]} dict · {"f": "nan"} · {"i": "123"} a long int
    {"t": ["float32", [2, 3]]} the body's next tensor · {"n": …} the same as a numpy array
    to a worker only: {"b": …} bytes · {"g": …} a torch.Generator by its state · {"fn": [source, bound]} a function by
    its source · {"p": [{"t": …}, axes, leaf]} a tensor whose axes are in memory in another order, or a leaf that
    requires a gradient
    from a worker only: {"o": "module.Class"} an object that has no place here

Every length, dtype and shape that a worker sends is checked before anything is built; whatever does not fit raises
WireError, and the worker is given up.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, NamedTuple, NoReturn

import numpy
import torch
from torch import Tensor

from grader.calling.protocol import Function
from grader.calling.steps import describe, plain_tensor
from grader.sandbox.workers.waiting import WireError

FRAME_MAGIC = b"BPN1"
FRAME_PREFIX = struct.Struct("<4sIQ")
MAX_HEADER = 1 << 20
MAX_BODY = 1 << 26
"""Bytes of a frame's body, and the largest size of a tensor."""
ALIGNMENT = 8
"""Each tensor begins at a multiple of so many bytes."""
MAX_DIMENSIONS = 8  # of a student's tensor: there are loops whose time is exponential in them
MAX_TREE_DEPTH = 30
LONG = 1 << 53  # integers up to here are the same number in every JSON library
MAX_INTEGER_DIGITS = 4000
"""Digits of a whole number. Python refuses to write out more than 4,300."""
DECIMAL = re.compile(rf"-?[0-9]{{1,{MAX_INTEGER_DIGITS}}}")
DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in (
        *("float64", "float32", "float16", "bfloat16"),
        *("int64", "int32", "int16", "int8", "uint8", "bool"),
    )
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}


# Frames --------------------------------------------------------------------------------------------------------------


class Frame(NamedTuple):
    header: dict[str, Any]
    body: bytes | bytearray = b""


def refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


# made once: the module's own functions make one for every frame
ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))
DECODER = json.JSONDecoder(parse_constant=refuse_constant)


def encode_frame(frame: Frame) -> bytes:
    header = ENCODER.encode(frame.header).encode()
    return FRAME_PREFIX.pack(FRAME_MAGIC, len(header), len(frame.body)) + header + frame.body


def decode_header(raw: bytes | bytearray) -> dict[str, Any]:
    try:
        text = raw.decode("utf-8")
        header, end = DECODER.raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise WireError(f"the header is no JSON: {type(error).__name__}") from None
    if type(header) is not dict or end != len(text):
        raise WireError("the header is no object")
    return header


class Reader:
    """Collects bytes as they arrive and gives whole frames. Both methods raise WireError as soon as a prefix is bad."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._buffer, self._start = bytearray(), 0
        self.max_body = max_body  # may be changed between frames

    def feed(self, data: bytes) -> None:
        del self._buffer[: self._start]  # here and not for every frame: many may have come together
        self._start = 0
        self._buffer += data
        self._ends()

    def next(self) -> Frame | None:
        middle, end = self._ends()
        if not end or len(self._buffer) < end:
            return None
        begin, self._start = self._start + FRAME_PREFIX.size, end
        return Frame(decode_header(self._buffer[begin:middle]), self._buffer[middle:end])

    def _ends(self) -> tuple[int, int]:
        """Where the header and the body of the next frame end; zeros where its prefix is not there yet."""
        begin = self._start + FRAME_PREFIX.size
        if len(self._buffer) < begin:
            return 0, 0
        magic, header, body = FRAME_PREFIX.unpack_from(self._buffer, self._start)
        if magic != FRAME_MAGIC:
            raise WireError("the frame does not begin as a frame does")
        if header > MAX_HEADER or body > self.max_body:
            raise WireError(f"the frame is too large: {header} + {body} bytes")
        return begin + header, begin + header + body


def read_frame(file: BinaryIO) -> Frame | None:
    """Blocking read of one frame from a trusted sender; None at end of file."""
    prefix = file.read(FRAME_PREFIX.size)
    if len(prefix) < FRAME_PREFIX.size:
        return None
    _, header_size, body_size = FRAME_PREFIX.unpack(prefix)
    header, body = file.read(header_size), bytearray(body_size)
    return Frame(decode_header(header), body) if file.readinto(body) == body_size else None  # type: ignore[attr-defined]


# Values to nodes -----------------------------------------------------------------------------------------------------
#
# The trusted process loops over what a reply brings, so a reply has a budget in units: an entry of a list, tuple or
# dict is ENTRY units, an element of a tensor or a character of a text is one. A size of 0 counts as 1, because a tensor
# of shape (n, 0) is iterated n times. To build a tensor takes ten times as long as to take in a number.

ENTRY = 32
TENSOR = 10 * ENTRY
LEAST_BUDGET = 1 << 18
"""The smallest budget of a reply to a call; there is room for one four times as large as what was sent."""
SLACK = 100 * ENTRY
"""For descriptions in place of values that are too large."""


class TooLarge(Exception):
    """A value goes beyond its budget; the text says what it is."""


class Opaque:
    """Stands for an object of a student's that cannot travel; `kind` says what it is.

    It has no length, no elements and no number: whatever is done with it raises TypeError or AttributeError.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"a {self.kind}"


class Packer:
    """Turns values into JSON nodes and collects the numbers of their tensors in `body`.

    A packer of the trusted side (`trusted`) also takes what only workers are sent. `room` is for the bytes of tensors,
    `budget` in units; `used` are the units so far.
    """

    def __init__(self, *, trusted: bool = False, room: int = MAX_BODY, budget: int = MAX_BODY) -> None:
        self._trusted, self._room, self._budget = trusted, room, budget
        self.body, self.used = bytearray(), 0

    def pack_whole(self, value: Any) -> Any:
        """`pack`, with a value that has too many entries replaced by its description."""
        size, used = len(self.body), self.used
        try:
            return self.pack(value)
        except TooLarge as error:
            self.used = used
            del self.body[size:]
            return {"o": f"{describe(value)}, {error}"}

    def pack(self, value: Any, depth: int = 0) -> Any:
        """The node of a value. Raises TooLarge beyond the budget, and whatever a student's own classes raise."""
        self.used += ENTRY
        if self.used > self._budget:
            raise TooLarge("which has too many entries")
        if depth > MAX_TREE_DEPTH:
            return {"o": "value nested too deeply"}
        if isinstance(value, numpy.generic) and not isinstance(value, numpy.void):
            value = value.item()
        kind, deeper = type(value), depth + 1
        if value is None or kind is bool:
            return value
        if issubclass(kind, str):
            return self._text(str.__str__(value))
        if issubclass(kind, int):  # a student's class may override how it compares
            return self._whole(int.__index__(value))
        if issubclass(kind, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else {"f": str(number)}
        if issubclass(kind, Tensor):
            return self._permuted(value) if self._trusted else self._tensor(value, "t")
        if isinstance(value, numpy.ndarray):
            return self._array(value)
        if isinstance(value, Mapping):
            return {"d": [[self.pack(k, deeper), self.pack(v, deeper)] for k, v in value.items()]}
        if isinstance(value, (tuple, list)):
            return {"l" if isinstance(value, list) else "u": [self.pack(v, deeper) for v in value]}
        if self._trusted and isinstance(value, bytes):
            return self._tensor(torch.from_numpy(numpy.frombuffer(value, numpy.uint8).copy()), "b")
        if self._trusted and isinstance(value, torch.Generator):
            return self._tensor(value.get_state(), "g")
        if self._trusted and isinstance(value, Function):
            return {"fn": [value.source, self.pack(value.bound, deeper)]}
        return {"o": describe(value)}

    def _text(self, text: str) -> Any:
        self.used += len(text)
        if self.used <= self._budget:
            return text
        self.used -= len(text)
        return {"o": f"text of {len(text)} characters, which is too long"}

    def _whole(self, number: int) -> Any:
        if -LONG < number < LONG:
            return number
        if number.bit_length() > 3 * MAX_INTEGER_DIGITS:  # 10 ** 3613 and more
            return {"o": f"whole number of {number.bit_length()} bits"}
        return {"i": str(number)}

    def _tensor(self, tensor: Tensor, tag: str) -> Any:
        if tensor.dtype not in DTYPE_NAMES:
            return {"o": f"tensor of {str(tensor.dtype).removeprefix('torch.')}"}
        if tensor.ndim > MAX_DIMENSIONS:
            return {"o": f"tensor of {tensor.ndim} dimensions"}
        if tensor.is_nested or tensor.device.type != "cpu":
            return {"o": "tensor without numbers that could be read"}
        if not self._has_room(tensor.shape, tensor.numel() * tensor.element_size()):
            return {"o": f"tensor of shape {tuple(tensor.shape)}, which is too large"}
        try:
            numbers = tensor_bytes(plain_tensor(tensor))
        except (RuntimeError, ValueError, TypeError, NotImplementedError):
            return {"o": "tensor without numbers that could be read"}
        self.used += TENSOR + elements_of(tensor.shape)
        self.body += numbers + bytes(-len(numbers) % ALIGNMENT)
        return {tag: [DTYPE_NAMES[tensor.dtype], list(tensor.shape)]}

    def _has_room(self, shape: Iterable[int], size: int) -> bool:
        units = self.used + TENSOR + elements_of(shape)
        return units <= self._budget and len(self.body) + aligned(size) <= self._room

    def _permuted(self, tensor: Tensor) -> Any:
        """A tensor of the trusted side: where its axes are permuted in memory, they are so in the worker as well."""
        order = sorted(range(tensor.ndim), key=tensor.stride, reverse=True)
        in_memory, leaf = tensor.permute(order), tensor.is_leaf and tensor.requires_grad
        if not leaf and (tensor.is_contiguous() or not in_memory.is_contiguous()):
            return self._tensor(tensor, "t")
        return {"p": [self._tensor(in_memory, "t"), [order.index(axis) for axis in range(tensor.ndim)], leaf]}

    def _array(self, array: Any) -> Any:
        if array.ndim > MAX_DIMENSIONS:
            return {"o": f"numpy array of {array.ndim} dimensions"}
        if not self._has_room(array.shape, array.nbytes):  # before it is copied
            return {"o": f"numpy array of shape {tuple(array.shape)}, which is too large"}
        try:
            return self._tensor(torch.from_numpy(numpy.ascontiguousarray(array).reshape(array.shape)), "n")
        except (TypeError, ValueError):
            return {"o": f"numpy array of {array.dtype}"}


def tensor_bytes(tensor: Tensor) -> bytes:
    """Its numbers row by row. bfloat16 is unknown to numpy, and written as the two bytes that it is."""
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def elements_of(shape: Iterable[int]) -> int:
    """How many elements a loop over a tensor of this shape meets at most, with an empty dimension counted as 1."""
    return math.prod(max(size, 1) for size in shape)


# Nodes to values -----------------------------------------------------------------------------------------------------


class Unpacker:
    """Turns the nodes of a frame into values, in the order in which they were packed; tensors are in the body's memory.

    From a worker (not `trusted`) no generator and no function is taken, no tensor of more than MAX_DIMENSIONS, and not
    more than `budget` units. Whatever does not fit raises WireError.
    """

    def __init__(self, body: bytes | bytearray, *, trusted: bool = False, budget: int = MAX_BODY) -> None:
        self._memory = body if type(body) is bytearray else bytearray(body)
        self._trusted, self._left, self._start = trusted, budget + SLACK, 0

    def finish(self) -> None:
        """Raises WireError for bytes that no tensor took."""
        if self._start != len(self._memory):
            raise WireError("bytes without a tensor")

    def unpack(self, node: Any, depth: int = 0) -> Any:
        """The value of a node."""
        self._spend(ENTRY)
        if depth > 2 * MAX_TREE_DEPTH:
            raise WireError("a value nested too deeply")
        if node is None or type(node) in (bool, int, float):
            return node
        if type(node) is str:
            self._spend(len(node))
            return readable(node)
        if type(node) is not dict or len(node) != 1:
            raise WireError("a value of no known kind")
        (tag, content), deeper = next(iter(node.items())), depth + 1
        if tag in ("t", "n") or (tag in ("b", "g") and self._trusted):
            return self._tensor_value(tag, content)
        if tag in ("l", "u") and type(content) is list:
            values = [self.unpack(entry, deeper) for entry in content]
            return values if tag == "l" else tuple(values)
        if tag == "d" and type(content) is list:
            return dict(self._pair(entry, deeper) for entry in content)
        if tag == "p" and self._trusted:
            return self.unpack(content[0], deeper).permute(content[1]).requires_grad_(content[2])
        if tag == "fn" and self._trusted:
            source, bound = content
            return Function(source, **self.unpack(bound, deeper)).build()
        if tag == "o" and type(content) is str and not self._trusted:
            return Opaque(readable(content)[:200])
        if tag == "f" and content in ("nan", "inf", "-inf"):
            return float(content)
        if tag == "i" and type(content) is str and DECIMAL.fullmatch(content):
            return int(content)
        raise WireError("a value of no known kind")

    def _spend(self, units: int) -> None:
        self._left -= units
        if self._left < 0:
            raise WireError("a value that is too large")

    def _pair(self, entry: Any, depth: int) -> tuple[Any, Any]:
        """An entry of a dict. A key that is not plain is replaced by its kind: the text form may be endless."""
        if type(entry) is not list or len(entry) != 2:
            raise WireError("a dict that is none")
        key = self.unpack(entry[0], depth)
        is_plain = isinstance(key, (str, int, float, bool, type(None)))
        if not is_plain and not (isinstance(key, tuple) and all(type(k) in (int, str, bool) for k in key)):
            key = Opaque(key.kind if isinstance(key, Opaque) else describe(key))
        return key, self.unpack(entry[1], depth)

    def _tensor_value(self, tag: str, described: Any) -> Any:
        tensor = self._next_tensor(described)
        if tag == "b":
            return tensor.numpy().tobytes()
        if tag == "g":
            return torch.Generator().set_state(tensor)
        return tensor.numpy() if tag == "n" and tensor.dtype != torch.bfloat16 else tensor

    def _next_tensor(self, described: Any) -> Tensor:
        if type(described) is not list or len(described) != 2 or type(described[0]) is not str:
            raise WireError("a tensor that is not described")
        name, shape = described
        dtype, most = DTYPES.get(name), 64 if self._trusted else MAX_DIMENSIONS
        if dtype is None or type(shape) is not list or len(shape) > most:
            raise WireError("a tensor of no known kind")
        if not all(type(size) is int and 0 <= size <= MAX_BODY for size in shape) or elements_of(shape) > MAX_BODY:
            raise WireError("a tensor of an impossible shape")  # (0, 2**26, 2**26) has no number, but large strides
        self._spend(TENSOR + elements_of(shape))
        count, start = math.prod(shape), self._start
        self._start += aligned(count * dtype.itemsize)
        if self._start > len(self._memory):
            raise WireError(f"{len(self._memory)} bytes for tensors of {self._start} and more")
        if not count:
            return torch.empty(0, dtype=dtype).view(shape)
        if dtype == torch.bool:  # any other byte than 0 and 1 in a bool is undefined behaviour in C++
            numbers = torch.frombuffer(self._memory, dtype=torch.uint8, count=count, offset=start) != 0
        else:
            numbers = torch.frombuffer(self._memory, dtype=dtype, count=count, offset=start)
        return numbers.view(shape)


def readable(text: str) -> str:
    """JSON may spell half a surrogate pair, which no file and no terminal takes: a question mark instead."""
    return text if text.isascii() else text.encode("utf-8", errors="replace").decode("utf-8")
