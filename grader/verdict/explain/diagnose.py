"""Patterns of wrong gradients: which wrong formula gives exactly this answer, from the simplest slip to the oddest?

`wrong_answer.py` defines when a formula holds; `needs.py` leaves out an explanation that contradicts the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from grader.results.wording import format_shape
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents, is_borne_out
from grader.verdict.explain.problem_values import can_expand
from grader.verdict.explain.readings.factors import wrong_factor
from grader.verdict.explain.readings.forms import constant_elements, operand_alone
from grader.verdict.explain.readings.multiples import branch_coefficients, constant_multiple, unnamed_multiple
from grader.verdict.explain.readings.paths import held_constant, wrong_paths
from grader.verdict.explain.readings.places import factor_in_places, repeated_index, wrong_zeros
from grader.verdict.explain.readings.reductions import extra_sum, sum_of_uses_missing, wrong_broadcast, wrong_sum
from grader.verdict.explain.readings.shapes import transposed_gradient, wrong_order, wrong_shape
from grader.verdict.explain.readings.substitutes import (
    other_gradient,
    unchanged_upstream,
    upstream_forgotten,
    wrong_upstream,
)
from grader.verdict.explain.readings.terms import wrong_term, wrong_term_and_factor
from grader.verdict.explain.wrong_answer import Cases, WrongGradient, wrong_gradient

GradientReading = Callable[[WrongGradient], Iterator[Explanation]]
ZERO_ELEMENT = 1e-12
"""The share of a gradient's scale below which an element is rounding."""


def factor_of_a_branch(wrong: WrongGradient) -> Iterator[Explanation]:
    """A wrong factor in the part that comes through one consumer."""
    for branch in wrong.branches():
        check_interrupt()
        yield from wrong_factor(branch)


PATTERNS: tuple[GradientReading, ...] = (
    wrong_sum,
    constant_multiple,
    branch_coefficients,
    wrong_shape,
    wrong_broadcast,
    transposed_gradient,
    other_gradient,
    held_constant,
    unchanged_upstream,
    extra_sum,
    sum_of_uses_missing,
    wrong_upstream,
    upstream_forgotten,
    wrong_factor,
    factor_of_a_branch,
    wrong_term,
    repeated_index,
    wrong_paths,
    unnamed_multiple,
    wrong_zeros,
    factor_in_places,
    wrong_term_and_factor,
    constant_elements,
    wrong_order,
    operand_alone,
)
"""The patterns of wrong gradients, in the order of trust: the first that holds, and that the code bears out, counts."""


def explain(name: str, cases: Cases, contents: FunctionContents | None = None) -> Explanation | None:
    """The mistake that gives the answers of all `cases`, or None. `name` is the forward value (`probs` for `dprobs`).

    `contents` is what the student's function is made of: an explanation that contradicts it is left out.
    """
    explanation = zeros(name, cases)
    if explanation is not None:
        return explanation
    wrong = wrong_gradient(name, cases)
    if wrong is None:
        return None
    found = chain(explanations(wrong), explanations_of_expanded(wrong))
    return next((e for e in found if is_borne_out(e.needs, contents)), None)


def explanations(wrong: WrongGradient) -> Iterator[Explanation]:
    """What holds of a wrong gradient, the surest first."""
    for pattern in PATTERNS:
        check_interrupt()
        yield from pattern(wrong)


def explanations_of_expanded(wrong: WrongGradient) -> Iterator[Explanation]:
    """Which part of the gradient an answer is that lacks axes, expanded to the gradient's shape.

    Of a batch norm, the term of the mean alone has one number per column.
    """
    if wrong.same_shape or not all(can_expand(f.shape, e.shape) for f, e in wrong.pairs):
        return
    shapes = [format_shape(tensor.shape) for tensor in wrong.pairs[0]]
    expanded = replace(wrong, found=[f.expand(e.shape) for f, e in wrong.pairs])
    for reading in (branch_coefficients, held_constant, wrong_paths):
        check_interrupt()
        for explanation in reading(expanded):
            yield replace(explanation, message=f"Its shape is {shapes[0]}, not {shapes[1]}. {explanation.message}")


def zeros(name: str, cases: Cases) -> Explanation | None:
    """A message about a gradient that is zero in every element on every problem, or rounding; None for any other."""
    tensors = [a.tensor for _, a in cases if a.tensor is not None and a.tensor.numel() and a.tensor.is_floating_point()]
    if len(tensors) < len(cases):
        return None
    is_zero = not any(bool(tensor.any()) for tensor in tensors)
    floors = [ZERO_ELEMENT * problem.scale(name) for problem, _ in cases]
    if not is_zero and any(not float(t.abs().max()) <= floor for t, floor in zip(tensors, floors, strict=True)):
        return None
    shape = cases[0][0].values[name].shape
    if shape and not any(tensor.ndim for tensor in tensors):
        whole = f"`{name}` is {format_shape(shape)}, and each of its elements has a gradient of its own."
        return Explanation("sum_too_many", f"Your `d{name}` is one number, and zero: {whole}")
    return Explanation(
        "zeros" if is_zero else "zeros_by_rounding",
        f"Every element of your `d{name}` is zero{'' if is_zero else ', up to rounding'}. Where `{name}` is read, "
        "which of its elements change the result?",
    )
