"""What a class's results say, as plain data for its page and for grades.csv.

The table of students, whom to look at and why, the hardest gradients, the most frequent mistakes, and who is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from urllib.parse import quote

from grader.intake.submissions.roster import Attendance
from grader.publish.inert import csv_cell
from grader.publish.report.decisions import ANNOTATION_COLUMNS, csv_columns, is_annotated, short_notes
from grader.publish.view import tally_text
from grader.results import BROKEN_STATUSES, UNWRITTEN, LessonResult, Row, SubmissionResult, number
from grader.results.wording import count_text, first_names, listed_as_code, shortened

NOTHING_SUBMITTED: Final = "nothing"
"""The status of somebody who submitted nothing, in a class's pages only."""
UNCLEAR: Final = "unclear"
"""The status of somebody whose submission or its time is not known: no score, which is not a zero."""
MAX_NAMES_IN_SENTENCE = 10
MAX_NOTE_CHARACTERS = 300
WORD_FOR_STATUS = {"rejected": "rejected", "error": "could not be graded", NOTHING_SUBMITTED: "submitted nothing"}

NO_TIME: Final = "is not decided: the time of submission is unknown"
NO_POINTS: Final = "has 0"
NO_RESULT: Final = "has no result"
UNREAD_LESSON: Final = "has a lesson that was not read"
MISSING_LESSON: Final = "has not submitted a lesson"
NUMERICAL: Final = "computes gradients numerically"
WAITING_TEXT: Final = "wrote a text that a person reads: see grade adjust"
WHAT_INTAKE_DID: Final = {
    "guess": "was guessed: see intake.csv",
    "unread": "has a part that was not read",
    "no_file": "has no file of the name in intake.csv",
    "text": WAITING_TEXT,
    "answers": "has answers with another name's values",
    "platform": "is late for one record only",
    "stranger": "has a name that is not the platform's",
    "late": "was late",
    "future": "is dated in the future",
    "newest": "the newest attempt counts",
    "group": "submitted in a group",
    "decided": "decided in intake.csv",
    "recognised": "recognised under another name",
}
"""What the class page says about an IntakeRemark."""
ORDER: Final = (NO_TIME, NO_POINTS, NO_RESULT, UNREAD_LESSON, NUMERICAL, *WHAT_INTAKE_DID.values(), MISSING_LESSON)
"""What a person has to decide first comes first."""


# Rows of the class ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difficulty:
    """How many of a class passed one row, had it wrong, and have not written it."""

    lesson: str
    name: str
    passed: int
    wrong: int
    unwritten: int

    @property
    def total(self) -> int:
        return self.passed + self.wrong + self.unwritten


def rows_of_class(results: Sequence[SubmissionResult]) -> Iterator[tuple[SubmissionResult, LessonResult, Row]]:
    for result in results:
        for lesson in result.lessons:
            yield from ((result, lesson, row) for row in lesson.rows)


def difficulties(results: Sequence[SubmissionResult]) -> list[Difficulty]:
    """Every row of the submitted lessons, the one that fewest passed first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for _, lesson, row in rows_of_class(results):
        if lesson.status == "graded" and row.counted:
            kind = "unwritten" if row.status in UNWRITTEN else "passed" if row.status == "passed" else "wrong"
            counts.setdefault((lesson.name, row.name), Counter())[kind] += 1
    found = [Difficulty(*key, each["passed"], each["wrong"], each["unwritten"]) for key, each in counts.items()]
    return sorted(found, key=lambda entry: (entry.passed / entry.total, -entry.wrong))


def named_mistakes(results: Sequence[SubmissionResult]) -> list[tuple[str, str, str, list[str]]]:
    """(lesson, row, message, students who made it) of every named mistake, the most frequent first."""
    messages, students = dict[tuple[str, str, str], str](), dict[tuple[str, str, str], list[str]]()
    for result, lesson, row in rows_of_class(results):
        if row.mistake:
            key = lesson.name, row.name, row.mistake.id
            messages.setdefault(key, row.mistake.message)
            students.setdefault(key, []).append(result.student)
    most_frequent = sorted(students.items(), key=lambda entry: -len(entry[1]))
    return [(lesson, name, messages[lesson, name, id_], who) for (lesson, name, id_), who in most_frequent]


# Students -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A row of the table of students. `points` are those of each lesson; None if not submitted or not read.

    `kind` are words to filter by: graded, full, absent, rejected, error, nothing, unclear, excused, late.
    """

    name: str
    kind: str
    score: float | None
    percent: float | None
    points: tuple[float | None, ...]
    note: str
    isolation: str
    seconds: float
    has_report: bool


def student_row(result: SubmissionResult, lessons: Sequence[str]) -> StudentRow:
    submitted = (part for part in result.lessons if (part.status == "graded" or part.score) and counts(result, part))
    points = {part.name: part.score for part in submitted}
    known = result.status not in ("error", NOTHING_SUBMITTED, UNCLEAR) and result.excused is None
    kinds, note = [str(result.status)], WORD_FOR_STATUS.get(result.status)
    if result.status == UNCLEAR:
        note = "several submissions match" if is_absent(result) else "not decided"
    elif note is None:
        unread = [part.name.split("_")[0] for part in result.lessons if part.status == "rejected"]
        note = f"{', '.join(unread)} rejected" if unread else ""
        kinds += ["full"] if result.percent >= 100 else []
        kinds += ["absent"] if len(points) < len(result.lessons) else []
    if result.excused is not None:
        kinds.append("excused")
    elif result.late and result.late.seconds:
        kinds.append("late")
    return StudentRow(
        result.student,
        " ".join(kinds),
        result.score if known else None,
        result.percent if known else None,
        tuple(points.get(name) for name in lessons),
        ", ".join(filter(None, [note, *short_notes(result)])),
        "–" if is_absent(result) else result.isolation,
        result.seconds,
        has_report(result),
    )


def counts(result: SubmissionResult, lesson: LessonResult) -> bool:
    """Whether the student has points for the lesson, which may be 0: not excused, and nothing to be decided."""
    return result.excused is None and lesson.excused is None and not lesson.is_unclear


def is_absent(result: SubmissionResult) -> bool:
    """Whether no submission is certainly the student's."""
    return result.status == NOTHING_SUBMITTED or (result.status == UNCLEAR and not result.lessons)


def has_report(result: SubmissionResult) -> bool:
    return result.status != "error" and not is_absent(result)


def report_link(student: str) -> str:
    """The address of a student's page from index.html, whatever the name holds."""
    return quote(student, safe="", errors="surrogateescape") + "/report.html"


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


# Whom to look at ------------------------------------------------------------------------------------------------------


class TriageEntry(NamedTuple):
    """A line: students, and what to look at, as (what, why). `linked`: these students have reports."""

    students: list[str]
    reasons: tuple[tuple[str, str], ...]
    linked: bool


def triage(results: Sequence[SubmissionResult]) -> list[TriageEntry]:
    """A line per student, and one for all with the same reasons; empty where there is nothing to look at."""
    groups: dict[tuple[tuple[str, str], ...], list[SubmissionResult]] = {}
    for result in results:
        reasons = ((what, shortened(why, MAX_NOTE_CHARACTERS)) for what, why in reasons_to_look(result))
        groups.setdefault(tuple(sorted(reasons, key=lambda reason: ORDER.index(reason[0]))), []).append(result)
    groups.pop((), None)
    lines = sorted(groups.items(), key=lambda line: (ORDER.index(line[0][0][0]), -len(line[1])))
    return [TriageEntry([each.student for each in who], why, all(map(has_report, who))) for why, who in lines]


def reasons_to_look(result: SubmissionResult) -> Iterator[tuple[str, str]]:
    """(what, why) about one student."""
    has_zero = not result.score and bool(result.max_score) and result.status not in ("error", UNCLEAR)
    on_time = result.late is not None and result.late.is_known and not result.late.seconds  # for the assignment
    if has_zero:
        yield NO_POINTS, zero_reason(result)
    elif result.excused is None and not has_report(result):
        yield NO_RESULT, result.message or "Submitted nothing."
    for remark in result.intake or ():
        if not (remark.kind == "unread" and has_zero) and not (remark.kind == "late" and on_time):
            yield WHAT_INTAKE_DID.get(remark.kind, WHAT_INTAKE_DID["unread"]), remark.message
    for lesson in result.lessons:
        is_owed = lesson.excused is None and result.excused is None and not has_zero and not is_absent(result)
        if lesson.status != "graded" and is_owed:
            what = MISSING_LESSON if lesson.status == "missing" else UNREAD_LESSON
            yield what, f"{lesson.name}: {lesson.message or 'nothing was submitted'}"
        if lesson.is_unclear:
            yield NO_TIME, f"{lesson.name}: give the time with --times, or decide with grade adjust"
        if numerical := [row for row in lesson.rows if row.numerical_differentiation]:
            names, earned = listed_as_code([row.name for row in numerical], 8), any(row.points for row in numerical)
            yield NUMERICAL, f"{lesson.name}: {names}, {'which counts' if earned else 'which gives no points'}"
        for row in lesson.rows:
            if row.answer and row.answer.waits and row.max_points and not row.adjustment:
                yield WAITING_TEXT, f"{lesson.name}.{row.name}"


def zero_reason(result: SubmissionResult) -> str:
    """Why a submission has no points, in a sentence."""
    if result.status == NOTHING_SUBMITTED:
        return "Submitted nothing."
    unread = [remark.message for remark in result.intake or () if remark.kind == "unread"]
    if unread or (result.status == "rejected" and result.message):
        return unread[0] if unread else result.message or ""
    rows = [row for lesson in result.lessons if lesson.status == "graded" for row in lesson.rows]
    if not rows:
        return next((lesson.message for lesson in result.lessons if lesson.message), "No lesson was submitted.")
    if right := sum(row.status == "passed" for row in rows):
        why = ", ".join(short_notes(result)) or "the assignment gives no points for them"
        return f"{right} of {count_text(len(rows), 'row')} right: {why}."
    causes = {(row.status, row.message) for row in rows}
    cause = rows[0].message if len(causes) == 1 and rows[0].status in BROKEN_STATUSES else None
    return cause or f"{tally_text([row.status for row in rows])}."


def incomplete(results: Sequence[SubmissionResult]) -> list[str]:
    """Sentences about what the class has no current result for."""
    sentences = []
    if failed := [result.student for result in results if result.status == "error"]:
        sentences.append(
            f"{len(failed)} could not be graded in the last run, for a reason of the grader or the course, and have no "
            f"score: {first_names(failed, MAX_NAMES_IN_SENTENCE)}. The next `grade run` tries again."
        )
    sentences += without_times(results)
    for lesson in lesson_names(results):
        if without := [result.student for result in results if lacks(result, lesson)]:
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


def lesson_names(results: Sequence[SubmissionResult]) -> list[str]:
    return sorted({lesson.name for result in results for lesson in result.lessons})


# grades.csv -----------------------------------------------------------------------------------------------------------


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
        taken = {*header, *ANNOTATION_COLUMNS, "handed_in"}
        further = [name for name in attendance.columns if name.lower() not in taken]
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
