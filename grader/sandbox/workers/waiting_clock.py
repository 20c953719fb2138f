"""A clock that stops while processes wait for a processor: deadlines on it are fair however busy the machine is.

A function that computes or sleeps uses up its time; one that is ready to run and gets no processor does not. The kernel
counts that wait for each thread. Where it does not, this process is the reference: how much slower than its processor
time does a short computation of its own take?
"""

from __future__ import annotations

import time
from collections.abc import Callable

from grader.sandbox.isolation.usage import Scheduled, own_wait

MIN_DELAY_SECONDS = 0.01
"""A shorter delay moves no deadline."""
REFERENCE_SECONDS = 0.03
"""Processor time of the reference computation: several of the scheduler's time slices."""
MIN_SLOWDOWN = 1.2
"""The reference computation is this much slower on a machine that does nothing else."""


def slowdown() -> float:
    """Elapsed time divided by processor time, of a short computation."""
    started, began = time.monotonic(), time.thread_time()
    while (used := time.thread_time() - began) < REFERENCE_SECONDS:
        sum(range(1000))
    return (time.monotonic() - started) / used


class WaitingClock:
    """Seconds as `time.monotonic()` counts them, less the time for which processes waited for a processor.

    `catch_up` subtracts that time. Call it before you treat a deadline as missed.

    Attributes:
        set_aside: seconds of delays that `catch_up` did not subtract, because they are from before its wait began. They
            belong to earlier waits; a TimeAccount of these takes them off.
    """

    def __init__(
        self,
        scheduled: Callable[[], Scheduled | None] = lambda: None,
        real: Callable[[], float] = time.monotonic,
        own: Callable[[], float] = own_wait,
        reference: Callable[[], float] = slowdown,
    ) -> None:
        """`scheduled` returns what the processes that are waited for have run and waited since it was last called.

        It returns None where that is not known; then `reference` returns how much slower than alone a process runs.
        """
        self._scheduled, self._real, self._own, self._reference = scheduled, real, own, reference
        self._late, self._own_wait, self._caught_up = 0.0, own(), real()
        self.set_aside = 0.0
        self.on_delay: Callable[[float], None] = lambda seconds: None

    def now(self) -> float:
        return self._real() - self._late

    def catch_up(self, since: float) -> float:
        """Set the clock back by the delays of the last while, at most those since `now()` was `since`.

        Returns by how many seconds; 0 for a delay that does not matter.
        """
        scheduled, own, real = self._scheduled(), self._own(), self._real()
        elapsed, window = self.now() - since, real - self._caught_up
        waited_here = own - self._own_wait
        self._own_wait, self._caught_up = own, real
        if scheduled is None:
            factor = self._reference() if elapsed >= MIN_DELAY_SECONDS else 1.0
            delay = min(window, elapsed) * (1 - 1 / factor) if factor > MIN_SLOWDOWN else 0.0
        else:  # many threads of one worker wait for each other: what they ran counts all the same
            delays = max(0.0, min(scheduled.waited + waited_here, window - scheduled.ran))
            delay = min(delays, elapsed)
            self.set_aside += delays - delay
        if delay < MIN_DELAY_SECONDS:
            return 0.0
        self._late += delay
        self.on_delay(delay)
        return delay
