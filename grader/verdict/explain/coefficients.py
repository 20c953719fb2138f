"""The right answer, or parts of it, times numbers: all of it, what comes through one line or by one path.

An inner line may be right on one path and wrong on another: in batch norm all of `bndiff` is propagated together in the
graph, but a formula written as one expression has a term for each path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.problem_values import can_expand, computed_once, times_what
from grader.verdict.explain.wrong_answer import (
    FEW_NUMBERS,
    ZERO_COEFFICIENT,
    WrongAnswer,
    WrongFormula,
    WrongGradient,
    euclidean_norm,
    first_telling,
)

LARGEST_FACTOR = 1e9
"""Nobody forgets a larger factor, or the reciprocal of one: such numbers are left of something else."""
MAX_STEPS = 150
"""Lines that are passed on all paths to a value together: with more, its paths are not looked at."""
MAX_PATHS = 8
NEGLIGIBLE = 1e-12
"""A path whose share is smaller than this part of the largest one is zero: a mean of deviations from a mean."""
ROUNDING = 1e-9

GradientPath = tuple[str, ...]
"""The names that it passes, from the one whose upstream gradient is given to the last one before the target."""

# All of it -----------------------------------------------------------------------------------------------------------


def zeros(wrong: WrongAnswer) -> Iterator[Explanation]:
    """Zero in every element, or rounding, on every problem."""
    is_zero = not any(bool(found.any()) for found in wrong.found)
    pairs = zip(wrong.found, wrong.floors, strict=True)
    is_noise = is_zero or all(float(f.abs().max()) <= ROUNDING * floor for f, floor in pairs)
    if not is_noise or wrong.elements < FEW_NUMBERS or not any(bool(e.any()) for e in wrong.expected):
        return
    ask = "What should have moved it?"
    if isinstance(wrong, WrongGradient):
        ask = f"Where `{wrong.name}` is read, which of its elements change the result?"
    it = f"Every element of {wrong.it}" if any(found.ndim for found in wrong.found) else wrong.what
    yield Explanation("zeros", f"{it} is zero{'' if is_zero else ', up to rounding'}. {ask}")


def constant_multiple(wrong: WrongAnswer) -> Iterator[Explanation]:
    """The right answer times a number with a name. Any number is so many times a few ones."""
    values = wrong.factors([e] for e in wrong.expected)
    if not values or (wrong.elements < FEW_NUMBERS and all(bool((e == 1).all()) for e in wrong.expected)):
        return
    name = wrong.name_of(values[0])
    if name == "−1":
        text = f"The sign is flipped: {wrong.it} is exactly minus {wrong.right}. One minus is missing, or one too many"
        text += ": compare with the forward line." if isinstance(wrong, WrongGradient) else "."
        yield Explanation("sign", text)
    elif name not in (None, "0", "1"):
        times = times_what(name, values[0][first_telling(values[0])], wrong.right)
        yield Explanation("ratio", f"{wrong.what} is {times}. A constant factor is lost, or there is one too many.")


def unnamed_multiple(wrong: WrongAnswer) -> Iterator[Explanation]:
    """The right answer times a number that has no name and differs from problem to problem."""
    values = next(iter(wrong.factors([e] for e in wrong.expected)), [])
    if not values or min(e.numel() for e in wrong.expected) < FEW_NUMBERS:
        return
    if all(1 / LARGEST_FACTOR < abs(value) < LARGEST_FACTOR for value in values):
        other = max(values, key=lambda value: abs(value - values[0]))
        first, second = sorted((values[0], other), key=lambda value: abs(value - 1) < ZERO_COEFFICIENT)
        rest = "right on another" if abs(second - 1) < ZERO_COEFFICIENT else f"{second:.6g} times on another"
        yield Explanation(
            UNNAMED_MULTIPLE,
            f"{wrong.what} is a multiple of {wrong.right}, {first:.6g} times on one problem and {rest}. Which sizes, "
            "or numbers that you are given, make up that factor?",
        )


# Lines and paths -----------------------------------------------------------------------------------------------------


def wrong_branches(wrong: WrongGradient) -> Iterator[Explanation]:
    """The parts through some of the lines that read the value are missing, subtracted, too large or too small."""
    words = {consumer: f"through `{consumer}`" for consumer in wrong.consumers}
    branches = (problem.branches(wrong.name) for problem in wrong.problems)
    yield from wrong_parts(wrong, "branch", words, ({c: shares[c].double() for c in words} for shares in branches))


def held_constant(wrong: WrongGradient) -> Iterator[WrongFormula]:
    """An inner value treated as a constant, although it is computed from the value: no path through it."""
    paths = common_paths(wrong) if wrong.same_shape else []
    for held in dict.fromkeys(name for path in paths for name in path if not all(name in other for other in paths)):

        def without(number: int, held: str = held) -> Tensor:
            shares = shares_of_paths(wrong.problems[number], wrong.name)
            return wrong.expected[number] - sum(shares[path] for path in paths if held in path)

        yield WrongFormula(
            "held_constant",
            f"Your `d{wrong.name}` treats `{held}` as a constant. It is computed from `{wrong.name}`, so the gradient "
            "also comes back through it. The rest is right.",
            without,
        )


def wrong_paths(wrong: WrongGradient) -> Iterator[Explanation]:
    """The same for the paths inside a step."""
    paths, tables = common_paths(wrong), [shares_of_paths(problem, wrong.name) for problem in wrong.problems]
    yield from wrong_parts(wrong, "way", {path: path_in_words(paths, path) for path in paths}, tables)


def wrong_parts(
    wrong: WrongGradient, kind: str, words: Mapping[Any, str], shares: Iterable[Mapping[Any, Tensor]]
) -> Iterator[Explanation]:
    """What is wrong with the parts of which the gradient is the sum; `shares` are these parts per problem."""
    if len(words) < 2:
        return
    fitted = wrong.coefficients([share[part] for part in words] for share in shares)
    labels = {label for label, _ in fitted}
    if len(labels) < 2:
        return
    faults = {"0": "is missing", "−1": "has the wrong sign"}
    texts = [
        f"the part that comes {part} {faults.get(label) or 'is ' + times_what(label, value)}"
        for part, (label, value) in zip(words.values(), fitted, strict=True)
        if label != "1"
    ]
    end = "."
    if labels & {"0", "−1"}:
        own_sign = ", each with the sign that it gets in its own forward line" if "−1" in labels else ""
        end = f". Gradients of all paths add up{own_sign}."
    if "1" in labels:
        end += " The rest is right."
    of_kinds = {frozenset({"0"}): "missing", frozenset({"−1"}): "sign"}
    yield Explanation(
        f"{kind}_{of_kinds.get(frozenset(labels - {'1'}), 'ratio')}",
        f"In your `d{wrong.name}`, {', and '.join(texts)}{end}",
    )


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


# An elementwise factor -----------------------------------------------------------------------------------------------


def wrong_factor(wrong: WrongGradient) -> Iterator[WrongFormula]:
    """The gradient times one of the values that the next lines read, or divided by it."""
    graph = wrong.problems[0].graph
    for name in sorted({each for consumer in wrong.consumers for each in graph.sources[consumer]}):
        for power, done, lacks in (
            (1, "multiplied", "a division by it is missing, or it multiplies"),
            (-1, "divided", f"`{name}` is missing as a factor, or it divides"),
        ):

            def formula(number: int, name: str = name, power: int = power) -> Tensor | None:
                value, expected = wrong.problems[number].values[name], wrong.expected[number]
                if not isinstance(value, Tensor) or value.numel() < 2 or not can_expand(value.shape, expected.shape):
                    return None
                return expected * value.double() ** power

            text = f"{wrong.what} is the right one, {done} by `{name}`: {lacks} once too often."
            yield WrongFormula("factor", text, formula)
