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
        """A call that takes more than `cpu_ratio` times the yardstick's time is measured again. Raises ZygoteDied."""
        student, memory = self._student, cpu_ratio is None
        if key in student.measurements:
            return student.measurements[key]

        def of_yardsticks() -> Usage:
            """Its processor time is the least of three calls: a disturbed one would let wasteful answers pass."""
            calls = [of_yardstick(student, yardstick, name, args, memory) for _ in range(1 if memory else 3)]
            return min(calls, key=lambda used: used.cpu_seconds)

        if key not in student.zygote.baselines:
            student.zygote.baselines[key] = of_yardsticks()
        base = student.zygote.baselines[key]
        value, used = student.call_measured(name, args, memory)
        found = Measurement(value, used.resident_bytes - base.resident_bytes, 0.0)
        if cpu_ratio is not None:
            ratios = [used.cpu_seconds / max(base.cpu_seconds, 1e-6)]
            while len(ratios) < ATTEMPTS and cpu_ratio < ratios[-1] <= FAR_ABOVE * cpu_ratio:
                base = of_yardsticks()
                value, used = student.call_measured(name, args, memory)
                ratios.append(used.cpu_seconds / max(base.cpu_seconds, 1e-6))
            found = Measurement(value, 0, min(ratios))
        student.measurements[key] = found
        return found


def of_yardstick(student: Student, yardstick: str, name: str, arguments: Sequence[Any], memory: bool) -> Usage:
    """Raises ValueError for a yardstick that raises: a slip of its author's."""
    with closing(Student(student.zygote, {BACKWARD_FILE: yardstick.encode()})) as course:
        try:
            return course.call_measured(name, arguments, memory)[1]
        except CallFailed as error:
            raise ValueError(f"the yardstick's `{name}` gave nothing: {error}") from error
