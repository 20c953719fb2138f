"""The verdicts on a submission: a result for each row, lesson and submission, and results.json, which holds them.

No other module writes results.json or reads its fields. Reading ignores fields that this version does not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple

from grader.results.annotations import (
    Adjustment,
    Answered,
    AssignmentSummary,
    Comment,
    CountedAttempt,
    DemandedDefence,
    Excuse,
    IntakeRemark,
    Lateness,
    NotGraded,
)
from grader.results.typed_json import OPTIONAL, Json, JsonObject, clean

RESULTS_VERSION = 1
RESULTS_FILE = "results.json"

Status = Literal[
    "passed", "failed", "shape", "todo", "missing", "error", "timeout", "crashed", "forbidden", "here", "hidden"
]
"""The status of a row. `here` (passed its public example) and `hidden` (only the hidden suite checks it) are those of a
student's own check; results.json never has them."""
Chain = Literal["passed", "failed", "skipped"]
LessonStatus = Literal["graded", "missing", "rejected"]
SubmissionStatus = Literal["graded", "rejected", "error", "nothing", "unclear"]
"""`nothing` (nothing was submitted) occurs in class pages only. `unclear`: nobody knows whose the submission is, or
when it was submitted; there is no score, which is not a zero, until a person decides."""
UNWRITTEN = ("todo", "missing")
BROKEN_STATUSES = ("error", "timeout", "crashed", "forbidden")  # there is no value to judge
WRONG_STATUSES = ("failed", "shape", *BROKEN_STATUSES)


class NamedMistake(NamedTuple):
    """The mistake that explains a wrong row: `id` to count it over a class, `message` for the student."""

    id: str
    message: str


class NumericalUse(NamedTuple):
    """Where a gradient depends on numerical differentiation. `observed` is what was seen while it ran, or None."""

    method: str
    message: str
    file: str | None
    line: int | None
    observed: str | None = None


@dataclass(slots=True)
class Row(JsonObject):
    """The verdict on a gradient, a check or the answer to a question, which alone has an `answer`.

    `exact`, `approximate`, `maxdiff` and `ulps` compare with autograd in float32 on the published problem;
    `relative_error` is the largest one in float64 on hidden problems. `shape` is that of the student's tensor. A row
    `outside_notebook` is one that a notebook like the lecture's cannot contain, in the verdict on such a notebook. By
    the assignment it may not be `counted`: then it has 0 of 0 points.
    """

    name: str
    status: Status
    points: float
    max_points: float
    exact: bool | None = None
    approximate: bool | None = None
    maxdiff: float | None = None
    ulps: int | None = None
    relative_error: float | None = None
    shape: list[int] | None = None
    expected_shape: list[int] = field(default_factory=list)
    chain: Chain = "skipped"
    because_of: list[str] = field(default_factory=list)
    mistake: NamedMistake | None = None
    message: str | None = None
    file: str | None = None
    line: int | None = None
    numerical_differentiation: NumericalUse | None = None
    counted: bool = True
    outside_notebook: bool = field(default=False, metadata=OPTIONAL)
    adjustment: Adjustment | None = field(default=None, metadata=OPTIONAL)
    excused: Excuse | None = field(default=None, metadata=OPTIONAL)
    comments: list[Comment] | None = field(default=None, metadata=OPTIONAL)
    answer: Answered | None = field(default=None, metadata=OPTIONAL)

    def with_clean_values(self) -> Row:
        """The row with values that JSON and UTF-8 can hold."""
        cleaned: Row = clean(self)
        return cleaned


@dataclass(slots=True)
class LessonResult(JsonObject):
    """The verdict on a lesson of a submission. `rows` are called "gradients" in results.json.

    `from_attempt` is the id of the gradebook's attempt that it was read from; results.json does not have it.
    """

    name: str
    score: float
    max_score: float
    status: LessonStatus = "graded"
    message: str | None = None
    seconds: float = 0
    rows: list[Row] = field(default_factory=list, metadata={"json_name": "gradients"})
    attempt: CountedAttempt | None = field(default=None, metadata=OPTIONAL)
    late: Lateness | None = field(default=None, metadata=OPTIONAL)
    adjustment: Adjustment | None = field(default=None, metadata=OPTIONAL)
    excused: Excuse | None = field(default=None, metadata=OPTIONAL)
    comments: list[Comment] | None = field(default=None, metadata=OPTIONAL)
    demanded_defence: DemandedDefence | None = field(default=None, metadata=OPTIONAL)
    from_attempt: int | None = field(default=None, compare=False, metadata={"json_name": None})

    @classmethod
    def of(
        cls, name: str, rows: list[Row], status: LessonStatus = "graded", message: str | None = None, seconds: float = 0
    ) -> LessonResult:
        """The result with the sums of the rows' points."""
        score, max_score = number(sum(row.points for row in rows)), number(sum(row.max_points for row in rows))
        return cls(name, score, max_score, status, message, seconds, rows)

    @property
    def is_unclear(self) -> bool:
        """Whether it has no points until somebody knows when it was submitted, or decides."""
        return self.late is not None and not self.late.is_known and self.late.cost > 0

    @property
    def counted(self) -> int:
        """How many of the rows count."""
        return sum(row.counted for row in self.rows)


@dataclass(slots=True, kw_only=True)
class SubmissionResult(JsonObject):
    """The verdict on a submission, and how it was reached.

    Optional fields of results.json are None where the file does not have them: `isolation_missing` (sentences),
    `left_out` (lessons of the course that no submission of the run contains), `not_graded` (of a failed attempt),
    `earlier` (lessons whose result comes from an attempt before the latest one), `local` (a sentence that says what a
    student's own check is not), `intake` (how the submission was read).
    """

    version: int = RESULTS_VERSION
    student: str
    submission_sha256: str = ""
    score: float = 0
    max_score: float = 0
    status: SubmissionStatus = "graded"
    message: str | None = None
    isolation: str = "none"
    isolation_missing: Sequence[str] | None = field(default=None, metadata=OPTIONAL)
    seed: int = 0
    seconds: float = 0
    environment: Mapping[str, Any] = field(default_factory=dict)
    lessons: list[LessonResult] = field(default_factory=list)
    not_graded: list[NotGraded] | None = field(default=None, metadata=OPTIONAL)
    left_out: list[str] | None = field(default=None, metadata=OPTIONAL)
    earlier: list[str] | None = field(default=None, metadata=OPTIONAL)
    local: str | None = field(default=None, metadata=OPTIONAL)
    intake: list[IntakeRemark] | None = field(default=None, metadata=OPTIONAL)
    assignment: AssignmentSummary | None = field(default=None, metadata=OPTIONAL)
    late: Lateness | None = field(default=None, metadata=OPTIONAL)
    adjustment: Adjustment | None = field(default=None, metadata=OPTIONAL)
    excused: Excuse | None = field(default=None, metadata=OPTIONAL)
    comments: list[Comment] | None = field(default=None, metadata=OPTIONAL)

    def to_text(self) -> str:
        """results.json: a line for each field and each row, which people can read and compare."""
        data = self.to_json()
        lessons = [
            "{\n" + object_as_lines(lesson, "gradients", map(encode_json, lesson.pop("gradients")), "   ") + "\n  }"
            for lesson in data.pop("lessons")
        ]
        return "{\n" + object_as_lines(data, "lessons", lessons, "") + "\n}\n"

    @classmethod
    def from_text(cls, text: str) -> SubmissionResult:
        """Raises ValueError, a sentence, where the text is no results.json."""
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError("it is no JSON object")
        return cls.from_json(data)

    @property
    def percent(self) -> float:
        """The share of the points, from 0 to 100."""
        return 100 * self.score / self.max_score if self.max_score else 0.0

    @property
    def is_partly_counted(self) -> bool:
        """Whether lessons or rows are not counted."""
        return bool(self.left_out) or not all(row.counted for row in self.rows())

    def rows(self) -> Iterator[Row]:
        return (row for lesson in self.lessons for row in lesson.rows)

    @property
    def is_adjusted_in_part(self) -> bool:
        return any(each.adjustment for each in self.lessons) or any(each.adjustment for each in self.rows())

    def counted_parts(self) -> str:
        """What the maximum is made of: "03_makemore_steps, 05_batch_norm (1 of 13 rows)"."""
        shares = ((each.name, each.counted, len(each.rows)) for each in self.lessons)
        return ", ".join(name + (f" ({count} of {rows} rows)" if count < rows else "") for name, count, rows in shares)

    def only(self, lesson: LessonResult) -> SubmissionResult:
        """The results of one of several lessons."""
        return replace(self, score=lesson.score, max_score=lesson.max_score, lessons=[lesson])


encode_json = json.JSONEncoder(ensure_ascii=False).encode


def object_as_lines(data: Json, name: str, entries: Iterable[str], margin: str) -> str:
    """The fields of a JSON object, one per line, and then the list `name` of `entries`."""
    own = [f'{margin} "{key}": {encode_json(value)}' for key, value in data.items()]
    inside = f",\n{margin}  ".join(entries)
    return ",\n".join([*own, f'{margin} "{name}": ' + (f"[\n{margin}  {inside}\n{margin} ]" if inside else "[]")])


def read_results(folder: Path) -> SubmissionResult | None:
    """results.json in a student's folder; None where none can be read."""
    try:
        return SubmissionResult.from_text((folder / RESULTS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def number(value: float) -> float:
    """A score as people write it: 26, not 26.0."""
    rounded = round(float(value), 6)
    return int(rounded) if rounded.is_integer() else rounded


def rounded_number(value: float, decimals: int | None) -> float:
    """The number with so many decimals, halves rounded up; None: as `number` does."""
    if decimals is None:
        return number(value)
    return number(float(Decimal(f"{number(value)}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)))


def points_text(value: float) -> str:
    """Points for pages and screens: with two decimals at most. Files for programs have all digits."""
    return f"{number(round(value, 2))}"


def points_in_words(value: float) -> str:
    """ "1 point", "2.5 points"."""
    return f"{points_text(value)} {'point' if value == 1 else 'points'}"
