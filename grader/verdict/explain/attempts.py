"""Explanations are optional: an error in one changes no verdict, and a student's key ends the search for one.

No clock decides how much is tried, so a message is the same on every machine: each search has a limit of its own
(changed_functions.MAX_EDITS, search.MAX_OPERATORS).
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from grader.errors import Interrupted
from grader.reference.runner import StepRunner

AttemptResult = TypeVar("AttemptResult")

RAISED: tuple[type[Exception], ...] = (Interrupted,)
"""Errors that `attempt` raises all the same. Tests add those that are our own, whatever a student returned."""

_interrupts: select.poll | None = None
"""With the descriptor of the file that this process explains, if it has one; None outside of `explaining`."""


@contextmanager
def explaining(runner: StepRunner) -> Iterator[None]:
    """Inside, explanations of a file are optional, and raise Interrupted once its descriptor is readable."""
    global _interrupts
    before, _interrupts = _interrupts, select.poll()
    if runner.interrupt is not None:
        _interrupts.register(runner.interrupt, select.POLLIN)
    try:
        yield
    finally:
        _interrupts = before


def check_interrupt() -> None:
    """Raises Interrupted when the submission's descriptor is readable. Called before each step of a search."""
    if _interrupts is not None and _interrupts.poll(0):
        raise Interrupted


def attempt(explain: Callable[[], AttemptResult]) -> AttemptResult | None:
    """What `explain` gives; None when it fails on what a student returned. Outside `explaining`, errors are raised."""
    if _interrupts is None:
        return explain()
    try:
        check_interrupt()
        return explain()
    except RAISED:
        raise
    except Exception:
        return None
