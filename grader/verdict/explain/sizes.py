"""Sizes that are numbers in the code: a gradient that is right, or runs, at the sizes in README.md only."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.reference.problem import Problem
from grader.results.wording import listed
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents
from grader.verdict.judge.line import Case, judge_line


def explain_hard_coded_sizes(
    name: str,
    at_the_lecture_sizes: Case,
    cases: Sequence[Case],
    contents: FunctionContents | None = None,
    unnamed: bool = True,
    function: str = "",
) -> Explanation | None:
    """Explain a step that is right, or runs, at the published sizes only; None for every other step.

    Args:
        contents: the numbers in its code (contents.contents_of). The message names the line where they are found.
        unnamed: whether nothing else explains the step. Only then it gets a message without a number.
        function: the function that returns the gradient, where its name is not d`name`.
    """
    published, at_home = at_the_lecture_sizes
    is_right = judge_line(name, [at_the_lecture_sizes]).passed
    wrong = [case for case in cases if not judge_line(name, [case]).passed]
    failing = wrong if is_right else [case for case in wrong if case[1].outcome == "raised"]
    if not is_right and (at_home.tensor is None or not failing):
        return None
    right = [problem for problem, answer in cases if all(answer is not each for _, each in failing)]
    other, answer = (failing or cases)[0]
    numbers = (contents or {}).get("numbers", ())
    where = hard_coded_sentence(sizes_that_differ("" if function else name, published, other, right), numbers)
    if where:
        advice = f"{where} Take sizes from what you are given."
    elif not unnamed or answer.tensor is None or right or not is_right:  # an error says more than a guess
        return None
    else:
        advice = "Which of its lines holds at those sizes only, or where two sizes are equal?"
    it = "This gradient" if function else f"Your `d{name}`"
    there, elsewhere = ("is right", "wrong") if is_right else ("runs", "raises an error")
    return Explanation(
        "sizes_written_in",
        f"{it} {there} at the sizes in README.md and {elsewhere} at others ({other.draw.describe()}). {advice}",
    )


def sizes_that_differ(name: str, published: Problem, other: Problem, right: Sequence[Problem]) -> dict[str, int]:
    """{how a size is called: its published value}, of those that are another one on a problem that fails.

    A size that is another one on a problem that is `right` is not meant by any number. The step's own come first.
    """
    there, here, *elsewhere = (sizes_by_name(problem, name) for problem in (published, other, *right))
    return {k: v for k, v in there.items() if here.get(k) != v and all(sizes.get(k, v) == v for sizes in elsewhere)}


def sizes_by_name(problem: Problem, name: str) -> dict[str, int]:
    """{how a size is called: its value}: whole numbers by name, then axes of values, the step's own first."""
    found = {label: value for label, value in problem.values.items() if type(value) is int and value > 1}
    for label in dict.fromkeys((name, *problem.graph.consumers.get(name, ()), *problem.values)):
        value = problem.values.get(label)
        if isinstance(value, torch.Tensor):
            found |= {f"{label}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
    return found


def hard_coded_sentence(sizes: dict[str, int], numbers: Sequence[tuple[int, int, str]]) -> str:
    """A sentence on the first line of the code with numbers that are sizes; "" for none."""
    lines: dict[tuple[int, str], dict[int, str]] = {}
    for value, line, code in numbers:
        taken = lines.setdefault((line, code), {})
        labels = [f"`{label}`" for label, size in sizes.items() if size == value]
        if labels:
            taken.setdefault(value, next((each for each in labels if each not in taken.values()), labels[0]))
    for (line, code), taken in lines.items():
        if taken:
            listing, names = listed([str(value) for value in taken]), listed([*taken.values()])
            s, are = ("", "is") if len(taken) == 1 else ("s", "are")
            return f"Line {line} uses the number{s} {listing}, which {are} {names} there: `{code}`."
    return ""
