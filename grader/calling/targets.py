"""Whom a scenario is put to: a student over the wire, or a module in this process. See grader/calling/protocol.py."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

from grader.calling.answer import Answer
from grader.calling.calls import attribute, call
from grader.calling.protocol import Called, CallFailed, Counts, Measurement, copied
from grader.sandbox.workers.measuring import measure
from grader.sandbox.workers.student import Student

CAP = 10_000_000
"""Operators that one call of the course's own code may dispatch: it does not loop for ever."""


class _Side:
    """What both have in common: a call gives its value, or raises CallFailed."""

    def __init__(self) -> None:
        self.last_name, self.line, self.coarse = "", None, False

    def _taken(self, called: Called, name: str) -> Called:
        self.last_name = name
        self.line = self.line or called.line
        self.coarse = self.coarse or called.counts.low_precision
        if called.failed is not None:
            raise CallFailed(called.failed, name)
        return called

    line: int | None


class StudentSide(_Side):
    """Speaks to a student's functions and classes in their worker."""

    def __init__(self, student: Student) -> None:
        super().__init__()
        self._student, self._numbers = student, itertools.count()

    def ask(
        self, of: str, name: str, args: Any, kwargs: Any, handle: int | None = None, read: bool = False, **more: Any
    ) -> Called:
        request = {"name": name, "of": handle, "read": read, "keep": None, "after": False, "counted": False, **more}
        return self._taken(self._student.call(of, request, list(args), kwargs), name)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.ask(name, name, args, kwargs).value

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        called = self.ask(name, name, args, kwargs, counted=True)
        return called.value, called.counts

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        self.last_name = name
        return measure(self._student, key, name, args, yardstick, cpu_ratio)

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        called = self.ask(name, name, args, kwargs, after=True)
        return called.value, called.arguments

    def new(self, name: str, *args: Any, **kwargs: Any) -> StudentObject:
        number = next(self._numbers)
        self.ask(name, name, args, kwargs, keep=number)
        return StudentObject(self, name, number)


class StudentObject:
    def __init__(self, side: StudentSide, kind: str, number: int) -> None:
        self._side, self._kind, self._number = side, kind, number

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        return self._side.ask(self._kind, method, args, kwargs, self._number).value

    def get(self, name: str) -> Any:
        return self._side.ask(self._kind, name, [], {}, self._number, read=True).value

    def set(self, name: str, value: Any) -> None:
        self.call("__setattr__", name, value)


class ModuleSide(_Side):
    """Speaks to functions and classes of `namespace` (a module, or a class of static methods) in this process.

    Unless `watched` nobody sees whether it computes in float32, or for ever, and it is a third faster.
    """

    def __init__(self, namespace: Any, watched: bool = True) -> None:
        super().__init__()
        self._namespace, self._cap = namespace, CAP if watched else None

    def run(self, name: str, target: Any, args: Any, kwargs: Any, counted: bool = False) -> Called:
        if target is None or isinstance(target, Answer):
            return self._taken(Called(failed=target or Answer("missing")), name)
        function: Callable[..., Any] = target
        cap = CAP if counted else self._cap
        return self._taken(call(function, name, copied(list(args)), copied(kwargs), cap=cap, counted=counted), name)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return copied(self.run(name, getattr(self._namespace, name, None), args, kwargs).value)

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        called = self.run(name, getattr(self._namespace, name, None), args, kwargs, counted=True)
        return copied(called.value), called.counts

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        """The course's own code is trusted: torch's tensors are counted and the process's clock is read, in here."""
        value, counts = self.counted(name, *args)
        return Measurement(value, counts.peak_bytes, self._cpu_ratio(name, args, yardstick) if cpu_ratio else 0.0)

    def _cpu_ratio(self, name: str, args: list[Any], yardstick: str) -> float:
        scope: dict[str, Any] = {}
        exec(compile(yardstick, "<yardstick>", "exec"), scope)

        def seconds(function: Any) -> float:
            started = time.process_time()
            function(*copied(args))
            return time.process_time() - started

        ours, theirs = (min(seconds(f) for _ in range(2)) for f in (getattr(self._namespace, name), scope[name]))
        return ours / max(theirs, 1e-6)

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        called = self.run(name, getattr(self._namespace, name, None), args, kwargs)
        return copied(called.value), called.arguments

    def new(self, name: str, *args: Any, **kwargs: Any) -> ModuleObject:
        return ModuleObject(self, self.run(name, getattr(self._namespace, name, None), args, kwargs).value)


class ModuleObject:
    def __init__(self, side: ModuleSide, thing: Any) -> None:
        self._side, self._thing = side, thing

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        return copied(self._side.run(method, attribute(self._thing, method), args, kwargs).value)

    def get(self, name: str) -> Any:
        found = attribute(self._thing, name)
        if isinstance(found, Answer):
            raise CallFailed(found, name)
        return copied(found)

    def set(self, name: str, value: Any) -> None:
        self.call("__setattr__", name, value)
