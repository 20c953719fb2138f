"""The current results of a class, in little memory: what the class pages and grades.csv read, kept during a run."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple

from grader.results import LessonResult, Row, SubmissionResult

NO_FIGURES: dict[str, Any] = dict.fromkeys(("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape"))
KEPT_FIELDS = (
    *("name", "status", "points", "max_points", "chain", "because_of", "mistake", "message", "file", "line"),
    *("numerical_differentiation", "counted", "adjustment", "excused", "comments"),
)
kept_values = attrgetter(*KEPT_FIELDS)
lesson_values = attrgetter(
    *("name", "score", "max_score", "status", "message"),
    *("attempt", "late", "adjustment", "excused", "comments", "demanded_defence"),
)


class Moves(NamedTuple):
    """How many students' scores have changed since the last run over a gradebook.

    `new` have a score for the first time, or again; `missing` were in the gradebook and are not in this run.
    """

    up: int = 0
    down: int = 0
    new: int = 0
    missing: int = 0

    @classmethod
    def between(
        cls, before: Mapping[str, float | None], after: Mapping[str, float | None], present: Collection[str]
    ) -> Moves:
        """From {student: score, or None where there is none}, and the students of this run."""
        pairs = [(before.get(student), score) for student, score in after.items() if score is not None]
        gains = [score - earlier for earlier, score in pairs if earlier is not None]
        up, down = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        return cls(up, down, len(pairs) - len(gains), len(before.keys() - set(present)))

    def __str__(self) -> str:
        return f"{self.up} up, {self.down} down, {self.new} new, {self.missing} missing"


def score_or_none(results: SubmissionResult) -> float | None:
    """A student's score; None for one who has none, which is not a zero."""
    has_none = results.status in ("error", "nothing", "unclear") or results.excused is not None
    return None if has_none else results.score


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
        )
        for name in ("message", "isolation", "isolation_missing", "not_graded", "left_out"):
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
        shared: LessonResult = self._shared(key, lambda: replace(lesson, seconds=0, rows=rows))
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
