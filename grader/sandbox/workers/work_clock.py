"""Deadlines of student code: a limit of `s` seconds is `s` of processor time, or WALL_FACTOR times `s` of wall time.

So a deadline is fair however busy the machine is, and code that sleeps is stopped, too. Where the processor time of
another process cannot be read, a limit of `s` seconds is `s` of wall time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WALL_FACTOR = 6.0
LOOKS = 20
"""How often the processor time is read within a limit. The first and the last of these parts count as used."""


class WorkClock:
    """Seconds as `time.monotonic()` counts them, less those in which workers that are waited for used no processor."""

    def __init__(
        self, processor_seconds: Callable[[], float | None], wall: Callable[[], float] = time.monotonic
    ) -> None:
        """`processor_seconds` returns what all workers have used so far, or None where that is not known."""
        self.processor_seconds, self.wall = processor_seconds, wall
        self.wall_end = math.inf  # when every wait ends, in wall time: a submission may not sleep for ever
        self._idle = 0.0

    def now(self) -> float:
        return self.wall() - self._idle

    def set_back(self, seconds: float) -> None:
        self._idle += max(0.0, seconds)


class Wait:
    """A wait for a worker, from now until `deadline` of the clock."""

    def __init__(self, clock: WorkClock, deadline: float) -> None:
        self._clock, self._deadline = clock, deadline
        limit, wall = max(0.0, deadline - clock.now()), clock.wall()
        self._part, self._end = limit / LOOKS, min(wall + WALL_FACTOR * limit, clock.wall_end)
        self._next_look = wall + self._part
        self._seen: tuple[float, float] | None = None  # wall time and processor time at the last look

    def seconds_left(self) -> float:
        """How long to wait before this is called again; 0 when the deadline is missed."""
        wall = self._clock.wall()
        if self._next_look <= wall < self._end:
            self._look(wall)
        left = min(self._deadline - self._clock.now(), self._end - wall)
        return max(0.0, min(left, self._next_look - wall))

    def _look(self, wall: float) -> None:
        self._next_look = wall + self._part
        used = self._clock.processor_seconds()
        if used is None:
            return
        if self._seen is not None:
            self._clock.set_back(wall - self._seen[0] - (used - self._seen[1]))
        self._seen = wall, used


class TimeAccount:
    """Seconds used by a submission's workers, of the `total_seconds` that it may use."""

    def __init__(self, total_seconds: float, clock: WorkClock) -> None:
        self.total_seconds, self._clock = total_seconds, clock
        self._wall = self._used = self._unchecked = 0.0
        self._seen: float | None = None  # processor time at the last look

    @property
    def used(self) -> float:
        """Seconds so far: processor time, and the clock's time since the last look."""
        return self._used + self._unchecked

    @property
    def is_used_up(self) -> bool:
        return self.used >= self.total_seconds or self._wall >= WALL_FACTOR * self.total_seconds

    @property
    def end(self) -> float:
        """When the seconds are used up if all of them run from now on, by the clock."""
        return self._clock.now() + max(0.0, self.total_seconds - self.used)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time inside as waiting."""
        started, wall, outer_end = self._clock.now(), self._clock.wall(), self._clock.wall_end
        self._clock.wall_end = wall + WALL_FACTOR * self.total_seconds - self._wall
        try:
            yield
        finally:
            self._clock.wall_end = outer_end
            self._wall += self._clock.wall() - wall
            self._unchecked += max(0.0, self._clock.now() - started)
            if self._unchecked > self.total_seconds / LOOKS:
                self._look()

    def _look(self) -> None:
        seen = self._clock.processor_seconds()
        known = self._unchecked if seen is None or self._seen is None else seen - self._seen
        self._used += min(self._unchecked, known)
        self._unchecked, self._seen = 0.0, seen
