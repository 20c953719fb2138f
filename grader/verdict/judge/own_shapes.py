"""A notebook's lines are judged with upstream gradients in the shapes that these have in the notebook.

`dlogit_maxes = -dnorm_logits.sum(1)` has shape (32,), and `logit_maxes` has shape (32, 1). Where that is accepted, the
line below it may say `dlogit_maxes[:, None]`, which is right in the notebook and wrong for a gradient of shape (32, 1).
The shapes come from the student's own chain. The numbers stay those of the problem.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from torch import Size

from grader.calling.answer import Answer
from grader.comparison.tensors import differs_in_ones
from grader.reference.problem import Problem
from grader.results.wording import format_shape, listed
from grader.verdict.judge.own_sizes import OwnProblems


@dataclass(frozen=True)
class OwnShapes:
    """Upstream gradients whose shapes in a notebook differ from their values' in axes of length one.

    Attributes:
        axes: {value: for each axis of its gradient, which axis of the value it is; None for one of length one}.
        shapes: {value: (its gradient's shape in the notebook, its own shape there)}.
    """

    axes: Mapping[str, Sequence[int | None]]
    shapes: Mapping[str, tuple[Size, Size]]

    def problem(self, problem: Problem) -> Problem:
        """The same problem, whose steps are fed these gradients in the notebook's shapes."""
        shapes = {}
        for name, axes in self.axes.items():
            own = problem.values[name].shape
            shape = [1 if axis is None else own[axis] for axis in axes]
            if math.prod(shape) == math.prod(own):
                shapes[name] = shape
        return problem.fed_in_shapes(shapes)

    def problems(self, found: OwnProblems) -> OwnProblems:
        """The same for problems at a notebook's sizes."""
        larger, smaller = ({s: self.problem(p) for s, p in each.items()} for each in (found.larger, found.smaller))
        lecture = None if found.lecture is None else self.problem(found.lecture)
        return OwnProblems([self.problem(each) for each in found.same], larger, smaller, lecture)

    def remark(self, uses: Collection[str]) -> str:
        """A note on a line that is right with these gradients only; `uses` are the names that it reads."""
        used = [name for name in self.shapes if f"d{name}" in uses] or list(self.shapes)
        gradients = listed([f"`d{name}` of shape {format_shape(self.shapes[name][0])}" for name in used])
        own = f"the shape of `{used[0]}`, {format_shape(self.shapes[used[0]][1])}," if len(used) == 1 else ""
        return (
            f"Right with {gradients}, as in your notebook. With {own or 'the shapes of their values'} this line fails."
        )


def own_shapes(chain: Mapping[str, Answer], published: Problem, target: str) -> OwnShapes | None:
    """The shapes above d`target` that are a notebook's own; None where all are their values'.

    Args:
        chain: {step: its answer} in the student's own chain.
        published: a problem of the chain's sizes.
    """
    axes: dict[str, list[int | None]] = {}
    shapes: dict[str, tuple[Size, Size]] = {}
    for name in published.graph.names:
        answer = chain.get(f"d{name}")
        if name not in published.graph.above(target) or answer is None or answer.tensor is None:
            continue
        found, own = answer.tensor.shape, published.values[name].shape
        if differs_in_ones(found, own):
            longer = iter([axis for axis, length in enumerate(own) if length != 1])
            axes[name] = [None if length == 1 else next(longer) for length in found]
            shapes[name] = found, own
    return OwnShapes(axes, shapes) if axes else None
