"""The results of a class during a run: what the class pages and grades.csv read, in little memory."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from operator import attrgetter
from typing import Any, overload

from grader.results import LessonResult, Row, SubmissionResult

FIGURES: dict[str, Any] = dict.fromkeys(("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape", "other"))
KEPT = (
    *("name", "status", "points", "max_points", "chain", "because_of", "mistake", "message", "file", "line"),
    *("numerical_differentiation", "counted"),
)
values_kept = attrgetter(*KEPT)


class ClassResults(Sequence[SubmissionResult]):
    """The results of each student, in order of name.

    They lack what only a student's own pages show: figures, shapes, the lessons' times, seed and environment. What is
    equal is one object: do not change it.
    """

    def __init__(self) -> None:
        self._results: list[SubmissionResult] = []
        self._seen: dict[bytes, Any] = {}

    def add(self, results: SubmissionResult) -> None:
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
        insort(self._results, kept, key=lambda entry: entry.student.lower())

    def _lesson(self, lesson: LessonResult) -> LessonResult:
        rows = [self._row(row) for row in lesson.rows]
        key = lesson.name, lesson.score, lesson.max_score, lesson.status, lesson.message, *map(id, rows)
        found: LessonResult = self._shared(key, lambda: replace(lesson, seconds=0, rows=rows, other=None))
        return found

    def _row(self, row: Row) -> Row:
        found: Row = self._shared(values_kept(row), lambda: replace(row, **FIGURES, expected_shape=[]))
        return found

    def _shared(self, key: object, make: Callable[[], Any] | None = None) -> Any:
        """The first object for an equal key: `key` itself, or what `make` makes.

        Digests are kept, as the keys' texts would fill the memory.
        """
        digest = blake2b(repr(key).encode(errors="surrogatepass"), digest_size=16).digest()
        if digest not in self._seen:
            self._seen[digest] = make() if make else key
        return self._seen[digest]

    @overload
    def __getitem__(self, place: int) -> SubmissionResult: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[SubmissionResult]: ...
    def __getitem__(self, place: int | slice) -> SubmissionResult | Sequence[SubmissionResult]:
        return self._results[place]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[SubmissionResult]:
        return iter(self._results)
