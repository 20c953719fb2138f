"""Free late days that the assignments of a term share: spent in the order of their due dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.gradebook.assignment.attempts import in_utc
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import DecisionsInForce
from grader.gradebook.assignment.points import best_standing
from grader.gradebook.records import Attempt, Decision


@dataclass(frozen=True)
class TermWork:
    """One student's attempts at one assignment of the term, and the decisions about them."""

    assignment: Assignment
    attempts: Sequence[Attempt]
    decisions: Sequence[Decision] = ()


def days_left(student: str, assignment: Assignment, others: Iterable[TermWork]) -> int:
    """The free late days that are left for an assignment when the `others` that are due before it have used theirs.

    Each assignment uses the fewest of the days left that give it the most points.
    """
    days = assignment.late.free_days
    for work in sorted(others, key=lambda each: order_in_term(each.assignment)):
        if order_in_term(work.assignment) < order_in_term(assignment):
            decisions = DecisionsInForce(work.decisions)
            days -= best_standing(student, work.assignment, work.attempts, decisions, days).free_days
    return days


def share_free_days(name: str, assignment: Assignment, other_name: str, other: Assignment) -> bool:
    """Whether the assignments of two gradebooks name the same term, and give the same number of days."""
    terms = [{own, *each.late.term} for own, each in ((name, assignment), (other_name, other))]
    return terms[0] == terms[1] and assignment.late.free_days == other.late.free_days


def order_in_term(assignment: Assignment) -> tuple[float, str, str]:
    """Sorts assignments by due date; those without one come last."""
    due = assignment.due
    return (float("inf") if due is None else in_utc(due).timestamp(), assignment.title, assignment.text)
