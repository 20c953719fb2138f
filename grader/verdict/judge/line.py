"""The verdict on one gradient, from its answers to several problems.

A step may leave out an upstream gradient and be computed from an earlier one, further up in the backward pass: "the
mean of dbndiff" is a right dbnmeani in every network.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import torch

from grader.calling.answer import Answer
from grader.comparison.tensors import TOLERANCE, TensorComparison, compare
from grader.reference.problem import TRIVIAL, Problem
from grader.results import NamedMistake, Status
from grader.verdict.judge.messages import (
    IN_FLOAT32,
    JUDGED_IN_FLOAT32,
    changed_argument,
    not_a_tensor,
    upstream_left_out,
)

Case = tuple[Problem, Answer]
"""A problem and the answer to it."""

FROM_EARLIER_GRADIENT = "Right, but it skips a step: it is computed from gradients further up than the next one."

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
    """The verdict on one line of a student's, fed the given upstream gradients; `cases` are what decided.

    A wrong value has no message: where it is wrong, and why, is for explain/ to say.
    """

    status: Status
    relative_error: float | None = None
    message: str | None = None
    mistake: NamedMistake | None = None
    line: int | None = None
    cases: Sequence[Case] = ()

    @property
    def passed(self) -> bool:
        return self.status == "passed"


def with_remark(verdict: Verdict, remark: str) -> Verdict:
    """The same verdict with one more sentence for the student."""
    return replace(verdict, message=f"{remark} {verdict.message}" if verdict.message else remark)


def judge_line(name: str, cases: Sequence[Case]) -> Verdict:
    """Judge d`name` by its answers to several problems. An advisory problem never makes it fail."""
    deciding = [case for case in cases if not case[0].draw.note]
    for _, answer in deciding:
        if answer.outcome != "returned":
            status = STATUS_OF[answer.outcome]
            return Verdict(status, message=answer.message or None, line=answer.line, cases=deciding)
    line = next((answer.line for _, answer in deciding if answer.line is not None), None)
    changed = sorted({argument for _, answer in deciding for argument in answer.changed})
    if changed:
        mistake = changed_argument(name, changed)
        return Verdict("failed", message=mistake.message, mistake=mistake, line=line, cases=deciding)
    for _, answer in deciding:
        if answer.tensor is None:
            return Verdict("shape", message=not_a_tensor(name, answer), line=line, cases=deciding)
    comparisons = [compare_answer(name, problem, answer) for problem, answer in deciding]
    errors = [found.relative_error for found in comparisons]
    known = [error for error in errors if error is not None]
    worst = max(known) if known and len(known) == len(errors) else None
    verdict = Verdict("passed", worst, line=line, cases=deciding)
    if all(found.passed for found in comparisons):
        verdict.message = remark_on_right(name, cases, verdict)
        return verdict
    from_earlier = computed_from_earlier(name, deciding)
    if from_earlier is not None:
        verdict.relative_error, ones = from_earlier
        if not ones:
            in_float32 = any(answer.in_float32 for _, answer in deciding)
            verdict.message = f"{FROM_EARLIER_GRADIENT} {JUDGED_IN_FLOAT32}" if in_float32 else FROM_EARLIER_GRADIENT
            return verdict
        verdict.mistake = upstream_left_out(name, ones)
        verdict.message = verdict.mistake.message
    verdict.status = "shape" if any(found.stage == "shape" for found in comparisons) else "failed"
    return verdict


def remark_on_right(name: str, cases: Sequence[Case], verdict: Verdict) -> str | None:
    """What is said of a right answer: that an advisory problem fails, or that it was judged in float32."""
    for problem, answer in reversed(cases):
        if problem.draw.note and (
            answer.tensor is None or answer.changed or not compare_answer(name, problem, answer).passed
        ):
            return problem.draw.note[f"d{name}"]
    if any(answer.in_float32 for problem, answer in cases if not problem.draw.note):
        return JUDGED_IN_FLOAT32
    is_rounded = verdict.relative_error is not None and verdict.relative_error > TOLERANCE
    return IN_FLOAT32 if is_rounded else None


def compare_answer(name: str, problem: Problem, answer: Answer) -> TensorComparison:
    assert answer.tensor is not None
    reference, scale, low = problem.reference(name), problem.scale(name), answer.low_precision
    if not low and answer.tensor.dtype != torch.float32:
        return compare(answer.tensor, reference, scale, low, problem.size(name))
    return compare(answer.tensor, reference, scale, low, problem.size(name), problem.low_precision_tolerance)


def computed_from_earlier(name: str, cases: Sequence[Case]) -> tuple[float, tuple[str, ...]] | None:
    """How a step is right given the upstream gradients that it requests; None if it is wrong on some problem.

    Returns the largest relative error, and the upstream gradients that it leaves out and that are all ones.
    """
    errors = []
    ones: tuple[str, ...] = ()
    for problem, answer in cases:
        requested = problem.requested_instead(name, answer.uses)
        if requested is None:
            return None
        assert answer.tensor is not None
        reference = problem.reference_from(name, requested)
        comparison = compare(answer.tensor, reference, problem.scale(name), answer.low_precision)
        if not comparison.passed or comparison.relative_error is None:
            return None
        if float(torch.linalg.vector_norm(reference)) < TRIVIAL * problem.scale(name):
            continue  # zero in this whole network: an answer that equals it shows nothing
        errors.append(comparison.relative_error)
        ones = left_out_ones(problem, name, requested)
    return (max(errors), ones) if errors else None


def left_out_ones(problem: Problem, name: str, requested: Collection[str]) -> tuple[str, ...]:
    """The upstream gradients that the step does not request and that are all ones in the whole network.

    Leaving them out has no effect there, as behind a plain sum, so an answer that equals the gradient shows no work.
    """
    skipped: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for consumer in problem.graph.consumers[waiting.pop()]:
            has_upstream = consumer not in requested and problem.graph.consumers[consumer]
            if has_upstream and consumer not in skipped:
                skipped[consumer] = None
                waiting.append(consumer)
    return tuple(other for other in skipped if bool((problem.reference_from(other, requested) == 1).all()))
