"""A student's current results: the union, lesson by lesson, of what all attempts in the gradebook say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.results import LessonResult, NotGraded, SubmissionResult, number


def current_results(attempts: Iterable[SubmissionResult]) -> SubmissionResult:
    """Combine a student's attempts, newest first and at least one.

    For each lesson the newest attempt that contains it counts. A lesson that is missing from a newer submission keeps
    its earlier result. A lesson whose newest attempt failed through a fault of the grader has no result, and the status
    is "error": an older result is not current. With a single attempt, its results are returned unchanged.
    """
    latest, *older = attempts
    if not older:
        return latest
    current, failed = newest_lessons([latest, *older])
    lessons = [current[name] for name in sorted(current) if name not in failed]
    combined = replace(
        latest,
        lessons=lessons,
        score=number(sum(lesson.score for lesson in lessons)),
        max_score=number(sum(lesson.max_score for lesson in lessons) + sum(failed.values())),
    )
    if latest.left_out is not None:
        combined.left_out = [name for name in latest.left_out if name not in current and name not in failed]
    if failed or latest.status == "error":
        failed_attempt = next(attempt for attempt in (latest, *older) if attempt.status == "error")
        combined.status, combined.message = "error", failed_attempt.message
        combined.not_graded = [NotGraded(name, points) for name, points in sorted(failed.items())]
        combined.max_score = combined.max_score or failed_attempt.max_score
    return combined


def newest_lessons(attempts: Iterable[SubmissionResult]) -> tuple[dict[str, LessonResult], dict[str, float]]:
    """({lesson: its newest result}, {lesson whose newest attempt failed: its points}) of attempts, newest first."""
    current: dict[str, LessonResult] = {}
    failed: dict[str, float] = {}
    for attempt in attempts:
        if attempt.status == "error":
            for lost in attempt.not_graded or ():
                known = current.get(lost.name)
                if known is None or known.status == "missing":
                    failed.setdefault(lost.name, lost.max_score)
            continue
        for lesson in attempt.lessons:
            known = current.get(lesson.name)
            is_newer = known is None or (known.status == "missing" and lesson.status != "missing")
            if is_newer and lesson.name not in failed:
                current[lesson.name] = lesson
    return current, failed


def graded_lessons(attempt: SubmissionResult) -> set[str]:
    """The names of the lessons that an attempt graded, or should have graded."""
    return {lesson.name for lesson in (*attempt.lessons, *(attempt.not_graded or ()))}
