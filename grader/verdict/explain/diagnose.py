"""Patterns of wrong gradients: which wrong formula gives exactly this answer, from the simplest slip to the oddest?

`wrong_answer.py` defines when a formula holds; `needs.py` leaves out an explanation that contradicts the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.verdict.explain import coefficients, formulas
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents, is_borne_out
from grader.verdict.explain.wrong_answer import Cases, WrongFormula, WrongGradient, first_that_fits, wrong_gradient

PATTERNS: tuple[Callable[[WrongGradient], Iterator[Explanation | WrongFormula]], ...] = (
    coefficients.zeros,
    formulas.wrong_sum,
    coefficients.constant_multiple,
    coefficients.wrong_branches,
    formulas.wrong_shape,
    formulas.not_broadcast,
    formulas.transposed,
    formulas.unchanged_upstream,
    formulas.other_gradient,
    coefficients.wrong_inner_parts,
    formulas.sum_still_missing,
    formulas.upstream_forgotten,
    coefficients.unnamed_multiple,
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
