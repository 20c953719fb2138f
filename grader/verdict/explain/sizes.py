"""Sizes that are not taken from what a step is given: numbers in the code, and axes as long as the data need."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import product

import torch

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.results.wording import listed
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents
from grader.verdict.explain.wrong_answer import Cases
from grader.verdict.judge.line import Case, judge_line

# Numbers in the code -------------------------------------------------------------------------------------------------


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
        contents: the names, numbers and operations in its code (contents.contents_of). The message names the number and
            its line where they are found.
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
    where = hard_coded_sentence("" if function else name, published, other, right, contents or {})
    if where:
        advice = f"{where} Take sizes from what you are given."
    elif not unnamed or answer.tensor is None or right or not is_right:  # an error says more than a guess
        return None
    elif contents is None or contents.get("numbers"):
        advice = "Which of its lines holds at those sizes only?"
    else:
        advice = "No size is written into it as a number: two sizes may be equal there that differ here. Which is used?"
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
        meant = [next((each for each in labels if each not in taken.values()), *labels[:1])] if labels else []
        if value != 2 and any(f"{operator} {value!r}" in code for operator in "*/"):
            meant += [f"the root of `{k}`" for k, size in there.items() if math.isclose(size, value**2)][:1]
        if meant:
            taken.setdefault(value, " or ".join(meant))
    for (line, code), taken in lines.items():
        if taken:
            numbers, names = listed([f"{value:.6g}" for value in taken]), listed([*taken.values()])
            s, are = ("", "is") if len(taken) == 1 else ("s", "are")
            return f"Line {line} uses the number{s} {numbers}, which {are} {names} there: `{code}`."
    return ""


def sizes_by_name(problem: Problem, name: str) -> dict[str, int]:
    """{how a size is called: its value}: whole numbers by name, then axes of values, the step's own first."""
    found = {label: value for label, value in problem.values.items() if type(value) is int and value > 1}
    for label in dict.fromkeys((name, *problem.graph.consumers.get(name, ()), *problem.values)):
        value = problem.values.get(label)
        if isinstance(value, torch.Tensor):
            found |= {f"{label}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
    return found


# As long as the data need --------------------------------------------------------------------------------------------


def width_from_the_data(name: str, cases: Cases, contents: FunctionContents | None = None) -> Explanation | None:
    """Why d`name` raises or has a wrong shape on some `cases`, if the data decide how long an axis is.

    On every problem that fails, as many classes as occur in the data appear in the error or in the answer's shape.
    """
    if contents is None or not contents["open_widths"]:
        return None
    failing = [(p, a) for p, a in cases if a.tensor is None or a.tensor.shape != p.values[name].shape]
    if not failing or any(answer.outcome not in ("returned", "raised") for _, answer in failing):
        return None
    first = failing[0][0]
    read = [n for n, value in first.values.items() if n in contents["names"] and isinstance(value, torch.Tensor)]
    read.sort(key=lambda n: first.values[n].is_floating_point())  # labels first
    for source, number in product(read, (0, 1)):
        widths = [class_counts(problem.values[source])[number] for problem, _ in failing]
        if all(width in lengths_shown(name, *case) for width, case in zip(widths, failing, strict=True)):
            return Explanation(
                "left_to_the_data",
                f"The number of classes is left to the data: as many as `{source}` needs, {widths[0]} here. There are "
                "more than `F.one_hot` without `num_classes`, `bincount` without `minlength`, `max() + 1` and `unique` "
                "give: pass their number.",
            )
    return None


def class_counts(value: torch.Tensor) -> tuple[int, int]:
    """One more than the largest of integers, or than the last column with the maximum of a row; how many there are."""
    if value.is_floating_point():
        return (int(value.argmax(1).max()) + 1 if value.ndim == 2 and value.numel() else 1), 0
    return (int(value.max()) + 1 if value.numel() else 0), len(set(value.flatten().tolist()))


def lengths_shown(name: str, problem: Problem, answer: Answer) -> set[int]:
    """The numbers in the error, or the lengths of axes that are too short in the answer."""
    if answer.tensor is None:
        return {int(number) for number in re.findall(r"\d+", answer.message)}
    shape = problem.values[name].shape
    pairs = zip(answer.tensor.shape, shape, strict=False)
    return {found for found, right in pairs if found < right} if answer.tensor.ndim == len(shape) else set()
