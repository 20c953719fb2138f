"""Answers of a worker as bytes: frames, and the values in them. Nothing that a worker sends is ever unpickled.

    magic (4 bytes) · header length (u32) · body length (u64), little-endian · header (JSON) · body (numbers of tensors)

A value is a tree. A plain null, boolean, number or text stands for itself; everything else is an object with one key:

    {"l": [...]} list · {"u": [...]} tuple · {"d": [[key, value], ...]} dict
    {"t": ["float32", [2, 3]]} the body's next tensor · {"n": …} the same as a numpy array
    {"o": "module.Class"} an object that has no place here

Every length, dtype and shape is checked before anything is built; whatever does not fit raises WireError, and the
worker is given up. A value has a *room*, which both sides count in the same way: the worker describes what would be too
large, and the trusted side refuses it.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from grader.calling.steps import describe, plain_tensor
from grader.sandbox.workers.waiting import WireError

FRAME_MAGIC = b"BPN1"
FRAME_PREFIX = struct.Struct("<4sIQ")
MAX_HEADER = 1 << 20
MAX_BODY = 1 << 26
"""Bytes of a frame's body."""
ALIGNMENT = 8
"""Each tensor begins at a multiple of so many bytes."""
MAX_DIMENSIONS = 8  # of a student's tensor: there are loops whose time is exponential in them
MAX_TREE_DEPTH = 30
MAX_INTEGER_BITS = 12_000  # Python refuses to write out more than 4,300 digits
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


# made once: the module's own function makes one for every frame. What JSON does not know are sets of names.
ENCODER = json.JSONEncoder(separators=(",", ":"), default=sorted)


class TooLarge(Exception):
    """A header is longer than MAX_HEADER."""


def encode_frame(frame: Frame) -> bytes:
    """Raises TooLarge."""
    header = ENCODER.encode(frame.header).encode()
    if len(header) > MAX_HEADER:
        raise TooLarge
    return FRAME_PREFIX.pack(FRAME_MAGIC, len(header), len(frame.body)) + header + frame.body


def decode_header(raw: bytes | bytearray) -> dict[str, Any]:
    try:
        header = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise WireError(f"the header is no JSON: {type(error).__name__}") from None
    if type(header) is not dict:
        raise WireError("the header is no object")
    return header


def take_frame(received: bytearray, max_body: int = MAX_BODY) -> Frame | None:
    """Removes the first frame from what was received; None while it is not whole.

    Raises WireError as soon as its prefix is bad.
    """
    if len(received) < FRAME_PREFIX.size:
        return None
    magic, header, body = FRAME_PREFIX.unpack_from(received)
    if magic != FRAME_MAGIC:
        raise WireError("the frame does not begin as a frame does")
    if header > MAX_HEADER or body > max_body:
        raise WireError(f"the frame is too large: {header} + {body} bytes")
    middle, end = FRAME_PREFIX.size + header, FRAME_PREFIX.size + header + body
    if len(received) < end:
        return None
    frame = Frame(decode_header(received[FRAME_PREFIX.size : middle]), received[middle:end])
    del received[:end]
    return frame


# What a value may take up ---------------------------------------------------------------------------------------------

ENTRY = 32
TENSOR = 10 * ENTRY


class Room:
    """Counts the units that values take up. The trusted process loops over what a reply brings, so they are limited.

    A byte of a tensor and a character of a text are one unit, an entry of a list, tuple or dict is ENTRY. A size of 0
    counts as 1, because a tensor of shape (n, 0) is iterated n times. To build a tensor takes ten times as long as to
    take in a number. `left` are the units that are left.
    """

    def __init__(self, left: int = MAX_BODY) -> None:
        self.left = left

    def takes(self, units: int) -> bool:
        """Whether there is room for so many units, which are then taken."""
        if units > self.left:
            return False
        self.left -= units
        return True

    def takes_tensor(self, shape: Sequence[int], size: int) -> bool:
        """The same for a tensor of `size` bytes."""
        return self.takes(TENSOR + max(size, math.prod(max(each, 1) for each in shape)))


# Values to nodes, in the worker --------------------------------------------------------------------------------------


class Packer(Room):
    """Turns values into JSON nodes and collects the numbers of their tensors in `body`."""

    def __init__(self, room: int = MAX_BODY) -> None:
        super().__init__(room)
        self.body = bytearray()

    def pack(self, value: Any, depth: int = 0) -> Any:
        """The node of a value. Raises whatever a student's own classes raise."""
        if depth > MAX_TREE_DEPTH:
            return {"o": "value nested too deeply"}
        if isinstance(value, numpy.generic) and not isinstance(value, numpy.void):
            value = value.item()
        kind, deeper = type(value), depth + 1
        if value is None or kind is bool:
            return value
        if issubclass(kind, str):
            text = str.__str__(value)
            return text if self.takes(len(text)) else {"o": f"text of {len(text)} characters, which is too long"}
        if issubclass(kind, int):  # a student's class may override how it compares
            bits = int.bit_length(value)
            return int.__index__(value) if bits <= MAX_INTEGER_BITS else {"o": f"whole number of {bits} bits"}
        if issubclass(kind, float):
            return float.__float__(value)
        if issubclass(kind, Tensor):
            return self._tensor(value, "t")
        if isinstance(value, numpy.ndarray):
            try:  # torch knows no negative strides
                tensor = torch.from_numpy(value if min(value.strides, default=0) >= 0 else value.copy())
            except (TypeError, ValueError):
                return {"o": f"numpy array of {value.dtype}"}
            return self._tensor(tensor, "n")
        if not isinstance(value, (Mapping, tuple, list)):
            return {"o": describe(value)}
        if not self.takes(ENTRY * len(value)):  # a list that contains itself twice has 2 ** MAX_TREE_DEPTH entries
            return {"o": "value with too many entries"}
        if isinstance(value, Mapping):
            return {"d": [[self.pack(k, deeper), self.pack(v, deeper)] for k, v in value.items()]}
        return {"l" if isinstance(value, list) else "u": [self.pack(v, deeper) for v in value]}

    def _tensor(self, tensor: Tensor, tag: str) -> Any:
        if tensor.dtype not in DTYPE_NAMES:
            return {"o": f"tensor of {str(tensor.dtype).removeprefix('torch.')}"}
        if tensor.ndim > MAX_DIMENSIONS:
            return {"o": f"tensor of {tensor.ndim} dimensions"}
        if tensor.is_nested or tensor.device.type != "cpu":
            return {"o": "tensor without numbers that could be read"}
        if not self.takes_tensor(tensor.shape, aligned(tensor.numel() * tensor.element_size())):
            return {"o": f"tensor of shape {tuple(tensor.shape)}, which is too large"}
        try:
            numbers = tensor_bytes(plain_tensor(tensor))
        except (RuntimeError, ValueError, TypeError, NotImplementedError):
            return {"o": "tensor without numbers that could be read"}
        self.body += numbers + bytes(-len(numbers) % ALIGNMENT)
        return {tag: [DTYPE_NAMES[tensor.dtype], list(tensor.shape)]}


def tensor_bytes(tensor: Tensor) -> bytes:
    """Its numbers row by row. bfloat16 is unknown to numpy, and written as the two bytes that it is."""
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


# Nodes to values, in the trusted process -----------------------------------------------------------------------------


class Opaque:
    """Stands for an object of a student's that cannot travel, or is too large; `kind` says what it is.

    It has no length, no elements and no number: whatever is done with it raises TypeError or AttributeError.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"a {self.kind}"


class Unpacker(Room):
    """Turns the nodes of a frame into values, in the order in which they were packed; tensors are in the body's memory.

    Whatever does not fit raises WireError.
    """

    def __init__(self, body: bytes | bytearray) -> None:
        super().__init__()
        self._memory = body if type(body) is bytearray else bytearray(body)
        self._start = 0

    def finish(self) -> None:
        """Raises WireError for bytes that no tensor took."""
        if self._start != len(self._memory):
            raise WireError("bytes without a tensor")

    def unpack(self, node: Any, depth: int = 0) -> Any:
        """The value of a node."""
        if depth > 2 * MAX_TREE_DEPTH:
            raise WireError("a value nested too deeply")
        if node is None or type(node) in (bool, int, float):
            return node
        if type(node) is str and self.takes(len(node)):
            return readable(node)
        if type(node) is not dict or len(node) != 1:
            raise WireError("a value of no known kind")
        (tag, content), deeper = next(iter(node.items())), depth + 1
        if tag == "o" and type(content) is str:
            return Opaque(readable(content)[:200])
        if type(content) is not list:
            raise WireError("a value of no known kind")
        if tag in ("t", "n"):
            tensor = self._tensor(content)
            return tensor.numpy() if tag == "n" and tensor.dtype != torch.bfloat16 else tensor
        if not self.takes(ENTRY * len(content)):
            raise WireError("a value with too many entries")
        match tag:
            case "l":
                return [self.unpack(entry, deeper) for entry in content]
            case "u":
                return tuple(self.unpack(entry, deeper) for entry in content)
            case "d":
                return dict(self._pair(entry, deeper) for entry in content)
        raise WireError("a value of no known kind")

    def _pair(self, entry: Any, depth: int) -> tuple[Any, Any]:
        """An entry of a dict. A key that is not plain is replaced by its kind: the text form may be endless."""
        if type(entry) is not list or len(entry) != 2:
            raise WireError("a dict that is none")
        key = self.unpack(entry[0], depth)
        is_plain = isinstance(key, (str, int, float, bool, type(None)))
        if not is_plain and not (isinstance(key, tuple) and all(type(k) in (int, str, bool) for k in key)):
            key = Opaque(key.kind if isinstance(key, Opaque) else describe(key))
        return key, self.unpack(entry[1], depth)

    def _tensor(self, described: list[Any]) -> Tensor:
        if len(described) != 2 or type(described[0]) is not str:
            raise WireError("a tensor that is not described")
        dtype, shape = DTYPES.get(described[0]), described[1]
        if dtype is None or type(shape) is not list or len(shape) > MAX_DIMENSIONS:
            raise WireError("a tensor of no known kind")
        if not all(type(size) is int and 0 <= size <= MAX_BODY for size in shape):
            raise WireError("a tensor of an impossible shape")
        count, start = math.prod(shape), self._start
        self._start += aligned(count * dtype.itemsize)
        # (0, 2**26, 2**26) has no number, but large strides
        if not self.takes_tensor(shape, aligned(count * dtype.itemsize)) or self._start > len(self._memory):
            raise WireError(f"a tensor of shape {tuple(shape)}, for which there is no room")
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
