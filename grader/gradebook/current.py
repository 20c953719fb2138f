"""A student's current results: the union, lesson by lesson, of what the attempts in the gradebook say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.results import LessonResult, NotGraded, SubmissionResult, number


def current_results(attempts: Iterable[SubmissionResult]) -> SubmissionResult:
    """Combine a student's attempts, newest first and at least one.

    For each lesson the newest attempt that contains it counts. A lesson that is missing from a newer submission keeps
    its earlier result. A lesson whose newest attempt failed for a reason of ours has no result, and the status is
    "error": an older result is not current. With a single attempt, its results are returned unchanged.
    """
    newest = iter(attempts)
    latest = next(newest)
    parts: dict[str, LessonResult] = {}
    earlier: list[str] = []
    failed: dict[str, float] = {}
    fault: SubmissionResult | None = None
    changed = False
    for attempt in [latest, *newest]:
        changed = changed or attempt is not latest
        if attempt.status == "error":
            fault = fault or attempt
            if attempt.not_graded is None:  # a book of an earlier version does not say which lessons failed
                break
            failed |= {
                lesson.name: lesson.max_score
                for lesson in attempt.not_graded
                if lesson.name not in failed and is_open(parts.get(lesson.name))
            }
            continue
        for lesson in attempt.lessons:
            name = lesson.name
            if name in failed or not is_open(parts.get(name)) or (name in parts and lesson.status == "missing"):
                continue
            parts[name] = lesson
            if attempt is not latest:
                earlier.append(name)
    if not changed:
        return latest
    lessons = [parts[name] for name in sorted(parts) if name not in failed]
    combined = replace(
        latest,
        lessons=lessons,
        score=number(sum(lesson.score for lesson in lessons)),
        max_score=number(sum(lesson.max_score for lesson in lessons) + sum(failed.values())),
        earlier=sorted({name for name in earlier if name not in failed}),
    )
    if latest.left_out is not None:
        combined.left_out = [name for name in latest.left_out if name not in parts and name not in failed]
    if failed or latest.status == "error":
        assert fault is not None
        combined.status, combined.message = "error", fault.message
        combined.not_graded = [NotGraded(name, points) for name, points in sorted(failed.items())]
        combined.max_score = combined.max_score or fault.max_score
    return combined


def is_open(known: LessonResult | None) -> bool:
    """Whether an older attempt may still say something about the lesson."""
    return known is None or known.status == "missing"


def lessons_of(attempt: SubmissionResult) -> set[str]:
    """The names of the lessons that an attempt graded, or should have graded."""
    return {lesson.name for lesson in (*attempt.lessons, *(attempt.not_graded or ()))}
