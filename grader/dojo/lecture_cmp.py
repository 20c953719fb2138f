"""`from grader import cmp`: the lecture's comparison for a notebook or a REPL, with an explanation.

    cmp('probs', dprobs, probs)      # probs.grad is there: probs.retain_grad() and loss.backward() were called

prints the lecture's row. Its `==` and `allclose` broadcast, so a gradient of another shape can look exact, and it does
not distinguish a wrong sign or factor from other differences. Here a line below the row names both, and in Jupyter a
wrong gradient is drawn next to the right one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import torch
from torch import Tensor

from grader.comparison.tensors import bits, first_index
from grader.dojo.notebook.heat import heat_maps, show_html, shows_html
from grader.results.wording import format_shape

FLOAT32_ROUNDING = 1e-6
"""The largest relative difference of two correct float32 gradients; one operation rounds by 6e-8."""
RTOL_OF_A_WRONG_FORMULA = 1e-4
"""The relative difference below which a wrong gradient matches the gradient of a wrong formula."""


def print_comparison(name: str, gradient: object, value: object) -> None:
    """Prints the lecture's row for `gradient` (yours) and `value.grad` (autograd's), then what is wrong.

    Both are tensors; `gradient` should have the shape of `value`. Reports wrong types in the row instead of raising.
    """
    for line in comparison_lines(name, gradient, value):
        print(line)
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shows_html(shell) and reason_not_comparable(name, gradient, value) is None:
        assert isinstance(gradient, Tensor) and isinstance(value, Tensor) and value.grad is not None
        found, expected = gradient.detach(), value.grad.detach()
        if found.shape != expected.shape or not torch.allclose(found.to(expected.dtype), expected):
            show_html(heat_maps(f"d{name}", found, expected), f"(heat maps of d{name})")


def comparison_lines(name: str, gradient: object, value: object) -> Iterator[str]:
    trouble = reason_not_comparable(name, gradient, value)
    if trouble is not None:
        yield f"{name:15s} | {trouble}"
        return
    assert isinstance(gradient, Tensor) and isinstance(value, Tensor) and value.grad is not None
    mine, reference = gradient.detach(), value.grad.detach()
    if not mine.is_floating_point():
        mine = mine.to(reference.dtype)
    found = bits(mine, reference)
    maxdiff = "none" if found.maxdiff is None else str(found.maxdiff)
    exact, approximate = bool(found.exact), bool(found.approximate)
    yield f"{name:15s} | exact: {exact!s:5s} | approximate: {approximate!s:5s} | maxdiff: {maxdiff}"
    yield from (
        f"    {sentence}" for sentence in difference_sentences(name, gradient.detach(), mine, reference, approximate)
    )


def reason_not_comparable(name: str, gradient: object, value: object) -> str | None:
    """Why the two cannot be compared; None if they can."""
    if not isinstance(value, Tensor):
        return f"the third argument is {type_phrase(value)}; expected the tensor `{name}` of your forward pass."
    if not isinstance(gradient, Tensor):
        return f"`d{name}` is {type_phrase(gradient)}; expected a tensor of shape {format_shape(value.shape)}."
    if not value.is_leaf and not value.retains_grad:
        return f"`{name}` has no .grad: call {name}.retain_grad() before loss.backward()."
    if value.grad is None:
        if not value.requires_grad:
            return f"`{name}` requires no gradient: set requires_grad = True on the parameters before the forward pass."
        return f"`{name}` has no .grad yet: call loss.backward() first."
    return None


def type_phrase(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def difference_sentences(name: str, given: Tensor, mine: Tensor, reference: Tensor, approximate: bool) -> Iterator[str]:
    """What differs between `given` and the reference; `mine` is `given` in floating point."""
    if not given.is_floating_point():
        yield f"The numbers are {str(given.dtype).removeprefix('torch.')}; a gradient is floating point."
    elif given.dtype != reference.dtype:
        short = [str(tensor.dtype).removeprefix("torch.") for tensor in (given, reference)]
        yield f"`d{name}` is {short[0]} and `{name}` is {short[1]}: they were compared as {short[1]}."
    if mine.shape != reference.shape:
        shapes = format_shape(mine.shape), format_shape(reference.shape)
        yield f"The shape is {shapes[0]}; expected {shapes[1]}, the shape of `{name}`."
        yield from of_another_shape(name, mine, reference)
        return
    finite = torch.isfinite(mine)
    if not bool(finite.all()):
        where = first_index(~finite)
        yield f"Element {list(where)} is {float(mine[where])}: look for a division by zero, log(0) or an overflow."
    elif not approximate:
        yield resemblance(name, mine, reference)


def of_another_shape(name: str, mine: Tensor, reference: Tensor) -> Iterator[str]:
    try:
        same = bool((mine == reference).all())
        alike = bool(torch.allclose(mine.to(reference.dtype), reference))
    except RuntimeError:  # they do not broadcast
        same = alike = False
    if alike:
        yield f"Broadcasting hides it: the lecture's cmp says exact: {same}, approximate: True."
    if mine.numel() == reference.numel() and is_close(mine.reshape(reference.shape), reference):
        yield f"The numbers are right: mind `keepdim`, or end with `.view({name}.shape)`."
        return
    if mine.ndim == reference.ndim == 2 and is_close(mine.T, reference):
        yield f"It is the transpose of the gradient of `{name}`."
        return
    try:
        summed = mine.sum_to_size(reference.shape)
    except RuntimeError:
        return
    if is_close(summed, reference):
        yield "With a sum over the extra axis it is right: a broadcast forward is a sum backward."


def resemblance(name: str, mine: Tensor, reference: Tensor) -> str:
    """Which simple mistake gives these wrong numbers: sign, transpose, factor, else where they differ."""
    if is_close(mine, reference, FLOAT32_ROUNDING):
        return (
            "Right all the same: as a whole it differs by rounding only, though more than allclose grants one element."
        )
    if not bool(mine.any()):
        return f"Every element of your `d{name}` is zero."
    if is_close(-mine, reference):
        return f"The sign is flipped: it is minus the gradient of `{name}`."
    if mine.ndim == 2 and mine.shape[0] == mine.shape[1] and is_close(mine.T, reference):
        return f"It is the transpose of the gradient of `{name}`."
    if bool(reference.any()):
        factor = float((mine.double() * reference.double()).sum() / reference.double().square().sum())
        if factor and is_close(mine / factor, reference):
            return f"It is the gradient of `{name}` times {factor:.6g}: a factor is lost, or one too many."
    wrong = ~torch.isclose(mine, reference)
    where = first_index(wrong)
    return (
        f"{int(wrong.sum())} of {wrong.numel()} elements differ; the first is {list(where)}: found "
        f"{float(mine[where]):.6g}, expected {float(reference[where]):.6g}."
    )


def is_close(mine: Tensor, reference: Tensor, limit: float = RTOL_OF_A_WRONG_FORMULA) -> bool:
    if mine.shape != reference.shape:
        return False
    difference = torch.linalg.vector_norm(mine.double() - reference.double())
    return bool(difference <= limit * torch.linalg.vector_norm(reference.double()))
