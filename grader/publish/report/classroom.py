"""What a class's results say: the hardest gradients, the most frequent mistakes, who submitted nothing, grades.csv."""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar
from urllib.parse import quote

from grader.intake.submissions.roster import Attendance
from grader.publish.inert import csv_cell
from grader.publish.report.decisions import ANNOTATION_COLUMNS, csv_columns, is_annotated, short_notes
from grader.results import UNWRITTEN, LessonResult, Row, SubmissionResult, number
from grader.results.wording import first_names

GroupKey = TypeVar("GroupKey", bound=Hashable)

NOTHING_SUBMITTED: Final = "nothing"
"""The status of somebody who submitted nothing, in a class's pages only."""
UNCLEAR: Final = "unclear"
"""The status of somebody whose submission or its time is not known: no score, which is not a zero."""
FEWEST_FOR_CORRELATION = 10
MAX_NAMES_IN_SENTENCE = 10
WORD_FOR_STATUS = {"rejected": "rejected", "error": "could not be graded", NOTHING_SUBMITTED: "submitted nothing"}


@dataclass
class Difficulty:
    """How a class did on one row. `discrimination` is the correlation of passing it with the rest of the score."""

    lesson: str
    name: str
    passed: int = 0
    wrong: int = 0
    unwritten: int = 0
    discrimination: float | None = None

    @property
    def total(self) -> int:
        return self.passed + self.wrong + self.unwritten


def rows_of_class(results: Sequence[SubmissionResult]) -> Iterator[tuple[SubmissionResult, LessonResult, Row]]:
    for result in results:
        for lesson in result.lessons:
            for row in lesson.rows:
                yield result, lesson, row


def difficulties(results: Sequence[SubmissionResult]) -> list[Difficulty]:
    """Every row of the submitted lessons, the one that fewest passed first."""
    by_row: dict[tuple[str, str], Difficulty] = {}
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for result, lesson, row in rows_of_class(results):
        if lesson.status == "graded" and row.counted:
            key = lesson.name, row.name
            entry = by_row.setdefault(key, Difficulty(*key))
            kind = "unwritten" if row.status in UNWRITTEN else "passed" if row.status == "passed" else "wrong"
            setattr(entry, kind, getattr(entry, kind) + 1)
            points.setdefault(key, []).append((row.points, result.score - row.points))
    for key, pairs in points.items():
        own, rest = zip(*pairs, strict=True)
        if len(pairs) >= FEWEST_FOR_CORRELATION and len(set(own)) > 1 and len(set(rest)) > 1:
            by_row[key].discrimination = statistics.correlation(own, rest)
    return sorted(by_row.values(), key=lambda entry: (entry.passed / entry.total, -entry.wrong))


def students_by_key(pairs: Iterable[tuple[GroupKey, str]]) -> dict[GroupKey, list[str]]:
    """{key: students}, from pairs of a key and a student."""
    groups: dict[GroupKey, list[str]] = {}
    for key, name in pairs:
        groups.setdefault(key, []).append(name)
    return groups


def named_mistakes(results: Sequence[SubmissionResult]) -> list[tuple[str, str, str, list[str]]]:
    """(lesson, row, message, students who made it) of every named mistake, the most frequent first."""
    made = [
        ((lesson.name, row.name, row.mistake.id), row.mistake.message, result.student)
        for result, lesson, row in rows_of_class(results)
        if row.mistake
    ]
    messages = {key: message for key, message, _ in reversed(made)}  # the first student's
    groups = students_by_key((key, name) for key, _, name in made)
    return [(*key[:2], messages[key], names) for key, names in sorted(groups.items(), key=lambda entry: -len(entry[1]))]


def numerical_uses(results: Sequence[SubmissionResult]) -> list[tuple[str, str, list[str], bool, list[str]]]:
    """(lesson, method, rows, whether they earned points, students) where numerical differentiation was found.

    The method says so where it was also, or only, seen while the functions ran.
    """
    found: dict[tuple[str, str, str], list[Row]] = {}
    for result, lesson, row in rows_of_class(results):
        if use := row.numerical_differentiation:
            method = f"{use.method}, seen while it ran" if use.observed else use.method
            found.setdefault((result.student, lesson.name, method), []).append(row)
    uses = (
        ((lesson, method, tuple(row.name for row in rows), any(row.points for row in rows)), student)
        for (student, lesson, method), rows in found.items()
    )
    groups = sorted(students_by_key(uses).items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [(name, method, [*rows], earned, students) for (name, method, rows, earned), students in groups]


def incomplete(results: Sequence[SubmissionResult]) -> list[str]:
    """Sentences about what the class has no current result for."""
    failed = [result.student for result in results if result.status == "error"]
    sentences = []
    if failed:
        sentences.append(
            f"{len(failed)} could not be graded in the last run, for a reason of the grader or the course, and have no "
            f"score: {first_names(failed, MAX_NAMES_IN_SENTENCE)}. The next `grade run` tries again."
        )
    sentences += without_times(results)
    for lesson in lesson_names(results):
        without = [result.student for result in results if lacks(result, lesson)]
        if without:
            sentences.append(
                f"{lesson} was not run on the submissions of {len(without)}, who have no result for it: "
                f"{first_names(without, MAX_NAMES_IN_SENTENCE)}."
            )
    return sentences


def without_times(results: Iterable[SubmissionResult]) -> list[str]:
    """A sentence about the students whose points wait for a time of submission."""
    unclear = [result.student for result in results if any(lesson.is_unclear for lesson in result.lessons)]
    sentence = (
        f"{len(unclear)} without a score, because nothing says when they submitted: "
        f"{first_names(unclear, MAX_NAMES_IN_SENTENCE)}. Give `grade run` the times (--times), or decide with "
        "`grade adjust`."
    )
    return [sentence] if unclear else []


def lacks(result: SubmissionResult, lesson: str) -> bool:
    """Whether no run graded the lesson for a student. What could not be graded is another matter."""
    named = {part.name for part in (*result.lessons, *(result.not_graded or ()))}
    return bool(named) and lesson not in named


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A row of the table of students. `points` are those of each lesson; None if not submitted or not read.

    `kind` are words to filter by: graded, full, absent, rejected, error, nothing.
    """

    name: str
    kind: str
    score: float | None
    percent: float | None
    points: tuple[float | None, ...]
    note: str
    isolation: str
    seconds: float
    has_report: bool = True


def student_row(result: SubmissionResult, lessons: Sequence[str]) -> StudentRow:
    points = {
        part.name: part.score
        for part in result.lessons
        if (part.status == "graded" or part.score) and counts(result, part)
    }
    known = result.status not in ("error", NOTHING_SUBMITTED, UNCLEAR) and result.excused is None
    kinds, note = [result.status, "excused" if result.excused is not None else ""], WORD_FOR_STATUS.get(result.status)
    if result.status == UNCLEAR:
        note = "several submissions match" if is_absent(result) else "not decided"
    elif note is None:
        unread = [part.name.split("_")[0] for part in result.lessons if part.status == "rejected"]
        note = f"{', '.join(unread)} rejected" if unread else ""
        kinds += ["full" if result.percent >= 100 else "", "absent" if len(points) < len(result.lessons) else ""]
    kinds += ["late" if result.late and result.late.seconds and result.excused is None else ""]
    return StudentRow(
        result.student,
        " ".join(filter(None, kinds)),
        result.score if known else None,
        result.percent if known else None,
        tuple(points.get(name) for name in lessons),
        ", ".join(filter(None, [note, *short_notes(result)])),
        "–" if is_absent(result) else result.isolation,
        result.seconds,
        result.status != "error" and not is_absent(result),
    )


def counts(result: SubmissionResult, lesson: LessonResult) -> bool:
    """Whether the student has points for the lesson, which may be 0: not excused, and nothing to be decided."""
    return result.excused is None and lesson.excused is None and not lesson.is_unclear


def nothing_submitted(name: str, max_score: float) -> SubmissionResult:
    """The result of somebody who is in the roster only."""
    message = "On the roster; submitted nothing."
    return SubmissionResult(student=name, status=NOTHING_SUBMITTED, message=message, max_score=max_score, isolation="–")


def without_results(attendance: Attendance, max_score: float) -> list[SubmissionResult]:
    """What is listed of the roster's members for whom no submission counts."""
    unclear = [
        replace(nothing_submitted(member.student, max_score), status=UNCLEAR, message=sentence)
        for member, sentence in attendance.disputed
    ]
    return [*(nothing_submitted(member.student, max_score) for member in attendance.absent), *unclear]


def report_link(student: str) -> str:
    """The address of a student's page from index.html, whatever the name holds."""
    return quote(student, safe="", errors="surrogateescape") + "/report.html"


def is_absent(result: SubmissionResult) -> bool:
    """Whether no submission is certainly the student's."""
    return result.status == NOTHING_SUBMITTED or (result.status == UNCLEAR and not result.lessons)


def lesson_names(results: Sequence[SubmissionResult]) -> list[str]:
    return sorted({lesson.name for result in results for lesson in result.lessons})


def csv_rows(results: Sequence[SubmissionResult], attendance: Attendance | None = None) -> list[list[str]]:
    """grades.csv with its header. A result with status "error" has no figures: it is not a zero.

    Where lessons or rows are not counted, a column `counted` says for each student what the maximum is made of.
    With an assignment or decisions, ANNOTATION_COLUMNS follow. With a roster, its own columns follow, except those that
    are there already.
    """
    lessons = lesson_names(results)
    partly = any(result.is_partly_counted for result in results)
    annotated = any(map(is_annotated, results))
    header = ["student", *lessons, "total", "max", "percent", *(["counted"] if partly else [])]
    further, members = list[str](), {}
    if attendance:
        further = [
            name for name in attendance.columns if name.lower() not in {*header, *ANNOTATION_COLUMNS, "handed_in"}
        ]
        without = [*attendance.absent, *(member for member, _ in attendance.disputed)]
        members = {member.student: member for member in without} | dict(attendance.members)
    header += [*(ANNOTATION_COLUMNS if annotated else ()), *(["handed_in", *further] if attendance else [])]
    rows = [header]
    for result in results:
        scores = {lesson.name: f"{number(lesson.score)}" for lesson in result.lessons if counts(result, lesson)}
        known = result.status not in ("error", UNCLEAR) and result.excused is None
        total, share = (f"{number(result.score)}", f"{number(round(result.percent, 2)):g}") if known else ("", "")
        row = [result.student, *(scores.get(name, "") for name in lessons), total, f"{number(result.max_score)}", share]
        row += [result.counted_parts()] if partly else []
        row += csv_columns(result) if annotated else []
        if attendance:
            member = members.get(result.student)
            row += [{NOTHING_SUBMITTED: "no", UNCLEAR: "unclear"}.get(result.status, "yes")]
            row += [member.line.get(name, "").strip() if member else "" for name in further]
        rows.append(row)
    return [[csv_cell(cell) for cell in row] for row in rows]
