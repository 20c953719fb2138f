"""A target that records each call by the names of its parameters: for naming what an answer was computed from."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.protocol import CallRequest, Measurement, copy_tree, leaves
from grader.calling.target import Target

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


class RecordingTarget(Target):
    """Passes everything on to `target`. Parameters are named as those of `namespace`'s functions and classes.

    With `copies`, arguments are copied, for code that reads them after the scenario has gone on and changed them.

    Attributes:
        calls: what was called with which arguments, in order.
        left_out: {function: the arguments that it has no parameters for}.
        returned_values: (function, method or attribute, its value), of calls that gave one.
    """

    def __init__(self, target: Target, namespace: Any, copies: bool = False) -> None:
        super().__init__()
        self._target, self._namespace, self._copies = target, namespace, copies
        self.calls: list[Call] = []
        self.left_out: dict[str, list[str]] = {}
        self.returned_values: list[tuple[str, Any]] = []

    def perform(self, of: str, request: CallRequest) -> Answer:
        if not request.read:
            self._note(*self._arguments(of, request))
        answer = self._target.invoke(of, request)
        is_plain = request.handle is None and request.keep is None and not request.uses and not request.counted
        if is_plain and TOO_MANY_ARGUMENTS.match(answer.message):
            answer = self._by_name(request, answer)
        if answer.outcome == "returned" and request.keep is None:
            self.returned_values.append((request.name, answer.value))
        return answer

    def _arguments(self, of: str, request: CallRequest) -> tuple[str, dict[str, Any]]:
        """(what is called, the arguments by the names of its parameters)."""
        known, args, kwargs = getattr(self._namespace, of, None), request.args, request.kwargs
        if request.uses:
            function, *others = args
            return of, dict(zip(function.parameters[len(request.uses) :], others, strict=False))
        if request.handle is None:
            return of, arguments_by_name(known, args, kwargs)
        if request.name == "__setattr__" and len(args) == 2:
            return f"{of}.{request.name}", {str(args[0]): args[1]}
        method = getattr(known, request.name, None)
        return f"{of}.{request.name}", arguments_by_name(method, (None, *args), kwargs)

    def _by_name(self, request: CallRequest, failed: Answer) -> Answer:
        """The call with those of its arguments that the function has parameters for, by their names.

        A student may delete the parameters that a function does not need. Gives `failed` where others are missing.
        """
        every = self.calls[-1].arguments
        given, left_out = dict(every), list[str]()
        while given and all(each.isidentifier() for each in given):
            again = self._target.invoke(request.name, replace(request, args=(), kwargs=given))
            if again.outcome == "returned":
                self.left_out[request.name], after = left_out, iter(again.arguments)
                if not request.after:
                    return again
                arguments = [each if label in left_out else next(after) for label, each in every.items()]
                number = len(request.args) + len(request.kwargs)  # without the reference's default values
                return again._replace(arguments=arguments[:number])
            unknown = UNKNOWN_PARAMETER.match(again.message)
            if unknown is None and MISSING_ARGUMENTS.match(again.message) is None:
                return again
            if unknown is None or unknown[1] not in given:
                break
            left_out.append(unknown[1])
            del given[unknown[1]]
        return failed

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        self._note(name, arguments_by_name(getattr(self._namespace, name, None), args, {}))
        try:
            return self._target.measured(key, name, args, yardstick, cpu_ratio)
        finally:
            self.low_precision = self.low_precision or self._target.low_precision

    def _note(self, name: str, arguments: dict[str, Any]) -> None:
        if self._copies:
            arguments = copy_tree(arguments)
            for leaf in leaves(arguments):
                if isinstance(leaf, Tensor):
                    leaf.requires_grad_(False)  # messages compare with these values; nobody differentiates them
        self.calls.append(Call(name, arguments))


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


def parts(name: str, value: Any) -> list[tuple[str, Any]]:
    found = {name: value}
    if isinstance(value, Mapping):
        found = {f"{name}[{key!r}]": part for key, part in value.items()}
    elif isinstance(value, (list, tuple)) and len(value) <= MAX_RECORDED_PARTS:
        found = {f"{name}[{place}]": part for place, part in enumerate(value)}
    return [(label, part) for label, part in found.items() if isinstance(part, (Tensor, numpy.ndarray))]


def numbers_given(calls: Sequence[Call]) -> dict[str, float]:
    """{name: plain number} of the parameters that had one value in every call that has them."""
    found: dict[str, set[float]] = {}
    for call in calls:
        for name, value in call.arguments.items():
            if type(value) in (int, float):
                found.setdefault(name, set()).add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}
