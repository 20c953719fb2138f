"""The parts of a gradient: one for each line that reads the value, and inside a step one for each path through it.

An inner line may be right on one path and wrong on another: in batch norm all of `bndiff` is propagated together in the
graph, but a formula written as one expression has a term for each path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.results.wording import listed_as_code
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.problem_values import computed_once, value_here
from grader.verdict.explain.wrong_answer import Coefficient, WrongGradient, euclidean_norm

MAX_STEPS = 150
"""Lines that are passed on all paths to a value together: with more, its paths are not looked at."""
MAX_PATHS = 8
MAX_HELD_CONSTANT = 3
"""Values that may be held constant together."""
NEGLIGIBLE = 1e-12
"""A path whose share is smaller than this part of the largest one is zero: a mean of deviations from a mean."""

GradientPath = tuple[str, ...]
"""The names that it passes, from the one whose upstream gradient is given to the last one before the target."""


def branch_coefficients(wrong: WrongGradient) -> Iterator[Explanation]:
    """A sum of the branches, each times a number: one missing, subtracted where it is to be added, too large."""
    consumers = wrong.consumers
    if len(consumers) < 2:
        return
    branches = (problem.branches(wrong.name) for problem in wrong.problems)
    fitted = wrong.coefficients([shares[c].double() for c in consumers] for shares in branches)
    labels = [label for label, _ in fitted]
    if len(set(labels)) < 2:
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
        text += ": gradients of all paths are added, each with the sign it gets in its own forward line"
    yield Explanation("branch_sign" if set(labels) <= {"1", "−1"} else "branch_ratio", f"{text}.{rest}")


def wrong_coefficients(parts: Sequence[str], fitted: Sequence[Coefficient]) -> list[str]:
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


def held_constant(wrong: WrongGradient) -> Iterator[Explanation]:
    """Some inner values treated as constants, although they are computed from the value: no path through them."""
    paths = common_paths(wrong) if wrong.same_shape else []
    inner = dict.fromkeys(name for path in paths for name in path if not all(name in other for other in paths))
    for count in range(1, MAX_HELD_CONSTANT + 1):
        for held in combinations(inner, count):
            blocked = [path for path in paths if not set(path).isdisjoint(held)]

            def without_paths(number: int, blocked: Sequence[GradientPath] = blocked) -> Tensor:
                shares = shares_of_paths(wrong.problems[number], wrong.name)
                return wrong.expected[number] - torch.stack([shares[path] for path in blocked]).sum(0)

            if len(blocked) < len(paths) and wrong.holds(without_paths):
                what, they = ("a constant. It is", "it") if count == 1 else ("constants. They are", "them")
                yield Explanation(
                    "held_constant",
                    f"Your `d{wrong.name}` treats {listed_as_code(held)} as {what} computed from `{wrong.name}`, so "
                    f"the gradient also comes back through {they}. The rest is right.",
                )
                return


def wrong_paths(wrong: WrongGradient) -> Iterator[Explanation]:
    """The parts of some paths are missing, have their sign flipped, or are too large or too small."""
    paths = common_paths(wrong)
    if len(paths) < 2:
        return
    fitted = wrong.coefficients([shares_of_paths(p, wrong.name)[path] for path in paths] for p in wrong.problems)
    labels = {label for label, _ in fitted}
    if len(labels) > 1:
        parts = [f"the part that comes {path_in_words(paths, path)}" for path in paths]
        text, rest = ", and ".join(wrong_coefficients(parts, fitted)), " The rest is right." if "1" in labels else ""
        yield Explanation("way_ratio", f"In your `d{wrong.name}`, {text}.{rest}")


def common_paths(wrong: WrongGradient) -> list[GradientPath]:
    """The paths inside the step that exist on all problems."""
    tables = [shares_of_paths(problem, wrong.name) for problem in wrong.problems]
    return [path for path in tables[0] if all(path in table for table in tables)]


def path_in_words(paths: Sequence[GradientPath], path: GradientPath) -> str:
    """A path by the names that not all paths share; the direct one by what it does not pass."""
    names = [name for name in path if not all(name in other for other in paths)]
    if names:
        return "by way of " + " and ".join(f"`{name}`" for name in names)
    others = dict.fromkeys(name for other in paths for name in other if name not in path)
    return "directly, not by way of " + " or ".join(f"`{name}`" for name in others)


def shares_of_paths(problem: Problem, name: str) -> dict[GradientPath, Tensor]:
    """{path: its part of d`name`, in float64}; empty where there are no inner paths, or too many."""

    def compute() -> dict[GradientPath, Tensor]:
        found = walk_paths(problem, name)
        sizes = {path: euclidean_norm(tensor) for path, tensor in found.items()}
        found = {path: t for path, t in found.items() if sizes[path] > NEGLIGIBLE * max(sizes.values())}
        return found if 1 < len(found) <= MAX_PATHS else {}

    return computed_once(problem, ("paths", name), compute)


def walk_paths(problem: Problem, name: str) -> dict[GradientPath, Tensor]:
    """{path: its part of d`name`} of all paths from the given upstream gradients; empty where there are too many."""
    fine, ends = problem.finer, problem.ends
    inside = fine.above(name)
    if problem.random_upstream:
        inside = inside & set(problem.graph.fused)
        ends = {consumer: problem.upstream[consumer] for consumer in problem.graph.consumers[name]}
    waiting: list[tuple[GradientPath, Tensor]] = [((end,), upstream) for end, upstream in ends.items()]
    found: dict[GradientPath, Tensor] = {}
    for _ in range(MAX_STEPS):
        if not waiting:
            return found
        path, upstream = waiting.pop()
        for parent, share in fine.vjp(path[-1], upstream).items():
            if parent == name:
                found[path] = share.double()
            elif parent in inside:
                waiting.append(((*path, parent), share))
    return {}
