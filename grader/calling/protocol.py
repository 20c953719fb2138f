"""Calling functions and classes of a submission: how a hidden suite asks, of a student or of the course's own files.

    def on_one_batch(on, generator, batch, hidden):           # a scenario
        return {"dx": on.call("relu_backward", *torch.randn(2, batch, hidden, generator=generator))}

The same scenario is put to the student (`on` then speaks to a worker over the wire), to the reference and to the
lesson's known mistakes (`on` is a `ModuleTarget`), each with the same numbers; what comes back is compared.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy
import torch
import torch.nn.functional
from torch import Tensor

from grader.calling.answer import Answer

GIVEN = {"torch": torch, "F": torch.nn.functional, "math": math, "np": numpy, "numpy": numpy}
"""What the source of a `Function` may use."""


@dataclass(frozen=True)
class Measurement:
    """A call's value, and what the call took compared with the yardstick's call, by the kernel's account."""

    value: Any
    extra_bytes: int  # its largest resident memory, less the yardstick's; 0 where processor time was measured
    cpu_ratio: float  # its processor time in multiples of the yardstick's; 0 where memory was measured


@dataclass(frozen=True)
class CallRequest:
    """A call of the function `name`.

    Attributes:
        uses: the first argument is itself a function: it is called with the functions and classes of these names, the
            first of which is `name`, and with the other arguments.
        after: the arguments are given as they are after the call.
        counted: its operators and the bytes of its tensors are counted.
        watched: the call is made again, to see whether what it returns depends on numerical differentiation.
        memory: the worker's resident memory is made to follow what the call holds.
        names: what the stub calls the arguments. A function that has only some of these parameters gets those by name.
    """

    name: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    after: bool = False
    counted: bool = False
    uses: Sequence[str] = ()
    watched: bool = False
    memory: bool = False
    names: Sequence[str] = ()


class CallFailed(Exception):
    """A call that gave no value; `answer` says why, as for a step. `name` is the function or class called."""

    def __init__(self, answer: Answer, name: str) -> None:
        super().__init__(answer.message)
        self.answer, self.name = answer, name


class Function:
    """An argument that is itself a function: a plain, self-contained `def` whose *source* travels to the worker.

    It may use torch, F, math, np and what is bound by keyword (numbers, tensors, arrays):

        Function(quartic, scale=3.0)
    """

    def __init__(self, function: Callable[..., Any] | str, **bound: Any) -> None:
        self.source = function if isinstance(function, str) else source_of(function)
        self.bound = bound

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters, in order."""
        (definition,) = (each for each in ast.parse(self.source).body if isinstance(each, ast.FunctionDef))
        return [each.arg for each in definition.args.args]

    def build(self) -> Callable[..., Any]:
        """The function itself, made from its source in the process that calls it."""
        scope: dict[str, Any] = dict(GIVEN)
        exec(compile_source(self.source), scope)
        made: Callable[..., Any] = scope["f"]
        return functools.partial(made, **self.bound) if self.bound else made


@functools.cache
def compile_source(source: str) -> CodeType:
    tree = ast.parse(source)
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise ValueError(f"a `Function` is made from one plain `def`, not from {type(definition).__name__}")
    definition.name = "f"  # its name might say what is to be found out
    return compile(tree, "<given>", "exec")


@functools.cache
def source_of(function: Callable[..., Any]) -> str:
    return textwrap.dedent(inspect.getsource(function))


def leaves(tree: Any) -> Iterator[Any]:
    """Everything in a tree of lists, tuples and dicts that is none of these."""
    if isinstance(tree, (Mapping, list, tuple)):
        for value in tree.values() if isinstance(tree, Mapping) else tree:
            yield from leaves(value)
    else:
        yield tree


def precision_of(tree: Any) -> torch.dtype:
    """torch's default dtype while a call runs: float32 only where floating tensors are given and none is float64."""
    kinds = {leaf.dtype for leaf in leaves(tree) if isinstance(leaf, Tensor) and leaf.is_floating_point()}
    return torch.float32 if kinds and torch.float64 not in kinds else torch.float64


def copy_tree(tree: Any) -> Any:
    """A deep copy of a tree, as a worker would receive it: it shares no tensor with the original."""
    if isinstance(tree, Function):
        return Function(tree.source, **copy_tree(tree.bound)).build()
    if isinstance(tree, Tensor):
        return tree.detach().clone().requires_grad_(tree.is_leaf) if tree.requires_grad else tree.clone()
    if isinstance(tree, numpy.generic):
        return tree.item()
    if isinstance(tree, torch.Generator):
        return torch.Generator().set_state(tree.get_state())
    if isinstance(tree, Mapping):
        return {key: copy_tree(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        values = [copy_tree(value) for value in tree]
        return values if isinstance(tree, list) else tuple(values)
    return copy.deepcopy(tree)
