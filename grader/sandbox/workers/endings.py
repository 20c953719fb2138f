"""How waiting for a worker can end otherwise than with an answer. Nothing here needs torch."""

from __future__ import annotations

START_SECONDS = 120.0


class ZygoteDied(Exception):
    """The zygote is gone, or cannot lock workers in: a reason of ours, never the student's."""


class WorkerLost(Exception):
    """The worker ended, or said something that cannot be read. The text is a sentence for the student."""


class DeadlineMissed(Exception):
    """The worker did not answer in time."""


class Interrupted(Exception):
    """Whoever waits for the worker has something else to do now; see WorkerProcess.heed."""
