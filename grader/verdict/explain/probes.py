"""Calls of a student's step with upstream gradients chosen to show what is wrong, where no formula fits its answer.

A gradient is linear in its upstream gradients: twice as large and of the other sign gives twice as large and of the
other sign. And with an upstream gradient that is zero except for one element, the gradient is zero wherever the forward
pass does not compute that element from. What is reported here is what came of the calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.reference.tape import LOSS
from grader.results.wording import listed_as_code
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.explanation import Explanation
from grader.verdict.judge.runner import StepRunner

PROBE_FACTOR = -2.0
PROBE_RTOL = 1e-6
"""Tensors closer than this share of the larger one are equal."""
PROBE_ZERO = 1e-9
"""An element smaller than this share of the largest is zero."""


def explain_by_probes(student: StepRunner, step: str, problems: Sequence[Problem]) -> Explanation | None:
    """What a step does wrong with chosen upstream gradients; None where it lacks one, or does nothing wrong."""
    problem = max(problems, key=lambda each: min(each.values[step[1:]].shape, default=0))
    consumers = problem.graph.consumers[step[1:]]
    is_chosen = problem.random_upstream and LOSS not in consumers
    if not is_chosen or problem.requested_instead(step[1:], student.answers(problem)[step].uses) is not None:
        return None
    return next(chain(not_linear(student, step, problem), wrong_pattern(student, step, problem)), None)


def answer_to(student: StepRunner, step: str, problem: Problem) -> Tensor | None:
    """The step's answer as float64; None where it has not the gradient's shape, or is not finite."""
    check_interrupt()
    tensor = student.answers(problem)[step].tensor
    if tensor is None or tensor.shape != problem.values[step[1:]].shape or not bool(torch.isfinite(tensor).all()):
        return None
    return tensor.double()


def with_upstream_of(problem: Problem, upstream: Mapping[str, Tensor]) -> Problem:
    """The problem with these upstream gradients; every other one except the loss's is zero."""
    zeros = {name: torch.zeros_like(tensor) for name, tensor in problem.upstream.items() if name != LOSS}
    return problem.with_upstream({**problem.upstream, **zeros, **upstream})


def not_linear(student: StepRunner, step: str, problem: Problem) -> Iterator[Explanation]:
    """An upstream gradient that is added to a number, squared, or whose largest element is taken."""
    scaled = with_upstream_of(problem, {n: PROBE_FACTOR * t for n, t in problem.upstream.items() if n != LOSS})
    before, after = answer_to(student, step, problem), answer_to(student, step, scaled)
    if (
        before is None
        or after is None
        or norm_of(after - PROBE_FACTOR * before) <= PROBE_RTOL * max(norm_of(after), 1e-300)
    ):
        return
    uses = student.answers(problem)[step].uses
    names = [f"d{name}" for name in problem.graph.consumers[step[1:]] if not uses or f"d{name}" in uses]
    if names:
        it, is_or_are = listed_as_code(names), "is" if len(names) == 1 else "are"
        yield Explanation(
            "not_linear",
            f"When {it} {is_or_are} multiplied by −2, `{step}` must be multiplied by −2, too; yours is not. In a "
            "gradient, each term has exactly one upstream gradient as a factor, and nothing else is done with it than "
            "to sum it, copy it or multiply it by forward values.",
        )


def wrong_pattern(student: StepRunner, step: str, problem: Problem) -> Iterator[Explanation]:
    """The gradient for one element of an upstream gradient is zero where it should not be, or the other way round."""
    name = step[1:]
    for consumer in problem.graph.consumers[name]:
        upstream = torch.zeros_like(problem.upstream[consumer])
        if not upstream.ndim or not upstream.numel():
            continue
        index = tuple(size // 2 for size in upstream.shape)
        upstream[index] = 1.0
        single = with_upstream_of(problem, {consumer: upstream})
        found, expected = answer_to(student, step, single), single.reference(name).double()
        if found is None:
            return
        given = f"Suppose that `d{consumer}` is zero except for a 1 in {list(index)}. Then `{step}`"
        reached, is_zero = is_not_noise(expected), not bool(is_not_noise(found).any())
        those = "that element" if int(reached.sum()) == 1 else "those elements"
        where, because = places_in_words(reached), f"`{consumer}{list(index)}` is computed from {those}"
        if is_zero and bool(reached.any()):
            yield Explanation("wrong_pattern", f"{given} is not zero in {where}, because {because}; yours is all zero.")
        elif (excess := (is_not_noise(found) & ~reached).nonzero()).numel():
            at = excess[0].tolist()
            text = f"is zero outside {where}, because {because} alone" if bool(reached.any()) else "is zero"
            yield Explanation("wrong_pattern", f"{given} {text}; yours is {float(found[tuple(at)]):.3g} in {at}.")
        elif (lack := (reached & ~is_not_noise(found)).nonzero()).numel():
            at = lack[0].tolist()
            text = f"is not zero in {at}, because `{consumer}{list(index)}` is computed from that element as well"
            yield Explanation("wrong_pattern", f"{given} {text}; yours is zero there.")
        elif int(reached.sum()) == 1:
            slope, yours = float(expected[reached]), float(found[reached])
            if abs(slope - yours) > PROBE_RTOL * abs(slope):
                digits = 4 if f"{slope:.4g}" != f"{yours:.4g}" else 9
                numbers = f"{slope:.{digits}g}; yours is {yours:.{digits}g}"
                text = f"is the forward line's slope at that element: {numbers}."
                yield Explanation("wrong_slope", f"{given} there {text} What is the derivative of the forward line?")


def is_not_noise(tensor: Tensor) -> Tensor:
    """Where a tensor differs from zero by more than rounding."""
    return tensor.abs() > PROBE_ZERO * tensor.abs().max()


def norm_of(tensor: Tensor) -> float:
    return float(torch.linalg.vector_norm(tensor))


def places_in_words(places: Tensor) -> str:
    """The elements of a mask: "[1, 2]", "row 3", "column 2", or how many."""
    indices = places.nonzero()
    if len(indices) == 1:
        return f"{indices[0].tolist()}"
    if places.ndim == 2:
        for axis, word in ((0, "row"), (1, "column")):
            line = int(indices[0][axis])
            if bool((indices[:, axis] == line).all()) and len(indices) == places.shape[1 - axis]:
                return f"{word} {line}"
    return f"{len(indices)} of its {places.numel()} elements"
