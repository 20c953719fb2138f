"""Free late days of a term: spent over all its assignments so that they help the student most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.records import Attempt, Decision


@dataclass(frozen=True)
class Work:
    """One student's attempts at one assignment of the term, and the decisions about them."""

    assignment: Assignment
    attempts: Sequence[Attempt]
    decisions: Sequence[Decision] = ()


def spend_free_days(student: str, term: Sequence[Work], days: int) -> tuple[int, ...]:
    """Return how many of `days` each assignment of the term may use, in the order of `term`.

    The sum over the term of each assignment's share of its maximum is the largest possible; of equally good ways, the
    one with the fewest days, and then with days on the earlier due dates. The order of `term` does not matter.
    """
    raise NotImplementedError
