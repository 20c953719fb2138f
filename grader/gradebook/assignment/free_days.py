"""Free late days of a term: spent over all its assignments so that they help the student most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.gradebook.assignment.attempts import DIGITS, in_utc
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import DecisionsInForce
from grader.gradebook.assignment.points import standings_by_days
from grader.gradebook.records import Attempt, Decision


@dataclass(frozen=True)
class TermWork:
    """One student's attempts at one assignment of the term, and the decisions about them."""

    assignment: Assignment
    attempts: Sequence[Attempt]
    decisions: Sequence[Decision] = ()


def spend_free_days(student: str, term: Sequence[TermWork], days: int) -> tuple[int, ...]:
    """Return how many of `days` each assignment of the term may use, in the order of `term`.

    The sum of the assignments' shares of their maxima is the largest possible. Of equally good ways, the result is the
    one with the fewest days, and then the one with days on the earlier due dates. The order of `term` does not matter.
    """
    by_date = sorted(range(len(term)), key=lambda place: order_in_term(term[place]))
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}  # {days spent: (sum of shares, days of each)}
    for place in by_date:
        work = term[place]
        decisions = DecisionsInForce(work.decisions)
        standings = standings_by_days(student, work.assignment, work.attempts, decisions, days)
        found: dict[int, tuple[float, tuple[int, ...]]] = {}
        for spent, (total, ways) in best.items():
            for each in standings:
                new, after = (round(total + each.share, DIGITS), (*ways, each.free_days)), spent + each.free_days
                if after <= days and new > found.get(after, (-1.0, ())):
                    found[after] = new
        best = found
    _, _, ways = max((total, -spent, ways) for spent, (total, ways) in best.items())
    allowed = dict(zip(by_date, ways, strict=True))
    return tuple(allowed[place] for place in range(len(term)))


def share_free_days(name: str, assignment: Assignment, other_name: str, other: Assignment) -> bool:
    """Whether the assignments of two gradebooks name the same term, and give the same number of days."""
    terms = [{own, *each.late.term} for own, each in ((name, assignment), (other_name, other))]
    return terms[0] == terms[1] and assignment.late.free_days == other.late.free_days


def order_in_term(work: TermWork) -> tuple[float, str, str]:
    """Sorts assignments by due date; those without one come last."""
    due = work.assignment.due
    return (float("inf") if due is None else in_utc(due).timestamp(), work.assignment.title, work.assignment.text)
