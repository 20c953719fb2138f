"""What a class's results say, as plain data for its page and for grades.csv.

The table of students, whom to look at and why, the hardest gradients, the most frequent mistakes, and who is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from grader.gradebook.grading.graded import ClassFacts
from grader.intake.submissions.roster import Attendance, Member
from grader.publish.inert import csv_cell
from grader.publish.report.decisions import annotation_cells, is_annotated, short_notes
from grader.publish.view import tally_text
from grader.results import BROKEN_STATUSES, UNWRITTEN, SubmissionResult, number
from grader.results.wording import first_names, listed_as_code, shortened

MAX_NAMES_IN_SENTENCE = 10
MAX_NOTE_CHARACTERS = 300

NO_TIME: Final = "is not decided: the time of submission is unknown"
TO_LOOK_AT: Final = {
    "no time": NO_TIME,
    "no points": "has 0",
    "no result": "has no result",
    "unread lesson": "has a lesson that was not read",
    "numerical": "computes gradients numerically",
    "guess": "was guessed: see intake.csv",
    "unread": "has a part that was not read",
    "no_file": "has no file of the name in intake.csv",
    "text": "wrote a text that a person reads: see grade adjust",
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


def difficulties(results: Sequence[SubmissionResult]) -> list[tuple[str, str, Counter[str]]]:
    """(lesson, row, how many have it right, wrong or unwritten) of submitted lessons; fewest right first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for lesson in (lesson for result in results for lesson in result.lessons if lesson.status == "graded"):
        for row in (row for row in lesson.rows if row.counted):
            kind = "unwritten" if row.status in UNWRITTEN else "right" if row.status == "passed" else "wrong"
            counts.setdefault((lesson.name, row.name), Counter())[kind] += 1
    found = [(lesson, name, students) for (lesson, name), students in counts.items()]
    return sorted(found, key=lambda entry: (entry[2]["right"] / entry[2].total(), -entry[2]["wrong"]))


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


def note_about(result: SubmissionResult) -> str:
    """What the table of students says next to the points."""
    note = {"rejected": "rejected", "error": "could not be graded", "nothing": "submitted nothing"}
    note["unclear"] = "several submissions match" if result.is_absent else "not decided"
    return ", ".join(filter(None, [note.get(result.status), *short_notes(result)]))


def report_link(student: str) -> str:
    """The address of a student's page from index.html, whatever the name holds."""
    return quote(student, safe="", errors="surrogateescape") + "/report.html"


def with_absent(results: Sequence[SubmissionResult], facts: ClassFacts) -> Sequence[SubmissionResult]:
    """The results, and one for each of the roster's members for whom no submission counts; then all by name."""
    if facts.attendance is None:
        return results
    found, most = {result.student: result for result in results}, facts.max_score
    for member, why in facts.attendance.disputed:
        absent = SubmissionResult(student=member.student, status="unclear", message=why, max_score=most, isolation="–")
        found.setdefault(member.student, absent)
    for member in facts.attendance.absent:
        absent = SubmissionResult(student=member.student, status="nothing", max_score=most, isolation="–")
        found.setdefault(member.student, replace(absent, message="On the roster; submitted nothing."))
    return sorted(found.values(), key=lambda each: each.student.lower())


# Whom to look at ------------------------------------------------------------------------------------------------------


def triage(results: Sequence[SubmissionResult]) -> list[tuple[list[str], list[tuple[str, str]]]]:
    """(students, their reasons as (what, why)) of all who are to be looked at, together if they have the same ones."""
    kinds, groups = list(TO_LOOK_AT), dict[tuple[tuple[int, str], ...], list[str]]()
    for result in results:
        reasons = ((kinds.index(kind), shortened(why, MAX_NOTE_CHARACTERS)) for kind, why in reasons_to_look(result))
        groups.setdefault(tuple(sorted(reasons, key=lambda reason: reason[0])), []).append(result.student)
    groups.pop((), None)
    found = sorted(groups.items(), key=lambda line: (line[0][0][0], -len(line[1])))
    return [(who, [(TO_LOOK_AT[kinds[place]], why) for place, why in reasons]) for reasons, who in found]


def reasons_to_look(result: SubmissionResult) -> Iterator[tuple[str, str]]:
    """(kind, why) about one student."""
    has_zero = not result.score and bool(result.max_score) and result.status not in ("error", "unclear")
    on_time = result.late is not None and result.late.is_known and not result.late.seconds  # for the assignment
    if has_zero:
        yield "no points", zero_reason(result)
    elif result.excused is None and not result.has_report:
        yield "no result", result.message or "Submitted nothing."
    for kind, message in result.intake or ():
        if not (kind == "unread" and has_zero) and not (kind == "late" and on_time):
            yield kind if kind in TO_LOOK_AT else "unread", message
    for lesson in result.lessons:
        is_owed = lesson.excused is None and result.excused is None and not has_zero and not result.is_absent
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
        if without := [result.student for result in results if result.lacks(lesson)]:
            sentences.append(
                f"{lesson} was not run on the submissions of {len(without)}, who have no result for it: "
                f"{first_names(without, MAX_NAMES_IN_SENTENCE)}."
            )
    graded = [result.student for result in results if not result.is_absent]
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


def lesson_names(results: Sequence[SubmissionResult]) -> list[str]:
    return sorted({lesson.name for result in results for lesson in result.lessons})


# grades.csv -----------------------------------------------------------------------------------------------------------


def csv_rows(results: Sequence[SubmissionResult], attendance: Attendance | None = None) -> list[list[str]]:
    """The header of grades.csv and its rows. A result with status "error" has no figures: it is not a zero.

    Where lessons or rows are not counted, a column `counted` says for each student what the maximum is made of.
    With an assignment or decisions, the columns of `annotation_cells` follow. With a roster, its own columns follow,
    except those that are there already.
    """
    columns, members = ["student", *lesson_names(results), "total", "max", "percent"], dict[str, Member]()
    own_columns, annotations = list[str](), list(map(annotation_cells, results))
    columns += ["counted"] if any(result.is_partly_counted for result in results) else []
    columns += annotations[0] if any(map(is_annotated, annotations)) else []
    if attendance:
        taken = {*columns, *(annotations[0] if annotations else ()), "handed_in"}
        own_columns = [name for name in attendance.columns if name.lower() not in taken]
        columns += ["handed_in", *own_columns]
        members = {member.student: member for member, _ in attendance.disputed}
        members |= {member.student: member for member in attendance.absent} | dict(attendance.members)
    rows = [columns]
    for result, annotation in zip(results, annotations, strict=True):
        cells = csv_cells(result) | annotation
        if (member := members.get(result.student)) is not None:
            cells |= {name: member.line.get(name, "").strip() for name in own_columns}
        rows.append([cells.get(name, "") for name in columns])
    return [[csv_cell(cell) for cell in row] for row in rows]


def csv_cells(result: SubmissionResult) -> dict[str, str]:
    """{column of grades.csv: what it says about a student}"""
    is_known = result.status not in ("error", "unclear") and result.excused is None
    return {
        "student": result.student,
        **{lesson.name: f"{number(lesson.score)}" for lesson in result.counted_lessons},
        "total": f"{number(result.score)}" if is_known else "",
        "max": f"{number(result.max_score)}",
        "percent": f"{number(round(result.percent, 2)):g}" if is_known else "",
        "counted": result.counted_parts(),
        "handed_in": {"nothing": "no", "unclear": "unclear"}.get(result.status, "yes"),
    }
