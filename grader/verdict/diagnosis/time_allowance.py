"""How much processor time the explanations of one submission may take.

An explanation is optional: without it a row has its plain verdict. A student chooses what is explained, so the time is
limited per submission, and an error in an explanation never changes a verdict.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from grader.errors import Interrupted

AttemptResult = TypeVar("AttemptResult")

DIAGNOSIS_SECONDS = 2.0
"""Processor time per submission and lesson."""


class OutOfTime(Exception):
    """The time for explanations is used up."""


class Allowance:
    """Processor time that may be used for explanations by code that runs inside `using`."""

    def __init__(self, seconds: float = DIAGNOSIS_SECONDS, interrupt: int | None = None) -> None:
        """Once the descriptor `interrupt` is readable, `check` raises Interrupted."""
        self._left, self._until = seconds, 0.0
        self._poll = select.poll() if interrupt is not None else None
        if self._poll is not None and interrupt is not None:
            self._poll.register(interrupt, select.POLLIN)

    @contextmanager
    def using(self) -> Iterator[None]:
        """Explanations inside are limited by this allowance. Comparisons count as well."""
        global _current
        before, _current = _current, self
        started = time.process_time()
        self._until = started + self._left
        try:
            yield
        finally:
            _current = before
            self._left -= time.process_time() - started

    @property
    def is_spent(self) -> bool:
        return self._left <= 0

    def extend(self, seconds: float) -> None:
        """Allow so many more seconds of processor time."""
        self._left += seconds
        self._until += seconds

    def check(self) -> None:
        """Raises OutOfTime when the processor time is spent, Interrupted when the caller's descriptor is readable."""
        if time.process_time() > self._until:
            raise OutOfTime
        if self._poll is not None and self._poll.poll(0):
            raise Interrupted


_for_all = 0.0
_current: Allowance | None = None
"""Of the submission that this process judges. A grader judges one after another."""


@contextmanager
def uncounted() -> Iterator[None]:
    """What is done inside serves every student, so it is not this one's time."""
    global _for_all
    current, started, inside = _current, time.process_time(), _for_all
    try:
        yield
    finally:
        seconds = time.process_time() - started
        before, _for_all = _for_all, inside + seconds  # what was uncounted inside is part of it
        if current is not None:
            current.extend(seconds - (before - inside))


def own_seconds() -> float:
    """Processor time of this process, less what was spent on work that serves every student."""
    return time.process_time() - _for_all


def check_time() -> None:
    """Raises OutOfTime when the allowance that is in use is spent. Called before each step of a search."""
    if _current is not None:
        _current.check()


def attempt(explain: Callable[[], AttemptResult]) -> AttemptResult | None:
    """What `explain` gives; None when the allowance is spent, or when it fails on what a student returned.

    Without an allowance in use there is no limit, and an error is raised.
    """
    if _current is None:
        return explain()
    try:
        check_time()
        return explain()
    except Interrupted:
        raise
    except Exception:
        return None
