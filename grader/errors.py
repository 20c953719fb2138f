"""The errors that are raised from one package to another. Nothing here imports anything."""

from __future__ import annotations


class GraderFault(Exception):
    """A fault of the grader's, never the student's. The text says what happened."""


class ZygoteDied(GraderFault):
    """The zygote is gone, or cannot lock workers in."""


class Interrupted(Exception):
    """Somebody made the interrupt descriptor readable, so a wait for a worker ended early. Nothing is wrong."""


class Unusable(Exception):
    """What was asked for cannot be done, or makes no sense here; the text says why, and what to do."""


class WentAway(Unusable):
    """What was used is gone in the middle; the text says what is kept, and how to go on."""


class LessonError(Exception):
    """A course or a lesson folder that cannot be used; the text says what to do."""
