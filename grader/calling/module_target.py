"""A target in this process: the course's own functions and classes."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from grader.calling.calls import invoke
from grader.calling.protocol import Called, CallRequest, Measurement, copy_tree
from grader.calling.target import Target

CAP = 10_000_000
"""Operators that one call of the course's own code may dispatch: it does not loop for ever."""

Measurements = dict[object, tuple[Measurement, bool]]
"""What calls took, and whether they computed in float32."""


class ModuleTarget(Target):
    """Functions and classes of `namespace` (a module, or a class of static methods), called in this process.

    Without `traced` calls take a third less time, but float32 is not noticed and no loop is stopped.
    """

    def __init__(self, namespace: Any, traced: bool = True, measurements: Measurements | None = None) -> None:
        """Targets of one namespace on one seed may share `measurements`: equal calls are measured once."""
        super().__init__()
        self._namespace, self._cap = namespace, CAP if traced else None
        self._measurements = {} if measurements is None else measurements
        self._objects: dict[int, Any] = {}

    def perform(self, of: str, request: CallRequest) -> Called:
        given = replace(request, args=copy_tree(list(request.args)), kwargs=copy_tree(dict(request.kwargs)))
        cap = CAP if request.counted else self._cap
        called = invoke(given, lambda name: getattr(self._namespace, name, None), self._objects, cap=cap)
        return called if request.keep is not None else replace(called, value=copy_tree(called.value))

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
