"""Frames and values between the trusted side and a worker. Nothing is ever unpickled.

    magic (4 bytes) · header length (u32) · body length (u64), little-endian · header (JSON) · body (numbers of tensors)

A value is a tree. A plain null, boolean, number or text stands for itself; everything else is an object with one key:

    {"l": [...]} list · {"u": [...]} tuple · {"d": [[key, value], ...]} dict · {"f": "nan"} · {"i": "123"} a long int
    {"t": 0} the first tensor of the body · {"n": 0} the same as a numpy array
    to a worker only: {"b": 0} bytes · {"g": 0} a torch.Generator by its state · {"fn": [source, bound]} a function by
    its source · {"p": [{"t": 0}, axes, leaf]} a tensor whose axes are in memory in another order, or a leaf that
    requires a gradient
    from a worker only: {"o": "module.Class"} an object that has no place here

Every length, dtype and shape that a worker sends is checked before anything is built; whatever does not fit raises
WireError, and the worker is given up.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy
import torch
from torch import Tensor

from grader.calling.protocol import Function
from grader.calling.steps import describe, plain_tensor
from grader.sandbox.workers.endings import WireError

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
DECIMAL = re.compile(r"-?[0-9]+")
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


def encode_frame(frame: Frame) -> bytes:
    header = ENCODER.encode(frame.header).encode()
    return FRAME_PREFIX.pack(FRAME_MAGIC, len(header), len(frame.body)) + header + frame.body


def lengths(data: bytes | bytearray, max_body: int = MAX_BODY, start: int = 0) -> tuple[int, int]:
    """(header length, body length) of a frame from its first FRAME_PREFIX.size bytes, at `start`. Raises WireError."""
    magic, header, body = FRAME_PREFIX.unpack_from(data, start)
    if magic != FRAME_MAGIC:
        raise WireError("the frame does not begin as a frame does")
    if header > MAX_HEADER or body > max_body:
        raise WireError(f"the frame is too large: {header} + {body} bytes")
    return header, body


def refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


# made once: the module's own functions make one for every frame
ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))
DECODER = json.JSONDecoder(parse_constant=refuse_constant)


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
    """Collects bytes as they arrive and gives whole frames. `feed` raises WireError as soon as a prefix is bad."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._buffer, self._start = bytearray(), 0
        self.max_body = max_body  # may be changed between frames

    @property
    def held(self) -> int:
        """Bytes that were fed and not yet given on."""
        return len(self._buffer) - self._start

    def feed(self, data: bytes) -> None:
        del self._buffer[: self._start]  # here and not for every frame: many may have come together
        self._start = 0
        self._buffer += data
        if len(self._buffer) >= FRAME_PREFIX.size:
            lengths(self._buffer, self.max_body)

    def next(self) -> Frame | None:
        begin = self._start + FRAME_PREFIX.size
        if len(self._buffer) < begin:
            return None
        header, body = lengths(self._buffer, self.max_body, self._start)
        middle, end = begin + header, begin + header + body
        if len(self._buffer) < end:
            return None
        self._start = end
        return Frame(decode_header(self._buffer[begin:middle]), self._buffer[middle:end])


def write_all(descriptor: int, data: bytes | bytearray) -> None:
    with memoryview(data) as view:
        sent = 0
        while sent < len(view):
            sent += os.write(descriptor, view[sent:])


def read_frame(descriptor: int) -> Frame | None:
    """Blocking read of one frame from a trusted sender; None at end of file."""

    def exactly(count: int) -> bytearray | None:
        data, got = bytearray(count), 0
        with memoryview(data) as view:
            while got < count:
                piece = os.readv(descriptor, [view[got:]])
                if not piece:
                    return None
                got += piece
        return data

    prefix = exactly(FRAME_PREFIX.size)
    if prefix is None:
        return None
    header, body = lengths(prefix, max_body=1 << 32)
    raw, rest = exactly(header), exactly(body)
    return None if raw is None or rest is None else Frame(decode_header(raw), rest)


# Budgets -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Budget:
    """What a reply may bring into the trusted process, which loops over it.

    `nodes` counts the entries of all lists, tuples and dicts, `elements` those of all tensors (a size of 0 counts as 1,
    because a tensor of shape (n, 0) is iterated n times), `characters` those of all texts. A value that goes beyond it
    is replaced by an `Opaque`, which says what it is.
    """

    nodes: int = 4_000
    elements: int = 1 << 17
    characters: int = 200_000

    def at_least(self, sent: Budget, factor: int = 4) -> Budget:
        """Room for an answer `factor` times as large as what was sent, or this budget where that is larger."""
        return Budget(
            max(self.nodes, factor * sent.nodes),
            max(self.elements, factor * sent.elements),
            max(self.characters, factor * sent.characters),
        )


SLACK = 100
"""Nodes of a reply that do not count: descriptions in place of values that are too large."""
TENSOR_NODES = 10
"""What a tensor counts for: to build one takes ten times as long as to take in a number."""
LEAST = Budget()
UNLIMITED = Budget(100_000, MAX_BODY, MAX_BODY)
"""The budget of the trusted side's own requests."""
ONE_TENSOR = Budget(TENSOR_NODES, MAX_BODY, 0)
"""The budget of a step's answer, whose bytes are limited apart."""


class TooLarge(Exception):
    """A value goes beyond its budget; the text says what it is."""


# Values to nodes -----------------------------------------------------------------------------------------------------


class Opaque:
    """Stands for an object of a student's that cannot travel; `kind` says what it is.

    It has no length, no elements and no number: whatever is done with it raises TypeError or AttributeError.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"a {self.kind}"


class Packer:
    """Turns trees into JSON nodes and collects the tensors on the way. `room` is for their bytes."""

    def __init__(self, room: int = MAX_BODY, budget: Budget = UNLIMITED) -> None:
        self._described: list[dict[str, Any]] = []
        self._numbers: list[bytes] = []
        self._left, self._budget = room, budget
        self._nodes = self._elements = self._characters = 0

    @property
    def used(self) -> Budget:
        return Budget(self._nodes, self._elements, self._characters)

    def pack_whole(self, value: Any) -> Any:
        """`pack`, with a value that has too many entries replaced by its description."""
        kept = len(self._numbers), self._left, self._nodes, self._elements, self._characters
        try:
            return self.pack(value)
        except TooLarge as error:
            count, self._left, self._nodes, self._elements, self._characters = kept
            del self._numbers[count:], self._described[count:]
            return {"o": f"{describe(value)}, {error}"}

    def pack(self, value: Any, depth: int = 0) -> Any:
        """The node of a value. Raises TooLarge beyond the budget, and whatever a student's own classes raise."""
        self._nodes += 1
        if self._nodes > self._budget.nodes:
            raise TooLarge("which has too many entries")
        if depth > MAX_TREE_DEPTH:
            return {"o": "value nested too deeply"}
        kind = type(value)
        if value is None or kind is bool:
            return value
        if isinstance(value, numpy.generic):
            return self.pack(value.item(), depth + 1) if not isinstance(value, numpy.void) else {"o": describe(value)}
        if issubclass(kind, str):
            return self._text(str.__str__(value))
        if issubclass(kind, int):  # a student's class may override how it compares
            return self._whole(int.__index__(value))
        if issubclass(kind, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else {"f": str(number)}
        if issubclass(kind, Tensor):
            return self._permuted(value) if self._budget is UNLIMITED else self._tensor(value, "t")
        if isinstance(value, numpy.ndarray):
            return self._array(value)
        if self._budget is UNLIMITED and (node := self._of_the_course(value, depth)) is not None:
            return node
        if isinstance(value, Mapping):
            return {"d": [[self.pack(k, depth + 1), self.pack(v, depth + 1)] for k, v in value.items()]}
        if isinstance(value, tuple):
            return {"u": [self.pack(v, depth + 1) for v in value]}
        if isinstance(value, list):
            return {"l": [self.pack(v, depth + 1) for v in value]}
        return {"o": describe(value)}

    def _of_the_course(self, value: Any, depth: int) -> Any:
        """The node of what only the trusted side sends; None for anything else."""
        if isinstance(value, bytes):
            return self._tensor(torch.from_numpy(numpy.frombuffer(value, numpy.uint8).copy()), "b")
        if isinstance(value, torch.Generator):
            return self._tensor(value.get_state(), "g")
        if isinstance(value, Function):
            return {"fn": [value.source, self.pack(value.bound, depth + 1)]}
        return None

    def _text(self, text: str) -> Any:
        self._characters += len(text)
        if self._characters > self._budget.characters:
            return {"o": f"text of {len(text)} characters, which is too long"}
        return text

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
        size = aligned(tensor.numel() * tensor.element_size())
        self._elements += elements_of(tensor.shape)
        if size > self._left or self._elements > self._budget.elements:
            return {"o": f"tensor of shape {tuple(tensor.shape)}, which is too large"}
        try:
            numbers = tensor_bytes(plain_tensor(tensor))
        except (RuntimeError, ValueError, TypeError, NotImplementedError):
            return {"o": "tensor without numbers that could be read"}
        self._left -= size
        self._nodes += TENSOR_NODES - 1
        self._described.append({"dtype": DTYPE_NAMES[tensor.dtype], "shape": list(tensor.shape)})
        self._numbers.append(numbers + bytes(size - len(numbers)))
        return {tag: len(self._numbers) - 1}

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
        if elements_of(array.shape) > self._budget.elements or array.nbytes > self._left:  # before it is copied
            return {"o": f"numpy array of shape {tuple(array.shape)}, which is too large"}
        try:
            return self._tensor(torch.from_numpy(numpy.ascontiguousarray(array).reshape(array.shape)), "n")
        except (TypeError, ValueError):
            return {"o": f"numpy array of {array.dtype}"}

    def frame(self, header: Mapping[str, Any]) -> Frame:
        """A frame with the tensors of all that was packed, and `header`, which has the nodes."""
        return Frame({**header, "tensors": self._described}, b"".join(self._numbers))


def tensor_bytes(tensor: Tensor) -> bytes:
    """Its numbers row by row. bfloat16 is unknown to numpy, and written as the two bytes that it is."""
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def elements_of(shape: Iterable[int]) -> int:
    """How many elements a loop over a tensor of this shape meets at most, with an empty dimension counted as 1."""
    return math.prod(max(size, 1) for size in shape)


# Nodes to values -----------------------------------------------------------------------------------------------------


def tensors_of(frame: Frame, budget: Budget = UNLIMITED) -> list[Tensor]:
    """The tensors that a frame carries, in the body's own memory where that can be written to.

    Raises WireError unless descriptions and bytes fit exactly. With the `budget` of a reply, no tensor has more than
    MAX_DIMENSIONS, and together they keep within it.
    """
    descriptions = frame.header.get("tensors")
    if type(descriptions) is not list or TENSOR_NODES * len(descriptions) > budget.nodes + SLACK:
        raise WireError("`tensors` is no list")
    memory = frame.body if type(frame.body) is bytearray else bytearray(frame.body)
    most, elements, start = (64 if budget is UNLIMITED else MAX_DIMENSIONS), 0, 0
    found = []
    for entry in descriptions:
        dtype = DTYPES.get(str(entry.get("dtype"))) if type(entry) is dict else None
        shape = entry.get("shape") if dtype is not None else None
        if dtype is None or type(shape) is not list or len(shape) > most:
            raise WireError("a tensor of no known kind")
        if not all(type(size) is int and 0 <= size <= MAX_BODY for size in shape) or elements_of(shape) > MAX_BODY:
            raise WireError("a tensor of an impossible shape")  # (0, 2**26, 2**26) has no number, but large strides
        elements += elements_of(shape)
        if elements > budget.elements:
            raise WireError("tensors of too many elements")
        count = math.prod(shape)
        end = start + aligned(count * dtype.itemsize)
        if end > len(memory):
            raise WireError(f"{len(memory)} bytes for tensors of {end} and more")
        found.append(tensor_at(memory, start, count, dtype).view(shape))
        start = end
    if start != len(memory):
        raise WireError("bytes without a tensor")
    return found


def tensor_at(memory: bytearray, start: int, count: int, dtype: torch.dtype) -> Tensor:
    if not count:
        return torch.empty(0, dtype=dtype)
    if dtype == torch.bool:  # any other byte than 0 and 1 in a bool is undefined behaviour in C++
        return torch.frombuffer(memory, dtype=torch.uint8, count=count, offset=start) != 0
    return torch.frombuffer(memory, dtype=dtype, count=count, offset=start)


def unpack(node: Any, tensors: list[Tensor], trusted: bool, depth: int = 0, left: Iterator[int] | None = None) -> Any:
    """The value of a node. From a worker (not `trusted`) no generator and no function is taken. Raises WireError.

    `left` gives one number for each node that may still come, for all values of a reply together.
    """
    if depth > 2 * MAX_TREE_DEPTH:
        raise WireError("a value nested too deeply")
    if left is not None and next(left, None) is None:
        raise WireError("a value of too many entries")
    if node is None or type(node) in (bool, int, float):
        return node
    if type(node) is str:
        return readable(node)
    if type(node) is not dict or len(node) != 1:
        raise WireError("a value of no known kind")
    (tag, content), deeper = next(iter(node.items())), depth + 1
    if tag in ("t", "n") or (tag in ("b", "g") and trusted):
        return _tensor_value(tag, content, tensors)
    if tag in ("l", "u") and type(content) is list:
        values = [unpack(entry, tensors, trusted, deeper, left) for entry in content]
        return values if tag == "l" else tuple(values)
    if tag == "d" and type(content) is list:
        return dict(_pairs(content, tensors, trusted, deeper, left))
    if tag == "p" and trusted:
        return unpack(content[0], tensors, trusted, deeper).permute(content[1]).requires_grad_(content[2])
    if tag == "fn" and trusted:
        source, bound = content
        return Function(source, **unpack(bound, tensors, trusted, deeper)).build()
    if tag == "o" and type(content) is str and not trusted:
        return Opaque(readable(content)[:200])
    return _number(tag, content)


def _tensor_value(tag: str, place: Any, tensors: Sequence[Tensor]) -> Any:
    """What is made of the tensor at `place`. Raises WireError where there is none."""
    if type(place) is not int or not 0 <= place < len(tensors):
        raise WireError("a tensor that did not come with it")
    tensor = tensors[place]
    if tag == "b":
        return tensor.numpy().tobytes()
    if tag == "g":
        return torch.Generator().set_state(tensor)
    return tensor.numpy() if tag == "n" and tensor.dtype != torch.bfloat16 else tensor


def _number(tag: str, text: Any) -> float | int:
    """A number that JSON has no form for. Raises WireError for anything else."""
    if tag == "f" and text in ("nan", "inf", "-inf"):
        return float(text)
    if tag == "i" and type(text) is str and len(text) <= MAX_INTEGER_DIGITS + 1 and DECIMAL.fullmatch(text):
        return int(text)
    raise WireError("a value of no known kind")


def _pairs(
    content: list[Any], tensors: list[Tensor], trusted: bool, depth: int, left: Iterator[int] | None
) -> list[tuple[Any, Any]]:
    """The entries of a dict. A key that is not a plain value is replaced by its kind: the text form may be endless."""
    pairs = []
    for entry in content:
        if type(entry) is not list or len(entry) != 2:
            raise WireError("a dict that is none")
        key = unpack(entry[0], tensors, trusted, depth, left)
        is_plain = isinstance(key, (str, int, float, bool, type(None)))
        if not is_plain and not (isinstance(key, tuple) and all(type(k) in (int, str, bool) for k in key)):
            key = Opaque(key.kind if isinstance(key, Opaque) else describe(key))
        pairs.append((key, unpack(entry[1], tensors, trusted, depth, left)))
    return pairs


def readable(text: str) -> str:
    """JSON may spell half a surrogate pair, which no file and no terminal takes: a question mark instead."""
    return text if text.isascii() else text.encode("utf-8", errors="replace").decode("utf-8")
