"""The lesson's own wrong formulas, run on the problems that a student's answer failed on."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import relative_error
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import run_formula
from grader.reference.problem import Problem
from grader.verdict.explain.claims import FunctionContents, is_borne_out
from grader.verdict.explain.explanation import MAX_JOINED, Explanation, join_explanations
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.wrong_answer import Cases, euclidean_norm, tolerance_of


def known_mistake(
    step: str, cases: Cases, mistakes: Iterable[Mistake], contents: FunctionContents | None = None
) -> Explanation | None:
    """The known mistakes of `step` (such as `dprobs`) that give exactly these answers; None where none does."""
    candidates = (m for m in mistakes if m.gradient == step and is_borne_out(m.message, contents))
    found = [m for m in candidates if all(gives(m, *case) for case in cases)]
    return join_explanations(Explanation(m.id, m.message, known=True) for m in found[:MAX_JOINED])


def gives(mistake: Mistake, problem: Problem, answer: Answer) -> bool:
    """Whether the wrong formula gives this answer on this problem."""
    wrong = answer_of_mistake(mistake, problem)
    if wrong.outcome != "returned" or set(wrong.changed) != set(answer.changed):
        return False
    if wrong.tensor is None:
        return answer.tensor is None and wrong.kind == answer.kind
    return answer_equals(answer, wrong.tensor)


def answer_of_mistake(mistake: Mistake, problem: Problem) -> Answer:
    """What the wrong formula gives on this problem."""
    return computed_once(
        problem, ("mistake", mistake), lambda: run_formula(mistake.function, mistake.gradient, problem)
    )


def answer_equals(answer: Answer, candidate: Tensor) -> bool:
    """Whether an answer is what a wrong formula gives, infinities in the same places included."""
    if answer.tensor is None or answer.tensor.shape != candidate.shape:
        return False
    if not candidate.is_floating_point() or not answer.tensor.is_floating_point():
        return bool(torch.equal(answer.tensor.double(), candidate.double()))
    found, expected = answer.tensor.double(), candidate.double()
    finite = torch.isfinite(found)
    if not bool(finite.all()):  # a wrong formula may divide by zero, then in the same places
        if not bool((finite == torch.isfinite(expected)).all()):
            return False
        found, expected = found.where(finite, 0.0), expected.where(finite, 0.0)
    return relative_error(found, expected, euclidean_norm(expected)) <= tolerance_of(answer)
