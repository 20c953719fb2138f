"""The verdict on one gradient, and its row in results.json."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.verdict.diagnosis.explanation import Explanation

Case = tuple[Problem, Answer]
"""A problem and the answer to it."""


STATUS_OF = {
    "todo": "todo",
    "missing": "missing",
    "raised": "error",
    "timeout": "timeout",
    "crashed": "crashed",
    "forbidden": "forbidden",
    "skipped": "error",
}


@dataclass
class Verdict:
    """The verdict on one line of a student's, fed the given upstream gradients."""

    status: str
    relative_error: float | None = None
    message: str | None = None
    mistake: Explanation | None = None
    line: int | None = None

    @property
    def passed(self) -> bool:
        return self.status == "passed"


def with_remark(verdict: Verdict, remark: str) -> Verdict:
    """The same verdict with one more sentence for the student."""
    return replace(verdict, message=f"{remark} {verdict.message}" if verdict.message else remark)


@dataclass
class Row:
    """One entry of results.json's `gradients`, field for field."""

    name: str
    status: str
    points: float
    max_points: float
    exact: bool | None = None
    approximate: bool | None = None
    maxdiff: float | None = None
    ulps: int | None = None
    relative_error: float | None = None
    shape: list[int] | None = None
    expected_shape: list[int] = field(default_factory=list)
    chain: str = "skipped"
    because_of: list[str] = field(default_factory=list)
    mistake: dict[str, str] | None = None
    message: str | None = None
    file: str | None = None
    line: int | None = None
    numerical_differentiation: dict[str, Any] | None = None
    counted: bool = True

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
