"""Readings of numbers in a result: an identity with the right numbers, with other parts, or with the arguments.

Each sentence states an identity that holds on every problem, so it is true whatever the student's code does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from torch import Tensor

from grader.results.wording import format_shape
from grader.verdict.explain.constants import value_here
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.fit import LARGEST_FACTOR, fit_multiples
from grader.verdict.explain.problem_values import can_expand
from grader.verdict.explain.readings.multiples import varying
from grader.verdict.explain.readings.terms import surplus_or_lack
from grader.verdict.explain.results.part import MIN_NUMBERS_OF_A_CONSTANT, PartMismatch, on_all_problems

PartReading = Callable[[PartMismatch], Iterator[Explanation]]
ONES = "1, in every element"
AFTER_THE_CALL = ("afterwards", "after the call")
"""What the name of a part contains, one of them, if it is an argument after the call."""
MAX_PRODUCTS = 8
"""Tensors of which products of two are tried."""


def zero_part(part: PartMismatch) -> Iterator[Explanation]:
    """Zero in every element, in the shape that it should have, where it should not be zero."""
    if (
        not part.same_shape
        or part.elements < MIN_NUMBERS_OF_A_CONSTANT
        or not any(bool(right.any()) for right in part.expected)
    ):
        return
    if not any(bool(found.any()) for found in part.found):
        kind = "is zero" if all(not found.ndim for found in part.found) else "is zero in every element"
        where = ", on every problem" if len(part.found) > 1 else ""
        yield Explanation("zeros", f"{part.what} {kind}{where}. What should have moved it?")


def multiple_of_part(part: PartMismatch) -> Iterator[Explanation]:
    """The right numbers times a constant."""
    values = fit_multiples(part, part.expected) if part.same_shape else []
    if not values or not all(values):
        return
    label = part.constant(values)
    if part.elements < MIN_NUMBERS_OF_A_CONSTANT and all(bool((e == 1).all()) for e in part.expected):
        return  # any number is so many times 1
    is_a_factor = all(1 / LARGEST_FACTOR < abs(value) < LARGEST_FACTOR for value in values)
    if label is None and is_a_factor and min(f.numel() for f in part.found) >= MIN_NUMBERS_OF_A_CONSTANT:
        yield Explanation("ratio", f"{part.what} is a multiple of what it should be: {varying(values)}.")
    elif label == "−1":
        yield Explanation("sign", f"{part.what} is exactly minus what it should be: one minus too many, or too few.")
    elif label is not None and label != "1":
        here = value_here(label, values[0], " times")
        yield Explanation("ratio", f"{part.what} is exactly {label} times what it should be{here}.")


def argument_changed_in_place(part: PartMismatch) -> Iterator[Explanation]:
    """An argument after the call, where it should be as it was given."""
    if any(words in part.name for words in AFTER_THE_CALL):
        given = (tensors for _, tensors in on_all_problems(part.given))
        if any(all(map(torch.equal, tensors, part.expected)) for tensors in given):
            yield Explanation(
                "changed_argument",
                f"An argument has been changed in place: {part.what} is not what it was before the call. Start from a "
                "`.clone()`, or write `a = a + ...` instead of `a += ...`.",
            )


def unchanged_argument(part: PartMismatch) -> Iterator[Explanation]:
    """One of the arguments, unchanged."""
    if part.elements >= MIN_NUMBERS_OF_A_CONSTANT and part.same_shape:
        for label, tensors in on_all_problems(part.given):
            if part.are_explained_by(tensors) and any(bool(given.any()) for given in tensors):  # zeros say `zero_part`
                yield Explanation(
                    "as_given", f"{part.what} is {label} just as it was given: nothing has been done to it."
                )
                return


def another_part(part: PartMismatch) -> Iterator[Explanation]:
    """What belongs elsewhere in the result."""
    if part.elements >= MIN_NUMBERS_OF_A_CONSTANT and part.same_shape:
        if any(part.are_explained_by(tensors) for _, tensors in on_all_problems(part.given)):
            return  # `unchanged_argument` says more
        matching = [label for label, tensors in on_all_problems(part.others) if part.are_explained_by(tensors)]
        if len(matching) == 1:
            yield Explanation("another_part", f"{part.what} is just what was expected as {matching[0]}.")


def misplaced_part(part: PartMismatch) -> Iterator[Explanation]:
    """The right numbers in another shape, or not yet summed."""
    found, expected = part.found[0], part.expected[0]
    shapes = f"{format_shape(found.shape)} where {format_shape(expected.shape)} is expected"
    if part.same_shape:
        if all(e.ndim == 2 and min(e.shape) > 1 for e in part.expected) and part.are_explained_by(
            [e.T for e in part.expected]
        ):
            yield Explanation("transposed", f"{part.what} is the transpose of what it should be.")
        return
    if all(f.numel() == e.numel() for f, e in part.pairs):
        if part.are_explained_by([e.reshape(f.shape) for f, e in part.pairs]):
            yield Explanation("keepdim", f"The numbers of {part.what} are right, their shape is not: {shapes}.")
        elif all(e.ndim == 2 for e in part.expected) and part.are_explained_by([e.T for e in part.expected]):
            yield Explanation("transposed", f"{part.what} is the transpose of what it should be: {shapes}.")
        return
    for word, reduce in (("sum", torch.sum), ("mean", torch.mean)):
        for axis in range(min(f.ndim for f in part.found)):
            for keep in (False, True):
                if all(are_close(reduce(f, dim=axis, keepdim=keep), e, part.rtol) for f, e in part.pairs):
                    yield Explanation(
                        "sum_missing", f"{part.what} still needs a {word} over axis {axis}: its shape is {shapes}."
                    )
                    return


def are_close(one: Tensor, other: Tensor, rtol: float) -> bool:
    return one.shape == other.shape and float((one - other).norm()) <= rtol * float(other.norm())


def wrong_term_of_part(part: PartMismatch) -> Iterator[Explanation]:
    """One term too much, missing, or with another factor than it should have."""
    if not part.same_shape or part.most_elements < MIN_NUMBERS_OF_A_CONSTANT:
        return
    for name, tensors in possible_operands(part):
        values = fit_multiples(part, tensors, part.expected)
        if not values:
            continue
        label = part.constant(values)
        if label is None:
            wrong = (
                "all elements are off by the same number" if name is ONES else f"what is wrong is a multiple of {name}"
            )
            yield Explanation("term_multiple", f"{part.what} is right except for one term: {wrong}.")
        else:
            size, (identifier, what) = label.removeprefix("−"), surplus_or_lack(label)
            times = name if size == "1" else f"{size}, in every element" if name is ONES else f"{size} times {name}"
            yield Explanation(
                identifier, f"{part.what} is right except for one term: what is {what} is exactly {times}."
            )
        return


def possible_operands(part: PartMismatch) -> Iterator[tuple[str, list[Tensor]]]:
    """Everything that is tried as a term, in the shape of the part, simplest first."""
    yield ONES, [torch.ones_like(e) for e in part.expected]
    known = []
    for name, tensors in (*on_all_problems(part.given), *on_all_problems(part.others)):
        if all(can_expand(t.shape, e.shape) for t, e in zip(tensors, part.expected, strict=True)):
            spread = [t.expand(e.shape) for t, e in zip(tensors, part.expected, strict=True)]
            known.append((name, spread))
            yield name, spread
    for (one, left), (other, right) in combinations(known[:MAX_PRODUCTS], 2):
        yield f"{one} times {other}", [a * b for a, b in zip(left, right, strict=True)]
    for name, tensors in known[:MAX_PRODUCTS]:
        yield f"{name} squared", [t * t for t in tensors]


def reordered_part(part: PartMismatch) -> Iterator[Explanation]:
    """The right numbers in another order."""
    if part.same_shape and part.elements >= MIN_NUMBERS_OF_A_CONSTANT:
        if part.are_explained_by([e.flip(0) if e.ndim else e for e in part.expected]):
            yield Explanation("reversed", f"{part.what} has the right numbers in the opposite order.")
        elif all(are_close(f.flatten().sort().values, e.flatten().sort().values, part.rtol) for f, e in part.pairs):
            yield Explanation("shuffled", f"{part.what} has the right numbers in the wrong places.")


TIERS_OF_PARTS: tuple[tuple[PartReading, ...], ...] = (
    (argument_changed_in_place,),
    (zero_part, multiple_of_part, unchanged_argument, another_part, misplaced_part),
    (wrong_term_of_part,),
    (reordered_part,),
)
"""Readings in the order of trust: a later tier is tried only where no earlier one explains the part."""
