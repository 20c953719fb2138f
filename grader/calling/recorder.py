"""Calls by the names of their parameters: for naming what an answer was computed from."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy
from torch import Tensor

from grader.calling.protocol import CallRequest, copy_tree, leaves

MAX_RECORDED_PARTS = 12


@dataclass(frozen=True)
class Call:
    """One call of a function. `arguments` are by the parameters' names.

    The parameters are those of the course's own function where it is the one that uses the target's (`run_with`).
    """

    function: str
    arguments: Mapping[str, Any]
    is_by_course: bool = False


def call_by_parameters(namespace: Any, request: CallRequest) -> Call:
    """The call of a request, whose parameters are named as those of `namespace`'s functions."""
    if request.uses:
        function, *others = request.args
        named = dict(zip(function.parameters[len(request.uses) :], others, strict=False))
        return Call(request.name, named, is_by_course=True)
    known = getattr(namespace, request.name, None)
    return Call(request.name, arguments_by_name(known, request.args, request.kwargs))


def copied(call: Call) -> Call:
    """The call for messages, which compare with its arguments after they were changed; nobody differentiates them."""
    arguments = copy_tree(call.arguments)
    for leaf in leaves(arguments):
        if isinstance(leaf, Tensor):
            leaf.requires_grad_(False)
    return replace(call, arguments=arguments)


def arguments_by_name(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their parameters' names, defaults included."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):  # not there, or called with others than it has
        return {f"argument {number}": value for number, value in enumerate(args, 1)} | dict(kwargs)
    bound.apply_defaults()
    return bound.arguments


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
