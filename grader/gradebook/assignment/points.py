"""A student's points: attempts, an assignment and decisions in; the result that every view reads out.

Everything here is a pure function: it reads no clock and no disk, and the same arguments give the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.records import Attempt, Decision
from grader.results import SubmissionResult


@dataclass(frozen=True)
class Standing:
    """Where a student stands in an assignment.

    Attributes:
        score: the points, after lateness and decisions.
        max_score: the most that these attempts can earn: without excused rows, and without rows that a notebook cannot
            contain.
        free_days: free late days that were used.
        results: the results behind the points.
    """

    score: float
    max_score: float
    free_days: int
    results: SubmissionResult


def standing(
    student: str,
    assignment: Assignment | None,
    attempts: Sequence[Attempt],
    decisions: Sequence[Decision] = (),
    free_days: int | None = None,
) -> Standing:
    """Return a student's standing, from all attempts and decisions of this student, in any order.

    Args:
        assignment: None for a gradebook without an assignment file: every lesson counts as graded, the last attempt
            lesson by lesson.
        free_days: the free late days that this assignment may use. None: all that the assignment gives.
    """
    raise NotImplementedError


def assigned(
    student: str,
    assignment: Assignment | None,
    attempts: Sequence[Attempt],
    decisions: Sequence[Decision] = (),
    free_days: int | None = None,
) -> SubmissionResult:
    """Return the current results of a student with assignment and decisions applied; see `standing`.

    With no attempt the status is "nothing". Without an assignment and decisions, the results are
    `current_results(...)`, unchanged.
    """
    return standing(student, assignment, attempts, decisions, free_days).results
