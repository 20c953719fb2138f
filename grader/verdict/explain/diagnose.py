"""Patterns of wrong gradients: which wrong formula gives exactly this answer, from the simplest slip to the oddest?

`wrong_answer.py` defines when a formula holds; `needs.py` leaves out an explanation that contradicts the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.verdict.explain.coefficients import (
    constant_multiple,
    held_constant,
    unnamed_multiple,
    wrong_branches,
    wrong_factor,
    wrong_paths,
    zeros,
)
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.formulas import (
    not_broadcast,
    other_gradient,
    repeated_index,
    sum_still_missing,
    sum_too_many,
    transposed,
    unchanged_upstream,
    upstream_forgotten,
    wrong_shape,
    wrong_sum,
)
from grader.verdict.explain.needs import FunctionContents, is_borne_out
from grader.verdict.explain.wrong_answer import Cases, WrongFormula, WrongGradient, first_that_fits, wrong_gradient

PATTERNS: tuple[Callable[[WrongGradient], Iterator[Explanation | WrongFormula]], ...] = (
    zeros,
    wrong_sum,
    constant_multiple,
    wrong_branches,
    wrong_shape,
    not_broadcast,
    transposed,
    unchanged_upstream,
    other_gradient,
    repeated_index,
    held_constant,
    sum_too_many,
    sum_still_missing,
    upstream_forgotten,
    wrong_factor,
    wrong_paths,
    unnamed_multiple,
)
"""The patterns of wrong gradients, in the order of trust: the first that holds, and that the code bears out, counts."""


def explain(name: str, cases: Cases, contents: FunctionContents | None = None) -> Explanation | None:
    """The mistake that gives the answers of all `cases`, or None. `name` is the forward value (`probs` for `dprobs`).

    `contents` is what the student's function is made of: an explanation that contradicts it is left out.
    """
    wrong = wrong_gradient(name, cases)
    if wrong is None:
        return None
    return next((e for e in first_that_fits(wrong, PATTERNS) if is_borne_out(e.needs, contents)), None)
