"""What the gradebook keeps for ever: attempts, and what people decided about them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from grader.results import SubmissionResult

DecisionKind = Literal["points", "comment", "excuse", "extension", "undo", "defence"]


@dataclass(frozen=True)
class Attempt:
    """One graded submission of a student.

    Attributes:
        id: its place in the gradebook; a later attempt has a greater one.
        submitted: when it was submitted, with a time zone; None if nothing says so.
        graded: when its verdict was stored, with a time zone.
        verdict: `results`, or their text, which is read when they are needed.
        time_source: the place in a file that says when it was submitted, "times.csv, line 3"; "" for the platform.
        platform: "late" or "on time", where the platform itself says so; else "".
        key, submission, conditions, extras: as in tables.sql.
    """

    id: int
    student: str
    submitted: datetime | None
    graded: datetime
    verdict: SubmissionResult | str
    time_source: str = ""
    platform: str = ""
    key: str = ""
    submission: str = ""
    conditions: str = ""
    extras: str | None = None

    @cached_property
    def results(self) -> SubmissionResult:
        """The verdict itself, before weights, lateness and decisions. Raises ValueError for a text that is none."""
        if isinstance(self.verdict, SubmissionResult):
            return self.verdict
        results = SubmissionResult.from_text(self.verdict)
        for lesson in results.lessons:
            lesson.from_attempt = self.id
        return results


@dataclass(frozen=True)
class Decision:
    """An entry by a person. It is never changed or deleted: a later entry with kind "undo" takes it back.

    Attributes:
        id: its place in the gradebook; a later decision has a greater one.
        author: who decided, as a name or an e-mail address.
        made: when, with a time zone.
        row: "03_makemore_steps.dprobs", or "03_makemore_steps" for the lesson, or None for the whole assignment.
        points: what the row, lesson or assignment is worth now ("points"); the share of right answers, from 0 to 1
            ("defence"); None for the other kinds.
        until: the student's own due date, with a time zone ("extension"); None for the other kinds.
        text: the reason or the comment, as the student may read it.
        undoes: the id of the decision that an "undo" takes back.
    """

    id: int
    student: str
    kind: DecisionKind
    author: str
    made: datetime
    row: str | None = None
    points: float | None = None
    until: datetime | None = None
    text: str = ""
    undoes: int | None = None
