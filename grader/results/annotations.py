"""What intake, an assignment and people's decisions add to a verdict: the optional fields of results.json.

Dates are texts in ISO format with a time zone. Points are the assignment's: weighted and scaled.
"""

from __future__ import annotations

from typing import NamedTuple


class NotGraded(NamedTuple):
    """A lesson that a failed attempt should have graded."""

    name: str
    max_score: float


class IntakeRemark(NamedTuple):
    """How a submission was read, where that is not obvious, or when it came."""

    kind: str  # see publish.report.triage
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
    """How late work was, and what that cost.

    Attributes:
        is_known: whether the time of submission is known. Where it is not, work that may be late keeps nothing, until a
            person decides.
        seconds: from the student's due date to the submission; 0 for work within the grace period.
        days: `seconds` as days, rounded up.
        free_days: how many of these days are free late days of the term.
        kept_percent: the share of the points that is left.
        cost: the points that were lost, or that wait for a decision.
    """

    is_known: bool
    seconds: int
    days: int
    free_days: int
    kept_percent: float
    cost: float


class Answered(NamedTuple):
    """What a student answered to a question, and the share of its points, from 0 to 1.

    The row of a question has 0 of 0 points until an assignment gives the question a weight. `waits` says that a person
    has to read the answer.
    """

    question: str
    text: str
    share: float
    waits: bool = False


class DemandedDefence(NamedTuple):
    """A defence that the assignment demands and that is missing, or has too few right answers.

    Attributes:
        right: how many questions of a full sheet must be right.
        policy: "warn", or "cap" where the lesson's points are limited.
        reached: the share of right answers of the latest defence, from 0 to 1; None where none is recorded.
        result: the latest defence in words; None where none is recorded.
        cost: the points that were lost.
    """

    right: int
    policy: str
    reached: float | None
    result: str | None
    cost: float


class CountedAttempt(NamedTuple):
    """Which of a student's attempts a lesson's points come from.

    Attributes:
        number: its place among the attempts that contain the lesson, from 1, in the order of submission.
        of: how many attempts contain the lesson.
        submitted: when it was submitted; None if nothing says so.
        why: the rule by which it counts: "best", "last" or "last on time"; "last, none on time" where that rule found
            no attempt on time.
        time_source: the place in a file by which `submitted` is known; None where the platform says it.
    """

    number: int
    of: int
    submitted: str | None
    why: str
    time_source: str | None = None


class AssignmentSummary(NamedTuple):
    """The assignment, as it is for one student. `extended_to` is the student's own due date, by a decision."""

    title: str
    due: str | None
    extended_to: str | None
    counts: str
