"""The class page's list of what an instructor should look at: who has 0 and why, who was late, what was guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.publish.report.classroom import NOTHING_SUBMITTED, UNCLEAR, is_absent, students_by_key
from grader.publish.report.decisions import short_notes
from grader.publish.view import STATE_WORDS
from grader.results import SubmissionResult
from grader.results.wording import count_text, shortened

NO_TIME: Final = "is not decided: the time of submission is unknown"
NO_POINTS: Final = "has 0"
NO_RESULT: Final = "has no result"
UNREAD_LESSON: Final = "has a lesson that was not read"
MISSING_LESSON: Final = "has not submitted a lesson"
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
ORDER: Final = (NO_TIME, NO_POINTS, NO_RESULT, UNREAD_LESSON, *WHAT_INTAKE_DID.values(), MISSING_LESSON)
"""What a person has to decide first comes first."""
MAX_NOTE_CHARACTERS = 300


class TriageEntry(NamedTuple):
    """A line: students, and what to look at, as (what, why). `linked`: these students have reports."""

    students: list[str]
    reasons: tuple[tuple[str, str], ...]
    linked: bool


def triage(results: Sequence[SubmissionResult]) -> list[TriageEntry]:
    """A line per student, and one for all with the same reasons; empty where there is nothing to look at."""
    without_report = {result.student for result in results if result.status == "error" or is_absent(result)}
    noted = ((tuple(sorted(reasons_to_look(result), key=urgency)), result.student) for result in results)
    groups = students_by_key((reasons, student) for reasons, student in noted if reasons)
    lines = sorted(groups.items(), key=lambda line: (urgency(line[0][0]), -len(line[1])))
    return [TriageEntry(students, reasons, without_report.isdisjoint(students)) for reasons, students in lines]


def urgency(reason: tuple[str, str]) -> int:
    return ORDER.index(reason[0])


def reasons_to_look(result: SubmissionResult) -> Iterator[tuple[str, str]]:
    """(what, why) about one student."""
    has_zero = not result.score and bool(result.max_score) and result.status not in ("error", UNCLEAR)
    on_time = result.late is not None and result.late.is_known and not result.late.seconds  # for the assignment
    if has_zero:
        yield NO_POINTS, zero_reason(result)
    elif result.excused is None and (result.status == "error" or is_absent(result)):
        yield NO_RESULT, shortened(result.message or "Submitted nothing.", MAX_NOTE_CHARACTERS)
    for remark in result.intake or ():
        if not (remark.kind == "unread" and has_zero) and not (remark.kind == "late" and on_time):
            yield (
                WHAT_INTAKE_DID.get(remark.kind, WHAT_INTAKE_DID["unread"]),
                shortened(remark.message, MAX_NOTE_CHARACTERS),
            )
    for lesson in result.lessons:
        is_owed = lesson.excused is None and result.excused is None and not has_zero and not is_absent(result)
        if lesson.status != "graded" and is_owed:
            what = MISSING_LESSON if lesson.status == "missing" else UNREAD_LESSON
            yield what, shortened(f"{lesson.name}: {lesson.message or 'nothing was submitted'}", MAX_NOTE_CHARACTERS)
        if lesson.is_unclear:
            yield NO_TIME, f"{lesson.name}: give the time with --times, or decide with grade adjust"
        for row in lesson.rows:
            if row.answer and row.answer.waits and row.max_points and not row.adjustment:
                yield WAITING_TEXT, f"{lesson.name}.{row.name}"


def zero_reason(result: SubmissionResult) -> str:
    """Why a submission has no points, in one line."""
    if result.status == NOTHING_SUBMITTED:
        return "Submitted nothing."
    unread = [remark.message for remark in result.intake or () if remark.kind == "unread"]
    if unread or (result.status == "rejected" and result.message):
        return shortened(unread[0] if unread else result.message or "", MAX_NOTE_CHARACTERS)
    rows = [row for lesson in result.lessons if lesson.status == "graded" for row in lesson.rows]
    if not rows:
        messages = (lesson.message for lesson in result.lessons if lesson.message)
        return shortened(next(messages, "No lesson was submitted."), MAX_NOTE_CHARACTERS)
    states = Counter(row.status for row in rows)
    if states["passed"]:
        why = ", ".join(short_notes(result)) or "the assignment gives no points for them"
        return f"{states['passed']} of {count_text(len(rows), 'row')} right: {why}."
    if states.keys() == {"todo"}:
        return "All functions are untouched stubs."
    causes = {row.message for row in rows if row.status in ("error", "timeout", "crashed", "forbidden")}
    if len(causes) == 1 and len(states) == 1 and (cause := next(iter(causes))):
        return shortened(cause, MAX_NOTE_CHARACTERS)
    return f"No row is right: {', '.join(f'{count} {STATE_WORDS[status]}' for status, count in states.most_common())}."
