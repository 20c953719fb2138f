"""The errors that may pass from one package to another: the user can fix one, only we can fix the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class UserError(Exception):
    """An error that the user can fix. The text is one sentence: what is wrong, and what to do.

    Every command prints the text on standard error and ends with `exit_status`.
    """

    exit_status = 2


class LessonError(UserError):
    """A course or a lesson folder that cannot be used."""


@contextmanager
def write_errors(place: object) -> Iterator[None]:
    """Turn the operating system's refusal to write `place` into a UserError."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{place} cannot be written: {error.strerror}.") from error


class GraderFault(Exception):
    """A fault of the grader, of the course or of the machine, and never of a student: nothing is graded because of it.

    A class gets no score for it, and `grade run` ends with `exit_status`.
    """

    exit_status = 3


class ZygoteDied(GraderFault):
    """The zygote is gone, or cannot lock workers in."""


class Interrupted(Exception):
    """Somebody made the interrupt descriptor readable, so a wait for a worker ended early. Nothing is wrong."""
