"""Numbers with a name: a gradient, or one branch of it, that is right but for a constant factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Explanation, Wrong, kept, listed
from grader.verdict.diagnosis.named_numbers import factors_of, name_of

ENOUGH = 3
"""Elements of a gradient that is a multiple of another by more than luck."""

MULTIPLE = "multiple"
"""The reading of a factor without a name: one that says where it comes from is better."""

ZERO = 1e-7
"""What is left of a branch that is missing, at most."""


def sizes_of(problem: Problem, name: str) -> dict[str, int]:
    """{how it is called: size}: plain numbers by name, then the axes of a value and of what reads it."""
    found = {label: n for label, n in problem.values.items() if isinstance(n, int) and not isinstance(n, bool)}
    for tensor in (name, *problem.graph.consumers.get(name, ())):
        value = problem.values[tensor]
        if isinstance(value, Tensor):
            found |= {f"{tensor}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
            if value.ndim > 1:
                found[f"{tensor}.numel()"] = value.numel()
    return {label: size for label, size in found.items() if size > 1}


def named_factors(problem: Problem, name: str) -> dict[str, float]:
    """{a constant in words: its value on this problem}."""

    return kept(problem, ("named factors", name), lambda: factors_of(sizes_of(problem, name)))


def constant(wrong: Wrong, values: Sequence[float]) -> str | None:
    """What a number is called that has these values on the problems; None where it has no name: see `name_of`."""
    tables = [named_factors(problem, wrong.name) for problem in wrong.problems]
    return name_of(values, tables, 10 * wrong.tolerance)


def multiple_of(tensor: Tensor, of: Tensor) -> float | None:
    """The k for which k · `of` comes nearest to `tensor`; None where `of` vanishes or is not finite."""
    square = float((of * of).sum())
    return float((tensor * of).sum()) / square if 0 < square < float("inf") else None


def multiples(wrong: Wrong) -> list[float]:
    """The number, on each problem, that the gradient is multiplied by; empty where it is not just that."""
    values = []
    for number, expected in enumerate(wrong.expected):
        k = multiple_of(wrong.found[number], expected)
        if not k or not wrong.equals(number, k * expected):
            return []
        values.append(k)
    return values


def some_multiple(wrong: Wrong) -> Iterator[Explanation]:
    """The gradient times a number that has no name, and is another one on each problem."""
    if wrong.same_shape and wrong.consumer is None and min(e.numel() for e in wrong.expected) >= ENOUGH:
        values = multiples(wrong)
        if values:
            yield Explanation(
                MULTIPLE,
                f"{wrong.what} is a multiple of the gradient, {several(values)}. Which sizes make up that factor?",
            )


def ratio(wrong: Wrong) -> Iterator[Explanation]:
    """The gradient times a number."""
    if not wrong.same_shape:
        return
    values = multiples(wrong)
    if not values:
        return
    label = constant(wrong, values)
    if label == "−1" and wrong.consumer is None:
        yield Explanation(
            "sign",
            f"The sign is turned round: your `d{wrong.name}` is exactly minus the gradient. One minus is missing, "
            "or one too many: compare with the forward line.",
        )
    elif label is not None and label != "1":
        yield Explanation("ratio", f"{wrong.what} is exactly {too(label, wrong, values[0])}")


def several(values: Sequence[float]) -> str:
    """A factor that has no name, and not the same value on all problems."""
    other = max(values, key=lambda value: abs(value - values[0]))
    return f"{values[0]:.6g} times on one problem and {other:.6g} times on another"


def too(label: str, wrong: Wrong, value: float) -> str:
    """The sentence's end: how many times too large, by which size's name, and what to look for."""
    negative, label = label.startswith("−"), label.removeprefix("−")
    sign = ", and its sign is turned round" if negative else ""
    value, size = abs(value), label.removeprefix("1/")
    if "/" in size:
        return (
            f"{label} times what it should be (here {value:.6g}){sign}. Is that the number that the forward line "
            "divides by?"
        )
    if label == "1":
        return "minus what it should be. One minus is missing, or one too many: compare with the forward line."
    named = named_factors(wrong.problems[0], wrong.name).get(size)
    where = f": {size.strip('()')} = {named:g}" if named is not None and size not in ("2", "one half") else ""
    times = f"{value:.6g} times too large" if value > 1 else f"{1 / value:.6g} times too small"
    return f"{times}{where}{sign}. A constant factor is lost, or there is one too many."


def coefficients(wrong: Wrong) -> Iterator[Explanation]:
    """A sum of the branches, each times a number: one missing, subtracted where it is to be added, too large."""
    consumers = wrong.problems[0].graph.consumers[wrong.name]
    if len(consumers) < 2 or not wrong.same_shape:
        return
    rows: list[list[float]] = []
    for number, problem in enumerate(wrong.problems):
        parts = problem.branches(wrong.name)
        columns = torch.stack([parts[c].double().flatten() for c in consumers])
        gram = columns @ columns.T
        scale = gram.diagonal().sqrt()
        if not bool((scale > 0).all()) or float(torch.linalg.det(gram / scale / scale[:, None])) < 1e-6:
            return  # two branches that cannot be told apart
        solved = torch.linalg.solve(gram, columns @ wrong.found[number].flatten())
        if not wrong.equals(number, (solved @ columns).view(wrong.found[number].shape)):
            return
        rows.append([float(k) for k in solved])
    labels = []
    for column in zip(*rows, strict=True):
        gone = all(abs(k) <= ZERO for k in column)
        labels.append("0" if gone else constant(wrong, column))
    if None in labels or set(labels) <= {"1"} or len(set(labels)) == 1:
        return
    by_name = dict(zip(consumers, [str(label) for label in labels], strict=True))
    lost = [c for c, label in by_name.items() if label == "0"]
    have = [c for c, label in by_name.items() if label == "1"]
    if lost and len(lost) + len(have) == len(consumers):
        yield Explanation(
            "branch_missing",
            f"You have the path through {listed(have)}; `{wrong.name}` also feeds {listed(lost)}. Gradients of all "
            "paths add up.",
        )
        return
    said = []
    for number, (consumer, label) in enumerate(by_name.items()):
        if label == "0":
            said.append(f"the part that comes through `{consumer}` is missing")
        elif label == "−1":
            said.append(f"the part that comes through `{consumer}` has its sign turned round")
        elif label != "1":
            said.append(f"the part that comes through `{consumer}` is exactly " + briefly(label, rows[0][number]))
    right = f" The part through {listed(have)} is right." if have else ""
    if all(label in ("1", "−1") for label in labels):
        yield Explanation(
            "branch_sign",
            f"In your `d{wrong.name}`, {' and '.join(said)}: gradients of all paths are added, each with the sign it "
            f"gets in its own forward line.{right}",
        )
    else:
        yield Explanation("branch_ratio", f"In your `d{wrong.name}`, {' and '.join(said)}.{right}")


def briefly(label: str, value: float) -> str:
    here = f" (here {abs(value):.6g})" if any(c.isalpha() for c in label) else ""
    return f"{label} times what it should be{here}"
