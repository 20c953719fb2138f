"""How the test of a check can end before its last line."""

from __future__ import annotations

from collections.abc import Sequence

from grader.errors import GraderFault, Interrupted, LessonError
from grader.results import Status


class CheckFailed(Exception):
    """Ends a check's test; its text is the sentence of the row, `status` the row's.

    `wrong` are the names of the parts of the result that are wrong, where it is compared part by part.
    """

    def __init__(
        self,
        message: str,
        status: Status = "failed",
        mistake: str | None = None,
        line: int | None = None,
        wrong: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.status: Status = status
        self.mistake, self.line, self.wrong = mistake, line, wrong


class ReferenceFailed(LessonError):
    """A scenario does not run on the course's own functions: a fault of the course, never the student's."""


OURS = (LessonError, GraderFault, Interrupted)
"""Errors in a test that the student's code has not caused."""
