"""The verdict on one gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.results import Status
from grader.verdict.explain.explanation import Explanation

Case = tuple[Problem, Answer]
"""A problem and the answer to it."""


STATUS_OF: dict[str, Status] = {
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

    status: Status
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
