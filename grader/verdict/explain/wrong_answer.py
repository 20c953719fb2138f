"""A wrong answer on every deciding problem, next to the reference: is it a given formula, or a multiple of one?

A wrong formula is reported only if it gives the student's tensor on *every* problem (random upstream gradients, several
seeds and sizes) within the judge's own tolerance, so a match by luck is ruled out. The k of a multiple is the
least-squares one of each problem. It has a name if it is the same number on every problem, or a constant made of the
problem's sizes and settings.
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
from grader.verdict.explain.problem_values import name_of, named_factors

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
class WrongAnswer:
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
class WrongGradient(WrongAnswer):
    """A gradient that is wrong on every problem: the whole of d`name`, or its part that comes through `consumer`.

    Of a part, `found` is the answer less all other parts, which are taken as right. `uses` are the parameters that the
    student's code reads, as far as is known.
    """

    name: str
    problems: list[Problem]
    floors: list[float]
    consumer: str | None = None
    uses: frozenset[str] = frozenset()

    @property
    def what(self) -> str:
        return f"Your `d{self.name}`" if self.is_whole else f"In your `d{self.name}`, the {self.path}"

    @property
    def path(self) -> str:
        return "gradient" if self.is_whole else f"part that comes through `{self.consumer}`"

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

    def branches(self) -> Iterator[WrongGradient]:
        """Each branch as the only wrong one; none where there is only one."""
        if self.is_whole_in_shape and len(self.consumers) > 1:
            for consumer in self.consumers:
                yield self.restricted_to([problem.branches(self.name)[consumer] for problem in self.problems], consumer)

    def restricted_to(self, shares: list[Tensor], consumer: str) -> WrongGradient:
        """The same answer with all that is wrong in one part; `shares` are the part's references, one per problem."""
        return replace(
            self,
            consumer=consumer,
            found=[f - (e - share) for (f, e), share in zip(self.pairs, shares, strict=True)],
            expected=shares,
            floors=[max(floor, euclidean_norm(found)) for floor, found in zip(self.floors, self.found, strict=True)],
        )


def wrong_gradient(name: str, cases: Cases) -> WrongGradient | None:
    """The wrong gradient d`name` of these answers; None where there are no finite floating-point numbers to read."""
    tensors = [answer.tensor for _, answer in cases]
    if any(t is None or t.dtype not in (torch.float32, torch.float64) or not t.numel() for t in tensors):
        return None
    found = [t.double() for t in tensors if t is not None]
    if not all(bool(torch.isfinite(t).all()) for t in found):
        return None
    problems = [problem for problem, _ in cases]
    return WrongGradient(
        name=name,
        problems=problems,
        found=found,
        expected=[problem.reference(name).double() for problem in problems],
        floors=[FLOOR * problem.scale(name) for problem in problems],
        rtol=max(tolerance_of(answer) for _, answer in cases),
        uses=frozenset().union(*(answer.uses for _, answer in cases)),
    )


# Multiples ------------------------------------------------------------------------------------------------------------

ZERO_COEFFICIENT = 1e-7
"""A coefficient of at most this size counts as zero."""
LARGEST_FACTOR = 1e9
"""Nobody forgets a larger factor, or the reciprocal of one: such numbers are left of something else."""
SINGULAR_GRAM = 1e-6
"""The Gram determinant of normalised parts below which their coefficients are not determined."""


def multiple_of(tensor: Tensor, of: Tensor) -> float | None:
    """The k for which k · `of` is nearest to `tensor`; None where `of` vanishes or is not finite."""
    square = float((of * of).sum())
    return float((tensor * of).sum()) / square if 0 < square < float("inf") else None


def fit_multiples(
    wrong: WrongAnswer,
    candidates: Iterable[Tensor | None],
    offsets: Sequence[Tensor] | None = None,
) -> list[float]:
    """The k per problem for which found = offset + k · candidate; empty where there is none on some problem.

    `offsets` are zero unless given.
    """
    values = []
    for number, candidate in enumerate(candidates):
        if candidate is None:
            return []
        found = wrong.found[number] if offsets is None else wrong.found[number] - offsets[number]
        k = multiple_of(found, candidate)
        if k is None or not wrong.is_explained_by(
            number, k * candidate if offsets is None else offsets[number] + k * candidate
        ):
            return []
        values.append(k)
    return values


def name_multiple(
    wrong: WrongAnswer, candidates: Iterable[Tensor | None], offsets: Sequence[Tensor] | None = None
) -> str | None:
    """The name of k where found = offset + k · candidate on every problem; None where there is none."""
    values = fit_multiples(wrong, candidates, offsets)
    return wrong.constant(values) if values else None


def fit_parts(wrong: WrongGradient, parts: Iterable[Sequence[Tensor]]) -> list[tuple[str, float]]:
    """(name, value on one problem) of each coefficient where found is a linear combination of the parts.

    `parts` holds the same number of tensors for each problem. Empty where that does not hold, where two parts cannot
    be distinguished, or where a coefficient has no name.
    """
    rows: list[list[float]] = []
    for number, tensors in enumerate(parts):
        columns = torch.stack([tensor.double().flatten() for tensor in tensors])
        gram = columns @ columns.T
        scale = gram.diagonal().sqrt()
        if not bool((scale > 0).all()) or float(torch.linalg.det(gram / scale / scale[:, None])) < SINGULAR_GRAM:
            return []
        solved = torch.linalg.solve(gram, columns @ wrong.found[number].flatten())
        if not wrong.equals(number, (solved @ columns).view(wrong.found[number].shape)):
            return []
        rows.append([float(k) for k in solved])
    labels = [(name_coefficient(wrong, values), values) for values in zip(*rows, strict=True)]
    named = [(label, values[first_telling(values)]) for label, values in labels if label]
    return named if len(named) == len(labels) else []


def first_telling(values: Sequence[float]) -> int:
    """The number of the first problem on which a factor is not 1: where a size is 1, its factor does nothing."""
    return next((number for number, value in enumerate(values) if abs(abs(value) - 1) > SINGULAR_GRAM), 0)


def name_coefficient(wrong: WrongAnswer, values: Sequence[float]) -> str | None:
    """The name of a coefficient that may be zero: "0"; otherwise see `WrongAnswer.constant`."""
    return "0" if all(abs(value) <= ZERO_COEFFICIENT for value in values) else wrong.constant(values)
