"""How a wait for a worker can end without an answer. Nothing here needs torch."""

from __future__ import annotations

KILL = b"k"
"""What a nursery is sent on a program's life line, to kill the program."""
START_SECONDS = 120.0


class WorkerLost(Exception):
    """The worker ended, or said something that cannot be read. The text is a sentence for the student."""


class DeadlineMissed(Exception):
    """The worker did not answer in time."""


class RecallDoubtful(Exception):
    """Verdicts that were taken from a cache may not be those of this file: it has to be judged without them."""


class WireError(Exception):
    """A frame that is torn, oversized, or not an answer to the request."""
