"""The target whose functions run in a student's worker."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from grader.calling.protocol import Called, Counts, Function, Measurement
from grader.calling.target import BaseTarget
from grader.sandbox.workers.measuring import measure
from grader.sandbox.workers.messages import Call
from grader.sandbox.workers.student import Student


class RemoteTarget(BaseTarget):
    """The functions and classes of a student, called in the student's worker."""

    def __init__(self, student: Student) -> None:
        super().__init__()
        self._student, self._numbers = student, itertools.count()

    def request(self, of: str, request: Call) -> Called:
        """Make the call in the worker; `of` is the function or class that it is about."""
        return self._returned(self._student.call(of, request), request.name)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.request(name, Call(name, args, kwargs)).value

    def counted(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Counts]:
        called = self.request(name, Call(name, args, kwargs, counted=True))
        return called.value, called.counts

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        return measure(self._student, key, name, args, yardstick, cpu_ratio)

    def apply(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        called = self.request(name, Call(name, args, kwargs, after=True))
        return called.value, called.arguments

    def run_with(self, uses: Sequence[str], function: Function, *args: Any) -> Any:
        return self.request(uses[0], Call(uses[0], [function, *args], uses=list(uses))).value

    def new(self, name: str, *args: Any, **kwargs: Any) -> RemoteHandle:
        number = next(self._numbers)
        self.request(name, Call(name, args, kwargs, keep=number))
        return RemoteHandle(self, name, number)


class RemoteHandle:
    """An object in the student's worker."""

    def __init__(self, target: RemoteTarget, kind: str, number: int) -> None:
        self._target, self._kind, self._number = target, kind, number

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        return self._target.request(self._kind, Call(method, args, kwargs, self._number)).value

    def get(self, name: str) -> Any:
        return self._target.request(self._kind, Call(name, handle=self._number, read=True)).value

    def set(self, name: str, value: Any) -> None:
        self.call("__setattr__", name, value)
