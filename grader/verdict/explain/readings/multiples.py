"""The gradient, or one branch of it, is right except for a constant factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torch import Tensor

from grader.results.wording import listed_as_code
from grader.verdict.explain.explanation import UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.problem_values import NUMBERS_IN_WORDS, named_factors, value_here
from grader.verdict.explain.wrong_answer import ZERO_COEFFICIENT, WrongGradient, first_telling, fit_multiples, fit_parts

MIN_ELEMENTS_OF_A_MULTIPLE = 3
"""Elements from which a tensor that is a multiple of another is no coincidence."""


def unnamed_multiple(wrong: WrongGradient) -> Iterator[Explanation]:
    """The gradient times a number that has no name and differs from problem to problem."""
    if wrong.is_whole_in_shape and min(e.numel() for e in wrong.expected) >= MIN_ELEMENTS_OF_A_MULTIPLE:
        values = fit_multiples(wrong, wrong.expected)
        if values and all(values) and all(are_zero_or(e.abs(), e.abs().max()) for e in wrong.expected):
            found, expected = (max(tensor.flatten().tolist(), key=abs) for tensor in wrong.pairs[0])
            yield Explanation(
                UNNAMED_MULTIPLE,
                f"{wrong.what} has one number only, besides zeros, as it should. On one problem that number is "
                f"{found:.6g}; expected {expected:.6g}. How is it computed?",
            )
        elif values and all(values):
            has_settings = any(type(value) is float for value in wrong.problems[0].values.values())
            numbers = "sizes, or numbers that you are given," if has_settings else "sizes"
            yield Explanation(
                UNNAMED_MULTIPLE,
                f"{wrong.what} is a multiple of the gradient, {varying(values)}. Which {numbers} make up that factor?",
            )


def are_zero_or(sizes: Tensor, size: Tensor) -> bool:
    """Whether each of the `sizes` is zero or `size`, up to rounding."""
    return bool(((sizes == 0) | ((size - sizes) <= 1e-9 * size)).all())


def varying(values: Sequence[float]) -> str:
    """A factor that differs from problem to problem, in words."""
    other = max(values, key=lambda value: abs(value - values[0]))
    first, second = sorted((values[0], other), key=lambda value: abs(value - 1) < ZERO_COEFFICIENT)
    rest = "right on another" if abs(second - 1) < ZERO_COEFFICIENT else f"{second:.6g} times on another"
    return f"{first:.6g} times on one problem and {rest}"


def constant_multiple(wrong: WrongGradient) -> Iterator[Explanation]:
    """The gradient, or the part, times a number with a name."""
    values = fit_multiples(wrong, wrong.expected) if wrong.same_shape else []
    label = wrong.constant(values) if values else None
    if label == "−1" and wrong.is_whole:
        yield Explanation(
            "sign",
            f"The sign is flipped: your `d{wrong.name}` is exactly minus the gradient. One minus is missing, "
            "or one too many: compare with the forward line.",
        )
    elif label is not None and label != "1":
        yield Explanation("ratio", f"{wrong.what} is exactly {times_too_large(label, wrong, values)}")


def times_too_large(label: str, wrong: WrongGradient, values: Sequence[float]) -> str:
    """The end of a sentence on a factor: its value on one problem, its name, and what to look for."""
    number = first_telling(values)
    value = values[number]
    is_negative, label = label.startswith("−"), label.removeprefix("−")
    sign = ", and its sign is flipped" if is_negative else ""
    value, size = abs(value), label.removeprefix("1/")
    if "/" in size:
        places = wrong.problems[number].finer.places
        divides = any("/" in places[consumer].text for consumer in wrong.consumers if consumer in places)
        asks = "Is that the number that the forward line divides by?" if divides else "Which number takes its place?"
        return f"{label} times what it should be (here {value:.6g}){sign}. {asks}"
    if label == "1":
        return "minus what it should be. One minus is missing, or one too many: compare with the forward line."
    constant = named_factors(wrong.problems[number], wrong.name).get(size)
    is_named = constant is not None and size not in {"2", *NUMBERS_IN_WORDS}
    where = f": {size.strip('()')} = {constant:g}" if is_named else ""
    times = f"{value:.6g} times too large" if value > 1 else f"{1 / value:.6g} times too small"
    return f"{times}{where}{sign}. A constant factor is lost, or there is one too many."


def branch_coefficients(wrong: WrongGradient) -> Iterator[Explanation]:
    """A sum of the branches, each times a number: one missing, subtracted where it is to be added, too large."""
    consumers = wrong.consumers
    if len(consumers) < 2 or not wrong.same_shape:
        return
    branches = (problem.branches(wrong.name) for problem in wrong.problems)
    fitted = fit_parts(wrong, ([shares[c] for c in consumers] for shares in branches))
    labels = [label for label, _ in fitted]
    if not labels or set(labels) <= {"1"} or len(set(labels)) == 1:
        return
    missing = [consumer for consumer, label in zip(consumers, labels, strict=True) if label == "0"]
    right = [consumer for consumer, label in zip(consumers, labels, strict=True) if label == "1"]
    if missing and len(missing) + len(right) == len(consumers):
        yield Explanation(
            "branch_missing",
            f"You have the path through {listed_as_code(right)}; `{wrong.name}` also feeds {listed_as_code(missing)}. "
            "Gradients of all paths add up.",
        )
        return
    parts = [f"the part that comes through `{consumer}`" for consumer in consumers]
    text = f"In your `d{wrong.name}`, " + " and ".join(wrong_coefficients(parts, fitted))
    rest = f" The part through {listed_as_code(right)} is right." if right else ""
    if set(labels) <= {"1", "−1"}:
        yield Explanation(
            "branch_sign",
            f"{text}: gradients of all paths are added, each with the sign it gets in its own forward line.{rest}",
        )
    else:
        yield Explanation("branch_ratio", f"{text}.{rest}")


def wrong_coefficients(parts: Sequence[str], fitted: Sequence[tuple[str, float]]) -> list[str]:
    """What is wrong with each part whose coefficient is not 1: it is missing, negative, too large or too small."""
    sentences = []
    for part, (label, value) in zip(parts, fitted, strict=True):
        if label == "0":
            sentences.append(f"{part} is missing")
        elif label == "−1":
            sentences.append(f"{part} has the wrong sign")
        elif label != "1":
            sentences.append(f"{part} is exactly {label} times what it should be{value_here(label, value)}")
    return sentences
