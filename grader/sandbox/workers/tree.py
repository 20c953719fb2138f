"""Values of calls on the wire: a tree as JSON, tensors and arrays as raw bytes. Nothing is ever unpickled.

A plain null, boolean, number or text stands for itself; everything else is an object with one key:

    {"l": [...]} list · {"u": [...]} tuple · {"d": [[key, value], ...]} dict · {"f": "nan"} · {"i": "123"} a long int
    {"t": 0} the first tensor · {"n": 0} the same as a numpy array
    to a worker only: {"g": 0} a torch.Generator by its state · {"fn": [source, bound]} a function by its source ·
    {"p": [{"t": 0}, axes, leaf]} a tensor whose axes are in memory in another order, or a leaf that requires a gradient
    from a worker only: {"o": "module.Class"} an object that has no place here
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.protocol import Function
from grader.calling.steps import describe, plain_tensor
from grader.sandbox.workers.budget import MAX_TREE_DEPTH, SLACK, TENSOR_NODES, UNLIMITED, Budget, TooLarge
from grader.sandbox.workers.endings import WireError
from grader.sandbox.workers.tensor_bytes import (
    DTYPE_NAMES,
    DTYPES,
    MAX_BODY,
    describe_tensor,
    tensor_bytes,
    tensor_from,
)
from grader.sandbox.workers.wire import MAX_DIMENSIONS, Frame, readable

LONG = 1 << 53  # integers up to here are the same number in every JSON library
MAX_INTEGER_DIGITS = 4000
"""Digits of a whole number. Python refuses to write out more than 4,300."""
DECIMAL = re.compile(r"-?[0-9]+")


class Opaque:
    """Stands for an object of a student's that cannot travel; `kind` says what it is.

    It has no length, no elements and no number: whatever is done with it raises TypeError or AttributeError.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"a {self.kind}"


class Packer:
    """Turns trees into JSON nodes and collects the tensors on the way."""

    def __init__(self, room: int = MAX_BODY, budget: Budget = UNLIMITED) -> None:
        self.tensors: list[Tensor] = []
        self._left, self._budget = room, budget
        self._nodes = self._elements = self._characters = 0

    @property
    def used(self) -> Budget:
        return Budget(self._nodes, self._elements, self._characters)

    def pack_whole(self, value: Any) -> Any:
        """`pack`, with a value that has too many entries replaced by its description."""
        kept = len(self.tensors), self._left, self._nodes, self._elements, self._characters
        try:
            return self.pack(value)
        except TooLarge as error:
            count, self._left, self._nodes, self._elements, self._characters = kept
            del self.tensors[count:]
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
        if isinstance(value, torch.Generator):
            return self._tensor(value.get_state(), "g")
        if isinstance(value, Function):
            return {"fn": [value.source, self.pack(value.bound, depth + 1)]}
        if isinstance(value, Mapping):
            return {"d": [[self.pack(k, depth + 1), self.pack(v, depth + 1)] for k, v in value.items()]}
        if isinstance(value, tuple):
            return {"u": [self.pack(v, depth + 1) for v in value]}
        if isinstance(value, list):
            return {"l": [self.pack(v, depth + 1) for v in value]}
        return {"o": describe(value)}

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
        size = tensor.numel() * tensor.element_size()
        self._elements += elements_of(tensor.shape)
        if size > self._left or self._elements > self._budget.elements:
            return {"o": f"tensor of shape {tuple(tensor.shape)}, which is too large"}
        try:
            tensor = plain_tensor(tensor).clone()
        except (RuntimeError, ValueError, TypeError, NotImplementedError):
            return {"o": "tensor without numbers that could be read"}
        self._left -= size
        self._nodes += TENSOR_NODES - 1
        self.tensors.append(tensor)
        return {tag: len(self.tensors) - 1}

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

    def described(self) -> list[dict[str, Any]]:
        return [describe_tensor(tensor) for tensor in self.tensors]

    def body(self) -> bytes:
        return b"".join(map(tensor_bytes, self.tensors))


def elements_of(shape: Iterable[int]) -> int:
    """How many elements a loop over a tensor of this shape meets at most, with an empty dimension counted as 1."""
    return math.prod(max(size, 1) for size in shape)


def tensors_of(descriptions: Any, body: bytes | bytearray, budget: Budget = UNLIMITED) -> list[Tensor]:
    """The tensors that a frame carries. Raises WireError unless descriptions and bytes fit exactly.

    With the `budget` of a reply, no tensor has more than MAX_DIMENSIONS, and together they keep within it.
    """
    if type(descriptions) is not list or TENSOR_NODES * len(descriptions) > budget.nodes + SLACK:
        raise WireError("`tensors` is no list")
    most, elements = (64 if budget is UNLIMITED else MAX_DIMENSIONS), 0
    found, start, view = [], 0, memoryview(body)
    for entry in descriptions:
        dtype = DTYPES.get(str(entry.get("dtype"))) if type(entry) is dict else None
        shape = entry.get("shape") if dtype is not None else None
        if dtype is None or type(shape) is not list or len(shape) > most:
            raise WireError("a tensor of no known kind")
        if not all(type(size) is int and 0 <= size <= MAX_BODY for size in shape):
            raise WireError("a tensor of an impossible shape")
        elements += elements_of(shape)
        if elements > budget.elements:
            raise WireError("tensors of too many elements")
        end = start + math.prod(shape) * dtype.itemsize
        found.append(tensor_from(view[start : min(end, len(body))], dtype, shape))
        start = end
    if start != len(body):
        raise WireError("bytes without a tensor")
    return found


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
    if tag in ("t", "n") or (tag == "g" and trusted):
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
        if not isinstance(key, (str, int, float, bool, type(None))):
            key = (
                key
                if isinstance(key, tuple) and all(type(k) in (int, str, bool) for k in key)
                else Opaque(kind_of(key))
            )
        pairs.append((key, unpack(entry[1], tensors, trusted, depth, left)))
    return pairs


def kind_of(value: Any) -> str:
    return value.kind if isinstance(value, Opaque) else describe(value)


def frame_and_size(header: Mapping[str, Any], **values: Any) -> tuple[Frame, Budget]:
    """(a frame with `header` and trees under the names of `values`, how large the trees are). Raises TooLarge."""
    packer = Packer()
    packed = {name: packer.pack(value) for name, value in values.items()}
    return Frame({**header, **packed, "tensors": packer.described()}, packer.body()), packer.used
