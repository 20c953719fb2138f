"""What an assignment and people's decisions say about a student: facts, as sentences, notes and cells of grades.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from grader.results import (
    TOTAL,
    LessonResult,
    Row,
    SubmissionResult,
    number,
    points_in_words,
    points_text,
)
from grader.results.wording import date_text, late_texts


class Fact(NamedTuple):
    """Something that a person decided, or that the assignment's rules did.

    Attributes:
        kind: late, excuse, attempt, adjustment or comment.
        part: TOTAL, a lesson's name, or "LESSON.ROW".
        sentence: for the student, next to the part; "" where the report says nothing about it.
        note: the same in a few words, for the table of the class; "" where it says nothing about it.
        cell: the same for grades.csv.
    """

    kind: str
    part: str
    sentence: str
    note: str = ""
    cell: str = ""


def facts_about(results: SubmissionResult) -> Iterator[Fact]:
    """All facts about a student, those about the submission as a whole first."""
    yield from facts_of_part(results, TOTAL, "this assignment")
    yield from (fact for lesson in results.lessons for fact in facts_about_lesson(lesson))


def facts_about_lesson(lesson: LessonResult) -> Iterator[Fact]:
    yield from facts_of_part(lesson, lesson.name, "this lesson")
    for row in lesson.rows:
        yield from facts_of_part(row, f"{lesson.name}.{row.name}", f"`{row.name}`")


def facts_of_part(part: SubmissionResult | LessonResult | Row, name: str, title: str) -> Iterator[Fact]:
    """`title` is what a sentence calls the part."""
    number, is_row = name.partition("_")[0], isinstance(part, Row)
    if part.excused is not None:
        author, reason = part.excused.author, part.excused.reason
        sentence = f"{title[0].upper()}{title[1:]} does not count for you. Decided by {author}.{because(reason)}"
        note = "" if is_row else "excused" if name == TOTAL else f"{number} excused"
        yield Fact("excuse", name, sentence, note, f"{name}, {author}: {reason}")
    if isinstance(part, LessonResult) and part.attempt is not None:
        place, of, why = part.attempt.number, part.attempt.of, part.attempt.why
        submitted = f", of {date_text(part.attempt.submitted)}," if part.attempt.submitted else ""
        sentence = f"Attempt {place} of {of}{submitted} counts: {part.attempt.why_in_words}."
        note = f"{number}: attempt {place} of {of}" if place < of else ""
        yield Fact("attempt", name, sentence if of > 1 else "", note, f"{name}: {place} of {of} ({why})")
    if not isinstance(part, Row) and part.late is not None and part.excused is None:
        sentence, note = late_texts(part.late)
        is_total = isinstance(part, SubmissionResult)
        yield Fact("late", name, sentence if is_total or part.late.cost else "", note if is_total else "")
    if (change := part.adjustment) is not None:
        before, points = points_text(change.before), points_text(change.points)
        sentence = f"{change.author} set {title} to {points_in_words(change.points)}; before, it was {before}."
        cell = f"{name}: {before} -> {points}, {change.author}: {change.reason}"
        yield Fact("adjustment", name, sentence + because(change.reason), "adjusted", cell)
    for comment in part.comments or ():
        sentence = f"{f'On {title}: ' if is_row else ''}{comment.author} writes: {comment.text}"
        yield Fact("comment", name, sentence, "commented", f"{name}, {comment.author}: {comment.text}")


def because(reason: str) -> str:
    return f" Reason: {reason}" if reason else ""


def sentences_about(results: SubmissionResult) -> list[str]:
    """The assignment, the time of submission, and the facts about the submission as a whole."""
    found = []
    if results.assignment is not None:
        title, due, extended_to, _ = results.assignment
        found.append(f"Assignment: {title}." + (f" Due on {date_text(due)}." if due else ""))
        if extended_to:
            found.append(f"Your own due date: {date_text(extended_to)}.")
    if results.excused is None:
        attempts = (lesson.attempt for lesson in results.lessons if lesson.attempt is not None)
        times = dict.fromkeys((each.submitted, each.time_source) for each in attempts if each.submitted)
        found += [f"Submitted on {date_text(when)}, by {source}." for when, source in times if when and source]
        found += [remark.message for remark in results.intake or () if remark.kind == "platform"]
    facts = facts_of_part(results, TOTAL, "this assignment")
    return [*found, *(fact.sentence for fact in facts if fact.sentence)]


def sentences_about_lesson(lesson: LessonResult) -> list[str]:
    return [fact.sentence for fact in facts_about_lesson(lesson) if fact.sentence]


def decision_sentences(results: SubmissionResult) -> Iterator[str]:
    """Each fact about a student, for a text about all lessons."""
    for fact in facts_about(results):
        lesson = "" if fact.part == TOTAL else f"{fact.part.partition('.')[0]}: "
        if fact.sentence:
            yield lesson + fact.sentence


def short_notes(results: SubmissionResult) -> list[str]:
    """The facts in a few words, for the table of the class."""
    notes = list(dict.fromkeys(fact.note for fact in facts_about(results) if fact.note))
    if results.assignment is not None and results.assignment.extended_to:
        notes.append(f"extended to {datetime.fromisoformat(results.assignment.extended_to):%d %b %H:%M %Z}")
    return notes


def annotation_cells(results: SubmissionResult) -> dict[str, str]:
    """{column: cell} of grades.csv for an assignment, or where there are decisions; the same columns for everybody."""
    assignment, late, facts = results.assignment, results.late, list(facts_about(results))
    cells = dict.fromkeys(("assignment", "due", "late_days", "late_cost", "free_days"), "")
    if assignment is not None:
        cells |= {"assignment": assignment.title, "due": assignment.extended_to or assignment.due or ""}
    if late is not None:
        cells |= {"late_days": f"{late.days}", "late_cost": f"{number(late.cost)}", "free_days": f"{late.free_days}"}
        if not late.is_known:
            cells |= {"late_days": "unknown", "late_cost": "" if late.cost else "0"}
    columns = {"attempt": "attempts", "adjustment": "adjustments", "excuse": "excused", "comment": "comments"}
    return cells | {name: "; ".join(fact.cell for fact in facts if fact.kind == kind) for kind, name in columns.items()}


def is_annotated(cells: Mapping[str, str]) -> bool:
    """Whether an assignment or a person says anything about the student with these `annotation_cells`."""
    return any(cell for column, cell in cells.items() if column != "attempts")
