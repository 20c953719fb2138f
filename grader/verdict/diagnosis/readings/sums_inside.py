"""A sum that stands inside a formula as a factor: over the wrong axis, of the wrong product, or not taken at all.

found / expected is then the quotient of two factors, one of them a sum. It is looked at in a few elements first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy
import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Explanation, Wrong, broadcasts, operand
from grader.verdict.diagnosis.ratios import constant, multiple_of
from grader.verdict.diagnosis.readings.factors import largest, quotients, sources, steady

MOST_OPERANDS = 7


@dataclass(frozen=True)
class Factor:
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

    def on(self, problem: Problem, shape: Sequence[int]) -> Tensor | None:
        """Its value, in a shape that broadcasts to `shape`; None where there is none."""
        if not self.left:
            return torch.ones((), dtype=torch.float64)
        left, right, minus = (operand(problem, name) if name else None for name in (self.left, self.right, self.minus))
        if left is None or (self.right and right is None) or (self.minus and minus is None):
            return None
        try:
            value = left
            if right is not None:
                value = left * (right if minus is None else right - minus)
            if self.axes:
                value = value.sum(self.axes, keepdim=True)
        except (RuntimeError, IndexError):
            return None
        while value.ndim > len(shape) and value.shape[0] == 1:
            value = value[0]
        return value if broadcasts(value.shape, shape) else None


def candidates(wrong: Wrong) -> list[Factor]:
    """The step's operands, and the sums of them and of their products with an upstream gradient."""
    names = sorted(wrong.uses or sources(wrong))
    names = [name for name in names if operand(wrong.problems[0], name) is not None][:MOST_OPERANDS]
    above = [name for name in names if name.startswith("d") and name[1:] in wrong.problems[0].upstream]
    values = [name for name in names if name not in above]
    products = [Factor(name) for name in names]
    products += [Factor(gradient, value) for gradient in above for value in values]
    products += [Factor(g, value, other) for g in above for value in values for other in values if other != value]
    dimensions = max(
        (tensor.ndim for name in names if (tensor := operand(wrong.problems[0], name)) is not None), default=0
    )
    axes = [(axis,) for axis in range(dimensions)] + ([tuple(range(dimensions - 1))] if dimensions > 2 else [])
    sums = [Factor(p.left, p.right, p.minus, over) for p in products for over in axes]
    return [Factor(), *(Factor(name) for name in names), *sums]


def sums_inside(wrong: Wrong) -> Iterator[Explanation]:
    """One factor in the place of another, where at least one of the two is a sum."""
    if not wrong.same_shape:
        return
    number = largest(wrong)
    quotient = quotients(wrong, number)
    if quotient is None or len(quotient[1]) < 3 or bool(steady(quotient[1])):
        return
    places, ratio = quotient
    shape = wrong.expected[number].shape
    known = [(f, v) for f in candidates(wrong) if (v := f.on(wrong.problems[number], shape)) is not None]
    if not known:
        return
    rows = numpy.stack([value.expand(shape).reshape(-1)[places].numpy() for _, value in known])
    needed = {name for name in sources(wrong)}
    for below, (right, _) in enumerate(known):
        if not right.operands <= needed:
            continue
        with numpy.errstate(all="ignore"):
            near = numpy.flatnonzero(steady(ratio * rows[below] / rows))
        for above in near:
            taken = known[int(above)][0]
            if taken != right and (taken.axes or right.axes) and (label := holds(wrong, taken, right)) is not None:
                yield Explanation("sum_inside", in_words(wrong, taken, right, label))
                return


def holds(wrong: Wrong, taken: Factor, right: Factor) -> str | None:
    """The name of k where found = k · expected · taken / right on every problem."""
    values = []
    for number, (problem, expected) in enumerate(zip(wrong.problems, wrong.expected, strict=True)):
        above, below = taken.on(problem, expected.shape), right.on(problem, expected.shape)
        if above is None or below is None or not bool((below != 0).all()):
            return None
        candidate = expected * above / below
        k = multiple_of(wrong.found[number], candidate)
        if k is None or not wrong.equals(number, k * candidate):
            return None
        values.append(k)
    return constant(wrong, values)


def in_words(wrong: Wrong, taken: Factor, right: Factor, label: str) -> str:
    size = "" if label == "1" else f" (and besides, a factor of {label})"
    begin = wrong.what if wrong.consumer is not None else f"In your `d{wrong.name}`"
    if not right.left:
        return f"{begin}: {taken} is there as a factor once too often{size}; all the rest is right."
    if not taken.left:
        return f"{begin}: a sum is missing as a factor{size}; all the rest is right."
    same = (taken.left, taken.right, taken.minus) == (right.left, right.right, right.minus)
    if same and taken.axes and right.axes:
        text = f"{taken} stands where the sum of the same runs over another axis{size}"
    elif same and not taken.axes:
        text = f"{taken} stands as it is where a sum of it belongs{size}"
    elif same:
        text = f"{taken} stands where it belongs unsummed{size}"
    elif right.axes:
        text = f"{taken} stands as a factor where a sum of something else belongs{size}"
    else:
        text = f"{taken} stands as a factor where {right} belongs{size}"
    return f"{begin}: {text}; all the rest is right."
