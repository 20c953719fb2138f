"""The class page's list of what an instructor should look at: who has 0 and why, who was late, what was guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.publish.report.classroom import NOTHING_SUBMITTED, UNCLEAR, is_absent, students_by_key
from grader.publish.report.decisions import short_notes
from grader.publish.view import STATE_WORDS
from grader.results import SubmissionResult
from grader.results.wording import count_text

NO_TIME: Final = "is not decided: the time of submission is unknown"
NO_POINTS: Final = "has 0"
WHAT_INTAKE_DID: Final = {
    "guess": "was guessed: see intake.csv",
    "unread": "has a part that was not read",
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
}
"""What the class page says about an IntakeRemark, in the order of the list."""
MAX_NOTE_CHARACTERS = 300


class TriageEntry(NamedTuple):
    """One line: what happened, why, and to whom. `linked`: these students have reports."""

    what: str
    why: str
    students: list[str]
    linked: bool


def triage(results: Sequence[SubmissionResult]) -> list[TriageEntry]:
    """The lines in order, what a person has to decide first; empty where there is nothing to look at."""
    noted = [
        ((NO_TIME, f"{lesson.name}: give the time with --times, or decide with grade adjust"), result.student)
        for result in results
        for lesson in result.lessons
        if lesson.is_unclear
    ]
    noted += [((NO_POINTS, zero_reason(result)), result.student) for result in results if has_zero(result)]
    noted += [
        ((WHAT_INTAKE_DID.get(remark.kind, remark.kind), shortened_text(remark.message)), result.student)
        for result in results
        for remark in result.intake or ()
        if not (remark.kind == "unread" and has_zero(result)) and not (remark.kind == "late" and is_on_time(result))
    ]
    noted += [
        ((WHAT_INTAKE_DID["text"], f"{lesson.name}.{row.name}"), result.student)
        for result in results
        for lesson in result.lessons
        for row in lesson.rows
        if row.answer and row.answer.waits and row.max_points and not row.adjustment
    ]
    absent = {result.student for result in results if is_absent(result)}
    order = [NO_TIME, NO_POINTS, *WHAT_INTAKE_DID.values()]
    groups = sorted(students_by_key(noted).items(), key=lambda entry: (order.index(entry[0][0]), -len(entry[1])))
    return [TriageEntry(*key, names, absent.isdisjoint(names)) for key, names in groups]


def has_zero(result: SubmissionResult) -> bool:
    return not result.score and bool(result.max_score) and result.status not in ("error", UNCLEAR)


def is_on_time(result: SubmissionResult) -> bool:
    """Whether it is on time for the assignment, with its grace period and the student's extension."""
    return result.late is not None and result.late.is_known and not result.late.seconds


def zero_reason(result: SubmissionResult) -> str:
    """Why a submission has no points, in one line."""
    if result.status == NOTHING_SUBMITTED:
        return "Submitted nothing."
    unread = [remark.message for remark in result.intake or () if remark.kind == "unread"]
    if unread or (result.status == "rejected" and result.message):
        return shortened_text(unread[0] if unread else result.message or "")
    graded = [lesson for lesson in result.lessons if lesson.status == "graded"]
    if not graded:
        messages = dict.fromkeys(lesson.message for lesson in result.lessons if lesson.message)
        return shortened_text(next(iter(messages), "No lesson was submitted."))
    rows = [row for lesson in graded for row in lesson.rows]
    states = Counter(row.status for row in rows)
    if states["passed"]:
        why = ", ".join(short_notes(result)) or "the assignment gives no points for them"
        return f"{states['passed']} of {count_text(len(rows), 'row')} right: {why}."
    if states.keys() == {"todo"}:
        return "All functions are untouched stubs."
    causes = {row.message for row in rows if row.status in ("error", "timeout", "crashed", "forbidden")}
    if len(causes) == 1 and len(states) == 1 and (cause := next(iter(causes))):
        return shortened_text(cause)
    counts = ", ".join(f"{count} {STATE_WORDS[status]}" for status, count in states.most_common())
    return f"No row is right: {counts}."


def shortened_text(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_NOTE_CHARACTERS else f"{line[: MAX_NOTE_CHARACTERS - 3]}..."
