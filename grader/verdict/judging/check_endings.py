"""How the test of a check can end before its last line."""

from __future__ import annotations

from grader.errors import GraderFault, Interrupted, LessonError
from grader.results import Status


class CheckFailed(Exception):
    """Ends a check's test; its text is the sentence of the row, `status` the row's."""

    def __init__(
        self, message: str, status: Status = "failed", mistake: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(message)
        self.status: Status = status
        self.mistake, self.line = mistake, line


class ReferenceFailed(LessonError):
    """A scenario does not run on the course's own functions: a fault of the course, never the student's."""


OURS = (LessonError, GraderFault, Interrupted)
"""Errors in a test that the student's code has not caused."""
