"""What judging needs of the file it judges: a runner of its steps. Workers and the course's own files implement it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol, TypeGuard

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.verdict.explain.attempts import explaining_a_submission
from grader.verdict.explain.edits.search import Trials

if TYPE_CHECKING:
    from grader.verdict.judge.own_sizes import Terms


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
        trials: the file's functions with small changes, for naming a slip; None without them.
    """

    terms: Terms
    public: Problem | None
    interrupt: int | None
    trials: Trials | None

    def prefetch_traced(self, problems: Sequence[Problem], step: str) -> None:
        """Run a step traced on these problems in one round trip: `run_traced` will be called for each of them next."""
        ...

    def chain(self) -> Mapping[str, Answer]:
        """{step: its answer} where each step is fed the submission's own upstream gradients."""
        ...


def is_submission(runner: StepRunner) -> TypeGuard[SubmissionRunner]:
    """Whether a runner is a submission's, and not one of the course's own files."""
    return hasattr(runner, "terms")


def explaining(runner: StepRunner) -> AbstractContextManager[None]:
    """Inside, explanations of a submission are optional. Those of the course's own files must not fail."""
    return explaining_a_submission(runner.interrupt) if is_submission(runner) else nullcontext()
