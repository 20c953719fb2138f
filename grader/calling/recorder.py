"""A target that records each call by the names of its parameters: for naming what an answer was computed from."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from torch import Tensor

from grader.calling.protocol import CallFailed, Counts, Function, Measurement, copy_tree, leaves
from grader.calling.target import Handle, Target

MAX_RECORDED_PARTS = 12
TOO_MANY_ARGUMENTS = re.compile(
    r"TypeError: \w+\(\) takes (?:from \d+ to )?\d+ positional arguments? but \d+ (?:was|were) given"
)
MISSING_ARGUMENTS = re.compile(r"TypeError: \w+\(\) missing \d+ required (?:positional|keyword-only) arguments?")
UNKNOWN_PARAMETER = re.compile(r"TypeError: \w+\(\) got an unexpected keyword argument '(\w+)'")


@dataclass(frozen=True)
class Call:
    """One call: of a function, or of a method as `Class.method`. `arguments` are by the parameters' names."""

    function: str
    arguments: Mapping[str, Any]


class RecordingTarget:
    """Passes everything on to `target`. Parameters are named as those of `namespace`'s functions and classes.

    With `copies`, arguments are copied, for code that reads them after the scenario has gone on and changed them.
    """

    def __init__(self, target: Target, namespace: Any, copies: bool = False) -> None:
        self._target, self._namespace, self._copies = target, namespace, copies
        self.calls: list[Call] = []
        self.left_out: dict[str, list[str]] = {}  # {function: the arguments that it has no parameters for}
        self.returned: list[tuple[str, Any]] = []  # (function, method or attribute, its value), of calls that gave one

    @property
    def low_precision(self) -> bool:
        return self._target.low_precision

    @property
    def line(self) -> int | None:
        return self._target.line

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        self.note_call(name, getattr(self._namespace, name, None), args, kwargs)
        try:
            return self.note_value(name, self._target.call(name, *args, **kwargs))
        except CallFailed as failed:
            if TOO_MANY_ARGUMENTS.match(failed.answer.message) is None:
                raise
            return self.note_value(name, self._by_name(self._target.call, name, failed))

    def _by_name(self, call: Callable[..., Any], name: str, failed: CallFailed) -> Any:
        """What `call` gives for the last call's arguments that the function has parameters for, by their names.

        A student may delete the parameters that a function does not need. Raises `failed` where others are missing.
        """
        given, left_out = dict(self.calls[-1].arguments), list[str]()
        while given and all(each.isidentifier() for each in given):
            try:
                value = call(name, **given)
            except CallFailed as again:
                unknown = UNKNOWN_PARAMETER.match(again.answer.message)
                if unknown is None and MISSING_ARGUMENTS.match(again.answer.message) is None:
                    raise
                if unknown is None or unknown[1] not in given:
                    break
                left_out.append(unknown[1])
                del given[unknown[1]]
            else:
                self.left_out[name] = left_out
                return value
        raise failed

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        self.note_call(name, getattr(self._namespace, name, None), args, kwargs)
        value, counts = self._target.counted(name, *args, **kwargs)
        return self.note_value(name, value), counts

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        self.note_call(name, getattr(self._namespace, name, None), args, {})
        return self._target.measured(key, name, args, yardstick, cpu_ratio)

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        self.note_call(name, getattr(self._namespace, name, None), args, kwargs)
        try:
            value, arguments = self._target.apply(name, *args, **kwargs)
        except CallFailed as failed:
            if TOO_MANY_ARGUMENTS.match(failed.answer.message) is None:
                raise
            value, changed = self._by_name(self._target.apply, name, failed)
            left_out, after = self.left_out[name], iter(changed)
            every = [each if label in left_out else next(after) for label, each in self.calls[-1].arguments.items()]
            arguments = every[: len(args) + len(kwargs)]  # without the reference's default values
        return self.note_value(name, value), arguments

    def run_with(self, uses: Sequence[str], function: Function, *args: Any) -> Any:
        self.note_call(uses[0], None, (), dict(zip(function.parameters[len(uses) :], args, strict=False)))
        return self.note_value(uses[0], self._target.run_with(uses, function, *args))

    def new(self, name: str, *args: Any, **kwargs: Any) -> Handle:
        kind = getattr(self._namespace, name, None)
        self.note_call(name, kind, args, kwargs)
        return _RecordingHandle(self, name, kind, self._target.new(name, *args, **kwargs))

    def note_value(self, name: str, value: Any) -> Any:
        self.returned.append((name, value))
        return value

    def note_call(self, name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        arguments = arguments_by_name(function, args, kwargs)
        if self._copies:
            arguments = copy_tree(arguments)
            for leaf in leaves(arguments):
                if isinstance(leaf, Tensor):
                    leaf.requires_grad_(False)  # messages compare with these values; nobody differentiates them
        self.calls.append(Call(name, arguments))


class _RecordingHandle:
    def __init__(self, recorder: RecordingTarget, kind: str, namespace: Any, handle: Handle) -> None:
        self._recorder, self._kind, self._namespace, self._handle = recorder, kind, namespace, handle

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        name = f"{self._kind}.{method}"
        if method == "__setattr__" and len(args) == 2:
            self._recorder.note_call(name, None, (), {str(args[0]): args[1]})
        else:
            self._recorder.note_call(name, getattr(self._namespace, method, None), (None, *args), kwargs)
        return self._recorder.note_value(method, self._handle.call(method, *args, **kwargs))

    def get(self, attribute: str) -> Any:
        return self._recorder.note_value(attribute, self._handle.get(attribute))

    def set(self, attribute: str, value: Any) -> None:
        self.call("__setattr__", attribute, value)


def arguments_by_name(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their parameters' names, defaults included; `self` is left out."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):  # not there, or called with others than it has
        return {f"argument {number}": value for number, value in enumerate(args, 1)} | dict(kwargs)
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if name != "self"}


def tensors_given(calls: Sequence[Call]) -> dict[str, Any]:
    """{in words: a tensor or an array that some call was given}; one of a list or dict has an entry of its own."""
    found: list[tuple[str, int, str, Any]] = []
    for number, call in enumerate(calls):
        for name, value in call.arguments.items():
            found += [(call.function, number, label, part) for label, part in parts(name, value)]
    result: dict[str, Any] = {}
    for function, number, label, part in found:
        if sum(other == label for _, _, other, _ in found) == 1:
            result[f"`{label}`"] = part
        else:
            order = [n for n, call in enumerate(calls) if call.function == function].index(number) + 1
            result[f"`{label}` of call {order} of `{function}`"] = part
    return result


def parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (Tensor, numpy.ndarray)):
        yield name, value
    elif isinstance(value, Mapping):
        yield from (
            (f"{name}[{key!r}]", part) for key, part in value.items() if isinstance(part, (Tensor, numpy.ndarray))
        )
    elif isinstance(value, (list, tuple)) and len(value) <= MAX_RECORDED_PARTS:
        yield from ((f"{name}[{i}]", part) for i, part in enumerate(value) if isinstance(part, (Tensor, numpy.ndarray)))


def numbers_given(calls: Sequence[Call]) -> dict[str, float]:
    """{name: plain number} of the parameters that had one value in every call that has them."""
    found: dict[str, set[float]] = {}
    for call in calls:
        for name, value in call.arguments.items():
            if type(value) in (int, float):
                found.setdefault(name, set()).add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}
