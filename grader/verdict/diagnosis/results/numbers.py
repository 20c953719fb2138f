"""Readings of numbers in a result: how they stand to what they should be, to other parts, to what was given.

Each sentence is an identity that holds on every problem, so it is true whatever the student has written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from torch import Tensor

from grader.comparison.tensors import written
from grader.verdict.diagnosis.evidence import Explanation, broadcasts
from grader.verdict.diagnosis.ratios import several
from grader.verdict.diagnosis.readings.lines import axes_of_factors, axes_of_terms, in_words, named
from grader.verdict.diagnosis.results.part import FEW, Part, multiple

Reading = Callable[[Part], Iterator[Explanation]]
ONES = "1, in every element"
MOST_PRODUCTS = 8
"""Tensors of which products of two are tried."""


def zeros(part: Part) -> Iterator[Explanation]:
    if not any(bool(found.any()) for found in part.found):
        kind = "is zero" if all(not found.ndim for found in part.found) else "is zero in every element"
        yield Explanation("zeros", f"{part.what} {kind}, on every problem. What should have moved it?")


def ratio(part: Part) -> Iterator[Explanation]:
    """The right numbers times a constant."""
    values = [multiple(f, e) for f, e in zip(part.found, part.expected, strict=True)] if part.same_shape else [None]
    known = [value for value in values if value]
    if len(known) < len(values) or not part.holds([k * e for k, e in zip(known, part.expected, strict=True)]):
        return
    label = part.label(known)
    if label is None and min(f.numel() for f in part.found) >= FEW:
        yield Explanation("ratio", f"{part.what} is a multiple of what it should be: {several(known)}.")
    elif label == "−1":
        yield Explanation("sign", f"{part.what} is exactly minus what it should be: one minus too many, or too few.")
    elif label is not None and label != "1":
        yield Explanation(
            "ratio", f"{part.what} is exactly {label} times what it should be (here {known[0]:.6g} times)."
        )


def as_given(part: Part) -> Iterator[Explanation]:
    """Just what was handed in."""
    if part.elements >= FEW and part.same_shape:
        for label, tensors in part.everywhere(part.given):
            if part.holds(tensors):
                yield Explanation(
                    "as_given", f"{part.what} is {label} just as it was given: nothing has been done to it."
                )
                return


def another_part(part: Part) -> Iterator[Explanation]:
    """What should stand elsewhere in the result."""
    if part.elements >= FEW and part.same_shape:
        matching = [label for label, tensors in part.everywhere(part.others) if part.holds(tensors)]
        if len(matching) == 1:
            yield Explanation("another_part", f"{part.what} is just what was expected as {matching[0]}.")


def right_numbers(part: Part) -> Iterator[Explanation]:
    """The right numbers in another shape, or before a sum that is missing."""
    found, expected = part.found[0], part.expected[0]
    shapes = f"{written(found.shape)} where {written(expected.shape)} is expected"
    if part.same_shape:
        if all(e.ndim == 2 and min(e.shape) > 1 for e in part.expected) and part.holds([e.T for e in part.expected]):
            yield Explanation("transposed", f"{part.what} is the transpose of what it should be.")
        return
    if all(f.numel() == e.numel() for f, e in zip(part.found, part.expected, strict=True)):
        if part.holds([e.reshape(f.shape) for f, e in zip(part.found, part.expected, strict=True)]):
            yield Explanation("keepdim", f"The numbers of {part.what} are right, their shape is not: {shapes}.")
        elif all(e.ndim == 2 for e in part.expected) and part.holds([e.T for e in part.expected]):
            yield Explanation("transposed", f"{part.what} is the transpose of what it should be: {shapes}.")
        return
    for word, reduce in (("sum", torch.sum), ("mean", torch.mean)):
        for axis in range(min(f.ndim for f in part.found)):
            for keep in (False, True):
                if all(
                    same(reduce(f, dim=axis, keepdim=keep), e, part.sharp)
                    for f, e in zip(part.found, part.expected, strict=True)
                ):
                    yield Explanation(
                        "sum_missing", f"{part.what} still needs a {word} over axis {axis}: its shape is {shapes}."
                    )
                    return


def same(one: Tensor, other: Tensor, sharp: float) -> bool:
    return one.shape == other.shape and float((one - other).norm()) <= sharp * float(other.norm())


def bases(part: Part) -> Iterator[tuple[str, list[Tensor]]]:
    """What a part may have started from: other parts and what was given, of its own shape."""
    for label, tensors in (*part.everywhere(part.others), *part.everywhere(part.given)):
        if all(t.shape == e.shape for t, e in zip(tensors, part.expected, strict=True)):
            yield label, tensors


def steps(part: Part) -> Iterator[Explanation]:
    """The step away from something is too large, too small or the wrong way."""
    if not part.same_shape or part.elements < FEW:
        return
    for name, base in bases(part):
        for share in ("1", *part.shares[0]):
            held = [t * (1.0 if share == "1" else c.get(share, 0.0)) for t, c in zip(base, part.shares, strict=True)]
            label = step_label(part, held)
            if label is None:
                continue
            if share == "1":
                size = "exactly as far, but the other way" if label == "−1" else f"exactly {label} times as far"
                yield Explanation("step", f"{part.what} moves away from {name} {size} as it should.")
            else:
                yield Explanation(
                    "step",
                    f"{part.what} is {share} times {name} and something else, and that something is exactly {label} "
                    "times what it should be; the rest is right.",
                )
            return


def step_label(part: Part, base: list[Tensor]) -> str | None:
    """The name of k, neither 0 nor 1, where found − base = k · (expected − base)."""
    values = []
    for number, (held, found, expected) in enumerate(zip(base, part.found, part.expected, strict=True)):
        k = multiple(found - held, expected - held)
        if not k or not part.equals(number, held + k * (expected - held)):
            return None
        values.append(k)
    if all(abs(k) < 1e-7 for k in values):
        return None
    label = part.label(values)
    return None if label == "1" else label


def terms(part: Part) -> Iterator[Explanation]:
    """One term too much, missing, or with another factor than it should have."""
    if not part.same_shape or max(f.numel() for f in part.found) < FEW:
        return
    surplus = [f - e for f, e in zip(part.found, part.expected, strict=True)]
    for name, tensors in candidates(part):
        values = [multiple(s, t) for s, t in zip(surplus, tensors, strict=True)]
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not part.holds(
            [e + k * t for e, k, t in zip(part.expected, known, tensors, strict=True)]
        ):
            continue
        label = part.label(known)
        if label is None:
            yield Explanation(
                "term_multiple", f"{part.what} is right but for one term: what is wrong is a multiple of {name}."
            )
        else:
            size = label.removeprefix("−")
            times = name if size == "1" else f"{size}, in every element" if name is ONES else f"{size} times {name}"
            missing = label.startswith("−")
            what = "missing" if missing else "too much"
            yield Explanation(
                "term_missing" if missing else "term_too_many",
                f"{part.what} is right but for one term: what is {what} is exactly {times}.",
            )
        return


def candidates(part: Part) -> Iterator[tuple[str, list[Tensor]]]:
    """Everything tried as a term, in the shape of the part, simplest first."""
    yield ONES, [torch.ones_like(e) for e in part.expected]
    known = []
    for name, tensors in (*part.everywhere(part.given), *part.everywhere(part.others)):
        if all(broadcasts(t.shape, e.shape) for t, e in zip(tensors, part.expected, strict=True)):
            spread = [t.expand(e.shape) for t, e in zip(tensors, part.expected, strict=True)]
            known.append((name, spread))
            yield name, spread
    for (one, left), (other, right) in combinations(known[:MOST_PRODUCTS], 2):
        yield f"{one} times {other}", [a * b for a, b in zip(left, right, strict=True)]
    for name, tensors in known[:MOST_PRODUCTS]:
        yield f"{name} squared", [t * t for t in tensors]


def factors(part: Part) -> Iterator[Explanation]:
    """The right numbers times, or divided by, something that was given."""
    if not part.same_shape or max(f.numel() for f in part.found) < FEW:
        return
    known = [(n, ts) for n, ts in candidates(part) if n is not ONES][:MOST_PRODUCTS]
    for name, tensors in known:
        for power, words in (
            (1, "multiplied by"),
            (-1, "divided by"),
            (2, "multiplied twice by"),
            (-2, "divided twice by"),
        ):
            if all(bool((t != 0).all()) for t in tensors) and factor_holds(part, [t**power for t in tensors]):
                yield Explanation("factor", f"{part.what} is what it should be, but {words} {name}.")
                return


def factor_holds(part: Part, factor: list[Tensor]) -> bool:
    products = [e * t for e, t in zip(part.expected, factor, strict=True)]
    values = [multiple(f, p) for f, p in zip(part.found, products, strict=True)]
    known = [value for value in values if value]
    return (
        len(known) == len(values)
        and part.label(known) == "1"
        and part.holds([k * p for k, p in zip(known, products, strict=True)])
    )


def lines(part: Part) -> Iterator[Explanation]:
    """Each row or column times, or plus, a number of its own."""
    if not part.same_shape:
        return
    for axis, numbers in axes_of_factors(part.found, part.expected):
        line = named(axis, part.expected[0].ndim)
        yield Explanation("factor_of_a_line", f"{part.what} is {in_words(line, numbers)}.")
        return
    for axis in axes_of_terms(part.found, part.expected):
        line = named(axis, part.expected[0].ndim)
        yield Explanation(
            "term_of_a_line",
            f"{part.what} is right but for one number in each {line}: all elements of a {line} are off by the same.",
        )
        return


def shuffled(part: Part) -> Iterator[Explanation]:
    if part.same_shape and part.elements >= FEW:
        if part.holds([e.flip(0) if e.ndim else e for e in part.expected]):
            yield Explanation("reversed", f"{part.what} has the right numbers in the opposite order.")
        elif all(
            same(f.flatten().sort().values, e.flatten().sort().values, part.sharp)
            for f, e in zip(part.found, part.expected, strict=True)
        ):
            yield Explanation("shuffled", f"{part.what} has the right numbers in the wrong places.")


TIERS: tuple[tuple[Reading, ...], ...] = (
    (zeros, ratio, as_given, another_part, right_numbers),
    (steps, terms, factors),
    (lines,),
    (shuffled,),
)
"""Readings in the order of trust: a later tier is asked only where an earlier one has nothing to say."""
