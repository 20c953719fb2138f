"""How a wait for a worker can end without an answer. Nothing here needs torch."""

from __future__ import annotations

import signal

WORKER_START_SECONDS = 600.0
"""A guard: how long the zygote is waited for."""


class WorkerLost(Exception):
    """The worker ended, or said something that cannot be read. The text is a sentence for the student."""


class DeadlineMissed(Exception):
    """The worker did not answer in time."""


class WireError(WorkerLost):
    """A frame that is torn, oversized, or not an answer to the request: nothing more is read from its worker."""

    def __init__(self, what: str) -> None:
        super().__init__(f"Its answer could not be read ({what}).")


WORKER_FAILURES = (DeadlineMissed, WorkerLost)
"""How a request to a worker can end without an answer because of the student's code."""


def how_it_ended(status: int | None) -> str:
    """A sentence about a worker that has closed a pipe, for the student. `status` is None if it has not ended."""
    if status is None:
        return "It closed the pipe on which its answers are awaited."
    if status < 0:
        name = signal.Signals(-status).name if -status in signal.Signals._value2member_map_ else f"signal {-status}"
        cause = {
            "SIGSEGV": " (a crash in compiled code)",
            "SIGXCPU": " (processor time used up)",
            "SIGKILL": " (killed: memory or time used up)",
        }
        return f"Its process was ended by {name}{cause.get(name, '')}."
    return f"Its process ended by itself (exit status {status}) before it had answered."
