"""Hard-coded sizes: code that is right at some sizes and wrong at others, because it has them as numbers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import torch

from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem
from grader.results.wording import listed
from grader.source.syntax import WrittenNumber
from grader.verdict.explain.claims import FunctionContents
from grader.verdict.explain.explanation import Explanation
from grader.verdict.judge.line import judge_line
from grader.verdict.judge.own_sizes import Terms, notebook_sizes
from grader.verdict.judge.verdicts import Case

MIN_HARD_CODED_SIZE = 3
"""The smallest size that formulas calculate with and that may be hard-coded."""


# Functions: any size has to be right ----------------------------------------------------------------------------------


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
    is_right = judge_line(name, [at_the_lecture_sizes], naming=False).passed
    failing = [case for case in cases if not judge_line(name, [case], naming=False).passed]
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


# Notebooks: their own sizes decide ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meaning:
    """What a number in the code may stand for: 31 for `batch - 1`, 30 for `block × embedding`."""

    number: WrittenNumber
    sizes: tuple[str, ...]
    words: str

    @property
    def is_size(self) -> bool:
        """Whether the number is the size itself."""
        return self.words == size_words(self.sizes[0])

    @property
    def place(self) -> tuple[str, int]:
        return self.number.file, self.number.line

    def __str__(self) -> str:
        parts = " parts written one by one" if self.number.is_count else ""
        return f"{self.number.value:.6g}{parts} ({self.words})"


def meanings(number: WrittenNumber, sizes: Mapping[str, int]) -> list[Meaning]:
    """What a number in the code may stand for, or 1 divided by it."""
    if number.is_count:
        return [Meaning(number, (size,), size_words(size)) for size, n in sizes.items() if n == number.value]
    value = number.value if number.value >= 1 else 1 / number.value
    whole = round(value)
    if abs(value - whole) > 1e-6 * value:
        return []
    prefix = "" if number.value >= 1 else "1 / "
    found = [Meaning(number, (size,), prefix + size_words(size)) for size, n in sizes.items() if n == whole]
    found += [
        Meaning(number, (size,), f"{prefix}{size_words(size)} - 1")
        for size, n in sizes.items()
        if n - 1 == whole and n > MIN_HARD_CODED_SIZE
    ]
    for count in range(2, len(sizes) + 1):
        for some in itertools.combinations(sizes, count):
            if math.prod(sizes[size] for size in some) == whole:
                found.append(Meaning(number, some, prefix + " × ".join(map(size_words, some))))
    return found


def size_words(size: str) -> str:
    return size.replace("_", " ")


def hard_coded_numbers(lesson: Lesson, terms: Terms, row: str, hard_coded: Collection[str]) -> list[Meaning] | None:
    """The numbers in the row's statements by which these sizes are hard-coded; None where that explains nothing.

    A size of two that formulas calculate with shows nothing: with two examples n - 1 and 1 / (n - 1) are the same.
    """
    sizes = terms.sizes or {}
    calculated_with = set(notebook_sizes(lesson).scalars.values())
    if not hard_coded or any(
        sizes[size] < MIN_HARD_CODED_SIZE and size in (calculated_with or sizes) for size in hard_coded
    ):
        return None
    return accounted_for(hard_coded, sizes, terms.numbers.get(row, ()))


def accounted_for(
    hard_coded: Collection[str], sizes: Mapping[str, int], numbers: Sequence[WrittenNumber]
) -> list[Meaning] | None:
    """The numbers by which these sizes are hard-coded, one for each; None where one of them is in no number.

    Sizes that are equal need a number each: one 64 is the batch size or the hidden size. A count explains a size that
    no literal explains.
    """
    found: list[Meaning] = []
    used: set[int] = set()
    for size in sorted(hard_coded):
        candidates = [
            (place, meaning)
            for place, number in enumerate(numbers)
            for meaning in meanings(number, sizes)
            if size in meaning.sizes
        ]
        free = [(place, meaning) for place, meaning in candidates if place not in used or len(meaning.sizes) > 1]
        if not free:
            return None
        place, meaning = min(free, key=lambda each: (each[1].number.is_count, len(each[1].sizes), not each[1].is_size))
        used.add(place)
        found.append(meaning)
    return found


def explain_lecture_sizes(step: str, sizes: Mapping[str, int], published: Mapping[str, int]) -> Explanation:
    """What is wrong with a gradient that is right at the lecture's sizes and not at those that the notebook sets."""
    other = ", ".join(f"{size_words(size)} {n}" for size, n in sizes.items() if published.get(size) != n)
    return Explanation(
        "sizes_of_the_lecture",
        f"Your `{step}` is right at the lecture's sizes. Your notebook sets others ({other}), and there it is wrong: "
        "is a number left over from the lecture?",
    )


def size_remark(found: Sequence[Meaning], expressions: Mapping[str, str]) -> str:
    """A note on sizes that are numbers in the code: which, where, and what gives the first of them at any size."""
    places: dict[tuple[str, int], list[str]] = {}
    found = sorted(found, key=lambda each: each.place)
    for meaning in found:
        shown = places.setdefault(meaning.place, [])
        if str(meaning) not in shown:
            shown.append(str(meaning))
    where, latest = "", ""
    for (file, line), shown in places.items():
        where += ("; " if where else "") + (f"line {line}" if file == latest else f"{file}, line {line}")
        where += ": " + ", ".join(shown)
        latest = file
    what = "Sizes are" if sum(map(len, places.values())) > 1 else "A size is"
    remark = f"Right at your notebook's own sizes. {what} hard-coded in {where}."
    for meaning in found:
        if meaning.is_size and meaning.sizes[0] in expressions:
            expression, number = expressions[meaning.sizes[0]], f"{meaning.number.value:.6g}"
            if meaning.number.is_count:
                return f"{remark} A loop over `range({expression})` works at any size."
            return f"{remark} `{expression}` in place of {number} works at any size."
    return remark
