"""Tensors as the bytes of their numbers, and back: what the bodies of frames hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from grader.sandbox.workers.endings import WireError

MAX_BODY = 1 << 26
"""Bytes of a frame's body, and the largest size of a tensor."""
MAX_NUMBER_BYTES = 8
"""Bytes of the largest number."""

DTYPES: dict[str, torch.dtype] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def tensor_bytes(tensor: Tensor) -> bytes:
    """Its numbers row by row. bfloat16 is unknown to numpy, and written as the two bytes that it is."""
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def describe_tensor(tensor: Tensor) -> dict[str, Any]:
    return {"dtype": DTYPE_NAMES[tensor.dtype], "shape": list(tensor.shape)}


def tensor_from(body: bytes | bytearray | memoryview, dtype: torch.dtype, shape: Sequence[int]) -> Tensor:
    """A tensor of `body`'s numbers, in a bytearray's own memory, else in a copy.

    Raises WireError unless the length is exactly what shape and dtype need.
    """
    if math.prod(max(size, 1) for size in shape) > MAX_BODY:  # (0, 2**26, 2**26): no number, but overflowing strides
        raise WireError("a tensor of an impossible shape")
    expected = math.prod(shape) * dtype.itemsize
    if len(body) != expected:
        raise WireError(f"{len(body)} bytes for a tensor of {expected}")
    if not expected:
        return torch.empty(tuple(shape), dtype=dtype)
    memory = body if type(body) is bytearray else bytearray(body)
    flat = torch.frombuffer(memory, dtype=torch.uint8 if dtype == torch.bool else dtype)
    if dtype == torch.bool:
        flat = flat != 0  # any other byte than 0 and 1 in a bool is undefined behaviour in C++
    return flat if len(shape) == 1 else flat.view(shape)


def pack_tensors(named: Sequence[tuple[str, Tensor]]) -> tuple[list[dict[str, Any]], bytes]:
    """(descriptions in order, their bytes), for the trusted side's own tensors.

    Each begins at a multiple of MAX_NUMBER_BYTES.
    """
    pieces = [tensor_bytes(tensor) for _, tensor in named]
    return [{"name": n, **describe_tensor(t)} for n, t in named], b"".join(
        p + bytes(-len(p) % MAX_NUMBER_BYTES) for p in pieces
    )


def unpack_tensors(descriptions: Sequence[dict[str, Any]], body: bytes | bytearray) -> dict[str, Tensor]:
    """The tensors that were packed, as views of one piece of memory: of `body`, where it can be written to."""
    result, start, memory = {}, 0, body if isinstance(body, bytearray) else bytearray(body)
    for entry in descriptions:
        dtype, shape = DTYPES[entry["dtype"]], entry["shape"]
        count = math.prod(shape)
        flat = (
            torch.frombuffer(memory, dtype=dtype, count=count, offset=start) if count else torch.empty(0, dtype=dtype)
        )
        result[entry["name"]] = flat.view(shape)
        start += -(-count * dtype.itemsize // MAX_NUMBER_BYTES) * MAX_NUMBER_BYTES
    return result
