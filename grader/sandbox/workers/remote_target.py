"""The target whose functions run in a student's worker."""

from __future__ import annotations

from typing import Any

from grader.calling.protocol import Called, CallRequest, Measurement
from grader.calling.target import Target
from grader.sandbox.workers.measuring import measure
from grader.sandbox.workers.student import Student


class RemoteTarget(Target):
    """The functions and classes of a student, called in the student's worker."""

    def __init__(self, student: Student) -> None:
        super().__init__()
        self._student = student

    def perform(self, of: str, request: CallRequest) -> Called:
        return self._student.call(of, request)

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        return measure(self._student, key, name, args, yardstick, cpu_ratio)
