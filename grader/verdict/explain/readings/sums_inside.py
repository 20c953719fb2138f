"""A sum that is a factor inside a formula: over the wrong axis, of the wrong product, or not taken at all.

found / expected is then the quotient of two factors, one of them a sum. A few elements are compared first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy
import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.fit import name_multiple
from grader.verdict.explain.mismatch import GradientMismatch
from grader.verdict.explain.problem_values import can_expand, operand
from grader.verdict.explain.readings.factors import names_in_the_lines
from grader.verdict.explain.readings.quotients import FEWEST_PLACES, is_constant, quotient_to_reference

MAX_OPERANDS_OF_A_SUM = 7


@dataclass(frozen=True)
class InnerFactor:
    """`left`, times `right` or `right` − `minus`, summed over `axes`, each where it is given; 1 where nothing is."""

    left: str = ""
    right: str = ""
    minus: str = ""
    axes: tuple[int, ...] = ()

    @property
    def operands(self) -> set[str]:
        return {self.left, self.right, self.minus} - {""}

    def __str__(self) -> str:
        second = f"(`{self.right}` minus `{self.minus}`)" if self.minus else f"`{self.right}`"
        product = f"`{self.left}`" + (f" times {second}" if self.right else "")
        over = " and ".join(map(str, self.axes))
        return f"the sum of {product} over {'axes' if len(self.axes) > 1 else 'axis'} {over}" if self.axes else product

    def value(self, problem: Problem, shape: Sequence[int]) -> Tensor | None:
        """Its value, in a shape that broadcasts to `shape`; None where there is none."""
        if not self.left:
            return torch.ones((), dtype=torch.float64)
        operands = [operand(problem, name) for name in (self.left, self.right, self.minus) if name]
        tensors = [tensor for tensor in operands if tensor is not None]
        if len(tensors) < len(operands):
            return None
        try:
            value, *others = tensors
            if others:
                value = value * (others[0] if len(others) == 1 else others[0] - others[1])
            if self.axes:
                value = value.sum(self.axes, keepdim=True)
        except (RuntimeError, IndexError):
            return None
        while value.ndim > len(shape) and value.shape[0] == 1:
            value = value[0]
        return value if can_expand(value.shape, shape) else None


def possible_sums(wrong: GradientMismatch) -> list[InnerFactor]:
    """The step's operands, and the sums of them and of their products with an upstream gradient."""
    first = wrong.problems[0]
    operands = {name: operand(first, name) for name in sorted(wrong.uses or names_in_the_lines(wrong))}
    tensors = [(name, tensor) for name, tensor in operands.items() if tensor is not None][:MAX_OPERANDS_OF_A_SUM]
    names = [name for name, _ in tensors]
    above = [name for name in names if name.startswith("d") and name[1:] in first.upstream]
    values = [name for name in names if name not in above]
    products = [InnerFactor(name) for name in names]
    products += [InnerFactor(gradient, value) for gradient in above for value in values]
    products += [InnerFactor(g, value, other) for g in above for value in values for other in values if other != value]
    dimensions = max((tensor.ndim for _, tensor in tensors), default=0)
    axes = [(axis,) for axis in range(dimensions)] + ([tuple(range(dimensions - 1))] if dimensions > 2 else [])
    sums = [replace(product, axes=over) for product in products for over in axes]
    return [InnerFactor(), *(InnerFactor(name) for name in names), *sums]


def wrong_inner_sum(wrong: GradientMismatch) -> Iterator[Explanation]:
    """One factor in the place of another, where at least one of the two is a sum."""
    quotient = quotient_to_reference(wrong) if wrong.same_shape else None
    if quotient is None or len(quotient[1]) < FEWEST_PLACES or bool(is_constant(quotient[1])):
        return
    if all(bool((found == found.flatten()[0]).all()) for found in wrong.found):
        return  # a constant is not made of these factors, whatever the quotient is
    places, ratio = quotient
    problem, shape = wrong.problems[wrong.largest], wrong.expected[wrong.largest].shape
    known = [(f, value) for f in possible_sums(wrong) if (value := f.value(problem, shape)) is not None]
    if not known:
        return
    rows = numpy.stack([value.expand(shape).reshape(-1)[places].numpy() for _, value in known])
    needed = names_in_the_lines(wrong)
    for below, (right, _) in enumerate(known):
        if not right.operands <= needed:
            continue
        with numpy.errstate(all="ignore"):
            near = numpy.flatnonzero(is_constant(ratio * rows[below] / rows))
        for above in near:
            taken = known[int(above)][0]
            if taken == right or not (taken.axes or right.axes):
                continue
            label = name_exchange(wrong, taken, right)
            if label is not None:
                yield Explanation("sum_inside", describe_sums(wrong, taken, right, label))
                return


def name_exchange(wrong: GradientMismatch, taken: InnerFactor, right: InnerFactor) -> str | None:
    """The name of k where found = k · expected · taken / right on every problem; None where that does not hold."""

    def candidate(problem: Problem, expected: Tensor) -> Tensor | None:
        above, below = taken.value(problem, expected.shape), right.value(problem, expected.shape)
        return None if above is None or below is None or not bool((below != 0).all()) else expected * above / below

    return name_multiple(wrong, map(candidate, wrong.problems, wrong.expected))


def describe_sums(wrong: GradientMismatch, taken: InnerFactor, right: InnerFactor, label: str) -> str:
    size = "" if label == "1" else f" (and besides, a factor of {label})"
    begin = f"In your `d{wrong.name}`" if wrong.is_whole else wrong.what
    is_same = replace(taken, axes=()) == replace(right, axes=())
    if not right.left:
        text = f"{taken} is there as a factor once too often"
    elif not taken.left:
        text = "a sum is missing as a factor"
    elif is_same and taken.axes and right.axes:
        text = f"{taken} is used where the sum over another axis belongs"
    elif is_same and not taken.axes:
        text = f"{taken} is used as it is where a sum of it belongs"
    elif is_same:
        text = f"{taken} is used where {right} belongs"
    elif right.axes:
        text = f"{taken} is used as a factor where a sum of something else belongs"
    else:
        text = f"{taken} is used as a factor where {right} belongs"
    return f"{begin}: {text}{size}; all the rest is right."
