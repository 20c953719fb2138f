"""What a run did, and what new verdicts or an edited assignment change for each student."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import Gradebook
from grader.results import Row, SubmissionResult
from grader.typed_json import to_json


class Moves(NamedTuple):
    """How many students' scores have changed since the last run over a gradebook.

    `new` have a score for the first time, or again; `missing` were in the gradebook and are not in this run.
    """

    up: int = 0
    down: int = 0
    new: int = 0
    missing: int = 0

    @classmethod
    def between(
        cls, before: Mapping[str, float | None], after: Mapping[str, float | None], present: Collection[str]
    ) -> Moves:
        """From {student: score, or None where there is none}, and the students of this run."""
        pairs = [(before.get(student), score) for student, score in after.items() if score is not None]
        gains = [score - earlier for earlier, score in pairs if earlier is not None]
        up, down = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        return cls(up, down, len(pairs) - len(gains), len(before.keys() - set(present)))

    def __str__(self) -> str:
        return f"{self.up} up, {self.down} down, {self.new} new, {self.missing} missing"


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


@dataclass
class RunOutcome:
    """Attributes:
    results: those of this run and, as far as they are still valid, of earlier ones, in order of name.
    reasons: {student: the fault for which nothing could be graded}.
    class_size: how many students the gradebook has.
    stopped: whether a signal came before everything was graded.
    unapplied: whose points an edited assignment would change, which counts only after `grade regrade --apply`; None
        where nothing waits for that.
    joined: sentences about students who have another name now, and questions about who somebody is.
    plain: {student: why} of those whose report, or whose row in the class's pages, is plain (see gradebook.guarded).
    """

    results: Sequence[SubmissionResult] = ()
    reasons: dict[str, str] = field(default_factory=dict)
    class_size: int = 0
    stopped: bool = False
    unapplied: list[StudentChange] | None = None
    moves: Moves | None = None
    joined: list[str] = field(default_factory=list)
    plain: Mapping[str, str] = field(default_factory=dict)

    @property
    def faults(self) -> int:
        return len(self.reasons)

    def below(self, percent: float) -> list[str]:
        """The students under so many percent; not those whose score is not decided."""
        decided = (each for each in self.results if each.status != "unclear")
        return [each.student for each in decided if 100 * each.score < percent * each.max_score]


def changes_by(
    new: Mapping[int, SubmissionResult], gradebook: Gradebook, assignment: Assignment | None = None
) -> list[StudentChange]:
    """Every student for whom `new` results change a score, or a row's verdict or points, in order of name.

    `new` are {attempt's id: results}, in place of those in the gradebook, and with them comes `assignment`, as it is
    now, with the changed lessons.
    """
    before = {each.student: each for each in gradebook.current(is_trial=True)}
    changes = []
    for results in gradebook.current(new, assignment, is_trial=True):
        earlier = before[results.student]
        rows, is_scored_alike = tuple(row_changes(earlier, results)), score_of(earlier) == score_of(results)
        if rows or not is_scored_alike:
            changes.append(StudentChange(results.student, earlier, results, rows))
    return sorted(changes, key=lambda change: change.student.lower())


def score_of(results: SubmissionResult) -> tuple[float, float, str]:
    return results.score, results.max_score, results.status


def row_changes(before: SubmissionResult, after: SubmissionResult) -> Iterator[RowChange]:
    old, new = (
        {f"{lesson.name}.{row.name}": row for lesson in each.lessons for row in lesson.rows} for each in (before, after)
    )

    def verdict(row: Row | None) -> tuple[str, float] | None:
        return None if row is None else (row.status, row.points)

    for name in {**old, **new}:
        now = new.get(name)
        if verdict(old.get(name)) != verdict(now):
            message = now.message if now is not None and now.status != "passed" else None
            decided = now is not None and now.adjustment is not None
            yield RowChange(name, verdict(old.get(name)), verdict(now), message, decided)


def apply_unless_scores_move(assignment: Assignment, gradebook: Gradebook) -> list[StudentChange] | None:
    """Make an assignment count where it is the gradebook's first one, or changes nobody's points: then None.

    Else it changes nothing, and returns whose points it would change, as far as nothing has to be graded again for it.
    Raises OutputError.
    """
    present = gradebook.assignment()
    if present is not None and scoring(present) != scoring(assignment):
        changes = changes_by({}, gradebook, assignment)
        if changes or (present.settings != assignment.settings and gradebook.students()):
            return changes
    gradebook.set_assignment(assignment)
    return None


def scoring(assignment: Assignment | None) -> object:
    """What an assignment says, however its file is written."""
    return None if assignment is None else to_json(replace(assignment, text=""))
