"""What new verdicts, or an edited assignment, change for each student."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import Gradebook
from grader.results import Row, SubmissionResult
from grader.results.typed_json import to_json


@dataclass(frozen=True)
class RowChange:
    """A row whose verdict or points change; None for a row that is new, or that is gone."""

    name: str
    before: tuple[str, float] | None
    after: tuple[str, float] | None
    message: str | None
    decided: bool

    @property
    def has_same_verdict(self) -> bool:
        return self.before is not None and self.after is not None and self.before[0] == self.after[0]


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
    """Every student for whom `new` results change a score, or a row's verdict or points, in order of name.

    `new` and `old` are {attempt's id: results}, in place of those in the gradebook. With `new` comes `assignment`, as
    it is now, with the changed lessons.
    """
    before = {each.student: each for each in gradebook.current(old, is_trial=True)}
    after = gradebook.current({**old, **new}, assignment, is_trial=True)
    changes = []
    for results in after:
        earlier = before[results.student]
        rows = tuple(row_changes(earlier, results))
        if rows or (earlier.score, earlier.max_score, earlier.status) != (
            (results.score, results.max_score, results.status)
        ):
            changes.append(StudentChange(results.student, earlier, results, rows))
    return sorted(changes, key=lambda change: change.student.lower())


def apply_unless_scores_move(assignment: Assignment, gradebook: Gradebook) -> list[StudentChange] | None:
    """Make an assignment count where it is the gradebook's first one, or changes nobody's points: then None.

    Else it changes nothing, and returns whose points it would change, as far as nothing has to be graded again for it.
    Raises OutputError.
    """
    present = gradebook.assignment()
    if present is not None and scoring(present) != scoring(assignment):
        changes = changes_by({}, {}, gradebook, assignment)
        if changes or (present.settings != assignment.settings and gradebook.students()):
            return changes
    gradebook.set_assignment(assignment)
    return None


def scoring(assignment: Assignment | None) -> object:
    """What an assignment says, however its file is written."""
    return None if assignment is None else to_json(replace(assignment, text=""))


def row_changes(before: SubmissionResult, after: SubmissionResult) -> Iterator[RowChange]:
    old, new = rows_by_name(before), rows_by_name(after)
    for name in {**old, **new}:
        one, other = old.get(name), new.get(name)
        if one is None or other is None or (one.status, one.points) != (other.status, other.points):
            yield RowChange(
                name,
                None if one is None else (one.status, one.points),
                None if other is None else (other.status, other.points),
                other.message if other is not None and other.status != "passed" else None,
                other is not None and other.adjustment is not None,
            )


def rows_by_name(results: SubmissionResult) -> Mapping[str, Row]:
    return {f"{lesson.name}.{row.name}": row for lesson in results.lessons for row in lesson.rows}
