"""The target whose functions run in a student's worker, and how a call in it is measured.

A measured call runs in a worker of its own, and the kernel keeps the account of its memory and processor time, so no
code in the worker can change it. What a worker needs in any case (a file loaded, the arguments read, the result sent)
is measured once per zygote on a *yardstick*: a file of the course's own with the same function, called with the same
arguments. Results are stated relative to it. Where a system's account shows no memory, none is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed, CallRequest, Measurement
from grader.calling.target import Target
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.isolation.limits import Usage
from grader.sandbox.workers.student import Student

ATTEMPTS = 5
FAR_ABOVE = 2
"""Processor time: a call above its limit is measured again, next to the yardstick, and the smallest ratio counts.
Other processes on the same core can make a call slower, but not so many times slower than the limit."""


class RemoteTarget(Target):
    """The functions and classes of a student, called in the student's worker."""

    def __init__(self, student: Student) -> None:
        super().__init__()
        self._student = student

    def perform(self, request: CallRequest) -> Answer:
        return self._student.call(request)

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        known = self._student.measurements
        if key not in known:
            known[key] = measure(self._student, key, name, args, yardstick, cpu_ratio)
        return known[key]


def measure(
    student: Student, key: object, name: str, arguments: Sequence[Any], yardstick: str, cpu_ratio: float | None = None
) -> Measurement:
    """One call of the student's `name`. Raises CallFailed, ZygoteDied.

    Memory is measured, or with `cpu_ratio` processor time: a call that takes more than so many times the yardstick's is
    measured again.
    """
    memory = cpu_ratio is None

    def of_yardsticks() -> Usage:
        """Its processor time is the least of three calls: one that was disturbed would let wasteful answers pass."""
        calls = [of_yardstick(student, yardstick, name, arguments, memory) for _ in range(1 if memory else 3)]
        return min(calls, key=lambda used: used.cpu_seconds)

    if key not in student.zygote.baselines:
        student.zygote.baselines[key] = of_yardsticks()
    base = student.zygote.baselines[key]
    value, used = student.call_measured(name, arguments, memory)
    if cpu_ratio is None:
        return Measurement(value, used.resident_bytes - base.resident_bytes, 0.0)
    ratios = [used.cpu_seconds / max(base.cpu_seconds, 1e-6)]
    while len(ratios) < ATTEMPTS and cpu_ratio < ratios[-1] <= FAR_ABOVE * cpu_ratio:
        base = of_yardsticks()
        value, used = student.call_measured(name, arguments, memory)
        ratios.append(used.cpu_seconds / max(base.cpu_seconds, 1e-6))
    return Measurement(value, 0, min(ratios))


def of_yardstick(student: Student, yardstick: str, name: str, arguments: Sequence[Any], memory: bool) -> Usage:
    """Raises ValueError for a yardstick that raises: a slip of its author's."""
    with closing(Student(student.zygote, {BACKWARD_FILE: yardstick.encode()})) as course:
        try:
            return course.call_measured(name, arguments, memory)[1]
        except CallFailed as error:
            raise ValueError(f"the yardstick's `{name}` gave nothing: {error}") from error
