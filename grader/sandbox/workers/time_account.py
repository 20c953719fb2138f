"""How long one submission has taken, of the seconds that it may take in all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from grader.verdict.diagnosis.time_allowance import own_seconds

FREE_SECONDS = 5.0
"""Processor time for judging a submission that does not count. A right one takes a hundredth of it."""


class TimeAccount:
    """Seconds waited for a submission's workers, and processor time for judging it above FREE_SECONDS.

    Attributes:
        waited: seconds waited for workers so far.
    """

    def __init__(self, total_seconds: float) -> None:
        self._total = total_seconds
        self._started = own_seconds()
        self.waited = 0.0

    @property
    def _used(self) -> float:
        return self.waited + max(0.0, own_seconds() - self._started - FREE_SECONDS)

    @property
    def is_used_up(self) -> bool:
        return self._used >= self._total

    @property
    def end(self) -> float:
        """When the seconds are used up if all of them run from now on, as `time.monotonic()` tells the time."""
        return time.monotonic() + self._total - self._used

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time inside as waiting."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.waited += time.monotonic() - started
