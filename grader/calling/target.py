"""What a scenario calls, see protocol.py: the functions and classes under test, wherever they run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from grader.calling.protocol import Called, CallFailed, CallRequest, Counts, Function, Measurement

OBJECT_NUMBERS = itertools.count()


class Target:
    """The functions and classes under test. Every method that returns a value raises CallFailed where there is none.

    A subclass says in `perform` how a call is made, and in `measured` how it is measured.

    Attributes:
        low_precision: some call so far computed in float32 although float64 was given.
        line: where the first thing called is defined.
        operators: aten operators that the calls so far dispatched.
    """

    def __init__(self) -> None:
        self.line: int | None = None
        self.low_precision, self.operators = False, 0

    def perform(self, of: str, request: CallRequest) -> Called:
        """Make a call; `of` is the function or class that it is about."""
        raise NotImplementedError

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """What the function returns and the memory that it takes, or with `cpu_ratio` its processor time.

        Both are compared with `yardstick`, the text of a file with a function of the same name. One call per `key` is
        measured.
        """
        raise NotImplementedError

    def invoke(self, of: str, request: CallRequest) -> Called:
        """Make a call and note what it reported."""
        called = self.perform(of, request)
        self.line = self.line or called.line
        self.low_precision = self.low_precision or called.counts.low_precision
        self.operators += called.counts.operators
        return called

    def returned(self, of: str, request: CallRequest) -> Called:
        called = self.invoke(of, request)
        if called.failed is not None:
            raise CallFailed(called.failed, request.name)
        return called

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the function `name` returns."""
        return self.returned(name, CallRequest(name, args, kwargs)).value

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        """(what the function returns, the operators that it dispatched and the bytes of its tensors)."""
        called = self.returned(name, CallRequest(name, args, kwargs, counted=True))
        return called.value, called.counts

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """(what the function returns, its arguments as they are after the call, those by name last)."""
        called = self.returned(name, CallRequest(name, args, kwargs, after=True))
        return called.value, called.arguments

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
