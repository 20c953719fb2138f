"""The current results of a class, in little memory: what the class pages and grades.csv read, kept during a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from grader.results import Row, SubmissionResult

NO_FIGURES: dict[str, Any] = dict.fromkeys(("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape"))


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


class ClassResults(Sequence[SubmissionResult]):
    """The results of each student, in order of name.

    They lack what only a student's own pages show: figures, shapes, the lessons' times, seed and environment. Equal
    rows are one shared object, by a digest of what they say: do not change them.
    """

    def __init__(self) -> None:
        self._by_student: dict[str, SubmissionResult] = {}
        self._in_order: list[SubmissionResult] | None = None
        self._rows: dict[bytes, Row] = {}

    def add(self, results: SubmissionResult) -> None:
        """Add a student's results, or replace them, reduced to what class pages and grades.csv read."""
        lessons = [
            replace(lesson, seconds=0, rows=[self._shared(row) for row in lesson.rows]) for lesson in results.lessons
        ]
        self._by_student[results.student] = replace(
            results, submission_sha256="", seed=0, environment={}, lessons=lessons
        )
        self._in_order = None

    def _shared(self, row: Row) -> Row:
        kept = replace(row, **NO_FIGURES, expected_shape=[])
        digest = blake2b(repr(kept).encode(errors="surrogatepass"), digest_size=16).digest()
        return self._rows.setdefault(digest, kept)

    @property
    def _sorted(self) -> list[SubmissionResult]:
        if self._in_order is None:
            self._in_order = sorted(self._by_student.values(), key=lambda each: each.student.lower())
        return self._in_order

    def __getitem__(self, place: Any) -> Any:
        return self._sorted[place]

    def __len__(self) -> int:
        return len(self._by_student)

    def __iter__(self) -> Iterator[SubmissionResult]:
        return iter(self._sorted)
