"""What a notebook may write differently from a stub: sizes as numbers, and shapes with other axes of length one.

`F.one_hot(Yb, 27)` is correct in a notebook whose vocabulary has 27 characters, and wrong in a function that must work
at any size. So a gradient of a notebook that is wrong on the hidden problems is judged again, on problems of the
notebook's own sizes, which are as secret and as random. It earns its points if

* it is right on all of these,
* and where one size alone is changed and it becomes wrong, the size is a number in its statements. A wrong formula that
  is right by chance at these sizes (divided by the hidden size, which happens to equal the batch size) has none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import differs_in_ones, written
from grader.lesson.notebook_lesson import PRIMES, factors, notebook_table
from grader.reference.problem import Draw, Problem, derive
from grader.source.literals import WrittenNumber
from grader.verdict.diagnosis.evidence import Explanation

if TYPE_CHECKING:
    from grader.intake.submissions.lesson_files import LessonFiles
    from grader.lesson.lesson import Lesson
    from grader.verdict.judging.runner import StepRunner

MOST_ELEMENTS = 1 << 20
"""Elements of all forward values of one problem, some 45 times as many as at the lecture's sizes."""
MANY_ELEMENTS = 1 << 18
FEW_DRAWS = 3
"""Problems of that many elements that decide. Of smaller ones there are as many as hidden problems."""
FEWEST = 3
"""The smallest size that formulas calculate with and that may be hard-coded."""


@dataclass(frozen=True)
class Terms:
    """What a submission is judged by, besides its numbers.

    Attributes:
        broadcast: a shape that differs in axes of length one only is accepted.
        sizes: {size: its value} of a notebook; None where all sizes have to be right.
        numbers: {row: the numbers in its statements}.
    """

    broadcast: bool = False
    sizes: Mapping[str, int] | None = None
    numbers: Mapping[str, Sequence[WrittenNumber]] = field(default_factory=dict)


STRICT = Terms()


def terms_of(lesson: Lesson, handed: LessonFiles) -> Terms:
    """By the course's settings; without any: strict for functions, broadcast for a notebook in the lecture's style."""
    origin = handed.origin
    is_notebook = origin is not None and origin.sizes is not None
    broadcast = lesson.settings.shape == "broadcast" or (lesson.settings.shape is None and is_notebook)
    if origin is None or origin.sizes is None:
        return Terms(broadcast) if broadcast else STRICT
    return Terms(broadcast, origin.sizes if are_drawable(lesson, origin.sizes) else None, origin.numbers)


def are_drawable(lesson: Lesson, sizes: Mapping[str, int]) -> bool:
    """Whether a problem of these sizes is small enough to be drawn for one notebook."""
    if not sizes or min(sizes.values()) < 2:
        return False
    return is_published(lesson, sizes) or elements(lesson, sizes) <= MOST_ELEMENTS


def elements(lesson: Lesson, sizes: Mapping[str, int]) -> int:
    """How many elements all forward values of a problem of these sizes have."""
    return sum(math.prod(sizes.get(size, 1) for axis in shape for size in axis) for shape in shapes(lesson))


@lru_cache(maxsize=64)
def shapes(lesson: Lesson) -> list[list[list[str]]]:
    """For each forward value, for each of its axes: the sizes whose product it is."""
    wanted = notebook_table(lesson)
    primes = dict(zip(wanted.sizes.published if wanted else (), PRIMES, strict=False))
    values = lesson.problem(Draw(primes), 0, random_upstream=False).values
    return [[factors(n, primes) for n in value.shape] for value in values.values() if isinstance(value, Tensor)]


def is_published(lesson: Lesson, sizes: Mapping[str, int] | None) -> bool:
    """Whether these are the lecture's sizes, or none were said."""
    if sizes is None:
        return True
    wanted = notebook_table(lesson)
    return wanted is None or all(wanted.sizes.published.get(k) == v for k, v in sizes.items())


def published_sizes(lesson: Lesson) -> Mapping[str, int]:
    """{size: its published value}, of those that a notebook may set."""
    wanted = notebook_table(lesson)
    return wanted.sizes.published if wanted else {}


def expressions_of(lesson: Lesson) -> Mapping[str, str]:
    """{size: an expression of forward values that gives it}."""
    wanted = notebook_table(lesson)
    return wanted.sizes.expressions if wanted else {}


# Shapes --------------------------------------------------------------------------------------------------------------


def fitted(answer: Answer, problem: Problem, step: str) -> Answer:
    """The answer in its value's shape, where it differs in axes of length one only."""
    if answer.tensor is None or not differs_in_ones(answer.tensor.shape, problem.values[step[1:]].shape):
        return answer
    return answer._replace(tensor=answer.tensor.reshape(problem.values[step[1:]].shape))


class Fitted:
    """A student whose answers to `step` have their value's shape, where only axes of length one are missing."""

    def __init__(self, student: StepRunner, step: str) -> None:
        self.student, self._step = student, step
        self.trials = getattr(student, "trials", None)

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        return {self._step: fitted(self.student.answers(problem)[self._step], problem, self._step)}

    def prefetch(self, problems: Sequence[Problem]) -> None:
        self.student.prefetch(problems)

    def run_traced(self, problem: Problem, step: str) -> Answer:
        return fitted(self.student.run_traced(problem, step), problem, step)


def shape_remark(step: str, shape: Sequence[int], expected: Sequence[int]) -> str:
    """A note on right numbers in another shape."""
    effect = (
        "Broadcasting hides the difference."
        if list(expected) == [1] * (len(expected) - len(shape)) + list(shape)
        else "Lines that use it may broadcast it differently."
    )
    return (
        f"The numbers are right. `{step}` has shape {written(tuple(shape))}, `{step[1:]}` has shape "
        f"{written(tuple(expected))}. {effect}"
    )


# Sizes ---------------------------------------------------------------------------------------------------------------


class OwnProblems(NamedTuple):
    """Problems at a notebook's sizes, and for each size one in which it alone is different.

    `lecture` is one at the lecture's sizes, where those are others.
    """

    same: list[Problem]
    varied: dict[str, Problem]
    lecture: Problem | None = None

    @property
    def all(self) -> list[Problem]:
        return [*self.same, *self.varied.values(), *([self.lecture] if self.lecture else [])]


def own_problems(lesson: Lesson, draws: Sequence[Draw], sizes: Mapping[str, int], seed: int) -> OwnProblems:
    """Draws them. The hidden draws that decide are all made again at these sizes, with other seeds."""
    same: list[Problem] = []
    deciding = [draw for draw in draws if not draw.note]
    for number, draw in enumerate(deciding if elements(lesson, sizes) <= MANY_ELEMENTS else deciding[:FEW_DRAWS]):
        own = {**draw.sizes, **sizes}
        part = derive(seed, lesson.name, "own sizes", number)
        try:
            same.append(lesson.problem(Draw(own, draw.change), part))
        except (IndexError, RuntimeError):  # a change that needs other sizes, as an index of its own
            same.append(lesson.problem(Draw(own), part))
    others = {
        size: lesson.problem(Draw(varied(sizes, size)), derive(seed, lesson.name, "other", size)) for size in sizes
    }
    lecture = None
    if not is_published(lesson, sizes):
        lecture = lesson.problem(Draw(), derive(seed, lesson.name, "the lecture's sizes"))
    return OwnProblems(same, others, lecture)


def varied(sizes: Mapping[str, int], size: str) -> dict[str, int]:
    """The sizes with one of them changed to a number that is neither of the others nor next to one."""
    taken = {near for value in sizes.values() for near in (value - 1, value, value + 1)}
    value = next(n for n in itertools.count(sizes[size] + 2) if n not in taken)
    return {**sizes, size: value}


@dataclass(frozen=True)
class Meaning:
    """A number in the code, as one or more of the sizes: 31 as `batch - 1`, 30 as `block × embedding`."""

    number: WrittenNumber
    sizes: tuple[str, ...]
    words: str

    @property
    def is_size(self) -> bool:
        """Whether the number is the size itself."""
        return self.words == in_words(self.sizes[0])

    @property
    def place(self) -> tuple[str, int]:
        return self.number.file, self.number.line

    def __str__(self) -> str:
        return f"{self.number.value:.6g} ({self.words})"


def meanings(number: WrittenNumber, sizes: Mapping[str, int]) -> list[Meaning]:
    """What a number in the code may stand for, or 1 divided by it."""
    value = number.value if number.value >= 1 else 1 / number.value
    whole = round(value)
    if abs(value - whole) > 1e-6 * value:
        return []
    prefix = "" if number.value >= 1 else "1 / "
    found = [Meaning(number, (size,), prefix + in_words(size)) for size, n in sizes.items() if n == whole]
    found += [
        Meaning(number, (size,), f"{prefix}{in_words(size)} - 1")
        for size, n in sizes.items()
        if n - 1 == whole and n > FEWEST
    ]
    for count in range(2, len(sizes) + 1):
        for some in itertools.combinations(sizes, count):
            if math.prod(sizes[size] for size in some) == whole:
                found.append(Meaning(number, some, prefix + " × ".join(map(in_words, some))))
    return found


def in_words(size: str) -> str:
    return size.replace("_", " ")


def hard_coded_numbers(lesson: Lesson, terms: Terms, row: str, hard_coded: Collection[str]) -> list[Meaning] | None:
    """The numbers in the row's statements by which these sizes are hard-coded; None where that explains nothing.

    A size of two that formulas calculate with shows nothing: with two examples n - 1 and 1 / (n - 1) are the same.
    """
    wanted, sizes = notebook_table(lesson), terms.sizes or {}
    calculated_with = set(wanted.sizes.scalars.values()) if wanted else set()
    if not hard_coded or any(sizes[size] < FEWEST and size in (calculated_with or sizes) for size in hard_coded):
        return None
    return accounted_for(hard_coded, sizes, terms.numbers.get(row, ()))


def accounted_for(
    hard_coded: Collection[str], sizes: Mapping[str, int], numbers: Sequence[WrittenNumber]
) -> list[Meaning] | None:
    """The numbers by which these sizes are hard-coded, one for each; None where one of them is in no number.

    Sizes that are equal need a number each: one 64 is the batch size or the hidden size.
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
        place, meaning = min(free, key=lambda each: (len(each[1].sizes), not each[1].is_size))
        used.add(place)
        found.append(meaning)
    return found


def sizes_of_the_lecture(step: str, sizes: Mapping[str, int], published: Mapping[str, int]) -> Explanation:
    """What is wrong with a gradient that is right at the lecture's sizes and not at those that the notebook sets."""
    other = ", ".join(f"{in_words(size)} {n}" for size, n in sizes.items() if published.get(size) != n)
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
            number = f"{meaning.number.value:.6g}"
            return f"{remark} `{expressions[meaning.sizes[0]]}` in place of {number} works at any size."
    return remark
