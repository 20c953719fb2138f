"""What a scenario calls, see protocol.py: the functions and classes under test, wherever they run.

Those of the course's own files run in this process, those of a student in a worker (remote_target.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from grader.calling.answer import Answer
from grader.calling.calls import invoke
from grader.calling.operators import CallWatch, OperatorWatch
from grader.calling.protocol import CallFailed, CallRequest, Function, Measurement, copy_tree

CAP = 10_000_000
"""Operators that one call of the course's own code may dispatch: it does not loop for ever."""


class Target:
    """The functions and classes under test. Every method that returns a value raises CallFailed where there is none.

    A subclass says in `perform` how a call is made, and in `measured` how it is measured.

    Attributes:
        low_precision: some call so far computed in float32 although float64 was given.
        operators: aten operators that the calls so far dispatched.
        calls: what was called with which arguments, in order, since `record`.
        returned_values: (function, its value), of calls that gave one.
        on_return: is called after each of these.
    """

    on_return: Callable[[], None] | None = None

    def __init__(self) -> None:
        self.low_precision, self.operators = False, 0
        self.calls: list[Call] = []
        self.returned_values: list[tuple[str, Any]] = []
        self._names: Any = None

    def record(self, namespace: Any) -> Self:
        """Note all calls, by the parameters of `namespace`'s functions."""
        self._names = namespace
        return self

    def note(self, request: CallRequest) -> Call:
        """Add a call to `calls`, by the names of its parameters, and return it."""
        if request.uses:
            function, *others = request.args
            arguments = dict(zip(function.parameters[len(request.uses) :], others, strict=False))
        else:
            arguments = arguments_by_name(getattr(self._names, request.name, None), request.args, request.kwargs)
        call = Call(request.name, arguments, is_by_course=bool(request.uses))
        self.calls.append(call)
        return call

    def perform(self, request: CallRequest) -> Answer:
        """Make a call."""
        raise NotImplementedError

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """What the function returns and the memory that it takes, or with `cpu_ratio` its processor time.

        Both are compared with `yardstick`, the text of a file with a function of the same name. One call per `key` is
        measured.
        """
        raise NotImplementedError

    def returned(self, request: CallRequest) -> Answer:
        """The answer of a call that returned a value; what it reported is noted."""
        if self._names is not None:
            request = replace(request, names=tuple(self.note(request).arguments))
        answer = self.perform(request)
        if answer.outcome == "returned":
            self.returned_values.append((request.name, answer.value))
            if self.on_return is not None:
                self.on_return()
        self.low_precision = self.low_precision or answer.low_precision
        self.operators += answer.operators
        if answer.outcome != "returned":
            raise CallFailed(answer, request.name)
        return answer

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the function `name` returns."""
        return self.returned(CallRequest(name, args, kwargs)).value

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Answer]:
        """(what the function returns, the answer with its operators and the bytes of its tensors)."""
        answer = self.returned(CallRequest(name, args, kwargs, counted=True))
        return answer.value, answer

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """(what the function returns, its arguments as they are after the call, those by name last)."""
        answer = self.returned(CallRequest(name, args, kwargs, after=True))
        return answer.value, list(answer.arguments)

    def run_with(self, uses: Sequence[str], function: Function, *args: Any) -> Any:
        """What the course's own `function` returns, called in the target's process.

        Its first arguments are the target's functions and classes that `uses` names, then come `args`. It is for code
        that works with objects of these classes: calls their methods, or computes with their operators.
        """
        return self.returned(CallRequest(uses[0], (function, *args), uses=tuple(uses))).value


class ModuleTarget(Target):
    """Functions and classes of `namespace` (a module, or a class of static methods), called in this process.

    Without `traced` calls take a third less time, but float32 is not noticed, no loop is stopped, and nothing counted.
    """

    def __init__(self, namespace: Any, traced: bool = True) -> None:
        super().__init__()
        self._namespace, self._traced = namespace, traced
        self._measurements: dict[object, Measurement] = {}

    def perform(self, request: CallRequest) -> Answer:
        given = replace(request, args=copy_tree(list(request.args)), kwargs=copy_tree(dict(request.kwargs)))
        watch = OperatorWatch(CAP) if self._traced else None
        if request.counted and not self._traced:
            return Answer("raised", message="Nothing is counted here.")
        if request.counted:
            watch = CallWatch(CAP, (given.args, given.kwargs))
        answer = invoke(given, lambda name: getattr(self._namespace, name, None), watch=watch)
        return answer._replace(value=copy_tree(answer.value))

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """The course's own code is trusted: the bytes of torch's tensors are counted in here, and no processor time."""
        if key not in self._measurements:
            value, counts = self.counted(name, *args)
            self._measurements[key] = Measurement(value, counts.peak_bytes, 0.0)
        return self._measurements[key]


# What was called, and with which arguments --------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """One call of a function. `arguments` are by the parameters' names.

    The parameters are those of the course's own function where it is the one that uses the target's (`run_with`).
    """

    function: str
    arguments: Mapping[str, Any]
    is_by_course: bool = False


def arguments_by_name(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their parameters' names, defaults included."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):  # not there, or called with others than it has
        return {f"argument {number}": value for number, value in enumerate(args, 1)} | dict(kwargs)
    bound.apply_defaults()
    return bound.arguments
