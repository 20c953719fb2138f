"""How long a submission's workers have taken, of the seconds that they may take in all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from grader.sandbox.workers.waiting_clock import WaitingClock

UNCHECKED_SECONDS = 1.0
"""How long workers may be waited for until the delays of a busy machine are subtracted."""


class TimeAccount:
    """Seconds waited for a submission's workers, of those that it may take.

    Attributes:
        waited: seconds waited for workers so far, on a clock that stops while they wait for a processor.
    """

    def __init__(self, total_seconds: float, clock: WaitingClock) -> None:
        self._total, self._clock = total_seconds, clock
        self.waited = self._unchecked = 0.0
        self._set_aside = clock.set_aside  # by the clock, when the waits that are not checked began

    @property
    def _used(self) -> float:
        """Seconds. Where the limit may be near, nothing of it is a delay of the machine."""
        if self._unchecked and self.waited > self._total / 2:
            self._check()
        return self.waited

    @property
    def is_used_up(self) -> bool:
        return self._used >= self._total

    @property
    def end(self) -> float:
        """When the seconds are used up if all of them run from now on, by the clock."""
        return self._clock.now() + self._total - self._used

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time inside as waiting."""
        started = self._clock.now()
        try:
            yield
        finally:
            seconds = max(0.0, self._clock.now() - started)
            self.waited += seconds
            self._unchecked += seconds
            if self._unchecked > UNCHECKED_SECONDS:
                self._check()

    def _check(self) -> None:
        """Take the delays of the machine off the seconds that are not checked yet."""
        delays = self._clock.catch_up(self._clock.now() - self._unchecked) + self._clock.set_aside - self._set_aside
        self.waited -= min(self._unchecked, delays)
        self._unchecked, self._set_aside = 0.0, self._clock.set_aside
