"""A lesson in the points of an assignment, with what people decided about its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from grader.gradebook.assignment.config import NotebookRows
from grader.gradebook.assignment.in_force import DecisionsInForce
from grader.questions.question import DEFENCE_ROW, is_question
from grader.results import Answered, LessonResult, Row, number

NO_ANSWER_SUBMITTED = "No answer was submitted."
NOT_ANSWERED = {DEFENCE_ROW: "No defence was held."}


def with_weights(lesson: LessonResult, rows: Mapping[str, float], notebook: NotebookRows = "all rows") -> LessonResult:
    """Return the lesson with the rows of the assignment, each with the assignment's points.

    No submission chooses its maximum: only where the assignment says "its rows", a row that a notebook cannot contain
    has 0 of 0 points. A question has points here only; without an answers.toml every question is missing.
    """
    found = []
    for row in lesson.rows:
        if row.name in rows and row.outside_notebook and notebook == "its rows":
            found.append(replace(row, points=0, max_points=0, counted=False))
        elif row.name in rows:
            share = row.points / row.max_points if row.max_points else 0.0
            if is_question(row.name):
                share = row.answer.share if row.answer else 0.0
            found.append(replace(row, points=share * rows[row.name], max_points=rows[row.name], counted=True))
    known = {row.name for row in found}
    for name in rows:
        if is_question(name) and name not in known:
            found.append(Row(name, "missing", 0, rows[name], message=NOT_ANSWERED.get(name, NO_ANSWER_SUBMITTED)))
    return with_sums(replace(lesson, rows=found))


def decided_lesson(lesson: LessonResult, decisions: DecisionsInForce, rows: Mapping[str, float]) -> LessonResult:
    """Return the lesson with adjusted, excused and commented rows, and with comments of its own.

    A row with adjusted points counts, even if a notebook cannot contain it: `rows` are the points of such rows.
    """
    if not decisions:
        return lesson
    lesson = with_defence_row(lesson, decisions, rows.get(DEFENCE_ROW, 0))
    found = [decided_row(row, f"{lesson.name}.{row.name}", decisions, rows.get(row.name, 0)) for row in lesson.rows]
    return with_sums(replace(lesson, rows=found, comments=decisions.comments(lesson.name)))


def with_defence_row(lesson: LessonResult, decisions: DecisionsInForce, worth: float) -> LessonResult:
    """Return the lesson with the row of its latest defence, which has points only where an assignment gives it some."""
    held = decisions.defence(f"{lesson.name}.{DEFENCE_ROW}")
    if held is None or held.points is None:
        return lesson
    answered = Answered("The defence of your own code", held.text, held.points)
    status: Literal["passed", "failed"] = "passed" if held.points >= 1 else "failed"
    row = Row(DEFENCE_ROW, status, held.points * worth, worth, answer=answered)
    return replace(lesson, rows=[*(each for each in lesson.rows if each.name != DEFENCE_ROW), row])


def is_final(row: Row) -> bool:
    """Whether lateness takes nothing from a row: a person has set its points, or asked the questions of a defence."""
    return row.adjustment is not None or row.name == DEFENCE_ROW


def decided_row(row: Row, name: str, decisions: DecisionsInForce, worth: float) -> Row:
    if not decisions.concern(name):
        return row
    row = replace(row, comments=decisions.comments(name))
    excused = decisions.excuse(name)
    if excused is not None:
        return replace(row, points=0, max_points=0, excused=excused)
    most = row.max_points or worth
    adjustment = decisions.points(name, row.points, most)
    if adjustment is None:
        return row
    return replace(row, points=adjustment.points, max_points=most, adjustment=adjustment, counted=True)


def with_sums(lesson: LessonResult) -> LessonResult:
    """Return the lesson with the sums of its rows' points."""
    return replace(
        lesson,
        score=sum(row.points for row in lesson.rows),
        max_score=sum(row.max_points for row in lesson.rows),
    )


def missing_lesson(name: str, rows: Mapping[str, float]) -> LessonResult:
    """The result of a lesson that the student has not submitted."""
    missing = LessonResult(name, 0, 0, "missing", rows=[Row(row, "missing", 0, worth) for row, worth in rows.items()])
    return with_sums(missing)


def rounded(lesson: LessonResult, decimals: int | None = None) -> LessonResult:
    """Return the lesson with points as people write them; sums are made before, so that 26 parts of 100 are 100."""

    def short(value: float) -> float:
        return number(value, decimals)

    rows = [replace(row, points=short(row.points), max_points=short(row.max_points)) for row in lesson.rows]
    late = None if lesson.late is None else lesson.late._replace(cost=short(lesson.late.cost))
    return replace(lesson, rows=rows, score=short(lesson.score), max_score=short(lesson.max_score), late=late)
