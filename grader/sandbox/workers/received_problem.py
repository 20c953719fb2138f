"""A problem as a worker receives it: forward values, upstream gradients and the dtype in which steps compute."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.calling.parameters import groups_of_values
from grader.sandbox.workers import wire
from grader.sandbox.workers.tensor_bytes import DTYPES, unpack_tensors

Given = tuple[torch.dtype, dict[str, Any], dict[str, Tensor]]
"""A problem as steps meet it: the default dtype, forward values and upstream gradients by name."""


def decode_problem(frame: wire.Frame) -> tuple[int, Given]:
    """(its number, the problem) of a "problem" frame."""
    header = frame.header
    tensors = unpack_tensors(header["tensors"], frame.body)
    values: dict[str, Any] = dict(header["plain"])
    values.update({name: tensors["v:" + name] for name in header["values"]})
    values.update(groups_of_values(values, header["groups"]))
    upstream = {name: tensors["u:" + name] for name in header["upstream"]}
    return header["problem"], (DTYPES[header["dtype"]], values, upstream)
