"""Measured calls: one call of a function in a worker of its own, with the memory and processor time that it took.

The kernel keeps the account, not the worker, so no code in the worker can change it. What a worker needs in any case
(a file loaded, the arguments read, the result sent) is measured once per zygote on a *yardstick*: a file of the
course's own with the same function, called with the same arguments. Results are stated relative to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.calling import Called, CallFailed, Measurement
from grader.sandbox.usage import Usage

if TYPE_CHECKING:
    from grader.grading.student import Student

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


class MeasuredCall(NamedTuple):
    """`used` is what the worker used from before its file was loaded until it was ended; None without a value."""

    called: Called
    used: Usage | None


def measure(
    student: Student, key: object, name: str, arguments: Sequence[Any], yardstick: str, cpu_ratio: float | None = None
) -> Measurement:
    """One call of the student's `name`; the same `key` is measured once. Raises CallFailed, ZygoteDied.

    With `cpu_ratio`, a call that takes more than so many times the yardstick's processor time is measured again.
    """
    if key in student.measurements:
        return student.measurements[key]
    ratios = []
    for attempt in range(ATTEMPTS):
        base = baseline(student, key, yardstick, name, arguments, again=attempt > 0)
        called, used = student.measured(name, arguments)
        if called.failed is not None or used is None:
            assert called.failed is not None
            raise CallFailed(called.failed, name)
        ratios.append(used.cpu_seconds / max(base.cpu_seconds, 1e-6))
        if cpu_ratio is None or not cpu_ratio < ratios[-1] <= FAR_ABOVE * cpu_ratio:
            break
    extra = used.resident_bytes - base.resident_bytes
    if not memory_is_accounted_for(student):
        again = student.call(name, request_for(name, counted=True), list(arguments), {})
        extra = again.counts.peak_bytes
    student.measurements[key] = Measurement(called.value, extra, min(ratios))
    return student.measurements[key]


def request_for(name: str, counted: bool = False) -> dict[str, Any]:
    """The request for a plain call of the function `name`."""
    return {"name": name, "of": None, "read": False, "keep": None, "after": False, "counted": counted}


def baseline(
    student: Student, key: object, yardstick: str, name: str, arguments: Sequence[Any], again: bool = False
) -> Usage:
    """What the yardstick uses in a worker of the same zygote: known from its first call, or measured `again`."""
    if again:
        return of_yardstick(student, yardstick, name, arguments)
    found: Usage = once(student, ("yardstick", key), lambda: of_yardstick(student, yardstick, name, arguments))
    return found


def of_yardstick(student: Student, yardstick: str, name: str, arguments: Sequence[Any]) -> Usage:
    """Raises ValueError for a yardstick that raises: a slip of its author's."""
    course = student.like_this({"yardstick.py": yardstick.encode()}, "yardstick.py")
    try:
        called, used = course.measured(name, arguments)
    finally:
        course.close()
    if used is None:
        raise ValueError(f"the yardstick's `{name}` gave nothing: {called.failed and called.failed.message}")
    return used


def memory_is_accounted_for(student: Student) -> bool:
    """Whether the kernel's account shows 32 MiB more where a call holds 32 MiB more. Made once per zygote."""

    def make() -> bool:
        large, small = (of_yardstick(student, CONTROL, "hold", [size]) for size in (CONTROL_BYTES // 8, 1))
        return 0.8 <= (large.resident_bytes - small.resident_bytes) / CONTROL_BYTES <= 1.25

    return bool(once(student, "memory is accounted for", make))


def once(student: Student, key: object, make: Callable[[], Any]) -> Any:
    """Made once per zygote: every zygote may lock its workers in differently."""
    if key not in student.baselines:
        student.baselines[key] = make()
    return student.baselines[key]
