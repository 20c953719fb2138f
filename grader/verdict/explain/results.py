"""What is wrong with tensors next to those that they should be: parts of a check's results, or one in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from grader.comparison.trees import Agreement
from grader.verdict.explain.coefficients import constant_multiple, unnamed_multiple, zeros
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.formulas import sum_still_missing, transposed, wrong_shape
from grader.verdict.explain.problem_values import factors_of
from grader.verdict.explain.wrong_answer import FEW_NUMBERS, WrongAnswer, first_that_fits


def explain_results(
    agreements: Sequence[Agreement], sizes: Sequence[Mapping[str, int]], rtol: float
) -> Explanation | None:
    """The pattern of one part on every draw, whose `sizes` are given. One draw or few numbers show no constant."""
    wrong = [{each.part: each.tensors for each in agreement.findings if each.tensors} for agreement in agreements]
    for part in wrong[0] if wrong else ():
        pairs = [each[part] for each in wrong if part in each]
        if len(pairs) == len(wrong):
            explanation = explain_tensors(f"`{part}`" if part else "The result", pairs, sizes, rtol)
            is_constant = len(pairs) > 1 and sum(expected.numel() for _, expected in pairs) >= FEW_NUMBERS
            if explanation is not None and (is_constant or explanation.id != "ratio"):
                return explanation
    return None


def explain_tensors(
    name: str, pairs: Sequence[tuple[Tensor, Tensor]], sizes: Sequence[Mapping[str, int]], rtol: float
) -> Explanation | None:
    """The pattern that all pairs (found, expected) follow within a relative distance. Each sentence is an identity."""
    tensors = [each for pair in pairs for each in pair]
    if any(each.dtype == torch.bool or not each.numel() or not bool(each.isfinite().all()) for each in tensors):
        return None
    wrong = WrongAnswer(
        what=name,
        found=[found.double() for found, _ in pairs],
        expected=[expected.double() for _, expected in pairs],
        rtol=rtol,
        floors=[0.0] * len(pairs),
        constants=[factors_of(each) for each in sizes],
    )
    patterns = zeros, constant_multiple, wrong_shape, transposed, sum_still_missing, unnamed_multiple
    return next(first_that_fits(wrong, patterns), None)
