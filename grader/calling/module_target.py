"""A target in this process: the course's own functions and classes."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

from grader.calling.answer import Answer
from grader.calling.calls import attribute, call
from grader.calling.protocol import Called, CallFailed, Counts, Function, Measurement, copy_tree
from grader.calling.target import BaseTarget

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
