"""What a scenario calls, see protocol.py: functions and classes of a student, or of the course in this process."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from grader.calling.answer import Answer
from grader.calling.calls import attribute, call
from grader.calling.protocol import Called, CallFailed, Counts, Function, Measurement, copy_tree


class Handle(Protocol):
    """An object that a target has made. Every method raises CallFailed where the target's code fails."""

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """What the method returns."""
        ...

    def get(self, attribute: str) -> Any:
        """An attribute's value."""
        ...

    def set(self, attribute: str, value: Any) -> None: ...


class Target(Protocol):
    """The functions and classes under test. Every method that calls one raises CallFailed where it gives no value."""

    low_precision: bool  # some call so far computed in float32 although float64 was given
    line: int | None  # where the first thing called is defined

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the function `name` returns."""
        ...

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        """(what the function returns, the operators that it dispatched and the bytes of its tensors)."""
        ...

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """What the function returns and the memory that it takes, or with `cpu_ratio` its processor time.

        Both are compared with `yardstick`, the text of a file with a function of the same name. One call per `key` is
        measured.
        """
        ...

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """(what the function returns, its positional arguments as they are after the call)."""
        ...

    def run_with(self, uses: Sequence[str], function: Function, *args: Any) -> Any:
        """What the course's own `function` returns, called in the target's process.

        Its first arguments are the target's functions and classes that `uses` names, then come `args`. It is for code
        that works with objects of these classes, such as an expression with their operators.
        """
        ...

    def new(self, name: str, *args: Any, **kwargs: Any) -> Handle:
        """An object of the class `name`."""
        ...


class BaseTarget:
    """What every target has in common: a call returns its value, or raises CallFailed."""

    line: int | None

    def __init__(self) -> None:
        self.line, self.low_precision = None, False

    def _returned(self, called: Called, name: str) -> Called:
        """Note what a call of `name` reported. Raises CallFailed where it gave no value."""
        self.line = self.line or called.line
        self.low_precision = self.low_precision or called.counts.low_precision
        if called.failed is not None:
            raise CallFailed(called.failed, name)
        return called


CAP = 10_000_000
"""Operators that one call of the course's own code may dispatch: it does not loop for ever."""

Measurements = dict[object, tuple[Measurement, bool]]
"""What calls took, and whether they computed in float32."""


class ModuleTarget(BaseTarget):
    """Functions and classes of `namespace` (a module, or a class of static methods), called in this process.

    Without `traced` calls take a third less time, but float32 is not noticed and no loop is stopped.
    """

    def __init__(self, namespace: Any, traced: bool = True, measurements: Measurements | None = None) -> None:
        """Targets of one namespace on one seed may share `measurements`: equal calls are measured once."""
        super().__init__()
        self._namespace, self._cap = namespace, CAP if traced else None
        self._measurements = {} if measurements is None else measurements

    def run(
        self, name: str, function: Callable[..., Any] | Answer | None, args: Any, kwargs: Any, counted: bool = False
    ) -> Called:
        """Call `function`. Raises CallFailed where that fails, and where there is no function."""
        if function is None or isinstance(function, Answer):
            return self._returned(Called(failed=function or Answer("missing")), name)
        cap = CAP if counted else self._cap
        return self._returned(
            call(function, name, copy_tree(list(args)), copy_tree(kwargs), cap=cap, counted=counted), name
        )

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return copy_tree(self.run(name, getattr(self._namespace, name, None), args, kwargs).value)

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        called = self.run(name, getattr(self._namespace, name, None), args, kwargs, counted=True)
        return copy_tree(called.value), called.counts

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """The course's own code is trusted: torch's tensors are counted and the process's clock is read, in here."""
        key = (key, cpu_ratio)
        if key not in self._measurements:
            value, counts = self.counted(name, *args)
            ratio = self._cpu_ratio(name, args, yardstick) if cpu_ratio else 0.0
            self._measurements[key] = Measurement(value, counts.peak_bytes, ratio), counts.low_precision
        measurement, low_precision = self._measurements[key]
        self.low_precision = self.low_precision or low_precision
        return measurement

    def _cpu_ratio(self, name: str, args: list[Any], yardstick: str) -> float:
        scope: dict[str, Any] = {}
        exec(compile(yardstick, "<yardstick>", "exec"), scope)

        def seconds(function: Any) -> float:
            started = time.process_time()
            function(*copy_tree(args))
            return time.process_time() - started

        ours, theirs = (min(seconds(f) for _ in range(2)) for f in (getattr(self._namespace, name), scope[name]))
        return ours / max(theirs, 1e-6)

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        called = self.run(name, getattr(self._namespace, name, None), args, kwargs)
        return copy_tree(called.value), called.arguments

    def run_with(self, uses: Sequence[str], function: Function, *args: Any) -> Any:
        used = [getattr(self._namespace, name, None) for name in uses]
        name = next((name for name, each in zip(uses, used, strict=True) if each is None), "")
        runs = None if name else functools.partial(function.build(), *used)
        return copy_tree(self.run(name or uses[0], runs, args, {}).value)

    def new(self, name: str, *args: Any, **kwargs: Any) -> ModuleHandle:
        return ModuleHandle(self, self.run(name, getattr(self._namespace, name, None), args, kwargs).value)


class ModuleHandle:
    def __init__(self, target: ModuleTarget, thing: Any) -> None:
        self._target, self._thing = target, thing

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        return copy_tree(self._target.run(method, attribute(self._thing, method), args, kwargs).value)

    def get(self, name: str) -> Any:
        found = attribute(self._thing, name)
        if isinstance(found, Answer):
            raise CallFailed(found, name)
        return copy_tree(found)

    def set(self, name: str, value: Any) -> None:
        self.call("__setattr__", name, value)
