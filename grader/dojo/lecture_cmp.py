"""`from grader import cmp`: the lecture's comparison for a notebook or a REPL, with an explanation.

    cmp('probs', dprobs, probs)      # probs.grad is there: probs.retain_grad() and loss.backward() were called

prints the lecture's row. Its `==` and `allclose` broadcast, so a gradient of another shape can look exact, and it does
not distinguish a wrong sign or factor from other differences. Here a line below the row names both, and in Jupyter a
wrong gradient is drawn next to the right one.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import torch
from torch import Tensor

from grader.comparison.tensors import bits, first_index
from grader.dojo.heat import heat_maps, show_html, shows_html
from grader.results.wording import format_shape

FLOAT32_ROUNDING = 1e-6
"""The largest relative difference of two correct float32 gradients; one operation rounds by 6e-8."""
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
    is_right = approximate and mine.shape == reference.shape
    for sentence in () if is_right else differences(name, mine, reference):
        print(f"    {sentence}")
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shows_html(shell) and not is_right:
        show_html(heat_maps(f"d{name}", given, reference), f"(heat maps of d{name})")


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


def differences(name: str, mine: Tensor, reference: Tensor) -> Iterator[str]:
    """What differs between `mine` and the reference: shape, numbers that are not finite, else a simple mistake."""
    if mine.shape != reference.shape:
        shapes = format_shape(mine.shape), format_shape(reference.shape)
        yield f"The shape is {shapes[0]}; expected {shapes[1]}, the shape of `{name}`."
    elif not bool(torch.isfinite(mine).all()):
        where = first_index(~torch.isfinite(mine))
        yield f"Element {list(where)} is {float(mine[where])}: look for a division by zero, log(0) or an overflow."
        return
    elif not bool(mine.any()):
        yield f"Every element of your `d{name}` is zero."
        return
    elif relative_difference(mine, reference) <= FLOAT32_ROUNDING:
        yield "Right: as a whole it differs by rounding only, though more than allclose grants one element."
        return
    for sentence, candidate in simple_mistakes(name, mine, reference):
        if candidate.shape == reference.shape and relative_difference(candidate, reference) <= RTOL_OF_A_WRONG_FORMULA:
            yield sentence
            return
    if mine.shape == reference.shape:
        wrong = ~torch.isclose(mine, reference.to(mine.dtype))
        where = first_index(wrong)
        yield (
            f"{int(wrong.sum())} of {wrong.numel()} elements differ; the first is {list(where)}: found "
            f"{float(mine[where]):.6g}, expected {float(reference[where]):.6g}."
        )


def simple_mistakes(name: str, mine: Tensor, reference: Tensor) -> Iterator[tuple[str, Tensor]]:
    """(a sentence, `mine` without that mistake): where this is the reference, the sentence is true."""
    if mine.shape == reference.shape:
        yield f"The sign is flipped: it is minus the gradient of `{name}`.", -mine
        size = reference.double().square().sum()
        factor = float((mine.double() * reference.double()).sum() / size) if size else 0.0
        if factor:
            words = f"It is the gradient of `{name}` times {factor:.6g}: a factor is lost, or one too many."
            yield words, mine / factor
    elif mine.numel() == reference.numel():
        words = "The numbers are right, and broadcasting may hide the shape: mind `keepdim`, or use "
        yield f"{words}`.view({name}.shape)`.", mine.reshape(reference.shape)
    else:
        with contextlib.suppress(RuntimeError):  # the reference's shape does not broadcast to it
            summed = mine.sum_to_size(reference.shape)
            yield "With a sum over the extra axis it is right: a broadcast forward is a sum backward.", summed
    if mine.ndim == 2:
        yield f"It is the transpose of the gradient of `{name}`.", mine.T


def relative_difference(one: Tensor, reference: Tensor) -> float:
    """The size of the difference, divided by the size of the reference; 0 where both are zero."""
    difference = torch.linalg.vector_norm(one.double() - reference.double())
    return float(difference / torch.linalg.vector_norm(reference.double())) if difference else 0.0
