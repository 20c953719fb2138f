"""What a class's results say, as plain data for its page and for grades.csv.

The table of students, whom to look at and why, the hardest gradients, the most frequent mistakes, and who is missing.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple
from urllib.parse import quote

from grader.gradebook.class_results import score_or_none
from grader.gradebook.grading.graded import ClassFacts
from grader.intake.submissions.roster import Attendance, Member
from grader.publish.inert import csv_cell
from grader.publish.report.decisions import ANNOTATION_COLUMNS, annotation_cells, is_annotated, short_notes
from grader.publish.view import tally_text
from grader.results import BROKEN_STATUSES, UNWRITTEN, LessonResult, SubmissionResult, number
from grader.results.wording import first_names, listed_as_code, shortened

NOTHING_SUBMITTED: Final = "nothing"
"""The status of somebody who submitted nothing, in a class's pages only."""
UNCLEAR: Final = "unclear"
"""The status of somebody whose submission or its time is not known: no score, which is not a zero."""
MAX_NAMES_IN_SENTENCE = 10
MAX_NOTE_CHARACTERS = 300

NO_TIME: Final = "is not decided: the time of submission is unknown"
WAITING_TEXT: Final = "wrote a text that a person reads: see grade adjust"
TO_LOOK_AT: Final = {
    "no time": NO_TIME,
    "no points": "has 0",
    "no result": "has no result",
    "unread lesson": "has a lesson that was not read",
    "numerical": "computes gradients numerically",
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
    "missing lesson": "has not submitted a lesson",
}
"""What the class page says about a student. What a person has to decide first comes first. A kind without a blank is
that of an IntakeRemark."""


# Rows of the class ----------------------------------------------------------------------------------------------------


class Difficulty(NamedTuple):
    """How many of a class passed one row, had it wrong, and have not written it."""

    lesson: str
    name: str
    passed: int
    wrong: int
    unwritten: int

    @property
    def total(self) -> int:
        return self.passed + self.wrong + self.unwritten


def difficulties(results: Sequence[SubmissionResult]) -> list[Difficulty]:
    """Every row of the submitted lessons, the one that fewest passed first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for lesson in (lesson for result in results for lesson in result.lessons if lesson.status == "graded"):
        for row in (row for row in lesson.rows if row.counted):
            kind = "unwritten" if row.status in UNWRITTEN else "passed" if row.status == "passed" else "wrong"
            counts.setdefault((lesson.name, row.name), Counter())[kind] += 1
    found = [Difficulty(*key, each["passed"], each["wrong"], each["unwritten"]) for key, each in counts.items()]
    return sorted(found, key=lambda entry: (entry.passed / entry.total, -entry.wrong))


def named_mistakes(results: Sequence[SubmissionResult]) -> list[tuple[str, str, str, list[str]]]:
    """(lesson, row, message, students who made it) of every named mistake, the most frequent first."""
    found: dict[tuple[str, str, str], tuple[str, str, str, list[str]]] = {}
    for result in results:
        for lesson in result.lessons:
            for name, mistake in ((row.name, row.mistake) for row in lesson.rows if row.mistake):
                new = (lesson.name, name, mistake.message, list[str]())
                found.setdefault((lesson.name, name, mistake.id), new)[3].append(result.student)
    return sorted(found.values(), key=lambda mistake: -len(mistake[3]))


# Students -------------------------------------------------------------------------------------------------------------


class StudentRow(NamedTuple):
    """A row of the table of students. `points` are those of each lesson; None if not submitted or not read."""

    name: str
    score: float | None
    percent: float | None
    points: tuple[float | None, ...]
    note: str
    has_report: bool


def student_row(result: SubmissionResult, lessons: Sequence[str]) -> StudentRow:
    submitted = (part for part in result.lessons if (part.status == "graded" or part.score) and counts(result, part))
    points = {part.name: part.score for part in submitted}
    note = {"rejected": "rejected", "error": "could not be graded", NOTHING_SUBMITTED: "submitted nothing"}
    note[UNCLEAR] = "several submissions match" if is_absent(result) else "not decided"
    score = score_or_none(result)
    return StudentRow(
        result.student,
        score,
        None if score is None else result.percent,
        tuple(points.get(name) for name in lessons),
        ", ".join(filter(None, [note.get(result.status), *short_notes(result)])),
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


def with_absent(results: Sequence[SubmissionResult], facts: ClassFacts) -> Sequence[SubmissionResult]:
    """The results, and a line for each of the roster's members for whom no submission counts; then all by name."""
    if facts.attendance is None:
        return results
    known = {result.student for result in results}
    further = [nothing_submitted(member.student, facts.max_score) for member in facts.attendance.absent]
    further += [
        replace(nothing_submitted(member.student, facts.max_score), status=UNCLEAR, message=sentence)
        for member, sentence in facts.attendance.disputed
    ]
    further = [each for each in further if each.student not in known]
    return sorted([*results, *further], key=lambda each: each.student.lower()) if further else results


# Whom to look at ------------------------------------------------------------------------------------------------------


class TriageEntry(NamedTuple):
    """A line: students, and what to look at, as (what, why). `linked`: these students have reports."""

    students: list[str]
    reasons: tuple[tuple[str, str], ...]
    linked: bool


def triage(results: Sequence[SubmissionResult]) -> list[TriageEntry]:
    """A line per student, and one for all with the same reasons; empty where there is nothing to look at."""
    kinds, groups = list(TO_LOOK_AT), dict[tuple[tuple[int, str], ...], list[SubmissionResult]]()
    for result in results:
        reasons = ((kinds.index(kind), shortened(why, MAX_NOTE_CHARACTERS)) for kind, why in reasons_to_look(result))
        groups.setdefault(tuple(sorted(reasons, key=lambda reason: reason[0])), []).append(result)
    groups.pop((), None)
    return [
        TriageEntry(
            [each.student for each in who],
            tuple((TO_LOOK_AT[kinds[place]], why) for place, why in reasons),
            all(map(has_report, who)),
        )
        for reasons, who in sorted(groups.items(), key=lambda line: (line[0][0][0], -len(line[1])))
    ]


def reasons_to_look(result: SubmissionResult) -> Iterator[tuple[str, str]]:
    """(kind, why) about one student."""
    has_zero = not result.score and bool(result.max_score) and result.status not in ("error", UNCLEAR)
    on_time = result.late is not None and result.late.is_known and not result.late.seconds  # for the assignment
    if has_zero:
        yield "no points", zero_reason(result)
    elif result.excused is None and not has_report(result):
        yield "no result", result.message or "Submitted nothing."
    for kind, message in result.intake or ():
        if not (kind == "unread" and has_zero) and not (kind == "late" and on_time):
            yield kind if kind in TO_LOOK_AT else "unread", message
    for lesson in result.lessons:
        is_owed = lesson.excused is None and result.excused is None and not has_zero and not is_absent(result)
        if lesson.status != "graded" and is_owed:
            kind = "missing lesson" if lesson.status == "missing" else "unread lesson"
            yield kind, f"{lesson.name}: {lesson.message or 'nothing was submitted'}"
        if lesson.is_unclear:
            yield "no time", f"{lesson.name}: give the time with --times, or decide with grade adjust"
        if numerical := [row for row in lesson.rows if row.numerical_differentiation]:
            names, earned = listed_as_code([row.name for row in numerical], 8), any(row.points for row in numerical)
            yield "numerical", f"{lesson.name}: {names}, {'which counts' if earned else 'which gives no points'}"
        for row in lesson.rows:
            if row.answer and row.answer.waits and row.max_points and not row.adjustment:
                yield "text", f"{lesson.name}.{row.name}"


def zero_reason(result: SubmissionResult) -> str:
    """Why a submission has no points, in a sentence."""
    rows = [row for lesson in result.lessons if lesson.status == "graded" for row in lesson.rows]
    said = [remark.message for remark in result.intake or () if remark.kind == "unread"]
    said += [result.message] if result.status != "graded" and result.message else []
    if not rows:
        said += [*(lesson.message for lesson in result.lessons if lesson.message), "No lesson was submitted."]
    elif rows[0].message and rows[0].status in BROKEN_STATUSES and len({(r.status, r.message) for r in rows}) == 1:
        said.append(rows[0].message)
    return said[0] if said else ", ".join([tally_text([row.status for row in rows]), *short_notes(result)]) + "."


def incomplete(results: Sequence[SubmissionResult], present: Collection[str] | None = None) -> list[str]:
    """Sentences about what the class has no current result for; `present` are the students of the last run."""
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
    graded = [result.student for result in results if not is_absent(result)]
    if present is not None and (others := sum(student not in present for student in graded)):
        sentences.append(f"{others} of {len(graded)} students were not in the last run: their results are from before.")
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


def csv_text(results: Sequence[SubmissionResult], attendance: Attendance | None = None) -> str:
    """grades.csv."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(csv_rows(results, attendance))
    return text.getvalue()


def csv_rows(results: Sequence[SubmissionResult], attendance: Attendance | None = None) -> list[list[str]]:
    """The header of grades.csv and its rows. A result with status "error" has no figures: it is not a zero.

    Where lessons or rows are not counted, a column `counted` says for each student what the maximum is made of.
    With an assignment or decisions, ANNOTATION_COLUMNS follow. With a roster, its own columns follow, except those that
    are there already.
    """
    columns, members = ["student", *lesson_names(results), "total", "max", "percent"], dict[str, Member]()
    own_columns = list[str]()  # the roster's
    columns += ["counted"] if any(result.is_partly_counted for result in results) else []
    columns += ANNOTATION_COLUMNS if any(map(is_annotated, results)) else []
    if attendance:
        taken = {*columns, *ANNOTATION_COLUMNS, "handed_in"}
        own_columns = [name for name in attendance.columns if name.lower() not in taken]
        columns += ["handed_in", *own_columns]
        members = {member.student: member for member, _ in attendance.disputed}
        members |= {member.student: member for member in attendance.absent} | dict(attendance.members)
    rows = [columns]
    for result in results:
        cells = csv_cells(result)
        if (member := members.get(result.student)) is not None:
            cells |= {name: member.line.get(name, "").strip() for name in own_columns}
        rows.append([cells.get(name, "") for name in columns])
    return [[csv_cell(cell) for cell in row] for row in rows]


def csv_cells(result: SubmissionResult) -> dict[str, str]:
    """{column of grades.csv: what it says about a student}"""
    is_known = result.status not in ("error", UNCLEAR) and result.excused is None
    return {
        "student": result.student,
        **{lesson.name: f"{number(lesson.score)}" for lesson in result.lessons if counts(result, lesson)},
        "total": f"{number(result.score)}" if is_known else "",
        "max": f"{number(result.max_score)}",
        "percent": f"{number(round(result.percent, 2)):g}" if is_known else "",
        "counted": result.counted_parts(),
        "handed_in": {NOTHING_SUBMITTED: "no", UNCLEAR: "unclear"}.get(result.status, "yes"),
        **annotation_cells(result),
    }
