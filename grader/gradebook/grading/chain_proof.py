"""Whether a student's own chain follows from its functions, without running it.

A function that is affine in its upstream gradients (affine_functions.py) is f(u) = c + L u for the published problem's
forward values. The hidden suite compared it at other forward values, so it says nothing of this c and L: they may
contain a term that vanishes only at the true upstream gradients. So the function is run on the published forward values
with random upstream gradients, two of each. Where both answers are right apart from rounding, so are c and L. Then a
chain of such functions differs from the true gradients by their own rounding, which the true L carry to later steps.
The largest amplification of random rounding says whether that stays far below the tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import FLOOR, TOLERANCE, norm, quotient, relative_error
from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem, derive
from grader.reference.tape import LOSS
from grader.sandbox.policy.pure_functions import PureFunction

FUNCTION_RTOL = 5e-15
"""The relative error of one function up to which its answer is right apart from rounding. Over the functions of all
lessons' solutions and variants in float64 the largest is 5e-16."""
ROUNDING_MARGIN = 100.0
"""How much worse than measured rounding may be: in another direction, at other upstream gradients."""
TRIALS = 4


class ChainProof:
    """For one lesson and the seed of a run."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self._lesson, self._seed = lesson, seed

    @cached_property
    def gradients(self) -> dict[str, Tensor]:
        """{step: the true gradient} of the published problem."""
        chain = self._lesson.public_chain.chain
        return {item.name: chain[item.target] for item in self._lesson.gradients if item.target is not None}

    @cached_property
    def problems(self) -> tuple[Problem, Problem]:
        """The published forward values with random upstream gradients of the true ones' size, drawn twice."""
        return self._problem(0), self._problem(1)

    def _problem(self, number: int) -> Problem:
        problem, generator = self._lesson.public_chain, self._generator(number)
        upstream = {name: self._noise(name, generator) for name in problem.graph.names if name != LOSS}
        return problem.with_upstream(problem.ends | upstream)

    def is_right(self, step: str, function: PureFunction, answers: Sequence[Mapping[str, Answer]]) -> bool:
        """Whether an affine function's answers to `problems` are right apart from rounding."""
        requested = {name[1:] for name in function.parameters if name.startswith("d")}
        target = step.removeprefix("d")
        for problem, found in zip(self.problems, answers, strict=True):
            answer = found[step]
            tensor, gradient = answer.tensor, problem.reference_from(target, requested)
            if tensor is None or tensor.dtype != torch.float64 or tensor.shape != gradient.shape or answer.changed:
                return False
            if answer.in_float32 or answer.low_precision:
                return False
            if not relative_error(tensor, gradient, problem.scale(target)) <= FUNCTION_RTOL:
                return False
        return True

    @cached_property
    def holds(self) -> bool:
        """Whether rounding in a chain of such functions stays below the tolerance, however it falls."""
        return ROUNDING_MARGIN * FUNCTION_RTOL * max(map(self._amplification, range(TRIALS))) <= TOLERANCE

    def _amplification(self, number: int) -> float:
        """The largest relative error of a gradient, if every function is off by a random relative error of one."""
        problem, generator = self._lesson.public_chain, self._generator(TRIALS + number)
        graph, largest = problem.graph, 0.0
        errors = {name: torch.zeros_like(problem.chain[name]) for name in graph.names}
        for name in reversed(graph.names):
            if name not in problem.ends:
                errors[name] += self._noise(name, generator)
                largest = max(largest, quotient(norm(errors[name]), self._size(name)))
            for parent, share in graph.vjp(name, errors[name]).items() if name in graph.parents else ():
                errors[parent] += share
        return largest

    def _generator(self, number: int) -> torch.Generator:
        return torch.Generator().manual_seed(derive(self._seed, self._lesson.name, "chain proof", number))

    def _size(self, name: str) -> float:
        """What an error of a gradient is measured against."""
        problem = self._lesson.public_chain
        return max(norm(problem.chain[name]), FLOOR * problem.scale(name))

    def _noise(self, name: str, generator: torch.Generator) -> Tensor:
        gradient = self._lesson.public_chain.chain[name]
        noise = torch.randn(gradient.shape, generator=generator, dtype=torch.float64)
        return noise * (self._size(name) / max(norm(noise), 1e-300))
