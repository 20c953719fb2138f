"""What a lesson whose required defence is missing is worth."""

from __future__ import annotations

from dataclasses import replace

from grader.gradebook.assignment.defence_policy import FULL_SHEET, DefencePolicy
from grader.gradebook.assignment.in_force import DecisionsInForce
from grader.gradebook.assignment.weighted import is_final
from grader.questions.question import DEFENCE_ROW
from grader.results import LessonResult
from grader.results.annotations import DemandedDefence


def with_demanded_defence(
    lesson: LessonResult, demanded: DefencePolicy | None, decisions: DecisionsInForce
) -> LessonResult:
    """Return the lesson with what its missing defence means: a remark, and with "cap" fewer points.

    The defence's own row, and points that a person has set, are final: nothing is taken from them.
    """
    if demanded is None or lesson.status != "graded" or decisions.excuse(f"{lesson.name}.{DEFENCE_ROW}") is not None:
        return lesson
    reached = reached_share(lesson, decisions)
    if reached is not None and reached >= demanded.right / FULL_SHEET - 1e-9:
        return lesson
    cost = 0.0
    if demanded.policy == "cap":
        rows = [row for row in lesson.rows if not is_final(row)]
        lost = lesson.late.cost if lesson.late is not None else 0
        earned = sum(row.points for row in rows) - lost
        cost = max(0.0, earned - sum(row.max_points for row in rows) * demanded.keep_at_most / 100)
    held = decisions.defence(f"{lesson.name}.{DEFENCE_ROW}")
    found = DemandedDefence(demanded.right, demanded.policy, reached, None if held is None else held.text, cost)
    return replace(lesson, score=lesson.score - cost, demanded_defence=found)


def reached_share(lesson: LessonResult, decisions: DecisionsInForce) -> float | None:
    """The share of right answers: of the points that a person gave the defence, else of the latest one."""
    for row in lesson.rows:
        if row.name == DEFENCE_ROW and row.adjustment is not None and row.max_points:
            return row.points / row.max_points
    held = decisions.defence(f"{lesson.name}.{DEFENCE_ROW}")
    return None if held is None else held.points
