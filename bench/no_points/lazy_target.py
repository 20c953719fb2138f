"""A target of a scenario whose answers are made up: each one may know the call, but not work out what is asked for.

The reference's calls are recorded once per row and seed. Later runs take what the reference gave from the record: an
answer of the right shape needs it, and so does counting how many calls were answered right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.protocol import CallRequest, Function, Measurement, copy_tree
from grader.calling.target import Target


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """One call. `value` is the reference's, `number` counts the calls of the row, `nth` those of this function."""

    function: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    number: int
    nth: int
    seen: tuple[int, ...]  # how often each argument came earlier in this row
    value: Any

    @property
    def given(self) -> list[Any]:
        return [*self.args, *self.kwargs.values()]

    @cached_property
    def digest(self) -> str:
        """The reference's value as a text, to compare with."""
        return digest(self.value)


Make = Callable[[RecordedCall], Any]


Record = list[tuple[RecordedCall, list[Any], Answer]]
"""What the reference answered in one row, call by call: (the call, its arguments afterwards, counts)."""


class Answers:
    """The answers of one run of a row. Without `make`, the reference answers and `record` is written."""

    def __init__(self, record: Record, make: Make | None = None, arguments: Make | None = None) -> None:
        self._record, self._make, self._arguments = record, make, arguments
        self._nth, self._seen = dict[str, int](), dict[str, int]()
        self.calls_made = self.right = 0
        self.reference: Any = None  # the side that answers while recording

    def answer(
        self, function: str, args: Sequence[Any], kwargs: Mapping[str, Any], ask: Callable[[], Any]
    ) -> tuple[Any, list[Any], Answer]:
        """(value, positional arguments afterwards, counts). `ask` asks the reference for the three."""
        number, nth = self.calls_made, self._nth.get(function, 0)
        self.calls_made, self._nth[function] = number + 1, nth + 1
        if self._make is None:
            given = [digest(value) for value in (*args, *kwargs.values())]
            seen = tuple(self._seen.get(text, 0) for text in given)
            for text in given:
                self._seen[text] = self._seen.get(text, 0) + 1
            before = copied_deep(args), copied_deep(kwargs)
            value, after, counts = ask()
            call = RecordedCall(function, *before, number, nth, seen, copied_deep(value))
            self._record.append((call, copied_deep(after), counts))
            return value, after, counts
        call, after, counts = self._record[number]  # its arguments are these, where no answer has changed them
        if call.function != function:
            raise AssertionError(f"call {number} is of {function}, but the reference was called for {call.function}")
        value = self._make(call)
        self.right += digest(value) == call.digest
        changed: list[Any] = []
        if after:  # somebody looks at them
            make = self._arguments
            changed = list(args) if make is None else [make(replace(call, value=each)) for each in after]
        return copied_deep(value), copied_deep(changed), counts


class LazyTarget(Target):
    """Gives the answers of `answers`."""

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self._answers = answers

    def perform(self, request: CallRequest) -> Answer:
        def ask() -> tuple[Any, list[Any], Answer]:
            answer = self._answers.reference.returned(request)
            return answer.value, list(answer.arguments), answer._replace(value=None, arguments=())

        function = ", ".join(request.uses) or request.name
        value, after, counts = self._answers.answer(function, request.args, request.kwargs, ask)
        counted = counts if request.counted else Answer("returned")
        return counted._replace(value=value, arguments=after)

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """An answer that computes nothing costs nothing."""

        def ask() -> tuple[Any, list[Any], Answer]:
            reference = self._answers.reference
            return reference.measured(key, name, args, yardstick, cpu_ratio).value, [], Answer("returned")

        return Measurement(self._answers.answer(name, args, {}, ask)[0], 0, 0.0)


def copied_deep(tree: Any) -> Any:
    """A copy in which a Function stays one."""
    if isinstance(tree, Function):
        return tree
    if isinstance(tree, Mapping):
        return {key: copied_deep(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        values = [copied_deep(value) for value in tree]
        return values if isinstance(tree, list) else tuple(values)
    return copy_tree(tree)


def digest(tree: Any) -> str:
    """The same text for equal trees of tensors, arrays, numbers, texts and functions."""
    if isinstance(tree, Function):
        return digest([tree.source, tree.bound])
    if isinstance(tree, Mapping):
        return "{" + ",".join(f"{key}:{digest(value)}" for key, value in tree.items()) + "}"
    if isinstance(tree, (list, tuple)):
        return "[" + ",".join(map(digest, tree)) + "]"
    if isinstance(tree, Tensor):
        tree = tree.detach().numpy()
    if isinstance(tree, numpy.ndarray):
        return f"{tree.dtype}{tree.shape}" + hashlib.blake2b(tree.tobytes(), digest_size=12).hexdigest()
    if isinstance(tree, torch.Generator):
        return digest(tree.get_state())
    return f"{type(tree).__name__} {tree!r}"[:200]
