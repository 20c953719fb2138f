"""A student's current results: the union, lesson by lesson, of what the attempts in the gradebook say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.questions.question import is_question
from grader.results import LessonResult, SubmissionResult, number
from grader.results.annotations import NotGraded


def current_results(attempts: Iterable[SubmissionResult]) -> SubmissionResult:
    """Combine a student's attempts, newest first and at least one.

    For each lesson the newest attempt that contains it counts. A lesson that is missing from a newer submission keeps
    its earlier result. A lesson whose newest attempt failed through a fault of the grader has no result, and the status
    is "error": an older result is not current. With a single attempt, its results are returned unchanged.
    """
    newest = iter(attempts)
    latest = next(newest)
    current: dict[str, LessonResult] = {}
    earlier: list[str] = []
    failed: dict[str, float] = {}
    failed_attempt: SubmissionResult | None = None
    has_earlier = False
    for attempt in [latest, *newest]:
        has_earlier = has_earlier or attempt is not latest
        if attempt.status == "error":
            failed_attempt = failed_attempt or attempt
            failed |= {
                lesson.name: lesson.max_score
                for lesson in attempt.not_graded or ()
                if lesson.name not in failed and may_be_completed(current.get(lesson.name))
            }
            continue
        for lesson in attempt.lessons:
            name = lesson.name
            if (
                name in failed
                or not may_be_completed(current.get(name))
                or (name in current and lesson.status == "missing")
            ):
                continue
            current[name] = lesson
            if attempt is not latest:
                earlier.append(name)
    if not has_earlier:
        return latest
    lessons = [current[name] for name in sorted(current) if name not in failed]
    combined = replace(
        latest,
        lessons=lessons,
        score=number(sum(lesson.score for lesson in lessons)),
        max_score=number(sum(lesson.max_score for lesson in lessons) + sum(failed.values())),
        earlier=sorted({name for name in earlier if name not in failed}),
    )
    if latest.left_out is not None:
        combined.left_out = [name for name in latest.left_out if name not in current and name not in failed]
    if failed or latest.status == "error":
        assert failed_attempt is not None
        combined.status, combined.message = "error", failed_attempt.message
        combined.not_graded = [NotGraded(name, points) for name, points in sorted(failed.items())]
        combined.max_score = combined.max_score or failed_attempt.max_score
    return combined


def may_be_completed(result: LessonResult | None) -> bool:
    """Whether an older attempt may still say something about the lesson."""
    return result is None or result.status == "missing"


def graded_lessons(attempt: SubmissionResult) -> set[str]:
    """The names of the lessons that an attempt graded, or should have graded."""
    return {lesson.name for lesson in (*attempt.lessons, *(attempt.not_graded or ()))}


def is_result_of(lesson: LessonResult, attempt: SubmissionResult) -> bool:
    """Whether a lesson's result, perhaps with other points and fewer rows, comes from this attempt."""
    for own in attempt.lessons:
        if own.name == lesson.name and own.seconds == lesson.seconds:
            rows = {row.name: (row.status, row.maxdiff, row.relative_error, row.line) for row in own.rows}
            return all(
                rows.get(row.name) == (row.status, row.maxdiff, row.relative_error, row.line)
                for row in lesson.rows
                if row.name in rows or not is_question(row.name)
            )
    return False
