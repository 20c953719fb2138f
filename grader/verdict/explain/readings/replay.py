"""One forward line evaluated again with another value in place of one that it reads."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

from grader.reference.named_list import NamedList
from grader.reference.problem import Problem


class _Reached(Exception):
    """The line that is needed has been run."""


class _Replay:
    """A tape on which every name has the problem's value, except one, which has another name's value."""

    def __init__(self, problem: Problem, name: str, consumer: str, right: str, taken: str) -> None:
        values = dict(problem.values) | {right: problem.values[taken]}
        values[name] = values[name].clone().requires_grad_()
        vars(self).update(_values=values, _until=consumer, _fused=problem.graph.fused, _lists={}, output=None)

    def __getattr__(self, name: str) -> Any:
        return self._lists[name] if name in self._lists else self._read(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, list):
            self._lists[name] = NamedList(self, name, value)
        else:
            self._record(name, value)

    def _read(self, name: str) -> Any:
        return self._values[name]

    def _record(self, name: str, value: Any) -> None:
        if name == self._until:
            vars(self)["output"] = value
            raise _Reached
        if name in self._fused:
            self._values[name] = value

    def fused(self) -> AbstractContextManager[None]:
        return nullcontext()


def with_another_value(problem: Problem, name: str, consumer: str, right: str, taken: str) -> Tensor | None:
    """The branch of d`name` through `consumer` with the value of `taken` wherever the forward pass reads `right`.

    None where the shapes differ, or where the line cannot be run with it.
    """
    if problem.values[taken].shape != problem.values[right].shape:
        return None
    replay = _Replay(problem, name, consumer, right, taken)
    try:
        with torch.enable_grad():
            problem.run_on(replay)
    except _Reached:
        leaf = replay._values[name]
        share: Tensor | None
        weighted = (replay.output * problem.upstream[consumer]).sum()  # of a scalar, torch does not import sympy first
        (share,) = torch.autograd.grad(weighted, [leaf], allow_unused=True)
        return None if share is None else share.double()
    except (RuntimeError, IndexError):
        return None
    return None
