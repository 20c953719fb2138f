"""The target whose functions run in a student's worker, and how a call in it is measured.

A measured call runs in a worker of its own, and the kernel keeps the account of its memory and processor time, so no
code in the worker can change it. What a worker needs in any case (a file loaded, the arguments read, the result sent)
is measured once per zygote on a *yardstick*: a file of the course's own with the same function, called with the same
arguments. Results are stated relative to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed, CallRequest, Measurement
from grader.calling.target import Target
from grader.sandbox.isolation.limits import Usage
from grader.sandbox.workers.student import Student

ATTEMPTS = 3
FAR_ABOVE = 2
"""Processor time: a call above its limit is measured again, next to the yardstick, and the smallest ratio counts.
Other processes on the same core can make a call slower, but not so many times slower than the limit."""

CONTROL_BYTES = 1 << 25
CONTROL = """
import torch


def hold(size):
    return torch.ones(size, dtype=torch.float64)[:1]
"""


class RemoteTarget(Target):
    """The functions and classes of a student, called in the student's worker."""

    def __init__(self, student: Student) -> None:
        super().__init__()
        self._student = student

    def perform(self, of: str, request: CallRequest) -> Answer:
        return self._student.call(of, request)

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        return measure(self._student, key, name, args, yardstick, cpu_ratio)


def measure(
    student: Student, key: object, name: str, arguments: Sequence[Any], yardstick: str, cpu_ratio: float | None = None
) -> Measurement:
    """One call of the student's `name`, measured once per `key`. Raises CallFailed, ZygoteDied.

    Memory is measured, or with `cpu_ratio` processor time: a call that takes more than so many times the yardstick's is
    measured again. Where the kernel shows no memory, the count of the student's own process stands in for it.
    """
    if key in student.measurements:
        return student.measurements[key]
    memory = cpu_ratio is None

    def of_a_yardstick() -> Usage:
        """Its processor time is the least of three calls: one that was disturbed would let wasteful answers pass."""
        calls = [of_yardstick(student, yardstick, name, arguments, memory) for _ in range(1 if memory else 3)]
        return min(calls, key=lambda used: used.cpu_seconds)

    if memory and not memory_is_accounted_for(student):
        answer = student.call(name, CallRequest(name, arguments, counted=True))
        if answer.outcome != "returned":
            raise CallFailed(answer, name)
        found = Measurement(answer.value, answer.peak_bytes, 0.0)
    else:
        base: Usage = once(student, ("yardstick", key), of_a_yardstick)
        value, used = value_and_usage(student, name, arguments, memory)
        found = Measurement(value, used.resident_bytes - base.resident_bytes if memory else 0, 0.0)
        if cpu_ratio is not None:
            ratios = [used.cpu_seconds / max(base.cpu_seconds, 1e-6)]
            while len(ratios) < ATTEMPTS and cpu_ratio < ratios[-1] <= FAR_ABOVE * cpu_ratio:
                base = of_a_yardstick()
                value, used = value_and_usage(student, name, arguments, memory)
                ratios.append(used.cpu_seconds / max(base.cpu_seconds, 1e-6))
            found = Measurement(value, 0, min(ratios))
    student.measurements[key] = found
    return found


def value_and_usage(student: Student, name: str, arguments: Sequence[Any], memory: bool) -> tuple[Any, Usage]:
    """Raises CallFailed."""
    answer, used = student.call_measured(name, arguments, memory)
    if used is None:
        raise CallFailed(answer, name)
    return answer.value, used


def of_yardstick(student: Student, yardstick: str, name: str, arguments: Sequence[Any], memory: bool) -> Usage:
    """Raises ValueError for a yardstick that raises: a slip of its author's."""
    course = student.like_this({"yardstick.py": yardstick.encode()}, "yardstick.py")
    try:
        answer, used = course.call_measured(name, arguments, memory)
    finally:
        course.close()
    if used is None:
        raise ValueError(f"the yardstick's `{name}` gave nothing: {answer.message}")
    return used


def memory_is_accounted_for(student: Student) -> bool:
    """Whether the kernel's account shows 32 MiB more where a call holds 32 MiB more. Made once per zygote."""

    def make() -> bool:
        large, small = (of_yardstick(student, CONTROL, "hold", [size], True) for size in (CONTROL_BYTES // 8, 1))
        return 0.8 <= (large.resident_bytes - small.resident_bytes) / CONTROL_BYTES <= 1.25

    return bool(once(student, "memory is accounted for", make))


def once(student: Student, key: object, make: Callable[[], Any]) -> Any:
    """Made once per zygote: every zygote may lock its workers in differently."""
    if key not in student.baselines:
        student.baselines[key] = make()
    return student.baselines[key]
