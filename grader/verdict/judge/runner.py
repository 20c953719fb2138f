"""What judging needs of the file it judges: a runner of its steps. Workers and the course's own files implement it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeGuard

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.source.syntax import WrittenNumber


@dataclass(frozen=True)
class Terms:
    """What a submission is judged by, besides its numbers.

    Attributes:
        broadcast: a shape that differs in axes of length one only is accepted.
        sizes: {size: its value} of a notebook; None where all sizes have to be right.
        numbers: {row: the numbers in its statements}.
        is_notebook: it is a notebook or script in the lecture's style, whose steps are lines of one text.
    """

    broadcast: bool = False
    sizes: Mapping[str, int] | None = None
    numbers: Mapping[str, Sequence[WrittenNumber]] = field(default_factory=dict)
    is_notebook: bool = False


STRICT = Terms()


class StepRunner(Protocol):
    """Runs the steps of one file on problems: a student's in a worker, or one of the course's own in this process."""

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        """Return {step: answer} for every step. Operators are not counted and float32 is not noticed."""
        ...

    def prefetch(self, problems: Sequence[Problem]) -> None:
        """Run all steps on these problems in one round trip: their answers will be read next."""
        ...

    def run_traced(self, problem: Problem, step: str) -> Answer:
        """Run one step again with its operators counted and float32 noticed, which takes four times as long."""
        ...


class SubmissionRunner(StepRunner, Protocol):
    """The runner of a submission, with what judging knows of the submission besides its answers.

    Attributes:
        terms: what the file may write differently from a stub.
        public: the published problem at the file's own sizes, where these differ from the lecture's.
        interrupt: a descriptor; once it is readable, the search for an explanation raises Interrupted.
        trials: the file's functions with small changes, for naming a slip (explain's Trials); None without them.
    """

    terms: Terms
    public: Problem | None
    interrupt: int | None
    trials: Any

    def chain(self) -> Mapping[str, Answer]:
        """{step: its answer} where each step is fed the submission's own upstream gradients."""
        ...


def is_submission(runner: StepRunner) -> TypeGuard[SubmissionRunner]:
    """Whether a runner is a submission's, and not one of the course's own files."""
    return hasattr(runner, "terms")
