"""In which precision an answer was computed, which takes another run."""

from __future__ import annotations

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.verdict.judge.runner import StepRunner


def is_to_be_traced(answer: Answer) -> bool:
    """Whether it matters in which precision the answer was computed."""
    return answer.tensor is not None and not answer.changed


def with_precision(answer: Answer, student: StepRunner, problem: Problem, step: str) -> Answer:
    """The answer with a note whether some of it was computed in float32."""
    if not is_to_be_traced(answer):
        return answer
    return answer._replace(low_precision=student.run_traced(problem, step).low_precision)
