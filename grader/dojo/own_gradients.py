"""What a student's functions returned on the published problem, kept for a page, an editor or a notebook to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.calling.answer import Answer
from grader.reference.problem import Problem


@dataclass(frozen=True)
class StepAnswers:
    """`answers` are {gradient: what its function returned} on `problem`."""

    problem: Problem
    answers: Mapping[str, Answer]


@dataclass(frozen=True)
class OwnGradients:
    """The same functions twice: `line` with autograd's upstream gradients, `chain` each with the student's own."""

    line: StepAnswers
    chain: StepAnswers
