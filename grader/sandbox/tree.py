"""Values of calls on the wire: a tree as JSON, tensors and arrays as raw bytes. Nothing is ever unpickled.

A plain null, boolean, number or text stands for itself; everything else is an object with one key:

    {"l": [...]} list · {"u": [...]} tuple · {"d": [[key, value], ...]} dict · {"f": "nan"} · {"i": "123"} a long int
    {"t": 0} the first tensor · {"n": 0} the same as a numpy array
    to a worker only: {"g": 0} a torch.Generator by its state · {"fn": [source, bound]} a function by its source
    from a worker only: {"o": "module.Class"} an object that has no place here
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.answer import Answer
from grader.calling import Called, Counts, Function
from grader.sandbox.steps import describe, plain
from grader.sandbox.wire import (
    DTYPES,
    FROM_A_STUDENT,
    MAX_BODY,
    MAX_NAMES,
    MAX_TEXT,
    NAMES,
    Frame,
    WireError,
    describe_tensor,
    encode,
    field,
    readable,
    tensor_bytes,
    tensor_from,
    whole,
)

MAX_NODES, MAX_DEPTH = 100_000, 30
LONG = 1 << 53  # integers up to here are the same number in every JSON library


class Opaque:
    """Stands for an object of a student's that cannot travel; `kind` is its type's name."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"a {self.kind}"


class Packer:
    """Turns trees into JSON nodes and collects the tensors on the way."""

    def __init__(self, room: int = MAX_BODY) -> None:
        self.tensors: list[Tensor] = []
        self._left, self._nodes = room, 0

    def pack(self, value: Any, depth: int = 0) -> Any:
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            return {"o": "value nested too deeply, or too large"}
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if isinstance(value, numpy.generic):
            return self.pack(value.item(), depth + 1) if not isinstance(value, numpy.void) else {"o": describe(value)}
        if issubclass(kind, int):
            return int(value) if -LONG < value < LONG else {"i": str(int(value))[:4000]}
        if issubclass(kind, float):
            return float(value) if math.isfinite(value) else {"f": str(float(value))}
        if issubclass(kind, Tensor):
            return self._tensor(value, "t")
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

    def _tensor(self, tensor: Tensor, tag: str) -> Any:
        if tensor.dtype not in NAMES:
            return {"o": f"tensor of {str(tensor.dtype).removeprefix('torch.')}"}
        size = tensor.numel() * tensor.element_size()
        if size > self._left:
            return {"o": f"tensor of {tensor.numel()} numbers, which is too large"}
        try:
            tensor = plain(tensor).clone()
        except (RuntimeError, ValueError, TypeError, NotImplementedError):
            return {"o": "tensor without numbers that could be read"}
        self._left -= size
        self.tensors.append(tensor)
        return {tag: len(self.tensors) - 1}

    def _array(self, array: Any) -> Any:
        try:
            return self._tensor(torch.from_numpy(numpy.ascontiguousarray(array).reshape(array.shape)), "n")
        except (TypeError, ValueError):
            return {"o": f"numpy array of {array.dtype}"}

    def described(self) -> list[dict[str, Any]]:
        return [describe_tensor(tensor) for tensor in self.tensors]

    def body(self) -> bytes:
        return b"".join(map(tensor_bytes, self.tensors))


def tensors_of(descriptions: Any, body: bytes | bytearray) -> list[Tensor]:
    """The tensors that a frame carries. Raises WireError unless descriptions and bytes fit exactly."""
    if type(descriptions) is not list or len(descriptions) > MAX_NODES:
        raise WireError("`tensors` is no list")
    found, start, view = [], 0, memoryview(body)
    for entry in descriptions:
        dtype = DTYPES.get(str(entry.get("dtype"))) if type(entry) is dict else None
        shape = entry.get("shape") if dtype is not None else None
        if dtype is None or type(shape) is not list or len(shape) > 64:
            raise WireError("a tensor of no known kind")
        if not all(type(size) is int and 0 <= size <= MAX_BODY for size in shape):
            raise WireError("a tensor of an impossible shape")
        end = start + math.prod(shape) * dtype.itemsize
        found.append(tensor_from(view[start : min(end, len(body))], dtype, shape))
        start = end
    if start != len(body):
        raise WireError("bytes without a tensor")
    return found


def unpack(node: Any, tensors: list[Tensor], trusted: bool, depth: int = 0) -> Any:
    """The value of a node. From a worker (not `trusted`) no generator and no function is taken. Raises WireError."""
    if depth > 2 * MAX_DEPTH:
        raise WireError("a value nested too deeply")
    if node is None or type(node) in (bool, int, float):
        return node
    if type(node) is str:
        return readable(node)
    if type(node) is not dict or len(node) != 1:
        raise WireError("a value of no known kind")
    (tag, content), deeper = next(iter(node.items())), depth + 1
    if tag in ("t", "n", "g"):
        if type(content) is not int or not 0 <= content < len(tensors):
            raise WireError("a tensor that did not come with it")
        tensor = tensors[content]
        if tag == "g" and trusted:
            return torch.Generator().set_state(tensor)
        if tag != "g":
            return tensor if tag == "t" else tensor.numpy() if tensor.dtype != torch.bfloat16 else tensor
    elif tag in ("l", "u") and type(content) is list:
        values = [unpack(entry, tensors, trusted, deeper) for entry in content]
        return values if tag == "l" else tuple(values)
    elif tag == "d" and type(content) is list:
        return dict(_pairs(content, tensors, trusted, deeper))
    elif tag == "f" and content in ("nan", "inf", "-inf"):
        return float(content)
    elif tag == "i" and type(content) is str and len(content) <= 4000 and content.lstrip("-").isdecimal():
        return int(content)
    elif tag == "o" and type(content) is str and not trusted:
        return Opaque(readable(content)[:200])
    elif tag == "fn" and trusted:
        source, bound = content
        return Function(source, **unpack(bound, tensors, trusted, deeper)).build()
    raise WireError("a value of no known kind")


def _pairs(content: list[Any], tensors: list[Tensor], trusted: bool, depth: int) -> list[tuple[Any, Any]]:
    pairs = []
    for entry in content:
        if type(entry) is not list or len(entry) != 2:
            raise WireError("a dict that is none")
        key = unpack(entry[0], tensors, trusted, depth)
        if not isinstance(key, (str, int, float, bool, type(None))):
            key = str(key)[:200]
        pairs.append((key, unpack(entry[1], tensors, trusted, depth)))
    return pairs


def frame_of(header: Mapping[str, Any], **values: Any) -> Frame:
    """A frame with `header` and trees under the names of `values`."""
    packer = Packer()
    packed = {name: packer.pack(value) for name, value in values.items()}
    return Frame({**header, **packed, "tensors": packer.described()}, packer.body())


# Replies to calls ----------------------------------------------------------------------------------------------------


def encode_called(called: Called, ticket: int, keeps: bool, after: bool, room: int) -> bytes:
    """The reply to a call. With `keeps` the value stays in the worker, with `after` the arguments are sent, too."""
    answer, packer = called.failed or Answer("returned"), Packer(room)
    header = {
        "op": "value",
        "ticket": ticket,
        "outcome": answer.outcome,
        "message": answer.message[:MAX_TEXT],
        "line": called.line if called.failed is None else answer.line,
        "value": None if keeps or called.failed else packer.pack(called.value),
        "arguments": packer.pack(called.arguments if after else []),
        "operators": called.counts.operators,
        "dispatched": {name[:100]: count for name, count in called.counts.dispatched.items()},
        "peak_bytes": called.counts.peak_bytes,
        "low_precision": called.counts.low_precision,
    }
    return encode(Frame({**header, "tensors": packer.described()}, packer.body()))


def decode_called(frame: Frame, ticket: int) -> Called:
    """The worker's reply to a call. Raises WireError for anything but a well-formed one."""
    header = frame.header
    if header.get("op") != "value" or header.get("ticket") != ticket:
        raise WireError("an answer to something else than what was asked")
    outcome = field(header, "outcome", str)
    if outcome not in FROM_A_STUDENT:
        raise WireError("an outcome that a worker cannot have")
    line = header.get("line")
    if line is not None and not (type(line) is int and 0 <= line < 1 << 31):
        raise WireError("`line` is no line number")
    tensors = tensors_of(header.get("tensors"), frame.body)
    dispatched = field(header, "dispatched", dict)
    if len(dispatched) > MAX_NAMES or not all(type(count) is int and count >= 0 for count in dispatched.values()):
        raise WireError("`dispatched` holds no counts")
    counts = Counts(
        whole(header, "operators"),
        {readable(name)[:100]: count for name, count in dispatched.items()},
        whole(header, "peak_bytes"),
        field(header, "low_precision", bool),
    )
    if outcome != "returned":
        answer = Answer(outcome, message=field(header, "message", str)[:MAX_TEXT], line=line)
        return Called(failed=answer, counts=counts, line=line)
    arguments = unpack(header.get("arguments"), tensors, trusted=False)
    if not isinstance(arguments, list):
        raise WireError("`arguments` is no list")
    return Called(unpack(header.get("value"), tensors, trusted=False), None, arguments, counts, line)
