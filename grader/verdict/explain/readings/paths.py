"""In a step of several operations: the single paths that the gradient takes through them.

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
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.readings.multiples import wrong_coefficients
from grader.verdict.explain.wrong_answer import WrongGradient, euclidean_norm, fit_parts

MAX_EDGES = 40

ReadEdge = tuple[str, str]
"""(what is read, the line that reads it)"""

MAX_PATHS = 8
MAX_HELD_CONSTANT = 3
"""Values that may be held constant together."""
NEGLIGIBLE = 1e-12
"""A path whose share is smaller than this part of the largest one is zero: a mean of deviations from a mean."""

GradientPath = tuple[str, ...]
"""The names that it passes, from the one whose upstream gradient is given to the last one before the target."""


def inner_edges(problem: Problem, name: str) -> dict[ReadEdge, Tensor]:
    """{edge of the finer graph between d`name` and its upstream gradients: what is propagated along it}."""

    def compute() -> dict[ReadEdge, Tensor]:
        fine, coarse = problem.finer, problem.graph
        inside = fine.above(name)
        if problem.random_upstream:
            inside = inside & set(coarse.fused)
            arriving = {c: problem.upstream[c] for c in coarse.consumers[name]}
        else:
            arriving = dict(problem.ends)
        found: dict[ReadEdge, Tensor] = {}
        for consumer in reversed(list(fine.parents)):
            if consumer not in arriving:
                continue
            for parent, share in fine.vjp(consumer, arriving[consumer]).items():
                if parent == name or parent in inside:
                    found[parent, consumer] = share
                    arriving[parent] = arriving[parent] + share if parent in arriving else share
        return found if len(found) <= MAX_EDGES else {}

    return computed_once(problem, ("edges", name), compute)


def shares_of_paths(problem: Problem, name: str) -> dict[GradientPath, Tensor]:
    """{path: its part of d`name`, in float64}; empty where there are no inner paths, or too many."""

    def compute() -> dict[GradientPath, Tensor]:
        inner = inner_edges(problem, name)
        starts = problem.graph.consumers[name] if problem.random_upstream else problem.ends
        found = {path: t.double() for c in starts for path, t in walk_paths(problem, name, c, inner)}
        sizes = {path: euclidean_norm(tensor) for path, tensor in found.items()}
        found = {path: t for path, t in found.items() if sizes[path] > NEGLIGIBLE * max(sizes.values())}
        return found if 1 < len(found) <= MAX_PATHS else {}

    return computed_once(problem, ("paths", name), compute)


def walk_paths(
    problem: Problem, name: str, consumer: str, inner: dict[ReadEdge, Tensor]
) -> Iterator[tuple[GradientPath, Tensor]]:
    """(path, its part of d`name`) of the paths that start at `consumer`."""
    start = problem.upstream[consumer] if problem.random_upstream else problem.ends[consumer]
    waiting: list[tuple[GradientPath, Tensor]] = [((consumer,), start)]
    while waiting:
        path, upstream = waiting.pop()
        for parent, share in problem.finer.vjp(path[-1], upstream).items():
            if parent == name:
                yield path, share
            elif (parent, path[-1]) in inner and len(waiting) < 4 * MAX_PATHS:
                waiting.append(((*path, parent), share))


def common_paths(wrong: WrongGradient) -> list[GradientPath]:
    """The paths that exist on all problems; none for a part of a gradient."""
    if not wrong.is_whole_in_shape:
        return []
    tables = [shares_of_paths(problem, wrong.name) for problem in wrong.problems]
    return [path for path in tables[0] if all(path in table for table in tables)]


def is_distinctive(name: str, paths: Sequence[GradientPath]) -> bool:
    """Whether a name is not on all of these paths."""
    return not all(name in path for path in paths)


def path_in_words(paths: Sequence[GradientPath], path: GradientPath) -> str:
    """A path by the names that not all paths share; the direct one by what it does not pass."""
    names = [name for name in path if is_distinctive(name, paths)]
    if names:
        return "by way of " + " and ".join(f"`{name}`" for name in names)
    others = dict.fromkeys(name for other in paths for name in other if name not in path)
    return "directly, not by way of " + " or ".join(f"`{name}`" for name in others)


def held_constant(wrong: WrongGradient) -> Iterator[Explanation]:
    """Some inner values treated as constants, although they are computed from the value: no path through them."""
    paths = common_paths(wrong)
    inner = dict.fromkeys(name for path in paths for name in path if is_distinctive(name, paths))
    for count in range(1, min(len(inner), MAX_HELD_CONSTANT) + 1):
        for names in combinations(inner, count):
            blocked = [path for path in paths if not set(path).isdisjoint(names)]
            if len(blocked) == len(paths):
                continue

            def without_paths(problem: Problem, expected: Tensor, blocked: Sequence[GradientPath] = blocked) -> Tensor:
                shares = shares_of_paths(problem, wrong.name)
                return expected - torch.stack([shares[path] for path in blocked]).sum(0)

            if wrong.holds(without_paths):
                what, they = ("a constant. It is", "it") if count == 1 else ("constants. They are", "them")
                yield Explanation(
                    "held_constant",
                    f"Your `d{wrong.name}` treats {listed_as_code(names)} as {what} computed from `{wrong.name}`, so "
                    f"the gradient also comes back through {they}. The rest is right.",
                )
                return


def wrong_paths(wrong: WrongGradient) -> Iterator[Explanation]:
    """The parts of some paths are missing, have their sign flipped, or are too large or too small."""
    paths = common_paths(wrong)
    if len(paths) < 2:
        return
    fitted = fit_parts(wrong, ([shares_of_paths(p, wrong.name)[path] for path in paths] for p in wrong.problems))
    labels = [label for label, _ in fitted]
    if len(set(labels)) > 1:
        parts = [f"the part that comes {path_in_words(paths, path)}" for path in paths]
        text, rest = ", and ".join(wrong_coefficients(parts, fitted)), " The rest is right." if "1" in labels else ""
        yield Explanation("way_ratio", f"In your `d{wrong.name}`, {text}.{rest}")
