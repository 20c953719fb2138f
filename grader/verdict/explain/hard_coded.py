"""Hard-coded sizes: code that is right at some sizes and wrong at others, because it has them as numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

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

    One that is wrong at the published sizes and raises an error at others is explained where a number is found in it.

    Args:
        contents: the names, numbers and operations in its code (contents.contents_of). The message names the number and
            its line where they are found.
        unnamed: whether nothing else explains the step. Only then it gets a message without a number.
        function: the function that returns the gradient, where its name is not d`name`.
    """
    is_right = judge_line(name, [at_the_lecture_sizes]).passed
    failing = [case for case in cases if not judge_line(name, [case]).passed]
    if not is_right:
        failing = [case for case in failing if case[1].outcome == "raised"]
        if at_the_lecture_sizes[1].tensor is None or not failing:
            return None
    right = [problem for problem, answer in cases if all(answer is not wrong for _, wrong in failing)]
    published, (other, answer) = at_the_lecture_sizes[0], (failing or cases)[0]
    where = hard_coded_sentence("" if function else name, published, other, right, contents or {})
    if not where and (not unnamed or answer.tensor is None or right or not is_right):  # an error says more than a guess
        return None
    if not where and contents is not None and not contents.get("numbers"):
        advice = (
            "No size is written into it as a number: two sizes may be equal there that differ here. Which does it use?"
        )
    else:
        advice = (
            f"{where} Take sizes from what you are given." if where else "Which of its lines holds at those sizes only?"
        )
    it = "This gradient" if function else f"Your `d{name}`"
    there, elsewhere = ("is right", "wrong") if is_right else ("runs", "raises an error")
    return Explanation(
        "sizes_written_in",
        f"{it} {there} at the sizes in README.md and {elsewhere} at others ({other.draw.describe()}). {advice}",
    )


def hard_coded_sentence(
    name: str, published: Problem, other: Problem, right: Sequence[Problem], contents: FunctionContents
) -> str:
    """A sentence on the first line of the code with numbers that are sizes of the published problem; "" for none.

    A size that is another one on a problem that is `right` is not meant by any number.
    """
    there, here = sizes_by_name(published, name), sizes_by_name(other, name)
    elsewhere = [sizes_by_name(problem, name) for problem in right]
    there = {k: v for k, v in there.items() if here.get(k) != v and all(sizes.get(k, v) == v for sizes in elsewhere)}
    lines: dict[tuple[int, str], dict[float, str]] = {}
    for value, line, code in contents.get("numbers", ()):
        taken = lines.setdefault((line, code), {})
        labels = [f"`{label}`" for label, size in there.items() if size == value]
        label = next((each for each in labels if each not in taken.values()), labels[0] if labels else None)
        root = root_of_a_size(value, code, there)
        if label is not None or root:
            taken.setdefault(value, " or ".join(filter(None, (label, root))))
    for (line, code), taken in lines.items():
        if taken:
            numbers, names = listed([f"{value:.6g}" for value in taken]), listed([*taken.values()])
            s, are = ("", "is") if len(taken) == 1 else ("s", "are")
            return f"Line {line} uses the number{s} {numbers}, which {are} {names} there: `{code}`."
    return ""


def root_of_a_size(value: float, code: str, sizes: Mapping[str, int]) -> str:
    """Which size's root a number is with which `code` multiplies or divides, in words; "" for none."""
    if (
        value < 1.5
        or value == 2
        or not re.search(rf"[*/] ?{re.escape(repr(value))}\b|\b{re.escape(repr(value))} ?[*/]", code)
    ):
        return ""
    return next((f"the root of `{k}`" for k, size in sizes.items() if math.isclose(size, value**2)), "")


def sizes_by_name(problem: Problem, name: str) -> dict[str, int]:
    """{how a size is called: its value}: whole numbers by name, then axes of values, the step's own first."""
    found = {label: value for label, value in problem.values.items() if type(value) is int and value > 1}
    for label in dict.fromkeys((name, *problem.graph.consumers.get(name, ()), *problem.values)):
        value = problem.values.get(label)
        if isinstance(value, torch.Tensor):
            found |= {f"{label}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
    return found
