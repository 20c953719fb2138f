"""How long student code may run: `s` seconds of processor time, or WALL_FACTOR times `s` of wall time.

So a limit is fair however busy the machine is, and code that sleeps is stopped, too. Where the processor time of
another process cannot be read, a limit of `s` seconds is `s` of wall time.
"""

from __future__ import annotations

from collections.abc import Callable

WALL_FACTOR = 6.0
LOOKS = 20
"""How often the processor time is read within a limit. The first and the last of these parts count as used."""


class TimeAccount:
    """Seconds that may be used by what is waited for: one answer, or all workers of a submission.

    Attributes:
        used: seconds so far; time of which the processor's part is not known yet counts in full.
    """

    def __init__(self, seconds: float, processor_seconds: Callable[[], float | None]) -> None:
        """`processor_seconds` returns what all workers have used so far, or None where that is not known."""
        self.seconds, self._processor_seconds = seconds, processor_seconds
        self._wall = self._checked = self._unchecked = 0.0
        self._seen: float | None = None  # processor time at the last look

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
            known = self._unchecked if seen is None or self._seen is None else seen - self._seen
            self._checked += min(self._unchecked, known)
            self._unchecked, self._seen = 0.0, seen
