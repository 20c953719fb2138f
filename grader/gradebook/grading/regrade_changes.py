"""What new verdicts change: whose score, by how much, and in which rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import Gradebook
from grader.results import Row, SubmissionResult


@dataclass(frozen=True)
class RowChange:
    """A row whose verdict or points change; None for a row that is new, or that is gone."""

    name: str
    before: tuple[str, float] | None
    after: tuple[str, float] | None
    message: str | None
    decided: bool


@dataclass(frozen=True)
class StudentChange:
    """What a regrade changes for a student."""

    student: str
    before: SubmissionResult
    after: SubmissionResult
    rows: tuple[RowChange, ...]

    @property
    def gain(self) -> float:
        return self.after.score - self.before.score


def changes_by(
    new: Mapping[int, SubmissionResult],
    old: Mapping[int, SubmissionResult],
    gradebook: Gradebook,
    assignment: Assignment | None = None,
) -> list[StudentChange]:
    """Every student for whom `new` results change a score or a row's verdict, in order of name.

    `new` and `old` are {attempt's id: results}; `old` are those of every attempt in the gradebook. With `new` comes
    `assignment`, as it is with the changed lessons.
    """
    before = {each.student: each for each in gradebook.current(old)}
    after = gradebook.current({**old, **new}, assignment)
    changes = []
    for results in after:
        earlier = before[results.student]
        rows = tuple(row_changes(earlier, results))
        if rows or (earlier.score, earlier.max_score, earlier.status) != (
            (results.score, results.max_score, results.status)
        ):
            changes.append(StudentChange(results.student, earlier, results, rows))
    return sorted(changes, key=lambda change: change.student.lower())


def row_changes(before: SubmissionResult, after: SubmissionResult) -> Iterator[RowChange]:
    old, new = rows_by_name(before), rows_by_name(after)
    for name in {**old, **new}:
        one, other = old.get(name), new.get(name)
        if (
            one is None
            or other is None
            or (one.status, one.points, one.max_points) != ((other.status, other.points, other.max_points))
        ):
            yield RowChange(
                name,
                None if one is None else (one.status, one.points),
                None if other is None else (other.status, other.points),
                other.message if other is not None and other.status != "passed" else None,
                other is not None and other.adjustment is not None,
            )


def rows_by_name(results: SubmissionResult) -> Mapping[str, Row]:
    return {f"{lesson.name}.{row.name}": row for lesson in results.lessons for row in lesson.rows}
