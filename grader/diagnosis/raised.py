"""Errors that torch raises over shapes, with the shapes of what the step was given beside them."""

from __future__ import annotations

import re

from torch import Tensor

from grader.answer import Answer
from grader.diagnosis.evidence import Explanation
from grader.judge import written
from grader.problem import Problem

PRODUCT = re.compile(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
ELEMENTWISE = re.compile(
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension"
)
MOST_SHOWN = 6


def explain_error(name: str, problem: Problem, answer: Answer) -> Explanation | None:
    """What is wrong with the shapes, where the error is about them; None where it is about something else."""
    product, elementwise = PRODUCT.search(answer.message), ELEMENTWISE.search(answer.message)
    if product is None and elementwise is None:
        return None
    if product is not None:
        rows, inner, other, columns = map(int, product.groups())
        found = (
            f"A matrix product needs the inner sizes alike; here it is ({rows}, {inner}) times ({other}, {columns}). "
            f"Which order, and which `.T`, gives the shape of `{name}`, {written(problem.values[name].shape)}?"
        )
    else:
        assert elementwise is not None
        a, b = elementwise.groups()
        found = (
            f"Two tensors meet element by element, and along one axis one has {a} elements, the other {b}. Is a sum "
            "over the wrong axis, without `keepdim=True`, or a transpose too many or too few?"
        )
    shapes = given_shapes(problem, answer)
    beside = f" You are given {shapes}." if shapes else ""
    return Explanation("shapes_do_not_fit", f"{found}{beside}")


def given_shapes(problem: Problem, answer: Answer) -> str:
    """The shapes of the arguments that the step reads, as far as that is known."""
    known = []
    for name in sorted(answer.uses):
        value = problem.values.get(name)
        value = problem.upstream.get(name[1:]) if value is None and name.startswith("d") else value
        if isinstance(value, Tensor):
            known.append(f"`{name}` {written(value.shape)}")
    return ", ".join(known[:MOST_SHOWN])
