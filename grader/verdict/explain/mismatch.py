"""A wrong answer on every deciding problem, next to the reference.

A wrong formula is reported only if it gives the student's tensor on *every* problem (random upstream gradients, several
seeds and sizes) within the judge's own tolerance, so a match by luck is ruled out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import FLOOR, LOW_PRECISION_TOLERANCE, TOLERANCE
from grader.reference.problem import Problem
from grader.verdict.explain.constants import name_of
from grader.verdict.explain.problem_values import named_factors

Cases = Sequence[tuple[Problem, Answer]]
GradientFormula = Callable[[Problem, Tensor], Tensor | None]
"""(problem, the reference there) → what a wrong formula gives; None where it cannot be computed."""

RESIDUE = 1e-6
"""The share of the error that may remain where a candidate accounts for it."""


def euclidean_norm(tensor: Tensor) -> float:
    """The Euclidean norm of all elements."""
    return float(torch.linalg.vector_norm(tensor))


def tolerance_of(answer: Answer) -> float:
    """The relative error up to which an answer counts as equal to a formula."""
    coarse = answer.low_precision or (answer.tensor is not None and answer.tensor.dtype == torch.float32)
    return LOW_PRECISION_TOLERANCE if coarse else TOLERANCE


def accounts_for(found: Tensor, expected: Tensor, candidate: Tensor) -> bool:
    """Whether `candidate` leaves nothing of the error; a candidate that merely comes as close as the reference does."""
    return float((found - candidate).norm()) <= RESIDUE * float((found - expected).norm())


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """`found` and `expected` hold one float64 tensor per problem.

    `rtol` is the relative error (in the Euclidean norm) up to which two tensors are equal.
    """

    found: list[Tensor]
    expected: list[Tensor]
    rtol: float

    @cached_property
    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """(found, expected) per problem."""
        return list(zip(self.found, self.expected, strict=True))

    @cached_property
    def same_shape(self) -> bool:
        return all(found.shape == expected.shape for found, expected in self.pairs)

    @cached_property
    def surplus(self) -> list[Tensor]:
        """found − expected per problem."""
        return [found - expected for found, expected in self.pairs]

    @property
    def what(self) -> str:
        """How a sentence about it begins."""
        raise NotImplementedError

    @property
    def constants(self) -> Sequence[Mapping[str, float]]:
        """{a constant in words: its value} per problem."""
        raise NotImplementedError

    def floor(self, number: int) -> float:
        """The norm below which an error on that problem cannot be distinguished from rounding."""
        return 0.0

    def equals(self, number: int, candidate: Tensor | None) -> bool:
        """Whether `candidate` is what was found on that problem."""
        found = self.found[number]
        if candidate is None or candidate.shape != found.shape:
            return False
        return euclidean_norm(found - candidate) <= self.rtol * max(euclidean_norm(candidate), self.floor(number))

    def is_explained_by(self, number: int, candidate: Tensor | None) -> bool:
        """Whether a formula that gives `candidate` on that problem explains the answer there."""
        return self.equals(number, candidate)

    def are_explained_by(self, candidates: Iterable[Tensor | None]) -> bool:
        """Whether a formula that gives `candidates`, one per problem, explains every answer."""
        return all(self.is_explained_by(number, candidate) for number, candidate in enumerate(candidates))

    def constant(self, values: Sequence[float]) -> str | None:
        """The name of a number that has these values on the problems; None where it has no name: see `name_of`."""
        return name_of(values, self.constants, 10 * self.rtol)


@dataclass(frozen=True, kw_only=True)
class GradientMismatch(Mismatch):
    """A gradient that is wrong on every problem: the whole of d`name`, or its part that comes through `consumer`.

    Of a part, `found` is the answer less all other parts, which are taken as right. `uses` are the parameters that the
    student's code reads, as far as is known. `part` describes a part that is not all that comes through `consumer`.
    """

    name: str
    problems: list[Problem]
    floors: list[float]
    consumer: str | None = None
    uses: frozenset[str] = frozenset()
    part: str = ""

    @property
    def what(self) -> str:
        return f"Your `d{self.name}`" if self.is_whole else f"In your `d{self.name}`, the {self.path}"

    @property
    def path(self) -> str:
        return self.part or ("gradient" if self.is_whole else f"part that comes through `{self.consumer}`")

    @property
    def is_whole(self) -> bool:
        return self.consumer is None

    @property
    def is_whole_in_shape(self) -> bool:
        """Whether it is the whole gradient and has the right shape."""
        return self.is_whole and self.same_shape

    @property
    def consumers(self) -> tuple[str, ...]:
        """The forward values that are computed from `name`; none where these differ from problem to problem.

        They do in a forward pass over layers or time steps: with two steps nobody reads `h[2]`.
        """
        first, *others = (problem.graph.consumers[self.name] for problem in self.problems)
        return first if all(other == first for other in others) else ()

    @property
    def constants(self) -> list[dict[str, float]]:
        return [named_factors(problem, self.name) for problem in self.problems]

    @property
    def largest(self) -> int:
        """The problem with the most elements: the hardest one to match by luck."""
        return max(range(len(self.problems)), key=lambda number: self.expected[number].numel())

    def floor(self, number: int) -> float:
        return self.floors[number]

    def holds(self, formula: GradientFormula) -> bool:
        """Whether a formula gives what was found on every problem."""
        return self.are_explained_by(map(formula, self.problems, self.expected))

    def branches(self) -> Iterator[GradientMismatch]:
        """Each branch as the only wrong one; none where there is only one."""
        if self.is_whole_in_shape and len(self.consumers) > 1:
            for consumer in self.consumers:
                yield self.restricted_to([problem.branches(self.name)[consumer] for problem in self.problems], consumer)

    def restricted_to(self, shares: list[Tensor], consumer: str, part: str = "") -> GradientMismatch:
        """The same mismatch with all of it in one part; `shares` are the part's references, one per problem."""
        return replace(
            self,
            consumer=consumer,
            found=[f - (e - share) for (f, e), share in zip(self.pairs, shares, strict=True)],
            expected=shares,
            floors=[max(floor, euclidean_norm(found)) for floor, found in zip(self.floors, self.found, strict=True)],
            part=part,
        )


def gradient_mismatch(name: str, cases: Cases) -> GradientMismatch | None:
    """The wrong gradient d`name` of these answers; None where there are no finite floating-point numbers to read."""
    tensors = [answer.tensor for _, answer in cases]
    if any(t is None or t.dtype not in (torch.float32, torch.float64) or not t.numel() for t in tensors):
        return None
    found = [t.double() for t in tensors if t is not None]
    if not all(bool(torch.isfinite(t).all()) for t in found):
        return None
    problems = [problem for problem, _ in cases]
    return GradientMismatch(
        name=name,
        problems=problems,
        found=found,
        expected=[problem.reference(name).double() for problem in problems],
        floors=[FLOOR * problem.scale(name) for problem in problems],
        rtol=max(tolerance_of(answer) for _, answer in cases),
        uses=frozenset().union(*(answer.uses for _, answer in cases)),
    )
