"""A wrong answer on every deciding problem, next to the right one: is it what a given formula gives?

A wrong formula is reported only if it gives the student's tensor on *every* problem (random upstream gradients, several
seeds and sizes) within the judge's own tolerance, so a match by luck is ruled out. Where a formula has a coefficient,
that is the least-squares one of each problem. It has a name if it is the same number on every problem, or a constant
made of the problem's sizes and settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import FLOOR, LOW_PRECISION_TOLERANCE, TOLERANCE
from grader.reference.problem import Problem
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.problem_values import name_of, named_factors

AnswerType = TypeVar("AnswerType", bound="WrongAnswer")
Cases = Sequence[tuple[Problem, Answer]]

RESIDUE = 1e-3
"""The share of the error that may remain where a formula accounts for it: it does not merely come as close as the right
answer does, which matters where a tolerance is loose."""
ZERO_COEFFICIENT = 1e-7
"""A coefficient of at most this size counts as zero."""
SINGULAR_GRAM = 1e-6
"""The Gram determinant of normalised parts below which their coefficients are not determined."""
FEW_NUMBERS = 3
"""With fewer numbers, over all problems, some expression of the sizes (n²/2) equals any ratio by chance."""


def euclidean_norm(tensor: Tensor) -> float:
    """The Euclidean norm of all elements."""
    return float(torch.linalg.vector_norm(tensor))


def tolerance_of(answer: Answer) -> float:
    """The relative error up to which an answer counts as equal to a formula."""
    coarse = answer.low_precision or (answer.tensor is not None and answer.tensor.dtype == torch.float32)
    return LOW_PRECISION_TOLERANCE if coarse else TOLERANCE


@dataclass(frozen=True, kw_only=True)
class WrongAnswer:
    """A gradient, or a part of a check's result: a float64 tensor per problem, found and expected.

    Attributes:
        what: how a sentence about it begins, "Your `dh`".
        right: what it should be, in words.
        rtol: the relative error (in the Euclidean norm) up to which two tensors are equal.
        floors: per problem, the norm below which an error cannot be distinguished from rounding.
        constants: {a constant in words: its value} per problem.
    """

    what: str
    right: str = "what it should be"
    found: list[Tensor]
    expected: list[Tensor]
    rtol: float
    floors: list[float]
    constants: Sequence[Mapping[str, float]]

    @property
    def it(self) -> str:
        """What a sentence calls it, not at its beginning."""
        return self.what[0].lower() + self.what[1:]

    @cached_property
    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """(found, expected) per problem."""
        return list(zip(self.found, self.expected, strict=True))

    @cached_property
    def same_shape(self) -> bool:
        return all(found.shape == expected.shape for found, expected in self.pairs)

    @cached_property
    def elements(self) -> int:
        """How many numbers there are on all problems together."""
        return sum(found.numel() for found in self.found)

    def equal(self, number: int, one: Tensor, other: Tensor) -> bool:
        """Whether two tensors are equal on that problem."""
        if one.shape != other.shape:
            return False
        return euclidean_norm(one - other) <= self.rtol * max(euclidean_norm(other), self.floors[number])

    def is_given_by(self, number: int, candidate: Tensor | None) -> bool:
        """Whether `candidate` is what was found on that problem, and no coincidence of a loose tolerance."""
        found, expected = self.pairs[number]
        if candidate is None or not self.equal(number, found, candidate):
            return False
        if found.shape != expected.shape or self.equal(number, found, expected):
            return True
        return euclidean_norm(found - candidate) <= RESIDUE * euclidean_norm(found - expected)

    def holds(self, formula: Callable[[int], Tensor | None]) -> bool:
        """Whether a formula of the problem's number gives what was found on every problem."""
        return all(self.is_given_by(number, formula(number)) for number in range(len(self.found)))

    def factors(self, parts: Iterable[Sequence[Tensor] | None]) -> list[list[float]]:
        """For each part its coefficient per problem, where found is a linear combination of the parts.

        `parts` holds the same number of tensors for each problem, in the shape of what was found. Empty where that does
        not hold, or where two parts cannot be distinguished.
        """
        rows: list[list[float]] = []
        for number, tensors in enumerate(parts):
            solved = None if tensors is None else least_squares(self.found[number], tensors)
            if tensors is None or solved is None:
                return []
            terms = [k * tensor for k, tensor in zip(solved, tensors, strict=True)]
            if not self.is_given_by(number, sum(terms[1:], terms[0])):
                return []
            rows.append(solved)
        return [list(values) for values in zip(*rows, strict=True)]

    def coefficients(self, parts: Iterable[Sequence[Tensor] | None]) -> list[tuple[str, float]]:
        """For each part the coefficient's name ("0", "1", "−n") and its value on one problem; empty if one has none."""
        named = [(self.name_of(values), values[first_telling(values)]) for values in self.factors(parts)]
        found = [(name, value) for name, value in named if name]
        return found if len(found) == len(named) else []

    def name_of(self, values: Sequence[float]) -> str | None:
        """The name of a number that has these values on the problems; None where it has no name: see `name_of`."""
        if all(abs(value) <= ZERO_COEFFICIENT for value in values):
            return "0"
        name = name_of(values, self.constants, 10 * self.rtol)
        if name is None or self.elements >= FEW_NUMBERS:
            return name
        return name if name.removeprefix("−").removeprefix("1/").isidentifier() or name in ("1", "−1") else None


def least_squares(found: Tensor, parts: Sequence[Tensor]) -> list[float] | None:
    """The coefficients of the combination of parts that is nearest to `found`; None where they are not determined."""
    if any(part.shape != found.shape for part in parts):
        return None
    if len(parts) == 1:
        square = float((parts[0] * parts[0]).sum())
        return [float((found * parts[0]).sum()) / square] if 0 < square < float("inf") else None
    columns = torch.stack([part.double().flatten() for part in parts])
    gram = columns @ columns.T
    scale = gram.diagonal().sqrt()
    if not bool((scale > 0).all()) or not float(torch.linalg.det(gram / scale / scale[:, None])) >= SINGULAR_GRAM:
        return None
    return [float(k) for k in torch.linalg.solve(gram, columns @ found.flatten())]


def first_telling(values: Sequence[float]) -> int:
    """The number of the first problem on which a factor is not 1: where a size is 1, its factor does nothing."""
    return next((number for number, value in enumerate(values) if abs(abs(value) - 1) > SINGULAR_GRAM), 0)


# A gradient ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class WrongGradient(WrongAnswer):
    """The gradient d`name`, wrong on every problem."""

    name: str
    problems: list[Problem]

    @property
    def consumers(self) -> tuple[str, ...]:
        """The forward values that are computed from `name`; none where these differ from problem to problem.

        They do in a forward pass over layers or time steps: with two steps nobody reads `h[2]`.
        """
        first, *others = (problem.graph.consumers[self.name] for problem in self.problems)
        return first if all(other == first for other in others) else ()


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
        what=f"Your `d{name}`",
        right="the gradient",
        found=found,
        expected=[problem.reference(name).double() for problem in problems],
        rtol=max(tolerance_of(answer) for _, answer in cases),
        floors=[FLOOR * problem.scale(name) for problem in problems],
        constants=[named_factors(problem, name) for problem in problems],
        name=name,
        problems=problems,
    )


# Candidates ----------------------------------------------------------------------------------------------------------


class WrongFormula(NamedTuple):
    """A wrong formula: what it gives on each problem, by the problem's number, and what is said where it fits."""

    id: str
    message: str
    formula: Callable[[int], Tensor | None]
    needs: tuple[str, ...] = ()


def first_that_fits(
    wrong: AnswerType, patterns: Iterable[Callable[[AnswerType], Iterator[Explanation | WrongFormula]]]
) -> Iterator[Explanation]:
    """What explains an answer, in the order of the patterns. They yield candidates, or finished explanations."""
    for pattern in patterns:
        check_interrupt()
        for each in pattern(wrong):
            if isinstance(each, Explanation):
                yield each
            elif wrong.holds(each.formula):
                yield Explanation(each.id, each.message, needs=each.needs)
