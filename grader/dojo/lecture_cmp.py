"""`from grader import cmp`: the lecture's comparison for a notebook or a REPL, with an explanation.

    cmp('probs', dprobs, probs)      # probs.grad is there: probs.retain_grad() and loss.backward() were called

prints the lecture's row. Its `==` and `allclose` broadcast, so a gradient of another shape can look exact, and it does
not distinguish a wrong sign or factor from other differences. Here a line below the row says what is wrong.
"""

from __future__ import annotations

from torch import Tensor

from grader.comparison.tensors import bits
from grader.comparison.trees import agreement
from grader.results.wording import format_shape
from grader.verdict.explain.results import ComparedResult, explain_result

RTOL_OF_A_WRONG_FORMULA = 1e-4
"""The relative difference below which a wrong gradient matches the gradient of a wrong formula."""


def print_comparison(name: str, gradient: object, value: object) -> None:
    """Prints the lecture's row for `gradient` (yours) and `value.grad` (autograd's), then what is wrong.

    Both are tensors; `gradient` should have the shape of `value`. Reports wrong types in the row instead of raising.
    """
    trouble = reason_not_comparable(name, gradient, value)
    if trouble is not None:
        print(f"{name:15s} | {trouble}")
        return
    assert isinstance(gradient, Tensor) and isinstance(value, Tensor) and value.grad is not None
    given, reference = gradient.detach(), value.grad.detach()
    mine = given if given.is_floating_point() else given.to(reference.dtype)
    found = bits(mine, reference)
    maxdiff = "none" if found.maxdiff is None else str(found.maxdiff)
    approximate = bool(found.approximate)
    print(f"{name:15s} | exact: {bool(found.exact)!s:5s} | approximate: {approximate!s:5s} | maxdiff: {maxdiff}")
    if given.dtype != reference.dtype:
        short = [str(tensor.dtype).removeprefix("torch.") for tensor in (given, reference)]
        print(f"    `d{name}` is {short[0]} and `{name}` is {short[1]}: they were compared as {short[1]}.")
    if approximate and mine.shape == reference.shape:
        return
    print(f"    {mistake_or_difference(f'd{name}', mine, reference)}")


def reason_not_comparable(name: str, gradient: object, value: object) -> str | None:
    """Why the two cannot be compared; None if they can."""
    if not isinstance(value, Tensor):
        return f"the third argument is a {type(value).__name__}; expected the tensor `{name}` of your forward pass."
    if not isinstance(gradient, Tensor):
        kind = "None" if gradient is None else f"a {type(gradient).__name__}"
        return f"`d{name}` is {kind}; expected a tensor of shape {format_shape(value.shape)}."
    if not value.is_leaf and not value.retains_grad:
        return f"`{name}` has no .grad: call {name}.retain_grad() before loss.backward()."
    if value.grad is not None:
        return None
    if not value.requires_grad:
        return f"`{name}` requires no gradient: set requires_grad = True on the parameters before the forward pass."
    return f"`{name}` has no .grad yet: call loss.backward() first."


def mistake_or_difference(name: str, mine: Tensor, reference: Tensor) -> str:
    """The mistake where the diagnosis names it, else how much `mine` differs from the reference."""
    found, expected = {name: mine}, {name: reference}
    differing = agreement(found, expected, low_precision=True).findings
    if not differing:
        return "Right: as a whole it differs by rounding only, though more than allclose grants one element."
    compared = ComparedResult(found, expected, frozenset([name]), given={}, sizes={}, settings={})
    explanation = explain_result([compared], RTOL_OF_A_WRONG_FORMULA, coarse=True)
    return differing[0].message if explanation is None else explanation.message
