"""The verdicts on a submission: a result for each row, lesson and submission, and results.json, which holds them.

No other module writes results.json or reads its fields. Reading ignores fields that this version does not know. Dates
are texts in ISO format with a time zone. What an assignment and people's decisions add is in the assignment's points:
weighted and scaled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from grader.typed_json import OPTIONAL, JsonObject

RESULTS_VERSION = 1
RESULTS_FILE = "results.json"
TOTAL = "total"
"""All lessons of a submission together, next to the names of single ones."""

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
START_THERE = "start there."
"""Ends the sentence of a wrong row that comes from another wrong row, which it names."""


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


class NotGraded(NamedTuple):
    """A lesson that a failed attempt should have graded."""

    name: str
    max_score: float


class IntakeRemark(NamedTuple):
    """How a submission was read, where that is not obvious, or when it came. See publish.report.classroom for kinds."""

    kind: str
    message: str


class Comment(NamedTuple):
    """A remark by a person, for the student."""

    text: str
    author: str
    made: str


class Adjustment(NamedTuple):
    """Points that a person has set, in place of `before`."""

    points: float
    before: float
    author: str
    made: str
    reason: str


class Excuse(NamedTuple):
    """A row, lesson or assignment that does not count for a student."""

    author: str
    made: str
    reason: str


class Lateness(NamedTuple):
    """How late work was, and what that cost. Where the time `is_known` to nobody, late work waits for a decision."""

    is_known: bool
    seconds: int  # from the student's due date to the submission; 0 for work within the grace period
    days: int  # rounded up
    free_days: int  # how many of these days are free late days of the term
    kept_percent: float
    cost: float  # the points that were lost, or that wait for a decision


class Answered(NamedTuple):
    """What a student answered to a question, and the `share` of its points, from 0 to 1.

    The row of a question has 0 of 0 points until an assignment gives it a weight. `waits`: a person has to read it.
    """

    question: str
    text: str
    share: float
    waits: bool = False


WHY_AN_ATTEMPT_COUNTS: Final = {
    "best": "it is the best one",
    "last": "it is the last one",
    "last on time": "it is the last one on time",
    "last, none on time": "it is the last one, and none was on time",
}


class CountedAttempt(NamedTuple):
    """Which of a student's attempts a lesson's points come from: the attempt `number` of those that contain it."""

    number: int
    of: int
    submitted: str | None
    why: str  # the rule: "best", "last", "last on time"; "last, none on time" where that rule found no attempt
    time_source: str | None = None  # the place in a file that says when; None where the platform says it

    @property
    def why_in_words(self) -> str:
        return WHY_AN_ATTEMPT_COUNTS.get(self.why, self.why)


class AssignmentSummary(NamedTuple):
    """The assignment, as it is for one student. `extended_to` is the student's own due date, by a decision."""

    title: str
    due: str | None
    extended_to: str | None
    counts: str


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
        return Row.from_json(self.to_json())


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
    """The verdict on a submission, and how it was reached."""

    version: int = RESULTS_VERSION
    student: str
    submission_sha256: str = ""
    score: float = 0
    max_score: float = 0
    status: SubmissionStatus = "graded"
    message: str | None = None
    isolation: str = "none"
    isolation_missing: Sequence[str] | None = field(default=None, metadata=OPTIONAL)  # in sentences
    seed: int = 0
    seconds: float = 0
    environment: Mapping[str, Any] = field(default_factory=dict)
    lessons: list[LessonResult] = field(default_factory=list)
    not_graded: list[NotGraded] | None = field(default=None, metadata=OPTIONAL)
    left_out: list[str] | None = field(default=None, metadata=OPTIONAL)  # lessons that no submission of the run has
    earlier: list[str] | None = field(default=None, metadata=OPTIONAL)  # lessons from an attempt before the latest
    local: str | None = field(default=None, metadata=OPTIONAL)  # what a student's own check is not, in a sentence
    intake: list[IntakeRemark] | None = field(default=None, metadata=OPTIONAL)
    assignment: AssignmentSummary | None = field(default=None, metadata=OPTIONAL)
    late: Lateness | None = field(default=None, metadata=OPTIONAL)
    adjustment: Adjustment | None = field(default=None, metadata=OPTIONAL)
    excused: Excuse | None = field(default=None, metadata=OPTIONAL)
    comments: list[Comment] | None = field(default=None, metadata=OPTIONAL)

    def to_text(self) -> str:
        """results.json, in lines that people can read and compare."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_text(cls, text: str) -> SubmissionResult:
        """Raises ValueError, a sentence, where the text is no results.json."""
        return cls.from_json(json.loads(text))

    @property
    def percent(self) -> float:
        """The share of the points, from 0 to 100."""
        return 100 * self.score / self.max_score if self.max_score else 0.0

    @property
    def score_or_none(self) -> float | None:
        """The score; None for a student who has none, which is not a zero."""
        has_none = self.status in ("error", "nothing", "unclear") or self.excused is not None
        return None if has_none else self.score

    @property
    def is_absent(self) -> bool:
        """Whether no submission is certainly the student's."""
        return self.status == "nothing" or (self.status == "unclear" and not self.lessons)

    @property
    def has_report(self) -> bool:
        return self.status != "error" and not self.is_absent

    @property
    def counted_lessons(self) -> list[LessonResult]:
        """Those for which the student has points, which may be 0: not excused, and nothing to be decided."""
        parts = self.lessons if self.excused is None else []
        return [each for each in parts if each.excused is None and not each.is_unclear]

    def lacks(self, lesson: str) -> bool:
        """Whether no run graded the lesson. What could not be graded is another matter."""
        named = {part.name for part in (*self.lessons, *(self.not_graded or ()))}
        return bool(named) and lesson not in named

    @property
    def lesson_points(self) -> dict[str, float]:
        """{lesson: its points} of those that were submitted and read, and that count for the student."""
        return {each.name: each.score for each in self.counted_lessons if each.status == "graded" or each.score}

    def shares(self) -> dict[str, float]:
        """{lesson or TOTAL: the score as a share of the student's own maximum}.

        What the student is excused from, and what is not decided, has none: it would be a zero that nobody earned. Nor
        has the total where a lesson could not be graded, and anything of a student who submitted nothing.
        """
        if self.excused is not None or self.status == "nothing":
            return {}
        shares = {each.name: each.score / each.max_score if each.max_score else 0.0 for each in self.counted_lessons}
        is_excused = bool(self.lessons) and all(each.excused is not None for each in self.lessons)
        is_decided = self.status not in ("error", "unclear") and not is_excused
        return shares | ({TOTAL: self.percent / 100} if is_decided else {})

    @property
    def is_partly_counted(self) -> bool:
        """Whether lessons or rows are not counted."""
        return bool(self.left_out) or not all(row.counted for row in self.rows())

    def rows(self) -> Iterator[Row]:
        return (row for lesson in self.lessons for row in lesson.rows)

    def counted_parts(self) -> str:
        """What the maximum is made of: "03_makemore_steps, 05_batch_norm (1 of 13 rows)"."""
        shares = ((each.name, each.counted, len(each.rows)) for each in self.lessons)
        return ", ".join(name + (f" ({count} of {rows} rows)" if count < rows else "") for name, count, rows in shares)


def read_results(folder: Path) -> SubmissionResult | None:
    """results.json in a student's folder; None where none can be read."""
    try:
        return SubmissionResult.from_text((folder / RESULTS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def number(value: float, decimals: int | None = None) -> float:
    """A score as people write it: 26, not 26.0; with so many decimals, six at most, halves rounded up."""
    rounded = round(float(value), 6)
    if decimals is not None:
        rounded = float(Decimal(f"{rounded}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    return int(rounded) if rounded.is_integer() else rounded


def points_text(value: float) -> str:
    """Points for pages and screens: with two decimals at most. Files for programs have all digits."""
    return f"{number(round(value, 2))}"


def points_in_words(value: float) -> str:
    """ "1 point", "2.5 points"."""
    return f"{points_text(value)} {'point' if value == 1 else 'points'}"
