"""What is current: a student's results, of all attempts in the gradebook, and those of a class, in little memory.

A student's current results are the union, lesson by lesson, of what the attempts say. Of a class, what the class pages
and grades.csv read is kept during a run.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from operator import attrgetter
from typing import Any

from grader.questions.question import is_question
from grader.results import LESSON_ANNOTATIONS, LessonResult, Row, SubmissionResult, number
from grader.results.annotations import NotGraded


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
    of_latest = {id(lesson) for lesson in latest.lessons}
    lessons = [current[name] for name in sorted(current) if name not in failed]
    combined = replace(
        latest,
        lessons=lessons,
        score=number(sum(lesson.score for lesson in lessons)),
        max_score=number(sum(lesson.max_score for lesson in lessons) + sum(failed.values())),
        earlier=[lesson.name for lesson in lessons if id(lesson) not in of_latest],
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


NO_FIGURES: dict[str, Any] = dict.fromkeys(
    ("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape", "other")
)
KEPT_FIELDS = (
    *("name", "status", "points", "max_points", "chain", "because_of", "mistake", "message", "file", "line"),
    *("numerical_differentiation", "counted", "adjustment", "excused", "comments"),
)
kept_values = attrgetter(*KEPT_FIELDS)
lesson_values = attrgetter("name", "score", "max_score", "status", "message", *LESSON_ANNOTATIONS)


def student_order(results: SubmissionResult) -> str:
    return results.student.lower()


class ClassResults(Sequence[SubmissionResult]):
    """The results of each student, in order of name.

    They lack what only a student's own pages show: figures, shapes, the lessons' times, seed and environment. Equal
    values are one shared object: do not change them.
    """

    def __init__(self) -> None:
        self._results: list[SubmissionResult] = []
        self._by_digest: dict[bytes, Any] = {}

    def add(self, results: SubmissionResult) -> None:
        """Insert a student's results, or replace them, reduced to what class pages and grades.csv read."""
        lessons = [self._lesson(lesson) for lesson in results.lessons]
        kept = replace(
            results,
            submission_sha256="",
            seed=0,
            environment=self._shared({}),
            lessons=self._shared([id(lesson) for lesson in lessons], lambda: lessons),
            other=None,
        )
        for name in ("message", "isolation", "isolation_missing", "not_graded", "left_out", "earlier"):
            setattr(kept, name, self._shared(getattr(kept, name)))
        at = bisect_left(self._results, kept.student.lower(), key=student_order)
        while at < len(self._results) and student_order(self._results[at]) == kept.student.lower():
            if self._results[at].student == kept.student:
                del self._results[at]
                break
            at += 1
        insort(self._results, kept, key=student_order)

    def _lesson(self, lesson: LessonResult) -> LessonResult:
        rows = [self._row(row) for row in lesson.rows]
        key = *lesson_values(lesson), *map(id, rows)
        shared: LessonResult = self._shared(key, lambda: replace(lesson, seconds=0, rows=rows, other=None))
        return shared

    def _row(self, row: Row) -> Row:
        shared: Row = self._shared(kept_values(row), lambda: replace(row, **NO_FIGURES, expected_shape=[]))
        return shared

    def _shared(self, key: object, make: Callable[[], Any] | None = None) -> Any:
        """The first object for an equal key: `key` itself, or what `make` makes.

        Only digests of the keys are stored, because their texts would fill the memory.
        """
        digest = blake2b(repr(key).encode(errors="surrogatepass"), digest_size=16).digest()
        if digest not in self._by_digest:
            self._by_digest[digest] = make() if make else key
        return self._by_digest[digest]

    def __getitem__(self, place: Any) -> Any:
        return self._results[place]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[SubmissionResult]:
        return iter(self._results)
