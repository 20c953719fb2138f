"""Where several operations are one step: the whole ways that the gradient takes through them, each for itself.

An inner line may be right on one way and wrong on another: in batch norm all of `bndiff` flows back together in the
graph, but a formula in one expression has a term for each way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Explanation, Wrong, kept, listed
from grader.verdict.diagnosis.ratios import ZERO, briefly, constant
from grader.verdict.diagnosis.readings.inner_lines import edges

MOST_WAYS = 8
MOST_HELD = 3
"""Values that may be held constant together."""
NOTHING = 1e-12
"""A way that carries less than this share of the largest carries nothing: a mean of deviations from a mean."""

Way = tuple[str, ...]
"""The names that it passes, from the one whose gradient is given to the last before the one that is asked for."""


def ways(problem: Problem, name: str) -> dict[Way, Tensor]:
    """What each way carries to d`name`; empty where there are no inner ones, or too many."""

    def make() -> dict[Way, Tensor]:
        inner = edges(problem, name)
        starts = problem.graph.consumers[name] if problem.random_upstream else problem.ends
        found = {way: t.double() for c in starts for way, t in walked(problem, name, c, inner)}
        sizes = {way: float(torch.linalg.vector_norm(tensor)) for way, tensor in found.items()}
        found = {way: t for way, t in found.items() if sizes[way] > NOTHING * max(sizes.values())}
        return found if 1 < len(found) <= MOST_WAYS else {}

    return kept(problem, ("ways", name), make)


def walked(
    problem: Problem, name: str, consumer: str, inner: dict[tuple[str, str], Tensor]
) -> Iterator[tuple[Way, Tensor]]:
    start = problem.upstream[consumer] if problem.random_upstream else problem.ends[consumer]
    waiting: list[tuple[Way, Tensor]] = [((consumer,), start)]
    while waiting:
        way, upstream = waiting.pop()
        for parent, share in problem.finer.vjp(way[-1], upstream).items():
            if parent == name:
                yield way, share
            elif (parent, way[-1]) in inner and len(waiting) < 4 * MOST_WAYS:
                waiting.append(((*way, parent), share))


def common(wrong: Wrong) -> list[Way]:
    """The ways that there are on all problems."""
    tables = [ways(problem, wrong.name) for problem in wrong.problems]
    return [way for way in tables[0] if all(way in table for table in tables)]


def told_apart(found: Sequence[Way], way: Way) -> str:
    """A way in words: the names that not all ways share; the direct one by what it does not pass."""
    own = [name for name in way if not all(name in other for other in found)]
    if own:
        return "by way of " + " and ".join(f"`{name}`" for name in own)
    others = dict.fromkeys(name for other in found for name in other if name not in way)
    return "directly, not by way of " + " or ".join(f"`{name}`" for name in others)


def each_way(wrong: Wrong) -> Iterator[Wrong]:
    """Each way as the one that is wrong, the others taken as right."""
    found = common(wrong) if wrong.same_shape and wrong.consumer is None else []
    for way in found:
        shares = [ways(problem, wrong.name)[way] for problem in wrong.problems]
        yield Wrong(
            wrong.name,
            way[0],
            wrong.problems,
            [f - (e - s) for f, e, s in zip(wrong.found, wrong.expected, shares, strict=True)],
            shares,
            [max(size, float(torch.linalg.vector_norm(f))) for size, f in zip(wrong.floors, wrong.found, strict=True)],
            wrong.tolerance,
            wrong.uses,
            f"part that comes {told_apart(found, way)}",
        )


def held_constant(wrong: Wrong) -> Iterator[Explanation]:
    """Some inner values treated as constants, although they are computed from the value: no way leads through them."""
    found = common(wrong) if wrong.same_shape and wrong.consumer is None else []
    inner = dict.fromkeys(name for way in found for name in way if not all(name in other for other in found))
    for count in range(1, min(len(inner), MOST_HELD) + 1):
        for names in combinations(inner, count):
            blocked = [way for way in found if not set(way).isdisjoint(names)]
            if len(blocked) == len(found):
                continue

            def candidate(problem: Problem, expected: Tensor, blocked: Sequence[Way] = blocked) -> Tensor:
                return expected - torch.stack([ways(problem, wrong.name)[way] for way in blocked]).sum(0)

            if wrong.holds(candidate):
                what, they = ("a constant. It is", "it") if count == 1 else ("constants. They are", "them")
                yield Explanation(
                    "held_constant",
                    f"Your `d{wrong.name}` treats {listed(names)} as {what} computed from `{wrong.name}`, so the "
                    f"gradient also comes back through {they}. The rest is right.",
                )
                return


def one_way(wrong: Wrong) -> Iterator[Explanation]:
    """What one way carries is missing, has its sign turned round, or is too large or too small."""
    labels = labelled(wrong)
    if sum(label != "1" for label, _ in labels.values()) == 1:
        yield told(wrong, labels)


def several_ways(wrong: Wrong) -> Iterator[Explanation]:
    """The same of several ways at once."""
    labels = labelled(wrong)
    if sum(label != "1" for label, _ in labels.values()) > 1 and len({label for label, _ in labels.values()}) > 1:
        yield told(wrong, labels)


def labelled(wrong: Wrong) -> dict[Way, tuple[str, float]]:
    """{way: (the name of its coefficient, its value on the first problem)}; empty where that does not hold."""
    found = common(wrong)
    if not wrong.same_shape or wrong.consumer is not None or len(found) < 2:
        return {}
    rows: list[list[float]] = []
    for number, problem in enumerate(wrong.problems):
        columns = torch.stack([ways(problem, wrong.name)[way].flatten() for way in found])
        gram = columns @ columns.T
        scale = gram.diagonal().sqrt()
        if float(torch.linalg.det(gram / scale / scale[:, None])) < 1e-6:
            return {}  # two ways that cannot be told apart
        solved = torch.linalg.solve(gram, columns @ wrong.found[number].flatten())
        if not wrong.equals(number, (solved @ columns).view(wrong.found[number].shape)):
            return {}
        rows.append([float(k) for k in solved])
    labels: dict[Way, tuple[str, float]] = {}
    for way, column in zip(found, zip(*rows, strict=True), strict=True):
        label = "0" if all(abs(k) <= ZERO for k in column) else constant(wrong, column)
        if label is None:
            return {}
        labels[way] = label, column[0]
    return labels


def told(wrong: Wrong, labels: dict[Way, tuple[str, float]]) -> Explanation:
    said = []
    for way, (label, value) in labels.items():
        part = f"the part that comes {told_apart(list(labels), way)}"
        if label == "0":
            said.append(f"{part} is missing")
        elif label == "−1":
            said.append(f"{part} has its sign turned round")
        elif label != "1":
            said.append(f"{part} is exactly {briefly(label, value)}")
    rest = " The rest is right." if any(label == "1" for label, _ in labels.values()) else ""
    return Explanation("way_ratio", f"In your `d{wrong.name}`, {', and '.join(said)}.{rest}")
