"""A student's results in one line, for a comment column or a mail."""

from __future__ import annotations

from collections.abc import Iterator

from grader.publish.inert import inert
from grader.results import WORDS, LessonResult, Row, SubmissionResult, points_text
from grader.results.wording import listed

MOST_NAMED = 8


def one_line_summary(results: SubmissionResult) -> str:
    """The points, what is not right yet, and what people wrote about the submission."""
    sentences = [
        f"{points_text(results.score)} of {points_text(results.max_score)} points ({points_text(results.percent)} %)."
    ]
    if results.status == "nothing":
        sentences = ["Nothing was submitted."]
    elif results.status != "graded":
        sentences.append(results.message or f"The submission was {results.status}.")
    else:
        absent = [lesson.name for lesson in results.lessons if lesson.status != "graded"]
        wrong = [
            f"{row.name} ({WORDS[row.status]})"
            for lesson in results.lessons
            if lesson.status == "graded"
            for row in lesson.rows
            if row.counted and row.status != "passed"
        ]
        if absent:
            sentences.append(f"Not submitted, or not readable: {listed(absent, MOST_NAMED)}.")
        if wrong:
            sentences.append(f"Not right yet: {listed(wrong, MOST_NAMED)}.")
    return " ".join(inert(" ".join([*sentences, *decision_sentences(results)])).split())


def decision_sentences(results: SubmissionResult) -> Iterator[str]:
    """What people decided and wrote, and what lateness cost."""
    parts: list[tuple[str, SubmissionResult | LessonResult | Row]] = [("This submission", results)]
    for lesson in results.lessons:
        parts += [(lesson.name, lesson), *((f"{lesson.name}.{row.name}", row) for row in lesson.rows)]
    for name, part in parts:
        if not isinstance(part, Row) and part.late is not None and part.late.cost:
            yield f"{name} was late: {points_text(part.late.cost)} points less."
        if isinstance(part, LessonResult) and part.demanded_defence is not None and part.demanded_defence.cost:
            yield f"{name} has no sufficient defence: {points_text(part.demanded_defence.cost)} points less."
        if part.excused is not None:
            yield f"{name} is excused: {part.excused.reason}"
        if part.adjustment is not None:
            yield f"{name} was set to {points_text(part.adjustment.points)} points: {part.adjustment.reason}"
        yield from (f"{comment.author}: {comment.text}" for comment in part.comments or ())
