"""A class's scores for a grade book: whose they are, by the roster, and under which column they go."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.assignment.rows import names_of_lesson
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.roster import Member, Roster
from grader.intake.submissions.roster_matching import join
from grader.publish.inert import formula_free
from grader.publish.report.classroom import incomplete
from grader.results import LessonResult, SubmissionResult, number, points_text
from grader.results.wording import first_names

TOTAL_COLUMN = "total"
MAX_NAMES_IN_REMARK = 10
AGAIN = re.compile(r"(.+)-\d+")
"""The name of a second submission that came under one name: `ada-2`."""


@dataclass(frozen=True)
class Marks:
    """`scores` are {the member's `student`: {lesson or TOTAL_COLUMN: score}}; `possible` the most that each can give.

    `remarks` are sentences about who is missing on either side. `results` are {the member's `student`: the results
    that the scores come from}. `assignment` is its title, if there is one, and `round` its number of decimals.
    """

    scores: Mapping[str, Mapping[str, float]]
    possible: Mapping[str, float]
    remarks: tuple[str, ...]
    results: Mapping[str, SubmissionResult]
    assignment: str | None = None
    round: int | None = None

    def cell(self, member: Member, lesson: str) -> str:
        """Empty where there is no score, which is not a zero."""
        score = self.scores.get(member.student, {}).get(lesson)
        return "" if score is None else f"{number(score, self.round)}"


def read_marks(out: Path, roster: Roster) -> Marks:
    """From the current results in OUT. A student whom several of them match has no score. Raises UserError."""
    results = class_results(out)
    with closing(Gradebook(out / GRADEBOOK, read_only=True)) as gradebook:
        assignment = gradebook.assignment()
    joined = join(roster, [arrival_of_folder(student, results) for student in results], in_groups=False)
    owners = {member: results[arrivals[0].student] for member, arrivals in joined.owned.items()}
    possible: dict[str, float] = {}
    for found in results.values():
        for lesson in found.lessons:
            possible[lesson.name] = max(possible.get(lesson.name, 0), lesson.max_score)
    total = sum(possible.values())
    if assignment is not None and assignment.round is not None:  # three lessons of 33.33 points are 100 together
        total = max([total, *(each.max_score for each in results.values() if each.status == "graded")])
    remarks = [*joined.remarks, *scaling_remarks(results, possible), *incomplete(list(results.values()))]
    if joined.absent:
        names = first_names([member.name for member in joined.absent], MAX_NAMES_IN_REMARK)
        remarks.append(f"{len(joined.absent)} of the roster without a score, their cells are empty: {names}.")
    if excused := [student for student, found in results.items() if found.excused is not None]:
        remarks.append(f"Excused, with empty cells ({len(excused)}): {first_names(excused, MAX_NAMES_IN_REMARK)}.")
    scores = {member: scores_of(found, possible) for member, found in owners.items()}
    return Marks(
        {member: found for member, found in scores.items() if found},
        dict(sorted(possible.items())) | {TOTAL_COLUMN: total},
        tuple(remarks),
        owners,
        assignment=next((found.assignment.title for found in results.values() if found.assignment is not None), None),
        round=None if assignment is None else assignment.round,
    )


def class_results(out: Path) -> dict[str, SubmissionResult]:
    """{student: current results} from OUT's gradebook. Raises UserError."""
    results: dict[str, SubmissionResult] = {}
    if (out / GRADEBOOK).is_file():
        with closing(Gradebook(out / GRADEBOOK, read_only=True)) as gradebook:
            results = {found.student: found for found in gradebook.current()}
    if not results:
        raise UserError(f"{out} holds no gradebook with results: name the folder that `grade run -o` wrote.")
    return dict(sorted(results.items()))


def arrival_of_folder(student: str, students: Collection[str]) -> Arrival:
    """Whose a folder of OUT may be. `ada` and `ada-2` came under one name, so neither is certain."""
    numbered = AGAIN.fullmatch(student)
    if numbered and numbered[1] in students:
        return Arrival(student, Path(student), names=(numbered[1],), own=True)
    return Arrival(student, Path(student), own=f"{student}-2" not in students)


def scores_of(results: SubmissionResult, possible: Mapping[str, float]) -> dict[str, float]:
    """A column has one maximum for everybody, so a lesson of which only some rows are counted is scaled to it.

    There is no total where a lesson could not be graded or is not decided: it would be a zero that nobody earned. What
    a student is excused from has no score, and the total is scaled to what is left. Who has submitted nothing has no
    score, unless a person has set one.
    """
    if results.excused is not None or results.status == "nothing":
        return {}
    counted = [lesson for lesson in results.lessons if lesson.excused is None]
    scores = {lesson.name: lesson.score * scale_factor(lesson, possible) for lesson in counted if not lesson.is_unclear}
    whole = sum(possible.values())
    own = whole - sum(possible[lesson.name] for lesson in results.lessons if lesson.excused is not None)
    if results.status in ("error", "unclear") or (counted != results.lessons and not own):
        return scores
    if results.adjustment is not None:
        return scores | {TOTAL_COLUMN: results.score * whole / results.max_score if results.max_score else 0}
    is_scaled = any(scores[lesson.name] != lesson.score for lesson in counted)
    total = sum(scores.values()) if is_scaled else results.score
    return scores | {TOTAL_COLUMN: total if counted == results.lessons else total * whole / own}


def scale_factor(lesson: LessonResult, possible: Mapping[str, float]) -> float:
    """1 unless some of the lesson's rows do not count: the submission cannot contain them, or they are excused."""
    everything_counts = lesson.counted == len(lesson.rows) and all(row.excused is None for row in lesson.rows)
    if not lesson.max_score or everything_counts:
        return 1.0
    return possible[lesson.name] / lesson.max_score


def scaling_remarks(results: Mapping[str, SubmissionResult], possible: Mapping[str, float]) -> Iterator[str]:
    """A sentence for each lesson whose scores are scaled."""
    counted = [found for found in results.values() if found.excused is None]
    for name in sorted(possible):
        lessons = ((found.student, lesson) for found in counted for lesson in found.lessons if lesson.name == name)
        if scaled := [student for student, lesson in lessons if scale_factor(lesson, possible) != 1]:
            who, points = first_names(scaled, MAX_NAMES_IN_REMARK), points_text(possible[name])
            yield (
                f"{name}: not all rows count, because a notebook cannot contain them or they are excused. Scores are "
                f"scaled to the column's {points} points: {who}."
            )


def columns_by_lesson(marks: Marks, named: Sequence[str], default: Mapping[str, str]) -> dict[str, str]:
    """{lesson or TOTAL_COLUMN: the grade book's column} from LESSON=COLUMN texts, else `default`. Raises UserError."""
    columns = {}
    for text in named:
        name, equals, column = text.partition("=")
        lesson = lesson_named(marks, name)
        if not equals or not column.strip() or lesson is None:
            raise UserError(f"--name {text!r}: give LESSON=COLUMN, with a lesson of {', '.join(marks.possible)}.")
        columns[lesson] = column.strip()
    return columns or dict(default)


def lesson_named(marks: Marks, wanted: str) -> str | None:
    """The lesson, or TOTAL_COLUMN, that a number or a name means; None unless it is exactly one."""
    fitting = [name for name in marks.possible if wanted in names_of_lesson(name)]
    return fitting[0] if len(fitting) == 1 else None


def as_csv(rows: Sequence[Sequence[str]]) -> str:
    """No cell is a formula to a spreadsheet; every other cell is as it was in the platform's file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([formula_free(cell) for cell in row] for row in rows)
    return text.getvalue()
