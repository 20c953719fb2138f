"""How long a worker is waited for, and how a wait can end without an answer. Nothing here needs torch.

A limit of `s` seconds is `s` of processor time, or WALL_FACTOR times `s` of wall time: so it is fair however busy the
machine is, and code that sleeps is stopped, too. Where the processor time of another process cannot be read, it is `s`
of wall time.
"""

from __future__ import annotations

import math
from collections.abc import Callable

WORKER_START_SECONDS = 600.0
"""A guard: how long the zygote is waited for."""
ENDING_SECONDS = 5.0
"""A guard: how long a process whose work is done is given to end by itself."""
WALL_FACTOR = 6.0
LOOKS = 20
"""How often the processor time is read within a limit. The first and the last of these parts count as used."""


class WorkerLost(Exception):
    """The worker ended, or said something that cannot be read. The text is a sentence for the student."""


class DeadlineMissed(Exception):
    """The worker did not answer in time."""


class WireError(WorkerLost):
    """A frame that is torn, oversized, or not an answer to the request: nothing more is read from its worker."""

    def __init__(self, what: str) -> None:
        super().__init__(f"Its answer could not be read ({what}).")


class TimeAccount:
    """Seconds that may be used by what is waited for: one answer, or all workers of a submission.

    Attributes:
        used: seconds so far; time of which the processor's part is not known yet counts in full.
    """

    def __init__(self, seconds: float, processor_seconds: Callable[[], float]) -> None:
        """`processor_seconds` returns what all workers have used so far, or nan where that is not known."""
        self.seconds, self._processor_seconds = seconds, processor_seconds
        self._wall = self._checked = self._unchecked = 0.0
        self._seen = math.nan  # processor time at the last look

    @property
    def used(self) -> float:
        return self._checked + self._unchecked

    @property
    def is_used_up(self) -> bool:
        return self.used >= self.seconds or self._wall >= WALL_FACTOR * self.seconds

    @property
    def seconds_to_wait(self) -> float:
        """How long to wait before `passes` is called again; 0 when it is used up."""
        left = min(self.seconds - self.used, WALL_FACTOR * self.seconds - self._wall)
        return max(0.0, min(left, self.seconds / LOOKS - self._unchecked))

    def passes(self, wall: float) -> None:
        """So many seconds of wall time have passed in a wait."""
        self._wall += wall
        self._unchecked += wall
        if self._unchecked >= self.seconds / LOOKS:
            seen = self._processor_seconds()
            self._checked += min(self._unchecked, seen - self._seen)  # all of it, where one of the two is nan
            self._unchecked, self._seen = 0.0, seen
