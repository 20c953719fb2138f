"""What a scenario calls, see protocol.py: the functions and classes under test, wherever they run.

Those of the course's own files run in this process, those of a student in a worker (remote_target.py).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

from grader.calling.answer import Answer
from grader.calling.calls import invoke
from grader.calling.operators import CallWatch, OperatorWatch
from grader.calling.protocol import CallFailed, CallRequest, Function, Measurement, copy_tree
from grader.calling.recorder import Call, call_by_parameters, copied

OBJECT_NUMBERS = itertools.count()
CAP = 10_000_000
"""Operators that one call of the course's own code may dispatch: it does not loop for ever."""


class Target:
    """The functions and classes under test. Every method that returns a value raises CallFailed where there is none.

    A subclass says in `perform` how a call is made, and in `measured` how it is measured.

    Attributes:
        low_precision: some call so far computed in float32 although float64 was given.
        line: where the first thing called is defined.
        operators: aten operators that the calls so far dispatched.
        calls: what was called with which arguments, in order, since `record`.
        returned_values: (function, method or attribute, its value), of calls that gave one.
        on_return: is called after each of these.
    """

    on_return: Callable[[], None] | None = None

    def __init__(self) -> None:
        self.line: int | None = None
        self.low_precision, self.operators = False, 0
        self.calls: list[Call] = []
        self.returned_values: list[tuple[str, Any]] = []
        self._names: Any = None
        self._copies = False

    def record(self, namespace: Any, copies: bool = False) -> Self:
        """Note all calls, by the parameters of `namespace`'s functions and classes.

        With `copies`, arguments are copied, for code that reads them after the scenario has gone on and changed them.
        """
        self._names, self._copies = namespace, copies
        return self

    def note(self, of: str, request: CallRequest) -> Call:
        """Add a call to `calls`, by the names of its parameters, and return it."""
        call = call_by_parameters(self._names, of, request)
        self.calls.append(copied(call) if self._copies else call)
        return call

    def perform(self, of: str, request: CallRequest) -> Answer:
        """Make a call; `of` is the function or class that it is about."""
        raise NotImplementedError

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """What the function returns and the memory that it takes, or with `cpu_ratio` its processor time.

        Both are compared with `yardstick`, the text of a file with a function of the same name. One call per `key` is
        measured.
        """
        raise NotImplementedError

    def invoke(self, of: str, request: CallRequest) -> Answer:
        """Make a call and note what it reported."""
        if self._names is not None and not request.read:
            call = self.note(of, request)
            request = replace(request, names=tuple(call.arguments) if call.function == request.name else ())
        answer = self.perform(of, request)
        if answer.outcome == "returned" and request.keep is None:
            self.returned_values.append((request.name, answer.value))
            if self.on_return is not None:
                self.on_return()
        self.line = self.line or answer.line
        self.low_precision = self.low_precision or answer.low_precision
        self.operators += answer.operators
        return answer

    def returned(self, of: str, request: CallRequest) -> Answer:
        answer = self.invoke(of, request)
        if answer.outcome != "returned":
            raise CallFailed(answer, request.name)
        return answer

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the function `name` returns."""
        return self.returned(name, CallRequest(name, args, kwargs)).value

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Answer]:
        """(what the function returns, the answer with its operators and the bytes of its tensors)."""
        answer = self.returned(name, CallRequest(name, args, kwargs, counted=True))
        return answer.value, answer

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """(what the function returns, its arguments as they are after the call, those by name last)."""
        answer = self.returned(name, CallRequest(name, args, kwargs, after=True))
        return answer.value, list(answer.arguments)

    def run_with(self, uses: Sequence[str], function: Function, *args: Any) -> Any:
        """What the course's own `function` returns, called in the target's process.

        Its first arguments are the target's functions and classes that `uses` names, then come `args`. It is for code
        that works with objects of these classes, such as an expression with their operators.
        """
        return self.returned(uses[0], CallRequest(uses[0], (function, *args), uses=tuple(uses))).value

    def new(self, name: str, *args: Any, **kwargs: Any) -> Handle:
        """An object of the class `name`."""
        number = next(OBJECT_NUMBERS)
        self.returned(name, CallRequest(name, args, kwargs, keep=number))
        return Handle(self, name, number)


class Handle:
    """An object that a target has made. Every method raises CallFailed where the target's code fails."""

    def __init__(self, target: Target, kind: str, number: int) -> None:
        self._target, self._kind, self._number = target, kind, number

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """What the method returns."""
        return self._target.returned(self._kind, CallRequest(method, args, kwargs, self._number)).value

    def get(self, attribute: str) -> Any:
        """An attribute's value."""
        return self._target.returned(self._kind, CallRequest(attribute, handle=self._number, read=True)).value

    def set(self, attribute: str, value: Any) -> None:
        self.call("__setattr__", attribute, value)


class ModuleTarget(Target):
    """Functions and classes of `namespace` (a module, or a class of static methods), called in this process.

    Without `traced` calls take a third less time, but float32 is not noticed and no loop is stopped.
    """

    def __init__(self, namespace: Any, traced: bool = True) -> None:
        super().__init__()
        self._namespace, self._traced = namespace, traced
        self._measurements: dict[object, tuple[Measurement, bool]] = {}  # and whether they computed in float32
        self._objects: dict[int, Any] = {}

    def perform(self, of: str, request: CallRequest) -> Answer:
        given = replace(request, args=copy_tree(list(request.args)), kwargs=copy_tree(dict(request.kwargs)))
        watch = OperatorWatch(CAP) if self._traced else None
        if request.counted:
            watch = CallWatch(CAP, (given.args, given.kwargs))
        answer = invoke(given, lambda name: getattr(self._namespace, name, None), self._objects, watch=watch)
        return answer._replace(value=copy_tree(answer.value))

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """The course's own code is trusted: torch's tensors are counted and the process's clock is read, in here."""
        key = (key, cpu_ratio)
        if key not in self._measurements:
            value, counts = self.counted(name, *args)
            ratio = 0.0
            if cpu_ratio:
                scope: dict[str, Any] = {}
                exec(compile(yardstick, "<yardstick>", "exec"), scope)
                functions = getattr(self._namespace, name), scope[name]
                ours, theirs = (min(seconds_of(each, args) for _ in range(2)) for each in functions)
                ratio = ours / max(theirs, 1e-6)
            self._measurements[key] = Measurement(value, counts.peak_bytes, ratio), counts.low_precision
        measurement, low_precision = self._measurements[key]
        self.low_precision = self.low_precision or low_precision
        return measurement


def seconds_of(function: Any, args: list[Any]) -> float:
    started = time.process_time()
    function(*copy_tree(args))
    return time.process_time() - started
