"""Numbers with a name: a gradient, or one branch of it, that is right but for a constant factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from grader.diagnosis.evidence import Explanation, Wrong, kept, listed
from grader.problem import Problem

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

    def make() -> dict[str, float]:
        factors: dict[str, float] = {"2": 2.0, "one half": 0.5}
        for label, n in sizes_of(problem, name).items():
            factors |= {label: n, f"1/{label}": 1 / n, f"{label}²": n * n, f"1/{label}²": 1 / n**2}
            factors |= {f"({label}−1)": n - 1, f"1/({label}−1)": 1 / (n - 1)}
            factors |= {f"{label}/({label}−1)": n / (n - 1), f"({label}−1)/{label}": (n - 1) / n}
            factors |= {f"{label}/({label}+1)": n / (n + 1), f"({label}+1)/{label}": (n + 1) / n, f"2/{label}": 2 / n}
        return factors

    return kept(problem, ("named factors", name), make)


def constant(wrong: Wrong, values: Sequence[float]) -> str | None:
    """What a number is called that has these values on the problems: "1", "−n", "0.25" ...; None where it has no name.

    A number that is the same on all problems needs none. Sizes come first, where they fit all problems.
    """
    problems, name, close = wrong.problems, wrong.name, 10 * wrong.tolerance
    sign = "−" if values[0] < 0 else ""
    magnitudes = [abs(value) for value in values]
    if any(value * values[0] <= 0 for value in values):
        return None
    same = max(magnitudes) - min(magnitudes) <= close * magnitudes[0]
    if same and abs(magnitudes[0] - 1) <= close:
        return sign + "1"
    for label in named_factors(problems[0], name):
        known = [named_factors(problem, name).get(label, float("nan")) for problem in problems]
        if all(abs(value - k) <= close * k for value, k in zip(magnitudes, known, strict=True)):
            return sign + label
    return f"{sign}{magnitudes[0]:.7g}" if same else None


def ratio(wrong: Wrong) -> Iterator[Explanation]:
    """The gradient times a number."""
    if not wrong.same_shape:
        return
    values = []
    for number, expected in enumerate(wrong.expected):
        square = float((expected * expected).sum())
        if square == 0:
            return
        values.append(float((wrong.found[number] * expected).sum()) / square)
        if values[-1] == 0 or not wrong.equals(number, values[-1] * expected):
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
    times = f"{value:.8g} times too large" if value > 1 else f"{1 / value:.8g} times too small"
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
