"""What every right gradient has and this answer lacks, where no formula fits.

An element that changes nothing has the gradient zero. And in a call with an upstream gradient that is zero except for
one element, the gradient is zero wherever the forward pass does not compute that element from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.reference.runner import StepRunner
from grader.reference.tape import LOSS
from grader.results.wording import listed_as_code
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.wrong_answer import WrongGradient, wrong_gradient
from grader.verdict.judge.line import judge_line

PROBE_RTOL = 1e-6
"""Slopes closer than this share of the larger one are equal."""
PROBE_ZERO = 1e-9
"""An element smaller than this share of the largest is zero."""


def explain_by_properties(student: StepRunner, step: str, name: str, problems: Sequence[Problem]) -> Explanation | None:
    """What is wrong with an answer, by what a gradient would have on the problems on which it is wrong."""
    cases = [(problem, student.answers(problem)[step]) for problem in problems]
    wrong = wrong_gradient(name, [case for case in cases if not judge_line(name, [case]).passed])
    if wrong is None:
        return None
    problem = max(wrong.problems, key=lambda each: min(each.values[name].shape, default=0))
    is_chosen = problem.random_upstream and LOSS not in problem.graph.consumers[name]
    is_chosen = is_chosen and len(wrong.problems) == len(problems)
    is_chosen = is_chosen and problem.requested_instead(name, student.answers(problem)[step].uses) is None
    probed = wrong_pattern(student, step, problem) if is_chosen else iter(())
    return next(chain(not_zero(wrong), probed), None)


# Without a further call ----------------------------------------------------------------------------------------------


def not_zero(wrong: WrongGradient) -> Iterator[Explanation]:
    """Different from zero where the gradient is zero because nothing is computed from those elements."""
    with_zeros = [(found, expected == 0) for found, expected in wrong.pairs if bool((expected == 0).any())]
    if not wrong.same_shape or len(with_zeros) < 2 or not all(bool(expected.any()) for expected in wrong.expected):
        return
    if all(bool((found[zero] != 0).any()) for found, zero in with_zeros):
        found, zero = with_zeros[0]
        first = ((found != 0) & zero).nonzero()[0].tolist()
        yield Explanation(
            "not_zero_elsewhere",
            f"The gradient of `{wrong.name}` is zero in {int(zero.sum())} of {zero.numel()} elements of one problem: "
            f"changing those a little changes nothing that is computed from `{wrong.name}`. Yours is not zero in all "
            f"of them: look at {first}. Why does a small change there change nothing?",
        )


# With a chosen upstream gradient -------------------------------------------------------------------------------------


def wrong_pattern(student: StepRunner, step: str, problem: Problem) -> Iterator[Explanation]:
    """The gradient for one element of an upstream gradient is zero where it should not be, or the other way round."""
    name = step[1:]
    for consumer in problem.graph.consumers[name]:
        upstream = torch.zeros_like(problem.upstream[consumer])
        if not upstream.ndim or not upstream.numel():
            continue
        check_interrupt()
        index = tuple(size // 2 for size in upstream.shape)
        upstream[index] = 1.0
        zeros = {each: torch.zeros_like(tensor) for each, tensor in problem.upstream.items() if each != LOSS}
        probed = problem.with_upstream({**problem.upstream, **zeros, consumer: upstream})
        found, expected = student.answers(probed)[step].tensor, probed.reference(name).double()
        if found is None or found.shape != expected.shape or not bool(torch.isfinite(found).all()):
            return
        reached, own = is_not_noise(expected), is_not_noise(found.double())
        excess, lack = (own & ~reached).nonzero().tolist(), (reached & ~own).nonzero().tolist()
        others = [f"d{each}" for each in problem.graph.consumers[name] if each != consumer]
        are = f", and {listed_as_code(others)} {'is' if len(others) == 1 else 'are'} zero" if others else ""
        given = f"Suppose that `d{consumer}` is zero except for a 1 in {list(index)}{are}. Then `{step}`"
        moved = f"`{consumer}{list(index)}`"
        if excess:
            count, at = int(reached.sum()), excess[0]
            where = str(reached.nonzero()[0].tolist()) if count == 1 else f"{count} of its {reached.numel()} elements"
            outside = f" outside {where}, because a small change elsewhere does not move {moved}" if count else ""
            text = f"{given} is zero{outside}; yours is {float(found[tuple(at)]):.3g} in {at}."
            yield Explanation("wrong_pattern", text)
        elif lack:
            text = f"{given} is not zero in {lack[0]}, because a change there moves {moved}; yours is zero there."
            yield Explanation("wrong_pattern", text)
        elif int(reached.sum()) == 1:
            slope, yours = float(expected[reached]), float(found[reached])
            if abs(slope - yours) > PROBE_RTOL * abs(slope):
                digits = 4 if f"{slope:.4g}" != f"{yours:.4g}" else 9
                numbers = f"{slope:.{digits}g}; yours is {yours:.{digits}g}"
                text = f"in {reached.nonzero()[0].tolist()} is the forward line's slope at that element: {numbers}."
                yield Explanation("wrong_slope", f"{given} {text} What is the derivative of the forward line?")


def is_not_noise(tensor: Tensor) -> Tensor:
    """Where a tensor differs from zero by more than rounding."""
    return tensor.abs() > PROBE_ZERO * tensor.abs().max()
