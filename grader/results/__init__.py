"""The verdicts on a submission: a result for each row, lesson and submission, and results.json, which holds them.

No other module writes results.json or reads its fields. `other` keeps fields that this version does not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import ROUND_HALF_UP, Decimal
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

from grader.results.annotations import (
    ANNOTATIONS,
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
    annotations_to_json,
    read_annotations,
)
from grader.results.json_text import Json, clean, encode_json, is_clean, known_and_other, lines
from grader.results.typed_json import check_fields, typed

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

STATUS_WORDS = {
    **{"passed": "right", "failed": "wrong value", "shape": "wrong shape"},
    **{"todo": "to do", "missing": "missing"},
    "error": "error",
    "timeout": "out of time",
    "crashed": "crashed",
    "forbidden": "not allowed",
}


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
class Row:
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
    outside_notebook: bool = False
    adjustment: Adjustment | None = None
    excused: Excuse | None = None
    comments: list[Comment] | None = None
    answer: Answered | None = None
    other: Json | None = None

    def to_json(self) -> Json:
        data = annotations_to_json(dict(zip(ROW_FIELDS, row_values(self), strict=True)))
        for name in ("mistake", "numerical_differentiation"):
            if data[name] is not None:
                data[name] = data[name]._asdict()
        if not self.outside_notebook:
            del data["outside_notebook"]
        return data | self.other if self.other else data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Row:
        check_fields(cls, data)
        row = cls(**data) if data.keys() <= KNOWN_IN_ROW else cls(**known_and_other(data, KNOWN_IN_ROW))
        if row.mistake is not None:
            row.mistake = typed(NamedMistake, data["mistake"])
        if row.numerical_differentiation is not None:
            row.numerical_differentiation = typed(NumericalUse, data["numerical_differentiation"])
        for name, value in read_annotations(data).items():
            setattr(row, name, value)
        return row

    def with_clean_values(self) -> Row:
        """The row with values that JSON and UTF-8 can hold, see `clean`. A row that has them is returned as it is."""
        if self.other is None and all(map(is_clean, row_values(self))):
            return self
        return Row.from_json(clean(self.to_json()))


@dataclass(slots=True)
class LessonResult:
    """The verdict on a lesson of a submission. `rows` are called "gradients" in results.json.

    `from_attempt` is the id of the gradebook's attempt that it was read from; results.json does not have it.
    """

    name: str
    score: float
    max_score: float
    status: LessonStatus = "graded"
    message: str | None = None
    seconds: float = 0
    rows: list[Row] = field(default_factory=list)
    attempt: CountedAttempt | None = None
    late: Lateness | None = None
    adjustment: Adjustment | None = None
    excused: Excuse | None = None
    comments: list[Comment] | None = None
    demanded_defence: DemandedDefence | None = None
    other: Json | None = None
    from_attempt: int | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls, name: str, rows: list[Row], status: LessonStatus = "graded", message: str | None = None, seconds: float = 0
    ) -> LessonResult:
        """The result with the sums of the rows' points."""
        score, max_score = number(sum(row.points for row in rows)), number(sum(row.max_points for row in rows))
        return cls(name, score, max_score, status, message, seconds, rows)

    def to_json(self) -> Json:
        data = {name: getattr(self, name) for name in (*LESSON_FIELDS, *LESSON_ANNOTATIONS)}
        data = annotations_to_json(data) | (self.other or {})
        return data | {"gradients": [row.to_json() for row in self.rows]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LessonResult:
        check_fields(cls, data)
        known = known_and_other(data, KNOWN_IN_LESSON) | read_annotations(data)
        return cls(rows=[Row.from_json(row) for row in known.pop("gradients", ())], **known)

    @property
    def is_unclear(self) -> bool:
        """Whether it has no points until somebody knows when it was submitted, or decides."""
        return self.late is not None and not self.late.is_known and self.late.cost > 0

    @property
    def counted(self) -> int:
        """How many of the rows count."""
        return sum(row.counted for row in self.rows)


@dataclass(slots=True, kw_only=True)
class SubmissionResult:
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
    isolation_missing: Sequence[str] | None = None
    seed: int = 0
    seconds: float = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    lessons: list[LessonResult] = field(default_factory=list)
    not_graded: list[NotGraded] | None = None
    left_out: list[str] | None = None
    earlier: list[str] | None = None
    local: str | None = None
    intake: list[IntakeRemark] | None = None
    assignment: AssignmentSummary | None = None
    late: Lateness | None = None
    adjustment: Adjustment | None = None
    excused: Excuse | None = None
    comments: list[Comment] | None = None
    other: Json | None = None

    def to_json(self) -> Json:
        return {**self._fields(), "lessons": [lesson.to_json() for lesson in self.lessons]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SubmissionResult:
        check_fields(cls, data)
        known = known_and_other(data, KNOWN_IN_SUBMISSION) | read_annotations(data)
        lessons = [LessonResult.from_json(lesson) for lesson in known.pop("lessons", ())]
        known |= {name: [typed(kind, each) for each in known[name]] for name, kind in LISTS.items() if known.get(name)}
        return cls(lessons=lessons, **known)

    def to_text(self) -> str:
        """results.json: a line for each field and each row, which people can read and compare."""
        lessons = (
            "{\n" + lines(data, "gradients", map(encode_json, data.pop("gradients")), "   ") + "\n  }"
            for data in (lesson.to_json() for lesson in self.lessons)
        )
        return "{\n" + lines(self._fields(), "lessons", lessons, "") + "\n}\n"

    @classmethod
    def from_text(cls, text: str) -> SubmissionResult:
        """Raises ValueError, a sentence, where the text is no results.json."""
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError("it is no JSON object")
        return cls.from_json(data)

    def _fields(self) -> Json:
        """All fields but `lessons`, in the order of results.json."""
        values = ((name, getattr(self, name)) for name in SUBMISSION_FIELDS)
        found = {name: value for name, value in values if value is not None or name not in OPTIONAL_FIELDS}
        found |= {name: [entry._asdict() for entry in found[name]] for name in LISTS.keys() & found.keys()}
        return annotations_to_json(found) | (self.other or {})

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


ROW_FIELDS = tuple(each.name for each in fields(Row) if each.name != "other")
row_values = attrgetter(*ROW_FIELDS)
LESSON_FIELDS = ("name", "score", "max_score", "status", "message", "seconds")
LESSON_ANNOTATIONS = ("attempt", "late", "adjustment", "excused", "comments", "demanded_defence")
SUBMISSION_FIELDS = tuple(each.name for each in fields(SubmissionResult) if each.name not in ("lessons", "other"))
LISTS = {"not_graded": NotGraded, "intake": IntakeRemark}
OPTIONAL_FIELDS = ("isolation_missing", "not_graded", "left_out", "earlier", "local", "intake", *ANNOTATIONS)
KNOWN_IN_ROW = frozenset(ROW_FIELDS)
KNOWN_IN_LESSON = frozenset({*LESSON_FIELDS, *LESSON_ANNOTATIONS, "gradients"})
KNOWN_IN_SUBMISSION = frozenset({*SUBMISSION_FIELDS, "lessons"})


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
