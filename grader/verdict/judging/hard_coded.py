"""Sizes that a step has as numbers in its code: right at the published sizes, wrong at all others."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.reference.problem import Problem
from grader.verdict.diagnosis.claims import Contents
from grader.verdict.diagnosis.evidence import Explanation, listed
from grader.verdict.judging.line import judge_line
from grader.verdict.judging.verdicts import Case


def sizes_written_in(
    name: str,
    at_the_lecture_sizes: Case,
    cases: Sequence[Case],
    contents: Contents | None = None,
    unnamed: bool = True,
    function: str = "",
) -> Explanation | None:
    """A message about a step that is right at the published sizes and at no others; None for every other step.

    `contents` is what its code is made of (edits.contents_of): the number and its line are named where they are found.
    Where the code is not known to hold such a number, only a step that is `unnamed` so far gets the message. `function`
    is the one that returns the gradient, where it is not called like it.
    """
    if not judge_line(name, [at_the_lecture_sizes], naming=False).passed:
        return None
    failing = (case for case in cases if not judge_line(name, [case], naming=False).passed)
    published, (other, _) = at_the_lecture_sizes[0], next(failing, cases[0])
    where = numbers_of_sizes("" if function else name, published, other, contents or {})
    if not where and not unnamed:
        return None
    where = where or "A size is written into it as a number."
    it = "This gradient" if function else f"Your `d{name}`"
    return Explanation(
        "sizes_written_in",
        f"{it} is right at the lecture's sizes and wrong at others ({other.draw.describe()}). {where} "
        "Take sizes from what you are given.",
    )


def numbers_of_sizes(name: str, published: Problem, other: Problem, contents: Contents) -> str:
    """A sentence on the first line of the code with numbers that are sizes of the published problem; "" for none."""
    there, here = sizes_by_name(published, name), sizes_by_name(other, name)
    lines: dict[tuple[int, str], dict[int, str]] = {}
    for value, line, code in contents.get("numbers", ()):
        label = next((label for label, size in there.items() if size == value and here.get(label) != value), None)
        taken = lines.setdefault((line, code), {})
        if label in taken.values():  # of two axes of one size, each has its name
            label = next((k for k, v in there.items() if v == value and k not in taken.values()), label)
        if label is not None:
            taken.setdefault(value, label)
    for (line, code), taken in lines.items():
        if taken:
            numbers, names = listed_plainly([*map(str, taken)]), listed([*taken.values()])
            s, are = ("", "is") if len(taken) == 1 else ("s", "are")
            return f"Line {line} uses the number{s} {numbers}, which {are} {names} there: `{code}`."
    return ""


def listed_plainly(words: Sequence[str]) -> str:
    return listed(words).replace("`", "")


def sizes_by_name(problem: Problem, name: str) -> dict[str, int]:
    """{how a size is called: its value}: whole numbers by name, then axes of values, the step's own first."""
    found = {label: value for label, value in problem.values.items() if type(value) is int and value > 1}
    for label in dict.fromkeys((name, *problem.graph.consumers.get(name, ()), *problem.values)):
        value = problem.values.get(label)
        if isinstance(value, torch.Tensor):
            found |= {f"{label}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
    return found
