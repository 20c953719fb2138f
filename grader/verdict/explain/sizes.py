"""Sizes and constants that are numbers in the code: a gradient that is right, or runs, with those in README.md only."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.judge.line import Case, judge_line


def explain_hard_coded_sizes(
    name: str, it: str, published: Case, cases: Sequence[Case], numbers: Sequence[tuple[float, int, str]]
) -> Explanation | None:
    """Explain d`name`, called `it`, that is right, or runs, on the published problem only; None for every other.

    `numbers` are those in its code that may be sizes or constants, each with its line and the code around it
    (`contents_of`): the message quotes the first that is one.
    """
    is_right = judge_line(name, [published]).passed
    wrong = [case for case in cases if not judge_line(name, [case]).passed]
    failing = wrong if is_right else [case for case in wrong if case[1].outcome == "raised"]
    if published[1].tensor is None or not failing:
        return None
    other = failing[0][0]
    right = [problem for problem, answer in cases if all(answer is not each for _, each in failing)]
    there, here, *elsewhere = (sizes_by_name(problem, name) for problem in (published[0], other, *right))
    # A size that is another one on a problem that is right is not meant by any number.
    sizes = {k: n for k, n in there.items() if here.get(k) != n and all(each.get(k, n) == n for each in elsewhere)}
    found = next((each for each in numbers if each[0] in sizes.values()), None)
    if found is None:
        return None
    value, line, code = found
    label = next(label for label, size in sizes.items() if size == value)
    does, fails = ("is right", "wrong") if is_right else ("runs", "raises an error")
    return Explanation(
        "sizes_written_in",
        f"{it} {does} at the sizes in README.md and {fails} at others ({other.draw.describe()}). Is a number a size "
        f"there? In line {line}, `{code}`, {value} equals `{label}`. Take it from what you are given.",
    )


def sizes_by_name(problem: Problem, name: str) -> dict[str, float]:
    """{how a size is called: its value}: numbers by name, then axes of values; those near d`name` first."""
    near = {each for consumer in problem.graph.consumers.get(name, ()) for each in problem.graph.sources[consumer]}
    numbers = {label: problem.values[label] for label in sorted(problem.values, key=lambda each: each not in near)}
    found = {k: v for k, v in numbers.items() if type(v) is float or (type(v) is int and v > 1)}
    for label in dict.fromkeys((name, *problem.graph.consumers.get(name, ()), *problem.values)):
        value = problem.values.get(label)
        if isinstance(value, Tensor):
            found |= {f"{label}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
    return found
